//! What was done to the ledger's rows behind the program's back shows.

use super::super::{OrStoreError, SqliteStore, ledger};
use chimera_core::{
    contracts::UuidV4,
    ports::ledger::{Ledger, LedgerKind, NewLedgerEntry},
};
use tempfile::TempDir;

async fn with_five_entries() -> (TempDir, SqliteStore) {
    let (folder, store) = super::fresh();
    for count in 0..5 {
        let entry = NewLedgerEntry {
            at: chrono::DateTime::UNIX_EPOCH,
            kind: LedgerKind::Payment,
            agent: "selam".parse().unwrap(),
            task_id: UuidV4::random(),
            facts: serde_json::json!({ "count": count }),
        };
        store.write(move |db| ledger::append(db, &entry)).await.unwrap();
    }
    (folder, store)
}

#[tokio::test]
async fn the_program_itself_cannot_change_or_delete_entries() {
    for sql in ["UPDATE ledger SET facts = '{}'", "DELETE FROM ledger WHERE number = 5"] {
        let (_folder, store) = with_five_entries().await;

        let outcome = store.write(move |db| db.execute_batch(sql).or_store_error()).await;

        assert!(outcome.is_err(), "{sql}");
        assert_eq!(store.verify().await.unwrap().first_bad, None);
    }
}

#[tokio::test]
async fn any_change_is_found_at_its_entry() {
    for sql in [
        "UPDATE ledger SET facts = '{ \"count\": 2 }' WHERE number = 3",
        "UPDATE ledger SET facts = 'nonsense' WHERE number = 3",
        "UPDATE ledger SET at = at + 1 WHERE number = 3",
        "UPDATE ledger SET kind = 'refusal' WHERE number = 3",
        "UPDATE ledger SET kind = 'unheard of' WHERE number = 3",
        "UPDATE ledger SET agent_id = 'noor' WHERE number = 3",
        "UPDATE ledger SET task_id = '' WHERE number = 3",
        "UPDATE ledger SET hash = '' WHERE number = 3",
        "UPDATE ledger SET number = 30 WHERE number = 3",
        "DELETE FROM ledger WHERE number = 3",
    ] {
        let (_folder, store) = with_five_entries().await;
        store
            .write(move |db| db.execute_batch(&format!("DROP TRIGGER ledger_stays; DROP TRIGGER ledger_keeps; {sql}")).or_store_error())
            .await
            .unwrap();

        assert_eq!(store.verify().await.unwrap().first_bad, Some(3), "{sql}");
    }
}
