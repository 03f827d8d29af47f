//! Counters of one UTC day. All sums are made here, in Rust: SQLite has no uint256.

use super::super::{OrStoreError, columns::units};
use chimera_core::{
    domain::{
        ledger::{BudgetCounter, BudgetDifference},
        money::{Address, ChainId, NATIVE_DECIMALS, U256, checksummed},
        transfer::{NewTransfer, Spend},
    },
    ports::StoreError,
};
use chrono::NaiveDate;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Which counter of a chain and day.
#[derive(Clone, Copy)]
pub(super) enum Counter<'a> {
    Own,
    /// What a person approved of `Own`.
    Approved,
    Named(&'a str),
    Fees,
}

/// Every counter that the transfer's amount is on.
pub(super) fn counters_of(transfer: &NewTransfer, is_granted: bool) -> impl Iterator<Item = Counter<'_>> {
    std::iter::once(Counter::Own).chain(is_granted.then_some(Counter::Approved)).chain(transfer.named_counter().map(Counter::Named))
}

/// One counter on one day.
pub(super) struct CounterDay<'a> {
    pub counter: Counter<'a>,
    pub wallet: Address,
    pub chain: ChainId,
    /// Its symbol.
    pub asset: &'a str,
    pub decimals: u8,
    pub day: NaiveDate,
}

impl<'a> CounterDay<'a> {
    fn of(counter: &Counter<'a>, transfer: &'a NewTransfer) -> Self {
        let request = &transfer.request;
        let decimals = match counter {
            Counter::Fees => NATIVE_DECIMALS,
            Counter::Own | Counter::Approved | Counter::Named(_) => request.asset.decimals,
        };
        let (wallet, chain, asset) = (request.wallet, request.chain, &request.asset.symbol);
        Self { counter: *counter, wallet, chain, asset, decimals, day: transfer.day() }
    }

    /// What the row is found by: kind, name, asset.
    fn key(&self) -> (&'static str, String, &'a str) {
        match self.counter {
            Counter::Own => ("own", checksummed(&self.wallet), self.asset),
            Counter::Approved => ("approved", checksummed(&self.wallet), self.asset),
            Counter::Named(name) => ("named", name.to_owned(), self.asset),
            Counter::Fees => ("fees", String::new(), ""),
        }
    }
}

pub(super) fn spend(db: &Connection, counter: &Counter<'_>, transfer: &NewTransfer) -> Result<Spend, StoreError> {
    spend_on(db, &CounterDay::of(counter, transfer))
}

fn spend_on(db: &Connection, day: &CounterDay<'_>) -> Result<Spend, StoreError> {
    let (kind, name, asset) = day.key();
    let find =
        "SELECT spent_units, reserved_units FROM budget_days WHERE kind = ?1 AND name = ?2 AND chain_id = ?3 AND asset = ?4 AND day = ?5";
    let key = params![kind, name, day.chain.to_string(), asset, day.day.to_string()];
    let read = |row: &Row<'_>| Ok(Spend { spent_units: units(row, 0)?, reserved_units: units(row, 1)? });
    let found = db.prepare_cached(find).and_then(|mut find| find.query_row(key, read)).optional().or_store_error()?;
    Ok(found.unwrap_or_default())
}

pub(super) fn reserve(db: &Connection, counter: &Counter<'_>, transfer: &NewTransfer, units: U256) -> Result<(), StoreError> {
    change(db, counter, transfer, |spend| Some(Spend { reserved_units: spend.reserved_units.checked_add(units)?, ..spend }))
}

/// Takes `held_units` out of what is reserved; `spent_units` of them, or more where a fee exceeded its bound, are spent.
pub(super) fn settle(
    db: &Connection,
    counter: &Counter<'_>,
    transfer: &NewTransfer,
    held_units: U256,
    spent_units: U256,
) -> Result<(), StoreError> {
    change(db, counter, transfer, |spend| {
        Some(Spend {
            reserved_units: spend.reserved_units.checked_sub(held_units)?,
            spent_units: spend.spent_units.checked_add(spent_units)?,
        })
    })
}

/// The opposite of [`settle`].
pub(super) fn hold_again(
    db: &Connection,
    counter: &Counter<'_>,
    transfer: &NewTransfer,
    held_units: U256,
    spent_units: U256,
) -> Result<(), StoreError> {
    change(db, counter, transfer, |spend| {
        Some(Spend {
            reserved_units: spend.reserved_units.checked_add(held_units)?,
            spent_units: spend.spent_units.checked_sub(spent_units)?,
        })
    })
}

/// What left without ever being reserved.
pub(super) fn add_spent(db: &Connection, day: &CounterDay<'_>, units: U256) -> Result<(), StoreError> {
    change_on(db, day, |spend| Some(Spend { spent_units: spend.spent_units.checked_add(units)?, ..spend }))
}

fn change(
    db: &Connection,
    counter: &Counter<'_>,
    transfer: &NewTransfer,
    next: impl FnOnce(Spend) -> Option<Spend>,
) -> Result<(), StoreError> {
    change_on(db, &CounterDay::of(counter, transfer), next)
}

fn change_on(db: &Connection, day: &CounterDay<'_>, next: impl FnOnce(Spend) -> Option<Spend>) -> Result<(), StoreError> {
    let (kind, name, asset) = day.key();
    let now = spend_on(db, day)?;
    let then = next(now)
        .ok_or_else(|| StoreError::Corrupt(format!("the {kind} counter of {asset} on {} does not cover what changes on it", day.day)))?;
    db.prepare_cached(
        "INSERT INTO budget_days (kind, name, chain_id, asset, day, spent_units, reserved_units, decimals) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
         ON CONFLICT DO UPDATE SET spent_units = excluded.spent_units, reserved_units = excluded.reserved_units, decimals = excluded.decimals",
    )
    .and_then(|mut change| {
        change.execute(params![
            kind,
            name,
            day.chain.to_string(),
            asset,
            day.day.to_string(),
            then.spent_units.to_string(),
            then.reserved_units.to_string(),
            day.decimals
        ])
    })
    .map(drop)
    .or_store_error()
}

/// To what the ledger comes to, which is signed and this is not.
pub(in super::super) fn set_spent(db: &Connection, difference: &BudgetDifference) -> Result<(), StoreError> {
    let BudgetCounter { kind, name, chain, asset, day } = &difference.counter;
    db.execute(
        "INSERT INTO budget_days (kind, name, chain_id, asset, day, spent_units, reserved_units) VALUES (?1, ?2, ?3, ?4, ?5, ?6, '0') \
         ON CONFLICT DO UPDATE SET spent_units = excluded.spent_units",
        params![kind.as_str(), name, chain, asset, day, difference.on_ledger.to_string()],
    )
    .map(drop)
    .or_store_error()
}
