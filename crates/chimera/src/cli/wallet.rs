//! `chimera wallet`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum WalletCommand {
    /// Show the wallet's address and its balances on every chain that has a node
    #[command(after_help = "Example:\n  chimera wallet show --agent selam")]
    Show {
        #[arg(long, value_name = "ID")]
        agent: String,
    },
    /// Give an agent play money: 1 ETH and 25 USDC on the embedded chain, which are worth nothing anywhere
    #[command(after_help = "Example:\n  chimera wallet fund --agent selam")]
    Fund {
        #[arg(long, value_name = "ID")]
        agent: String,
    },
    /// Stop signing and sending at once; what is under way is only watched
    #[command(after_help = "Example:\n  chimera wallet freeze --agent selam --reason 'odd payments'\n  chimera wallet freeze --all")]
    Freeze(FreezeFlags),
    /// Lift a freeze
    #[command(after_help = "Example:\n  chimera wallet unfreeze --agent selam")]
    Unfreeze(FreezeFlags),
    /// Bring the book in line with the chain, and let a wallet go that is held
    ///
    /// A wallet is held when the chain knows transactions of it that the book does not: another program has the key, or the data folder
    /// is an old copy. This reads what was sent, writes it to the ledger and to the budget of its day, and lifts the hold. What cannot be
    /// read, or is not final yet, leaves the wallet held.
    #[command(after_help = "Example:\n  chimera wallet reconcile --agent selam --by hanna")]
    Reconcile {
        #[arg(long, value_name = "ID")]
        agent: String,
        /// Who does it, for the ledger
        #[arg(long, value_name = "NAME", default_value = "operator")]
        by: String,
    },
    /// Cancel a transfer that is signed and does not land
    ///
    /// Another transaction, which pays nobody and offers a higher fee, takes its nonce. Whichever of the two lands counts; until the chain
    /// says so, the budget stays reserved.
    #[command(after_help = "Example:\n  chimera wallet cancel --task 2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f --by hanna")]
    Cancel {
        /// As `chimera wallet show` lists it
        #[arg(long, value_name = "ID")]
        task: String,
        /// Who does it, and why, for the ledger
        #[arg(long, value_name = "NAME", default_value = "operator")]
        by: String,
    },
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
