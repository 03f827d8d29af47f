//! Leave to send: the kill switch is asked before every single node and every send.

use crate::{
    domain::AgentId,
    ports::{chain::SendPermit, kill_switch::KillSwitch},
};
use async_trait::async_trait;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// One permit for each agent, the same for all of its transfers: those that leave in one request need to ask once.
pub struct Permits {
    kill_switch: Arc<dyn KillSwitch>,
    of_agents: Mutex<HashMap<AgentId, Arc<AgentPermit>>>,
}

struct AgentPermit {
    kill_switch: Arc<dyn KillSwitch>,
    agent: AgentId,
}

impl Permits {
    pub fn new(kill_switch: Arc<dyn KillSwitch>) -> Self {
        Self { kill_switch, of_agents: Mutex::default() }
    }

    pub(super) fn of(&self, agent: &AgentId) -> Arc<dyn SendPermit> {
        // Nothing can panic while it is held, and its content is whole at any moment.
        let mut of_agents = self.of_agents.lock().unwrap_or_else(PoisonError::into_inner);
        let permit = of_agents.entry(agent.clone()).or_insert_with(|| {
            let (kill_switch, agent) = (Arc::clone(&self.kill_switch), agent.clone());
            Arc::new(AgentPermit { kill_switch, agent })
        });
        Arc::clone(permit) as Arc<dyn SendPermit>
    }

    pub(super) async fn is_frozen(&self, agent: &AgentId) -> bool {
        !self.of(agent).may_send().await
    }
}

#[async_trait]
impl SendPermit for AgentPermit {
    /// A switch that cannot be read counts as on.
    async fn may_send(&self) -> bool {
        matches!(self.kill_switch.frozen(&self.agent).await, Ok(None))
    }
}
