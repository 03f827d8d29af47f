use super::*;
use crate::{
    contracts::UuidV4,
    domain::{AgentId, asset::AssetId},
    ports::assets::{AssetRecord, AssetStatus},
    testing::{fake_assets::FakeAssets, fake_clock::ManualClock, suites},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Mutex;

const START: &str = "2026-11-15T12:00:00Z";

/// One post, and what was done with it, in order.
struct OnePost {
    post: Mutex<Option<Post>>,
    attempt: u32,
    done: Mutex<Vec<String>>,
}

impl OnePost {
    fn of(status: PostStatus) -> Self {
        let post = Post {
            post_id: UuidV4::named(&["post"]),
            task_id: UuidV4::named(&["task"]),
            result_id: UuidV4::named(&["result"]),
            campaign_id: "c".to_owned(),
            agent: "selam".parse().unwrap(),
            platform: "mastodon".to_owned(),
            text: "It tastes of bergamot.".to_owned(),
            media_uri: Some(picture().0.id.uri()),
            reply_to: None,
            status,
            begun_at: (status == PostStatus::Sending).then(|| START.parse().unwrap()),
            url: None,
        };
        Self { post: Mutex::new(Some(post)), attempt: 1, done: Mutex::default() }
    }

    fn note(&self, what: impl Into<String>) {
        self.done.lock().unwrap().push(what.into());
    }
}

#[async_trait]
impl Outbox for OnePost {
    async fn waiting(&self, _: DateTime<Utc>, _: usize) -> Result<Vec<Outgoing>, StoreError> {
        Ok(self.post.lock().unwrap().iter().map(|post| Outgoing { number: 1, post: post.clone() }).collect())
    }
    async fn begin(&self, _: &Outgoing, _: DateTime<Utc>, _: DateTime<Utc>, _: &PublishLimits) -> Result<Begun, StoreError> {
        self.note("begin");
        Ok(Begun::Go { attempt: self.attempt })
    }
    async fn left(&self, _: &Outgoing, left: &Left, _: DateTime<Utc>) -> Result<(), StoreError> {
        self.note(format!("{left:?}"));
        *self.post.lock().unwrap() = None;
        Ok(())
    }
    async fn said(&self, _: &AgentId, _: UuidV4, _: usize) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
    async fn reasons(&self, _: &str) -> Result<BTreeMap<UuidV4, String>, StoreError> {
        Ok(BTreeMap::new())
    }
    async fn delay(&self, _: &Outgoing, reason: &str, not_before: DateTime<Utc>, asked: Asked) -> Result<(), StoreError> {
        self.note(format!("{asked:?} until {}: {reason}", not_before.format("%H:%M:%S")));
        Ok(())
    }
}

/// Answers once, and keeps what it was asked.
struct OneAnswer {
    answer: Mutex<Option<Result<Value, ToolError>>>,
    asked: Mutex<Vec<Value>>,
}

impl OneAnswer {
    fn of(answer: Result<Value, ToolError>) -> Self {
        Self { answer: Mutex::new(Some(answer)), asked: Mutex::default() }
    }
}

#[async_trait]
impl Tools for OneAnswer {
    async fn call(&self, server: &str, tool: &str, arguments: Map<String, Value>, _: Duration) -> Result<Value, ToolError> {
        self.asked.lock().unwrap().push(json!({ "server": server, "tool": tool, "arguments": arguments }));
        self.answer.lock().unwrap().take().expect("it is asked once")
    }
}

fn channel() -> Channel {
    let (upstream, tool) = ("social".to_owned(), "publish".to_owned());
    Channel { upstream, spare_upstream: None, tool, dry_run: false, limits: PublishLimits::default(), quiet_hours: None }
}

async fn publish(outbox: &OnePost, tools: &dyn Tools, channels: &Channels) -> Vec<Post> {
    let clock = ManualClock::at(START);
    let assets = FakeAssets::default();
    let (picture, bytes) = picture();
    assets.save(&picture, bytes).await.unwrap();
    let publisher = Publisher { outbox, tools, assets: &assets, clock: &clock, channels, retry_after: TimeDelta::seconds(15) };
    publisher.publish_waiting().await.unwrap()
}

fn picture() -> (AssetRecord, Vec<u8>) {
    let bytes = b"hello".to_vec();
    let asset = AssetRecord { status: AssetStatus::Approved, alt_text: "a cup".to_owned(), ..suites::assets::image(&bytes) };
    (asset, bytes)
}

fn mastodon(channel: Channel) -> Channels {
    Channels::from([("mastodon".to_owned(), channel)])
}

#[tokio::test]
async fn a_post_is_written_down_then_sent_with_its_key_and_label_then_marked() {
    let outbox = OnePost::of(PostStatus::Approved);
    let tools = OneAnswer::of(Ok(json!({ "post_id": "17", "url": "https://social.example/17" })));

    let done = publish(&outbox, &tools, &mastodon(channel())).await;

    assert_eq!((done[0].status, done[0].url.as_deref()), (PostStatus::Published, Some("https://social.example/17")));
    assert_eq!(*outbox.done.lock().unwrap(), ["begin", "Published { remote_id: \"17\", url: \"https://social.example/17\" }"]);
    let expected = json!({ "server": "social", "tool": "publish", "arguments": {
        "platform": "mastodon", "idempotency_key": UuidV4::named(&["post"]), "text": "It tastes of bergamot.",
        "media_uri": "data:image/png;base64,aGVsbG8=", "alt_text": "a cup", "ai_generated": true } });
    assert_eq!(*tools.asked.lock().unwrap(), [expected]);
}

#[tokio::test]
async fn a_post_whose_picture_is_not_there_is_refused_and_nothing_is_asked() {
    let other = AssetId::of(b"other");
    for (uri, expected) in
        [(other.uri(), format!("there is no asset {other}")), ("chimera://assets/1".to_owned(), "names no asset".to_owned())]
    {
        let (outbox, tools) = (OnePost::of(PostStatus::Approved), OneAnswer::of(Ok(Value::Null)));
        outbox.post.lock().unwrap().as_mut().unwrap().media_uri = Some(uri);
        assert_eq!(publish(&outbox, &tools, &mastodon(channel())).await[0].status, PostStatus::Refused);
        assert!(outbox.done.lock().unwrap()[1].contains(&expected), "{expected}");
        assert_eq!(*tools.asked.lock().unwrap(), [Value::Null; 0]);
    }
}

/// The first of two servers is down.
struct SecondAnswers(Mutex<Vec<String>>);

#[async_trait]
impl Tools for SecondAnswers {
    async fn call(&self, server: &str, _: &str, _: Map<String, Value>, _: Duration) -> Result<Value, ToolError> {
        self.0.lock().unwrap().push(server.to_owned());
        match server {
            "social" => Err(ToolError::Unreachable { server: server.to_owned(), reason: "down".to_owned() }),
            _ => Ok(json!({ "post_id": "17", "url": "u" })),
        }
    }
}

#[tokio::test]
async fn a_server_that_is_out_of_reach_is_replaced_by_its_spare() {
    let outbox = OnePost::of(PostStatus::Approved);
    let tools = SecondAnswers(Mutex::default());
    let channels = mastodon(Channel { spare_upstream: Some("second".to_owned()), ..channel() });

    let done = publish(&outbox, &tools, &channels).await;

    assert_eq!(done[0].status, PostStatus::Published);
    assert_eq!(*tools.0.lock().unwrap(), ["social", "second"]);
}

#[tokio::test]
async fn what_may_have_arrived_once_stays_so_when_nothing_is_asked_later() {
    let outbox = OnePost::of(PostStatus::Sending);
    publish(&outbox, &OneAnswer::of(Err(refused("rate_limited: wait"))), &mastodon(channel())).await;
    assert_eq!(outbox.done.lock().unwrap()[1], "Perhaps until 12:00:15: rate_limited: wait");
}

#[tokio::test]
async fn without_a_channel_or_with_a_dry_one_nothing_is_sent() {
    for channels in [Channels::new(), mastodon(Channel { dry_run: true, ..channel() })] {
        let (outbox, tools) = (OnePost::of(PostStatus::Approved), OneAnswer::of(Ok(Value::Null)));
        assert_eq!(publish(&outbox, &tools, &channels).await[0].status, PostStatus::DryRun);
        assert_eq!(*tools.asked.lock().unwrap(), [Value::Null; 0]);
        assert_eq!(*outbox.done.lock().unwrap(), ["DryRun"]);
    }
}

fn refused(reason: &str) -> ToolError {
    ToolError::Refused { server: "social".to_owned(), tool: "publish".to_owned(), reason: reason.to_owned() }
}

#[tokio::test]
async fn what_may_have_arrived_is_asked_again_only_where_that_is_safe() {
    let server = || "social".to_owned();
    let table = [
        (Err(ToolError::TimedOut { after_ms: 1 }), "Perhaps until 12:00:15: no answer within 1 ms"),
        (Err(ToolError::Failed { server: server(), reason: "gone".to_owned() }), "Perhaps until 12:00:15"),
        (Err(refused("unavailable: it is late")), "Perhaps until 12:00:15: unavailable"),
        (Ok(json!({ "post_id": "17" })), "Perhaps until 12:00:15: the answer has no post_id and url"),
        (Err(ToolError::Unreachable { server: server(), reason: "down".to_owned() }), "No until 12:00:15"),
        (Err(refused("rate_limited: wait")), "No until 12:00:15: rate_limited"),
        (Err(refused("something odd")), "No until 12:00:15: something odd"),
        (Err(refused("refused: too long")), "Refused"),
        (Err(refused("outcome_unknown: the answer was lost")), "Unknown"),
        (Err(refused("duplicate: it is there")), "Unknown"),
    ];
    for (answer, expected) in table {
        let (outbox, tools) = (OnePost::of(PostStatus::Approved), OneAnswer::of(answer));
        publish(&outbox, &tools, &mastodon(channel())).await;
        let done = outbox.done.lock().unwrap();
        assert!(done[0] == "begin" && done[1].starts_with(expected), "{expected}: {done:?}");
    }
    let last = OnePost { attempt: REFUSALS_MAX, ..OnePost::of(PostStatus::Approved) };
    let done = publish(&last, &OneAnswer::of(Err(refused("something odd"))), &mastodon(channel())).await;
    assert_eq!(done[0].status, PostStatus::Refused);
}

#[tokio::test]
async fn where_a_platform_no_longer_knows_the_key_nothing_is_sent_again() {
    let ok = || Ok(json!({ "post_id": "17", "url": "u" }));
    for (platform, minutes_ago, expected) in [
        ("twitter", 0, PostStatus::Unknown),
        ("mastodon", 49, PostStatus::Published),
        ("mastodon", 50, PostStatus::Unknown),
        ("bluesky", 10_000, PostStatus::Published),
    ] {
        let outbox = OnePost::of(PostStatus::Sending);
        if let Some(post) = outbox.post.lock().unwrap().as_mut() {
            post.platform = platform.to_owned();
            post.begun_at = Some(START.parse::<DateTime<Utc>>().unwrap() - TimeDelta::minutes(minutes_ago));
        }
        let tools = OneAnswer::of(ok());
        let done = publish(&outbox, &tools, &Channels::from([(platform.to_owned(), channel())])).await;
        assert_eq!(done[0].status, expected, "{platform} after {minutes_ago} min");
        assert_eq!(tools.asked.lock().unwrap().len(), usize::from(expected == PostStatus::Published));
    }
}

#[tokio::test]
async fn quiet_hours_hold_what_has_not_begun_and_nothing_else() {
    let quiet = || mastodon(Channel { quiet_hours: Some("11:00-13:00".parse().unwrap()), ..channel() });
    let (outbox, tools) = (OnePost::of(PostStatus::Approved), OneAnswer::of(Ok(Value::Null)));
    publish(&outbox, &tools, &quiet()).await;
    assert_eq!(*outbox.done.lock().unwrap(), ["No until 13:00:00: quiet hours"]);

    let begun = OnePost::of(PostStatus::Sending);
    let tools = OneAnswer::of(Ok(json!("{\"post_id\": \"17\", \"url\": \"u\"}")));
    assert_eq!(publish(&begun, &tools, &quiet()).await[0].status, PostStatus::Published);
}
