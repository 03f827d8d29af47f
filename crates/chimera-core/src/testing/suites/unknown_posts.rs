//! What every `UnknownPosts` holds to.

use super::{
    judgements::Swarm,
    outbox::{FREE, approved, attempt, is_published},
    samples::{CAMPAIGN, at},
};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
    },
    ports::{
        ledger::{Ledger, LedgerKind},
        swarm::{Begun, Left, Outgoing, Post, PostStatus, PostWord, ReviewOutcome, Reviews, UnknownPosts},
    },
};
use chrono::TimeDelta;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Swarm + Reviews + Ledger + UnknownPosts>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_person_is_asked_once_and_nothing_is_sent_meanwhile(&store).await;
    let (_guard, store) = fresh();
    one_that_is_there_is_published(&store).await;
    let (_guard, store) = fresh();
    one_that_is_sent_again_is_begun_like_a_new_one(&store).await;
    let (_guard, store) = fresh();
    one_that_is_left_is_refused(&store).await;
    let (_guard, store) = fresh();
    the_first_answer_counts_and_other_reviews_are_not_answered_here(&store).await;
    let (_guard, store) = fresh();
    an_answer_that_comes_late_after_all_takes_the_question_back(&store).await;
}

trait Everything: Swarm + Reviews + Ledger + UnknownPosts {}
impl<Store: Swarm + Reviews + Ledger + UnknownPosts> Everything for Store {}

/// Sent without a key, and never answered.
async fn lost(store: &impl Everything) -> (Outgoing, ReviewItem) {
    let post = approved(store, 1).await.remove(0);
    assert_eq!(store.begin(&post, &attempt(100, None), &FREE).await.unwrap(), Begun::Go { attempt: 1 });
    let review = asked_of(&post.post);
    let left = Left::Unknown { reason: "no answer".to_owned(), review: Box::new(review.clone()) };
    store.left(&post, &left, at(160)).await.unwrap();
    (post, review)
}

fn asked_of(post: &Post) -> ReviewItem {
    ReviewItem {
        review_id: UuidV4::random(),
        result_id: Some(post.result_id),
        task_id: post.task_id,
        agent_id: post.agent.to_string(),
        escalation_reason: "it may be there".to_owned(),
        artifact: None,
        transaction: None,
        confidence_score: None,
        reasoning_trace: None,
        created_at: UtcTime(at(160)),
        status: ReviewStatus::Pending,
    }
}

fn answer(review_id: UuidV4, action: ReviewAction) -> ReviewAnswer {
    let reviewer_id = "hanna".to_owned();
    ReviewAnswer {
        review_id,
        action,
        reason: Some("I looked".to_owned()),
        edited_artifact: None,
        give_up: false,
        confirmed_address: None,
        found: None,
        reviewer_id,
        reviewed_at: UtcTime(at(500)),
    }
}

async fn recorded(store: &impl Everything) -> Post {
    crate::ports::swarm::Judgements::of_campaign(store, CAMPAIGN).await.unwrap().posts.remove(0)
}

async fn statuses(store: &impl Everything) -> Vec<String> {
    let entries = Ledger::list(store, None, 20).await.unwrap();
    let posts = entries.iter().rev().filter(|entry| entry.entry.kind == LedgerKind::Post);
    posts.map(|entry| entry.entry.facts["status"].as_str().unwrap().to_owned()).collect()
}

async fn a_person_is_asked_once_and_nothing_is_sent_meanwhile(store: &impl Everything) {
    let (post, review) = lost(store).await;
    let again = Left::Unknown { reason: "again".to_owned(), review: Box::new(asked_of(&post.post)) };
    store.left(&post, &again, at(170)).await.unwrap();

    assert_eq!(store.pending_reviews().await.unwrap(), std::slice::from_ref(&review));
    let asked = store.asked_about(review.review_id).await.unwrap().unwrap();
    assert_eq!((asked.post_id, asked.status), (post.post.post_id, PostStatus::Unknown));
    assert_eq!(store.waiting(at(100_000), 10).await.unwrap(), []);
    assert_eq!(store.begin(&post, &attempt(100_000, Some(200_000)), &FREE).await.unwrap(), Begun::Gone);
    assert_eq!(store.case(review.review_id).await.unwrap(), None, "it is no draft");
    let for_ever = at(160) + TimeDelta::days(9_000);
    assert_eq!(store.expire(for_ever, for_ever).await.unwrap(), [], "the question stays");
    assert_eq!(statuses(store).await, ["sending", "unknown"]);
}

async fn one_that_is_there_is_published(store: &impl Everything) {
    let (_, review) = lost(store).await;
    let url = Some("https://social.example/9".to_owned());

    let word = PostWord::IsThere { url: url.clone() };
    assert_eq!(store.settle(&answer(review.review_id, ReviewAction::Approve), &word).await.unwrap(), ReviewOutcome::Done);

    let post = recorded(store).await;
    assert_eq!((post.status, post.url), (PostStatus::Published, url));
    assert_eq!(store.pending_reviews().await.unwrap(), []);
    assert_eq!(statuses(store).await, ["sending", "unknown", "published"]);
    let last = Ledger::list(store, None, 1).await.unwrap().remove(0).entry;
    assert_eq!((&last.facts["by"], &last.facts["reason"]), (&"hanna".into(), &"I looked".into()));
    assert_eq!(store.answered(review.review_id).await.unwrap().unwrap().reviewer_id, "hanna");
    assert!(store.verify().await.unwrap().is_sound());
}

async fn one_that_is_sent_again_is_begun_like_a_new_one(store: &impl Everything) {
    let (first, review) = lost(store).await;

    let done = store.settle(&answer(review.review_id, ReviewAction::Approve), &PostWord::SendAgain).await.unwrap();
    assert_eq!(done, ReviewOutcome::Done);

    let waiting = store.waiting(at(501), 10).await.unwrap();
    assert_eq!(waiting, [first]);
    assert_eq!(store.begin(&waiting[0], &attempt(501, None), &FREE).await.unwrap(), Begun::Go { attempt: 1 });
    assert_eq!(store.used(CAMPAIGN).await.unwrap().posts, 2, "both sends count");
    let second = asked_of(&waiting[0].post);
    let left = Left::Unknown { reason: "no answer again".to_owned(), review: Box::new(second.clone()) };
    store.left(&waiting[0], &left, at(560)).await.unwrap();
    assert_eq!(store.pending_reviews().await.unwrap(), [second]);
    assert_eq!(statuses(store).await, ["sending", "unknown", "approved", "sending", "unknown"]);
}

async fn one_that_is_left_is_refused(store: &impl Everything) {
    let (_, review) = lost(store).await;

    let done = store.settle(&answer(review.review_id, ReviewAction::Reject), &PostWord::LeaveIt).await.unwrap();
    assert_eq!(done, ReviewOutcome::Done);

    assert_eq!(recorded(store).await.status, PostStatus::Refused);
    assert_eq!(store.review(review.review_id).await.unwrap().unwrap().status, ReviewStatus::Rejected);
    assert_eq!(statuses(store).await, ["sending", "unknown", "refused"]);
    assert_eq!(store.waiting(at(100_000), 10).await.unwrap(), []);
}

async fn the_first_answer_counts_and_other_reviews_are_not_answered_here(store: &impl Everything) {
    let (_, review) = lost(store).await;
    store.settle(&answer(review.review_id, ReviewAction::Reject), &PostWord::LeaveIt).await.unwrap();

    let late = store.settle(&answer(review.review_id, ReviewAction::Approve), &PostWord::SendAgain).await.unwrap();

    let expected =
        ReviewOutcome::AlreadyDecided { status: ReviewStatus::Rejected, by: Some("hanna".to_owned()), at: Some(UtcTime(at(500))) };
    assert_eq!(late, expected);
    assert_eq!(store.waiting(at(100_000), 10).await.unwrap(), []);
    let nobodys = answer(UuidV4::random(), ReviewAction::Approve);
    assert_eq!(store.settle(&nobodys, &PostWord::SendAgain).await.unwrap(), ReviewOutcome::NotFound);
    assert_eq!(store.asked_about(nobodys.review_id).await.unwrap(), None);
}

async fn an_answer_that_comes_late_after_all_takes_the_question_back(store: &impl Everything) {
    let (post, review) = lost(store).await;

    store.left(&post, &Left::Refused { reason: "late".to_owned() }, at(200)).await.unwrap();
    assert_eq!(recorded(store).await.status, PostStatus::Unknown, "that says nothing");
    store.left(&post, &is_published("1"), at(201)).await.unwrap();

    assert_eq!(recorded(store).await.status, PostStatus::Published);
    assert_eq!(store.pending_reviews().await.unwrap(), []);
    let answered = store.settle(&answer(review.review_id, ReviewAction::Approve), &PostWord::SendAgain).await.unwrap();
    assert_eq!(answered, ReviewOutcome::AlreadyDecided { status: ReviewStatus::Expired, by: None, at: None });
    assert_eq!(recorded(store).await.status, PostStatus::Published);
}
