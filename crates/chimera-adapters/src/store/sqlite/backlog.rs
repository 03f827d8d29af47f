//! The `Backlog` port.

use super::{OrStoreError, SqliteStore, columns::micros};
use async_trait::async_trait;
use chimera_core::ports::{
    StoreError,
    swarm::{Backlog, role},
};
use chrono::{DateTime, Utc};
use rusqlite::params;

/// A role, and whether there is work for it at `?1`. What a pause holds back does not wait for anybody.
const WORK: [(&str, &str); 4] = [
    (
        role::PLANNER,
        "SELECT EXISTS (SELECT 1 FROM campaigns CROSS JOIN tasks USING (campaign_id) WHERE campaigns.status = 'running' AND tasks.status = 'returned')",
    ),
    (
        role::WORKER,
        "SELECT NOT EXISTS (SELECT 1 FROM pauses WHERE scope = '*') AND (\
         EXISTS (SELECT 1 FROM tasks WHERE status = 'pending' AND blocked_by = 0 AND run_at IS NULL AND held = 0) \
         OR EXISTS (SELECT 1 FROM tasks WHERE run_at <= ?1 AND status = 'pending' AND blocked_by = 0 AND held = 0) \
         OR EXISTS (SELECT 1 FROM tasks WHERE status = 'in_progress' AND lease_until < ?1 AND held = 0))",
    ),
    (
        role::JUDGE,
        "SELECT EXISTS (SELECT 1 FROM results JOIN tasks ON tasks.number = task_number WHERE decision_id IS NULL AND status = 'review')",
    ),
    (
        role::PUBLISHER,
        "SELECT NOT EXISTS (SELECT 1 FROM pauses WHERE scope = '*') \
         AND EXISTS (SELECT 1 FROM posts JOIN campaigns USING (campaign_id) WHERE posts.status IN ('approved', 'sending') AND not_before <= ?1 \
         AND campaigns.status <> 'paused' AND agent_id NOT IN (SELECT scope FROM pauses))",
    ),
];

#[async_trait]
impl Backlog for SqliteStore {
    async fn beat(&self, role: &str, consumer: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        let (role, consumer) = (role.to_owned(), consumer.to_owned());
        self.write(move |db| {
            let beat = "INSERT INTO consumers (role, consumer, seen_at) VALUES (?1, ?2, ?3) \
                 ON CONFLICT DO UPDATE SET seen_at = max(seen_at, excluded.seen_at)";
            db.execute(beat, params![role, consumer, micros(at)]).map(drop).or_store_error()
        })
        .await
    }

    async fn unattended(&self, since: DateTime<Utc>, now: DateTime<Utc>) -> Result<Vec<String>, StoreError> {
        self.read(move |db| {
            let mut roles = Vec::new();
            for (role, waits) in WORK {
                let seen = "SELECT EXISTS (SELECT 1 FROM consumers WHERE role = ?1 AND seen_at >= ?2)";
                let is_attended: bool = db.query_row(seen, params![role, micros(since)], |row| row.get(0)).or_store_error()?;
                let mut waits = db.prepare_cached(waits).or_store_error()?;
                let parameters: &[i64] = if waits.parameter_count() == 1 { &[micros(now)] } else { &[] };
                let waiting: bool = waits.query_row(rusqlite::params_from_iter(parameters), |row| row.get(0)).or_store_error()?;
                if waiting && !is_attended {
                    roles.push(role.to_owned());
                }
            }
            Ok(roles)
        })
        .await
    }
}
