//! A transfer's row, and the record it stands for.

use super::super::{
    OrStoreError,
    columns::{count, from_count, micros, parsed, rows, time, to_word, word},
};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        money::{Asset, AssetKind, ChainId, U256},
        transfer::{Mined, NewTransfer, Signed, SignedFailure, TransferRecord, TransferRequest, TransferState},
    },
    ports::StoreError,
};
use rusqlite::{Connection, Params, Row, params, types::Type};

const COLUMNS: &str = "transaction_id, task_id, agent_id, wallet, operation, chain_id, asset, token, decimals, recipient, amount_units, \
     named_counter, reserved_at, lease_until, state, review_id, rule, nonce, fee_max_wei, tx_hash, raw, block_number, block_time, fee_wei, reason";

/// A transfer and what is held for it beyond its amount.
pub(super) struct StoredTransfer {
    pub record: TransferRecord,
    /// Given out before the transfer is signed.
    pub nonce: Option<u64>,
    pub fee_max_wei: U256,
}

/// `condition` follows `WHERE`.
pub(super) fn select(db: &Connection, condition: &str, params: impl Params) -> Result<Vec<StoredTransfer>, StoreError> {
    rows(db, &format!("SELECT {COLUMNS} FROM transfers WHERE {condition}"), params, stored)
}

/// Either `reserved`, or `awaiting_review` with the review and the rule that asks.
pub(super) fn insert(db: &Connection, transfer: &NewTransfer, review: Option<(UuidV4, &str)>) -> Result<(), StoreError> {
    let request = &transfer.request;
    let token = match request.asset.kind {
        AssetKind::Native => None,
        AssetKind::Token(contract) => Some(contract.to_string()),
    };
    db.execute(
        "INSERT INTO transfers (transaction_id, task_id, agent_id, wallet, operation, chain_id, asset, token, decimals, recipient, amount_units, \
         named_counter, reserved_at, lease_until, state, review_id, rule) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        params![
            transfer.transaction_id.to_string(),
            transfer.task_id.to_string(),
            request.agent.as_str(),
            request.wallet.to_string(),
            to_word(&request.operation),
            request.chain.to_string(),
            request.asset.symbol,
            token,
            request.asset.decimals,
            request.to.to_string(),
            request.amount_units.to_string(),
            transfer.named_counter,
            micros(transfer.reserved_at),
            micros(transfer.lease_until),
            if review.is_some() { "awaiting_review" } else { "reserved" },
            review.map(|(id, _)| id.to_string()),
            review.map(|(_, rule)| rule),
        ],
    )
    .map(drop)
    .or_store_error()
}

/// Writes what a state adds to the row. States before the signature are written by [`insert`].
pub(super) fn set_state(db: &Connection, transaction_id: UuidV4, state: &TransferState) -> Result<(), StoreError> {
    let (name, signed, mined, reason) = match state {
        TransferState::AwaitingReview { .. } | TransferState::Reserved => return Ok(()),
        TransferState::Signed(signed) => ("signed", signed, None, None),
        TransferState::Broadcast(signed) => ("broadcast", signed, None, None),
        TransferState::Confirmed { signed, mined } => ("confirmed", signed, Some(mined), None),
        TransferState::Reverted { signed, mined, reason } => ("reverted", signed, Some(mined), Some(reason)),
        TransferState::Failed { signed, failure: SignedFailure::Refused { reason } } => ("refused", signed, None, Some(reason)),
        TransferState::Failed { signed, failure: SignedFailure::Replaced } => ("replaced", signed, None, None),
    };
    let block_number = mined.map(|mined| from_count(mined.block_number)).transpose()?;
    db.execute(
        "UPDATE transfers SET state = ?2, tx_hash = ?3, raw = ?4, block_number = ?5, block_time = ?6, fee_wei = ?7, reason = ?8 \
         WHERE transaction_id = ?1",
        params![
            transaction_id.to_string(),
            name,
            signed.tx_hash.to_string(),
            signed.raw,
            block_number,
            mined.map(|mined| micros(mined.block_time)),
            mined.map(|mined| mined.fee_wei.to_string()),
            reason,
        ],
    )
    .map(drop)
    .or_store_error()
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredTransfer> {
    let nonce = row.get::<_, Option<i64>>(17)?.map(|_| count(row, 17)).transpose()?;
    let fee_max_wei = if_any(row, 18, parsed)?.unwrap_or_default();
    let transfer = NewTransfer {
        transaction_id: parsed(row, 0)?,
        task_id: parsed(row, 1)?,
        request: request(row)?,
        named_counter: row.get(11)?,
        reserved_at: time(row, 12)?,
        lease_until: time(row, 13)?,
    };
    Ok(StoredTransfer { record: TransferRecord { transfer, state: state(row, nonce)? }, nonce, fee_max_wei })
}

fn request(row: &Row<'_>) -> rusqlite::Result<TransferRequest> {
    let kind = if_any(row, 7, parsed)?.map_or(AssetKind::Native, AssetKind::Token);
    Ok(TransferRequest {
        agent: parsed(row, 2)?,
        wallet: parsed(row, 3)?,
        operation: word(row, 4)?,
        chain: ChainId(parsed(row, 5)?),
        asset: Asset { symbol: row.get(6)?, kind, decimals: row.get(8)? },
        to: parsed(row, 9)?,
        amount_units: parsed(row, 10)?,
    })
}

fn state(row: &Row<'_>, nonce: Option<u64>) -> rusqlite::Result<TransferState> {
    let signed = || {
        let nonce = nonce.ok_or_else(|| rusqlite::Error::InvalidColumnType(17, "nonce".to_owned(), Type::Null))?;
        Ok::<_, rusqlite::Error>(Signed { nonce, tx_hash: parsed(row, 19)?, raw: row.get(20)? })
    };
    let mined = || Ok::<_, rusqlite::Error>(Mined { block_number: count(row, 21)?, block_time: time(row, 22)?, fee_wei: parsed(row, 23)? });
    let name: String = row.get(14)?;
    Ok(match name.as_str() {
        "awaiting_review" => TransferState::AwaitingReview { review_id: parsed(row, 15)?, rule: row.get(16)? },
        "reserved" => TransferState::Reserved,
        "signed" => TransferState::Signed(signed()?),
        "broadcast" => TransferState::Broadcast(signed()?),
        "confirmed" => TransferState::Confirmed { signed: signed()?, mined: mined()? },
        "reverted" => TransferState::Reverted { signed: signed()?, mined: mined()?, reason: row.get(24)? },
        "refused" => TransferState::Failed { signed: signed()?, failure: SignedFailure::Refused { reason: row.get(24)? } },
        "replaced" => TransferState::Failed { signed: signed()?, failure: SignedFailure::Replaced },
        _ => return Err(rusqlite::Error::InvalidColumnType(14, name, Type::Text)),
    })
}

fn if_any<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&Row<'_>, usize) -> rusqlite::Result<T>) -> rusqlite::Result<Option<T>> {
    row.get::<_, Option<String>>(column)?.map(|_| read(row, column)).transpose()
}
