//! What every `Events` holds to.

use super::{
    judgements::Swarm,
    samples::{NO_LIMITS, at, decision, post, result, started, task},
};
use crate::{
    contracts::decision::Verdict,
    ports::{
        events::{EventKind, Events, Tally},
        swarm::{Consequence, Left, Outbox},
    },
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Swarm + Outbox + Events>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    every_step_of_a_task_is_an_event_in_its_order(&store).await;
    let (_guard, store) = fresh();
    a_step_that_is_refused_leaves_no_event(&store).await;
    let (_guard, store) = fresh();
    what_is_open_is_counted_and_what_has_ended_is_not(&store).await;
}

async fn told(store: &impl Events, after: u64) -> Vec<(EventKind, String)> {
    store.events(after, 100).await.unwrap().into_iter().map(|event| (event.kind, event.state)).collect()
}

async fn every_step_of_a_task_is_an_event_in_its_order(store: &(impl Swarm + Events)) {
    use EventKind::{Campaign, Decision, Post, Task};
    started(store).await;
    let task = task();
    store.enqueue(std::slice::from_ref(&task)).await.unwrap();
    let leased = store.claim("w", at(1), at(60), &NO_LIMITS).await.unwrap().unwrap();
    let made = result(&leased.task);
    store.finish(&leased.lease, &made).await.unwrap();
    store.decide(&decision(&made, Verdict::Approve), &Consequence::Publish(post(&made))).await.unwrap();
    store.left(&store.waiting(at(2), 1).await.unwrap()[0], &Left::DryRun, at(2)).await.unwrap();

    let word = |kind, state: &str| (kind, state.to_owned());
    let expected = [
        word(Campaign, "draft"),
        word(Campaign, "running"),
        word(Task, "pending"),
        word(Task, "in_progress"),
        word(Task, "review"),
        word(Decision, "approve"),
        word(Post, "approved"),
        word(Task, "complete"),
        word(Post, "dry_run"),
    ];
    assert_eq!(told(store, 0).await, expected);
    assert_eq!(told(store, 7).await, expected[7..], "from any place on");
    let events = store.events(2, 1).await.unwrap();
    assert_eq!(events.len(), 1, "no more than asked for");
    assert_eq!((events[0].number, events[0].task_id, events[0].attempt), (3, Some(task.task_id), Some(1)));
    assert_eq!(events[0].agent_id.as_deref(), Some(task.context.agent_id.as_str()));

    assert_eq!(store.last().await.unwrap(), 9);
    let tally = store.tally(2).await.unwrap();
    assert_eq!((tally.last, tally.counts.values().sum::<u64>()), (9, 7));
    assert_eq!(tally.counts[&word(Task, "complete")], 1);
    assert_eq!(store.tally(9).await.unwrap(), Tally { last: 9, ..Tally::default() });
}

async fn a_step_that_is_refused_leaves_no_event(store: &(impl Swarm + Events)) {
    started(store).await;
    store.enqueue(&[task()]).await.unwrap();
    let leased = store.claim("w", at(1), at(60), &NO_LIMITS).await.unwrap().unwrap();
    let made = result(&leased.task);
    store.finish(&leased.lease, &made).await.unwrap();
    let before = told(store, 0).await;

    let refused = store.decide(&decision(&made, Verdict::Reject), &Consequence::Publish(post(&made))).await;

    assert!(refused.is_err());
    assert_eq!(told(store, 0).await, before);
}

async fn what_is_open_is_counted_and_what_has_ended_is_not(store: &(impl Swarm + Events)) {
    started(store).await;
    let (first, second) = (task(), task());
    store.enqueue(&[first.clone(), second]).await.unwrap();
    let standing = store.standing().await.unwrap();
    assert_eq!(standing.tasks.get("pending"), Some(&2));
    assert_eq!(standing.oldest_ready_at, Some(first.created_at.0));
    assert_eq!(standing.campaigns.get("running"), Some(&1));

    let leased = store.claim("w", at(1), at(60), &NO_LIMITS).await.unwrap().unwrap();
    let made = result(&leased.task);
    store.finish(&leased.lease, &made).await.unwrap();
    store.decide(&decision(&made, Verdict::Approve), &Consequence::Publish(post(&made))).await.unwrap();

    let standing = store.standing().await.unwrap();
    assert_eq!(standing.tasks.into_iter().collect::<Vec<_>>(), [("pending".to_owned(), 1)]);
    assert_eq!((standing.posts, standing.reviews, standing.oldest_review_at), (1, 0, None));
}
