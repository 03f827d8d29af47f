//! The `WalletBook` port: what is known of a wallet's nonces, holds, and what a reconciliation found.

use super::{
    super::{
        OrStoreError, SqliteStore,
        columns::{count, from_count, micros, parsed, rows, time},
        ledger,
    },
    budget::{self, Counter, CounterDay},
    records,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::{
        AgentId,
        freeze::Freeze,
        ledger::{foreign_entries, hold_entry, reconcile_entry},
        money::{Address, Asset, AssetKind, B256, ChainId, NATIVE_DECIMALS, checksummed},
        transfer::{ForeignTransaction, NewTransfer, Reconciliation},
    },
    ports::{
        StoreError,
        wallet_book::{BookStanding, WalletBook},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

#[async_trait]
impl WalletBook for SqliteStore {
    async fn standing(&self, wallet: Address, chain: ChainId) -> Result<BookStanding, StoreError> {
        self.read(move |db| {
            let key = params![checksummed(&wallet), chain.to_string()];
            let open = "wallet = ?1 AND chain_id = ?2 \
                 AND (state = 'reserved' OR state = 'handed_over' OR state = 'signed' OR state = 'broadcast') ORDER BY number";
            Ok(BookStanding { consumed_next: consumed_next(db, wallet, chain)?, open: records(db, open, key)? })
        })
        .await
    }

    async fn chains(&self, wallet: Address) -> Result<Vec<ChainId>, StoreError> {
        let find = "SELECT chain_id FROM wallet_nonces WHERE wallet = ?1 UNION SELECT chain_id FROM transfers WHERE wallet = ?1 \
             AND (state = 'reserved' OR state = 'handed_over' OR state = 'signed' OR state = 'broadcast')";
        self.read(move |db| rows(db, find, [checksummed(&wallet)], |row| Ok(ChainId(parsed(row, 0)?)))).await
    }

    async fn held(&self, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
        let agent = agent.clone();
        self.read(move |db| held(db, &agent)).await
    }

    async fn reconcile(&self, reconciliation: &Reconciliation) -> Result<(), StoreError> {
        let reconciliation = reconciliation.clone();
        self.write(move |db| reconcile(db, &reconciliation)).await
    }
}

fn reconcile(db: &Connection, reconciliation: &Reconciliation) -> Result<(), StoreError> {
    let wallet = reconciliation.wallet;
    for foreign in &reconciliation.found {
        if is_new(db, wallet, foreign)? {
            write_foreign(db, reconciliation, foreign)?;
        }
    }
    for (chain, next) in &reconciliation.next_nonces {
        consume(db, wallet, *chain, *next)?;
    }
    if reconciliation.is_complete {
        db.execute("DELETE FROM wallet_holds WHERE agent_id = ?1", [reconciliation.agent.as_str()]).or_store_error()?;
    }
    ledger::append(db, &reconcile_entry(reconciliation)).map(drop)
}

/// Another process may have reconciled meanwhile.
fn is_new(db: &Connection, wallet: Address, foreign: &ForeignTransaction) -> Result<bool, StoreError> {
    let find = "SELECT NOT EXISTS (SELECT 1 FROM foreign_payments WHERE wallet = ?1 AND chain_id = ?2 AND nonce = ?3)";
    let key = params![checksummed(&wallet), foreign.chain.to_string(), from_count(foreign.nonce)?];
    db.query_row(find, key, |row| row.get(0)).or_store_error()
}

fn write_foreign(db: &Connection, reconciliation: &Reconciliation, foreign: &ForeignTransaction) -> Result<(), StoreError> {
    let (wallet, chain, day) = (reconciliation.wallet, foreign.chain, foreign.day());
    for (place, moved) in (0_u64..).zip(&foreign.moved) {
        let own = CounterDay { counter: Counter::Own, wallet, chain, asset: &moved.asset.symbol, decimals: moved.asset.decimals, day };
        budget::add_spent(db, &own, moved.units)?;
        db.execute(
            "INSERT INTO foreign_payments (wallet, chain_id, nonce, place, token, recipient, amount_units, tx_hash) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                checksummed(&wallet),
                chain.to_string(),
                from_count(foreign.nonce)?,
                from_count(place)?,
                token_text(&moved.asset),
                checksummed(&moved.to),
                moved.units.to_string(),
                foreign.tx_hash.to_string()
            ],
        )
        .or_store_error()?;
    }
    let fees = CounterDay { counter: Counter::Fees, wallet, chain, asset: "", decimals: NATIVE_DECIMALS, day };
    budget::add_spent(db, &fees, foreign.fee_wei)?;
    for entry in foreign_entries(reconciliation, foreign) {
        ledger::append(db, &entry)?;
    }
    Ok(())
}

/// A payment exactly like this one that a reconciliation found, and that no task was asked about yet.
pub(super) fn foreign_like(db: &Connection, transfer: &NewTransfer) -> Result<Option<B256>, StoreError> {
    let request = &transfer.request;
    db.prepare_cached(
        "SELECT tx_hash FROM foreign_payments \
         WHERE wallet = ?1 AND chain_id = ?2 AND token = ?3 AND recipient = ?4 AND amount_units = ?5 AND asked_for IS NULL LIMIT 1",
    )
    .or_store_error()?
    .query_row(
        params![
            checksummed(&request.wallet),
            request.chain.to_string(),
            token_text(&request.asset),
            checksummed(&request.to),
            request.amount_units.to_string()
        ],
        |row| parsed(row, 0),
    )
    .optional()
    .or_store_error()
}

/// One payment is asked about once, for one task.
pub(super) fn ask_for(db: &Connection, tx_hash: B256, task_id: UuidV4) -> Result<(), StoreError> {
    let asked = "UPDATE foreign_payments SET asked_for = ?2 WHERE tx_hash = ?1 AND asked_for IS NULL";
    db.execute(asked, params![tx_hash.to_string(), task_id.to_string()]).map(drop).or_store_error()
}

pub(in super::super) fn held(db: &Connection, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
    db.prepare_cached("SELECT reason, since FROM wallet_holds WHERE agent_id = ?1")
        .or_store_error()?
        .query_row([agent.as_str()], |row| Ok(Freeze::hold(agent.clone(), row.get(0)?, time(row, 1)?)))
        .optional()
        .or_store_error()
}

/// The first reason stays, and is on the ledger once. Returns the hold that stands.
pub(in super::super) fn hold(db: &Connection, agent: &AgentId, reason: &str, at: DateTime<Utc>) -> Result<Freeze, StoreError> {
    if let Some(held) = held(db, agent)? {
        return Ok(held);
    }
    let hold = "INSERT INTO wallet_holds (agent_id, reason, since) VALUES (?1, ?2, ?3)";
    db.execute(hold, params![agent.as_str(), reason, micros(at)]).or_store_error()?;
    ledger::append(db, &hold_entry(agent, reason, at))?;
    Ok(Freeze::hold(agent.clone(), reason.to_owned(), at))
}

pub(super) fn consumed_next(db: &Connection, wallet: Address, chain: ChainId) -> Result<u64, StoreError> {
    let mut find = db.prepare_cached("SELECT consumed_next FROM wallet_nonces WHERE wallet = ?1 AND chain_id = ?2").or_store_error()?;
    let key = params![checksummed(&wallet), chain.to_string()];
    Ok(find.query_row(key, |row| count(row, 0)).optional().or_store_error()?.unwrap_or_default())
}

/// Every nonce below `next` is used.
pub(super) fn consume(db: &Connection, wallet: Address, chain: ChainId, next: u64) -> Result<(), StoreError> {
    let mut consume = db
        .prepare_cached(
            "INSERT INTO wallet_nonces (wallet, chain_id, consumed_next) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET consumed_next = max(consumed_next, excluded.consumed_next)",
        )
        .or_store_error()?;
    consume.execute(params![checksummed(&wallet), chain.to_string(), from_count(next)?]).map(drop).or_store_error()
}

fn token_text(asset: &Asset) -> String {
    match asset.kind {
        AssetKind::Native => String::new(),
        AssetKind::Token(contract) => checksummed(&contract),
    }
}
