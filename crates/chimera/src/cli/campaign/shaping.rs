//! Changing a campaign and its plan.

use chimera_core::{
    contracts::UtcTime,
    domain::{
        Platform,
        money::{U256, parse_units},
    },
};
use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub struct BudgetFlags {
    /// The campaign
    pub id: String,
    #[arg(long, value_name = "N")]
    pub posts_max: Option<u64>,
    #[arg(long, value_name = "N")]
    pub payments_max: Option<u64>,
    /// In its payments' asset's smallest unit
    #[arg(long, value_name = "UNITS", value_parser = parse_units)]
    pub spend_max: Option<U256>,
    #[arg(long, value_name = "N")]
    pub tokens_max: Option<u64>,
    #[arg(long, value_name = "N")]
    pub images_max: Option<u64>,
    #[arg(long, value_name = "N")]
    pub videos_max: Option<u64>,
    /// In millionths of a US dollar
    #[arg(long, value_name = "MICRO_USD")]
    pub media_max: Option<u64>,
    /// Limits to lift
    #[arg(long, value_name = "NAMES", value_enum, value_delimiter = ',')]
    pub no_limit: Vec<Limit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Limit {
    PostsMax,
    PaymentsMax,
    SpendMax,
    TokensMax,
    ImagesMax,
    VideosMax,
    MediaMax,
}

#[derive(Debug, Args)]
pub struct AgentsFlags {
    /// The campaign
    pub id: String,
    #[arg(long, value_name = "IDS", value_delimiter = ',', required_unless_present = "remove")]
    pub add: Vec<String>,
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub remove: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Add a post that you ask for
    #[command(
        after_help = "Example:\n  chimera campaign task add 0b5c2c6e-… --agent selam --platform mastodon --brief 'Say what it means for small teams'"
    )]
    Add {
        id: String,
        #[arg(long, value_name = "ID")]
        agent: String,
        #[arg(long, value_name = "NAME")]
        platform: Platform,
        /// What it is to say, in your own words
        #[arg(long, value_name = "TEXT")]
        brief: Option<String>,
        /// When it may begin, such as 2026-12-01T09:00:00Z [default: at any time]
        #[arg(long, value_name = "TIME")]
        not_before: Option<UtcTime>,
    },
    /// Say what a task that is not begun is to say, and when it may begin; what is left out is taken away
    #[command(
        after_help = "Example:\n  chimera campaign task brief 0b5c2c6e-… 5f0c7a52-… --brief 'Speak of the licence' --not-before 2026-12-01T09:00:00Z"
    )]
    Brief {
        id: String,
        /// The task, as `campaign plan` and `campaign show` list it
        task: String,
        #[arg(long, value_name = "TEXT")]
        brief: Option<String>,
        #[arg(long, value_name = "TIME")]
        not_before: Option<UtcTime>,
    },
    /// Drop a task that is not begun: it is not made
    #[command(after_help = "Example:\n  chimera campaign task drop 0b5c2c6e-… 5f0c7a52-…")]
    Drop { id: String, task: String },
    /// Put a dropped task back
    #[command(after_help = "Example:\n  chimera campaign task restore 0b5c2c6e-… 5f0c7a52-…")]
    Restore { id: String, task: String },
}
