//! The `Engagements` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit, micros, parsed, rows, time},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        swarm::{Engagement, EngagementRecord, Engagements, Reading, UnreadPost},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row, params, types::Type};

pub(super) const DUE: &str = "SELECT post_id, agent_id, platform, remote_id, text, number FROM posts \
     WHERE status = 'published' AND readings < 2 AND readings = ?1 AND marked_at <= ?2 AND read_after <= ?3 AND remote_id IS NOT NULL \
     ORDER BY marked_at LIMIT ?4";

#[async_trait]
impl Engagements for SqliteStore {
    async fn due(
        &self,
        reading: Reading,
        published_before: DateTime<Utc>,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<UnreadPost>, StoreError> {
        let read = |row: &Row<'_>| {
            Ok(UnreadPost {
                post_id: parsed(row, 0)?,
                agent: parsed(row, 1)?,
                platform: row.get(2)?,
                remote_id: row.get(3)?,
                text: row.get(4)?,
                number: row.get(5)?,
            })
        };
        let row = [done_before(reading), micros(published_before), micros(now), from_limit(limit)];
        self.read(move |db| rows(db, DUE, row, read)).await
    }

    async fn record(&self, post: &UnreadPost, reading: Reading, counts: Option<Engagement>, at: DateTime<Utc>) -> Result<(), StoreError> {
        let (number, post_id) = (post.number, post.post_id.to_string());
        self.write(move |db| {
            let done = "UPDATE posts SET readings = ?2 + 1, readings_put_off = 0 WHERE number = ?1 AND readings = ?2 AND post_id = ?3";
            let is_first = db.execute(done, params![number, done_before(reading), post_id]).or_store_error()? > 0;
            let Some(counts) = counts.filter(|_| is_first) else { return Ok(()) };
            let insert = "INSERT INTO engagement (post_id, reading, read_at, likes, reposts, replies) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let row = params![
                post_id,
                reading.name(),
                micros(at),
                from_count(counts.likes)?,
                from_count(counts.reposts)?,
                from_count(counts.replies)?
            ];
            db.execute(insert, row).map(drop).or_store_error()
        })
        .await
    }

    async fn put_off(&self, post: &UnreadPost, until: DateTime<Utc>) -> Result<u32, StoreError> {
        let (number, post_id) = (post.number, post.post_id.to_string());
        self.write(move |db| {
            let put_off = "UPDATE posts SET read_after = ?3, readings_put_off = readings_put_off + 1 WHERE number = ?1 AND post_id = ?2 \
                 RETURNING readings_put_off";
            let times = db.query_row(put_off, params![number, post_id, micros(until)], |row| row.get(0)).optional().or_store_error()?;
            Ok(times.unwrap_or(u32::MAX))
        })
        .await
    }

    async fn latest(&self, agent: &AgentId, limit: usize) -> Result<Vec<(UuidV4, Engagement)>, StoreError> {
        let agent = agent.clone();
        self.read(move |db| {
            let latest = "SELECT post_id, likes, reposts, replies FROM posts JOIN engagement USING (post_id) \
                 WHERE agent_id = ?1 AND reading = 'last' ORDER BY number DESC LIMIT ?2";
            rows(db, latest, params![agent.as_str(), from_limit(limit)], |row| Ok((parsed(row, 0)?, counts(row, 1)?)))
        })
        .await
    }

    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<EngagementRecord>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| {
            let all = "SELECT post_id, reading, read_at, likes, reposts, replies FROM posts JOIN engagement USING (post_id) \
                 WHERE campaign_id = ?1 ORDER BY read_at, number";
            rows(db, all, [campaign_id], |row| {
                Ok(EngagementRecord { post_id: parsed(row, 0)?, reading: reading(row, 1)?, at: time(row, 2)?, counts: counts(row, 3)? })
            })
        })
        .await
    }
}

/// How many readings are done when this one is due.
fn done_before(reading: Reading) -> i64 {
    match reading {
        Reading::First => 0,
        Reading::Last => 1,
    }
}

fn reading(row: &Row<'_>, column: usize) -> rusqlite::Result<Reading> {
    let name: String = row.get(column)?;
    let found = Reading::ALL.into_iter().find(|reading| reading.name() == name);
    found.ok_or(rusqlite::Error::InvalidColumnType(column, name, Type::Text))
}

fn counts(row: &Row<'_>, first: usize) -> rusqlite::Result<Engagement> {
    Ok(Engagement { likes: count(row, first)?, reposts: count(row, first + 1)?, replies: count(row, first + 2)? })
}
