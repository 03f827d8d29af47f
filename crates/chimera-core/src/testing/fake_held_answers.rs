//! Held answers and idempotency keys in memory.

use crate::{
    contracts::{UuidV4, review::ReviewAnswer},
    ports::{
        StoreError,
        held_answers::{HeldAnswers, Holding, IDEMPOTENCY_KEPT_FOR, IdempotencyKey, IdempotencyKeys, Repeated, TakenBack},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

/// Of the reviews that it was told of.
#[derive(Default)]
pub struct FakeHeldAnswers(Mutex<BTreeMap<UuidV4, Review>>);

#[derive(Default)]
struct Review {
    decided: Option<ReviewAnswer>,
    held: Option<(ReviewAnswer, DateTime<Utc>)>,
    /// It was given out to be carried out.
    is_due: bool,
    failure: Option<String>,
}

impl FakeHeldAnswers {
    /// A review that waits.
    pub fn ask(&self) -> UuidV4 {
        let review_id = UuidV4::random();
        self.reviews().insert(review_id, Review::default());
        review_id
    }

    /// The answer is on record; the first one stays.
    pub fn decide(&self, answer: &ReviewAnswer) {
        self.reviews().entry(answer.review_id).or_default().decided.get_or_insert_with(|| answer.clone());
    }

    fn reviews(&self) -> MutexGuard<'_, BTreeMap<UuidV4, Review>> {
        self.0.lock().expect("no test panics while holding the reviews")
    }
}

#[async_trait]
impl HeldAnswers for FakeHeldAnswers {
    async fn hold(&self, answer: &ReviewAnswer, effective_at: DateTime<Utc>) -> Result<Holding, StoreError> {
        let mut reviews = self.reviews();
        let Some(review) = reviews.get_mut(&answer.review_id) else { return Ok(Holding::NoSuchReview) };
        if let Some(decided) = &review.decided {
            return Ok(Holding::Decided { answer: Some(Box::new(decided.clone())) });
        }
        if let Some((held, effective_at)) = &review.held {
            return Ok(Holding::HeldBy { by: held.reviewer_id.clone(), effective_at: *effective_at });
        }
        (review.held, review.is_due, review.failure) = (Some((answer.clone(), effective_at)), false, None);
        Ok(Holding::Held)
    }

    async fn take_back(&self, review_id: UuidV4, by: &str, now: DateTime<Utc>) -> Result<TakenBack, StoreError> {
        let mut reviews = self.reviews();
        let Some(review) = reviews.get_mut(&review_id) else { return Ok(TakenBack::TooLate) };
        match &review.held {
            Some((_, effective_at)) if review.is_due || *effective_at <= now => Ok(TakenBack::TooLate),
            None => Ok(TakenBack::TooLate),
            Some((held, _)) if held.reviewer_id != by => Ok(TakenBack::NotYours { by: held.reviewer_id.clone() }),
            Some(_) => {
                review.held = None;
                Ok(TakenBack::Yes)
            }
        }
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<ReviewAnswer>, StoreError> {
        let mut reviews = self.reviews();
        for review in reviews.values_mut() {
            review.is_due |= review.held.as_ref().is_some_and(|(_, at)| *at <= now);
        }
        let mut due: Vec<_> = reviews.values().filter(|review| review.is_due).filter_map(|review| review.held.as_ref()).collect();
        due.sort_by_key(|(_, at)| *at);
        Ok(due.into_iter().take(limit).map(|(answer, _)| answer.clone()).collect())
    }

    async fn done(&self, review_id: UuidV4, failure: Option<&str>) -> Result<(), StoreError> {
        if let Some(review) = self.reviews().get_mut(&review_id)
            && let Some((held, _)) = review.held.take()
        {
            review.failure = failure.filter(|_| review.decided.as_ref() != Some(&held)).map(str::to_owned);
        }
        Ok(())
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.reviews().values().filter_map(|review| review.held.as_ref()).map(|(_, at)| *at).min())
    }

    async fn failure(&self, review_id: UuidV4) -> Result<Option<String>, StoreError> {
        Ok(self.reviews().get(&review_id).and_then(|review| review.failure.clone()))
    }
}

#[derive(Default)]
pub struct FakeIdempotencyKeys(Mutex<BTreeMap<(String, String), Begun>>);

struct Begun {
    request: [u8; 32],
    at: DateTime<Utc>,
    answer: Option<(u16, String)>,
}

impl FakeIdempotencyKeys {
    fn keys(&self) -> MutexGuard<'_, BTreeMap<(String, String), Begun>> {
        self.0.lock().expect("no test panics while holding the keys")
    }
}

fn whose(key: &IdempotencyKey) -> (String, String) {
    (key.person.clone(), key.key.clone())
}

#[async_trait]
impl IdempotencyKeys for FakeIdempotencyKeys {
    async fn begin(&self, key: &IdempotencyKey, now: DateTime<Utc>) -> Result<Repeated, StoreError> {
        let mut keys = self.keys();
        keys.retain(|_, begun| begun.at > now - IDEMPOTENCY_KEPT_FOR);
        let Some(begun) = keys.get(&whose(key)) else {
            keys.insert(whose(key), Begun { request: key.request, at: now, answer: None });
            return Ok(Repeated::New);
        };
        Ok(match &begun.answer {
            _ if begun.request != key.request => Repeated::Another,
            None => Repeated::UnderWay,
            Some((status, body)) => Repeated::Answered { status: *status, body: body.clone() },
        })
    }

    async fn finish(&self, key: &IdempotencyKey, status: u16, body: &str) -> Result<(), StoreError> {
        if let Some(begun) = self.keys().get_mut(&whose(key)).filter(|begun| begun.request == key.request) {
            begun.answer.get_or_insert_with(|| (status, body.to_owned()));
        }
        Ok(())
    }

    async fn give_up(&self, key: &IdempotencyKey) -> Result<(), StoreError> {
        let mut keys = self.keys();
        if keys.get(&whose(key)).is_some_and(|begun| begun.request == key.request && begun.answer.is_none()) {
            keys.remove(&whose(key));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn fake_held_answers_hold_to_the_port() {
        let ask = async |store: &FakeHeldAnswers| store.ask();
        suites::held_answers::all(|| ((), FakeHeldAnswers::default()), ask, async |store: &FakeHeldAnswers, answer| store.decide(answer))
            .await;
    }

    #[tokio::test]
    async fn fake_idempotency_keys_hold_to_the_port() {
        suites::idempotency::all(|| ((), FakeIdempotencyKeys::default())).await;
    }
}
