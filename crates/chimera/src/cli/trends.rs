//! `chimera trends`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum TrendsCommand {
    /// List the trends that agents were alerted to, the strongest first, each with its items over time
    #[command(
        after_help = "Example:\n  chimera trends list\n  chimera trends list --agent selam --hours 24\n  chimera trends list --json | jq '.trends[0].topics'"
    )]
    List(TrendsFlags),
    /// Show one trend: its items, and with --svg a picture of it over time
    #[command(
        after_help = "Example:\n  chimera trends show story-9f86d081884c7d65\n  chimera trends show story-9f86d081884c7d65 --svg trend.svg"
    )]
    Show {
        /// As `chimera trends list` tells it
        id: String,
        #[command(flatten)]
        which: TrendsFlags,
        /// Write the picture to this file
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct TrendsFlags {
    /// Only of this campaign
    #[arg(long, value_name = "ID")]
    pub campaign: Option<String>,
    /// Only what this agent was alerted to
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// How far to look back
    #[arg(long, value_name = "N", default_value_t = 72, value_parser = clap::value_parser!(u16).range(1..=720))]
    pub hours: u16,
}
