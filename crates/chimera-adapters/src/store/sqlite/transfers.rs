//! The `Transfers` port: a transfer, its counters, its nonce, its review, its decision and its ledger entry change together or not at all.

mod book;
mod budget;
mod freezes;
mod grants;
mod leaving;
pub(super) mod recorded;
mod reservation;
mod reviews;
mod row;
mod settlement;
mod velocity;

use super::{SqliteStore, columns::micros};
use async_trait::async_trait;
use chimera_core::{
    contracts::{SkillFailure, UuidV4, review::ReviewAnswer},
    domain::{
        money::{B256, U256},
        transfer::{Attempt, FeeLimits, NewTransfer, Settlement, SigningTerms, TransferRecord},
    },
    ports::{
        StoreError,
        transfers::{Answered, Assignment, Judge, Recorded, Reservation, Transfers},
    },
};
use chrono::{DateTime, Utc};
use leaving::Assign;
use row::StoredTransfer;
use rusqlite::{Connection, Params};

#[async_trait]
impl Transfers for SqliteStore {
    async fn reserve(&self, transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError> {
        let transfer = transfer.clone();
        self.write(move |db| reservation::reserve(db, &transfer, &judge)).await
    }

    async fn assign(&self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError> {
        self.assignments.ask(&self.writer, Assign { transaction_id, terms: *terms }).await
    }

    async fn hand_over(
        &self,
        transaction_id: UuidV4,
        terms: &SigningTerms,
        block_number: u64,
        at: DateTime<Utc>,
    ) -> Result<Assignment, StoreError> {
        let terms = *terms;
        self.write(move |db| leaving::hand_over(db, transaction_id, &terms, block_number, at)).await
    }

    async fn record_signed(&self, transaction_id: UuidV4, attempt: &Attempt) -> Result<Recorded, StoreError> {
        let attempt = attempt.clone();
        self.write_after_checks(move |db| leaving::record_signed(db, transaction_id, attempt)).await
    }

    async fn record_bump(
        &self,
        transaction_id: UuidV4,
        attempt: &Attempt,
        fee_max_wei: U256,
        limits: &FeeLimits,
    ) -> Result<Recorded, StoreError> {
        let (attempt, limits) = (attempt.clone(), *limits);
        self.write(move |db| leaving::record_bump(db, transaction_id, attempt, fee_max_wei, &limits)).await
    }

    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError> {
        self.write_after_checks(move |db| row::accept(db, transaction_id)).await
    }

    async fn mark_replaced(&self, transaction_id: UuidV4, by: B256, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        self.write(move |db| settlement::mark_replaced(db, transaction_id, by, at)).await
    }

    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        let settlement = settlement.clone();
        self.write(move |db| settlement::settle(db, transaction_id, &settlement, at)).await
    }

    async fn unsettle(&self, transaction_id: UuidV4, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        self.write(move |db| settlement::unsettle(db, transaction_id, at)).await
    }

    async fn finalize(&self, transaction_ids: &[UuidV4]) -> Result<(), StoreError> {
        let transaction_ids = transaction_ids.to_vec();
        if transaction_ids.is_empty() {
            return Ok(());
        }
        self.write(move |db| transaction_ids.iter().try_for_each(|id| settlement::finalize(db, *id))).await
    }

    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let why = why.clone();
        self.write(move |db| reservation::release(db, transaction_id, &why, at)).await
    }

    async fn answer_review(&self, answer: &ReviewAnswer, grant_until: DateTime<Utc>) -> Result<Answered, StoreError> {
        let answer = answer.clone();
        self.write(move |db| reviews::answer(db, &answer, grant_until)).await
    }

    async fn ask_about(&self, transaction_id: UuidV4, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        let reason = reason.to_owned();
        self.write(move |db| reviews::ask_about(db, transaction_id, &reason, at)).await
    }

    async fn find(&self, task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError> {
        self.read(move |db| Ok(by_task(db, task_id)?.map(|stored| stored.record))).await
    }

    async fn open(&self) -> Result<Vec<TransferRecord>, StoreError> {
        self.read(|db| records(db, OPEN, [])).await
    }

    async fn granted(&self, now: DateTime<Utc>) -> Result<Vec<TransferRecord>, StoreError> {
        self.read(move |db| records(db, GRANTED, [micros(now)])).await
    }

    async fn not_final(&self) -> Result<Vec<TransferRecord>, StoreError> {
        self.read(|db| records(db, NOT_FINAL, [])).await
    }
}

pub(super) const OPEN: &str = "(state = 'reserved' OR state = 'handed_over' OR state = 'signed' OR state = 'broadcast') ORDER BY number";
pub(super) const GRANTED: &str = "state = 'granted' AND grant_until > ?1 ORDER BY number";
pub(super) const NOT_FINAL: &str = "state IN ('confirmed', 'reverted') AND final = 0 ORDER BY number";
pub(super) const OF_TASK: &str = "task_id = ?1 AND state <> 'released'";
pub(super) use book::held;
pub(super) use book::hold;
pub(super) use budget::set_spent;
pub(super) use grants::revoke;
#[cfg(test)]
pub(super) use leaving::IN_FLIGHT;
pub(super) use leaving::{AssignDesk, desk};
#[cfg(test)]
pub(super) use reservation::KNOWN;
pub(super) use reservation::{ALIKE, look_alike_text};
pub(super) use reviews::answer as answer_review;
#[cfg(test)]
pub(super) use velocity::IN_MINUTE;

fn records(db: &Connection, condition: &str, params: impl Params) -> Result<Vec<TransferRecord>, StoreError> {
    Ok(row::select(db, condition, params)?.into_iter().map(|stored| stored.record).collect())
}

fn by_task(db: &Connection, task_id: UuidV4) -> Result<Option<StoredTransfer>, StoreError> {
    Ok(row::select(db, OF_TASK, [task_id.to_string()])?.pop())
}

/// `None` also for one that was released: it binds nothing.
fn by_id(db: &Connection, transaction_id: UuidV4) -> Result<Option<StoredTransfer>, StoreError> {
    Ok(row::select(db, "transaction_id = ?1 AND state <> 'released'", [transaction_id.to_string()])?.pop())
}

/// What only a bug can cause.
fn misfit(error: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(error.to_string())
}
