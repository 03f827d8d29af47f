//! The addresses of the records: `chimera://` URIs, read and written in this one place.

use chimera_core::domain::{AgentId, asset::AssetId, percent};
use std::fmt;

/// A longer address is refused unread. The longest that we write fits: a campaign's id in a script of four bytes a character, each escaped.
const URI_BYTES_MAX: usize = 2048;
/// As in every contract that names a campaign.
const CAMPAIGN_ID_CHARS_MAX: usize = 128;
const SCHEME: &str = "chimera://";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResourceUri {
    AgentStatus(AgentId),
    AgentSoul(AgentId),
    CampaignState(String),
    CampaignTrends(String),
    ReviewsPending,
    Ledger(AgentId),
    Asset(AssetId),
}

/// `(template, name, title, description, MIME type)` of every kind that has a part to fill in.
pub(super) const TEMPLATES: [(&str, &str, &str, &str, &str); 6] = [
    ("chimera://agents/{agent_id}/status", "agent_status", "Agent status", "Address, SOUL version, campaigns and work of one agent.", JSON),
    ("chimera://agents/{agent_id}/soul", "agent_soul", "Agent SOUL", "SOUL.md of one agent: who it is and what it never does.", MARKDOWN),
    (
        "chimera://campaigns/{campaign_id}/state",
        "campaign_state",
        "Campaign state",
        "Goal, tasks, results, decisions and posts of one campaign.",
        JSON,
    ),
    ("chimera://campaigns/{campaign_id}/trends", "campaign_trends", "Campaign trends", "Trend alerts of one campaign, newest first.", JSON),
    ("chimera://ledger/{agent_id}", "agent_ledger", "Agent ledger", "Payments, refusals and posts of one agent, newest first.", JSON),
    ("chimera://assets/{asset_id}", "asset", "Asset", "A picture or video that an agent made, as it would be published.", ANY_BYTES),
];

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";
/// Each asset says its own type when it is read.
const ANY_BYTES: &str = "application/octet-stream";

impl ResourceUri {
    /// `None` for an address of nothing we could have.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        if uri.len() > URI_BYTES_MAX {
            return None;
        }
        let parts: Vec<&str> = uri.strip_prefix(SCHEME)?.split('/').collect();
        Some(match parts.as_slice() {
            ["agents", id, "status"] => Self::AgentStatus(id.parse().ok()?),
            ["agents", id, "soul"] => Self::AgentSoul(id.parse().ok()?),
            ["campaigns", id, "state"] => Self::CampaignState(campaign_id(id)?),
            ["campaigns", id, "trends"] => Self::CampaignTrends(campaign_id(id)?),
            ["reviews", "pending"] => Self::ReviewsPending,
            ["ledger", id] => Self::Ledger(id.parse().ok()?),
            ["assets", id] => Self::Asset(id.parse().ok()?),
            _ => return None,
        })
    }

    pub(super) fn mime_type(&self) -> &'static str {
        match self {
            Self::AgentSoul(_) => MARKDOWN,
            Self::Asset(_) => ANY_BYTES,
            Self::AgentStatus(_) | Self::CampaignState(_) | Self::CampaignTrends(_) | Self::ReviewsPending | Self::Ledger(_) => JSON,
        }
    }

    /// For people, in a list of resources.
    pub(super) fn title(&self) -> String {
        match self {
            Self::AgentStatus(id) => format!("Status of {id}"),
            Self::AgentSoul(id) => format!("SOUL of {id}"),
            Self::CampaignState(id) => format!("State of campaign {id}"),
            Self::CampaignTrends(id) => format!("Trends of campaign {id}"),
            Self::ReviewsPending => "Reviews that wait for a person".to_owned(),
            Self::Ledger(id) => format!("Ledger of {id}"),
            Self::Asset(id) => format!("Asset {id}"),
        }
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AgentStatus(id) => write!(f, "{SCHEME}agents/{id}/status"),
            Self::AgentSoul(id) => write!(f, "{SCHEME}agents/{id}/soul"),
            Self::CampaignState(id) => write!(f, "{SCHEME}campaigns/{}/state", percent::encoded(id)),
            Self::CampaignTrends(id) => write!(f, "{SCHEME}campaigns/{}/trends", percent::encoded(id)),
            Self::ReviewsPending => write!(f, "{SCHEME}reviews/pending"),
            Self::Ledger(id) => write!(f, "{SCHEME}ledger/{id}"),
            Self::Asset(id) => f.write_str(&id.uri()),
        }
    }
}

/// Any text, within its limits.
fn campaign_id(encoded: &str) -> Option<String> {
    percent::decoded(encoded).filter(|id| (1..=CAMPAIGN_ID_CHARS_MAX).contains(&id.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_read_as_it_was_written() {
        let agent: AgentId = "selam".parse().unwrap();
        for uri in [
            ResourceUri::AgentStatus(agent.clone()),
            ResourceUri::AgentSoul(agent.clone()),
            ResourceUri::CampaignState("spring-launch".to_owned()),
            ResourceUri::CampaignTrends("50% off / ünder".to_owned()),
            ResourceUri::CampaignState("🧨".repeat(CAMPAIGN_ID_CHARS_MAX)),
            ResourceUri::ReviewsPending,
            ResourceUri::Ledger(agent),
            ResourceUri::Asset(AssetId::of(b"picture")),
        ] {
            assert_eq!(ResourceUri::parse(&uri.to_string()), Some(uri.clone()), "{uri}");
        }
    }

    #[test]
    fn other_addresses_are_nothing_of_ours() {
        let long = format!("chimera://campaigns/{}/state", "x".repeat(CAMPAIGN_ID_CHARS_MAX + 1));
        for uri in [
            "",
            "chimera://",
            "chimera:///",
            "chimera://agents",
            "chimera://agents/",
            "chimera://agents//status",
            "chimera://agents/../soul",
            "chimera://agents/Selam/status",
            "chimera://agents/selam/status/",
            "chimera://agents/selam/status?x=1",
            "chimera://agents/selam/wallet",
            "chimera://campaigns//state",
            "chimera://campaigns/%/state",
            "chimera://campaigns/%+1/state",
            "chimera://campaigns/%ff/state",
            "chimera://reviews/pending/1",
            "chimera://ledger/a%2fb",
            "chimera://assets/",
            "chimera://assets/../../node.key",
            "CHIMERA://reviews/pending",
            "news://reviews/pending",
            "file:///etc/passwd",
            "chimera://ledger/\u{202e}malex",
            "chimera://ledger/a\0b",
            &long,
        ] {
            assert_eq!(ResourceUri::parse(uri), None, "{uri:?}");
        }
    }
}
