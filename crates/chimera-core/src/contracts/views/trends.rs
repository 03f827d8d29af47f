//! What rises, and what was made of it.

use crate::contracts::{UtcTime, UuidV4, trend_alert::Trend};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrendRow {
    pub event_id: UuidV4,
    pub campaign_id: String,
    pub agent_id: String,
    pub found_at: UtcTime,
    pub trend: Trend,
    /// Items of the story in the hours before it was found, oldest first; one number an hour.
    pub hourly: Vec<u64>,
}
