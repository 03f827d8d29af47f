//! What every `IdempotencyKeys` holds to.

use super::samples::at;
use crate::ports::held_answers::{IdempotencyKey, IdempotencyKeys, Repeated};

const DAY: i64 = 24 * 3600;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: IdempotencyKeys>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    the_first_goes_on_and_the_others_get_its_answer(&store).await;
    let (_guard, store) = fresh();
    what_was_given_up_goes_to_the_next(&store).await;
    let (_guard, store) = fresh();
    of_many_who_come_at_once_one_goes_on(&store).await;
    let (_guard, store) = fresh();
    a_key_is_known_for_a_day(&store).await;
}

fn key(person: &str, request: u8) -> IdempotencyKey {
    IdempotencyKey { person: person.to_owned(), key: "0b5c".to_owned(), request: [request; 32] }
}

async fn the_first_goes_on_and_the_others_get_its_answer(store: &impl IdempotencyKeys) {
    assert_eq!(store.begin(&key("ada", 1), at(0)).await.unwrap(), Repeated::New);

    assert_eq!(store.begin(&key("ada", 1), at(1)).await.unwrap(), Repeated::UnderWay);
    assert_eq!(store.begin(&key("ada", 2), at(1)).await.unwrap(), Repeated::Another);
    assert_eq!(store.begin(&key("ben", 2), at(1)).await.unwrap(), Repeated::New, "each person has keys of their own");
    store.finish(&key("ada", 1), 201, "{\"a\":\"\u{2615}\"}").await.unwrap();
    let answered = Repeated::Answered { status: 201, body: "{\"a\":\"\u{2615}\"}".to_owned() };
    assert_eq!(store.begin(&key("ada", 1), at(2)).await.unwrap(), answered);
    // What is answered stays so.
    store.finish(&key("ada", 1), 500, "").await.unwrap();
    store.give_up(&key("ada", 1)).await.unwrap();
    assert_eq!(store.begin(&key("ada", 1), at(3)).await.unwrap(), answered);
    assert_eq!(store.begin(&key("ada", 2), at(3)).await.unwrap(), Repeated::Another);
}

async fn what_was_given_up_goes_to_the_next(store: &impl IdempotencyKeys) {
    store.begin(&key("ada", 1), at(0)).await.unwrap();
    store.give_up(&key("ada", 2)).await.unwrap();
    assert_eq!(store.begin(&key("ada", 1), at(1)).await.unwrap(), Repeated::UnderWay, "another request gives up nothing of this one");

    store.give_up(&key("ada", 1)).await.unwrap();

    assert_eq!(store.begin(&key("ada", 2), at(2)).await.unwrap(), Repeated::New);
}

async fn of_many_who_come_at_once_one_goes_on(store: &impl IdempotencyKeys) {
    let key = key("ada", 1);

    let begun = futures::future::join_all((0..8).map(|_| store.begin(&key, at(0)))).await;

    let begun: Vec<Repeated> = begun.into_iter().map(Result::unwrap).collect();
    assert_eq!(begun.iter().filter(|repeated| **repeated == Repeated::New).count(), 1, "{begun:?}");
    assert_eq!(begun.iter().filter(|repeated| **repeated == Repeated::UnderWay).count(), 7, "{begun:?}");
}

async fn a_key_is_known_for_a_day(store: &impl IdempotencyKeys) {
    store.begin(&key("ada", 1), at(0)).await.unwrap();
    store.finish(&key("ada", 1), 200, "done").await.unwrap();

    let answered = Repeated::Answered { status: 200, body: "done".to_owned() };
    assert_eq!(store.begin(&key("ada", 1), at(DAY - 1)).await.unwrap(), answered);
    assert_eq!(store.begin(&key("ada", 1), at(DAY)).await.unwrap(), Repeated::New);
}
