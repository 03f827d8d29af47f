//! What the Planner asks the skills before it plans: what is going on, and what the wallet holds. Neither call has an effect.

use crate::{
    contracts::{
        UtcTime, UuidV4,
        filter_result::SemanticFilterResult,
        task::TaskTransaction,
        trend_alert::{Trend, TrendAlert, TrendEventType},
        trend_fetcher::{self, FilterResult, ResourceFailure, StrongestStory, TrendFetcherOutput},
        wallet_transaction,
    },
    ports::{
        clock::Clock,
        skill_caller::{CallError, SkillCaller},
        swarm::CampaignState,
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq)]
pub struct Perceived {
    pub agent_id: String,
    pub alert: Option<TrendAlert>,
    /// What else is going on, in the skill's order.
    pub more: Vec<TrendAlert>,
    /// Where there is no trend: the story nearest to one.
    pub strongest_story: Option<StrongestStory>,
    /// Best first.
    pub items: Vec<SemanticFilterResult>,
    pub errors: Vec<ResourceFailure>,
}

#[derive(Debug, thiserror::Error)]
pub enum PerceptionError {
    #[error("perception failed: {0}")]
    Failed(String),
    #[error(transparent)]
    Call(#[from] CallError),
}

/// What is going on for `agent_id`, who stands for the campaign.
pub async fn perceive(
    skills: &dyn SkillCaller,
    clock: &dyn Clock,
    campaign: &CampaignState,
    agent_id: &str,
    resource_uris: &[String],
) -> Result<Perceived, PerceptionError> {
    let goal = &campaign.goal;
    let input = json!({
        "agent_id": agent_id,
        "campaign_id": goal.campaign_id,
        "resource_uris": resource_uris,
        "goal_context": goal.goal_description,
    });
    let answer = skills.call(trend_fetcher::NAME, &input).await?;
    let found = TrendFetcherOutput::deserialize(&answer)
        .map_err(|_| PerceptionError::Failed(answer["message"].as_str().unwrap_or("the answer is not of its contract").to_owned()))?;
    let now = UtcTime(clock.now());
    let alert_of = |event_id: UuidV4, trend: Trend| TrendAlert {
        event_id,
        event_type: TrendEventType::TrendAlert,
        source: trend_fetcher::NAME.to_owned(),
        created_at: now,
        agent_id: agent_id.to_owned(),
        campaign_id: goal.campaign_id.clone(),
        trend,
    };
    let filter_result = |found: FilterResult| SemanticFilterResult {
        filter_result_id: found.filter_result_id,
        resource_uri: found.resource_uri,
        content_summary: found.content_summary,
        relevance_score: found.relevance_score,
        agent_id: agent_id.to_owned(),
        goal_context: goal.goal_description.clone(),
        created_at: now,
        above_threshold: found.above_threshold,
        cluster_id: found.cluster_id,
    };
    Ok(Perceived {
        agent_id: agent_id.to_owned(),
        alert: found.trend_alert.map(|alert| alert_of(alert.event_id, alert.trend)),
        more: found.more_trends.into_iter().map(|other| alert_of(UuidV4::random(), other.trend)).collect(),
        strongest_story: found.strongest_story,
        items: found.filter_results.into_iter().map(filter_result).collect(),
        errors: found.resource_errors,
    })
}

/// Whether the wallet of `agent_id` holds what the payment takes, fees apart. Where that cannot be told, it cannot be paid.
pub async fn can_afford(skills: &dyn SkillCaller, agent_id: &str, payment: &TaskTransaction) -> Result<bool, CallError> {
    let mut params = json!({ "asset": payment.params.asset });
    if let Some(chain_id) = &payment.params.chain_id {
        params["chain_id"] = json!(chain_id);
    }
    let input = json!({ "task_id": UuidV4::random(), "agent_id": agent_id, "operation": "get_balance", "params": params });
    let answer = skills.call(wallet_transaction::NAME, &input).await?;
    let units = |value: Option<&str>| value.and_then(|text| text.parse::<crate::domain::money::U256>().ok());
    let balance = units(answer.pointer("/result/balance_wei_or_units").and_then(Value::as_str));
    let amount = units(payment.params.amount_wei_or_units.as_deref());
    Ok(matches!((balance, amount), (Some(balance), Some(amount)) if balance >= amount))
}
