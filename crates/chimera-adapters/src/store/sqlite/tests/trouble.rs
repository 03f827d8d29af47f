//! A full disk, a read-only file, another process in the way: a clear error, nothing lost, and work goes on afterwards.

use super::super::{
    BUSY_TIMEOUT, OrStoreError, SqliteStore, columns,
    judgements::{self, Ruling},
    open,
};
use super::fresh;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        decision::{JudgeDecision, Verdict},
    },
    ports::{StoreError, swarm::Consequence},
};
use chrono::DateTime;
use futures::poll;
use rusqlite::Connection;
use std::time::Duration;

async fn change(store: &SqliteStore, sql: &'static str) -> Result<(), StoreError> {
    store.write(move |db| db.execute_batch(sql).or_store_error()).await
}

async fn notes(store: &SqliteStore) -> Vec<i64> {
    store.read(|db| columns::rows(db, "SELECT id FROM notes ORDER BY id", [], |row| row.get(0))).await.unwrap()
}

async fn with_notes() -> (tempfile::TempDir, SqliteStore) {
    let (folder, store) = fresh();
    change(&store, "CREATE TABLE notes (id INTEGER PRIMARY KEY, body BLOB); INSERT INTO notes VALUES (1, zeroblob(10))").await.unwrap();
    (folder, store)
}

fn hint(outcome: Result<(), StoreError>) -> &'static str {
    match outcome {
        Err(StoreError::NotWritable { hint, .. }) => hint,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_full_disk_refuses_the_write_and_room_makes_it_work_again() {
    let (_folder, store) = with_notes().await;
    let pages: i64 = store.read(|db| db.query_row("PRAGMA page_count", [], |row| row.get(0)).or_store_error()).await.unwrap();
    store.write(move |db| db.pragma_update(None, "max_page_count", pages + 4).or_store_error()).await.unwrap();

    let refused = change(&store, "INSERT INTO notes VALUES (2, zeroblob(10)); INSERT INTO notes VALUES (3, zeroblob(1000000))").await;
    let seen_meanwhile = notes(&store).await;
    change(&store, "INSERT INTO notes VALUES (4, zeroblob(10))").await.unwrap();
    change(&store, "PRAGMA max_page_count = 1000000").await.unwrap();
    change(&store, "INSERT INTO notes VALUES (5, zeroblob(1000000))").await.unwrap();

    assert!(hint(refused).contains("disk is full"));
    assert_eq!(seen_meanwhile, [1]);
    assert_eq!(notes(&store).await, [1, 4, 5]);
}

#[tokio::test]
async fn on_a_full_disk_each_write_of_a_group_is_kept_or_refused_as_it_was_answered() {
    let (_folder, store) = with_notes().await;
    let pages: i64 = store.read(|db| db.query_row("PRAGMA page_count", [], |row| row.get(0)).or_store_error()).await.unwrap();
    store.write(move |db| db.pragma_update(None, "max_page_count", pages + 20).or_store_error()).await.unwrap();

    let writes = (10..60).map(|id| {
        let store = store.clone();
        let bytes = if id % 10 == 7 { 1_000_000 } else { 2_000 };
        async move { (id, store.write(move |db| insert(db, id, bytes)).await) }
    });
    let outcomes = futures::future::join_all(writes).await;

    let kept = notes(&store).await;
    assert!(outcomes.iter().any(|(_, outcome)| outcome.is_err()) && outcomes.iter().any(|(_, outcome)| outcome.is_ok()));
    for (id, outcome) in outcomes {
        assert_eq!(kept.contains(&id), outcome.is_ok(), "{id}");
        if outcome.is_err() {
            hint(outcome);
        }
    }
}

fn insert(db: &Connection, id: i64, bytes: i64) -> Result<(), StoreError> {
    db.execute("INSERT INTO notes VALUES (?1, zeroblob(?2))", [id, bytes]).map(drop).or_store_error()
}

#[tokio::test]
async fn when_sqlite_drops_the_whole_transaction_every_write_in_it_is_refused_and_the_next_one_works() {
    let (_folder, store) = with_notes().await;

    let refused = change(&store, "INSERT INTO notes VALUES (2, NULL); ROLLBACK").await;
    change(&store, "INSERT INTO notes VALUES (3, NULL)").await.unwrap();

    assert!(hint(refused).contains("disk"));
    assert_eq!(notes(&store).await, [1, 3]);
}

#[tokio::test]
async fn a_read_only_database_refuses_the_write_and_is_still_read() {
    let (_folder, store) = with_notes().await;

    let refused = store
        .write(|db| {
            insert(db, 2, 10)?;
            db.pragma_update(None, "query_only", true).or_store_error()?;
            let refused = insert(db, 2, 10);
            db.pragma_update(None, "query_only", false).or_store_error()?;
            refused
        })
        .await;
    let seen_meanwhile = notes(&store).await;
    change(&store, "INSERT INTO notes VALUES (3, NULL)").await.unwrap();

    assert!(hint(refused).contains("read-only"));
    assert_eq!(seen_meanwhile, [1]);
    assert_eq!(notes(&store).await, [1, 3]);
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let (_folder, store) = with_notes().await;

    let refused = store.read(|db| insert(db, 2, 10)).await;

    assert!(hint(refused).contains("read-only"));
    assert_eq!(notes(&store).await, [1]);
}

#[tokio::test]
async fn a_write_waits_for_another_process_and_gives_up_with_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.db");
    let patient = SqliteStore::open(&path).unwrap();
    change(&patient, "CREATE TABLE notes (id INTEGER PRIMARY KEY, body BLOB)").await.unwrap();
    let hasty = SqliteStore::open_waiting(&path, Duration::from_millis(1)).unwrap();
    let other_process = Connection::open(&path).unwrap();
    other_process.execute_batch("BEGIN IMMEDIATE; INSERT INTO notes VALUES (1, NULL)").unwrap();

    let refused = change(&hasty, "INSERT INTO notes VALUES (2, NULL)").await;
    let mut waiting = Box::pin(change(&patient, "INSERT INTO notes VALUES (3, NULL)"));
    assert!(poll!(waiting.as_mut()).is_pending());
    let seen_meanwhile = notes(&patient).await;
    other_process.execute_batch("COMMIT").unwrap();
    waiting.await.unwrap();

    assert!(hint(refused).contains("another process"));
    assert_eq!(seen_meanwhile, [0; 0]);
    assert_eq!(notes(&hasty).await, [1, 3]);
}

/// Where the disk fails SQLite in the middle of a turn, it undoes the transaction: what comes after must not be kept without what came
/// before.
#[test]
fn a_turn_that_has_lost_its_transaction_goes_no_further() {
    let (folder, store) = super::fresh();
    drop(store);
    let db = open::for_writing(&folder.path().join("chimera.db"), BUSY_TIMEOUT).unwrap();
    let decision = |result_id: Option<UuidV4>| JudgeDecision {
        decision_id: UuidV4::random(),
        result_id,
        task_id: UuidV4::random(),
        decision: Verdict::Reject,
        state_version: 1,
        created_at: UtcTime(DateTime::UNIX_EPOCH),
        reason: "no".to_owned(),
        hitl_reason: None,
    };
    let rulings = [Some(UuidV4::random()), None].map(|result| Ruling::new(&decision(result), &Consequence::Complete));
    let recorded = || db.query_row("SELECT count(*) FROM decisions", [], |row| row.get::<_, i64>(0)).unwrap();

    assert!(judgements::decide_all(&db, &rulings).is_err(), "there is no transaction");
    assert_eq!(recorded(), 0);

    db.execute_batch("BEGIN").unwrap();
    let answers = judgements::decide_all(&db, &rulings).unwrap();
    assert!(matches!(answers[..], [Ok(Err(_)), Ok(Ok(()))]), "a refusal stays alone: {answers:?}");
    assert_eq!(recorded(), 1);
}
