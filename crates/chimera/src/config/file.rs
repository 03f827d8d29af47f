//! `chimera.toml`, field by field. Unknown keys are refused; `chimera.default.toml` shows every key with its default.

pub use super::model::ModelSection;
use super::{social::SocialSection, trends::TrendsSection};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The whole configuration as written by a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigFile {
    /// Used when a wallet call names no chain.
    pub default_chain: String,
    /// A file in the usual `mcpServers` JSON form, read in addition to `[upstreams]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstreams_file: Option<String>,
    pub server: ServerSection,
    pub store: StoreSection,
    pub model: ModelSection,
    pub judge: JudgeSection,
    pub trends: TrendsSection,
    pub swarm: SwarmSection,
    pub telemetry: TelemetrySection,
    /// By platform: how approved posts leave.
    pub governor: GovernorSection,
    pub publish: BTreeMap<String, PublishSection>,
    pub feeds: FeedsSection,
    pub media: MediaSection,
    pub social: SocialSection,
    pub upstreams: BTreeMap<String, UpstreamSection>,
    pub chains: BTreeMap<String, ChainSection>,
    /// By agent id; an agent that is not here has the defaults.
    pub agents: BTreeMap<String, AgentSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicySection>,
}

impl Default for ConfigFile {
    fn default() -> Self {
        Self {
            default_chain: "8453".to_owned(),
            upstreams_file: None,
            server: ServerSection::default(),
            store: StoreSection::default(),
            model: ModelSection::default(),
            judge: JudgeSection::default(),
            trends: TrendsSection::default(),
            swarm: SwarmSection::default(),
            governor: GovernorSection::default(),
            telemetry: TelemetrySection::default(),
            publish: BTreeMap::new(),
            feeds: FeedsSection::default(),
            media: MediaSection::default(),
            social: SocialSection::default(),
            upstreams: BTreeMap::new(),
            chains: BTreeMap::new(),
            agents: BTreeMap::new(),
            policy: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSection {
    pub listen: String,
    /// As people reach the server, where that is not the address it listens on: `https://` and a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
}

impl Default for ServerSection {
    fn default() -> Self {
        Self { listen: "127.0.0.1:8420".to_owned(), public_url: None }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSection {
    /// `sqlite:` and a path, relative to the data folder.
    pub url: String,
}

impl Default for StoreSection {
    fn default() -> Self {
        Self { url: "sqlite:chimera.db".to_owned() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeSection {
    pub approve_above: f64,
    pub reject_below: f64,
    pub retries_max: u32,
    /// May the embedded composer's text be approved without a person.
    pub auto_approve_embedded: bool,
    /// A content review that nobody decides ends after this.
    pub review_hours_max: u32,
}

impl Default for JudgeSection {
    fn default() -> Self {
        Self { approve_above: 0.90, reject_below: 0.70, retries_max: 2, auto_approve_embedded: false, review_hours_max: 72 }
    }
}

/// What others are told of this program while it runs, beside `/metrics`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetrySection {
    /// Where an OpenTelemetry collector takes OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otlp_url: Option<String>,
}

/// How the running swarm works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SwarmSection {
    /// Whether the language model of `[model]` chooses among what the rules would plan.
    pub planner: PlannerKind,
    /// Tasks in progress at once, whoever works on them.
    pub tasks_max: usize,
    pub tasks_per_agent_max: usize,
    /// How often a running campaign's resources are looked at.
    pub perceive_every_s: u32,
    /// How often it is looked whether somebody mentioned us.
    pub mentions_every_s: u32,
    /// A task whose Worker died is given to another after this.
    pub lease_s: u32,
    /// The pause before a failed task's second attempt; each further one doubles it.
    pub backoff_s: u32,
    /// A post whose fate is unknown is sent again after this, under the same idempotency key.
    pub publish_retry_s: u32,
    /// How long after publishing a post's engagement is read for the first and for the last time.
    pub engagement_first_s: u32,
    pub engagement_last_s: u32,
    /// A calendar entry that could not be planned for so long after its time is missed.
    pub calendar_grace_s: u32,
}

impl Default for SwarmSection {
    fn default() -> Self {
        Self {
            planner: PlannerKind::Rules,
            tasks_max: 16,
            tasks_per_agent_max: 4,
            perceive_every_s: 300,
            mentions_every_s: 3,
            lease_s: 30,
            backoff_s: 2,
            publish_retry_s: 15,
            engagement_first_s: 3_600,
            engagement_last_s: 86_400,
            calendar_grace_s: 3_600,
        }
    }
}

/// Limits over all campaigns and agents; absent is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GovernorSection {
    /// Posts and replies of one agent in 24 hours, on all platforms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts_per_agent_per_day_max: Option<u32>,
    /// Of all agents together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts_per_day_max: Option<u32>,
    /// Tokens of language models that all agents together may take in a UTC day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_day_max: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannerKind {
    Rules,
    Model,
}

/// Which upstream tool publishes on a platform. Without an entry nothing leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishSection {
    pub upstream: String,
    /// Asked instead while the first is out of reach: the same tool, for the same account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spare_upstream: Option<String>,
    pub tool: String,
    /// Everything but the sending.
    #[serde(default)]
    pub dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts_per_hour_max: Option<u32>,
    /// In UTC, such as `22:00-07:00`: what is approved then waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<String>,
}

/// Upstream tools that draw and film instead of the embedded renderer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MediaSection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<MediaToolSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<MediaToolSection>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediaToolSection {
    pub upstream: String,
    pub tool: String,
    /// What one picture or video costs there, in millionths of a US dollar. Campaigns plan none of a tool whose price is not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_usd_each: Option<u64>,
}

/// What `chimera feeds` serves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeedsSection {
    /// Told to the servers that are read, as some want: a mail or web address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub news: Vec<NewsSection>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub market: Vec<MarketSection>,
}

/// `news://{region}/{category}/latest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewsSection {
    pub region: String,
    pub category: String,
    /// http(s) addresses, or `file:` and a path relative to this file.
    pub urls: Vec<String>,
}

/// `market://crypto/{asset}/price`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarketSection {
    pub asset: String,
    pub url: String,
    /// JSON pointer to the number in the answer.
    pub price: String,
    #[serde(default = "usd")]
    pub currency: String,
}

fn usd() -> String {
    "USD".to_owned()
}

/// An MCP server to read resources from: either `command` or `url`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamSection {
    /// `chimera` as its first word means this program, with the same configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// All that a child process gets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Found from the server's resources and templates when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schemes: Option<Vec<String>>,
}

/// A chain, or what differs from the built-in chain with this id. `name` and `native` are needed where none is built in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainSection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tried in order. `devnet` is the embedded chain of the data folder.
    #[serde(default)]
    pub rpc: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee_per_transaction_max_wei: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fees_per_day_max_wei: Option<String>,
    /// Where people look at a transaction, with `{hash}` in place of its hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explorer: Option<String>,
    /// Beside the built-in ones; one with the same symbol takes its place.
    #[serde(default)]
    pub tokens: Vec<TokenSection>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenSection {
    pub symbol: String,
    pub address: String,
    pub decimals: u8,
}

/// What is particular to one agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSection {
    pub wallet: WalletSection,
}

/// Who keeps the agent's key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WalletSection {
    pub kind: WalletKind,
    /// With `agentkit`: the upstream MCP server that has its actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// With `cdp`: where it is, when somebody stands between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WalletKind {
    /// The data folder's own.
    #[default]
    Keystore,
    /// AgentKit behind an MCP server; it signs and sends by itself.
    Agentkit,
    /// A CDP server wallet; it signs, we send.
    Cdp,
}

/// The CFO's rules for every agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen_recipient: Option<FirstSeen>,
    /// Recipients that are not first-seen; waives nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfers_per_hour_max: Option<u32>,
    #[serde(default)]
    pub limits: Vec<LimitSection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstSeen {
    Allow,
    Ask,
    Refuse,
}

/// What `policies/{agent_id}.toml` may say: all of it may be left out, and what is there only tightens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnPolicySection {
    pub first_seen_recipient: Option<FirstSeen>,
    pub allow: Option<Vec<String>>,
    #[serde(default)]
    pub deny: Vec<String>,
    pub transfers_per_hour_max: Option<u32>,
    #[serde(default)]
    pub limits: Vec<OwnLimitSection>,
}

/// Of one asset, as much as shall be tighter than the common limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnLimitSection {
    pub chain: String,
    pub asset: String,
    pub per_transaction: Option<String>,
    pub per_day: Option<String>,
    pub ask_above: Option<String>,
}

/// Amounts in the asset's smallest unit, as decimal strings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitSection {
    pub chain: String,
    pub asset: String,
    pub per_transaction: String,
    pub per_day: String,
    /// A person approves above this: one transfer, or the day's unapproved sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_above: Option<String>,
}
