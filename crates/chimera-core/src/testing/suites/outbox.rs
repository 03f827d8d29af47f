//! What every `Outbox` holds to.

use super::{
    judgements::Swarm,
    samples::{CAMPAIGN, at, decision, in_review, paused, post, review, task},
};
use crate::{
    contracts::{UuidV4, decision::Verdict},
    domain::{
        campaign::{CampaignEvent, Pause},
        freeze::FreezeScope,
    },
    ports::{
        ledger::{Ledger, LedgerKind},
        swarm::{Asked, Begun, Consequence, LastSend, Left, Outgoing, Post, PostStatus, PublishLimits, SendAttempt},
    },
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Swarm + Ledger>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    posts_wait_oldest_first_until_they_are_marked(&store).await;
    let (_guard, store) = fresh();
    a_marked_post_is_on_the_ledger_once(&store).await;
    let (_guard, store) = fresh();
    an_unknown_post_is_refused_and_nothing_is_on_the_ledger(&store).await;
    let (_guard, store) = fresh();
    a_post_is_written_down_before_it_is_sent_and_only_one_sends_it(&store).await;
    let (_guard, store) = fresh();
    a_post_that_nobody_was_asked_for_is_as_before(&store).await;
    let (_guard, store) = fresh();
    nothing_of_what_is_paused_begins_to_leave(&store).await;
    let (_guard, store) = fresh();
    what_an_agent_said_is_what_left_what_leaves_and_what_a_person_looks_at(&store).await;
    let (_guard, store) = fresh();
    an_agents_day_and_the_fleets_day_hold_what_is_too_much(&store).await;
    let (_guard, store) = fresh();
    the_platforms_limit_counts_every_send(&store).await;
    let (_guard, store) = fresh();
    what_cannot_be_repeated_is_never_begun_again(&store).await;
    let (_guard, store) = fresh();
    a_campaigns_posts_count_with_every_send(&store).await;
}

pub(super) const FREE: PublishLimits = PublishLimits { per_hour_max: None, agent_per_day_max: None, fleet_per_day_max: None };
/// How long a key is known.
const KNOWN_S: i64 = 100_000;

pub(super) fn attempt(seconds: i64, repeatable_until: Option<i64>) -> SendAttempt {
    SendAttempt {
        at: at(seconds),
        until: at(seconds + 30),
        upstream: "social".to_owned(),
        tool: "publish".to_owned(),
        repeatable_until: repeatable_until.map(at),
    }
}

pub(super) fn is_published(name: &str) -> Left {
    Left::Published { remote_id: Some(name.to_owned()), url: Some(format!("https://social.example/{name}")), remark: None }
}

/// With a key.
async fn begin(store: &impl Swarm, post: &Outgoing, seconds: i64, limits: &PublishLimits) -> Begun {
    store.begin(post, &attempt(seconds, Some(seconds + KNOWN_S)), limits).await.unwrap()
}

async fn on_the_ledger(store: &impl Ledger) -> Vec<String> {
    let entries = Ledger::list(store, None, 20).await.unwrap();
    entries.iter().rev().map(|entry| entry.entry.facts["status"].as_str().unwrap().to_owned()).collect()
}

async fn what_cannot_be_repeated_is_never_begun_again(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 2).await;

    assert_eq!(store.begin(&posts[0], &attempt(100, None), &FREE).await.unwrap(), Begun::Go { attempt: 1 });
    assert_eq!(store.begin(&posts[1], &attempt(100, Some(200)), &FREE).await.unwrap(), Begun::Go { attempt: 1 });

    for (post, seconds) in [(&posts[0], 130), (&posts[0], 100_000), (&posts[1], 200)] {
        // Not even by one that knows the key by now, nor by one that looked before the first began.
        assert_eq!(store.begin(post, &attempt(seconds, Some(KNOWN_S * 9)), &FREE).await.unwrap(), Begun::Taken, "after {seconds} s");
    }
    let elsewhere = SendAttempt { upstream: "other".to_owned(), ..attempt(140, Some(200)) };
    assert_eq!(store.begin(&posts[1], &elsewhere, &FREE).await.unwrap(), Begun::Taken, "no other need know the key");
    assert_eq!(store.begin(&posts[1], &attempt(140, Some(9_000)), &FREE).await.unwrap(), Begun::Go { attempt: 2 });
    assert_eq!(store.begin(&posts[1], &attempt(8_000, Some(9_000)), &FREE).await.unwrap(), Begun::Taken, "the first send counts");
    assert_eq!(on_the_ledger(store).await, ["sending"; 3]);
}

async fn a_campaigns_posts_count_with_every_send(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 3).await;
    let used = async || store.used(CAMPAIGN).await.unwrap().posts;
    assert_eq!(used().await, 3);

    begin(store, &posts[0], 100, &FREE).await;
    assert_eq!(used().await, 3, "the first is the post itself");
    begin(store, &posts[0], 200, &FREE).await;
    begin(store, &posts[0], 300, &FREE).await;
    assert_eq!(used().await, 5);
    store.left(&posts[1], &Left::Refused { reason: "no".to_owned() }, at(400)).await.unwrap();
    assert_eq!(used().await, 4);
}

async fn a_post_is_written_down_before_it_is_sent_and_only_one_sends_it(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 1).await;

    assert_eq!(begin(store, &posts[0], 100, &FREE).await, Begun::Go { attempt: 1 });
    assert_eq!(begin(store, &posts[0], 101, &FREE).await, Begun::Taken, "somebody is sending it");
    assert_eq!(on_the_ledger(store).await, ["sending"], "before it leaves");
    assert_eq!(store.waiting(at(129), 10).await.unwrap(), []);
    let unknown = store.waiting(at(130), 10).await.unwrap();
    let sending = Post { status: PostStatus::Sending, begun_at: Some(at(100)), ..posts[0].post.clone() };
    let last_send = Some(LastSend { upstream: "social".to_owned(), repeatable_until: Some(at(100 + KNOWN_S)) });
    assert_eq!(unknown, [Outgoing { post: sending, last_send, ..posts[0].clone() }], "its fate is asked again under the same key");
    assert_eq!(begin(store, &posts[0], 130, &FREE).await, Begun::Go { attempt: 2 });
    store.delay(&posts[0], "no answer", at(300), Asked::Perhaps).await.unwrap();
    assert_eq!(store.waiting(at(299), 10).await.unwrap(), []);
    assert_eq!(begin(store, &posts[0], 300, &FREE).await, Begun::Go { attempt: 3 });
    store.left(&posts[0], &is_published("1"), at(301)).await.unwrap();
    store.left(&posts[0], &Left::Refused { reason: "late".to_owned() }, at(302)).await.unwrap();

    assert_eq!(begin(store, &posts[0], 400, &FREE).await, Begun::Gone);
    assert_eq!(begin(store, &never_added(&posts[0]), 400, &FREE).await, Begun::Gone);
    let recorded = crate::ports::swarm::Judgements::of_campaign(store, CAMPAIGN).await.unwrap().posts;
    let url = Some("https://social.example/1".to_owned());
    assert_eq!(recorded, [Post { status: PostStatus::Published, begun_at: Some(at(100)), url, ..posts[0].post.clone() }]);
    assert_eq!(on_the_ledger(store).await, ["sending", "sending", "sending", "published"]);
    let entries = Ledger::list(store, None, 10).await.unwrap();
    assert_eq!(entries[1].entry.facts["attempt"], 3);
    assert_eq!((&entries[1].entry.facts["upstream"], &entries[1].entry.facts["tool"]), (&"social".into(), &"publish".into()));
}

async fn what_an_agent_said_is_what_left_what_leaves_and_what_a_person_looks_at(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 3).await;
    store.left(&posts[0], &Left::DryRun, at(100)).await.unwrap();
    store.left(&posts[1], &Left::Refused { reason: "no".to_owned() }, at(100)).await.unwrap();
    let made = in_review(store, &[task()]).await.remove(0);
    let mut asked = review(&made);
    asked.artifact.as_mut().unwrap().payload_text = Some("Is this fine?".to_owned());
    store.decide(&decision(&made, Verdict::Escalate), &Consequence::AskPerson(Box::new(asked))).await.unwrap();
    let said = async |except| store.said(&posts[0].post.agent, &posts[0].post.platform, except, 10).await.unwrap();

    assert_eq!(said(UuidV4::random()).await, ["Is this fine?", posts[2].post.text.as_str(), posts[0].post.text.as_str()]);
    assert_eq!(said(made.task_id).await.len(), 2);
    assert_eq!(said(posts[2].post.task_id).await, ["Is this fine?", posts[0].post.text.as_str()]);
    assert_eq!(store.said(&"somebody".parse().unwrap(), &posts[0].post.platform, made.task_id, 10).await.unwrap(), [""; 0]);
    assert_eq!(store.said(&posts[0].post.agent, &posts[0].post.platform, UuidV4::random(), 1).await.unwrap().len(), 1);
    assert_eq!(store.said(&posts[0].post.agent, "tiktok", UuidV4::random(), 10).await.unwrap(), [""; 0], "each platform by itself");
}

async fn a_post_that_nobody_was_asked_for_is_as_before(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 1).await;
    begin(store, &posts[0], 100, &FREE).await;

    store.delay(&posts[0], "the server is down", at(110), Asked::No).await.unwrap();

    assert_eq!(store.waiting(at(109), 10).await.unwrap(), []);
    assert_eq!(store.waiting(at(110), 10).await.unwrap(), posts);
    let reasons = async || store.reasons(CAMPAIGN).await.unwrap().into_iter().collect::<Vec<_>>();
    assert_eq!(reasons().await, [(posts[0].post.post_id, "the server is down".to_owned())]);
    store.left(&posts[0], &Left::DryRun, at(120)).await.unwrap();
    assert_eq!(reasons().await, [], "it waits no more");
}

async fn nothing_of_what_is_paused_begins_to_leave(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 1).await;
    let stop = |scope: FreezeScope| Pause { scope, reason: "an odd tone".to_owned(), by: "hanna".to_owned(), at: at(1) };

    for scope in [FreezeScope::Agent(posts[0].post.agent.clone()), FreezeScope::Fleet] {
        store.pause(&stop(scope.clone())).await.unwrap();
        assert_eq!(store.waiting(at(100), 10).await.unwrap(), [], "{scope}");
        assert!(matches!(begin(store, &posts[0], 100, &FREE).await, Begun::Held { .. }), "{scope}");
        store.resume(&scope).await.unwrap();
    }
    store.change(CAMPAIGN, &paused(), at(100)).await.unwrap();
    assert_eq!(store.waiting(at(100), 10).await.unwrap(), []);
    assert!(matches!(begin(store, &posts[0], 100, &FREE).await, Begun::Held { .. }));
    store.change(CAMPAIGN, &CampaignEvent::Resume, at(101)).await.unwrap();

    assert_eq!(begin(store, &posts[0], 102, &FREE).await, Begun::Go { attempt: 1 });
}

async fn the_platforms_limit_counts_every_send(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 3).await;
    let two = PublishLimits { per_hour_max: Some(2), ..FREE };

    assert_eq!(begin(store, &posts[0], 100, &two).await, Begun::Go { attempt: 1 });
    assert_eq!(begin(store, &posts[0], 130, &two).await, Begun::Go { attempt: 2 });
    assert!(matches!(begin(store, &posts[1], 160, &two).await, Begun::Held { .. }), "both sends were of one post");
    assert!(matches!(begin(store, &posts[0], 160, &two).await, Begun::Held { .. }), "its own third send as well");
    store.left(&posts[0], &is_published("1"), at(170)).await.unwrap();
    assert!(matches!(begin(store, &posts[1], 3_699, &two).await, Begun::Held { .. }));
    assert_eq!(begin(store, &posts[1], 3_700, &two).await, Begun::Go { attempt: 1 });
    assert!(matches!(begin(store, &posts[2], 3_729, &two).await, Begun::Held { .. }));
    assert_eq!(begin(store, &posts[2], 3_730, &two).await, Begun::Go { attempt: 1 });
}

async fn an_agents_day_and_the_fleets_day_hold_what_is_too_much(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 2).await;
    let (agents, fleets) = (PublishLimits { agent_per_day_max: Some(1), ..FREE }, PublishLimits { fleet_per_day_max: Some(1), ..FREE });
    assert_eq!(begin(store, &posts[0], 100, &agents).await, Begun::Go { attempt: 1 });
    let held = async |limits| matches!(begin(store, &posts[1], 101, limits).await, Begun::Held { .. });

    assert!(held(&agents).await && held(&fleets).await, "one is leaving");
    store.left(&posts[0], &is_published("1"), at(102)).await.unwrap();
    assert!(held(&agents).await && held(&fleets).await, "one has left");
    let day = 24 * 3_600;
    assert!(matches!(begin(store, &posts[1], 99 + day, &agents).await, Begun::Held { .. }));
    assert_eq!(begin(store, &posts[1], 100 + day, &agents).await, Begun::Go { attempt: 1 });
}

async fn posts_wait_oldest_first_until_they_are_marked(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 3).await;

    store.left(&posts[1], &Left::DryRun, at(100)).await.unwrap();

    assert_eq!(store.waiting(at(90), 10).await.unwrap(), [posts[0].clone(), posts[2].clone()]);
    assert_eq!(store.waiting(at(90), 1).await.unwrap(), posts[..1]);
    let recorded = crate::ports::swarm::Judgements::of_campaign(store, CAMPAIGN).await.unwrap().posts;
    assert_eq!(recorded[1], Post { status: PostStatus::DryRun, ..posts[1].post.clone() });
}

async fn a_marked_post_is_on_the_ledger_once(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 1).await;

    assert_eq!(Ledger::list(store, None, 10).await.unwrap(), []);
    for seconds in [100, 200] {
        store.left(&posts[0], &Left::DryRun, at(seconds)).await.unwrap();
    }

    let entries = Ledger::list(store, Some(&posts[0].post.agent), 10).await.unwrap();
    let [entry] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((entry.entry.kind, entry.entry.at, entry.entry.task_id), (LedgerKind::Post, at(100), Some(posts[0].post.task_id)));
    assert_eq!(entry.entry.facts["post_id"], posts[0].post.post_id.to_string());
    assert_eq!(entry.entry.facts["status"], "dry_run");
    assert_eq!(store.verify().await.unwrap().first_bad, None);
}

async fn an_unknown_post_is_refused_and_nothing_is_on_the_ledger(store: &(impl Swarm + Ledger)) {
    let added = approved(store, 1).await.remove(0);

    for unknown in [never_added(&added), Outgoing { number: added.number + 1, ..added.clone() }] {
        assert!(store.left(&unknown, &Left::DryRun, at(100)).await.is_err());
        store.delay(&unknown, "no answer", at(300), Asked::No).await.unwrap();
    }

    assert_eq!(store.waiting(at(90), 10).await.unwrap(), [added]);
    assert_eq!(store.verify().await.unwrap().entries, 0);
}

/// Another one, in the place of this.
fn never_added(post: &Outgoing) -> Outgoing {
    Outgoing { post: Post { post_id: UuidV4::random(), ..post.post.clone() }, ..post.clone() }
}

/// In a store without posts.
pub(super) async fn approved(store: &impl Swarm, count: usize) -> Vec<Outgoing> {
    let tasks: Vec<_> = std::iter::repeat_with(task).take(count).collect();
    for made in in_review(store, &tasks).await {
        store.decide(&decision(&made, Verdict::Approve), &Consequence::Publish(post(&made))).await.unwrap();
    }
    store.waiting(at(90), count).await.unwrap()
}
