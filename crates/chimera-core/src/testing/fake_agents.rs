//! Agents in memory, and what becomes of them. There are no tasks here that a retirement could end.

use crate::{
    contracts::{
        UtcTime,
        views::{Page, souls::SoulVersion},
    },
    domain::AgentId,
    ports::{
        StoreError,
        agent_lives::{AgentLives, ChangeSoulError, Ended, Retired, Retirement, SoulChange},
        agents::{AgentRecord, Agents, CreateAgentError},
        queries::PageOf,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

#[derive(Default)]
pub struct FakeAgents(Mutex<BTreeMap<AgentId, Life>>);

struct Life {
    record: AgentRecord,
    /// Oldest first.
    souls: Vec<SoulVersion>,
    retirement: Option<Retirement>,
}

impl FakeAgents {
    fn agents(&self) -> MutexGuard<'_, BTreeMap<AgentId, Life>> {
        self.0.lock().expect("no test panics while holding the agents")
    }
}

#[async_trait]
impl Agents for FakeAgents {
    async fn create(&self, agent: &AgentRecord) -> Result<(), CreateAgentError> {
        let mut agents = self.agents();
        if agents.contains_key(&agent.id) {
            return Err(CreateAgentError::Exists(agent.id.clone()));
        }
        let first = SoulVersion {
            number: 1,
            soul_version: agent.soul_version.clone(),
            soul_source: agent.soul_source.clone(),
            by: None,
            at: UtcTime(agent.created_at),
        };
        agents.insert(agent.id.clone(), Life { record: agent.clone(), souls: vec![first], retirement: None });
        Ok(())
    }

    async fn find(&self, id: &AgentId) -> Result<Option<AgentRecord>, StoreError> {
        Ok(self.agents().get(id).map(|life| life.record.clone()))
    }

    async fn retirement(&self, id: &AgentId) -> Result<Option<Retirement>, StoreError> {
        Ok(self.agents().get(id).and_then(|life| life.retirement.clone()))
    }

    async fn list(&self) -> Result<Vec<AgentRecord>, StoreError> {
        Ok(self.agents().values().map(|life| life.record.clone()).collect())
    }
}

#[async_trait]
impl AgentLives for FakeAgents {
    async fn change_soul(&self, change: &SoulChange) -> Result<u64, ChangeSoulError> {
        let mut agents = self.agents();
        let life = agents.get_mut(change.agent()).ok_or_else(|| ChangeSoulError::NoSuchAgent(change.agent().clone()))?;
        let present = life.souls.len() as u64;
        if !change.may_follow(present) {
            return Err(ChangeSoulError::Moved { present });
        }
        if life.record.soul_version == change.version() {
            return Ok(present);
        }
        (life.record.soul_version, life.record.soul_source) = (change.version().to_owned(), change.source().to_owned());
        life.souls.push(SoulVersion {
            number: present + 1,
            soul_version: change.version().to_owned(),
            soul_source: change.source().to_owned(),
            by: Some(change.by().to_owned()),
            at: UtcTime(change.at()),
        });
        Ok(present + 1)
    }

    async fn souls(&self, agent: &AgentId, page: &PageOf) -> Result<Page<SoulVersion>, StoreError> {
        let agents = self.agents();
        let souls = agents.get(agent).map(|life| life.souls.as_slice()).unwrap_or_default();
        let mut below: Vec<SoulVersion> =
            souls.iter().rev().filter(|soul| page.cursor.is_none_or(|cursor| soul.number < cursor.number)).cloned().collect();
        let has_next = below.len() > page.limit;
        below.truncate(page.limit);
        let next = below.last().filter(|_| has_next).map(|last| last.number.to_string());
        Ok(Page { items: below, next })
    }

    async fn retire(&self, retirement: &Retirement) -> Result<Retired, StoreError> {
        let mut agents = self.agents();
        let stands = agents.get_mut(&retirement.agent).map(|life| life.retirement.get_or_insert_with(|| retirement.clone()).clone());
        Ok(Retired { retirement: stands.unwrap_or_else(|| retirement.clone()), ended: Ended::default() })
    }

    async fn reinstate(&self, agent: &AgentId, _by: &str, _at: DateTime<Utc>) -> Result<bool, StoreError> {
        Ok(self.agents().get_mut(agent).is_some_and(|life| life.retirement.take().is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn fake_agents_hold_to_the_port() {
        suites::agents::all(|| ((), FakeAgents::default())).await;
    }

    #[tokio::test]
    async fn lives_of_fake_agents_hold_to_the_port() {
        suites::agent_lives::all(|| ((), FakeAgents::default())).await;
    }
}
