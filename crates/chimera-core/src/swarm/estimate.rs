//! What a plan would cost and risk, told before anything is started.

use super::{
    judge::Thresholds,
    planner::media::{self, Costs},
    publisher::Channels,
};
use crate::{
    contracts::task::{AgentTask, Risk, TaskEstimate},
    domain::money::U256,
    policy::sensitive,
    ports::swarm::CampaignState,
};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    pub posts: usize,
    pub payments: usize,
    /// By asset, in its smallest unit; fees come on top, within the chain's limits.
    pub spend_units: BTreeMap<String, U256>,
    /// Of language models and media tools, in millionths of a US dollar, as the tasks were estimated.
    pub cost_micro_usd: u64,
    pub risk: Risk,
    /// What makes the risk what it is.
    pub reasons: Vec<String>,
}

/// Of one task, by what it asks for.
pub fn of_task(campaign: &CampaignState, task: &AgentTask, costs: &Costs, thresholds: &Thresholds, channels: &Channels) -> TaskEstimate {
    TaskEstimate {
        text_micro_usd: if task.acceptance_criteria.is_some() { costs.text_micro_usd } else { 0 },
        media_micro_usd: media::cost_micro_usd(task, costs),
        risk: estimate(campaign, std::slice::from_ref(task), thresholds, channels).risk,
    }
}

/// Pure: of the tasks as they would be queued.
pub fn estimate(campaign: &CampaignState, tasks: &[AgentTask], thresholds: &Thresholds, channels: &Channels) -> Estimate {
    let payments: Vec<_> = tasks.iter().filter_map(|task| task.transaction.as_ref()).collect();
    let mut spend_units = BTreeMap::new();
    for payment in &payments {
        let amount: U256 = payment.params.amount_wei_or_units.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default();
        *spend_units.entry(payment.params.asset.clone()).or_insert(U256::ZERO) += amount;
    }
    let posts = tasks.len() - payments.len();
    let mut found = Vec::new();
    let topics = sensitive::topics(&campaign.goal.goal_description);
    if !topics.is_empty() {
        let named: Vec<&str> = topics.iter().map(|topic| topic.name()).collect();
        found.push((Risk::High, format!("the goal touches {}: a person decides every post", named.join(" and "))));
    }
    if !payments.is_empty() {
        found.push((Risk::Medium, format!("{} of its tasks move money, under the CFO's rules", payments.len())));
    }
    let leaving = tasks.iter().filter_map(|task| task.acceptance_criteria.as_ref()).filter(|criteria| leaves(channels, &criteria.platform));
    let leaving = leaving.count();
    if leaving > 0 && thresholds.auto_approve_embedded {
        found.push((Risk::High, format!("{leaving} posts can leave without a person (auto_approve_embedded)")));
    } else if leaving > 0 {
        found.push((Risk::Medium, format!("{leaving} posts leave this machine once they are approved")));
    } else if posts > 0 {
        found.push((Risk::Low, "nothing is published: every platform is a dry run".to_owned()));
    }
    let risk = found.iter().map(|(risk, _)| *risk).max().unwrap_or(Risk::Low);
    let costs = tasks.iter().filter_map(|task| task.estimate.as_ref());
    let cost_micro_usd = costs.fold(0_u64, |sum, of| sum.saturating_add(of.text_micro_usd).saturating_add(of.media_micro_usd));
    let reasons = found.into_iter().map(|(_, reason)| reason).collect();
    Estimate { posts, payments: payments.len(), spend_units, cost_micro_usd, risk, reasons }
}

fn leaves(channels: &Channels, platform: &str) -> bool {
    channels.get(platform).is_some_and(|channel| !channel.dry_run)
}
