//! How much may leave in an hour or a day. Sends are counted, not posts: one that is sent again may be there twice.

use super::super::{
    OrStoreError,
    columns::{count, micros},
};
use chimera_core::ports::{
    StoreError,
    swarm::{Post, PublishLimits},
};
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, params};

pub(in super::super) const LATEST_ON_PLATFORM: &str = "SELECT count(*) FROM sends WHERE platform = ?1 AND at > ?2";
pub(in super::super) const LATEST_OF_AGENT: &str = "SELECT count(*) FROM sends WHERE agent_id = ?1 AND at > ?2";
pub(in super::super) const LATEST_OF_ALL: &str = "SELECT count(*) FROM sends WHERE ?1 = '' AND at > ?2";

/// Why one more send, of whatever post, would be too much.
pub(super) fn over(db: &Connection, post: &Post, now: DateTime<Utc>, limits: &PublishLimits) -> Result<Option<String>, StoreError> {
    let (hour, day) = (TimeDelta::hours(1), TimeDelta::hours(24));
    for (max, latest, of, since, told) in [
        (limits.per_hour_max, LATEST_ON_PLATFORM, post.platform.as_str(), hour, format!("in the last hour on {}", post.platform)),
        (limits.agent_per_day_max, LATEST_OF_AGENT, post.agent.as_str(), day, format!("of {} in the last 24 hours", post.agent)),
        (limits.fleet_per_day_max, LATEST_OF_ALL, "", day, "of all agents in the last 24 hours".to_owned()),
    ] {
        let Some(max) = max else { continue };
        let sent = db.query_row(latest, params![of, micros(now - since)], |row| count(row, 0)).or_store_error()?;
        if sent >= u64::from(max) {
            return Ok(Some(format!("{sent} posts were sent {told}, {max} are allowed")));
        }
    }
    Ok(None)
}

pub(super) fn count_send(db: &Connection, post_number: i64, post: &Post, at: DateTime<Utc>) -> Result<(), StoreError> {
    let insert = "INSERT INTO sends (post_number, platform, agent_id, at) VALUES (?1, ?2, ?3, ?4)";
    db.execute(insert, params![post_number, post.platform, post.agent.as_str(), micros(at)]).map(drop).or_store_error()
}
