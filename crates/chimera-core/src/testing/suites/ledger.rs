//! What every `Ledger` holds to. How entries are added is each store's own, so the suite is told how.

use super::samples::{AGENT, at};
use crate::{
    contracts::UuidV4,
    domain::{
        AgentId,
        ledger::{Account, Link, Movement, Postings},
        money::{Address, Asset, ChainId, U256},
    },
    ports::{
        StoreError,
        ledger::{Ledger, LedgerEntry, LedgerKind, LedgerVerdict, NewLedgerEntry},
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
    let (_guard, ledger) = fresh();
    pages_hold_everything_oldest_first(&ledger, &append).await;
    let (_guard, ledger) = fresh();
    what_moved_and_whom_it_concerns_reads_back(&ledger, &append).await;
}

async fn entries_are_numbered_from_one_and_chained<Store: Ledger>(
    ledger: &Store,
    append: &impl AsyncFn(&Store, NewLedgerEntry) -> Result<LedgerEntry, StoreError>,
) {
    let first = append(ledger, entry(AGENT, LedgerKind::Payment)).await.unwrap();
    let second = append(ledger, entry(AGENT, LedgerKind::Refusal)).await.unwrap();

    assert_eq!((first.number, second.number), (1, 2));
    let hash = |entry: &LedgerEntry, previous| {
        let hash = entry.entry.to_text().fields().chained_hash(entry.number, previous);
        alloy_primitives::hex::encode(hash)
    };
    assert_eq!(first.hash, hash(&first, Link::GENESIS));
    let signature = first.signature.as_deref().expect("an entry that is appended alone is signed");
    assert_eq!(second.hash, hash(&second, Link { hash: first.hash.as_bytes(), signature: signature.as_bytes() }));
    assert_ne!(second.signature, first.signature);
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
    assert_eq!(ledger.verify().await.unwrap(), LedgerVerdict::sound(0));
    for _ in 0..5 {
        append(ledger, entry(AGENT, LedgerKind::Payment)).await.unwrap();
    }

    assert_eq!(ledger.verify().await.unwrap(), LedgerVerdict::sound(5));
}

async fn pages_hold_everything_oldest_first<Store: Ledger>(
    ledger: &Store,
    append: &impl AsyncFn(&Store, NewLedgerEntry) -> Result<LedgerEntry, StoreError>,
) {
    let mut appended = Vec::new();
    for agent in ["selam", "other", "selam", "other", "selam"] {
        appended.push(append(ledger, entry(agent, LedgerKind::Refusal)).await.unwrap());
    }
    let selam: AgentId = "selam".parse().unwrap();

    assert_eq!(ledger.page(None, 0, 2).await.unwrap(), appended[..2]);
    assert_eq!(ledger.page(None, 2, 2).await.unwrap(), appended[2..4]);
    assert_eq!(ledger.page(None, 4, 2).await.unwrap(), appended[4..]);
    assert_eq!(ledger.page(None, 5, 2).await.unwrap(), []);
    assert_eq!(ledger.page(Some(&selam), 1, 10).await.unwrap(), [appended[2].clone(), appended[4].clone()]);
    assert_eq!(ledger.page(Some(&selam), 0, 1).await.unwrap(), appended[..1]);
}

async fn what_moved_and_whom_it_concerns_reads_back<Store: Ledger>(
    ledger: &Store,
    append: &impl AsyncFn(&Store, NewLedgerEntry) -> Result<LedgerEntry, StoreError>,
) {
    let movement =
        |to, asset, units| Movement { from: Account::Wallet(AGENT.parse().unwrap()), to, chain: ChainId(u64::MAX), asset, units };
    let postings = Postings::of([
        movement(Account::Payee(Address::repeat_byte(7)), Asset::token("=\"USDC\"", Address::repeat_byte(8), 6), U256::MAX),
        movement(Account::Fees, Asset::native("ETH"), U256::from(21_000)),
    ]);
    let moving = NewLedgerEntry { postings, ..entry(AGENT, LedgerKind::Payment) };
    let fleet = NewLedgerEntry { agent: None, task_id: None, ..entry(AGENT, LedgerKind::Control) };

    append(ledger, moving.clone()).await.unwrap();
    append(ledger, fleet.clone()).await.unwrap();

    let read: Vec<NewLedgerEntry> = ledger.list(None, 10).await.unwrap().into_iter().map(|entry| entry.entry).collect();
    assert_eq!(read, [fleet, moving.clone()]);
    let of_agent = ledger.list(moving.agent.as_ref(), 10).await.unwrap();
    assert_eq!(of_agent.len(), 1, "what concerns everybody is on nobody's own list");
}

fn entry(agent: &str, kind: LedgerKind) -> NewLedgerEntry {
    NewLedgerEntry {
        at: at(0),
        kind,
        agent: Some(agent.parse().expect("tests give valid ids")),
        task_id: Some(UuidV4::random()),
        // Numbers of many digits do not always read back as they were written.
        facts: json!({ "amount_units": "25000000", "score": 0.300_000_000_000_000_04, "far": 1.234_567_890_123_456_7e-308, "note": "caf\u{e9} \"\u{1F98A}\"" }),
        postings: Postings::none(),
    }
}
