//! A transfer's row, and the record it stands for.

use super::super::{
    OrStoreError,
    columns::{count, from_count, if_any, micros, parsed, rows, time, time_if_any, to_word, units, word},
};
use chimera_core::{
    contracts::UuidV4,
    domain::{
        money::{Asset, AssetKind, ChainId, U256, checksummed},
        transfer::{
            Attempt, Gas, Grant, Handover, LOOK_ALIKE, Mined, NewTransfer, RequestedLimit, Sent, Signed, SignedFailure, TransferRecord,
            TransferRequest, TransferState,
        },
    },
    ports::StoreError,
};
use rusqlite::{Connection, Params, Row, params, types::Type};

const COLUMNS: &str = "transaction_id, task_id, agent_id, wallet, operation, chain_id, asset, token, decimals, recipient, amount_units, \
     named_counter, reserved_at, lease_until, state, review_id, rule, nonce, fee_max_wei, tx_hash, raw, block_number, block_time, fee_wei, \
     reason, requested_limit_units, grant_until, gas_limit, max_fee_per_gas_wei, max_priority_fee_per_gas_wei, signed_at, bumps, \
     handed_over_at, handed_over_block, mined_hash, final, replaced_by, amount_held, refusal_code";

/// A transfer and what is held for it beyond its amount.
pub(super) struct StoredTransfer {
    pub record: TransferRecord,
    /// Given out before the transfer is signed.
    pub nonce: Option<u64>,
    pub fee_max_wei: U256,
    pub is_final: bool,
    /// Reverted in a block that may vanish.
    pub is_amount_held: bool,
    /// Of the last time that it was given up.
    pub refusal_code: Option<String>,
}

/// `condition` follows `WHERE`.
pub(super) fn select(db: &Connection, condition: &str, params: impl Params) -> Result<Vec<StoredTransfer>, StoreError> {
    let found = rows(db, &format!("SELECT {COLUMNS} FROM transfers WHERE {condition}"), params, |row| {
        Ok((stored(row)?, row.get::<_, i64>(31)? > 0))
    })?;
    found.into_iter().map(|(stored, is_bumped)| if is_bumped { with_bumps(db, stored) } else { Ok(stored) }).collect()
}

fn with_bumps(db: &Connection, mut stored: StoredTransfer) -> Result<StoredTransfer, StoreError> {
    let find = "SELECT tx_hash, raw, gas_limit, max_fee_per_gas_wei, max_priority_fee_per_gas_wei, signed_at, cancelled_by \
         FROM transfer_bumps WHERE transaction_id = ?1 ORDER BY number";
    let id = stored.record.transfer.transaction_id.to_string();
    let bumps = rows(db, find, [id], |row| {
        let (gas, signed_at, cancelled_by) = (gas(row, 2)?, time(row, 5)?, row.get(6)?);
        Ok(Attempt { tx_hash: parsed(row, 0)?, raw: row.get(1)?, gas, signed_at, cancelled_by })
    })?;
    match &mut stored.record.state {
        TransferState::Signed(signed)
        | TransferState::Broadcast(signed)
        | TransferState::Confirmed { sent: Sent::Signed(signed), .. }
        | TransferState::Reverted { sent: Sent::Signed(signed), .. }
        | TransferState::Failed { sent: Sent::Signed(signed), .. } => signed.attempts.extend(bumps),
        _ => {}
    }
    Ok(stored)
}

/// A transfer that is reserved, or waits for a person.
pub(super) fn insert(db: &Connection, record: &TransferRecord) -> Result<(), StoreError> {
    let transfer = &record.transfer;
    let request = &transfer.request;
    let token = match request.asset.kind {
        AssetKind::Native => None,
        AssetKind::Token(contract) => Some(checksummed(&contract)),
    };
    let (review_id, rule) = match &record.state {
        TransferState::AwaitingReview { review_id, rule } => (Some(review_id.to_string()), Some(rule)),
        _ => (None, None),
    };
    let requested_limit_units = transfer.requested_limit.as_ref().map(|limit| match limit {
        RequestedLimit::Own { limit_units } | RequestedLimit::Named { limit_units, .. } => limit_units.to_string(),
    });
    db.prepare_cached(
        "INSERT INTO transfers (transaction_id, task_id, agent_id, wallet, operation, chain_id, asset, token, decimals, recipient, \
         amount_units, named_counter, reserved_at, lease_until, state, review_id, rule, requested_limit_units) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )
    .and_then(|mut insert| {
        insert.execute(params![
            transfer.transaction_id.to_string(),
            transfer.task_id.to_string(),
            request.agent.as_str(),
            checksummed(&request.wallet),
            to_word(&request.operation),
            request.chain.to_string(),
            request.asset.symbol,
            token,
            request.asset.decimals,
            checksummed(&request.to),
            request.amount_units.to_string(),
            transfer.named_counter(),
            micros(transfer.reserved_at),
            micros(transfer.lease_until),
            record.state.name(),
            review_id,
            rule,
            requested_limit_units,
        ])
    })
    .map(drop)
    .or_store_error()
}

/// Writes what a state adds to the row. What an earlier state wrote stays, so that a block that vanishes leaves the way back open.
pub(super) fn set_state(db: &Connection, record: &TransferRecord) -> Result<(), StoreError> {
    let (mined, reason) = match &record.state {
        TransferState::Confirmed { mined, .. } => (Some(mined), None),
        TransferState::Reverted { mined, reason, .. } => (Some(mined), Some(reason)),
        TransferState::Declined { reason }
        | TransferState::Failed { failure: SignedFailure::Refused { reason } | SignedFailure::GivenUp { reason }, .. } => {
            (None, Some(reason))
        }
        _ => (None, None),
    };
    let sent = record.state.sent();
    let first = match &sent {
        Some(Sent::Signed(signed)) => signed.attempts.first(),
        Some(Sent::HandedOver(_)) | None => None,
    };
    let replaced_by = match &sent {
        Some(Sent::Signed(signed)) => signed.replaced_by.map(|tx_hash| tx_hash.to_string()),
        Some(Sent::HandedOver(_)) | None => None,
    };
    let handover = match &sent {
        Some(Sent::HandedOver(handover)) => Some(handover),
        Some(Sent::Signed(_)) | None => None,
    };
    let transfer = &record.transfer;
    db.prepare_cached(
        "UPDATE transfers SET state = ?2, reserved_at = ?3, lease_until = ?4, grant_until = ?5, tx_hash = ?6, raw = ?7, gas_limit = ?8, \
         max_fee_per_gas_wei = ?9, max_priority_fee_per_gas_wei = ?10, signed_at = ?11, handed_over_at = ?12, handed_over_block = ?13, \
         mined_hash = ?14, block_number = ?15, block_time = ?16, fee_wei = ?17, reason = ?18, replaced_by = ?19 WHERE transaction_id = ?1",
    )
    .or_store_error()?
    .execute(params![
        transfer.transaction_id.to_string(),
        record.state.name(),
        micros(transfer.reserved_at),
        micros(transfer.lease_until),
        record.grant.map(|grant| micros(grant.until)),
        first.map(|attempt| attempt.tx_hash.to_string()),
        first.map(|attempt| &attempt.raw),
        first.map(|attempt| from_count(attempt.gas.limit)).transpose()?,
        first.map(|attempt| attempt.gas.max_fee_per_gas_wei.to_string()),
        first.map(|attempt| attempt.gas.max_priority_fee_per_gas_wei.to_string()),
        first.map(|attempt| micros(attempt.signed_at)),
        handover.map(|handover| micros(handover.at)),
        handover.map(|handover| from_count(handover.block_number)).transpose()?,
        mined.map(|mined| mined.tx_hash.to_string()),
        mined.map(|mined| from_count(mined.block_number)).transpose()?,
        mined.map(|mined| micros(mined.block_time)),
        mined.map(|mined| mined.fee_wei.to_string()),
        reason,
        replaced_by,
    ])
    .map(drop)
    .or_store_error()
}

/// What `TransferEvent::Accept` does, on nothing but the state: it happens to every transfer, and says nothing that the row does not hold.
pub(super) fn accept(db: &Connection, transaction_id: UuidV4) -> Result<(), StoreError> {
    let accept = "UPDATE transfers SET state = 'broadcast' WHERE transaction_id = ?1 AND state = 'signed'";
    db.prepare_cached(accept).and_then(|mut accept| accept.execute([transaction_id.to_string()])).map(drop).or_store_error()
}

/// Of a granted transfer; one that is on no row yet has none to keep.
pub(super) fn set_refusal_code(db: &Connection, transaction_id: UuidV4, code: &str) -> Result<(), StoreError> {
    let set = "UPDATE transfers SET refusal_code = ?2 WHERE transaction_id = ?1";
    db.prepare_cached(set).and_then(|mut set| set.execute(params![transaction_id.to_string(), code])).map(drop).or_store_error()
}

pub(super) fn set_amount_held(db: &Connection, transaction_id: UuidV4, is_held: bool) -> Result<(), StoreError> {
    let set = "UPDATE transfers SET amount_held = ?2 WHERE transaction_id = ?1";
    db.execute(set, params![transaction_id.to_string(), is_held]).map(drop).or_store_error()
}

/// A further attempt, and the fee that is held from now on.
pub(super) fn add_bump(db: &Connection, transaction_id: UuidV4, attempt: &Attempt, fee_max_wei: U256) -> Result<(), StoreError> {
    let id = transaction_id.to_string();
    let count = "UPDATE transfers SET bumps = bumps + 1, fee_max_wei = ?2 WHERE transaction_id = ?1";
    db.execute(count, params![id, fee_max_wei.to_string()]).or_store_error()?;
    db.execute(
        "INSERT INTO transfer_bumps (transaction_id, number, tx_hash, raw, gas_limit, max_fee_per_gas_wei, max_priority_fee_per_gas_wei, \
         signed_at, cancelled_by) SELECT transaction_id, bumps, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM transfers WHERE transaction_id = ?1",
        params![
            id,
            attempt.tx_hash.to_string(),
            attempt.raw,
            from_count(attempt.gas.limit)?,
            attempt.gas.max_fee_per_gas_wei.to_string(),
            attempt.gas.max_priority_fee_per_gas_wei.to_string(),
            micros(attempt.signed_at),
            attempt.cancelled_by
        ],
    )
    .map(drop)
    .or_store_error()
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredTransfer> {
    let nonce = row.get::<_, Option<i64>>(17)?.map(|_| count(row, 17)).transpose()?;
    let fee_max_wei = if_any(row, 18, units)?.unwrap_or_default();
    let limit_units = if_any(row, 25, units)?;
    let requested_limit = match row.get(11)? {
        // Rows of before limits were kept: the counter still counts, and nothing is tightened.
        Some(key) => Some(RequestedLimit::Named { key, limit_units: limit_units.unwrap_or(U256::MAX) }),
        None => limit_units.map(|limit_units| RequestedLimit::Own { limit_units }),
    };
    let transfer = NewTransfer {
        transaction_id: parsed(row, 0)?,
        task_id: parsed(row, 1)?,
        request: request(row)?,
        requested_limit,
        reserved_at: time(row, 12)?,
        lease_until: time(row, 13)?,
    };
    let grant = match time_if_any(row, 26)? {
        // Such a question is only answered by the whole address, so the rule tells that it was typed.
        Some(until) => {
            let rule: Option<String> = row.get(16)?;
            Some(Grant { review_id: parsed(row, 15)?, until, address_confirmed: rule.as_deref() == Some(LOOK_ALIKE) })
        }
        None => None,
    };
    let record = TransferRecord { transfer, grant, state: state(row, nonce)? };
    let (is_final, is_amount_held, refusal_code) = (row.get(35)?, row.get(37)?, row.get(38)?);
    Ok(StoredTransfer { record, nonce, fee_max_wei, is_final, is_amount_held, refusal_code })
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
        amount_units: units(row, 10)?,
    })
}

fn state(row: &Row<'_>, nonce: Option<u64>) -> rusqlite::Result<TransferState> {
    let nonce = || nonce.ok_or_else(|| rusqlite::Error::InvalidColumnType(17, "nonce".to_owned(), Type::Null));
    let signed = || {
        // Rows of before fees were kept: the time of the reservation is near enough.
        let signed_at = time_if_any(row, 30)?.map_or_else(|| time(row, 12), Ok)?;
        let first = Attempt { tx_hash: parsed(row, 19)?, raw: row.get(20)?, gas: gas(row, 27)?, signed_at, cancelled_by: None };
        Ok::<_, rusqlite::Error>(Signed { replaced_by: if_any(row, 36, parsed)?, ..Signed::new(nonce()?, first) })
    };
    let handover = || Ok::<_, rusqlite::Error>(Handover { nonce: nonce()?, block_number: count(row, 33)?, at: time(row, 32)? });
    let sent = || match time_if_any(row, 32)? {
        Some(_) => handover().map(Sent::HandedOver),
        None => signed().map(Sent::Signed),
    };
    let mined = || {
        let (block_number, block_time) = (count(row, 21)?, time(row, 22)?);
        Ok::<_, rusqlite::Error>(Mined { tx_hash: parsed(row, 34)?, block_number, block_time, fee_wei: units(row, 23)? })
    };
    let failed = |failure| Ok::<_, rusqlite::Error>(TransferState::Failed { sent: sent()?, failure });
    let name: String = row.get(14)?;
    Ok(match name.as_str() {
        "awaiting_review" => TransferState::AwaitingReview { review_id: parsed(row, 15)?, rule: row.get(16)? },
        "granted" => TransferState::Granted,
        "declined" => TransferState::Declined { reason: row.get(24)? },
        "reserved" => TransferState::Reserved,
        "released" => TransferState::Released,
        "handed_over" => TransferState::HandedOver(handover()?),
        "signed" => TransferState::Signed(signed()?),
        "broadcast" => TransferState::Broadcast(signed()?),
        "confirmed" => TransferState::Confirmed { sent: sent()?, mined: mined()? },
        "reverted" => TransferState::Reverted { sent: sent()?, mined: mined()?, reason: row.get(24)? },
        "refused" => failed(SignedFailure::Refused { reason: row.get(24)? })?,
        "replaced" => failed(SignedFailure::Replaced)?,
        "given_up" => failed(SignedFailure::GivenUp { reason: row.get(24)? })?,
        _ => return Err(rusqlite::Error::InvalidColumnType(14, name, Type::Text)),
    })
}

/// Three columns from `first` on; nothing where a row is older than they are.
fn gas(row: &Row<'_>, first: usize) -> rusqlite::Result<Gas> {
    let limit = row.get::<_, Option<i64>>(first)?.map(|_| count(row, first)).transpose()?.unwrap_or_default();
    let fee = |column| Ok::<_, rusqlite::Error>(if_any(row, column, parsed)?.unwrap_or_default());
    Ok(Gas { limit, max_fee_per_gas_wei: fee(first + 1)?, max_priority_fee_per_gas_wei: fee(first + 2)? })
}
