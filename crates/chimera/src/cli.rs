//! The command line: words, flags and their help.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{net::SocketAddr, path::PathBuf};

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
    /// Serve MCP at /mcp, with /healthz and /readyz, and run the swarm for started campaigns
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
    /// Create, list and show agents
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
    /// See and decide what waits for a person
    #[command(subcommand)]
    Review(ReviewCommand),
    /// Read, check and export what was done: payments, refusals, posts and people's acts
    #[command(subcommand)]
    Ledger(LedgerCommand),
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
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
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
    #[arg(long, value_name = "URL")]
    pub server: Option<url::Url>,
}

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

#[derive(Debug, Subcommand)]
pub enum WalletCommand {
    /// Show the wallet's address and its balances on every chain that has a node
    #[command(after_help = "Example:\n  chimera wallet show --agent selam")]
    Show {
        #[arg(long, value_name = "ID")]
        agent: String,
    },
    /// Stop signing and sending at once; what is under way is only watched
    #[command(after_help = "Example:\n  chimera wallet freeze --agent selam --reason 'odd payments'\n  chimera wallet freeze --all")]
    Freeze(FreezeFlags),
    /// Lift a freeze
    #[command(after_help = "Example:\n  chimera wallet unfreeze --agent selam")]
    Unfreeze(FreezeFlags),
    /// Print the effective policy: the common one, tightened by the agent's own file
    #[command(after_help = "Example:\n  chimera wallet policy --agent selam --json | jq .policy.limits")]
    Policy {
        #[arg(long, value_name = "ID")]
        agent: String,
    },
    /// Bring back the key of an agent on record from a Web3 Secret Storage file (geth, cast)
    ///
    /// The file's key must be the agent's: an agent keeps one wallet. To start an agent with a key that you have, use
    /// `chimera agent create --import`.
    #[command(after_help = "Example:\n  CHIMERA_IMPORT_PASSPHRASE_FILE=./pass chimera wallet import --agent selam --file keystore.json")]
    Import {
        #[arg(long, value_name = "ID")]
        agent: String,
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
    /// Write an agent's key to a Web3 Secret Storage file that geth and cast read
    #[command(after_help = "Example:\n  CHIMERA_EXPORT_PASSPHRASE_FILE=./pass chimera wallet export --agent selam --out selam.json")]
    Export {
        #[arg(long, value_name = "ID")]
        agent: String,
        /// Never overwritten
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Change the passphrase of the whole keystore
    #[command(
        after_help = "Example:\n  CHIMERA_WALLET_PASSPHRASE_FILE=./old CHIMERA_NEW_WALLET_PASSPHRASE_FILE=./new chimera wallet passphrase"
    )]
    Passphrase,
}

#[derive(Debug, Args)]
pub struct FreezeFlags {
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// The whole fleet, instead of one agent
    #[arg(long, conflicts_with = "agent")]
    pub all: bool,
    /// Why, for whoever finds it frozen
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Who does it, for the ledger
    #[arg(long, value_name = "NAME", default_value = "operator")]
    pub by: String,
}

#[derive(Debug, Subcommand)]
pub enum ReviewCommand {
    /// List what waits for a person, oldest first
    #[command(after_help = "Example:\n  chimera review list --json | jq '.reviews[].review_id'")]
    List,
    /// Show one review with everything needed to decide
    #[command(after_help = "Example:\n  chimera review show 0b5c2c6e-…")]
    Show { id: String },
    /// Approve it: content is published; a transfer is made at once, exactly that one, once, within 24 hours
    #[command(after_help = "Example:\n  chimera review approve 0b5c2c6e-… --reviewer hanna --reason 'invoice 12 checked'")]
    Approve {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
    },
    /// Reject it: a transfer is never made; content goes back to the Planner with the reason
    #[command(after_help = "Example:\n  chimera review reject 0b5c2c6e-… --reviewer hanna --reason 'unknown recipient'")]
    Reject {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
    },
    /// Publish an edited text instead; the agent remembers what was changed
    #[command(after_help = "Example:\n  chimera review edit 0b5c2c6e-… --reviewer hanna --artifact better.txt")]
    Edit {
        id: String,
        #[command(flatten)]
        answer: AnswerFlags,
        /// The text as it shall be, or an artifact's JSON
        #[arg(long, value_name = "FILE")]
        artifact: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub enum CampaignCommand {
    /// Create a campaign: a goal for one or more agents. It does nothing until it is started
    #[command(
        after_help = "Example:\n  chimera campaign create --goal 'Follow open language models' --agents selam,tariku\n  chimera campaign create --goal '…' --agents selam --watch news://global/technology/latest --posts-max 5"
    )]
    Create {
        #[arg(long, value_name = "TEXT")]
        goal: String,
        #[arg(long, value_name = "IDS", value_delimiter = ',', required = true)]
        agents: Vec<String>,
        /// Resources to watch [default: every feed of the configuration]
        #[arg(long, value_name = "URIS", value_delimiter = ',')]
        watch: Vec<String>,
        /// One payment for each planned trend: a JSON file with the wallet's operation, params and budget_check
        #[arg(long, value_name = "FILE")]
        payment: Option<PathBuf>,
        /// The campaign ends when so many posts are approved
        #[arg(long, value_name = "N")]
        posts_max: Option<u64>,
        #[arg(long, value_name = "N")]
        payments_max: Option<u64>,
        /// Who wants it, for the record
        #[arg(long, value_name = "NAME", default_value = "operator")]
        operator: String,
    },
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

#[derive(Debug, Args)]
pub struct AnswerFlags {
    /// Who decides, for the record
    #[arg(long, value_name = "NAME")]
    pub reviewer: String,
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// List entries, newest first
    #[command(
        after_help = "Example:\n  chimera ledger list --agent selam --limit 10\n  chimera ledger list --json | jq '.entries[0].postings'"
    )]
    List {
        /// Only entries of this agent
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
        /// How many at most
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// Recompute the whole chain and hold it against its signatures and its signed head
    #[command(
        after_help = "Example:\n  chimera ledger verify\n  chimera ledger verify --json | jq .first_bad\n\nExit code 1 when an entry was changed, removed, added or reordered, or the end was cut off."
    )]
    Verify,
    /// Write every entry out, oldest first: one line for each posting, and one for an entry that moved nothing
    #[command(after_help = "Example:\n  chimera ledger export --csv > ledger.csv\n  chimera ledger export --json > ledger.json")]
    Export {
        /// As CSV, for a spreadsheet or a bookkeeper
        #[arg(long)]
        csv: bool,
        /// Only entries of this agent
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
    },
    /// Profit and loss of each agent and asset: paid, fees, received, net
    #[command(after_help = "Example:\n  chimera ledger pnl --agent selam\n  chimera ledger pnl --json | jq '.agents[].assets'")]
    Pnl {
        /// Only this agent
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct EvalFlags {
    pub task: EvalTask,
    /// One JSON object a line, in the order in which they came
    #[arg(long, value_name = "FILE")]
    pub rows: PathBuf,
    /// Where to write one prediction a row
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum EvalTask {
    /// goal, text, label: does the text matter to the goal
    Relevance,
    /// text, cluster: which texts tell one story
    Stream,
    /// text, ts, event: which stories are emerging
    Trends,
    /// text, sensitive, cat: politics, health, finance, legal
    Sensitive,
    /// text, label: does it ask whether it talks to a machine
    Disclosure,
    /// text, label: does fetched text instruct its reader
    Injection,
    /// text, label: does it offend
    Toxicity,
    /// a, b, score: how alike two texts are
    Similarity,
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
