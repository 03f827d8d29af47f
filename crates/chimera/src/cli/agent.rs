//! `chimera agent`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    /// Create an agent from its SOUL.md, and its wallet with it
    #[command(
        after_help = "Example:\n  chimera agent create --soul souls/selam.md\n  chimera agent create --soul souls/selam.md --import keystore.json"
    )]
    Create {
        #[arg(long, value_name = "FILE")]
        soul: PathBuf,
        /// Use the key in this Web3 Secret Storage file instead of a new one; CHIMERA_IMPORT_PASSPHRASE opens it
        #[arg(long, value_name = "FILE")]
        import: Option<PathBuf>,
    },
    /// List all agents
    #[command(after_help = "Example:\n  chimera agent list --json | jq '.agents[].agent_id'")]
    List,
    /// Show one agent: persona, wallet, what it remembers
    #[command(after_help = "Example:\n  chimera agent show selam")]
    Show { id: String },
    /// Make an agent forget one memory, or all that are old
    #[command(
        after_help = "Example:\n  chimera agent forget selam --older-than 90d\n  chimera agent forget selam --memory 0b5c2c6e-…\n\n`chimera agent show` tells the memories' ids."
    )]
    Forget(ForgetFlags),
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["memory", "older_than"])))]
pub struct ForgetFlags {
    pub id: String,
    /// This one
    #[arg(long, value_name = "MEMORY")]
    pub memory: Option<String>,
    /// All from before so long ago: 90d, 12h or 30m
    #[arg(long, value_name = "AGE")]
    pub older_than: Option<String>,
}
