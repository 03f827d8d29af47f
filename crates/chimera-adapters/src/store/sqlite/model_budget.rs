//! The `ModelBudget` port. A day is the sum of its calls, so that there is no second number that could disagree with them.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, micros, parsed, rows, time},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        model_budget::{CallOutcome, DayLimits, Holding, ModelBudget, ModelCall, ModelDay},
        text_model::Usage,
    },
};
use chrono::NaiveDate;
use rusqlite::{Connection, Row, params};

pub(super) const DAY: &str = "SELECT COALESCE(SUM(CASE state WHEN 'settled' THEN input_tokens + output_tokens ELSE 0 END), 0), \
     COALESCE(SUM(CASE state WHEN 'held' THEN held_tokens ELSE 0 END), 0), \
     COALESCE(SUM(CASE state WHEN 'settled' THEN cost_micro_usd ELSE 0 END), 0), \
     COALESCE(SUM(CASE state WHEN 'held' THEN held_micro_usd ELSE 0 END), 0) FROM model_calls WHERE agent_id = ?1 AND day = ?2";

/// What all agents together have used and hold.
pub(super) const FLEET_DAY: &str = "SELECT COALESCE(SUM(CASE state WHEN 'settled' THEN input_tokens + output_tokens WHEN 'held' THEN held_tokens ELSE 0 END), 0) \
     FROM model_calls WHERE day = ?1";
pub(super) const OF_TASK: &str = "SELECT call_id, agent_id, at, model, state, held_tokens, held_micro_usd, input_tokens, output_tokens, is_estimated, cost_micro_usd \
     FROM model_calls WHERE task_id = ?1";

#[async_trait]
impl ModelBudget for SqliteStore {
    async fn hold(&self, call: &ModelCall, limits: DayLimits) -> Result<Holding, StoreError> {
        let call = call.clone();
        self.write(move |db| {
            let day = call.at.date_naive();
            let standing = model_day(db, &call.agent, day)?;
            if !standing.has_room_for(&call, limits) {
                return Ok(Holding::Exceeded(standing));
            }
            if let Some(tokens_max) = limits.fleet_tokens_max {
                let mut sum = db.prepare_cached(FLEET_DAY).or_store_error()?;
                let tokens = sum.query_row([day.to_string()], |row| count(row, 0)).or_store_error()?;
                if !limits.fleet_has_room_for(&call, tokens) {
                    return Ok(Holding::FleetExceeded { tokens, tokens_max });
                }
            }
            db.prepare_cached(
                "INSERT INTO model_calls (call_id, agent_id, day, at, model, state, held_tokens, held_micro_usd, task_id) \
                 VALUES (?1, ?2, ?3, ?4, ?5, 'held', ?6, ?7, ?8)",
            )
            .and_then(|mut insert| {
                let (id, day, task_id) = (call.call_id.to_string(), day.to_string(), call.task_id.map(|id| id.to_string()));
                let held = from_count(call.tokens_held).unwrap_or(i64::MAX);
                let held_micro_usd = from_count(call.micro_usd_held).unwrap_or(i64::MAX);
                insert.execute(params![id, call.agent.as_str(), day, micros(call.at), call.model, held, held_micro_usd, task_id])
            })
            .or_store_error()?;
            Ok(Holding::Held)
        })
        .await
    }

    async fn settle(&self, call_id: UuidV4, usage: Usage, cost_micro_usd: u64) -> Result<(), StoreError> {
        self.write(move |db| {
            let (input, output) = (from_count(usage.input_tokens)?, from_count(usage.output_tokens)?);
            let cost_micro_usd = from_count(cost_micro_usd)?;
            db.execute(
                "UPDATE model_calls SET state = 'settled', input_tokens = ?2, output_tokens = ?3, is_estimated = ?4, cost_micro_usd = ?5 \
                 WHERE call_id = ?1 AND state = 'held'",
                params![call_id.to_string(), input, output, usage.is_estimated, cost_micro_usd],
            )
            .map(drop)
            .or_store_error()
        })
        .await
    }

    async fn release(&self, call_id: UuidV4) -> Result<(), StoreError> {
        self.write(move |db| {
            let release = "UPDATE model_calls SET state = 'released' WHERE call_id = ?1 AND state = 'held'";
            db.execute(release, params![call_id.to_string()]).map(drop).or_store_error()
        })
        .await
    }

    async fn day(&self, agent: &AgentId, day: NaiveDate) -> Result<ModelDay, StoreError> {
        let agent = agent.clone();
        self.read(move |db| model_day(db, &agent, day)).await
    }

    async fn of_task(&self, task_id: UuidV4) -> Result<Vec<(ModelCall, CallOutcome)>, StoreError> {
        let mut calls = self.read(move |db| rows(db, OF_TASK, [task_id.to_string()], |row| call(row, task_id))).await?;
        calls.sort_by_key(|(call, _)| call.at);
        Ok(calls)
    }
}

fn call(row: &Row<'_>, task_id: UuidV4) -> rusqlite::Result<(ModelCall, CallOutcome)> {
    let call = ModelCall {
        call_id: parsed(row, 0)?,
        agent: parsed(row, 1)?,
        task_id: Some(task_id),
        model: row.get(3)?,
        tokens_held: count(row, 5)?,
        micro_usd_held: count(row, 6)?,
        at: time(row, 2)?,
    };
    let outcome = match row.get_ref(4)?.as_str()? {
        "settled" => {
            let usage = Usage { input_tokens: count(row, 7)?, output_tokens: count(row, 8)?, is_estimated: row.get(9)? };
            CallOutcome::Settled { usage, cost_micro_usd: count(row, 10)? }
        }
        "released" => CallOutcome::Released,
        _ => CallOutcome::Held,
    };
    Ok((call, outcome))
}

fn model_day(db: &Connection, agent: &AgentId, day: NaiveDate) -> Result<ModelDay, StoreError> {
    let mut find = db.prepare_cached(DAY).or_store_error()?;
    let read = |row: &Row<'_>| {
        let (used_tokens, held_tokens) = (count(row, 0)?, count(row, 1)?);
        Ok(ModelDay { used_tokens, held_tokens, used_micro_usd: count(row, 2)?, held_micro_usd: count(row, 3)? })
    };
    find.query_row(params![agent.as_str(), day.to_string()], read).or_store_error()
}

/// What a campaign's models took so far, or may have.
pub(super) fn of_campaign(db: &Connection, campaign_id: &str) -> Result<u64, StoreError> {
    let sum = "SELECT COALESCE(SUM(CASE state WHEN 'settled' THEN input_tokens + output_tokens WHEN 'held' THEN held_tokens ELSE 0 END), 0) \
         FROM tasks JOIN model_calls USING (task_id) WHERE campaign_id = ?1";
    db.prepare_cached(sum).and_then(|mut sum| sum.query_row([campaign_id], |row| count(row, 0))).or_store_error()
}
