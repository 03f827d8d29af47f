//! The `Campaigns` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_limit, json, micros, rows, to_json},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{campaign::CampaignGoal, trend_alert::TrendAlert},
    ports::{
        StoreError,
        swarm::{CampaignState, Campaigns},
    },
};
use rusqlite::{OptionalExtension, Row, params};

pub(super) const ALERTS: &str = "SELECT alert FROM trend_alerts WHERE campaign_id = ?1 ORDER BY created_at DESC, number DESC LIMIT ?2";

#[async_trait]
impl Campaigns for SqliteStore {
    async fn create(&self, goal: &CampaignGoal) -> Result<(), StoreError> {
        let (campaign_id, goal) = (goal.campaign_id.clone(), to_json(goal));
        self.write(move |db| {
            let create = "INSERT INTO campaigns (campaign_id, goal, state_version) VALUES (?1, ?2, 1) ON CONFLICT DO NOTHING";
            db.execute(create, [campaign_id, goal]).map(drop).or_store_error()
        })
        .await
    }

    async fn find(&self, campaign_id: &str) -> Result<Option<CampaignState>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| {
            let find = "SELECT goal, state_version FROM campaigns WHERE campaign_id = ?1";
            db.query_row(find, [campaign_id], campaign).optional().or_store_error()
        })
        .await
    }

    async fn list(&self) -> Result<Vec<CampaignState>, StoreError> {
        self.read(|db| rows(db, "SELECT goal, state_version FROM campaigns ORDER BY number", [], campaign)).await
    }

    async fn record_alert(&self, alert: &TrendAlert) -> Result<(), StoreError> {
        let alert = alert.clone();
        self.write(move |db| {
            db.execute(
                "INSERT INTO trend_alerts (event_id, campaign_id, created_at, alert) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                params![alert.event_id.to_string(), alert.campaign_id, micros(alert.created_at.0), to_json(&alert)],
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

fn campaign(row: &Row<'_>) -> rusqlite::Result<CampaignState> {
    Ok(CampaignState { goal: json(row, 0)?, state_version: count(row, 1)? })
}
