//! Going on with a database that its head contradicts: a person's act, on the ledger, after which every wallet is held.

use super::{
    super::{OrStoreError, SqliteStore, transfers},
    append, contradiction,
    head::{FoundHead, Head},
    seal::Seal,
    verify,
};
use chimera_core::{
    domain::ledger::{BudgetDifference, adoption_entry},
    ports::{
        StoreError,
        agents::Agents,
        ledger::{LedgerEntry, LedgerProblem},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::Connection;
use std::{io, sync::Arc, time::Duration};

#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    #[error("nothing contradicts this database: there is nothing to adopt")]
    NotContradicted,
    /// No signature of ours would make it whole again.
    #[error("the ledger itself is not as it was written: {0}; put a good copy of the whole data folder in its place")]
    Broken(LedgerProblem),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the ledger's head cannot be read or written")]
    Head(#[from] io::Error),
}

/// What was adopted.
#[derive(Debug)]
pub struct Adopted {
    pub contradiction: String,
    /// The entry that says so, and that the head names now.
    pub entry: LedgerEntry,
    /// Agents whose wallets are held from now on.
    pub held: Vec<String>,
}

const LOCK_PATIENCE: Duration = Duration::from_secs(10);

impl SqliteStore {
    /// Why nothing may be spent, if so; as far as it is known.
    pub async fn contradiction(&self) -> Result<Option<String>, StoreError> {
        self.read(contradiction).await
    }

    /// The same, and a database file that is not as it was left is checked whole, as it is before a transfer.
    pub async fn checked_contradiction(&self) -> Result<Option<String>, StoreError> {
        self.write(contradiction).await
    }

    /// Writes the contradiction down as an entry, sets every budget to what the entries come to, holds every wallet, and signs a head for
    /// what is there.
    pub async fn adopt(&self, by: &str, reason: &str, at: DateTime<Utc>) -> Result<Adopted, AdoptError> {
        let seal = Arc::clone(&self.seal);
        let found = seal.found_head()?;
        let Alone { unsigned_entries, problem, budgets } = self.read(move |db| alone(db, &seal)).await?;
        if let Some(problem) = problem {
            return Err(AdoptError::Broken(problem));
        }
        let contradiction = self.checked_contradiction().await?.ok_or(AdoptError::NotContradicted)?;
        let named = match &found {
            FoundHead::Signed(head) => Some((head.number, head.hash.clone())),
            FoundHead::Missing | FoundHead::Forged => None,
        };
        let entry = adoption_entry(by, reason, &contradiction, named, at);
        let agents: Vec<_> = Agents::list(self).await?.into_iter().map(|agent| agent.id).collect();
        let held = agents.clone();
        let entry = self
            .write(move |db| {
                for agent in &agents {
                    transfers::hold(db, agent, "the database was adopted although the ledger's head contradicted it", at)?;
                }
                for difference in &budgets {
                    transfers::set_spent(db, difference)?;
                }
                append(db, &entry)
            })
            .await?;
        let seal = &self.seal;
        let _lock = seal.head_file.lock(LOCK_PATIENCE)?;
        let head = Head { number: entry.number, hash: entry.hash.clone(), unsigned_to: unsigned_entries };
        seal.head_file.write(&seal.key, &head)?;
        Ok(Adopted { contradiction, entry, held: held.iter().map(ToString::to_string).collect() })
    }
}

struct Alone {
    /// From before there were signatures.
    unsigned_entries: u64,
    /// With the first entry that is not this node's own.
    problem: Option<LedgerProblem>,
    /// Counters that are not what the entries come to.
    budgets: Vec<BudgetDifference>,
}

/// The database by itself, whatever the head says.
fn alone(db: &Connection, seal: &Seal) -> Result<Alone, StoreError> {
    let problem = verify::verify(db, &seal.key, &FoundHead::Missing).or_store_error()?.problem;
    let broken = problem.filter(|problem| !matches!(problem, LedgerProblem::NoHead { .. }));
    let budgets = if broken.is_none() { verify::budget_differences(db).or_store_error()? } else { Vec::new() };
    let first_kind = "SELECT count(*) FROM ledger WHERE postings IS NULL AND signature IS NULL";
    let unsigned_entries = db.query_row(first_kind, [], |row| super::count(row, 0)).or_store_error()?;
    Ok(Alone { unsigned_entries, problem: broken, budgets })
}
