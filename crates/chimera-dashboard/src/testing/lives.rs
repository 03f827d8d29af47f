//! Two SOULs of each agent. Nothing of the sample is changed by them.

use super::{Sample, absent::Absent};
use crate::operations::{PlayMoney, Refusal};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UtcTime,
        views::{Page, souls::SoulVersion},
    },
    domain::AgentId,
    ports::{
        StoreError,
        agent_lives::{AgentLives, ChangeSoulError, Retired, Retirement, SoulChange},
        queries::PageOf,
    },
};
use chrono::{DateTime, TimeDelta, Utc};

#[async_trait]
impl AgentLives for Sample {
    async fn change_soul(&self, _: &SoulChange) -> Result<u64, ChangeSoulError> {
        Err(StoreError::Closed.into())
    }
    async fn souls(&self, agent: &AgentId, _: &PageOf) -> Result<Page<SoulVersion>, StoreError> {
        let facts = self.facts();
        let Some(agent) = facts.agents.iter().find(|found| found.card.agent_id == agent.as_str()) else {
            return Ok(Page { items: Vec::new(), next: None });
        };
        let version = |number: u64, soul_source: String, by: Option<&str>| SoulVersion {
            number,
            soul_version: agent.soul_version.clone(),
            soul_source,
            by: by.map(str::to_owned),
            at: UtcTime(agent.created_at.0 + TimeDelta::days(i64::try_from(number).unwrap_or_default())),
        };
        let first = agent.soul_source.replace("who grow it", "who drink it");
        Ok(Page { items: vec![version(2, agent.soul_source.clone(), Some("ada")), version(1, first, None)], next: None })
    }
    async fn retire(&self, _: &Retirement) -> Result<Retired, StoreError> {
        Err(StoreError::Closed)
    }
    async fn reinstate(&self, _: &AgentId, _: &str, _: DateTime<Utc>) -> Result<bool, StoreError> {
        Err(StoreError::Closed)
    }
}

#[async_trait]
impl PlayMoney for Absent {
    async fn give(&self, _: &AgentId) -> Result<String, Refusal> {
        Err(super::absent::refused())
    }
}
