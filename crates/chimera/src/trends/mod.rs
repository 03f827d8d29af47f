//! The trends that agents were alerted to, with what is remembered of them: what `chimera trends` shows, and a picture of one.
//! Depends on the core's ports alone.

pub mod chart;
mod course;

pub use course::{Course, Span, sparkline};

use chimera_core::{
    contracts::trend_alert::TrendAlert,
    perception::trend::voice,
    ports::{
        StoreError,
        perception::{Perception, StoredItem},
        swarm::{CampaignState, Campaigns},
    },
};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Of one campaign; what was told before that is history.
const ALERTS_PER_CAMPAIGN_MAX: usize = 500;
/// Of what one campaign watches; the newest of them.
const ITEMS_PER_CAMPAIGN_MAX: usize = 20_000;

/// A story that was told to an agent as a trend.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldTrend {
    pub cluster_id: String,
    pub campaign_id: String,
    pub goal: String,
    pub agent_id: String,
    /// As they were told last, and the same of the strength.
    pub topics: Vec<String>,
    pub signal_strength: f64,
    /// When agents were alerted to it, oldest first.
    pub told_at: Vec<DateTime<Utc>>,
    /// Those within the span, oldest first; never empty.
    pub items: Vec<StoredItem>,
}

impl ToldTrend {
    pub fn label(&self) -> String {
        self.topics.join(" · ")
    }

    /// How many independent voices its items have.
    pub fn sources(&self) -> usize {
        self.items.iter().map(source).collect::<BTreeSet<String>>().len()
    }

    pub fn since(&self) -> Option<DateTime<Utc>> {
        self.items.first().map(|item| item.at)
    }

    pub fn course(&self, span: Span, steps: usize) -> Course {
        Course::new(self.items.iter().map(|item| item.at), span, steps)
    }
}

/// Who says an item.
pub fn source(stored: &StoredItem) -> String {
    voice(stored.item.author.as_ref(), stored.item.url.as_ref(), &stored.item.resource_uri)
}

/// Those that `campaigns` were told and that still have items within `span`, the strongest first. A campaign that names no resources watches
/// `resource_uris`.
pub async fn told(
    store: (&dyn Campaigns, &dyn Perception),
    campaigns: &[CampaignState],
    resource_uris: &[String],
    span: Span,
) -> Result<Vec<ToldTrend>, StoreError> {
    let mut trends = Vec::new();
    for campaign in campaigns {
        let alerts = store.0.alerts(&campaign.goal.campaign_id, ALERTS_PER_CAMPAIGN_MAX).await?;
        let uris = if campaign.resource_uris.is_empty() { resource_uris } else { &campaign.resource_uris };
        let items = store.1.window(uris, span.start, ITEMS_PER_CAMPAIGN_MAX).await?;
        trends.extend(of_campaign(campaign, &alerts, items));
    }
    trends.sort_by(|one, other| {
        other.signal_strength.total_cmp(&one.signal_strength).then_with(|| other.told_at.last().cmp(&one.told_at.last()))
    });
    Ok(trends)
}

/// `alerts` are the newest first.
fn of_campaign(campaign: &CampaignState, alerts: &[TrendAlert], items: Vec<StoredItem>) -> Vec<ToldTrend> {
    let mut stories: BTreeMap<String, Vec<StoredItem>> = BTreeMap::new();
    for item in items.into_iter().filter(|item| !item.item.flagged) {
        if let Some(story) = item.cluster_id.clone() {
            stories.entry(story).or_default().push(item);
        }
    }
    let mut told: Vec<ToldTrend> = Vec::new();
    for alert in alerts {
        let same = |trend: &&mut ToldTrend| trend.cluster_id == alert.trend.cluster_id && trend.agent_id == alert.agent_id;
        if let Some(known) = told.iter_mut().find(same) {
            known.told_at.insert(0, alert.created_at.0);
            continue;
        }
        let Some(items) = stories.get(&alert.trend.cluster_id) else { continue };
        told.push(ToldTrend {
            cluster_id: alert.trend.cluster_id.clone(),
            campaign_id: campaign.goal.campaign_id.clone(),
            goal: campaign.goal.goal_description.clone(),
            agent_id: alert.agent_id.clone(),
            topics: alert.trend.topics.clone(),
            signal_strength: alert.trend.signal_strength,
            told_at: vec![alert.created_at.0],
            items: items.clone(),
        });
    }
    told
}

#[cfg(test)]
mod tests;
