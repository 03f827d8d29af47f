//! `chimera posts`.

use chimera_core::domain::AgentId;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum PostsCommand {
    /// List what was posted, or is about to be, newest first: with platform, state, address and text
    #[command(
        after_help = "Example:\n  chimera posts list --agent selam\n  chimera posts list --campaign ID --limit 5 --json | jq -r '.posts[].url'"
    )]
    List(PostsFlags),
}

#[derive(Debug, Args)]
pub struct PostsFlags {
    /// Only of this agent
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<AgentId>,
    /// Only of this campaign
    #[arg(long, value_name = "CAMPAIGN")]
    pub campaign: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub limit: u16,
}
