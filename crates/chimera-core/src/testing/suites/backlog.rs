//! What every `Backlog` holds to.

use super::{
    judgements::Swarm,
    samples::{NO_LIMITS, at, decision, post, result, started, task},
};
use crate::{
    contracts::decision::Verdict,
    ports::swarm::{Backlog, Consequence, role},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Swarm + Backlog>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    work_that_waits_without_a_consumer_is_unattended(&store).await;
}

async fn unattended(store: &impl Backlog) -> Vec<String> {
    store.unattended(at(100), at(130)).await.unwrap()
}

async fn work_that_waits_without_a_consumer_is_unattended(store: &(impl Swarm + Backlog)) {
    started(store).await;
    assert_eq!(unattended(store).await, [""; 0]);

    store.enqueue(&[task()]).await.unwrap();
    assert_eq!(unattended(store).await, [role::WORKER]);
    store.beat(role::WORKER, "w", at(99)).await.unwrap();
    assert_eq!(unattended(store).await, [role::WORKER], "it was seen too long ago");
    store.beat(role::WORKER, "w", at(100)).await.unwrap();
    store.beat(role::WORKER, "w", at(50)).await.unwrap();
    assert_eq!(unattended(store).await, [""; 0]);

    let leased = store.claim("w", at(100), at(200), &NO_LIMITS).await.unwrap().unwrap();
    let made = result(&leased.task);
    store.finish(&leased.lease, &made).await.unwrap();
    assert_eq!(unattended(store).await, [role::JUDGE]);
    store.decide(&decision(&made, Verdict::Approve), &Consequence::Publish(post(&made))).await.unwrap();
    assert_eq!(unattended(store).await, [role::PUBLISHER]);
    store.beat(role::PUBLISHER, "p", at(120)).await.unwrap();
    assert_eq!(unattended(store).await, [""; 0]);
}
