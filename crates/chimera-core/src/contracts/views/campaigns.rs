//! Campaigns, their tasks, posts and calendar.

use crate::contracts::{UtcTime, UuidV4};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CampaignRow {
    pub campaign_id: String,
    pub goal: String,
    /// draft, running, paused or exhausted.
    pub status: String,
    /// Why it is paused or exhausted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub agent_ids: Vec<String>,
    pub created_at: UtcTime,
    pub tasks: TaskCounts,
    pub posts_published: u64,
    pub reviews_pending: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskCounts {
    pub open: u64,
    pub awaiting_person: u64,
    pub complete: u64,
    pub given_up: u64,
}

/// One campaign; its tasks and posts are lists of their own.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CampaignDetail {
    pub row: CampaignRow,
    pub state_version: u64,
    pub operator_id: String,
    pub budget_constraints: Map<String, Value>,
    pub resource_uris: Vec<String>,
    /// The number of the newest event of the campaign, which an edit names with `If-Match`.
    pub last_event: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TaskRow {
    pub task_id: UuidV4,
    pub campaign_id: String,
    pub agent_id: String,
    /// pending, in_progress, in_review (before the Judge), awaiting_person, returned, complete or given_up.
    pub state: String,
    /// What it makes: "text for bluesky", "payment".
    pub what: String,
    pub attempt: u32,
    pub created_at: UtcTime,
    /// Not before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_at: Option<UtcTime>,
    /// Why it came back, waits or was given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PostRow {
    pub post_id: UuidV4,
    pub task_id: UuidV4,
    pub campaign_id: String,
    pub agent_id: String,
    pub platform: String,
    /// approved, sending, dry_run, published, refused or unknown.
    pub status: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_uri: Option<String>,
    /// When it came into this state, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<UtcTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CalendarRow {
    pub entry_id: UuidV4,
    pub campaign_id: String,
    pub at: UtcTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    pub content_type: String,
    /// waiting, planned, missed or removed.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
