//! What every `Tasks` holds to.

use super::samples::{CAMPAIGN, at, decision, goal, result, task, task_after};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        decision::Verdict,
        task::{AgentTask, Priority, TaskContext, TaskStatus},
    },
    ports::swarm::{Campaigns, Consequence, Judgements, LeaseError, LeasedTask, Tasks},
};
use std::collections::BTreeSet;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Campaigns + Tasks + Judgements>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    the_most_urgent_task_is_claimed_first_then_the_oldest(&store).await;
    let (_guard, store) = fresh();
    a_task_is_claimed_only_when_all_it_depends_on_is_complete(&store).await;
    let (_guard, store) = fresh();
    tasks_enqueued_twice_are_queued_once_and_unknown_dependencies_queue_none(&store).await;
    let (_guard, store) = fresh();
    a_lease_that_ran_out_goes_to_the_next_worker_and_the_first_can_no_longer_write(&store).await;
    let (_guard, store) = fresh();
    a_lease_that_ran_out_still_counts_while_nobody_took_the_task(&store).await;
    let (_guard, store) = fresh();
    finishing_twice_changes_nothing(&store).await;
    let (_guard, store) = fresh();
    a_failed_task_comes_back_with_the_reason_until_its_attempts_are_used_up(&store).await;
    let (_guard, store) = fresh();
    what_depends_on_a_failed_task_never_runs(&store).await;
    let (_guard, store) = fresh();
    of_many_workers_each_task_is_leased_by_one(&store).await;
}

const ATTEMPTS_MAX: u32 = 2;

async fn the_most_urgent_task_is_claimed_first_then_the_oldest(store: &(impl Campaigns + Tasks)) {
    let queued = |priority, seconds| AgentTask { priority, created_at: UtcTime(at(seconds)), ..task() };
    let tasks = [
        queued(Priority::Low, 0),
        queued(Priority::Medium, 2),
        queued(Priority::High, 5),
        queued(Priority::Medium, 1),
        queued(Priority::High, 4),
        queued(Priority::High, 4),
    ];
    enqueue(store, &tasks).await;

    let mut claimed = Vec::new();
    while let Some(leased) = claim(store, "worker-1").await {
        claimed.push(leased.task.task_id);
    }

    let expected: Vec<UuidV4> = [4, 5, 2, 3, 1, 0].into_iter().map(|place: usize| tasks[place].task_id).collect();
    assert_eq!(claimed, expected);
}

async fn a_task_is_claimed_only_when_all_it_depends_on_is_complete(store: &(impl Campaigns + Tasks + Judgements)) {
    let (first, second) = (task(), task());
    let both = AgentTask { priority: Priority::High, ..task_after(&[&first, &second]) };
    enqueue(store, &[both.clone(), first.clone(), second.clone()]).await;

    for expected in [&first, &second] {
        let leased = claim(store, "worker-1").await.unwrap();
        assert_eq!(leased.task.task_id, expected.task_id);
        approve(store, &leased).await;
    }
    let last = claim(store, "worker-1").await.unwrap();

    assert_eq!(last.task.task_id, both.task_id);
    assert_eq!(claim(store, "worker-1").await, None);
    // A plan may also build on what is complete already.
    let later = task_after(&[&first]);
    store.enqueue(std::slice::from_ref(&later)).await.unwrap();
    assert_eq!(claim(store, "worker-1").await.unwrap().task.task_id, later.task_id);
}

async fn tasks_enqueued_twice_are_queued_once_and_unknown_dependencies_queue_none(store: &(impl Campaigns + Tasks)) {
    let first = task();
    enqueue(store, std::slice::from_ref(&first)).await;
    let leased = claim(store, "worker-1").await.unwrap();

    store.enqueue(&[AgentTask { attempt: 9, ..first.clone() }]).await.unwrap();
    let unknown = store.enqueue(&[task(), task_after(&[&task()])]).await;
    let elsewhere =
        store.enqueue(&[AgentTask { context: TaskContext { campaign_id: "nowhere".to_owned(), ..task().context }, ..task() }]).await;

    assert!(unknown.is_err() && elsewhere.is_err());
    assert_eq!(store.of_campaign(CAMPAIGN).await.unwrap(), [leased.task]);
    assert_eq!(claim(store, "worker-1").await, None);
}

async fn a_lease_that_ran_out_goes_to_the_next_worker_and_the_first_can_no_longer_write(store: &(impl Campaigns + Tasks + Judgements)) {
    enqueue(store, &[task()]).await;
    let first = store.claim("worker-1", at(0), at(10)).await.unwrap().unwrap();

    assert_eq!(store.claim("worker-2", at(10), at(20)).await.unwrap(), None);
    let second = store.claim("worker-2", at(11), at(20)).await.unwrap().unwrap();
    let late = store.finish(&first.lease, &result(&first.task)).await;
    let late_failure = store.fail(&first.lease, "too late", ATTEMPTS_MAX, at(12)).await;
    store.finish(&second.lease, &result(&second.task)).await.unwrap();

    assert!(matches!(late, Err(LeaseError::LeaseLost)));
    assert!(matches!(late_failure, Err(LeaseError::LeaseLost)));
    assert!(second.lease.lease_no > first.lease.lease_no);
    assert_eq!(second.task.assigned_worker_id.as_deref(), Some("worker-2"));
    assert_eq!(second.task.status, TaskStatus::InProgress);
    assert_eq!(Judgements::of_campaign(store, CAMPAIGN).await.unwrap().results.len(), 1);
}

async fn a_lease_that_ran_out_still_counts_while_nobody_took_the_task(store: &(impl Campaigns + Tasks)) {
    enqueue(store, &[task()]).await;
    let leased = store.claim("worker-1", at(0), at(10)).await.unwrap().unwrap();

    store.finish(&leased.lease, &result(&leased.task)).await.unwrap();

    assert_eq!(store.claim("worker-2", at(1000), at(2000)).await.unwrap(), None);
}

async fn finishing_twice_changes_nothing(store: &(impl Campaigns + Tasks + Judgements)) {
    enqueue(store, &[task()]).await;
    let leased = claim(store, "worker-1").await.unwrap();
    let made = result(&leased.task);

    store.finish(&leased.lease, &made).await.unwrap();
    store.finish(&leased.lease, &made).await.unwrap();
    let another = store.finish(&leased.lease, &result(&leased.task)).await;

    assert!(matches!(another, Err(LeaseError::LeaseLost)));
    assert_eq!(Judgements::of_campaign(store, CAMPAIGN).await.unwrap().results, [made]);
    assert_eq!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap()[0].status, TaskStatus::Review);
}

async fn a_failed_task_comes_back_with_the_reason_until_its_attempts_are_used_up(store: &(impl Campaigns + Tasks + Judgements)) {
    let queued = task();
    enqueue(store, std::slice::from_ref(&queued)).await;

    let first = claim(store, "worker-1").await.unwrap();
    store.fail(&first.lease, "no source", ATTEMPTS_MAX, at(5)).await.unwrap();
    let waiting = Tasks::of_campaign(store, CAMPAIGN).await.unwrap();
    let second = claim(store, "worker-2").await.unwrap();
    store.fail(&second.lease, "still no source", ATTEMPTS_MAX, at(6)).await.unwrap();

    assert_eq!(waiting, [AgentTask { attempt: 2, feedback: Some("no source".to_owned()), ..queued.clone() }]);
    assert_eq!((second.task.attempt, second.task.feedback.as_deref()), (2, Some("no source")));
    assert_eq!(claim(store, "worker-1").await, None);
    assert_eq!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap()[0].status, TaskStatus::Complete);
    let decisions = Judgements::of_campaign(store, CAMPAIGN).await.unwrap().decisions;
    let [rejection] = decisions.as_slice() else { panic!("{decisions:?}") };
    assert_eq!((rejection.task_id, rejection.decision, rejection.result_id), (queued.task_id, Verdict::Reject, None));
    assert_eq!((rejection.reason.as_str(), rejection.created_at), ("still no source", UtcTime(at(6))));
}

async fn what_depends_on_a_failed_task_never_runs(store: &(impl Campaigns + Tasks + Judgements)) {
    let (payment, free) = (AgentTask { priority: Priority::High, ..task() }, task());
    let thanks = task_after(&[&payment, &free]);
    let report = task_after(&[&thanks]);
    enqueue(store, &[payment.clone(), free.clone(), thanks.clone(), report.clone()]).await;

    let leased = claim(store, "worker-1").await.unwrap();
    store.fail(&leased.lease, "no money", 1, at(5)).await.unwrap();
    let added_later = task_after(&[&report]);
    store.enqueue(std::slice::from_ref(&added_later)).await.unwrap();

    let runs = claim(store, "worker-1").await.unwrap();
    assert_eq!(runs.task.task_id, free.task_id);
    approve(store, &runs).await;
    assert_eq!(claim(store, "worker-1").await, None);
    let record = Judgements::of_campaign(store, CAMPAIGN).await.unwrap();
    let rejected: BTreeSet<UuidV4> =
        record.decisions.iter().filter(|made| made.decision == Verdict::Reject).map(|made| made.task_id).collect();
    assert_eq!(rejected, BTreeSet::from([payment.task_id, thanks.task_id, report.task_id, added_later.task_id]));
    assert!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap().iter().all(|task| task.status == TaskStatus::Complete));
}

async fn of_many_workers_each_task_is_leased_by_one(store: &(impl Campaigns + Tasks)) {
    let tasks: Vec<AgentTask> = std::iter::repeat_with(task).take(40).collect();
    enqueue(store, &tasks).await;

    let workers = futures::future::join_all((0..64).map(|_| claim(store, "worker"))).await;

    let leased: Vec<UuidV4> = workers.into_iter().flatten().map(|leased| leased.task.task_id).collect();
    assert_eq!(leased.len(), tasks.len());
    assert_eq!(leased.iter().collect::<BTreeSet<_>>(), tasks.iter().map(|task| &task.task_id).collect());
}

async fn enqueue(store: &(impl Campaigns + Tasks), tasks: &[AgentTask]) {
    store.create(&goal(CAMPAIGN)).await.unwrap();
    store.enqueue(tasks).await.unwrap();
}

async fn claim(store: &impl Tasks, worker_id: &str) -> Option<LeasedTask> {
    store.claim(worker_id, at(0), at(10)).await.unwrap()
}

async fn approve(store: &(impl Tasks + Judgements), leased: &LeasedTask) {
    let made = result(&leased.task);
    store.finish(&leased.lease, &made).await.unwrap();
    store.decide(&decision(&made, Verdict::Approve), &Consequence::Complete).await.unwrap();
}
