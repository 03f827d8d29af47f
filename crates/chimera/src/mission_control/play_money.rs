//! Money of the embedded chain, which is worth nothing anywhere.

use super::answers::{refusal, unavailable};
use crate::wiring;
use anyhow::Result;
use async_trait::async_trait;
use chimera_core::{
    domain::{
        AgentId,
        money::{Address, U256},
    },
    ports::agents::Agents,
};
use chimera_dashboard::{PlayMoney, Refusal, RefusalKind};
use std::sync::Arc;
use url::Url;

/// What one call gives: enough to try everything.
const PLAY_WEI: u128 = 1_000_000_000_000_000_000;
const PLAY_USDC_UNITS: u64 = 25_000_000;

/// 1 ETH and 25 USDC more on the embedded chain, which answers there.
pub async fn give(chain: &Url, address: Address) -> Result<()> {
    wiring::give_play_money(chain, address, U256::from(PLAY_WEI), U256::from(PLAY_USDC_UNITS)).await
}

pub(super) struct EmbeddedChainMoney {
    pub agents: Arc<dyn Agents>,
    pub chain: Url,
}

#[async_trait]
impl PlayMoney for EmbeddedChainMoney {
    async fn give(&self, agent: &AgentId) -> Result<String, Refusal> {
        let found = self.agents.find(agent).await.map_err(unavailable)?;
        let found =
            found.ok_or_else(|| refusal(RefusalKind::NotFound, format!("There is no agent {agent}."), "The fleet has all there are."))?;
        give(&self.chain, found.address).await.map_err(|error| {
            refusal(
                RefusalKind::Unavailable,
                format!("The embedded chain gave nothing: {error:#}."),
                "Try again; the server's log says more.",
            )
        })?;
        Ok(format!("{agent} has 1 ETH and 25 USDC more: play money of the embedded chain."))
    }
}
