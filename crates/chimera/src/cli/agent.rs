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
    /// Give an agent another SOUL; it writes by it from its next task on
    ///
    /// Its id and its wallet stay. Every SOUL that it had is kept, and `chimera agent souls` lists them.
    #[command(after_help = "Example:\n  chimera agent update selam --soul souls/selam.md --by hanna")]
    Update {
        id: String,
        #[arg(long, value_name = "FILE")]
        soul: PathBuf,
        /// Who does it, for its history
        #[arg(long, value_name = "NAME", default_value = "operator")]
        by: String,
    },
    /// List every SOUL that an agent had, newest first; or print one of them
    #[command(after_help = "Example:\n  chimera agent souls selam\n  chimera agent souls selam --number 1 > souls/selam.md")]
    Souls {
        id: String,
        /// Print this one, as it was given
        #[arg(long, value_name = "NUMBER")]
        number: Option<u64>,
    },
    /// Retire an agent: it plans, hears, publishes and pays nothing more, and what it began ends
    ///
    /// Its wallet stays and is shown. A payment that may have left is followed on the chain to its end.
    #[command(after_help = "Example:\n  chimera agent retire selam --reason 'the season is over' --by hanna")]
    Retire {
        id: String,
        /// Why, for whoever finds it retired
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Who does it, for the ledger
        #[arg(long, value_name = "NAME", default_value = "operator")]
        by: String,
    },
    /// Let a retired agent work again
    #[command(after_help = "Example:\n  chimera agent reinstate selam --by hanna")]
    Reinstate {
        id: String,
        /// Who does it, for the ledger
        #[arg(long, value_name = "NAME", default_value = "operator")]
        by: String,
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
