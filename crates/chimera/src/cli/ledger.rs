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
    /// Recompute the whole chain and hold it against its signatures, its signed head and the budgets of each day
    #[command(
        after_help = "Example:\n  chimera ledger verify\n  chimera ledger verify --json | jq .first_bad\n\nExit code 1 when an entry was changed, removed, added or reordered, the end was cut off, or a budget is not what the entries come to."
    )]
    Verify,
    /// Go on with a database that ledger.head contradicts, such as an old copy: written down, and every wallet held
    ///
    /// While they contradict each other nothing is paid. The right way is to put back the files that belong together. Where they are gone,
    /// this writes the contradiction on the ledger, signs a head for the database that is there, and holds every wallet until
    /// `chimera wallet reconcile` has compared it with the chain.
    #[command(after_help = "Example:\n  chimera ledger adopt --reason 'the disk died; this is the copy of Monday' --by hanna")]
    Adopt {
        /// Why, for the ledger
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Who does it, for the ledger
        #[arg(long, value_name = "NAME", default_value = "operator")]
        by: String,
    },
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
