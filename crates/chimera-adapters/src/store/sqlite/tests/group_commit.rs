//! Writes in groups: order, durability, and failures that stay alone.

use super::fresh;
use crate::store::sqlite::{OrStoreError, SqliteStore};
use chimera_core::ports::StoreError;
use futures::{future::join_all, poll};
use rusqlite::Connection;
use std::{pin::Pin, sync::mpsc};
use tokio::sync::oneshot;

fn insert(db: &Connection, value: i64) -> Result<(), StoreError> {
    db.execute("INSERT INTO numbers (value) VALUES (?1)", [value]).map(drop).or_store_error()
}

async fn with_numbers() -> (tempfile::TempDir, SqliteStore) {
    let (folder, store) = fresh();
    store
        .write(|db| {
            db.execute_batch("CREATE TABLE numbers (place INTEGER PRIMARY KEY AUTOINCREMENT, value INTEGER UNIQUE)").or_store_error()
        })
        .await
        .unwrap();
    (folder, store)
}

async fn numbers(store: &SqliteStore) -> Vec<i64> {
    store
        .read(|db| {
            let mut statement = db.prepare("SELECT value FROM numbers ORDER BY place").or_store_error()?;
            let values = statement.query_map([], |row| row.get(0)).or_store_error()?;
            values.collect::<Result<_, _>>().or_store_error()
        })
        .await
        .unwrap()
}

type Writing<T> = Pin<Box<dyn Future<Output = T>>>;

/// Queues the writes in order while the writer is held, so that they form one group, and answers their outcomes.
async fn as_one_group<T>(store: &SqliteStore, mut writes: Vec<Writing<T>>) -> Vec<T> {
    let (release, released) = mpsc::channel::<()>();
    let (started, is_started) = oneshot::channel();
    let mut held = Box::pin(store.write(move |_| {
        let _ = started.send(());
        let _ = released.recv();
        Ok::<_, StoreError>(())
    }));
    assert!(poll!(held.as_mut()).is_pending());
    is_started.await.unwrap();
    for write in &mut writes {
        assert!(poll!(write.as_mut()).is_pending());
    }
    drop(release);
    held.await.unwrap();
    join_all(writes).await
}

fn inserting(store: &SqliteStore, value: i64) -> Writing<Result<(), StoreError>> {
    let store = store.clone();
    Box::pin(async move { store.write(move |db| insert(db, value)).await })
}

#[tokio::test]
async fn writes_of_one_group_keep_their_order() {
    let (_folder, store) = with_numbers().await;

    let outcomes = as_one_group(&store, (0..100).rev().map(|value| inserting(&store, value)).collect()).await;

    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(numbers(&store).await, (0..100).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_failing_write_undoes_itself_alone() {
    let (_folder, store) = with_numbers().await;
    let half_done = store.clone();
    let failing: Writing<Result<(), StoreError>> = Box::pin(async move {
        half_done
            .write(|db| {
                insert(db, 100)?;
                insert(db, 1)
            })
            .await
    });

    let outcomes = as_one_group(&store, vec![inserting(&store, 1), failing, inserting(&store, 2)]).await;

    assert!(matches!(outcomes.as_slice(), [Ok(()), Err(StoreError::Failed(_)), Ok(())]), "{outcomes:?}");
    assert_eq!(numbers(&store).await, [1, 2]);
}

#[tokio::test]
async fn a_panicking_write_undoes_itself_alone_and_the_writer_lives() {
    let (_folder, store) = with_numbers().await;
    let broken = store.clone();
    let panicking: Writing<Result<(), StoreError>> = Box::pin(async move {
        broken
            .write(|db| {
                insert(db, 100)?;
                panic!("a write of the test")
            })
            .await
    });

    let outcomes = as_one_group(&store, vec![inserting(&store, 1), panicking, inserting(&store, 2)]).await;
    inserting(&store, 3).await.unwrap();

    assert!(matches!(outcomes.as_slice(), [Ok(()), Err(StoreError::Failed(_)), Ok(())]), "{outcomes:?}");
    assert_eq!(numbers(&store).await, [1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_concurrent_writes_all_but_the_failing_ones_are_kept_in_each_callers_order() {
    const CALLERS: i64 = 64;
    const WRITES: i64 = 50;
    let (_folder, store) = with_numbers().await;

    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let store = store.clone();
        callers.spawn(async move {
            for step in 0..WRITES {
                let value = caller * WRITES + step;
                let failing = value % 7 == 3;
                let outcome = store
                    .write(move |db| {
                        insert(db, value)?;
                        // The second time it breaks the rule that values are unique.
                        if failing { insert(db, value) } else { Ok(()) }
                    })
                    .await;
                assert_eq!(outcome.is_err(), failing, "{value}");
            }
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller.unwrap();
    }

    let kept = numbers(&store).await;
    for caller in 0..CALLERS {
        let own: Vec<i64> = kept.iter().copied().filter(|value| value / WRITES == caller).collect();
        let expected: Vec<i64> = (caller * WRITES..(caller + 1) * WRITES).filter(|value| value % 7 != 3).collect();
        assert_eq!(own, expected);
    }
}

#[tokio::test]
async fn closing_writes_what_is_queued_and_refuses_what_comes_after() {
    let (folder, store) = with_numbers().await;
    let (release, released) = mpsc::channel::<()>();
    let mut held = Box::pin(store.write(move |_| {
        let _ = released.recv();
        Ok::<_, StoreError>(())
    }));
    assert!(poll!(held.as_mut()).is_pending());
    let mut queued = inserting(&store, 1);
    assert!(poll!(queued.as_mut()).is_pending());

    let mut closing = Box::pin(store.close());
    assert!(poll!(closing.as_mut()).is_pending());
    drop(release);
    closing.await;

    held.await.unwrap();
    queued.await.unwrap();
    assert!(matches!(inserting(&store, 2).await, Err(StoreError::Closed)));
    assert!(matches!(store.read(|_| Ok::<_, StoreError>(())).await, Err(StoreError::Closed)));
    store.close().await;
    let reopened = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
    assert_eq!(numbers(&reopened).await, [1]);
}

#[tokio::test]
async fn dropping_the_last_handle_writes_what_is_queued() {
    let (folder, store) = with_numbers().await;
    for value in 0..20 {
        assert!(poll!(inserting(&store, value)).is_pending());
    }

    drop(store);

    let reopened = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
    assert_eq!(numbers(&reopened).await, (0..20).collect::<Vec<_>>());
}
