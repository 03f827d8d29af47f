//! What one transfer costs the store, and what a start costs, as confirmed transfers pile up in it.

use super::report::{Table, median};
use anyhow::{Context, Result, ensure};
use chimera_adapters::store::SqliteStore;
use chimera_core::{
    contracts::{UuidV4, wallet_transaction::WalletOperation},
    domain::{
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{Attempt, FeeLimits, Gas, Mined, NewTransfer, Settlement, SigningTerms, TransferRequest, Verdict},
    },
    ports::transfers::{Assignment, Recorded, Reservation, Transfers},
};
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Connection;
use std::{fmt::Write, path::PathBuf, sync::Arc, time::Instant};

const CONFIRMED_BEFORE: [usize; 4] = [0, 1_000, 100_000, 1_000_000];
/// Each of them on every store in turn, so that noise of the machine hits all alike.
const TRANSFERS: usize = 401;
const STARTS: usize = 41;
/// Found at a start.
const LEFT_OPEN: u64 = 16;
const RATIO_MAX: f64 = 1.25;
const NOW: &str = "2026-06-01T12:00:00Z";

struct Filled {
    folder: tempfile::TempDir,
    store: SqliteStore,
    next_nonce: u64,
}

pub(crate) struct Growth(Vec<Size>);

struct Size {
    confirmed_before: usize,
    transfer_ms: Vec<f64>,
    start_ms: Vec<f64>,
}

pub(crate) async fn measure() -> Result<Growth> {
    let mut stores = Vec::new();
    for confirmed in CONFIRMED_BEFORE {
        stores.push(Filled::with(confirmed).await.with_context(|| format!("{confirmed} transfers"))?);
    }
    let mut sizes = CONFIRMED_BEFORE.map(|confirmed_before| Size { confirmed_before, transfer_ms: Vec::new(), start_ms: Vec::new() });
    for number in 0..TRANSFERS {
        for place in 0..stores.len() {
            let at = (number + place) % stores.len();
            let started = Instant::now();
            stores[at].pay(End::Confirmed).await?;
            sizes[at].transfer_ms.push(milliseconds(started));
        }
    }
    for filled in &mut stores {
        filled.finalize().await?;
        for _ in 0..LEFT_OPEN {
            filled.pay(End::LeftOpen).await?;
        }
        filled.store.close().await;
    }
    for number in 0..STARTS {
        for place in 0..stores.len() {
            let at = (number + place) % stores.len();
            sizes[at].start_ms.push(stores[at].start().await?);
        }
    }
    Ok(Growth(sizes.into()))
}

enum End {
    Confirmed,
    LeftOpen,
}

impl Filled {
    /// One real transfer, multiplied over the months before.
    async fn with(confirmed: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut filled = Self { store: SqliteStore::open(&database(&folder))?, folder, next_nonce: 0 };
        if confirmed > 0 {
            filled.pay(End::Confirmed).await?;
            filled.finalize().await?;
            filled.store.close().await;
            multiply(&database(&filled.folder), confirmed - 1)?;
            filled.store = SqliteStore::open(&database(&filled.folder))?;
        }
        Ok(filled)
    }

    /// Every write that a transfer makes, as the wallet skill makes them.
    async fn pay(&mut self, end: End) -> Result<()> {
        let now: DateTime<Utc> = NOW.parse()?;
        let transfer = new_transfer(now + TimeDelta::milliseconds(self.next_nonce.cast_signed()));
        let id = transfer.transaction_id;
        let store = &self.store;
        ensure!(matches!(store.reserve(&transfer, Arc::new(|_| Verdict::Approve)).await?, Reservation::Reserved(_)));
        let wei = U256::from(10).pow(U256::from(24));
        let terms = SigningTerms {
            next_nonce: self.next_nonce,
            fee_max_wei: U256::from(1_000_000),
            fee_limits: FeeLimits { per_transaction_max_wei: wei, per_day_max_wei: wei },
            native_balance_wei: wei,
            asset_balance_units: wei,
        };
        let Assignment::Nonce(nonce) = store.assign(id, &terms).await? else { anyhow::bail!("no nonce was given out") };
        self.next_nonce = nonce + 1;
        let gas = Gas { limit: 21_000, max_fee_per_gas_wei: 3_000_000_000, max_priority_fee_per_gas_wei: 1_000_000_000 };
        let tx_hash = B256::left_padding_from(uuid::Uuid::new_v4().as_bytes());
        let attempt = Attempt { tx_hash, raw: vec![7; 112], gas, signed_at: now, cancelled_by: None };
        ensure!(store.record_signed(id, &attempt).await? == Recorded::Recorded);
        store.mark_broadcast(id).await?;
        if matches!(end, End::Confirmed) {
            let mined = Mined { tx_hash, block_number: nonce + 1, block_time: now, fee_wei: U256::from(900_000) };
            store.settle(id, &Settlement::Confirmed(mined), now).await?;
        }
        Ok(())
    }

    async fn finalize(&self) -> Result<()> {
        let ids: Vec<UuidV4> = self.store.not_final().await?.iter().map(|record| record.transfer.transaction_id).collect();
        Ok(self.store.finalize(&ids).await?)
    }

    /// Opens the store and finds what was under way, as a program does that starts.
    async fn start(&self) -> Result<f64> {
        let started = Instant::now();
        let store = SqliteStore::open(&database(&self.folder))?;
        let (open, not_final, granted) = (store.open().await?, store.not_final().await?, store.granted(NOW.parse()?).await?);
        let taken = milliseconds(started);
        ensure!((open.len() as u64, not_final.len(), granted.len()) == (LEFT_OPEN, 0, 0));
        store.close().await;
        Ok(taken)
    }
}

fn database(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("chimera.db")
}

fn new_transfer(now: DateTime<Utc>) -> NewTransfer {
    let wallet = Address::repeat_byte(0x11);
    let request = TransferRequest {
        agent: "selam".parse().expect("a valid id"),
        wallet,
        operation: WalletOperation::NativeTransfer,
        chain: ChainId(8453),
        asset: Asset::native("ETH"),
        to: Address::repeat_byte(0xbb),
        amount_units: U256::from(1_000),
    };
    NewTransfer {
        transaction_id: UuidV4::random(),
        task_id: UuidV4::random(),
        request,
        requested_limit: None,
        reserved_at: now,
        lease_until: now + TimeDelta::minutes(2),
    }
}

/// Copies of the one transfer in the store with its decision and its ledger entry: other ids, a thousand recipients, one every half a
/// minute until an hour ago, so that the policy's count of the last hour sees none of them.
fn multiply(database: &std::path::Path, copies: usize) -> Result<()> {
    let db = Connection::open(database)?;
    db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;")?;
    let uuid = "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' \
         || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))";
    let past = "reserved_at - 3600000000 - i * 30000000";
    let recipient = "printf('0x%04X%036X', i % 1000, i % 1000)";
    let copied = "agent_id, wallet, operation, chain_id, asset, token, decimals, amount_units, named_counter, lease_until, review_id, rule, \
         fee_max_wei, raw, block_number, block_time, fee_wei, reason, requested_limit_units, grant_until, gas_limit, max_fee_per_gas_wei, \
         max_priority_fee_per_gas_wei, signed_at, bumps, handed_over_at, handed_over_block, final, state, nonce";
    let series = format!("WITH RECURSIVE series(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM series WHERE i < {copies}) ");
    if copies == 0 {
        return Ok(());
    }
    db.execute_batch(&format!(
        "BEGIN;
         INSERT INTO transfers (transaction_id, task_id, recipient, reserved_at, tx_hash, mined_hash, {copied})
             {series} SELECT {uuid}, {uuid}, {recipient}, {past}, '0x' || lower(hex(randomblob(32))), tx_hash, {copied}
             FROM series, (SELECT * FROM transfers WHERE number = 1);
         INSERT INTO decisions (decision_id, task_id, decision, verdict)
             SELECT {uuid}, task_id, decision, verdict FROM transfers, (SELECT decision, verdict FROM decisions WHERE number = 1)
             WHERE transfers.number > 1;
         INSERT INTO ledger (at, kind, agent_id, task_id, facts, postings, signature, hash)
             SELECT reserved_at, kind, agent_id, transfers.task_id, facts, postings, signature, lower(hex(randomblob(32)))
             FROM transfers, (SELECT kind, facts, postings, signature FROM ledger WHERE number = 1) WHERE transfers.number > 1;
         INSERT INTO payees (agent_id, chain_id, recipient, look_alike)
             SELECT DISTINCT agent_id, chain_id, recipient, lower(substr(recipient, 3, 4) || substr(recipient, 39, 4))
             FROM transfers WHERE number BETWEEN 2 AND 1001;
         INSERT INTO budget_days (kind, name, chain_id, asset, day, spent_units, reserved_units)
             {series} SELECT kind, name, chain_id, asset, date(day, '-' || i || ' days'), spent_units, '0'
             FROM series, (SELECT * FROM budget_days) WHERE i <= {copies} / 2880;
         COMMIT;"
    ))?;
    drop(db);
    // The store notes here how it left its file, and would find that these entries are nobody's before it paid anything.
    let mut note = database.as_os_str().to_owned();
    note.push("-seen");
    Ok(std::fs::remove_file(note)?)
}

fn milliseconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}

impl Table for Growth {
    fn holds(&self) -> bool {
        self.0.iter().all(|size| self.verdict(size) == "PASS")
    }

    fn markdown(&self) -> String {
        let mut text = String::from(
            "\n| confirmed before | all writes of a transfer | empty store = 1 | a start | empty store = 1 | verdict |\n\
             |--:|--:|--:|--:|--:|---|\n",
        );
        for size in &self.0 {
            let Size { confirmed_before, transfer_ms, start_ms } = size;
            let (transfer, start) = (median(transfer_ms.clone()), median(start_ms.clone()));
            let (transfer_ratio, start_ratio) = self.ratios(size);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {confirmed_before} | {transfer:.2} ms | {transfer_ratio:.2} | {start:.2} ms | {start_ratio:.2} | {} |",
                self.verdict(size)
            );
        }
        let _ = writeln!(
            text,
            "\nWanted: at most {RATIO_MAX} times what it costs with an empty store. A transfer is reserved, gets its nonce, is signed, \
             broadcast and settled: five writes, each synced, nothing else going on. A start opens the store and reads what is under \
             way ({LEFT_OPEN} transfers), granted, or in a block that may vanish. Times are medians of {TRANSFERS} and {STARTS}, and \
             ratios medians of the ratios of those made one after another."
        );
        text
    }
}

impl Growth {
    fn ratios(&self, size: &Size) -> (f64, f64) {
        let ratio =
            |part: fn(&Size) -> &Vec<f64>| median(part(size).iter().zip(part(&self.0[0])).map(|(filled, empty)| filled / empty).collect());
        (ratio(|size| &size.transfer_ms), ratio(|size| &size.start_ms))
    }

    fn verdict(&self, size: &Size) -> &'static str {
        let (transfer, start) = self.ratios(size);
        if transfer <= RATIO_MAX && start <= RATIO_MAX { "PASS" } else { "FAIL" }
    }
}
