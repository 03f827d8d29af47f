//! Requests to pay as they were asked for, and what became of them: those that were refused are on the ledger alone.

use super::super::{
    columns::{count, from_limit, if_any, micros, parsed, rows, time, time_if_any, units, word},
    recorded::{LOOKED_AT, said},
};
use chimera_core::{
    contracts::{UuidV4, views::hindsight::Said, wallet_transaction::WalletOperation},
    domain::{
        AgentId,
        money::{Address, Asset, AssetKind, ChainId, U256},
        transfer::{RequestedLimit, TransferRequest},
    },
    ports::{
        StoreError,
        recorded::{PaidBefore, PaymentDecided, RecordedPayment, RecordedPayments},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(in super::super) const REQUESTS: &str = "SELECT transfers.task_id, transfers.agent_id, wallet, operation, chain_id, asset, token, decimals, recipient, \
     amount_units, named_counter, requested_limit_units, reserved_at, state, rule, asked_at, reviews.status, json_extract(answer, '$.action') \
     FROM transfers LEFT JOIN reviews ON reviews.review_id = transfers.review_id \
     WHERE transfers.number > (SELECT ifnull(max(number), 0) FROM transfers) - ?3 AND ifnull(asked_at, reserved_at) >= ?1 \
     ORDER BY transfers.number DESC LIMIT ?2";
/// Of requests that never became a transfer.
pub(in super::super) const REFUSALS: &str = "SELECT at, agent_id, task_id, facts FROM ledger \
     WHERE number > (SELECT ifnull(max(number), 0) FROM ledger) - ?3 AND kind = 'refusal' AND at >= ?1 AND json_extract(facts, '$.state') = 'refused' \
     AND NOT EXISTS (SELECT 1 FROM transfers WHERE transaction_id = json_extract(facts, '$.transaction_id')) ORDER BY number DESC LIMIT ?2";
const PAYEES: &str = "SELECT agent_id, chain_id, recipient, payments FROM payees WHERE agent_id = ?1 LIMIT 10000";

pub(in super::super) fn payments(db: &Connection, since: DateTime<Utc>, limit: usize) -> Result<RecordedPayments, StoreError> {
    let bounds = [micros(since), from_limit(limit.saturating_add(1)), from_limit(limit.saturating_mul(LOOKED_AT))];
    let mut confirmed: BTreeMap<(AgentId, ChainId, Address), u64> = BTreeMap::new();
    let mut requests = Vec::new();
    for (request, is_confirmed) in rows(db, REQUESTS, bounds, requested)? {
        if is_confirmed {
            *confirmed.entry(payee(&request)).or_default() += 1;
        }
        requests.push(request);
    }
    let refusals = rows(db, REFUSALS, bounds, |row| Ok((time(row, 0)?, parsed(row, 1)?, parsed(row, 2)?, row.get::<_, String>(3)?)))?;
    for (at, agent, task_id, facts) in refusals {
        let facts: Value = serde_json::from_str(&facts).map_err(|error| StoreError::Failed(Box::new(error)))?;
        // Without a rule or a counter it was not the CFO who refused.
        requests.extend(rule(&facts).and_then(|rule| refused(at, agent, task_id, &facts, rule)));
    }
    // As they came; of one moment, as they were found.
    requests.sort_by_key(|request| request.at);
    let is_cut = requests.len() > limit;
    requests.drain(..requests.len().saturating_sub(limit));
    let agents: BTreeSet<AgentId> = requests.iter().map(|request| request.request.agent.clone()).collect();
    let mut payees = Vec::new();
    for agent in agents {
        let read = |row: &Row<'_>| {
            Ok((PaidBefore { agent: parsed(row, 0)?, chain: ChainId(parsed(row, 1)?), to: parsed(row, 2)? }, count(row, 3)?))
        };
        let known = rows(db, PAYEES, [agent.as_str()], read)?;
        let since_then = |paid: &PaidBefore| confirmed.get(&(paid.agent.clone(), paid.chain, paid.to)).copied().unwrap_or(0);
        // A payee that a reconciliation found has no payment of ours.
        payees.extend(known.into_iter().filter(|(paid, payments)| *payments == 0 || *payments > since_then(paid)).map(|(paid, _)| paid));
    }
    Ok(RecordedPayments { requests, is_cut, payees })
}

fn payee(request: &RecordedPayment) -> (AgentId, ChainId, Address) {
    let request = &request.request;
    (request.agent.clone(), request.chain, request.to)
}

/// And whether it was confirmed.
fn requested(row: &Row<'_>) -> rusqlite::Result<(RecordedPayment, bool)> {
    let kind = if_any(row, 6, parsed)?.map_or(AssetKind::Native, AssetKind::Token);
    let limit_units = if_any(row, 11, units)?;
    let key: Option<String> = row.get(10)?;
    let is_limit_lost = key.is_some() && limit_units.is_none();
    let requested_limit = match (key, limit_units) {
        (Some(key), limit) => Some(RequestedLimit::Named { key, limit_units: limit.unwrap_or(U256::MAX) }),
        (None, limit) => limit.map(|limit_units| RequestedLimit::Own { limit_units }),
    };
    let (reserved_at, state) = (time(row, 12)?, row.get::<_, String>(13)?);
    let is_paid = matches!(state.as_str(), "reserved" | "handed_over" | "signed" | "broadcast" | "confirmed" | "replaced");
    let payment = RecordedPayment {
        task_id: parsed(row, 0)?,
        request: TransferRequest {
            agent: parsed(row, 1)?,
            wallet: parsed(row, 2)?,
            operation: word(row, 3)?,
            chain: ChainId(parsed(row, 4)?),
            asset: Asset { symbol: row.get(5)?, kind, decimals: row.get(7)? },
            to: parsed(row, 8)?,
            amount_units: units(row, 9)?,
        },
        requested_limit,
        at: time_if_any(row, 15)?.unwrap_or(reserved_at),
        decided: row.get::<_, Option<String>>(14)?.map_or(PaymentDecided::Allowed, PaymentDecided::Asked),
        said: said(row.get(16)?, row.get(17)?),
        spent_on: is_paid.then(|| reserved_at.date_naive()),
        is_limit_lost,
    };
    Ok((payment, state == "confirmed"))
}

fn rule(facts: &Value) -> Option<String> {
    let details = &facts["details"];
    details["rule"].as_str().or_else(|| details["counter"].as_str()).map(str::to_owned)
}

/// As the ledger tells it; nothing where it is not whole.
fn refused(at: DateTime<Utc>, agent: AgentId, task_id: UuidV4, facts: &Value, rule: String) -> Option<RecordedPayment> {
    let text = |name: &str| facts[name].as_str();
    let decimals = facts["decimals"].as_u64().and_then(|decimals| u8::try_from(decimals).ok())?;
    let operation: WalletOperation = serde_json::from_value(facts["operation"].clone()).ok()?;
    Some(RecordedPayment {
        task_id,
        request: TransferRequest {
            agent,
            wallet: text("from")?.parse().ok()?,
            operation,
            chain: ChainId(text("chain_id")?.parse().ok()?),
            // Which contract a token has does not matter to the policy, which knows its name.
            asset: Asset { symbol: text("asset")?.to_owned(), kind: AssetKind::Native, decimals },
            to: text("to")?.parse().ok()?,
            amount_units: text("amount_units")?.parse().ok()?,
        },
        requested_limit: None,
        at,
        decided: PaymentDecided::Refused(rule),
        said: Said::Nothing,
        spent_on: None,
        is_limit_lost: text("daily_spend_key").is_some(),
    })
}
