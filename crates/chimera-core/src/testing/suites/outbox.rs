//! What every `Outbox` holds to.

use super::{
    judgements::Swarm,
    samples::{CAMPAIGN, at, decision, in_review, post, task},
};
use crate::{
    contracts::{UuidV4, decision::Verdict},
    ports::{
        ledger::{Ledger, LedgerKind},
        swarm::{Consequence, Post, PostStatus},
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
}

async fn posts_wait_oldest_first_until_they_are_marked(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 3).await;

    store.mark(posts[1].post_id, PostStatus::DryRun, at(100)).await.unwrap();

    assert_eq!(store.waiting(10).await.unwrap(), [posts[0].clone(), posts[2].clone()]);
    assert_eq!(store.waiting(1).await.unwrap(), posts[..1]);
    let recorded = crate::ports::swarm::Judgements::of_campaign(store, CAMPAIGN).await.unwrap().posts;
    assert_eq!(recorded[1], Post { status: PostStatus::DryRun, ..posts[1].clone() });
}

async fn a_marked_post_is_on_the_ledger_once(store: &(impl Swarm + Ledger)) {
    let posts = approved(store, 1).await;

    store.mark(posts[0].post_id, PostStatus::Approved, at(99)).await.unwrap();
    assert_eq!(Ledger::list(store, None, 10).await.unwrap(), []);
    for seconds in [100, 200] {
        store.mark(posts[0].post_id, PostStatus::DryRun, at(seconds)).await.unwrap();
    }

    let entries = Ledger::list(store, Some(&posts[0].agent), 10).await.unwrap();
    let [entry] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((entry.entry.kind, entry.entry.at, entry.entry.task_id), (LedgerKind::Post, at(100), Some(posts[0].task_id)));
    assert_eq!(entry.entry.facts["post_id"], posts[0].post_id.to_string());
    assert_eq!(entry.entry.facts["status"], "dry_run");
    assert_eq!(store.verify().await.unwrap().first_bad, None);
}

async fn an_unknown_post_is_refused_and_nothing_is_on_the_ledger(store: &(impl Swarm + Ledger)) {
    let outcome = store.mark(UuidV4::random(), PostStatus::DryRun, at(100)).await;

    assert!(outcome.is_err());
    assert_eq!(store.verify().await.unwrap().entries, 0);
}

async fn approved(store: &impl Swarm, count: usize) -> Vec<Post> {
    let tasks: Vec<_> = std::iter::repeat_with(task).take(count).collect();
    let mut posts = Vec::new();
    for made in in_review(store, &tasks).await {
        posts.push(post(&made));
        store.decide(&decision(&made, Verdict::Approve), &Consequence::Publish(post_of(&posts))).await.unwrap();
    }
    posts
}

fn post_of(posts: &[Post]) -> Post {
    posts.last().expect("one was just added").clone()
}
