//! The node's key and the ledger's head: made once, shared by all processes, never ahead of the database.

use super::super::{OpenError, SqliteStore, ledger};
use chimera_core::{
    contracts::UuidV4,
    domain::ledger::{EntryFields, EntryText, GENESIS_HASH, Link, Postings, Signing},
    ports::{
        StoreError,
        ledger::{Ledger, LedgerKind, LedgerProblem, LedgerVerdict, NewLedgerEntry},
    },
};
use rusqlite::{Connection, params};
use std::{fs, path::Path};

fn entry() -> NewLedgerEntry {
    NewLedgerEntry {
        at: chrono::DateTime::UNIX_EPOCH,
        kind: LedgerKind::Control,
        agent: None,
        task_id: Some(UuidV4::random()),
        facts: serde_json::json!({}),
        postings: Postings::none(),
    }
}

async fn append(store: &SqliteStore) {
    let entry = entry();
    store.write(move |db| ledger::append(db, &entry)).await.unwrap();
}

/// `fails` is what happens to the rest of the write that they are appended in.
async fn append_together(store: &SqliteStore, entries: usize, fails: bool) -> Result<(), StoreError> {
    let entries: Vec<EntryText> = (0..entries).map(|_| entry().to_text()).collect();
    let rest = move || if fails { Err(StoreError::Corrupt("of the test".to_owned())) } else { Ok(()) };
    store.write(move |db| ledger::append_all(db, &entries.iter().collect::<Vec<_>>()).and_then(|()| rest())).await
}

#[tokio::test]
async fn entries_that_are_appended_together_are_links_of_the_same_chain() {
    let (folder, store) = super::fresh();

    for (together, fails) in [(10, false), (0, false), (2, false), (10, true), (2, true), (5, false)] {
        assert_eq!(append_together(&store, together, fails).await.is_err(), fails, "{together}");
        append(&store).await;
    }

    assert_eq!(store.verify().await.unwrap(), LedgerVerdict::sound(10 + 2 + 5 + 6));
    let signed: String =
        store.list(None, 99).await.unwrap().iter().rev().map(|entry| if entry.signature.is_some() { 's' } else { '.' }).collect();
    assert_eq!(signed, ".........ss s .ss s s ....ss".replace(' ', ""));
    store.close().await;
    assert_eq!(head_number(folder.path()), 10 + 2 + 5 + 6);
}

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(&folder.join("chimera.db")).unwrap()
}

/// What the head says it vouches for.
fn head_number(folder: &Path) -> u64 {
    let text = fs::read_to_string(folder.join("ledger.head")).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap()["number"].as_u64().unwrap()
}

#[tokio::test]
async fn key_and_head_are_there_before_anything_is_signed() {
    let (folder, store) = super::fresh();

    assert!(folder.path().join("node.key").exists() && folder.path().join("node.pub").exists());
    assert_eq!(head_number(folder.path()), 0);
    assert_eq!(store.verify().await.unwrap(), LedgerVerdict::sound(0));
}

#[tokio::test]
async fn many_that_open_a_new_folder_at_once_sign_with_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let stores: Vec<SqliteStore> = std::thread::scope(|scope| {
        let openers: Vec<_> = (0..8).map(|_| scope.spawn(|| open(folder.path()))).collect();
        openers.into_iter().map(|opener| opener.join().unwrap()).collect()
    });

    futures::future::join_all(stores.iter().map(append)).await;
    let verdict = stores[0].verify().await.unwrap();
    for store in &stores {
        store.close().await;
    }

    assert_eq!(verdict, LedgerVerdict::sound(8));
    assert_eq!(head_number(folder.path()), 8);
}

#[tokio::test]
async fn a_head_that_lags_is_no_fault_and_catches_up() {
    let (folder, store) = super::fresh();
    append(&store).await;
    store.close().await;
    let lagging = fs::read(folder.path().join("ledger.head")).unwrap();
    let store = open(folder.path());
    append(&store).await;
    append(&store).await;
    store.close().await;

    fs::write(folder.path().join("ledger.head"), lagging).unwrap();
    let store = open(folder.path());
    let behind = store.verify().await.unwrap();
    append(&store).await;
    store.close().await;

    assert_eq!(behind, LedgerVerdict::sound(3));
    assert_eq!(head_number(folder.path()), 4);
}

#[tokio::test]
async fn what_stands_above_a_head_that_lags_is_held_against_its_own_signature() {
    let (folder, store) = super::fresh();
    append(&store).await;
    store.close().await;
    let lagging = fs::read(folder.path().join("ledger.head")).unwrap();
    let store = open(folder.path());
    append(&store).await;
    append(&store).await;
    store.close().await;
    fs::write(folder.path().join("ledger.head"), lagging).unwrap();

    let db = Connection::open(folder.path().join("chimera.db")).unwrap();
    db.execute_batch("DROP TRIGGER ledger_stays").unwrap();
    let (hash, signature): (String, String) =
        db.query_row("SELECT hash, signature FROM ledger WHERE number = 2", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let task: String = db.query_row("SELECT task_id FROM ledger WHERE number = 3", [], |row| row.get(0)).unwrap();
    let fields = EntryFields {
        at_micros: 1,
        kind: b"control",
        agent_id: b"",
        task_id: task.as_bytes(),
        facts: b"{}",
        postings: Some(b"[]"),
        signing: Signing::Own,
    };
    let forged = fields.chained_hash(3, Link { hash: hash.as_bytes(), signature: signature.as_bytes() });
    db.execute("UPDATE ledger SET at = 1, hash = ?1 WHERE number = 3", [alloy_primitives::hex::encode(forged)]).unwrap();
    drop(db);

    let found = open(folder.path()).verify().await.unwrap();
    assert_eq!(found, LedgerVerdict::broken(3, LedgerProblem::Forged { number: 3 }));
}

#[tokio::test]
async fn a_write_that_fails_leaves_ledger_and_head_as_they_were() {
    let (folder, store) = super::fresh();
    append(&store).await;

    let failed: Result<(), chimera_core::ports::StoreError> = store
        .write(|db| {
            let entry = NewLedgerEntry {
                at: chrono::DateTime::UNIX_EPOCH,
                kind: LedgerKind::Post,
                agent: None,
                task_id: None,
                facts: serde_json::json!({}),
                postings: Postings::none(),
            };
            ledger::append(db, &entry)?;
            Err(chimera_core::ports::StoreError::Corrupt("as the test wants it".to_owned()))
        })
        .await;
    let verdict = store.verify().await.unwrap();
    store.close().await;

    assert!(failed.is_err());
    assert_eq!(verdict, LedgerVerdict::sound(1));
    assert_eq!(head_number(folder.path()), 1);
}

#[tokio::test]
async fn a_key_that_is_gone_is_asked_for_and_not_replaced() {
    let (folder, store) = super::fresh();
    append(&store).await;
    store.close().await;
    fs::remove_file(folder.path().join("node.key")).unwrap();

    let refused = SqliteStore::open(&folder.path().join("chimera.db")).err();

    assert!(matches!(refused, Some(OpenError::KeyGone { .. })), "{refused:?}");
    assert!(!folder.path().join("node.key").exists());
}

/// A database as it was before entries were signed, with some of them.
fn unsigned_database(path: &Path, entries: u64) {
    let db = Connection::open(path).unwrap();
    db.execute_batch(include_str!("../../../../migrations/sqlite/0001_foundation.sql")).unwrap();
    db.execute_batch(include_str!("../../../../migrations/sqlite/0002_transfers.sql")).unwrap();
    db.pragma_update(None, "application_id", super::super::open::APPLICATION_ID).unwrap();
    db.pragma_update(None, "user_version", 2).unwrap();
    let mut hash = GENESIS_HASH.to_owned();
    for number in 1..=entries {
        let task = UuidV4::random().to_string();
        let fields = EntryFields {
            at_micros: 5,
            kind: b"payment",
            agent_id: b"selam",
            task_id: task.as_bytes(),
            facts: b"{}",
            postings: None,
            signing: Signing::Later,
        };
        hash = alloy_primitives::hex::encode(fields.chained_hash(number, Link { hash: hash.as_bytes(), signature: b"" }));
        let insert =
            "INSERT INTO ledger (number, at, kind, agent_id, task_id, facts, hash) VALUES (?1, 5, 'payment', 'selam', ?2, '{}', ?3)";
        db.execute(insert, params![number as i64, task, hash]).unwrap();
    }
}

#[tokio::test]
async fn a_ledger_from_before_signatures_keeps_verifying_and_grows_signed() {
    let folder = tempfile::tempdir().unwrap();
    unsigned_database(&folder.path().join("chimera.db"), 3);

    let store = open(folder.path());
    let before = store.verify().await.unwrap();
    append(&store).await;
    let after = store.verify().await.unwrap();
    let listed = store.list(None, 10).await.unwrap();
    store.close().await;

    assert_eq!((before, after), (LedgerVerdict::sound(3), LedgerVerdict::sound(4)));
    let signed: Vec<bool> = listed.iter().map(|entry| entry.signature.is_some()).collect();
    assert_eq!(signed, [true, false, false, false]);
    assert_eq!(head_number(folder.path()), 4);
}

#[tokio::test]
async fn what_is_changed_among_entries_from_before_signatures_is_found() {
    // One column, without and with every later hash made to fit; then before and after the first signed entry.
    for (is_signed_above, expected) in [(false, LedgerProblem::OtherHead { number: 3 }), (true, LedgerProblem::Forged { number: 4 })] {
        let folder = tempfile::tempdir().unwrap();
        unsigned_database(&folder.path().join("chimera.db"), 3);
        let store = open(folder.path());
        if is_signed_above {
            append(&store).await;
        }
        store.close().await;
        let entries = if is_signed_above { 4 } else { 3 };
        let db = Connection::open(folder.path().join("chimera.db")).unwrap();
        db.execute_batch("DROP TRIGGER ledger_stays; UPDATE ledger SET at = 6 WHERE number = 2").unwrap();

        let plain = open(folder.path()).verify().await.unwrap();
        super::ledger_tampering::rehash(&db, 2);
        let rehashed = open(folder.path()).verify().await.unwrap();

        assert_eq!(plain, LedgerVerdict::broken(entries, LedgerProblem::Changed { number: 2 }));
        assert_eq!(rehashed, LedgerVerdict::broken(entries, expected), "they have no signatures of their own to name them");
    }
}
