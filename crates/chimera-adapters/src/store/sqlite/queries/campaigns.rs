//! Campaigns: how far each is, from sums that are kept as its tasks move.

use super::{
    super::{
        OrStoreError,
        columns::{count, json, rows},
    },
    below, one_more, paged,
};
use chimera_core::{
    contracts::{
        campaign::CampaignGoal,
        views::{
            Page,
            campaigns::{CampaignDetail, CampaignRow, TaskCounts},
        },
    },
    ports::{StoreError, queries::PageOf},
};
use rusqlite::{Connection, OptionalExtension, Row};
use std::collections::HashMap;

pub(in super::super) const LIST: &str = "SELECT number, goal, status, reason, planned, complete, given_up, published \
     FROM campaigns CROSS JOIN campaign_totals USING (campaign_id) WHERE number < ?1 AND status <> 'deleted' ORDER BY number DESC LIMIT ?2";
const ONE: &str = "SELECT number, goal, status, reason, planned, complete, given_up, published, state_version, resource_uris \
     FROM campaigns CROSS JOIN campaign_totals USING (campaign_id) WHERE campaign_id = ?1";
/// Reviews that wait, and tasks that wait with them, of each campaign that has any.
pub(in super::super) const WAITING: &str = "SELECT campaign_id, count(*), count(CASE WHEN tasks.status = 'awaiting_person' THEN 1 END) \
     FROM reviews INDEXED BY reviews_pending CROSS JOIN tasks USING (task_id) WHERE reviews.status = 'pending' GROUP BY campaign_id";
pub(in super::super) const LAST_EVENT: &str =
    "SELECT ifnull(max(number), 0) FROM events INDEXED BY events_of_campaigns WHERE kind = 'campaign' AND campaign_id = ?1";

#[derive(Clone, Copy, Default)]
struct Waiting {
    reviews: u64,
    tasks: u64,
}

pub(super) fn list(db: &Connection, page: &PageOf) -> Result<Page<CampaignRow>, StoreError> {
    let waiting = waiting(db)?;
    let found = rows(db, LIST, [below(page)?, one_more(page)], |row| Ok((count(row, 0)?, campaign(row, &waiting)?)))?;
    Ok(paged(found, page))
}

pub(super) fn detail(db: &Connection, campaign_id: &str) -> Result<Option<CampaignDetail>, StoreError> {
    let waiting = waiting(db)?;
    let last_event = db.query_row(LAST_EVENT, [campaign_id], |row| count(row, 0)).or_store_error()?;
    let read = |row: &Row<'_>| {
        let goal: CampaignGoal = json(row, 1)?;
        Ok(CampaignDetail {
            row: campaign(row, &waiting)?,
            state_version: count(row, 8)?,
            operator_id: goal.operator_id,
            budget_constraints: goal.budget_constraints,
            resource_uris: json(row, 9)?,
            last_event,
        })
    };
    db.query_row(ONE, [campaign_id], read).optional().or_store_error()
}

fn waiting(db: &Connection) -> Result<HashMap<String, Waiting>, StoreError> {
    let read = |row: &Row<'_>| Ok((row.get(0)?, Waiting { reviews: count(row, 1)?, tasks: count(row, 2)? }));
    Ok(rows(db, WAITING, [], read)?.into_iter().collect())
}

fn campaign(row: &Row<'_>, waiting: &HashMap<String, Waiting>) -> rusqlite::Result<CampaignRow> {
    let goal: CampaignGoal = json(row, 1)?;
    let (planned, complete, given_up) = (count(row, 4)?, count(row, 5)?, count(row, 6)?);
    let waits = waiting.get(&goal.campaign_id).copied().unwrap_or_default();
    Ok(CampaignRow {
        campaign_id: goal.campaign_id,
        goal: goal.goal_description,
        status: row.get(2)?,
        reason: row.get(3)?,
        agent_ids: goal.agent_ids,
        created_at: goal.created_at,
        tasks: TaskCounts { open: planned.saturating_sub(complete + given_up), awaiting_person: waits.tasks, complete, given_up },
        posts_published: count(row, 7)?,
        reviews_pending: waits.reviews,
    })
}
