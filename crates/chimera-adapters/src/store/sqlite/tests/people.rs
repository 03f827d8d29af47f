//! People, held answers and repeated changes on SQLite: the suites, what only several handles on one file show, and their events.

use super::{
    super::{OrStoreError, SqliteStore, judgements},
    fresh,
};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer, ReviewStatus},
        views::people::Role,
    },
    ports::{
        access::{Access, Device, NewPerson, Removed},
        events::{EventKind, Events},
        held_answers::{HeldAnswers, Holding, IdempotencyKey, IdempotencyKeys, Repeated},
    },
    testing::suites,
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use rusqlite::params;
use std::path::Path;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

/// As several processes would.
fn handles(folder: &Path) -> Vec<SqliteStore> {
    (0..4).map(|_| SqliteStore::open(&folder.join("chimera.db")).unwrap()).collect()
}

/// A review that waits.
async fn ask(store: &SqliteStore) -> UuidV4 {
    let (review_id, task_id) = (UuidV4::random(), UuidV4::random());
    let review = serde_json::json!({
        "review_id": review_id, "task_id": task_id, "agent_id": "selam", "escalation_reason": "not sure",
        "created_at": "2026-11-19T08:00:00.000Z", "status": "pending",
    });
    let insert = "INSERT INTO reviews (review_id, task_id, review, status, asked_at) VALUES (?1, ?2, ?3, 'pending', 0)";
    let values = (review_id.to_string(), task_id.to_string(), review.to_string());
    store.write(move |db| db.execute(insert, params![values.0, values.1, values.2]).or_store_error()).await.unwrap();
    review_id
}

async fn decide(store: &SqliteStore, answer: &ReviewAnswer) {
    let answer = answer.clone();
    store.write(move |db| judgements::close_review(db, answer.review_id, ReviewStatus::Rejected, Some(&answer))).await.unwrap();
}

fn answer(review_id: UuidV4, by: &str) -> ReviewAnswer {
    ReviewAnswer {
        review_id,
        action: ReviewAction::Reject,
        reason: None,
        edited_artifact: None,
        give_up: false,
        confirmed_address: None,
        found: None,
        reviewer_id: by.to_owned(),
        reviewed_at: UtcTime(now()),
    }
}

async fn add(store: &SqliteStore, name: &str, role: Role, key: u8) {
    let person = NewPerson { name: name.parse().unwrap(), role, key: [key; 32], added_at: now() };
    store.add_person(&person).await.unwrap();
}

#[tokio::test]
async fn access_holds_to_the_port() {
    suites::access::all(fresh).await;
}

#[tokio::test]
async fn held_answers_hold_to_the_port() {
    suites::held_answers::all(
        fresh,
        async |store: &SqliteStore| ask(store).await,
        async |store: &SqliteStore, answer| {
            decide(store, answer).await;
        },
    )
    .await;
}

#[tokio::test]
async fn idempotency_keys_hold_to_the_port() {
    suites::idempotency::all(fresh).await;
}

#[tokio::test]
async fn of_several_programs_one_uses_a_link() {
    let (folder, store) = fresh();
    add(&store, "ada", Role::Owner, 1).await;
    let handles = handles(folder.path());
    for round in 0..8 {
        let link = [round + 10; 32];
        assert!(store.add_link("ada", &link, now() + TimeDelta::minutes(10)).await.unwrap());

        let used = join_all(handles.iter().map(|handle| handle.use_link(&link, now()))).await;

        assert_eq!(used.into_iter().filter_map(Result::unwrap).count(), 1, "round {round}");
    }
}

#[tokio::test]
async fn of_several_programs_one_holds_an_answer_and_one_goes_on_with_a_key() {
    let (folder, store) = fresh();
    let handles = handles(folder.path());
    for round in 0..8 {
        let review_id = ask(&store).await;
        let answers: Vec<ReviewAnswer> = (0..handles.len()).map(|number| answer(review_id, &format!("person-{number}"))).collect();
        let held = join_all(handles.iter().zip(&answers).map(|(handle, answer)| handle.hold(answer, now()))).await;
        assert_eq!(held.into_iter().map(Result::unwrap).filter(|holding| *holding == Holding::Held).count(), 1, "round {round}");

        let key = IdempotencyKey { person: "ada".to_owned(), key: round.to_string(), request: [1; 32] };
        let begun = join_all(handles.iter().map(|handle| handle.begin(&key, now()))).await;
        assert_eq!(begun.into_iter().map(Result::unwrap).filter(|repeated| *repeated == Repeated::New).count(), 1, "round {round}");
    }
    assert_eq!(store.due(now(), 99).await.unwrap().len(), 8);
}

#[tokio::test]
async fn of_several_owners_who_are_removed_at_once_one_stays() {
    let (folder, store) = fresh();
    let handles = handles(folder.path());
    let names = ["ada", "ben", "cem", "dia"];
    for (name, key) in names.into_iter().zip(1..) {
        add(&store, name, Role::Owner, key).await;
    }

    let removed = join_all(handles.iter().zip(names).map(|(handle, name)| handle.remove_person(name))).await;

    let removed: Vec<Removed> = removed.into_iter().map(Result::unwrap).collect();
    assert_eq!(removed.iter().filter(|removed| **removed == Removed::LastOwner).count(), 1, "{removed:?}");
    assert_eq!(store.people(now()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_people_do_and_what_becomes_of_their_answers_is_told() {
    let (_folder, store) = fresh();
    add(&store, "ada", Role::Owner, 1).await;
    add(&store, "ben", Role::Viewer, 2).await;
    let device = |cookie| Device {
        name: "ben".parse().unwrap(),
        cookie: [cookie; 32],
        change_key: [9; 32],
        signed_in_at: now(),
        until: now() + TimeDelta::days(30),
    };
    store.sign_in(&device(3)).await.unwrap();
    store.seen(&[3; 32], now() + TimeDelta::hours(1), TimeDelta::hours(12)).await.unwrap();
    store.remove_person("ben").await.unwrap();
    let review_id = ask(&store).await;
    for failure in [None, Some("gone")] {
        store.hold(&answer(review_id, "ada"), now() + TimeDelta::seconds(8)).await.unwrap();
        store.take_back(review_id, "ada", now()).await.unwrap();
        store.hold(&answer(review_id, "ada"), now()).await.unwrap();
        store.done(review_id, failure).await.unwrap();
    }

    let told = store.events(0, 99).await.unwrap();

    let of = |kind| told.iter().filter(move |event| event.kind == kind).map(|event| (event.state.as_str(), event.subject.as_str()));
    let people = [("added", "ada"), ("added", "ben"), ("signed_in", "ben"), ("removed", "ben")];
    assert_eq!(of(EventKind::Person).collect::<Vec<_>>(), people);
    let id = review_id.to_string();
    let states = ["held", "taken_back", "held", "done", "held", "taken_back", "held", "failed"];
    assert_eq!(of(EventKind::Answer).collect::<Vec<_>>(), states.map(|state| (state, id.as_str())));
    let held = told.iter().find(|event| event.kind == EventKind::Answer).unwrap();
    assert_eq!((held.agent_id.as_deref(), held.task_id.is_some()), (Some("selam"), true));
}

#[tokio::test]
async fn what_is_too_old_is_cleaned_up_as_it_is_touched() {
    let (_folder, store) = fresh();
    add(&store, "ada", Role::Owner, 1).await;
    store.add_link("ada", &[4; 32], now() + TimeDelta::minutes(10)).await.unwrap();
    let key = |of: &str| IdempotencyKey { person: "ada".to_owned(), key: of.to_owned(), request: [1; 32] };
    store.begin(&key("old"), now()).await.unwrap();
    let later = now() + TimeDelta::hours(24);

    store.use_link(&[5; 32], later).await.unwrap();
    store.begin(&key("new"), later).await.unwrap();

    let count = "SELECT (SELECT count(*) FROM sign_in_links) * 10 + (SELECT count(*) FROM idempotency_keys)";
    assert_eq!(store.read(move |db| db.query_row(count, [], |row| row.get::<_, i64>(0)).or_store_error()).await.unwrap(), 1);
}

#[tokio::test]
async fn what_somebody_answered_and_what_has_no_effect_yet_goes_with_their_key() {
    let (_folder, store) = fresh();
    add(&store, "ada", Role::Owner, 1).await;
    add(&store, "ben", Role::Operator, 2).await;
    let (first, second, third) = (ask(&store).await, ask(&store).await, ask(&store).await);
    for (review, by) in [(first, "ben"), (second, "ada"), (third, "ben")] {
        assert_eq!(store.hold(&answer(review, by), now() + TimeDelta::seconds(8)).await.unwrap(), Holding::Held);
    }

    store.remove_person("ben").await.unwrap();

    let due = HeldAnswers::due(&store, now() + TimeDelta::seconds(9), 10).await.unwrap();
    assert_eq!(due, [answer(second, "ada")]);
    assert_eq!(store.hold(&answer(first, "ada"), now()).await.unwrap(), Holding::Held, "the review waits as before");
}
