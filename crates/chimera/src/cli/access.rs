//! `chimera access`.

use chimera_core::{contracts::views::people::Role, ports::access::PersonName};
use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum AccessCommand {
    /// Add a person and print the key they sign in with; it is shown this once
    #[command(
        after_help = "Examples:\n  chimera access add hanna --role reviewer\n  chimera access add ci --role operator --json | jq -r .key\n\nThe name stands on every decision. A lost key is not shown again: remove the person and add them anew."
    )]
    Add {
        /// Letters, digits, dots, dashes and underscores
        name: PersonName,
        /// What they may do; each role may what those before it may
        #[arg(long, value_name = "ROLE")]
        role: RoleName,
    },
    /// Print a link that signs a person in once, within ten minutes
    #[command(
        after_help = "Examples:\n  chimera access link hanna\n  chimera access link owner\n\nIt begins with server.public_url, or else with the address in server.listen."
    )]
    Link {
        /// As `chimera access list` shows it; the owner is whoever has the server's token
        name: String,
    },
    /// List people, their roles and the browsers they are signed in with
    #[command(after_help = "Example:\n  chimera access list --json | jq '.people[] | {name, role}'")]
    List,
    /// Remove a person: their key, their links and every browser they are signed in with
    #[command(after_help = "Example:\n  chimera access remove hanna")]
    Remove { name: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleName {
    /// Read everything but keys
    Viewer,
    /// Decide on content; freeze and pause
    Reviewer,
    /// Decide on money; run campaigns; resume
    Operator,
    /// Unfreeze; add and remove people
    Owner,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Viewer => Self::Viewer,
            RoleName::Reviewer => Self::Reviewer,
            RoleName::Operator => Self::Operator,
            RoleName::Owner => Self::Owner,
        }
    }
}
