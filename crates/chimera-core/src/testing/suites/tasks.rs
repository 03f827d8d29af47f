//! What every `Tasks` holds to.

use super::samples::{CAMPAIGN, NO_LIMITS, at, decision, film, goal, paused, result, started, task, task_after};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        decision::Verdict,
        review::{ReviewAction, ReviewAnswer, ReviewItem},
        task::{AgentTask, Priority, TaskContext, TaskStatus},
    },
    domain::{
        campaign::{CampaignEvent, Pause},
        freeze::FreezeScope,
    },
    ports::swarm::{
        Campaigns, ClaimLimits, Consequence, EnqueueError, Judgements, LeaseError, LeasedTask, Pauses, PersonsWord, Replan, Replanning,
        ReviewOutcome, Reviews, TaskFailure, Tasks,
    },
};
use std::collections::BTreeSet;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Campaigns + Tasks + Replanning + Judgements + Reviews + Pauses>(fresh: impl Fn() -> (Guard, Store)) {
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
    what_depends_on_a_task_that_was_given_up_never_runs(&store).await;
    let (_guard, store) = fresh();
    a_failed_film_that_cannot_be_paid_again_is_not_tried_again_whoever_asks(&store).await;
    let (_guard, store) = fresh();
    what_a_person_refused_is_given_up_and_nobody_is_asked_again(&store).await;
    let (_guard, store) = fresh();
    a_story_is_known_to_be_told_by_an_agent_in_another_campaign(&store).await;
    let (_guard, store) = fresh();
    of_many_workers_each_task_is_leased_by_one(&store).await;
    let (_guard, store) = fresh();
    a_failed_task_waits_for_its_time(&store).await;
    let (_guard, store) = fresh();
    a_lease_is_renewed_and_handed_back_by_its_holder_alone(&store).await;
    let (_guard, store) = fresh();
    limits_hold_for_each_agent_and_for_all(&store).await;
    let (_guard, store) = fresh();
    nothing_of_a_paused_agent_or_fleet_is_claimed(&store).await;
    let (_guard, store) = fresh();
    a_paused_campaign_gives_its_tasks_back_and_a_resumed_one_gets_them_again(&store).await;
    let (_guard, store) = fresh();
    what_was_in_progress_when_the_campaign_paused_does_not_run_again_before_it_goes_on(&store).await;
    let (_guard, store) = fresh();
    a_plan_against_another_state_is_refused_and_one_for_a_draft_waits(&store).await;
    let (_guard, store) = fresh();
    what_the_planner_prunes_never_runs_and_another_goal_is_told(&store).await;
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
    assert!(!store.has_any(&[first.task_id]).await.unwrap());
    enqueue(store, std::slice::from_ref(&first)).await;
    let leased = claim(store, "worker-1").await.unwrap();

    store.enqueue(&[AgentTask { attempt: 9, ..first.clone() }]).await.unwrap();
    let again = store.enqueue(std::slice::from_ref(&first)).await.unwrap();
    let unknown = store.enqueue(&[task(), task_after(&[&task()])]).await;
    let elsewhere =
        store.enqueue(&[AgentTask { context: TaskContext { campaign_id: "nowhere".to_owned(), ..task().context }, ..task() }]).await;

    assert_eq!(again, 0);
    assert!(store.has_any(&[task().task_id, first.task_id]).await.unwrap() && !store.has_any(&[task().task_id]).await.unwrap());
    assert!(unknown.is_err() && elsewhere.is_err());
    assert_eq!(store.of_campaign(CAMPAIGN).await.unwrap(), [leased.task]);
    assert_eq!(claim(store, "worker-1").await, None);
}

async fn a_lease_that_ran_out_goes_to_the_next_worker_and_the_first_can_no_longer_write(store: &(impl Campaigns + Tasks + Judgements)) {
    enqueue(store, &[task()]).await;
    let first = store.claim("worker-1", at(0), at(10), &NO_LIMITS).await.unwrap().unwrap();

    assert_eq!(store.claim("worker-2", at(10), at(20), &NO_LIMITS).await.unwrap(), None);
    let second = store.claim("worker-2", at(11), at(20), &NO_LIMITS).await.unwrap().unwrap();
    let late = store.finish(&first.lease, &result(&first.task)).await;
    let late_failure = store.fail(&first.lease, &failure("too late", ATTEMPTS_MAX, 12)).await;
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
    let leased = store.claim("worker-1", at(0), at(10), &NO_LIMITS).await.unwrap().unwrap();

    store.finish(&leased.lease, &result(&leased.task)).await.unwrap();

    assert_eq!(store.claim("worker-2", at(1000), at(2000), &NO_LIMITS).await.unwrap(), None);
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
    store.fail(&first.lease, &failure("no source", ATTEMPTS_MAX, 5)).await.unwrap();
    let waiting = Tasks::of_campaign(store, CAMPAIGN).await.unwrap();
    let second = claim(store, "worker-2").await.unwrap();
    store.fail(&second.lease, &failure("still no source", ATTEMPTS_MAX, 6)).await.unwrap();

    assert_eq!(waiting, [AgentTask { attempt: 2, feedback: Some("no source".to_owned()), ..queued.clone() }]);
    assert_eq!((second.task.attempt, second.task.feedback.as_deref()), (2, Some("no source")));
    assert_eq!(claim(store, "worker-1").await, None);
    assert_eq!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap()[0].status, TaskStatus::Review, "a person is told");
    let asked = store.pending_reviews().await.unwrap();
    assert_eq!(asked.iter().map(|review| review.task_id).collect::<Vec<_>>(), [queued.task_id]);
    let decisions = Judgements::of_campaign(store, CAMPAIGN).await.unwrap().decisions;
    let [rejection] = decisions.as_slice() else { panic!("{decisions:?}") };
    assert_eq!((rejection.task_id, rejection.decision, rejection.result_id), (queued.task_id, Verdict::Reject, None));
    assert_eq!((rejection.reason.as_str(), rejection.created_at), ("still no source", UtcTime(at(6))));
}

async fn what_a_person_refused_is_given_up_and_nobody_is_asked_again(store: &(impl Campaigns + Tasks + Judgements)) {
    let payment = task();
    enqueue(store, &[payment.clone(), task_after(&[&payment])]).await;
    let leased = claim(store, "worker-1").await.unwrap();

    store.fail(&leased.lease, &TaskFailure { is_refused: true, ..failure("a person declined it", 1, 5) }).await.unwrap();

    assert_eq!(store.pending_reviews().await.unwrap(), []);
    assert!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap().iter().all(|task| task.status == TaskStatus::Complete));
}

async fn a_failed_film_that_cannot_be_paid_again_is_not_tried_again_whoever_asks(store: &(impl Campaigns + Tasks + Judgements + Reviews)) {
    let mut small = goal(CAMPAIGN);
    small.budget_constraints.insert("media_micro_usd_max".to_owned(), 100.into());
    store.create(&small, &[]).await.unwrap();
    enqueue(store, &[film(40)]).await;

    for seconds in [5, 6] {
        let leased = claim(store, "worker-1").await.unwrap();
        store.fail(&leased.lease, &failure("no answer", 9, seconds)).await.unwrap();
    }

    assert_eq!(claim(store, "worker-1").await, None);
    let decisions = Judgements::of_campaign(store, CAMPAIGN).await.unwrap().decisions;
    let [rejection] = decisions.as_slice() else { panic!("{decisions:?}") };
    assert_eq!(rejection.reason, "no answer; 80 of 100 micro-USD for media are used up, and another attempt takes 40");
    let asked = store.pending_reviews().await.unwrap().remove(0);
    let again = store.answer(&answer_to(&asked, ReviewAction::Approve), &PersonsWord::TryAgain).await.unwrap();
    assert!(matches!(again, ReviewOutcome::CannotTryAgain { .. }), "{again:?}");
    assert_eq!(store.pending_reviews().await.unwrap(), [asked], "it is still to be decided");
    assert_eq!(claim(store, "worker-1").await, None);
    assert_eq!(store.used(CAMPAIGN).await.unwrap().media_micro_usd, 80);
}

async fn what_depends_on_a_task_that_was_given_up_never_runs(store: &(impl Campaigns + Tasks + Judgements + Reviews)) {
    let (payment, free) = (AgentTask { priority: Priority::High, ..task() }, task());
    let thanks = task_after(&[&payment, &free]);
    let report = task_after(&[&thanks]);
    enqueue(store, &[payment.clone(), free.clone(), thanks.clone(), report.clone()]).await;

    let leased = claim(store, "worker-1").await.unwrap();
    store.fail(&leased.lease, &failure("no money", 1, 5)).await.unwrap();
    let asked = store.pending_reviews().await.unwrap().remove(0);
    store.answer(&answer_to(&asked, ReviewAction::Reject), &PersonsWord::GiveUp { lesson: None }).await.unwrap();
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

async fn a_story_is_known_to_be_told_by_an_agent_in_another_campaign(store: &(impl Campaigns + Tasks + Judgements + Reviews)) {
    let about = |story: &str, campaign: &str, agent: &str| {
        let told = task();
        let context = TaskContext { campaign_id: campaign.to_owned(), agent_id: agent.to_owned(), ..told.context.clone() };
        AgentTask { task_id: UuidV4::named_in(story, &[campaign, agent]), context, ..told }
    };
    let first = about("flood", CAMPAIGN, "selam");
    enqueue(store, std::slice::from_ref(&first)).await;

    assert!(store.is_told_elsewhere(&about("flood", "another", "selam")).await.unwrap());
    for other in [&first, &about("flood", "another", "tariku"), &about("bread", "another", "selam")] {
        assert!(!store.is_told_elsewhere(other).await.unwrap(), "{other:?}");
    }
    let on_another_platform = |mut task: AgentTask| {
        task.acceptance_criteria.as_mut().unwrap().platform = "tiktok".to_owned();
        task
    };
    assert!(!store.is_told_elsewhere(&on_another_platform(about("flood", "another", "selam"))).await.unwrap(), "once on each platform");
    // As a plan of before has it, whose one post of the story stands on a platform that has an id of its own now.
    let moved = AgentTask { task_id: UuidV4::named_in("flood", &[CAMPAIGN, "selam", "elsewhere"]), ..first.clone() };
    assert!(store.is_told_elsewhere(&moved).await.unwrap());
    assert!(!store.is_told_elsewhere(&on_another_platform(moved)).await.unwrap());
    let leased = claim(store, "worker-1").await.unwrap();
    store.fail(&leased.lease, &failure("no source", 1, 5)).await.unwrap();
    let asked = store.pending_reviews().await.unwrap().remove(0);
    store.answer(&answer_to(&asked, ReviewAction::Reject), &PersonsWord::GiveUp { lesson: None }).await.unwrap();
    assert!(!store.is_told_elsewhere(&about("flood", "another", "selam")).await.unwrap(), "what was given up is told by nobody");
}

fn answer_to(asked: &ReviewItem, action: ReviewAction) -> ReviewAnswer {
    ReviewAnswer {
        review_id: asked.review_id,
        action,
        reason: None,
        edited_artifact: None,
        give_up: false,
        confirmed_address: None,
        found: None,
        reviewer_id: "hanna".to_owned(),
        reviewed_at: UtcTime(at(6)),
    }
}

async fn of_many_workers_each_task_is_leased_by_one(store: &(impl Campaigns + Tasks)) {
    let tasks: Vec<AgentTask> = std::iter::repeat_with(task).take(40).collect();
    enqueue(store, &tasks).await;

    let workers = futures::future::join_all((0..64).map(|_| claim(store, "worker"))).await;

    let leased: Vec<UuidV4> = workers.into_iter().flatten().map(|leased| leased.task.task_id).collect();
    assert_eq!(leased.len(), tasks.len());
    assert_eq!(leased.iter().collect::<BTreeSet<_>>(), tasks.iter().map(|task| &task.task_id).collect());
}

async fn a_failed_task_waits_for_its_time(store: &(impl Campaigns + Tasks)) {
    enqueue(store, &[task()]).await;
    let leased = claim(store, "worker-1").await.unwrap();

    store.fail(&leased.lease, &TaskFailure { again_at: at(60), ..failure("no source", ATTEMPTS_MAX, 5) }).await.unwrap();

    assert_eq!(store.claim("worker-1", at(59), at(90), &NO_LIMITS).await.unwrap(), None);
    assert!(store.claim("worker-1", at(60), at(90), &NO_LIMITS).await.unwrap().is_some());
}

async fn a_lease_is_renewed_and_handed_back_by_its_holder_alone(store: &(impl Campaigns + Tasks)) {
    let queued = task();
    enqueue(store, std::slice::from_ref(&queued)).await;
    let first = store.claim("worker-1", at(0), at(10), &NO_LIMITS).await.unwrap().unwrap();

    store.renew(&first.lease, at(20)).await.unwrap();
    assert_eq!(store.claim("worker-2", at(15), at(30), &NO_LIMITS).await.unwrap(), None);
    let second = store.claim("worker-2", at(21), at(30), &NO_LIMITS).await.unwrap().unwrap();
    assert!(matches!(store.renew(&first.lease, at(99)).await, Err(LeaseError::LeaseLost)));
    assert!(matches!(store.release(&first.lease).await, Err(LeaseError::LeaseLost)));
    store.release(&second.lease).await.unwrap();

    assert_eq!(store.of_campaign(CAMPAIGN).await.unwrap(), [queued]);
    assert!(matches!(store.finish(&second.lease, &result(&second.task)).await, Err(LeaseError::LeaseLost)));
    assert!(claim(store, "worker-3").await.is_some());
}

fn of_agent(agent_id: &str) -> AgentTask {
    let mut task = task();
    task.context.agent_id = agent_id.to_owned();
    task
}

async fn limits_hold_for_each_agent_and_for_all(store: &(impl Campaigns + Tasks)) {
    let tasks: Vec<AgentTask> = ["a", "a", "a", "b", "c"].map(of_agent).to_vec();
    enqueue(store, &tasks).await;
    let limits = ClaimLimits { per_agent_max: 2, overall_max: 4 };

    let mut agents = Vec::new();
    let mut leases = Vec::new();
    while let Some(leased) = store.claim("worker-1", at(0), at(10), &limits).await.unwrap() {
        agents.push(leased.task.context.agent_id.clone());
        leases.push(leased);
    }
    assert_eq!(agents, ["a", "a", "b", "c"]);

    store.finish(&leases[3].lease, &result(&leases[3].task)).await.unwrap();
    assert_eq!(store.claim("worker-1", at(0), at(10), &limits).await.unwrap(), None, "its agent is busy still");
    store.finish(&leases[0].lease, &result(&leases[0].task)).await.unwrap();
    assert_eq!(store.claim("worker-1", at(0), at(10), &limits).await.unwrap().unwrap().task.task_id, tasks[2].task_id);
}

fn stop(scope: FreezeScope) -> Pause {
    Pause { scope, reason: "an odd tone".to_owned(), by: "hanna".to_owned(), at: at(1) }
}

async fn nothing_of_a_paused_agent_or_fleet_is_claimed(store: &(impl Campaigns + Tasks + Pauses)) {
    enqueue(store, &[of_agent("a"), of_agent("b")]).await;
    let agent_a = FreezeScope::Agent("a".parse().unwrap());

    store.pause(&stop(agent_a.clone())).await.unwrap();
    store.enqueue(&[AgentTask { priority: Priority::High, ..of_agent("a") }]).await.unwrap();
    assert_eq!(claim(store, "worker-1").await.unwrap().task.context.agent_id, "b");
    assert_eq!(claim(store, "worker-1").await, None);

    store.pause(&stop(FreezeScope::Fleet)).await.unwrap();
    assert!(store.resume(&agent_a).await.unwrap());
    assert!(!store.resume(&agent_a).await.unwrap());
    assert_eq!(claim(store, "worker-1").await, None);
    assert_eq!(store.pauses().await.unwrap(), [stop(FreezeScope::Fleet)]);

    assert!(store.resume(&FreezeScope::Fleet).await.unwrap());
    assert_eq!(claim(store, "worker-1").await.unwrap().task.priority, Priority::High);
    assert_eq!(claim(store, "worker-1").await.unwrap().task.context.agent_id, "a");
}

async fn a_paused_campaign_gives_its_tasks_back_and_a_resumed_one_gets_them_again(store: &(impl Campaigns + Tasks + Replanning)) {
    let queued = task();
    enqueue(store, std::slice::from_ref(&queued)).await;

    store.change(CAMPAIGN, &paused(), at(1)).await.unwrap();
    assert_eq!(claim(store, "worker-1").await, None);
    assert_eq!(store.returned(10).await.unwrap(), [], "nobody plans for a campaign that stands still");

    store.change(CAMPAIGN, &CampaignEvent::Resume, at(2)).await.unwrap();
    let returned = store.returned(10).await.unwrap();
    assert_eq!(returned.iter().map(|back| (back.task.task_id, back.goal_changed)).collect::<Vec<_>>(), [(queued.task_id, false)]);
    store.replan(queued.task_id, &Replan::Rearm, at(3)).await.unwrap();
    store.replan(queued.task_id, &Replan::Prune { reason: "too late".to_owned() }, at(4)).await.unwrap();

    let again = claim(store, "worker-1").await.unwrap().task;
    assert_eq!((again.attempt, again.state_version), (1, 2));
}

async fn what_was_in_progress_when_the_campaign_paused_does_not_run_again_before_it_goes_on(store: &(impl Campaigns + Tasks + Replanning)) {
    enqueue(store, &[task(), task(), task()]).await;
    let [fails, lost, stops] = [claim(store, "w").await.unwrap(), claim(store, "w").await.unwrap(), claim(store, "w").await.unwrap()];

    store.change(CAMPAIGN, &paused(), at(1)).await.unwrap();
    store.fail(&fails.lease, &failure("no source", ATTEMPTS_MAX, 5)).await.unwrap();
    store.release(&stops.lease).await.unwrap();
    assert_eq!(store.claim("w", at(100), at(110), &NO_LIMITS).await.unwrap(), None);
    store.change(CAMPAIGN, &CampaignEvent::Resume, at(101)).await.unwrap();

    let returned: BTreeSet<(UuidV4, u32)> =
        store.returned(10).await.unwrap().iter().map(|back| (back.task.task_id, back.task.attempt)).collect();
    assert_eq!(returned, BTreeSet::from([(fails.task.task_id, 2), (lost.task.task_id, 1), (stops.task.task_id, 1)]));
}

async fn a_plan_against_another_state_is_refused_and_one_for_a_draft_waits(store: &(impl Campaigns + Tasks + Replanning)) {
    store.create(&goal(CAMPAIGN), &[]).await.unwrap();

    let stale = store.enqueue(&[task(), AgentTask { state_version: 7, ..task() }]).await;
    store.enqueue(&[task()]).await.unwrap();

    assert!(matches!(stale, Err(EnqueueError::StateMoved { planned: 7, now: 1, .. })));
    assert_eq!(store.of_campaign(CAMPAIGN).await.unwrap().len(), 1);
    assert_eq!(claim(store, "worker-1").await, None);
    store.change(CAMPAIGN, &CampaignEvent::Start, at(1)).await.unwrap();
    assert_eq!(store.returned(10).await.unwrap().len(), 1);
}

async fn what_the_planner_prunes_never_runs_and_another_goal_is_told(store: &(impl Campaigns + Tasks + Replanning + Judgements)) {
    let first = task();
    let second = task_after(&[&first]);
    enqueue(store, &[first.clone(), second.clone()]).await;

    store.change(CAMPAIGN, &CampaignEvent::ChangeGoal { goal_description: "sell tea".to_owned() }, at(1)).await.unwrap();
    let returned = store.returned(10).await.unwrap();
    assert!(returned.len() == 2 && returned.iter().all(|back| back.goal_changed), "{returned:?}");
    store.replan(first.task_id, &Replan::Prune { reason: "another goal".to_owned() }, at(2)).await.unwrap();

    assert_eq!(store.returned(10).await.unwrap(), []);
    assert_eq!(claim(store, "worker-1").await, None);
    assert!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap().iter().all(|task| task.status == TaskStatus::Complete));
    let decisions = Judgements::of_campaign(store, CAMPAIGN).await.unwrap().decisions;
    let rejected: Vec<(UuidV4, &str)> = decisions.iter().map(|made| (made.task_id, made.reason.as_str())).collect();
    assert_eq!((rejected[0], rejected[1].0), ((first.task_id, "another goal"), second.task_id));
}

async fn enqueue(store: &(impl Campaigns + Tasks), tasks: &[AgentTask]) {
    started(store).await;
    store.enqueue(tasks).await.unwrap();
}

fn failure(reason: &str, attempts_max: u32, seconds: i64) -> TaskFailure {
    TaskFailure { reason: reason.to_owned(), is_refused: false, attempts_max, again_at: at(seconds), now: at(seconds) }
}

async fn claim(store: &impl Tasks, worker_id: &str) -> Option<LeasedTask> {
    store.claim(worker_id, at(0), at(10), &NO_LIMITS).await.unwrap()
}

async fn approve(store: &(impl Tasks + Judgements), leased: &LeasedTask) {
    let made = result(&leased.task);
    store.finish(&leased.lease, &made).await.unwrap();
    store.decide(&decision(&made, Verdict::Approve), &Consequence::Complete).await.unwrap();
}
