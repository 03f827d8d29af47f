//! The `Pauses` port. An agent's pause is also a mark on its open tasks, so that a claim passes them over without looking at them.

use super::{
    OrStoreError, SqliteStore,
    columns::{micros, rows, time},
};
use async_trait::async_trait;
use chimera_core::{
    domain::{AgentId, campaign::Pause, freeze::FreezeScope},
    ports::{StoreError, swarm::Pauses},
};
use rusqlite::{Connection, params};

/// No agent's id.
const FLEET: &str = "*";

#[async_trait]
impl Pauses for SqliteStore {
    async fn pause(&self, pause: &Pause) -> Result<(), StoreError> {
        let pause = pause.clone();
        self.write(move |db| {
            let insert = "INSERT INTO pauses (scope, reason, by, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
            db.execute(insert, params![scope_text(&pause.scope), pause.reason, pause.by, micros(pause.at)]).or_store_error()?;
            hold_tasks(db, pause.scope.agent())
        })
        .await
    }

    async fn resume(&self, scope: &FreezeScope) -> Result<bool, StoreError> {
        let scope = scope.clone();
        self.write(move |db| {
            let was_paused = db.execute("DELETE FROM pauses WHERE scope = ?1", [scope_text(&scope)]).or_store_error()? > 0;
            hold_tasks(db, scope.agent())?;
            Ok(was_paused)
        })
        .await
    }

    async fn pauses(&self) -> Result<Vec<Pause>, StoreError> {
        self.read(|db| {
            rows(db, "SELECT scope, reason, by, at FROM pauses ORDER BY scope", [], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, time(row, 3)?))
            })?
            .into_iter()
            .map(|(scope, reason, by, at)| Ok(Pause { scope: scope_of(&scope)?, reason, by, at }))
            .collect()
        })
        .await
    }
}

pub(super) fn fleet_is_paused(db: &Connection) -> Result<bool, StoreError> {
    let mut find = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM pauses WHERE scope = '*')").or_store_error()?;
    find.query_row([], |row| row.get(0)).or_store_error()
}

/// The agent's open tasks are held as long as anything stops its work.
pub(super) fn hold_tasks(db: &Connection, agent: Option<&AgentId>) -> Result<(), StoreError> {
    let Some(agent) = agent else { return Ok(()) };
    // All entries of the index are looked at, and of the tasks only the agent's own.
    let mark = "UPDATE tasks INDEXED BY tasks_open SET held = EXISTS (SELECT 1 FROM work_stops WHERE scope = ?1) WHERE agent_id = ?1 AND status NOT IN ('complete', 'given_up')";
    db.execute(mark, [agent.as_str()]).map(drop).or_store_error()
}

fn scope_text(scope: &FreezeScope) -> &str {
    scope.agent().map_or(FLEET, AgentId::as_str)
}

fn scope_of(text: &str) -> Result<FreezeScope, StoreError> {
    if text == FLEET {
        return Ok(FreezeScope::Fleet);
    }
    text.parse().map(FreezeScope::Agent).map_err(|error| StoreError::Corrupt(format!("a pause of {text:?}: {error}")))
}
