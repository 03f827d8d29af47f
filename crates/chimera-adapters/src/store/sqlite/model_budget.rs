//! The `ModelBudget` port. A day is the sum of its calls, so that there is no second number that could disagree with them.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, micros},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        model_budget::{Holding, ModelBudget, ModelCall, TokenDay},
        text_model::Usage,
    },
};
use chrono::NaiveDate;
use rusqlite::{Connection, params};

pub(super) const DAY: &str = "SELECT COALESCE(SUM(CASE state WHEN 'settled' THEN input_tokens + output_tokens ELSE 0 END), 0), \
     COALESCE(SUM(CASE state WHEN 'held' THEN held_tokens ELSE 0 END), 0) FROM model_calls WHERE agent_id = ?1 AND day = ?2";

#[async_trait]
impl ModelBudget for SqliteStore {
    async fn hold(&self, call: &ModelCall, tokens_per_day_max: u64) -> Result<Holding, StoreError> {
        let call = call.clone();
        self.write(move |db| {
            let day = call.at.date_naive();
            let standing = token_day(db, &call.agent, day)?;
            if !standing.has_room_for(call.tokens_held, tokens_per_day_max) {
                return Ok(Holding::Exceeded(standing));
            }
            db.prepare_cached(
                "INSERT INTO model_calls (call_id, agent_id, day, at, model, state, held_tokens) VALUES (?1, ?2, ?3, ?4, ?5, 'held', ?6)",
            )
            .and_then(|mut insert| {
                let held = from_count(call.tokens_held).unwrap_or(i64::MAX);
                insert.execute(params![call.call_id.to_string(), call.agent.as_str(), day.to_string(), micros(call.at), call.model, held])
            })
            .or_store_error()?;
            Ok(Holding::Held)
        })
        .await
    }

    async fn settle(&self, call_id: UuidV4, usage: Usage) -> Result<(), StoreError> {
        self.write(move |db| {
            let (input, output) = (from_count(usage.input_tokens)?, from_count(usage.output_tokens)?);
            db.execute(
                "UPDATE model_calls SET state = 'settled', input_tokens = ?2, output_tokens = ?3, is_estimated = ?4 \
                 WHERE call_id = ?1 AND state = 'held'",
                params![call_id.to_string(), input, output, usage.is_estimated],
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

    async fn day(&self, agent: &AgentId, day: NaiveDate) -> Result<TokenDay, StoreError> {
        let agent = agent.clone();
        self.read(move |db| token_day(db, &agent, day)).await
    }
}

fn token_day(db: &Connection, agent: &AgentId, day: NaiveDate) -> Result<TokenDay, StoreError> {
    let mut find = db.prepare_cached(DAY).or_store_error()?;
    let read = |row: &rusqlite::Row<'_>| Ok(TokenDay { used_tokens: count(row, 0)?, held_tokens: count(row, 1)? });
    find.query_row(params![agent.as_str(), day.to_string()], read).or_store_error()
}
