//! What only the program can do: it has the wallets, the swarm and the configuration.

mod play_money;

pub use play_money::PlayMoney;

use async_trait::async_trait;
use chimera_core::{
    contracts::{
        review::ReviewAnswer,
        views::{Money, agents::BudgetDay, reviews::PublishPreview},
    },
    domain::AgentId,
};
use serde_json::Value;

#[async_trait]
pub trait Operations: Send + Sync {
    /// Whether this answer would be taken as it is: an edit passes every check that a post passes. Changes nothing.
    async fn check_answer(&self, answer: &ReviewAnswer) -> Result<(), Refusal>;
    /// Carries an answer out, of content or of money, once. What it did, as a sentence.
    async fn carry_out(&self, answer: &ReviewAnswer) -> Result<String, Refusal>;
    /// A new agent with a wallet; its id.
    async fn create_agent(&self, soul_source: &str) -> Result<String, Refusal>;
    /// What a campaign would do now, as `chimera campaign plan --json` says it.
    async fn plan(&self, campaign_id: &str) -> Result<Value, Refusal>;
    /// What the policy allows the agent a day, with what is spent and reserved left at zero.
    fn limits(&self, agent: &AgentId) -> Vec<BudgetDay>;
    /// What is in the agent's wallet; an asset whose chain does not answer is left out.
    async fn balances(&self, agent: &AgentId) -> Vec<Money>;
    /// What the publishing tool would be called with for this text; `None` for a platform that nobody knows.
    async fn publish_preview(
        &self,
        agent: &AgentId,
        platform: &str,
        text: &str,
        media_uri: Option<&str>,
        reply_to: Option<&str>,
    ) -> Option<PublishPreview>;
}

/// Why something was not done, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Refusal {
    pub kind: RefusalKind,
    /// A sentence.
    pub problem: String,
    /// What to do.
    pub next: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no such thing.
    NotFound,
    /// It is in another state, or somebody was faster.
    Conflict,
    /// What was given breaks a rule.
    Invalid,
    /// Something else does not answer now.
    Unavailable,
}
