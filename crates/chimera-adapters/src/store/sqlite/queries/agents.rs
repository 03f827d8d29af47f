//! One agent, whole.

use super::{
    super::{
        OrStoreError,
        columns::{rows, time},
    },
    Names, fleet, lists,
};
use chimera_core::{
    contracts::{
        UtcTime,
        views::agents::{AgentCampaign, AgentDetail},
    },
    domain::AgentId,
    ports::{
        StoreError,
        queries::{PageOf, PostFilter},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension};

const AGENT: &str = "SELECT address, soul_version, soul_source, created_at FROM agents WHERE id = ?1";
/// The newest, as far as a screen shows them.
pub(in super::super) const CAMPAIGNS: &str = "SELECT campaign_id, json_extract(goal, '$.goal_description'), status FROM campaigns \
     WHERE campaign_id IN (SELECT campaign_id FROM campaign_agents WHERE agent_id = ?1) ORDER BY number DESC LIMIT 50";
const POSTS_SHOWN: usize = 20;

pub(super) fn agent(db: &Connection, names: &Names, id: &AgentId, now: DateTime<Utc>) -> Result<Option<AgentDetail>, StoreError> {
    let mut stops = fleet::stops(db)?;
    let Some(card) = fleet::cards(db, names, Some(id.as_str()), &stops, now)?.pop() else { return Ok(None) };
    stops.retain(|stop| stop.agent_id.as_deref().is_none_or(|of| of == id.as_str()));
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, time(row, 3)?));
    let found: Option<(String, String, String, DateTime<Utc>)> = db.query_row(AGENT, [id.as_str()], read).optional().or_store_error()?;
    let Some((address, soul_version, soul_source, created_at)) = found else { return Ok(None) };
    let campaigns =
        rows(db, CAMPAIGNS, [id.as_str()], |row| Ok(AgentCampaign { campaign_id: row.get(0)?, goal: row.get(1)?, status: row.get(2)? }))?;
    let own = PostFilter { agent: Some(id.clone()), campaign_id: None };
    let posts = lists::posts(db, &own, &PageOf::first(POSTS_SHOWN))?.items;
    Ok(Some(AgentDetail { card, address, soul_version, soul_source, created_at: UtcTime(created_at), stops, campaigns, posts }))
}
