//! The command line: words, flags and their help. One file for each group of commands; this one lists them.

mod access;
mod agent;
mod campaign;
mod eval;
mod ledger;
mod posts;
mod review;
mod running;
mod trends;
mod wallet;

pub use access::{AccessCommand, RoleName};
pub use agent::{AgentCommand, ForgetFlags};
pub use campaign::{
    AgentsFlags, BudgetFlags, CampaignCommand, ContentTypeFlag, CreateFlags, Limit, PauseFlags, ScheduleFlags, TaskCommand,
};
pub use eval::{EvalFlags, EvalTask};
pub use ledger::LedgerCommand;
pub use posts::{PostsCommand, PostsFlags};
pub use review::{AnswerFlags, ReviewCommand};
pub use running::{CallFlags, DemoFlags, DevnetFlags, RoleFlag, ServeFlags};
pub use trends::{TrendsCommand, TrendsFlags};
pub use wallet::{FreezeFlags, WalletCommand};

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Governed, autonomous influencer agents over MCP.
///
/// An agent watches the world, decides what is worth saying, makes it, has it judged, and pays for things from its own wallet,
/// inside limits that people set.
#[derive(Debug, Parser)]
#[command(
    name = "chimera",
    version,
    max_term_width = 110,
    after_help = "Start here:\n  chimera demo --once      the whole loop on embedded defaults, then a report\n  chimera init my-agents   a project to start from"
)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalFlags,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Clone, Args)]
pub struct GlobalFlags {
    /// Configuration file [default: ./chimera.toml, if there]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder for everything embedded: database, keystore, chain, token [default: ./chimera-data]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print one JSON document on standard output
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the whole loop on embedded defaults: sample feeds, two agents, play money, a dry run instead of publishing
    #[command(after_help = "Example:\n  chimera demo --once --data /tmp/demo\n  chimera demo --once --json | jq .payments")]
    Demo(DemoFlags),
    /// Make a project to start from: chimera.toml, souls/, policies/, feeds/
    #[command(after_help = "Example:\n  chimera init my-agents && cd my-agents && chimera doctor")]
    Init { dir: PathBuf },
    /// Serve mission control at /, its API at /api and MCP at /mcp, and run the swarm for started campaigns
    #[command(after_help = "Example:\n  chimera serve --listen 127.0.0.1:8420\n  curl http://127.0.0.1:8420/healthz")]
    Serve(ServeFlags),
    /// Serve MCP over standard input and output, for desktop hosts
    #[command(after_help = "Example, as a desktop host starts it:\n  chimera mcp --data /home/me/chimera-data")]
    Mcp,
    /// Serve news:// and market:// over standard input and output: an upstream like any other
    #[command(after_help = "Example, in chimera.toml:\n  [upstreams.feeds]\n  command = [\"chimera\", \"feeds\"]")]
    Feeds,
    /// Serve mastodon://, bluesky:// and twitter:// over standard input and output, and the tool that publishes there: an upstream
    #[command(
        after_help = "Example, in chimera.toml:\n  [social.mastodon]\n  base_url = \"https://mastodon.example\"\n  [upstreams.social]\n  command = [\"chimera\", \"social\"]\n  env = { MASTODON_TOKEN_FILE = \"secrets/mastodon\" }"
    )]
    Social,
    /// Call one skill through MCP and print the contract's JSON
    #[command(
        after_help = "Example:\n  echo '{\"task_id\":\"…\",\"agent_id\":\"selam\",\"operation\":\"get_balance\",\"params\":{\"asset\":\"ETH\"}}' \\\n    | chimera call skill_wallet_transaction --input -\n\nExit code 0 on success:true, 1 on success:false."
    )]
    Call(CallFlags),
    /// Create, list and show agents, change their SOULs, retire them
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Look at an agent's wallet, bring its key in or out, freeze it, see its policy
    #[command(subcommand)]
    Wallet(WalletCommand),
    /// Create, plan, start and stop campaigns, and see what became of them
    #[command(subcommand)]
    Campaign(CampaignCommand),
    /// Run the Planner alone, on a data folder that others work on as well
    #[command(after_help = "Example:\n  chimera planner --data /srv/chimera")]
    Planner,
    /// Run Workers alone, on a data folder that others work on as well
    #[command(after_help = "Example:\n  chimera worker --data /srv/chimera")]
    Worker,
    /// Run the Judge alone, with the outbox, on a data folder that others work on as well
    #[command(after_help = "Example:\n  chimera judge --data /srv/chimera")]
    Judge,
    /// See on one screen what runs, what waits and what fails
    #[command(after_help = "Example:\n  chimera status\n  chimera status --json | jq .reviews_pending")]
    Status,
    /// See what was posted
    #[command(subcommand)]
    Posts(PostsCommand),
    /// See and decide what waits for a person
    #[command(subcommand)]
    Review(ReviewCommand),
    /// Say who may look and act in mission control: people, their roles, keys and sign-in links
    #[command(subcommand)]
    Access(AccessCommand),
    /// Read, check and export what was done: payments, refusals, posts and people's acts
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Write the data folder to one file, also while it is being served: database, keys, assets, embedded chain
    #[command(
        after_help = "Example:\n  chimera backup /backups/chimera-$(date +%F).tar --data /srv/chimera\n\nThe file holds the sealed keys; the passphrase and the token are not in it. docs/backup.md says what else to keep."
    )]
    Backup {
        /// Never overwritten
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Make a data folder from a backup; its wallets are held until each is reconciled
    #[command(
        after_help = "Example:\n  chimera restore /backups/chimera-2026-01-31.tar --data /srv/chimera-restored\n  chimera wallet reconcile --agent selam --data /srv/chimera-restored"
    )]
    Restore {
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// See what agents were alerted to, over time
    #[command(subcommand)]
    Trends(TrendsCommand),
    /// Run the embedded chain alone, as a JSON-RPC server with play money
    #[command(after_help = "Example:\n  chimera devnet --listen 127.0.0.1:8545 --block-time 2")]
    Devnet(DevnetFlags),
    /// Measure the classifiers on labelled rows of your own: metrics as JSON, predictions as lines
    #[command(
        after_help = "Example:\n  echo '{\"text\":\"are you a bot?\",\"label\":1}' > rows.jsonl\n  chimera eval disclosure --rows rows.jsonl --predictions said.jsonl"
    )]
    Eval(EvalFlags),
    /// Check configuration, upstreams, store, chains and models, and say what to mend
    #[command(after_help = "Example:\n  chimera doctor\n  chimera doctor --json | jq .checks")]
    Doctor,
    /// Print the JSON Schema of a contract; without a name, the names of all
    #[command(after_help = "Example:\n  chimera schema\n  chimera schema skill_wallet_transaction.input | jq .required")]
    Schema {
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Print a shell's completions of these commands
    #[command(after_help = "Example:\n  chimera completions bash > ~/.local/share/bash-completion/completions/chimera")]
    Completions {
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Write a manual page for each command into a folder
    #[command(after_help = "Example:\n  chimera man ~/.local/share/man/man1 && man chimera-campaign")]
    Man {
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
    /// Tell what was built: version, target, protocol revisions, the store's schema
    #[command(after_help = "Example:\n  chimera version --json | jq -r .version")]
    Version,
}
