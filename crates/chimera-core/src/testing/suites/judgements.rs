//! What every `Judgements` holds to.

use super::samples::{CAMPAIGN, NO_LIMITS, at, decision, film, goal, in_review, paused, post, result, review, task, task_after};
use crate::{
    contracts::{
        UuidV4,
        decision::{JudgeDecision, Verdict},
        result::WorkerResult,
        task::{AgentTask, TaskStatus},
    },
    domain::campaign::{CampaignEvent, CampaignStatus},
    ports::swarm::{CampaignRecord, Campaigns, Consequence, DecideError, Judgements, Outbox, Pauses, Post, Replan, Replanning, Tasks},
};

/// All that a decision can touch.
pub trait Swarm: Campaigns + Tasks + Replanning + Judgements + Outbox + Pauses {}
impl<Store: Campaigns + Tasks + Replanning + Judgements + Outbox + Pauses> Swarm for Store {}

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Swarm>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    results_wait_for_a_decision_oldest_first(&store).await;
    let (_guard, store) = fresh();
    an_approved_post_waits_in_the_outbox_and_its_task_is_complete(&store).await;
    let (_guard, store) = fresh();
    a_result_is_decided_once(&store).await;
    let (_guard, store) = fresh();
    a_retried_task_comes_back_with_feedback(&store).await;
    let (_guard, store) = fresh();
    an_escalated_task_waits_for_a_person(&store).await;
    let (_guard, store) = fresh();
    a_result_for_a_campaign_that_moved_cannot_be_decided_but_sent_back(&store).await;
    let (_guard, store) = fresh();
    what_has_happened_is_recorded_in_every_state(&store).await;
    let (_guard, store) = fresh();
    posts_beyond_the_budget_are_not_committed(&store).await;
    let (_guard, store) = fresh();
    another_attempt_that_cannot_be_paid_is_not_made(&store).await;
    let (_guard, store) = fresh();
    nothing_is_published_without_an_approval_of_that_very_result(&store).await;
    let (_guard, store) = fresh();
    a_task_given_up_takes_what_depends_on_it_along(&store).await;
    let (_guard, store) = fresh();
    a_decision_without_a_result_is_recorded_once_and_moves_no_task(&store).await;
}

async fn results_wait_for_a_decision_oldest_first(store: &impl Swarm) {
    let results = in_review(store, &[task(), task(), task()]).await;

    let waiting = store.undecided(2).await.unwrap();
    store.decide(&decision(&results[0], Verdict::Approve), &Consequence::Complete).await.unwrap();

    assert_eq!(waiting.iter().map(|(_, made)| made.clone()).collect::<Vec<_>>(), results[..2]);
    assert!(waiting.iter().all(|(task, made)| task.task_id == made.task_id && task.status == TaskStatus::Review));
    assert_eq!(undecided(store).await, results[1..]);
}

async fn an_approved_post_waits_in_the_outbox_and_its_task_is_complete(store: &impl Swarm) {
    let results = in_review(store, &[task()]).await;
    let (approval, made_post) = (decision(&results[0], Verdict::Approve), post(&results[0]));

    store.decide(&approval, &Consequence::Publish(made_post.clone())).await.unwrap();

    let waiting: Vec<Post> = store.waiting(at(90), 10).await.unwrap().into_iter().map(|outgoing| outgoing.post).collect();
    assert_eq!(waiting, std::slice::from_ref(&made_post));
    assert_eq!(only_task(store).await.status, TaskStatus::Complete);
    let expected = CampaignRecord { results, decisions: vec![approval], reviews: vec![], posts: vec![made_post] };
    assert_eq!(record(store).await, expected);
    assert_eq!(Judgements::of_campaign(store, "elsewhere").await.unwrap(), CampaignRecord::default());
}

async fn a_result_is_decided_once(store: &impl Swarm) {
    let results = in_review(store, &[task()]).await;
    let first = decision(&results[0], Verdict::Escalate);
    let asked = review(&results[0]);
    store.decide(&first, &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();

    store.decide(&first, &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();
    store.decide(&decision(&results[0], Verdict::Approve), &Consequence::Publish(post(&results[0]))).await.unwrap();

    let expected = CampaignRecord { results, decisions: vec![first], reviews: vec![asked], posts: vec![] };
    assert_eq!(record(store).await, expected);
    assert_eq!(store.waiting(at(90), 10).await.unwrap(), []);
    assert_eq!(only_task(store).await.status, TaskStatus::Review);
}

async fn a_retried_task_comes_back_with_feedback(store: &impl Swarm) {
    let queued = task();
    let results = in_review(store, std::slice::from_ref(&queued)).await;

    store.decide(&decision(&results[0], Verdict::Reject), &retry("say less")).await.unwrap();

    assert_eq!(only_task(store).await, AgentTask { attempt: 2, feedback: Some("say less".to_owned()), ..queued });
    assert_eq!(undecided(store).await, []);
    let again = store.claim("worker-2", at(70), at(80), &NO_LIMITS).await.unwrap().unwrap();
    let better = result(&again.task);
    store.finish(&again.lease, &better).await.unwrap();
    assert_eq!(undecided(store).await, [better]);
}

async fn an_escalated_task_waits_for_a_person(store: &impl Swarm) {
    let results = in_review(store, &[task(), task()]).await;
    let asked: Vec<_> = results.iter().map(review).collect();

    for (made, asked) in results.iter().zip(&asked) {
        let consequence = Consequence::AskPerson(Box::new(asked.clone()));
        store.decide(&decision(made, Verdict::Escalate), &consequence).await.unwrap();
    }

    assert_eq!(store.pending_reviews().await.unwrap(), asked);
    assert_eq!(undecided(store).await, []);
    assert!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap().iter().all(|task| task.status == TaskStatus::Review));
    assert_eq!(store.claim("worker-2", at(1000), at(2000), &NO_LIMITS).await.unwrap(), None);
}

async fn a_result_for_a_campaign_that_moved_cannot_be_decided_but_sent_back(store: &impl Swarm) {
    for (moved, status) in [(paused(), CampaignStatus::Paused), (another_goal(), CampaignStatus::Running)] {
        let before = store.find(CAMPAIGN).await.unwrap().map_or(1, |campaign| campaign.state_version);
        let results = in_review(store, &[AgentTask { state_version: before, ..task() }]).await;
        let made = results.last().expect("one is in review");
        store.change(CAMPAIGN, &moved, at(50)).await.unwrap();
        let recorded = record(store).await;

        for (verdict, consequence) in [
            (Verdict::Approve, Consequence::Publish(post(made))),
            (Verdict::Reject, retry("say less")),
            (Verdict::Escalate, Consequence::AskPerson(Box::new(review(made)))),
        ] {
            let error = store.decide(&decision(made, verdict), &consequence).await.unwrap_err();
            let DecideError::StateMoved { planned, now, status: found } = error else { panic!("{consequence:?}: {error:?}") };
            assert_eq!((planned, now, found), (before, before + 1, status), "{consequence:?}");
        }
        assert_eq!(record(store).await, recorded);
        let back = Consequence::Return { reason: "the campaign has moved".to_owned() };
        store.decide(&decision(made, Verdict::Approve), &back).await.unwrap_err();
        store.decide(&decision(made, Verdict::Reject), &back).await.unwrap();

        assert_eq!(undecided(store).await, []);
        if status == CampaignStatus::Paused {
            store.change(CAMPAIGN, &CampaignEvent::Resume, at(51)).await.unwrap();
        }
        let returned = store.returned(10).await.unwrap();
        let [back] = returned.as_slice() else { panic!("{returned:?}") };
        assert_eq!((back.task.task_id, back.reason.as_str()), (made.task_id, "the campaign has moved"));
        assert_eq!(back.goal_changed, status == CampaignStatus::Running);
        store.replan(made.task_id, &Replan::Rearm, at(52)).await.unwrap();
        let again = store.claim("worker-2", at(70), at(80), &NO_LIMITS).await.unwrap().unwrap();
        let better = result(&again.task);
        store.finish(&again.lease, &better).await.unwrap();
        store.decide(&decision(&better, Verdict::Approve), &Consequence::Publish(post(&better))).await.unwrap();
    }
    assert_eq!(store.waiting(at(90), 10).await.unwrap().len(), 2);
}

fn another_goal() -> CampaignEvent {
    CampaignEvent::ChangeGoal { goal_description: "sell tea".to_owned() }
}

/// The campaign may have stopped meanwhile; what was paid is paid.
async fn what_has_happened_is_recorded_in_every_state(store: &impl Swarm) {
    let results = in_review(store, &[task()]).await;
    store.change(CAMPAIGN, &paused(), at(50)).await.unwrap();

    store.decide(&decision(&results[0], Verdict::Approve), &Consequence::Complete).await.unwrap();

    assert_eq!(only_task(store).await.status, TaskStatus::Complete);
}

async fn posts_beyond_the_budget_are_not_committed(store: &impl Swarm) {
    let mut small = goal(CAMPAIGN);
    small.budget_constraints.insert("posts_max".to_owned(), 1.into());
    store.create(&small, &[]).await.unwrap();
    let results = in_review(store, &[task(), task()]).await;

    store.decide(&decision(&results[0], Verdict::Approve), &Consequence::Publish(post(&results[0]))).await.unwrap();
    let second = store.decide(&decision(&results[1], Verdict::Approve), &Consequence::Publish(post(&results[1]))).await;

    assert!(matches!(second, Err(DecideError::BudgetGone(_))), "{second:?}");
    assert_eq!(undecided(store).await, results[1..]);
    assert_eq!(record(store).await.posts.len(), 1);
}

async fn another_attempt_that_cannot_be_paid_is_not_made(store: &impl Swarm) {
    let mut small = goal(CAMPAIGN);
    small.budget_constraints.insert("media_micro_usd_max".to_owned(), 120.into());
    store.create(&small, &[]).await.unwrap();
    let results = in_review(store, &[film(40), film(40)]).await;
    let retry = Consequence::Retry { feedback: "too dark".to_owned() };

    store.decide(&decision(&results[0], Verdict::Reject), &retry).await.unwrap();
    let second = store.decide(&decision(&results[1], Verdict::Reject), &retry).await;

    assert!(matches!(&second, Err(DecideError::BudgetGone(reason)) if reason.starts_with("120 of 120")), "{second:?}");
    assert_eq!(undecided(store).await, results[1..]);
    let asked = Consequence::AskPerson(Box::new(review(&results[1])));
    store.decide(&decision(&results[1], Verdict::Escalate), &asked).await.unwrap();
    assert_eq!(store.used(CAMPAIGN).await.unwrap().media_micro_usd, 120, "nothing was drawn for it");
}

async fn nothing_is_published_without_an_approval_of_that_very_result(store: &impl Swarm) {
    let results = in_review(store, &[task(), task()]).await;
    let (own, other) = (post(&results[0]), post(&results[1]));
    let approval = decision(&results[0], Verdict::Approve);
    let no_result = JudgeDecision { result_id: None, ..approval.clone() };
    let unknown_result = JudgeDecision { result_id: Some(UuidV4::random()), ..approval.clone() };
    let other_task = JudgeDecision { task_id: results[1].task_id, ..approval.clone() };
    let before = record(store).await;

    for (made, published) in [
        (&decision(&results[0], Verdict::Reject), &own),
        (&decision(&results[0], Verdict::Escalate), &own),
        (&approval, &other),
        (&approval, &Post { task_id: results[1].task_id, ..own.clone() }),
        (&no_result, &own),
        (&unknown_result, &own),
        (&other_task, &own),
    ] {
        let outcome = store.decide(made, &Consequence::Publish(published.clone())).await;
        assert!(matches!(outcome, Err(DecideError::Store(_))), "{made:?} {published:?}");
    }

    assert_eq!(record(store).await, before);
    assert_eq!(store.waiting(at(90), 10).await.unwrap(), []);
    assert_eq!(undecided(store).await, results);
}

async fn a_task_given_up_takes_what_depends_on_it_along(store: &impl Swarm) {
    let first = task();
    let second = task_after(&[&first]);
    let results = in_review(store, &[first, second.clone()]).await;

    store.decide(&decision(&results[0], Verdict::Reject), &Consequence::Complete).await.unwrap();

    assert_eq!(store.claim("worker-1", at(70), at(80), &NO_LIMITS).await.unwrap(), None);
    assert!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap().iter().all(|task| task.status == TaskStatus::Complete));
    let rejected: Vec<UuidV4> = record(store).await.decisions.iter().map(|made| made.task_id).collect();
    assert_eq!(rejected, [results[0].task_id, second.task_id]);
}

async fn a_decision_without_a_result_is_recorded_once_and_moves_no_task(store: &impl Swarm) {
    let results = in_review(store, &[task()]).await;
    let from_the_cfo = JudgeDecision { result_id: None, ..decision(&results[0], Verdict::Escalate) };
    let asked = review(&results[0]);

    for _ in 0..2 {
        store.decide(&from_the_cfo, &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();
    }

    let recorded = record(store).await;
    assert_eq!((recorded.decisions, recorded.reviews), (vec![from_the_cfo], vec![asked]));
    assert_eq!(undecided(store).await, results);
    assert_eq!(only_task(store).await.status, TaskStatus::Review);
}

fn retry(feedback: &str) -> Consequence {
    Consequence::Retry { feedback: feedback.to_owned() }
}

async fn undecided(store: &impl Judgements) -> Vec<WorkerResult> {
    store.undecided(100).await.unwrap().into_iter().map(|(_, made)| made).collect()
}

async fn record(store: &impl Judgements) -> CampaignRecord {
    store.of_campaign(CAMPAIGN).await.unwrap()
}

async fn only_task(store: &impl Tasks) -> AgentTask {
    let tasks = store.of_campaign(CAMPAIGN).await.unwrap();
    let [task] = <[AgentTask; 1]>::try_from(tasks).expect("one task");
    task
}
