//! `chimera ledger`.

use clap::Subcommand;

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
