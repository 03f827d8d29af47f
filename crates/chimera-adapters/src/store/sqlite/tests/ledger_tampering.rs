//! What was done to the ledger's rows, its key or its head behind the program's back shows, at the entry where it begins.

use super::super::{OrStoreError, SqliteStore, ledger};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        ledger::{Account, EntryFields, Link, Movement, Postings, Signing},
        money::{Address, Asset, ChainId, U256},
    },
    ports::{
        StoreError,
        ledger::{Ledger, LedgerKind, LedgerProblem, LedgerVerdict, NewLedgerEntry},
    },
};
use rusqlite::{Connection, params};
use std::{fs, path::Path};
use tempfile::TempDir;

const ENTRIES: u64 = 6;

fn entry(count: u64) -> NewLedgerEntry {
    let movement = |to, asset, units| Movement { from: Account::Wallet("selam".parse().unwrap()), to, chain: ChainId(8453), asset, units };
    // Every other entry moves something.
    let moved = (count % 2 == 1).then(|| {
        [
            movement(Account::Payee(Address::repeat_byte(7)), Asset::token("USDC", Address::repeat_byte(8), 6), U256::from(500 + count)),
            movement(Account::Fees, Asset::native("ETH"), U256::from(21_000)),
        ]
    });
    NewLedgerEntry {
        at: chrono::DateTime::UNIX_EPOCH,
        kind: LedgerKind::Payment,
        agent: Some("selam".parse().unwrap()),
        task_id: Some(UuidV4::random()),
        facts: serde_json::json!({ "count": count }),
        postings: Postings::of(moved.into_iter().flatten()),
    }
}

async fn append(store: &SqliteStore, entry: NewLedgerEntry) -> Result<(), StoreError> {
    store.write(move |db| ledger::append(db, &entry).map(drop)).await
}

/// A folder with a ledger that nobody has open.
async fn written(entries: u64) -> TempDir {
    let (folder, store) = super::fresh();
    for count in 1..=entries {
        append(&store, entry(count)).await.unwrap();
    }
    store.close().await;
    folder
}

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(&folder.join("chimera.db")).unwrap()
}

/// The database as somebody with the file and any tool has it.
fn tampered(folder: &Path, change: impl FnOnce(&Connection)) {
    let db = Connection::open(folder.join("chimera.db")).unwrap();
    db.execute_batch("DROP TRIGGER IF EXISTS ledger_stays; DROP TRIGGER IF EXISTS ledger_keeps").unwrap();
    change(&db);
}

async fn verdict(folder: &Path) -> LedgerVerdict {
    let store = open(folder);
    let verdict = store.verify().await.unwrap();
    store.close().await;
    verdict
}

async fn first_bad(folder: &Path) -> Option<u64> {
    let verdict = verdict(folder).await;
    assert_eq!(verdict.first_bad.is_some(), verdict.problem.is_some());
    verdict.first_bad
}

/// Makes every hash from entry `first` on follow from its fields, as somebody without the key can.
pub(super) fn rehash(db: &Connection, first: i64) {
    let last: i64 = db.query_row("SELECT max(number) FROM ledger", [], |row| row.get(0)).unwrap();
    for number in first..=last {
        let text = |column: &str, of: i64| -> Option<String> {
            db.query_row(&format!("SELECT {column} FROM ledger WHERE number = ?1"), [of], |row| row.get(0)).unwrap()
        };
        let signing = if text("signature", number).is_some() { Signing::Own } else { Signing::Later };
        let (hash, signature) = if number == 1 {
            (chimera_core::ports::ledger::GENESIS_HASH.to_owned(), None)
        } else {
            (text("hash", number - 1).unwrap(), text("signature", number - 1))
        };
        let columns = ["kind", "agent_id", "task_id", "facts"].map(|column| text(column, number).unwrap());
        let postings = text("postings", number);
        let fields = EntryFields {
            at_micros: db.query_row("SELECT at FROM ledger WHERE number = ?1", [number], |row| row.get(0)).unwrap(),
            kind: columns[0].as_bytes(),
            agent_id: columns[1].as_bytes(),
            task_id: columns[2].as_bytes(),
            facts: columns[3].as_bytes(),
            postings: postings.as_ref().map(String::as_bytes),
            signing,
        };
        let previous = Link { hash: hash.as_bytes(), signature: signature.as_deref().unwrap_or_default().as_bytes() };
        let hash = alloy_primitives::hex::encode(fields.chained_hash(number as u64, previous));
        db.execute("UPDATE ledger SET hash = ?2 WHERE number = ?1", params![number, hash]).unwrap();
    }
}

#[tokio::test]
async fn the_program_itself_cannot_change_or_delete_entries() {
    for sql in ["UPDATE ledger SET facts = '{}'", "DELETE FROM ledger WHERE number = 6"] {
        let folder = written(ENTRIES).await;
        let store = open(folder.path());

        let outcome = store.write(move |db| db.execute_batch(sql).or_store_error()).await;

        assert!(outcome.is_err(), "{sql}");
        assert_eq!(store.verify().await.unwrap(), LedgerVerdict::sound(ENTRIES));
    }
}

/// Every column, and ways to change it that leave a row behind.
const CHANGES: [(&str, &str); 22] = [
    ("at", "at + 1"),
    ("at", "-at - 1"),
    ("kind", "'refusal'"),
    ("kind", "'unheard of'"),
    ("kind", "''"),
    ("agent_id", "'noor'"),
    ("agent_id", "''"),
    ("task_id", "''"),
    ("task_id", "upper(task_id) || ' '"),
    ("facts", "'{}'"),
    ("facts", "facts || ' '"),
    ("facts", "'nonsense'"),
    ("facts", "CAST(x'ff00' AS TEXT)"),
    ("postings", "NULL"),
    ("postings", "'[ ]'"),
    ("postings", "replace(postings, '500', '900') || ' '"),
    ("hash", "''"),
    ("hash", "upper(hash) || 'A'"),
    ("signature", "NULL"),
    ("signature", "''"),
    ("signature", "upper(signature) || '0'"),
    ("signature", "(SELECT signature FROM ledger AS other WHERE other.number <> ledger.number LIMIT 1)"),
];

#[tokio::test]
async fn a_change_to_any_column_of_any_row_is_found_at_that_row() {
    let folder = written(ENTRIES).await;
    let database = folder.path().join("chimera.db");
    let whole = fs::read(&database).unwrap();
    for (column, value) in CHANGES {
        for number in 1..=ENTRIES {
            fs::write(&database, &whole).unwrap();
            tampered(folder.path(), |db| {
                let sql = format!("UPDATE ledger SET {column} = {value} WHERE number = {number}");
                assert_eq!(db.execute(&sql, []).unwrap(), 1);
            });
            assert_eq!(first_bad(folder.path()).await, Some(number), "{column} = {value} of {number}");
        }
    }
    fs::write(&database, &whole).unwrap();
    assert_eq!(first_bad(folder.path()).await, None);
}

#[tokio::test]
async fn whoever_changes_a_row_and_makes_every_later_hash_fit_is_found_at_that_row() {
    let folder = written(ENTRIES).await;
    let database = folder.path().join("chimera.db");
    let whole = fs::read(&database).unwrap();
    for (column, value) in CHANGES.into_iter().filter(|(column, _)| !["hash", "signature"].contains(column)) {
        for number in 1..=ENTRIES {
            if value.contains("x'ff00'") {
                continue;
            }
            fs::write(&database, &whole).unwrap();
            tampered(folder.path(), |db| {
                db.execute(&format!("UPDATE ledger SET {column} = {value} WHERE number = {number}"), []).unwrap();
                rehash(db, number as i64);
            });
            assert_eq!(first_bad(folder.path()).await, Some(number), "{column} = {value} of {number}");
        }
    }
}

/// A folder with a ledger of six entries: the first alone, then four that were appended together, then one alone.
async fn written_together() -> TempDir {
    let (folder, store) = super::fresh();
    append(&store, entry(1)).await.unwrap();
    store.write(|db| ledger::append_all(db, &[2, 3, 4, 5].map(|number| entry(number).to_text()).each_ref())).await.unwrap();
    append(&store, entry(6)).await.unwrap();
    store.close().await;
    folder
}

#[tokio::test]
async fn a_change_to_an_entry_that_was_signed_with_a_later_one_is_found() {
    let folder = written_together().await;
    let database = folder.path().join("chimera.db");
    let whole = fs::read(&database).unwrap();
    assert_eq!(verdict(folder.path()).await, LedgerVerdict::sound(ENTRIES));
    for (column, value) in CHANGES.into_iter().filter(|(_, value)| *value != "NULL") {
        for number in 1..=ENTRIES {
            let is_signed_later = (2..5).contains(&number);
            if is_signed_later && value.starts_with("upper(signature)") {
                continue;
            }
            let change = |db: &Connection| {
                db.execute(&format!("UPDATE ledger SET {column} = {value} WHERE number = {number}"), []).unwrap();
            };
            fs::write(&database, &whole).unwrap();
            tampered(folder.path(), change);
            assert_eq!(first_bad(folder.path()).await, Some(number), "{column} = {value} of {number}");
            if ["hash", "signature"].contains(&column) || value.contains("x'ff00'") {
                continue;
            }
            fs::write(&database, &whole).unwrap();
            tampered(folder.path(), |db| {
                change(db);
                rehash(db, number as i64);
            });
            // With every hash made to fit, the signature that was made over it tells.
            let told_at = if is_signed_later { 5 } else { number };
            assert_eq!(first_bad(folder.path()).await, Some(told_at), "{column} = {value} of {number}, rehashed");
        }
    }
}

#[tokio::test]
async fn a_signature_that_was_taken_away_is_missed_where_it_was() {
    for (number, bad, is_rehashed) in [(1, 1, false), (5, 5, false), (6, 6, false), (1, 5, true), (5, 6, true), (6, 6, true)] {
        let folder = written_together().await;
        tampered(folder.path(), |db| {
            db.execute("UPDATE ledger SET signature = NULL WHERE number = ?1", [number]).unwrap();
            if is_rehashed {
                rehash(db, number);
            }
        });
        assert_eq!(first_bad(folder.path()).await, Some(bad), "{number}, rehashed: {is_rehashed}");
    }
}

#[tokio::test]
async fn entries_that_lack_the_one_they_were_signed_with_are_found_even_where_the_head_lags() {
    let folder = written(1).await;
    let lagging = fs::read(folder.path().join("ledger.head")).unwrap();
    let store = open(folder.path());
    store.write(|db| ledger::append_all(db, &[2, 3, 4].map(|number| entry(number).to_text()).each_ref())).await.unwrap();
    store.close().await;
    tampered(folder.path(), |db| {
        db.execute("DELETE FROM ledger WHERE number = 4", []).unwrap();
    });

    let cut = verdict(folder.path()).await;
    fs::write(folder.path().join("ledger.head"), lagging).unwrap();
    let above_the_head = verdict(folder.path()).await;
    fs::remove_file(folder.path().join("ledger.head")).unwrap();
    let without_head = verdict(folder.path()).await;

    assert_eq!(cut, LedgerVerdict::broken(3, LedgerProblem::Cut { first: 4, last: 4 }));
    assert_eq!(above_the_head, LedgerVerdict::broken(3, LedgerProblem::Unsigned { number: 2 }));
    assert_eq!(without_head, LedgerVerdict::broken(3, LedgerProblem::Unsigned { number: 2 }));
}

#[tokio::test]
async fn rows_that_are_gone_added_swapped_or_renumbered_are_found_where_it_begins() {
    let insert = "INSERT INTO ledger SELECT 7, at, kind, agent_id, task_id, facts, postings, hash, signature FROM ledger WHERE number = 6";
    let swap = "UPDATE ledger SET number = -1 WHERE number = 2; UPDATE ledger SET number = 2 WHERE number = 3; \
         UPDATE ledger SET number = 3 WHERE number = -1";
    let make_room = "UPDATE ledger SET number = -number - 1 WHERE number > 3; UPDATE ledger SET number = -number WHERE number < 0; \
         INSERT INTO ledger SELECT 4, at, kind, agent_id, task_id, facts, postings, hash, signature FROM ledger WHERE number = 3";
    let close_gap = "DELETE FROM ledger WHERE number = 3; UPDATE ledger SET number = number - 1 WHERE number > 3";
    for (sql, rehash_from, bad) in [
        ("DELETE FROM ledger WHERE number = 1", None, 1),
        ("DELETE FROM ledger WHERE number = 3", None, 3),
        ("DELETE FROM ledger", None, 1),
        ("UPDATE ledger SET number = 30 WHERE number = 3", None, 3),
        ("UPDATE ledger SET number = 0 WHERE number = 1", None, 1),
        ("UPDATE ledger SET number = -5 WHERE number = 6", None, 1),
        (close_gap, None, 3),
        (close_gap, Some(3), 3),
        (swap, None, 2),
        (swap, Some(2), 2),
        (insert, None, 7),
        (insert, Some(7), 7),
        (make_room, None, 4),
        (make_room, Some(4), 4),
    ] {
        let folder = written(ENTRIES).await;
        tampered(folder.path(), |db| {
            db.execute_batch(sql).unwrap();
            if let Some(first) = rehash_from {
                rehash(db, first);
            }
        });
        assert_eq!(first_bad(folder.path()).await, Some(bad), "{sql}");
    }
}

#[tokio::test]
async fn a_tail_of_any_length_that_was_cut_off_is_missed() {
    for kept in 0..ENTRIES {
        let folder = written(ENTRIES).await;
        tampered(folder.path(), |db| {
            db.execute("DELETE FROM ledger WHERE number > ?1", [kept as i64]).unwrap();
        });

        let found = verdict(folder.path()).await;

        let cut = LedgerProblem::Cut { first: kept + 1, last: ENTRIES };
        assert_eq!(found, LedgerVerdict::broken(kept, cut));
    }
}

#[tokio::test]
async fn what_is_written_after_a_cut_does_not_hide_it() {
    let folder = written(ENTRIES).await;
    tampered(folder.path(), |db| {
        db.execute("DELETE FROM ledger WHERE number > 4", []).unwrap();
    });
    let head = fs::read(folder.path().join("ledger.head")).unwrap();

    let store = open(folder.path());
    for count in 0..4 {
        append(&store, entry(count)).await.unwrap();
    }
    store.close().await;

    assert_eq!(fs::read(folder.path().join("ledger.head")).unwrap(), head, "the proof stays");
    assert_eq!(verdict(folder.path()).await, LedgerVerdict::broken(8, LedgerProblem::OtherHead { number: ENTRIES }));
}

#[tokio::test]
async fn what_is_written_after_a_forgery_does_not_vouch_for_it() {
    let folder = written(ENTRIES).await;
    tampered(folder.path(), |db| {
        db.execute("UPDATE ledger SET facts = '{}' WHERE number = 2", []).unwrap();
        rehash(db, 2);
    });

    let store = open(folder.path());
    append(&store, entry(1)).await.unwrap();
    store.close().await;

    assert_eq!(verdict(folder.path()).await, LedgerVerdict::broken(ENTRIES + 1, LedgerProblem::Forged { number: 2 }));
}

#[tokio::test]
async fn a_head_that_is_missing_or_forged_is_told_and_never_replaced() {
    let folder = written(ENTRIES).await;
    let path = folder.path().join("ledger.head");
    let good = fs::read_to_string(&path).unwrap();
    let older = {
        let other = written(1).await;
        fs::read_to_string(other.path().join("ledger.head")).unwrap()
    };
    let number = format!("\"number\": {ENTRIES}");
    assert!(good.contains(&number));
    for (what, text) in [
        ("gone", None),
        ("empty", Some(String::new())),
        ("nonsense", Some("nonsense".to_owned())),
        ("too long", Some(format!("{good}{}", " ".repeat(5_000)))),
        ("another number", Some(good.replace(&number, "\"number\": 5"))),
        ("another hash", Some(good.replacen("\"hash\": \"", "\"hash\": \"0", 1))),
        ("older entries unsigned", Some(good.replace("\"unsigned_to\": 0", "\"unsigned_to\": 3"))),
        ("another node's", Some(older)),
    ] {
        match &text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }

        let found = verdict(folder.path()).await;
        let store = open(folder.path());
        append(&store, entry(1)).await.unwrap();
        store.close().await;

        let entries = found.entries;
        let expected = match &text {
            Some(_) => LedgerProblem::ForgedHead { next: entries + 1 },
            None => LedgerProblem::NoHead { next: entries + 1 },
        };
        assert_eq!(found, LedgerVerdict::broken(entries, expected), "{what}");
        assert_eq!(fs::read_to_string(&path).ok(), text, "{what}");
    }
    // The true one vouches again, for what it names.
    fs::write(&path, good).unwrap();
    assert_eq!(first_bad(folder.path()).await, None);
}

#[tokio::test]
async fn postings_that_do_not_balance_are_found_even_when_the_node_signed_them() {
    let folder = written(2).await;
    let store = open(folder.path());
    store
        .write(|db| {
            let last = ledger::append(db, &entry(1))?;
            // As a program with a fault would have written it: hashed and signed, and wrong.
            db.execute_batch("DROP TRIGGER ledger_stays").or_store_error()?;
            let text = last.entry.to_text();
            let postings = text.postings.replacen("21000", "20999", 1);
            let before: (String, String) = db
                .query_row("SELECT hash, signature FROM ledger WHERE number = 2", [], |row| Ok((row.get(0)?, row.get(1)?)))
                .or_store_error()?;
            let previous = Link { hash: before.0.as_bytes(), signature: before.1.as_bytes() };
            let fields = EntryFields { postings: Some(postings.as_bytes()), ..text.fields() };
            let hash = alloy_primitives::hex::encode(fields.chained_hash(3, previous));
            let set = "UPDATE ledger SET postings = ?1, hash = ?2, signature = ledger_signature(?2) WHERE number = 3";
            db.execute(set, params![postings, hash]).map(drop).or_store_error()
        })
        .await
        .unwrap();
    store.close().await;

    assert_eq!(verdict(folder.path()).await, LedgerVerdict::broken(3, LedgerProblem::Unbalanced { number: 3 }));
}
