//! Posts that leave through a tool that somebody else wrote: it takes `text`, knows no idempotency key, and answers in prose, with an
//! error, or not at all. Whatever it does, each text arrives there at most once, is on the ledger before it leaves, and what cannot be
//! known is a person's to say.

use crate::{
    peers::{Peer, program},
    program::Folder,
    swarm_stage::{GOAL, list, soul, until},
};
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Write, fs, path::PathBuf};

const SERVER: &str = include_str!("strange_publishers/server.py");
/// Every platform that a SOUL can name.
const PLATFORMS: [&str; 7] = ["twitter", "mastodon", "bluesky", "linkedin", "threads", "instagram", "tiktok"];

/// One agent for each platform, named like it, and for each a server of its own in the same manner.
struct Stage {
    folder: Folder,
    platforms: Vec<&'static str>,
    _whole: Folder,
}

impl Stage {
    /// `manner` for each platform; `more` is added to each platform's section. `None` without Python.
    async fn set(manners: &[(&'static str, &str)], more: &str) -> Option<Self> {
        let python = program(Peer::Python)?;
        let whole = Folder::new();
        whole.json(&["init", "project"]).await;
        let folder = Folder::below(&whole, "project");
        let server = folder.write("server.py", SERVER);
        let mut config = CONFIG.to_owned();
        for (platform, manner) in manners {
            let arrivals = folder.path().join(format!("{platform}.arrivals"));
            write!(
                config,
                "[upstreams.{platform}-tool]\ncommand = [{python:?}, {server:?}, {manner:?}, {arrivals:?}]\n\
                 [publish.{platform}]\nupstream = \"{platform}-tool\"\ntool = \"create_post\"\n{more}\n"
            )
            .unwrap();
        }
        folder.write("chimera.toml", config);
        let stage = Self { folder, platforms: manners.iter().map(|(platform, _)| *platform).collect(), _whole: whole };
        for platform in &stage.platforms {
            let soul = stage.folder.write(&format!("{platform}.md"), soul(platform, platform));
            stage.folder.json(&["agent", "create", "--soul", soul.to_str().unwrap()]).await;
        }
        Some(stage)
    }

    async fn everywhere(manner: &str, more: &str) -> Option<Self> {
        Self::set(&PLATFORMS.map(|platform| (platform, manner)), more).await
    }

    async fn start(&self) -> String {
        let made = self.folder.json(&["campaign", "create", "--goal", GOAL, "--agents", &self.platforms.join(",")]).await;
        let id = made["campaign_id"].as_str().unwrap().to_owned();
        self.folder.json(&["campaign", "start", &id]).await;
        id
    }

    fn arrivals(&self, platform: &str) -> Vec<Value> {
        let path: PathBuf = self.folder.path().join(format!("{platform}.arrivals"));
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The campaign. What the Judge asks about is approved on the way; what is asked about posts that may have left is not answered.
    async fn look(&self, id: &str) -> Value {
        let campaign = self.campaign(id).await;
        let drafts: Vec<&Value> =
            list(&campaign, "task_list").iter().filter(|task| task["status"] == "review").map(|task| &task["task_id"]).collect();
        let is_of_draft = |review: &&Value| review["status"] == "pending" && drafts.contains(&&review["task_id"]);
        for review in list(&campaign, "reviews").iter().filter(is_of_draft) {
            self.folder.run(&["review", "approve", review["review_id"].as_str().unwrap(), "--reviewer", "lena"]).await;
        }
        campaign
    }

    async fn reviews(&self) -> Vec<Value> {
        list(&self.folder.json(&["review", "list"]).await, "reviews").to_vec()
    }

    async fn campaign(&self, id: &str) -> Value {
        self.folder.json(&["campaign", "show", id]).await
    }

    /// By platform, once every agent has a post that stands like this.
    async fn posts_when(&self, id: &str, status: &str) -> BTreeMap<String, Value> {
        until(&format!("all posts are {status}"), async || {
            let campaign = self.look(id).await;
            let posts = list(&campaign, "posts");
            let all = posts.len() == self.platforms.len() && posts.iter().all(|post| post["status"] == status);
            all.then(|| posts.iter().map(|post| (post["platform"].as_str().unwrap().to_owned(), post.clone())).collect())
        })
        .await
    }

    /// What the ledger says of a post, oldest first.
    async fn entries(&self, post: &Value) -> Vec<Value> {
        let told = self.folder.json(&["ledger", "list", "--limit", "500"]).await;
        let mut entries: Vec<Value> = list(&told, "entries").iter().map(|entry| entry["facts"].clone()).collect();
        entries.reverse();
        entries.retain(|facts| facts["post_id"] == post["post_id"]);
        entries
    }

    async fn statuses(&self, post: &Value) -> Vec<String> {
        self.entries(post).await.iter().map(|facts| facts["status"].as_str().unwrap_or("-").to_owned()).collect()
    }
}

/// Whatever is written is good enough: on a slow machine the news is old by then, and fewer would be sure of it.
const CONFIG: &str = r#"
[upstreams.feeds]
command = ["chimera", "feeds"]
schemes = ["news"]
[[feeds.news]]
region = "global"
category = "technology"
urls = ["file:feeds/sample-wire.xml"]
[judge]
auto_approve_embedded = true
reject_below = 0.1
[swarm]
lease_s = 2
backoff_s = 0
perceive_every_s = 2
publish_retry_s = 1
"#;

/// Long enough for several more sends: one a second, if there were any.
async fn a_while() {
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_in_prose_is_a_post_that_was_sent_and_is_never_sent_again() {
    let Some(stage) = Stage::everywhere("prose", "").await else { return };
    let id = stage.start().await;
    let serving = stage.folder.serve().await;

    until("every text has arrived", async || {
        stage.look(&id).await;
        stage.platforms.iter().all(|platform| !stage.arrivals(platform).is_empty()).then_some(())
    })
    .await;
    a_while().await;

    for platform in PLATFORMS {
        assert_eq!(stage.arrivals(platform).len(), 1, "{platform}: {:?}", stage.arrivals(platform));
    }
    let posts = stage.posts_when(&id, "published").await;
    for (platform, post) in &posts {
        assert_eq!(stage.arrivals(platform)[0]["text"], post["text"], "{platform}");
        assert_eq!(post["url"], Value::Null, "{platform}: no address was told");
        assert!(post["reason"].as_str().unwrap().contains("Your post is live!"), "{platform}: {post}");
        assert_eq!(stage.statuses(post).await, ["sending", "published"], "{platform}");
    }
    assert_eq!(stage.reviews().await, [Value::Null; 0], "nobody need be asked");
    assert_eq!(serving.stop().await.code, Some(0));
    assert_eq!(stage.folder.json(&["ledger", "verify"]).await["ok"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_shape_a_finished_answer_has_the_post_was_sent_and_the_tool_got_only_what_it_takes() {
    let shapes = [
        ("twitter", "strict"),
        ("mastodon", "other-json"),
        ("bluesky", "structured"),
        ("linkedin", "empty"),
        ("threads", "picture"),
        ("tiktok", "huge"),
    ];
    let Some(stage) = Stage::set(&shapes, "").await else { return };
    let id = stage.start().await;
    let serving = stage.folder.serve().await;

    let posts = stage.posts_when(&id, "published").await;
    a_while().await;

    for (platform, manner) in shapes {
        let arrivals = stage.arrivals(platform);
        assert_eq!(arrivals.len(), 1, "{platform}, {manner}");
        assert_eq!(arrivals[0].as_object().unwrap().keys().collect::<Vec<_>>(), ["text"], "{platform}, {manner}");
        assert!(posts[platform]["reason"].as_str().unwrap().contains("named no post"), "{platform}: {}", posts[platform]);
        assert_eq!(stage.statuses(&posts[platform]).await, ["sending", "published"], "{platform}, {manner}");
    }
    assert_eq!(serving.stop().await.code, Some(0));
}

/// What a tool without a key does after it has posted, on every platform: a person is asked once, and nothing more arrives.
async fn is_asked_about_once(manner: &str) {
    let Some(stage) = Stage::everywhere(manner, "").await else { return };
    let id = stage.start().await;
    let serving = stage.folder.serve().await;

    let posts = stage.posts_when(&id, "unknown").await;
    a_while().await;

    let reviews = stage.reviews().await;
    assert_eq!(reviews.len(), PLATFORMS.len(), "{reviews:?}");
    for platform in PLATFORMS {
        assert_eq!(stage.arrivals(platform).len(), 1, "{platform}: {:?}", stage.arrivals(platform));
        assert_eq!(stage.statuses(&posts[platform]).await, ["sending", "unknown"], "{platform}");
        let asked = reviews.iter().find(|review| review["agent_id"] == platform).unwrap();
        assert_eq!(asked["artifact"]["payload_text"], posts[platform]["text"]);
        let why = asked["escalation_reason"].as_str().unwrap();
        assert!(why.contains(&format!("may be on {platform}, or not")), "{why}");
    }
    assert_eq!(serving.stop().await.code, Some(0));

    // Nor after a start, long as it may be since.
    let serving = stage.folder.serve().await;
    a_while().await;
    assert!(PLATFORMS.iter().all(|platform| stage.arrivals(platform).len() == 1));
    assert_eq!(stage.reviews().await.len(), PLATFORMS.len());
    assert_eq!(serving.stop().await.code, Some(0));
    assert_eq!(stage.folder.json(&["ledger", "verify"]).await["ok"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_after_it_was_posted_is_not_taken_for_a_refusal() {
    is_asked_about_once("fails").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_after_it_has_posted_is_not_asked_again() {
    is_asked_about_once("dies").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_after_it_has_posted_is_not_asked_again() {
    is_asked_about_once("hangs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_says_that_a_post_is_there_or_sends_it_again_or_leaves_it() {
    let Some(stage) = Stage::set(&[("linkedin", "fails"), ("threads", "fails"), ("tiktok", "fails")], "").await else { return };
    let id = stage.start().await;
    let serving = stage.folder.serve().await;
    let posts = stage.posts_when(&id, "unknown").await;
    let reviews = stage.reviews().await;
    let review = |agent: &str| {
        let found = reviews.iter().find(|review| review["agent_id"] == agent).unwrap();
        found["review_id"].as_str().unwrap().to_owned()
    };
    let by = ["--reviewer", "lena"];

    let unclear = stage.folder.run(&[&["review", "approve", &review("threads")], by.as_slice()].concat()).await;
    unclear.refused(1, &["asks whether a post is there", "review published", "review resend", "review reject"]);
    let bad = stage.folder.run(&[&["review", "published", &review("linkedin"), "--url", "javascript:x"], by.as_slice()].concat()).await;
    bad.refused(1, &["--url", "https://"]);
    let there = ["review", "published", &review("linkedin"), "--url", "https://linkedin.example/17"];
    stage.folder.json(&[&there, by.as_slice()].concat()).await;
    stage.folder.json(&[&["review", "resend", &review("threads")], by.as_slice()].concat()).await;
    stage.folder.json(&[&["review", "reject", &review("tiktok"), "--reason", "let it be"], by.as_slice()].concat()).await;
    let late = stage.folder.run(&[&["review", "resend", &review("linkedin")], by.as_slice()].concat()).await;
    late.refused(1, &["already approved by lena"]);

    let second = until("a second question", async || {
        let open = stage.reviews().await;
        (open.len() == 1 && open[0]["review_id"] != review("threads").as_str()).then(|| open[0].clone())
    })
    .await;
    assert_eq!(second["agent_id"], "threads");
    a_while().await;
    let counts: Vec<usize> = ["linkedin", "threads", "tiktok"].iter().map(|platform| stage.arrivals(platform).len()).collect();
    assert_eq!(counts, [1, 2, 1], "what a person sent again was sent once more");
    let statuses = async |platform: &str| stage.statuses(&posts[platform]).await;
    assert_eq!(statuses("linkedin").await, ["sending", "unknown", "published"]);
    assert_eq!(statuses("threads").await, ["sending", "unknown", "approved", "sending", "unknown"]);
    assert_eq!(statuses("tiktok").await, ["sending", "unknown", "refused"]);
    let campaign = stage.campaign(&id).await;
    let linkedin = list(&campaign, "posts").iter().find(|post| post["platform"] == "linkedin").unwrap().clone();
    assert_eq!(linkedin["url"], "https://linkedin.example/17");
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_send_counts_against_the_hour_whatever_became_of_it() {
    let Some(stage) = Stage::set(&[("linkedin", "fails")], "posts_per_hour_max = 1").await else { return };
    let id = stage.start().await;
    let serving = stage.folder.serve().await;
    stage.posts_when(&id, "unknown").await;
    let review = stage.reviews().await[0]["review_id"].as_str().unwrap().to_owned();

    stage.folder.json(&["review", "resend", &review, "--reviewer", "lena"]).await;

    until("the hour's limit holds it", async || {
        let campaign = stage.campaign(&id).await;
        let post = &list(&campaign, "posts")[0];
        (post["reason"].as_str()?.contains("1 posts were sent in the last hour on linkedin, 1 are allowed") && post["status"] == "approved")
            .then_some(())
    })
    .await;
    a_while().await;
    assert_eq!(stage.arrivals("linkedin").len(), 1);
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_cannot_take_a_post_is_told_by_doctor_and_never_called() {
    let table = [("linkedin", "takes-content"), ("threads", "wants-a-token"), ("tiktok", "prose")];
    let Some(stage) = Stage::set(&table, "").await else { return };
    let told = stage.folder.run(&["doctor", "--json"]).await;
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    let check = |platform: &str| {
        let name = format!("publish {platform}");
        list(&told, "checks").iter().find(|check| check["check"] == name.as_str()).unwrap().clone()
    };
    for (platform, ok, part) in [
        ("linkedin", false, "takes no argument \"text\""),
        ("threads", false, "must be given \"access_token\""),
        ("tiktok", true, "no idempotency key"),
    ] {
        let check = check(platform);
        assert!(check["ok"] == ok && check["found"].as_str().unwrap().contains(part), "{check}");
    }

    let id = stage.start().await;
    let serving = stage.folder.serve().await;
    until("they wait with the reason, and the third is published", async || {
        let campaign = stage.look(&id).await;
        let posts = list(&campaign, "posts");
        let stands = |platform: &str, status: &str, part: &str| {
            let of = |post: &&Value| post["platform"] == platform && post["status"] == status;
            posts.iter().find(of).is_some_and(|post| post["reason"].as_str().unwrap_or_default().contains(part))
        };
        let waits = stands("linkedin", "approved", "takes no argument") && stands("threads", "approved", "access_token");
        (waits && stands("tiktok", "published", "named no post")).then_some(())
    })
    .await;
    assert_eq!((stage.arrivals("linkedin").len(), stage.arrivals("threads").len()), (0, 0));
    assert_eq!(serving.stop().await.code, Some(0));
}

/// Killed while the first answer is awaited, and then at moments of chance. Whatever was on its way is asked about, and never sent twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_of_a_publish_it_sends_nothing_twice() {
    let Some(stage) = Stage::everywhere("slow", "").await else { return };
    let id = stage.start().await;
    let serving = stage.folder.serve().await;
    until("one is on its way", async || {
        stage.look(&id).await;
        stage.platforms.iter().any(|platform| !stage.arrivals(platform).is_empty()).then_some(())
    })
    .await;
    serving.kill().await;
    for life_ms in [400, 900, 1_600, 2_500] {
        let serving = stage.folder.serve().await;
        tokio::time::sleep(std::time::Duration::from_millis(life_ms)).await;
        serving.kill().await;
    }

    let serving = stage.folder.serve().await;
    let posts = until("every post has ended", async || {
        let campaign = stage.look(&id).await;
        let posts = list(&campaign, "posts").to_vec();
        let has_ended = |post: &Value| post["status"] == "published" || post["status"] == "unknown";
        (posts.len() == PLATFORMS.len() && posts.iter().all(has_ended)).then_some(posts)
    })
    .await;
    assert_eq!(serving.stop().await.code, Some(0));

    let unknown: Vec<&Value> = posts.iter().filter(|post| post["status"] == "unknown").collect();
    assert!(!unknown.is_empty(), "the first kill met one on its way");
    assert_eq!(stage.reviews().await.len(), unknown.len(), "each is asked about once");
    for post in &posts {
        let (platform, is_unknown) = (post["platform"].as_str().unwrap(), post["status"] == "unknown");
        let arrived = stage.arrivals(platform).len();
        assert!(arrived == 1 || (arrived == 0 && is_unknown), "{platform} arrived {arrived} times and is {}", post["status"]);
        let expected = if is_unknown { ["sending", "unknown"] } else { ["sending", "published"] };
        assert_eq!(stage.statuses(post).await, expected, "{platform}");
    }
    assert_eq!(stage.folder.json(&["ledger", "verify"]).await["ok"], true);
}
