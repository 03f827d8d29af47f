//! The `KillSwitch` port.

use super::super::{
    OrStoreError, SqliteStore, agent_lives,
    columns::{micros, time},
    ledger,
};
use super::book;
use async_trait::async_trait;
use chimera_core::{
    domain::{
        AgentId,
        freeze::{Freeze, FreezeCause, FreezeScope},
        ledger::{freeze_entry, unfreeze_entry},
    },
    ports::{StoreError, kill_switch::KillSwitch},
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

/// No agent's id.
const FLEET: &str = "*";

#[async_trait]
impl KillSwitch for SqliteStore {
    async fn freeze(&self, freeze: &Freeze) -> Result<(), StoreError> {
        let freeze = freeze.clone();
        self.write(move |db| {
            db.execute(
                "INSERT INTO freezes (scope, reason, by, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                params![scope_text(&freeze.scope), freeze.reason, freeze.by, micros(freeze.at)],
            )
            .or_store_error()?;
            ledger::append(db, &freeze_entry(&freeze)).map(drop)
        })
        .await
    }

    async fn unfreeze(&self, scope: &FreezeScope, by: &str, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let (scope, by) = (scope.clone(), by.to_owned());
        self.write(move |db| {
            let was_frozen = db.execute("DELETE FROM freezes WHERE scope = ?1", [scope_text(&scope)]).or_store_error()? > 0;
            if was_frozen {
                ledger::append(db, &unfreeze_entry(&scope, &by, at))?;
            }
            Ok(was_frozen)
        })
        .await
    }

    async fn hold(&self, agent: &AgentId, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        let (agent, reason) = (agent.clone(), reason.to_owned());
        self.write(move |db| book::hold(db, &agent, &reason, at).map(drop)).await
    }

    async fn frozen(&self, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
        let agent = agent.clone();
        self.read(move |db| frozen(db, &agent)).await
    }
}

/// What makes the whole store doubtful first; then the fleet's freeze before the agent's own, that before its retirement, and that before its wallet's hold. A reader
/// must not have read anything before.
pub(super) fn frozen(db: &Connection, agent: &AgentId) -> Result<Option<Freeze>, StoreError> {
    if let Some(contradicted) = ledger::contradicted(db)? {
        return Ok(Some(contradicted));
    }
    let mut find = db
        .prepare_cached("SELECT scope = '*', reason, by, at FROM freezes WHERE scope IN ('*', ?1) ORDER BY scope <> '*'")
        .or_store_error()?;
    let switched = find.query_row([agent.as_str()], |row| {
        let scope = if row.get(0)? { FreezeScope::Fleet } else { FreezeScope::Agent(agent.clone()) };
        Ok(Freeze { scope, reason: row.get(1)?, by: row.get(2)?, at: time(row, 3)?, cause: FreezeCause::KillSwitch })
    });
    match switched.optional().or_store_error()? {
        Some(freeze) => Ok(Some(freeze)),
        None => match agent_lives::retirement(db, agent)? {
            Some(retirement) => Ok(Some(retirement.freeze())),
            None => book::held(db, agent),
        },
    }
}

fn scope_text(scope: &FreezeScope) -> &str {
    scope.agent().map_or(FLEET, AgentId::as_str)
}
