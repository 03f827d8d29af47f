//! The `Campaigns` port.

use super::{
    OrStoreError, SqliteStore, campaign_changes,
    columns::{count, from_count, from_limit, json, micros, rows, to_json, units, word},
    model_budget, outbox,
    task_rows::after,
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, campaign::CampaignGoal, content_generator::ContentType, trend_alert::TrendAlert},
    domain::{
        campaign::{Budget, CampaignEvent, CampaignStatus, Used},
        money::U256,
        task::{TaskEvent, TaskState},
    },
    ports::{
        StoreError,
        swarm::{CampaignState, Campaigns, ChangeError},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

pub(super) const ALERTS: &str = "SELECT alert FROM trend_alerts WHERE campaign_id = ?1 ORDER BY created_at DESC, number DESC LIMIT ?2";
pub(super) const ALERTS_BEFORE: &str = "SELECT alert FROM trend_alerts INDEXED BY trend_alerts_of_campaign \
     WHERE campaign_id = ?1 AND created_at <= ?2 ORDER BY created_at DESC, number DESC LIMIT ?3";
pub(super) const DUE: &str = "SELECT campaign_id FROM campaigns WHERE status = 'running' AND looked_at < ?1 ORDER BY looked_at LIMIT ?2";
/// What a payment that was given up would have cost is free again.
const PAYMENTS: &str = "SELECT json_extract(task, '$.transaction.params.amount_wei_or_units') FROM tasks \
     WHERE campaign_id = ?1 AND status <> 'given_up' AND json_extract(task, '$.transaction.params.amount_wei_or_units') IS NOT NULL";
/// Pictures and videos, whatever became of them. A task that was tried again was drawn again.
const MEDIA: &str = "SELECT json_extract(task, '$.acceptance_criteria.content_type'), count(*), \
     COALESCE(SUM(attempt * json_extract(task, '$.estimate.media_micro_usd')), 0) FROM tasks \
     WHERE campaign_id = ?1 AND json_extract(task, '$.acceptance_criteria.content_type') IN ('image', 'video') GROUP BY 1";
/// Of the goal that is the second parameter: it has a column of its own, since every decision asks for it.
const POSTS_MAX: &str = "CAST(json_extract(?2, '$.budget_constraints.posts_max') AS INTEGER)";
const COLUMNS: &str = "goal, state_version, goal_version, status, reason, resource_uris";

#[async_trait]
impl Campaigns for SqliteStore {
    async fn create(&self, goal: &CampaignGoal, resource_uris: &[String]) -> Result<(), StoreError> {
        let (campaign_id, goal, resource_uris) = (goal.campaign_id.clone(), to_json(goal), to_json(&resource_uris));
        self.write(move |db| {
            let create = format!(
                "INSERT INTO campaigns (campaign_id, goal, posts_max, state_version, status, resource_uris) \
                 VALUES (?1, ?2, {POSTS_MAX}, 1, ?3, ?4) ON CONFLICT DO NOTHING"
            );
            let added = db.execute(&create, params![campaign_id, goal, CampaignStatus::Draft.name(), resource_uris]).or_store_error()?;
            if added > 0 {
                let agents =
                    "INSERT INTO campaign_agents (campaign_id, agent_id) SELECT DISTINCT ?1, value FROM json_each(?2, '$.agent_ids')";
                db.execute(agents, params![campaign_id, goal]).or_store_error()?;
            }
            Ok(())
        })
        .await
    }

    async fn find(&self, campaign_id: &str) -> Result<Option<CampaignState>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| find(db, &campaign_id)).await
    }

    async fn list(&self) -> Result<Vec<CampaignState>, StoreError> {
        self.read(|db| rows(db, &format!("SELECT {COLUMNS} FROM campaigns WHERE status <> 'deleted' ORDER BY number"), [], campaign)).await
    }

    async fn change(&self, campaign_id: &str, event: &CampaignEvent, at: DateTime<Utc>) -> Result<CampaignState, ChangeError> {
        let (campaign_id, event) = (campaign_id.to_owned(), event.clone());
        self.write(move |db| change(db, &campaign_id, &event, at)).await
    }

    async fn take_due(&self, before: DateTime<Utc>, now: DateTime<Utc>, limit: usize) -> Result<Vec<CampaignState>, StoreError> {
        self.write(move |db| {
            let due: Vec<String> = rows(db, DUE, params![micros(before), from_limit(limit)], |row| row.get(0))?;
            let mut taken = Vec::with_capacity(due.len());
            for campaign_id in due {
                db.execute("UPDATE campaigns SET looked_at = ?2 WHERE campaign_id = ?1", params![campaign_id, micros(now)])
                    .or_store_error()?;
                taken.extend(find(db, &campaign_id)?);
            }
            Ok(taken)
        })
        .await
    }

    async fn used(&self, campaign_id: &str) -> Result<Used, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| used(db, &campaign_id)).await
    }

    async fn record_alert(&self, alert: &TrendAlert) -> Result<(), StoreError> {
        let alert = alert.clone();
        self.write(move |db| {
            db.execute(
                "INSERT INTO trend_alerts (event_id, campaign_id, created_at, alert, agent_id) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
                params![alert.event_id.to_string(), alert.campaign_id, micros(alert.created_at.0), to_json(&alert), alert.agent_id],
            )
            .map(drop)
            .or_store_error()
        })
        .await
    }

    async fn alerts(&self, campaign_id: &str, limit: usize) -> Result<Vec<TrendAlert>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| rows(db, ALERTS, params![campaign_id, from_limit(limit)], |row| json(row, 0))).await
    }
}

pub(super) fn used(db: &Connection, campaign_id: &str) -> Result<Used, StoreError> {
    let payments: Vec<U256> = rows(db, PAYMENTS, [campaign_id], |row| units(row, 0))?;
    let media = media(db, campaign_id)?;
    let planned = |kind| media.iter().find(|(content_type, ..)| *content_type == kind).map_or(0, |(_, planned, _)| *planned);
    Ok(Used {
        posts: outbox::count_of_campaign(db, campaign_id)?,
        spend_units: payments.into_iter().fold(U256::ZERO, U256::saturating_add),
        tokens: model_budget::of_campaign(db, campaign_id)?,
        images: planned(ContentType::Image),
        videos: planned(ContentType::Video),
        media_micro_usd: media.iter().map(|(.., cost)| cost).sum(),
    })
}

/// What work is planned against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub(super) state_version: u64,
    pub(super) goal_version: u64,
    pub(super) status: CampaignStatus,
}

#[derive(Debug, thiserror::Error)]
#[error("there is no campaign {0}")]
struct NoSuchCampaign(String);

pub(super) fn standing(db: &Connection, campaign_id: &str) -> Result<Standing, StoreError> {
    let mut find =
        db.prepare_cached("SELECT state_version, goal_version, status FROM campaigns WHERE campaign_id = ?1").or_store_error()?;
    let read = |row: &Row<'_>| Ok(Standing { state_version: count(row, 0)?, goal_version: count(row, 1)?, status: status(row, 2)? });
    let found = find.query_row([campaign_id], read).optional().or_store_error()?;
    found.ok_or_else(|| StoreError::Failed(Box::new(NoSuchCampaign(campaign_id.to_owned()))))
}

/// Pictures and videos: how many of each, and what they cost.
fn media(db: &Connection, campaign_id: &str) -> Result<Vec<(ContentType, u64, u64)>, StoreError> {
    rows(db, MEDIA, [campaign_id], |row| Ok((word(row, 0)?, count(row, 1)?, count(row, 2)?)))
}

/// Why the campaign cannot pay another attempt at the task's picture or video.
pub(super) fn cannot_draw_again(db: &Connection, task_number: i64) -> Result<Option<String>, StoreError> {
    let priced = "SELECT campaign_id, goal, json_extract(task, '$.estimate.media_micro_usd') AS price \
         FROM tasks JOIN campaigns USING (campaign_id) WHERE tasks.number = ?1 AND price > 0";
    let read = |row: &Row<'_>| Ok((row.get(0)?, json(row, 1)?, count(row, 2)?));
    let found: Option<(String, CampaignGoal, u64)> = db.query_row(priced, [task_number], read).optional().or_store_error()?;
    let Some((campaign_id, goal, price)) = found else { return Ok(None) };
    // A budget that cannot be read was refused when the campaign was created.
    let budget = Budget::of(&goal.budget_constraints).unwrap_or_default();
    let used = media(db, &campaign_id)?.iter().map(|(.., cost)| cost).sum();
    Ok(budget.cannot_draw(used, price))
}

/// Whether the task's campaign is no longer what the task was planned for.
pub(super) fn has_moved(db: &Connection, task_id: UuidV4) -> Result<bool, StoreError> {
    let moved = "SELECT tasks.state_version <> campaigns.state_version OR campaigns.status <> 'running' \
         FROM tasks JOIN campaigns USING (campaign_id) WHERE task_id = ?1";
    let mut moved = db.prepare_cached(moved).or_store_error()?;
    moved.query_row([task_id.to_string()], |row| row.get(0)).or_store_error()
}

pub(super) fn status(row: &Row<'_>, column: usize) -> rusqlite::Result<CampaignStatus> {
    let name: String = row.get(column)?;
    CampaignStatus::of_name(&name).ok_or(rusqlite::Error::InvalidColumnType(column, name, Type::Text))
}

fn find(db: &Connection, campaign_id: &str) -> Result<Option<CampaignState>, StoreError> {
    let find = format!("SELECT {COLUMNS} FROM campaigns WHERE campaign_id = ?1");
    db.query_row(&find, [campaign_id], campaign).optional().or_store_error()
}

fn campaign(row: &Row<'_>) -> rusqlite::Result<CampaignState> {
    Ok(CampaignState {
        goal: json(row, 0)?,
        state_version: count(row, 1)?,
        goal_version: count(row, 2)?,
        status: status(row, 3)?,
        reason: row.get(4)?,
        resource_uris: json(row, 5)?,
    })
}

fn change(db: &Connection, campaign_id: &str, event: &CampaignEvent, at: DateTime<Utc>) -> Result<CampaignState, ChangeError> {
    let mut campaign = find(db, campaign_id)?.ok_or_else(|| ChangeError::NoSuchCampaign(campaign_id.to_owned()))?;
    let before = campaign.goal.clone();
    campaign.status = campaign.status.next(event)?;
    match event {
        CampaignEvent::Start | CampaignEvent::Resume => campaign.reason = None,
        CampaignEvent::Pause { reason } | CampaignEvent::Exhaust { reason } => campaign.reason = Some(reason.clone()),
        CampaignEvent::ChangeGoal { goal_description } => {
            campaign.goal.goal_description.clone_from(goal_description);
            campaign.goal_version += 1;
        }
        CampaignEvent::ChangeBudget { budget } => budget.put_into(&mut campaign.goal.budget_constraints),
        CampaignEvent::ChangeAgents { agent_ids } => campaign.goal.agent_ids.clone_from(agent_ids),
        CampaignEvent::Delete => campaign_changes::delete(db, campaign_id, at)?,
    }
    if event.moves_state() {
        campaign.state_version += 1;
    }
    let version = from_count(campaign.state_version)?;
    db.execute(
        &format!("UPDATE campaigns SET goal = ?2, posts_max = {POSTS_MAX}, state_version = ?3, goal_version = ?4, status = ?5, reason = ?6, looked_at = 0 WHERE campaign_id = ?1"),
        params![
            campaign_id,
            to_json(&campaign.goal),
            version,
            from_count(campaign.goal_version)?,
            campaign.status.name(),
            campaign.reason
        ],
    )
    .or_store_error()?;
    if event.moves_state() {
        let returned = after(TaskState::Pending, TaskEvent::Return)?;
        let send_back = "UPDATE tasks SET status = ?2, reason = ?3, run_at = NULL WHERE campaign_id = ?1 AND status = ?4";
        let reason = format!("its campaign had to {}", event.name());
        db.execute(send_back, params![campaign_id, returned.name(), reason, TaskState::Pending.name()]).or_store_error()?;
    }
    if *event == CampaignEvent::Resume {
        // What was planned for the same goal holds again, also what a person is looking at.
        let current =
            "UPDATE tasks SET state_version = ?2 WHERE campaign_id = ?1 AND goal_version = ?3 AND status NOT IN ('complete', 'given_up')";
        db.execute(current, params![campaign_id, version, from_count(campaign.goal_version)?]).or_store_error()?;
    }
    campaign_changes::follow(db, &campaign, &before, event, at)?;
    Ok(campaign)
}
