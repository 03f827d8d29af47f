//! A trend that perception found, as the Planner receives it.

use super::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Always the JSON string `trend_alert`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrendEventType {
    TrendAlert,
}

/// A trend worth planning for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrendAlert {
    pub event_id: UuidV4,
    pub event_type: TrendEventType,
    /// Who found it.
    pub source: String,
    pub created_at: UtcTime,
    pub agent_id: String,
    pub campaign_id: String,
    pub trend: Trend,
}

/// Items about one story within a time window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trend {
    /// One to five labels a person would use.
    #[schemars(length(min = 1, max = 5))]
    pub topics: Vec<String>,
    /// Stable: the same story has the same id in the next call.
    pub cluster_id: String,
    pub time_window_start: UtcTime,
    pub time_window_end: UtcTime,
    /// Grows with items, independent sources, acceleration and relevance.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub signal_strength: f64,
    pub sample_resource_uris: Vec<String>,
    /// True when this agent was not alerted to it before, or it has grown by half since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<bool>,
    /// Where the story stands in its life; a fading one is never new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<TrendPhase>,
}

/// Of a story's life, by how many items count lately and before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrendPhase {
    /// More comes now than just before.
    Rising,
    Peak,
    /// Less than half comes of what came when it was busiest.
    Fading,
}
