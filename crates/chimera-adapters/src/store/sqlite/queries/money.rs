//! The ledger and the transfers, page by page.

use super::{
    super::{
        columns::{count, if_any, json, parsed, rows, time, time_if_any, units},
        ledger::{ENTRY_COLUMNS, entry_of},
    },
    below, one_more, paged,
};
use chimera_core::{
    contracts::{
        UtcTime,
        decision::JudgeDecision,
        views::{
            Money, Page,
            money::{LedgerRow, TransferDecision, TransferRow},
        },
    },
    domain::{AgentId, ledger::Sentences},
    ports::{StoreError, queries::PageOf},
};
use rusqlite::{Connection, Row, params};

pub(super) fn ledger(db: &Connection, agent: Option<&AgentId>, page: &PageOf) -> Result<Page<LedgerRow>, StoreError> {
    let params = params![below(page)?, one_more(page), agent.map(AgentId::as_str)];
    let sentences = Sentences::default();
    let found = rows(db, &ledger_sql(agent.is_some()), params, |row| Ok((count(row, 0)?, entry(row, &sentences)?)))?;
    Ok(paged(found, page))
}

pub(in super::super) fn ledger_sql(is_of_agent: bool) -> String {
    let agent = if is_of_agent { "agent_id = ?3" } else { "?3 IS NULL" };
    format!("SELECT {ENTRY_COLUMNS} FROM ledger WHERE {agent} AND number < ?1 ORDER BY number DESC LIMIT ?2")
}

/// The native asset of a fee is called what the books called it.
pub(super) fn entry(row: &Row<'_>, sentences: &Sentences) -> rusqlite::Result<LedgerRow> {
    let read = entry_of(row)?;
    let entry = read.entry;
    Ok(LedgerRow {
        number: read.number,
        at: UtcTime(entry.at),
        kind: entry.kind.as_str().to_owned(),
        agent_id: entry.agent.map(|agent| agent.to_string()).unwrap_or_default(),
        task_id: entry.task_id,
        told: sentences.of(entry.kind, &entry.facts, &entry.postings),
        facts: entry.facts,
        hash: read.hash,
    })
}

/// The hash that landed, or the newest that was signed.
pub(super) const TRANSFER: &str = "transaction_id, task_id, agent_id, state, amount_units, asset, decimals, chain_id, recipient, reserved_at, \
     coalesce(mined_hash, (SELECT tx_hash FROM transfer_bumps AS bump WHERE bump.transaction_id = transfers.transaction_id ORDER BY bump.number DESC LIMIT 1), \
     tx_hash), block_number, coalesce(reason, rule), review_id, iif(state = 'granted', grant_until, NULL), rule, \
     (SELECT json_group_array(json(decision)) FROM (SELECT decision, number FROM decisions WHERE result_id IS NULL \
     AND task_number = (SELECT tasks.number FROM tasks WHERE tasks.task_id = transfers.task_id) \
     UNION ALL SELECT decision, number FROM decisions WHERE task_number IS NULL AND decisions.task_id = transfers.task_id \
     ORDER BY number DESC LIMIT 5))";

pub(super) fn transfers(db: &Connection, agent: Option<&AgentId>, page: &PageOf) -> Result<Page<TransferRow>, StoreError> {
    let params = params![below(page)?, one_more(page), agent.map(AgentId::as_str)];
    let found = rows(db, &transfers_sql(agent.is_some()), params, |row| Ok((count(row, 0)?, transfer(row, 1)?)))?;
    Ok(paged(found, page))
}

pub(in super::super) fn transfers_sql(is_of_agent: bool) -> String {
    let (index, agent) = if is_of_agent { ("INDEXED BY transfers_of_agent", "agent_id = ?3") } else { ("", "?3 IS NULL") };
    format!("SELECT number, {TRANSFER} FROM transfers {index} WHERE {agent} AND number < ?1 ORDER BY number DESC LIMIT ?2")
}

/// `TRANSFER`, from column `first` on.
pub(super) fn transfer(row: &Row<'_>, first: usize) -> rusqlite::Result<TransferRow> {
    Ok(TransferRow {
        transaction_id: parsed(row, first)?,
        task_id: parsed(row, first + 1)?,
        agent_id: row.get(first + 2)?,
        state: row.get(first + 3)?,
        amount: amount(row, first + 4)?,
        to_address: row.get(first + 8)?,
        reserved_at: UtcTime(time(row, first + 9)?),
        tx_hash: row.get(first + 10)?,
        block_number: if_any(row, first + 11, count)?,
        reason: row.get(first + 12)?,
        review_id: if_any(row, first + 13, parsed)?,
        approved_until: time_if_any(row, first + 14)?.map(UtcTime),
        rule: row.get(first + 15)?,
        decisions: decisions(row, first + 16)?,
        explorer_url: None,
    })
}

/// They come newest first.
fn decisions(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<TransferDecision>> {
    let found: Vec<JudgeDecision> = json(row, column)?;
    Ok(found.into_iter().rev().map(TransferDecision::from).collect())
}

/// Units, asset, decimals and chain, from column `first` on.
pub(super) fn amount(row: &Row<'_>, first: usize) -> rusqlite::Result<Money> {
    Ok(Money {
        units: units(row, first)?.to_string(),
        asset: row.get(first + 1)?,
        decimals: row.get(first + 2)?,
        chain_id: row.get(first + 3)?,
    })
}
