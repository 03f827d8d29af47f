//! What every `Reviews` holds to.

use super::{
    judgements::Swarm,
    samples::{CAMPAIGN, NO_LIMITS, at, decision, film, goal, in_review, paused, post, result, review, started, task, task_after},
};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        decision::{HitlReason, JudgeDecision, Verdict},
        memory_context::MemoryRole,
        result::WorkerResult,
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
        task::{AgentTask, TaskStatus},
    },
    domain::AgentId,
    ports::{
        memories::{Memories, MemoryRecord},
        swarm::{
            AnsweredReview, Consequence, Judgements, LeasedTask, PersonsWord, Post, Replan, ReviewOutcome, Reviews, TaskFailure, Tasks,
        },
    },
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Swarm + Reviews + Memories>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    an_approval_publishes_and_what_it_teaches_is_remembered(&store).await;
    let (_guard, store) = fresh();
    of_two_who_answer_one_wins_and_the_other_is_told(&store).await;
    let (_guard, store) = fresh();
    a_rejection_goes_back_to_the_planner_with_its_reason(&store).await;
    let (_guard, store) = fresh();
    a_rejected_film_that_cannot_be_paid_again_is_given_up(&store).await;
    let (_guard, store) = fresh();
    an_approval_for_a_campaign_that_moved_publishes_nothing(&store).await;
    let (_guard, store) = fresh();
    a_stuck_task_is_tried_again_or_given_up_as_a_person_says(&store).await;
    let (_guard, store) = fresh();
    a_task_that_cannot_be_done_better_asks_about_its_best_result(&store).await;
    let (_guard, store) = fresh();
    what_nobody_decides_expires(&store).await;
    let (_guard, store) = fresh();
    answers_tell_where_the_judge_was_not_sure(&store).await;
}

async fn answers_tell_where_the_judge_was_not_sure(store: &(impl Swarm + Reviews + Memories)) {
    for (hitl_reason, action) in [
        (HitlReason::LowConfidence, ReviewAction::Approve),
        (HitlReason::SensitiveTopic, ReviewAction::Approve),
        (HitlReason::LowConfidence, ReviewAction::Reject),
    ] {
        let made = in_review(store, &[task()]).await.remove(0);
        let asked = review(&made);
        let decision = JudgeDecision { hitl_reason: Some(hitl_reason), ..decision(&made, Verdict::Escalate) };
        store.decide(&decision, &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();
        let word = match action {
            ReviewAction::Reject => PersonsWord::Return { feedback: "no".to_owned(), lesson: None },
            ReviewAction::Approve | ReviewAction::Edit => PersonsWord::Publish { post: post(&made), lesson: None },
        };
        assert_eq!(store.answer(&by("hanna", &asked, action), &word).await.unwrap(), ReviewOutcome::Done);
    }
    let (unanswered, _) = asked(store).await;

    let agent = unanswered.agent_id.parse().unwrap();
    let confidence = unanswered.confidence_score.unwrap();
    let answered = |action| AnsweredReview { agent: AgentId::clone(&agent), confidence, action };
    assert_eq!(store.answers().await.unwrap(), [answered(ReviewAction::Approve), answered(ReviewAction::Reject)]);
}

fn by(reviewer: &str, review: &ReviewItem, action: ReviewAction) -> ReviewAnswer {
    ReviewAnswer {
        review_id: review.review_id,
        action,
        reason: Some("as I see it".to_owned()),
        edited_artifact: None,
        give_up: false,
        confirmed_address: None,
        found: None,
        reviewer_id: reviewer.to_owned(),
        reviewed_at: UtcTime(at(100)),
    }
}

async fn asked(store: &impl Swarm) -> (ReviewItem, Post) {
    asked_about(store, task()).await
}

async fn asked_about(store: &impl Swarm, task: AgentTask) -> (ReviewItem, Post) {
    let made = in_review(store, &[task]).await.remove(0);
    let asked = review(&made);
    store.decide(&decision(&made, Verdict::Escalate), &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();
    (asked, post(&made))
}

async fn an_approval_publishes_and_what_it_teaches_is_remembered(store: &(impl Swarm + Reviews + Memories)) {
    let (asked, mut post) = asked(store).await;
    post.text = "It tastes of lemon.".to_owned();
    let lesson = MemoryRecord {
        id: UuidV4::random(),
        agent: post.agent.clone(),
        at: at(100),
        role: MemoryRole::User,
        content: "Put in: \"lemon\".".to_owned(),
        campaign: None,
        lesson: None,
    };
    let case = store.case(asked.review_id).await.unwrap().unwrap();
    assert_eq!((case.review, case.task.task_id, case.result.unwrap().result_id), (asked.clone(), asked.task_id, post.result_id));

    let word = PersonsWord::Publish { post: post.clone(), lesson: Some(lesson.clone()) };
    let outcome = store.answer(&by("hanna", &asked, ReviewAction::Edit), &word).await.unwrap();

    assert_eq!(outcome, ReviewOutcome::Done);
    assert_eq!(store.waiting(at(200), 10).await.unwrap()[0].post, post);
    assert_eq!(Memories::find(store, &post.agent, lesson.id).await.unwrap(), Some(lesson));
    assert_eq!(store.review(asked.review_id).await.unwrap().unwrap().status, ReviewStatus::Approved);
    assert_eq!(store.answered(asked.review_id).await.unwrap(), Some(by("hanna", &asked, ReviewAction::Edit)));
    let record = Judgements::of_campaign(store, CAMPAIGN).await.unwrap();
    let last = record.decisions.last().unwrap();
    assert_eq!((last.decision, last.reason.as_str()), (Verdict::Approve, "edited and approved by hanna: as I see it"));
    assert_eq!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap()[0].status, TaskStatus::Complete);
}

async fn of_two_who_answer_one_wins_and_the_other_is_told(store: &(impl Swarm + Reviews)) {
    let (asked, post) = asked(store).await;
    let publish = PersonsWord::Publish { post, lesson: None };
    let back = PersonsWord::Return { feedback: "no".to_owned(), lesson: None };
    let (yes, no) = (by("hanna", &asked, ReviewAction::Approve), by("omar", &asked, ReviewAction::Reject));

    let (first, second) = futures::join!(store.answer(&yes, &publish), store.answer(&no, &back));

    let (winner, told) = match (first.unwrap(), second.unwrap()) {
        (ReviewOutcome::Done, told) => ("hanna", told),
        (told, ReviewOutcome::Done) => ("omar", told),
        neither => panic!("{neither:?}"),
    };
    let ReviewOutcome::AlreadyDecided { by, at: when, .. } = told else { panic!("{told:?}") };
    assert_eq!((by.as_deref(), when), (Some(winner), Some(UtcTime(at(100)))));
    assert_eq!(store.waiting(at(200), 10).await.unwrap().len(), usize::from(winner == "hanna"));
}

async fn a_rejection_goes_back_to_the_planner_with_its_reason(store: &(impl Swarm + Reviews)) {
    let (asked, _) = asked(store).await;

    let word = PersonsWord::Return { feedback: "too loud".to_owned(), lesson: None };
    assert_eq!(store.answer(&by("omar", &asked, ReviewAction::Reject), &word).await.unwrap(), ReviewOutcome::Done);

    let returned = store.returned(10).await.unwrap();
    let [back] = returned.as_slice() else { panic!("{returned:?}") };
    assert_eq!((back.task.attempt, back.task.feedback.as_deref()), (2, Some("too loud")));
    assert_eq!((back.reason.as_str(), back.goal_changed), ("rejected by omar", false));
    assert_eq!(store.waiting(at(200), 10).await.unwrap(), []);
    assert_eq!(store.pending_reviews().await.unwrap(), []);
}

async fn a_rejected_film_that_cannot_be_paid_again_is_given_up(store: &(impl Swarm + Reviews)) {
    let mut small = goal(CAMPAIGN);
    small.budget_constraints.insert("media_micro_usd_max".to_owned(), 80.into());
    store.create(&small, &[]).await.unwrap();
    let no = PersonsWord::Return { feedback: "too dark".to_owned(), lesson: None };

    let (first, _) = asked_about(store, film(30)).await;
    assert_eq!(store.answer(&by("hanna", &first, ReviewAction::Reject), &no).await.unwrap(), ReviewOutcome::Done);
    assert_eq!(store.returned(10).await.unwrap().len(), 1, "another attempt comes to 60 of 80");
    let (second, _) = asked_about(store, film(15)).await;
    assert_eq!(store.answer(&by("hanna", &second, ReviewAction::Reject), &no).await.unwrap(), ReviewOutcome::Done);

    assert_eq!(store.returned(10).await.unwrap().len(), 1);
    let given_up = Tasks::of_campaign(store, CAMPAIGN).await.unwrap().remove(1);
    assert_eq!((given_up.task_id, given_up.status, given_up.attempt), (second.task_id, TaskStatus::Complete, 1));
    assert_eq!(store.used(CAMPAIGN).await.unwrap().media_micro_usd, 75, "nothing is counted that is not made");
}

async fn a_stuck_task_is_tried_again_or_given_up_as_a_person_says(store: &(impl Swarm + Reviews)) {
    let first = task();
    let after = task_after(&[&first]);
    enqueue(store, &[first.clone(), after.clone()]).await;
    stuck(store, "no source").await;

    let asked = store.pending_reviews().await.unwrap().remove(0);
    assert_eq!((asked.task_id, &asked.artifact, &asked.transaction), (first.task_id, &None, &None));
    assert!(asked.escalation_reason.contains("no source"), "{}", asked.escalation_reason);
    assert_eq!(store.case(asked.review_id).await.unwrap().unwrap().result, None);
    let publish = PersonsWord::Publish { post: post(&result(&first)), lesson: None };
    assert!(store.answer(&by("hanna", &asked, ReviewAction::Approve), &publish).await.is_err(), "nothing was made");
    let again = store.answer(&by("hanna", &asked, ReviewAction::Approve), &PersonsWord::TryAgain).await.unwrap();
    assert_eq!(again, ReviewOutcome::Done);
    let returned = store.returned(10).await.unwrap();
    assert_eq!(returned.iter().map(|back| (back.task.task_id, back.task.attempt)).collect::<Vec<_>>(), [(first.task_id, 2)]);

    store.replan(first.task_id, &Replan::Rearm, at(101)).await.unwrap();
    stuck(store, "no source again").await;
    let asked = store.pending_reviews().await.unwrap().remove(0);
    let gone = store.answer(&by("hanna", &asked, ReviewAction::Reject), &PersonsWord::GiveUp { lesson: None }).await.unwrap();

    assert_eq!(gone, ReviewOutcome::Done);
    assert_eq!(store.pending_reviews().await.unwrap(), []);
    let tasks = Tasks::of_campaign(store, CAMPAIGN).await.unwrap();
    assert!(tasks.iter().all(|task| task.status == TaskStatus::Complete), "what depends on it ends with it: {tasks:?}");
}

async fn a_task_that_cannot_be_done_better_asks_about_its_best_result(store: &(impl Swarm + Reviews)) {
    enqueue(store, &[task()]).await;
    let mut made = Vec::new();
    for confidence in [0.61, 0.65, 0.4] {
        let leased = claim(store, "worker-1").await.unwrap();
        let one = WorkerResult { confidence_score: confidence, ..result(&leased.task) };
        store.finish(&leased.lease, &one).await.unwrap();
        let word = Consequence::Retry { feedback: "low".to_owned() };
        store.decide(&decision(&one, Verdict::Reject), &word).await.unwrap();
        made.push(one);
    }
    stuck(store, "everything else was turned down").await;

    let told: Vec<_> = store.attempts(made[0].task_id).await.unwrap().into_iter().map(|attempt| attempt.result).collect();
    assert_eq!(told, made);
    let asked = store.pending_reviews().await.unwrap().remove(0);
    assert_eq!((asked.result_id, asked.confidence_score), (Some(made[1].result_id), Some(0.65)));
    let yes = PersonsWord::Publish { post: post(&made[1]), lesson: None };
    assert_eq!(store.answer(&by("hanna", &asked, ReviewAction::Approve), &yes).await.unwrap(), ReviewOutcome::Done);
    assert_eq!(store.waiting(at(200), 10).await.unwrap().len(), 1);
}

async fn enqueue(store: &impl Swarm, tasks: &[AgentTask]) {
    started(store).await;
    store.enqueue(tasks).await.unwrap();
}

async fn claim(store: &impl Swarm, worker: &str) -> Option<LeasedTask> {
    store.claim(worker, at(0), at(10), &NO_LIMITS).await.unwrap()
}

/// The pending task fails for good.
async fn stuck(store: &impl Swarm, reason: &str) {
    let leased = claim(store, "worker-1").await.unwrap();
    let failure = TaskFailure { reason: reason.to_owned(), is_refused: false, attempts_max: 1, again_at: at(5), now: at(5) };
    store.fail(&leased.lease, &failure).await.unwrap();
}

async fn an_approval_for_a_campaign_that_moved_publishes_nothing(store: &(impl Swarm + Reviews)) {
    let (asked, post) = asked(store).await;
    store.change(CAMPAIGN, &paused(), at(70)).await.unwrap();

    let answer = by("hanna", &asked, ReviewAction::Approve);
    let outcome = store.answer(&answer, &PersonsWord::Publish { post: post.clone(), lesson: None }).await.unwrap();

    assert!(matches!(outcome, ReviewOutcome::StateMoved { .. }), "{outcome:?}");
    assert_eq!(Judgements::of_campaign(store, CAMPAIGN).await.unwrap().posts, []);
    let again = store.answer(&answer, &PersonsWord::Publish { post, lesson: None }).await.unwrap();
    assert_eq!(again, ReviewOutcome::AlreadyDecided { status: ReviewStatus::Expired, by: None, at: None });
    let unknown = ReviewAnswer { review_id: UuidV4::random(), ..answer };
    assert_eq!(
        store.answer(&unknown, &PersonsWord::Return { feedback: "no".to_owned(), lesson: None }).await.unwrap(),
        ReviewOutcome::NotFound
    );
}

async fn what_nobody_decides_expires(store: &(impl Swarm + Reviews)) {
    let (asked, _) = asked(store).await;

    assert_eq!(store.expire(at(60), at(500)).await.unwrap(), []);
    assert_eq!(store.expire(at(61), at(500)).await.unwrap().iter().map(|item| item.review_id).collect::<Vec<_>>(), [asked.review_id]);
    assert_eq!(store.expire(at(61), at(500)).await.unwrap(), []);

    assert_eq!(store.review(asked.review_id).await.unwrap().unwrap().status, ReviewStatus::Expired);
    assert_eq!(Tasks::of_campaign(store, CAMPAIGN).await.unwrap()[0].status, TaskStatus::Complete);
    let decisions = Judgements::of_campaign(store, CAMPAIGN).await.unwrap().decisions;
    assert_eq!(decisions.last().map(|made| made.decision), Some(Verdict::Reject));
}
