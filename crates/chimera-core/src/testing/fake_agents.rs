//! Agents in memory.

use crate::{
    domain::AgentId,
    ports::{
        StoreError,
        agents::{AgentRecord, Agents, CreateAgentError},
    },
};
use async_trait::async_trait;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

#[derive(Default)]
pub struct FakeAgents(Mutex<BTreeMap<AgentId, AgentRecord>>);

impl FakeAgents {
    fn agents(&self) -> MutexGuard<'_, BTreeMap<AgentId, AgentRecord>> {
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
        agents.insert(agent.id.clone(), agent.clone());
        Ok(())
    }

    async fn find(&self, id: &AgentId) -> Result<Option<AgentRecord>, StoreError> {
        Ok(self.agents().get(id).cloned())
    }

    async fn list(&self) -> Result<Vec<AgentRecord>, StoreError> {
        Ok(self.agents().values().cloned().collect())
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
}
