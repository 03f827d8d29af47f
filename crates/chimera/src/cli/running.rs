//! What runs: `chimera demo`, `serve`, `call` and `devnet`.

use clap::{Args, ValueEnum};
use std::{net::SocketAddr, path::PathBuf};

#[derive(Debug, Args)]
pub struct DemoFlags {
    /// Stop after the report; exit code 0 only if the loop closed
    #[arg(long)]
    pub once: bool,
    /// Where to serve after the report [default: server.listen of the configuration]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
}

#[derive(Debug, Args)]
pub struct ServeFlags {
    /// Address to listen on [default: server.listen of the configuration]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Roles of the swarm to run here; the others run as processes of their own
    #[arg(long, value_name = "ROLES", value_delimiter = ',', default_value = "planner,worker,judge")]
    pub roles: Vec<RoleFlag>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleFlag {
    Planner,
    Worker,
    Judge,
    None,
}

#[derive(Debug, Args)]
pub struct CallFlags {
    /// skill_trend_fetcher, skill_content_generator or skill_wallet_transaction
    pub tool: String,
    /// File with the input's JSON, or - for standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub input: PathBuf,
    /// The /mcp address of a running server; without it the skill runs in this process
    #[arg(long, value_name = "URL", conflicts_with = "example")]
    pub server: Option<url::Url>,
    /// Call nothing: print an input that the skill takes, to start from
    #[arg(long, conflicts_with = "input")]
    pub example: bool,
}

#[derive(Debug, Args)]
pub struct DevnetFlags {
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8545")]
    pub listen: SocketAddr,
    /// Ids of public networks are refused
    #[arg(long, default_value_t = 31337)]
    pub chain_id: u64,
    /// Seconds between blocks; without it every transaction gets a block at once
    #[arg(long, value_name = "SECONDS")]
    pub block_time: Option<u64>,
}
