//! What every `Ledger` holds to. How entries are added is each store's own, so the suite is told how.

use super::samples::{AGENT, at};
use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        ledger::{GENESIS_HASH, Ledger, LedgerEntry, LedgerKind, LedgerVerdict, NewLedgerEntry},
    },
};
use serde_json::json;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Ledger>(
    fresh: impl Fn() -> (Guard, Store),
    append: impl AsyncFn(&Store, NewLedgerEntry) -> Result<LedgerEntry, StoreError>,
) {
    let (_guard, ledger) = fresh();
    entries_are_numbered_from_one_and_chained(&ledger, &append).await;
    let (_guard, ledger) = fresh();
    entries_are_listed_newest_first_of_one_agent_or_of_all(&ledger, &append).await;
    let (_guard, ledger) = fresh();
    an_untouched_ledger_is_found_whole(&ledger, &append).await;
}

async fn entries_are_numbered_from_one_and_chained<Store: Ledger>(
    ledger: &Store,
    append: &impl AsyncFn(&Store, NewLedgerEntry) -> Result<LedgerEntry, StoreError>,
) {
    let first = append(ledger, entry(AGENT, LedgerKind::Payment)).await.unwrap();
    let second = append(ledger, entry(AGENT, LedgerKind::Refusal)).await.unwrap();

    assert_eq!((first.number, second.number), (1, 2));
    assert_eq!(first.hash, first.entry.chained_hash(1, GENESIS_HASH));
    assert_eq!(second.hash, second.entry.chained_hash(2, &first.hash));
}

async fn entries_are_listed_newest_first_of_one_agent_or_of_all<Store: Ledger>(
    ledger: &Store,
    append: &impl AsyncFn(&Store, NewLedgerEntry) -> Result<LedgerEntry, StoreError>,
) {
    let mut appended = Vec::new();
    for (agent, kind) in [("selam", LedgerKind::Payment), ("other", LedgerKind::Refusal), ("selam", LedgerKind::Post)] {
        appended.insert(0, append(ledger, entry(agent, kind)).await.unwrap());
    }
    let id = |name: &str| name.parse::<AgentId>().unwrap();

    assert_eq!(ledger.list(None, 10).await.unwrap(), appended);
    assert_eq!(ledger.list(None, 2).await.unwrap(), appended[..2]);
    assert_eq!(ledger.list(Some(&id("selam")), 10).await.unwrap(), [appended[0].clone(), appended[2].clone()]);
    assert_eq!(ledger.list(Some(&id("selam")), 1).await.unwrap(), appended[..1]);
    assert_eq!(ledger.list(Some(&id("nobody")), 10).await.unwrap(), []);
}

async fn an_untouched_ledger_is_found_whole<Store: Ledger>(
    ledger: &Store,
    append: &impl AsyncFn(&Store, NewLedgerEntry) -> Result<LedgerEntry, StoreError>,
) {
    assert_eq!(ledger.verify().await.unwrap(), LedgerVerdict { entries: 0, first_bad: None });
    for _ in 0..5 {
        append(ledger, entry(AGENT, LedgerKind::Payment)).await.unwrap();
    }

    assert_eq!(ledger.verify().await.unwrap(), LedgerVerdict { entries: 5, first_bad: None });
}

fn entry(agent: &str, kind: LedgerKind) -> NewLedgerEntry {
    NewLedgerEntry {
        at: at(0),
        kind,
        agent: agent.parse().expect("tests give valid ids"),
        task_id: UuidV4::random(),
        // Numbers of many digits do not always read back as they were written.
        facts: json!({ "amount_units": "25000000", "score": 0.300_000_000_000_000_04, "far": 1.234_567_890_123_456_7e-308, "note": "caf\u{e9} \"\u{1F98A}\"" }),
    }
}
