//! `chimera campaign`.

mod shaping;

pub use shaping::{AgentsFlags, BudgetFlags, Limit, TaskCommand};

use chimera_core::{
    contracts::UtcTime,
    domain::{
        Platform,
        campaign::Mix,
        money::{U256, parse_units},
    },
};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum CampaignCommand {
    /// Create a campaign: a goal for one or more agents. It does nothing until it is started
    #[command(
        after_help = "Example:\n  chimera campaign create --goal 'Follow open language models' --agents selam,tariku\n  chimera campaign create --goal '…' --agents selam --watch news://global/technology/latest --posts-max 5\n  chimera campaign create --goal '…' --agents selam --platforms mastodon,bluesky --posts-per-day 4 --mix news=60,opinion=20,question=20"
    )]
    Create(Box<CreateFlags>),
    /// Show what would be queued now, and what it would cost and risk; queues nothing
    #[command(after_help = "Example:\n  chimera campaign plan 0b5c2c6e-… --json | jq .estimate")]
    Plan { id: String },
    /// Start it: a running server plans and works from now on
    #[command(after_help = "Example:\n  chimera campaign start 0b5c2c6e-…")]
    Start { id: String },
    /// Stop a campaign, one agent or the whole fleet, within a second
    #[command(
        after_help = "Example:\n  chimera campaign pause 0b5c2c6e-…\n  chimera campaign pause --agent selam\n  chimera campaign pause --fleet"
    )]
    Pause(PauseFlags),
    /// Go on where it stopped
    #[command(after_help = "Example:\n  chimera campaign resume 0b5c2c6e-…\n  chimera campaign resume --fleet")]
    Resume(PauseFlags),
    /// Give it another goal: what was planned for the old one is dropped
    #[command(after_help = "Example:\n  chimera campaign goal 0b5c2c6e-… --goal 'Follow solar cells'")]
    Goal {
        id: String,
        #[arg(long, value_name = "TEXT")]
        goal: String,
    },
    /// Give it other limits, at any time. Those that are not named stay; what is begun keeps what it was begun with
    #[command(
        after_help = "Example:\n  chimera campaign budget 0b5c2c6e-… --posts-max 20\n  chimera campaign budget 0b5c2c6e-… --spend-max 3000000 --no-limit tokens-max"
    )]
    Budget(BudgetFlags),
    /// Change who works for it: what is not begun of those that leave is given up
    #[command(after_help = "Example:\n  chimera campaign agents 0b5c2c6e-… --add tariku,hanna --remove selam")]
    Agents(AgentsFlags),
    /// End it and take it off every list, once nothing of it is in flight. Posts, payments and the ledger stay
    #[command(after_help = "Example:\n  chimera campaign delete 0b5c2c6e-…")]
    Delete { id: String },
    /// Shape its plan, before and while it runs: drop a task, say what it is to say and when, add one
    #[command(subcommand)]
    Task(TaskCommand),
    /// Put a post on its calendar: on that day, once, a post is written, judged and published
    #[command(
        after_help = "Example:\n  chimera campaign schedule 0b5c2c6e-… --at 2026-12-01T09:00:00Z --about 'Our open day is on Saturday'\n  chimera campaign schedule 0b5c2c6e-… --at 2026-12-24T17:00:00+01:00 --agent selam --platform mastodon --content-type image"
    )]
    Schedule(ScheduleFlags),
    /// Take a post off its calendar before its day comes
    #[command(after_help = "Example:\n  chimera campaign unschedule 0b5c2c6e-… 5f0c7a52-…")]
    Unschedule {
        id: String,
        /// The entry, as `campaign show` lists it
        entry: String,
    },
    /// List campaigns, oldest first
    #[command(after_help = "Example:\n  chimera campaign list --json | jq '.campaigns[].status'")]
    List,
    /// Show a campaign: its tasks, decisions and posts, or the story of one of them
    #[command(after_help = "Example:\n  chimera campaign show 0b5c2c6e-…\n  chimera campaign show 0b5c2c6e-… --trace POST_TASK_OR_TX_HASH")]
    Show {
        id: String,
        /// A post's, task's or result's id, or a payment's transaction hash
        #[arg(long, value_name = "ID")]
        trace: Option<String>,
    },
    /// Judge everything again that was recorded, offline and by the policy of today, and show what would be decided otherwise
    #[command(after_help = "Example:\n  chimera campaign replay 0b5c2c6e-…\n  chimera campaign replay 0b5c2c6e-… --json | jq .changed")]
    Replay { id: String },
}

#[derive(Debug, Args)]
pub struct CreateFlags {
    #[arg(long, value_name = "TEXT")]
    pub goal: String,
    #[arg(long, value_name = "IDS", value_delimiter = ',', required = true)]
    pub agents: Vec<String>,
    /// Resources to watch [default: every feed of the configuration]
    #[arg(long, value_name = "URIS", value_delimiter = ',')]
    pub watch: Vec<String>,
    /// Post on these platforms alone [default: on every one of each agent's SOUL]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub platforms: Vec<Platform>,
    /// Kinds of posts and their parts of the last 20: news, opinion, question, picture [default: all news]
    #[arg(long, value_name = "FORM=PARTS,…")]
    pub mix: Option<Mix>,
    /// One payment for each planned trend: a JSON file with the wallet's operation, params and budget_check
    #[arg(long, value_name = "FILE")]
    pub payment: Option<PathBuf>,
    /// The campaign ends when so many posts are approved
    #[arg(long, value_name = "N")]
    pub posts_max: Option<u64>,
    /// Each agent posts at most so often in 24 hours, evenly spread; single items that matter fill what trends leave
    #[arg(long, value_name = "N")]
    pub posts_per_day: Option<u64>,
    /// The same, in 7 days
    #[arg(long, value_name = "N")]
    pub posts_per_week: Option<u64>,
    #[arg(long, value_name = "N")]
    pub payments_max: Option<u64>,
    /// The campaign ends when its payments come to so much, in their asset's smallest unit
    #[arg(long, value_name = "UNITS", value_parser = parse_units)]
    pub spend_max: Option<U256>,
    /// The campaign ends when language models took so many tokens for it
    #[arg(long, value_name = "N")]
    pub tokens_max: Option<u64>,
    /// So many posts about strong trends may have a picture [default: none]
    #[arg(long, value_name = "N")]
    pub images_max: Option<u64>,
    /// So many posts about strong trends may have a video [default: none]
    #[arg(long, value_name = "N")]
    pub videos_max: Option<u64>,
    /// What image and video tools may cost, in millionths of a US dollar [default: nothing]
    #[arg(long, value_name = "MICRO_USD")]
    pub media_max: Option<u64>,
    /// Who wants it, for the record
    #[arg(long, value_name = "NAME", default_value = "operator")]
    pub operator: String,
}

#[derive(Debug, Args)]
pub struct ScheduleFlags {
    /// The campaign
    pub id: String,
    /// When it is to be posted, such as 2026-12-01T09:00:00Z
    #[arg(long, value_name = "TIME")]
    pub at: UtcTime,
    /// What it says [default: what the goal says, from the campaign's news]
    #[arg(long, value_name = "TEXT")]
    pub about: Option<String>,
    /// Resources that it is written from
    #[arg(long, value_name = "URIS", value_delimiter = ',')]
    pub source: Vec<String>,
    /// Who posts it [default: the campaign's first agent on the platform]
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Where [default: the agent's first platform]
    #[arg(long, value_name = "NAME")]
    pub platform: Option<Platform>,
    #[arg(long, value_enum, default_value_t = ContentTypeFlag::Text)]
    pub content_type: ContentTypeFlag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ContentTypeFlag {
    Text,
    Image,
    Video,
}

#[derive(Debug, Args)]
pub struct PauseFlags {
    /// The campaign
    #[arg(required_unless_present_any = ["agent", "fleet"], conflicts_with_all = ["agent", "fleet"])]
    pub id: Option<String>,
    /// One agent, in all its campaigns
    #[arg(long, value_name = "ID", conflicts_with = "fleet")]
    pub agent: Option<String>,
    /// All agents
    #[arg(long)]
    pub fleet: bool,
    /// Why, for whoever finds it paused
    #[arg(long, value_name = "TEXT", default_value = "paused by an operator")]
    pub reason: String,
    #[arg(long, value_name = "NAME", default_value = "operator")]
    pub by: String,
}
