//! What every `HeldAnswers` holds to.

use super::samples::at;
use crate::{
    contracts::{
        UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer},
    },
    ports::held_answers::{HeldAnswers, Holding, TakenBack},
};

/// `fresh` gives an empty store and what keeps it alive; `ask` makes a review that waits; `carry_out` puts an answer on record.
pub async fn all<Guard, Store: HeldAnswers>(
    fresh: impl Fn() -> (Guard, Store),
    ask: impl AsyncFn(&Store) -> UuidV4,
    carry_out: impl AsyncFn(&Store, &ReviewAnswer),
) {
    let (_guard, store) = fresh();
    an_answer_is_held_until_it_is_due(&store, ask(&store).await).await;
    let (_guard, store) = fresh();
    its_own_author_takes_it_back_while_there_is_time(&store, ask(&store).await).await;
    let (_guard, store) = fresh();
    of_many_who_answer_at_once_one_is_held(&store, ask(&store).await).await;
    let (_guard, store) = fresh();
    what_is_due_comes_oldest_first(&store, [ask(&store).await, ask(&store).await, ask(&store).await]).await;
    let (_guard, store) = fresh();
    what_could_not_be_carried_out_says_why_until_it_is_answered_again(&store, ask(&store).await).await;
    let (_guard, store) = fresh();
    what_was_carried_out_before_a_crash_has_not_failed(&store, ask(&store).await, &carry_out).await;
    let (_guard, store) = fresh();
    what_is_decided_is_not_held(&store, ask(&store).await, &carry_out).await;
}

fn answer(review_id: UuidV4, by: &str) -> ReviewAnswer {
    ReviewAnswer {
        review_id,
        action: ReviewAction::Reject,
        reason: Some("too \"loud\"".to_owned()),
        edited_artifact: None,
        give_up: true,
        confirmed_address: None,
        found: None,
        reviewer_id: by.to_owned(),
        reviewed_at: UtcTime(at(0)),
    }
}

async fn an_answer_is_held_until_it_is_due(store: &impl HeldAnswers, review_id: UuidV4) {
    let answer = answer(review_id, "ada");
    assert_eq!(store.next_due().await.unwrap(), None);

    assert_eq!(store.hold(&answer, at(8)).await.unwrap(), Holding::Held);

    let held_by_ada = Holding::HeldBy { by: "ada".to_owned(), effective_at: at(8) };
    assert_eq!(store.hold(&self::answer(review_id, "ben"), at(9)).await.unwrap(), held_by_ada);
    assert_eq!(store.next_due().await.unwrap(), Some(at(8)));
    assert_eq!(store.due(at(7), 10).await.unwrap(), []);
    for _ in 0..2 {
        assert_eq!(store.due(at(8), 10).await.unwrap(), std::slice::from_ref(&answer), "it stays until it is done");
    }
    // Whoever asked in time, and comes in line only now.
    assert_eq!(store.take_back(review_id, "ada", at(7)).await.unwrap(), TakenBack::TooLate, "it is being carried out");
    assert_eq!(store.due(at(8), 10).await.unwrap(), std::slice::from_ref(&answer));
    store.done(review_id, None).await.unwrap();
    assert_eq!((store.due(at(8), 10).await.unwrap(), store.next_due().await.unwrap()), (vec![], None));
    assert_eq!(store.failure(review_id).await.unwrap(), None);
}

async fn its_own_author_takes_it_back_while_there_is_time(store: &impl HeldAnswers, review_id: UuidV4) {
    assert_eq!(store.take_back(review_id, "ada", at(0)).await.unwrap(), TakenBack::TooLate, "there is none");
    store.hold(&answer(review_id, "ada"), at(8)).await.unwrap();

    assert_eq!(store.take_back(review_id, "ben", at(1)).await.unwrap(), TakenBack::NotYours { by: "ada".to_owned() });
    assert_eq!(store.take_back(review_id, "ada", at(8)).await.unwrap(), TakenBack::TooLate);
    assert_eq!(store.take_back(review_id, "ada", at(7)).await.unwrap(), TakenBack::Yes);
    assert_eq!(store.take_back(review_id, "ada", at(7)).await.unwrap(), TakenBack::TooLate, "it is gone");
    assert_eq!((store.due(at(8), 10).await.unwrap(), store.next_due().await.unwrap()), (vec![], None));
    // The review waits as before.
    assert_eq!(store.hold(&answer(review_id, "ben"), at(20)).await.unwrap(), Holding::Held);
    assert_eq!(store.due(at(20), 10).await.unwrap(), [answer(review_id, "ben")]);
}

async fn of_many_who_answer_at_once_one_is_held(store: &impl HeldAnswers, review_id: UuidV4) {
    let answers: Vec<ReviewAnswer> = (0..8).map(|number| answer(review_id, &format!("person-{number}"))).collect();

    let held = futures::future::join_all(answers.iter().map(|answer| store.hold(answer, at(8)))).await;

    let held: Vec<Holding> = held.into_iter().map(Result::unwrap).collect();
    assert_eq!(held.iter().filter(|holding| **holding == Holding::Held).count(), 1, "{held:?}");
    let winner = &store.due(at(8), 10).await.unwrap()[0].reviewer_id;
    assert!(held.iter().all(|holding| matches!(holding, Holding::Held) || matches!(holding, Holding::HeldBy { by, .. } if by == winner)));
}

async fn what_is_due_comes_oldest_first(store: &impl HeldAnswers, reviews: [UuidV4; 3]) {
    for (review_id, due) in reviews.into_iter().zip([30, 10, 20]) {
        store.hold(&answer(review_id, "ada"), at(due)).await.unwrap();
    }

    let due =
        async |now, limit| -> Vec<UuidV4> { store.due(at(now), limit).await.unwrap().into_iter().map(|answer| answer.review_id).collect() };
    assert_eq!(due(29, 10).await, [reviews[1], reviews[2]]);
    assert_eq!(due(60, 2).await, [reviews[1], reviews[2]], "no more than asked for");
    assert_eq!(store.next_due().await.unwrap(), Some(at(10)));
}

async fn what_could_not_be_carried_out_says_why_until_it_is_answered_again(store: &impl HeldAnswers, review_id: UuidV4) {
    store.hold(&answer(review_id, "ada"), at(8)).await.unwrap();

    store.done(review_id, Some("the campaign has ended")).await.unwrap();

    assert_eq!(store.failure(review_id).await.unwrap().as_deref(), Some("the campaign has ended"));
    assert_eq!(store.due(at(8), 10).await.unwrap(), []);
    assert_eq!(store.take_back(review_id, "ada", at(1)).await.unwrap(), TakenBack::TooLate);
    assert_eq!(store.hold(&answer(review_id, "ben"), at(20)).await.unwrap(), Holding::Held);
    assert_eq!(store.failure(review_id).await.unwrap(), None);
}

async fn what_was_carried_out_before_a_crash_has_not_failed<Store: HeldAnswers>(
    store: &Store,
    review_id: UuidV4,
    carry_out: &impl AsyncFn(&Store, &ReviewAnswer),
) {
    let answer = answer(review_id, "ada");
    store.hold(&answer, at(8)).await.unwrap();
    carry_out(store, &answer).await;
    // Nobody said that it was done, so it is due still; the second attempt hears that the review is decided.
    assert_eq!(store.due(at(8), 10).await.unwrap(), [answer]);

    store.done(review_id, Some("it is decided already")).await.unwrap();

    assert_eq!(store.failure(review_id).await.unwrap(), None);
    assert_eq!(store.next_due().await.unwrap(), None);
}

async fn what_is_decided_is_not_held<Store: HeldAnswers>(
    store: &Store,
    review_id: UuidV4,
    carry_out: &impl AsyncFn(&Store, &ReviewAnswer),
) {
    let first = answer(review_id, "ada");
    store.hold(&answer(review_id, "ben"), at(8)).await.unwrap();
    // From elsewhere, in the meantime.
    carry_out(store, &first).await;

    let decided = store.hold(&answer(review_id, "cem"), at(9)).await.unwrap();
    assert_eq!(decided, Holding::Decided { answer: Some(Box::new(first)) });
    store.done(review_id, Some("decided by ada")).await.unwrap();
    assert_eq!(store.failure(review_id).await.unwrap().as_deref(), Some("decided by ada"), "it was not ben's word that counted");
    assert_eq!(store.hold(&answer(UuidV4::random(), "ada"), at(8)).await.unwrap(), Holding::NoSuchReview);
}
