//! Whether the ledger is as the node wrote it.
//!
//! One pass recomputes every hash. The signed head then vouches for the hash of its entry, that hash for all hashes and signatures
//! below it, and only the entries from the head on are held against their own signatures: a million entries cost a million hashes
//! and a handful of signatures. When the head cannot vouch, every signature is checked, to name the first that is not ours: that of
//! the entry which was changed, or the one that it was signed with.

use super::{
    super::columns::units,
    head::{FoundHead, Head},
};
use crate::store::node_key::NodeKey;
use chimera_core::{
    domain::{
        ledger::{BudgetCounter, BudgetDifference, BudgetKind, DayBudgets, EntryFields, GENESIS_HASH, Link, Postings, Signing},
        money::U256,
    },
    ports::ledger::{LedgerProblem, LedgerVerdict},
};
use rusqlite::{Connection, Row, types::Type};
use std::collections::BTreeMap;

/// Call it in a read transaction that has not read anything before the head was read: the database must not be older than the head.
pub(super) fn verify(db: &Connection, key: &NodeKey, found: &FoundHead) -> rusqlite::Result<LedgerVerdict> {
    let head = match found {
        FoundHead::Signed(head) => Some(head),
        FoundHead::Missing | FoundHead::Forged => None,
    };
    let pass = check_chain(db, &Rules { key, head })?;
    let uncovered = pass.uncovered_from.map(|number| LedgerProblem::Unsigned { number });
    let entries = db.query_row("SELECT count(*) FROM ledger", [], |row| super::count(row, 0))?;
    // Of a chain that is broken nobody knows what it should come to.
    let budgets = if pass.problem.is_none() { budget_problem(db, &pass.budgets)? } else { None };
    let problem = match found {
        // Without a head every signature was looked at in the pass.
        FoundHead::Missing => pass.problem.or(uncovered).or(Some(LedgerProblem::NoHead { next: entries + 1 })),
        FoundHead::Forged => pass.problem.or(uncovered).or(Some(LedgerProblem::ForgedHead { next: entries + 1 })),
        FoundHead::Signed(_) if pass.has_met_head => pass.problem.or(uncovered),
        FoundHead::Signed(head) => {
            let forged = first_forged(db, key, pass.good)?.map(|number| LedgerProblem::Forged { number });
            forged.or(pass.problem).or(Some(unmet(head, entries)))
        }
    };
    let problem = problem.or(budgets);
    Ok(problem.map_or_else(|| LedgerVerdict::sound(entries), |problem| LedgerVerdict::broken(entries, problem)))
}

/// Where the counters of the store are not what the entries come to.
fn budget_problem(db: &Connection, budgets: &DayBudgets) -> rusqlite::Result<Option<LedgerProblem>> {
    let mut differences = budgets.differences(&counters(db)?);
    let count = differences.len();
    Ok((count > 0).then(|| LedgerProblem::Budget { first: Box::new(differences.swap_remove(0)), count }))
}

/// The same of a chain that is known to be whole.
pub(super) fn budget_differences(db: &Connection) -> rusqlite::Result<Vec<BudgetDifference>> {
    let mut budgets = DayBudgets::default();
    let mut statement = db.prepare(ROWS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        budgets.add(&StoredRow::read(row)?.fields);
    }
    Ok(budgets.differences(&counters(db)?))
}

fn counters(db: &Connection) -> rusqlite::Result<BTreeMap<BudgetCounter, U256>> {
    let mut select = db.prepare("SELECT kind, name, chain_id, asset, day, spent_units FROM budget_days")?;
    let counters = select.query_map([], |row| {
        let kind: String = row.get(0)?;
        let known = BudgetKind::ALL.into_iter().find(|known| known.as_str() == kind);
        let kind = known.ok_or(rusqlite::Error::InvalidColumnType(0, kind, Type::Text))?;
        let counter = BudgetCounter { kind, name: row.get(1)?, chain: row.get(2)?, asset: row.get(3)?, day: row.get(4)? };
        Ok((counter, units(row, 5)?))
    })?;
    counters.collect()
}

/// Every entry is this node's own, and yet not what the head names.
fn unmet(head: &Head, entries: u64) -> LedgerProblem {
    if head.number > entries {
        LedgerProblem::Cut { first: entries + 1, last: head.number }
    } else {
        LedgerProblem::OtherHead { number: head.number }
    }
}

struct Pass {
    /// How many entries, from the first on, follow each other as they should.
    good: u64,
    /// What is wrong with the one after them.
    problem: Option<LedgerProblem>,
    /// The first of those at the end that are to be signed with a later one, which is not there.
    uncovered_from: Option<u64>,
    /// Whether the entry that the head names is there, with its hash.
    has_met_head: bool,
    budgets: DayBudgets,
}

const ROWS: &str = "SELECT number, at, kind, agent_id, task_id, facts, postings, hash, signature FROM ledger ORDER BY number";

fn check_chain(db: &Connection, rules: &Rules<'_>) -> rusqlite::Result<Pass> {
    let mut statement = db.prepare(ROWS)?;
    let mut rows = statement.query([])?;
    let (mut hash, mut signature) = (GENESIS_HASH.as_bytes().to_vec(), Vec::new());
    let mut pass =
        Pass { good: 0, problem: None, uncovered_from: None, has_met_head: rules.names(0, &hash), budgets: DayBudgets::default() };
    let mut are_first_kind = true;
    while let Some(row) = rows.next()? {
        let number = pass.good + 1;
        let stored = StoredRow::read(row)?;
        are_first_kind &= stored.is_first_kind();
        pass.problem = rules.problem(number, &stored, Link { hash: &hash, signature: &signature }, are_first_kind);
        if pass.problem.is_some() {
            break;
        }
        pass.good = number;
        pass.uncovered_from = match stored.signature {
            None if !stored.is_first_kind() => pass.uncovered_from.or(Some(number)),
            None | Some(_) => None,
        };
        pass.has_met_head |= rules.names(number, stored.hash);
        pass.budgets.add(&stored.fields);
        hash.clear();
        hash.extend_from_slice(stored.hash);
        signature.clear();
        signature.extend_from_slice(stored.signature.unwrap_or_default());
    }
    Ok(pass)
}

/// The columns as they are: an entry that no longer makes sense is a finding, not an error.
struct StoredRow<'a> {
    number: i64,
    fields: EntryFields<'a>,
    hash: &'a [u8],
    signature: Option<&'a [u8]>,
}

impl<'a> StoredRow<'a> {
    fn read(row: &'a Row<'_>) -> rusqlite::Result<Self> {
        let text = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_bytes()?);
        let text_if_any = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_bytes_or_null()?);
        let signature = text_if_any(8)?;
        let fields = EntryFields {
            at_micros: row.get(1)?,
            kind: text(2)?,
            agent_id: text(3)?,
            task_id: text(4)?,
            facts: text(5)?,
            postings: text_if_any(6)?,
            signing: if signature.is_some() { Signing::Own } else { Signing::Later },
        };
        Ok(Self { number: row.get(0)?, fields, hash: text(7)?, signature })
    }

    /// As they were before there were postings and signatures.
    fn is_first_kind(&self) -> bool {
        self.fields.postings.is_none() && self.signature.is_none()
    }
}

/// What an entry must hold to.
struct Rules<'a> {
    key: &'a NodeKey,
    head: Option<&'a Head>,
}

impl Rules<'_> {
    fn names(&self, number: u64, hash: &[u8]) -> bool {
        self.head.is_some_and(|head| head.number == number && head.hash.as_bytes() == hash)
    }

    /// What is wrong with `stored` as the entry of this number. `are_first_kind`: it and all before it.
    fn problem(&self, number: u64, stored: &StoredRow<'_>, previous: Link<'_>, are_first_kind: bool) -> Option<LedgerProblem> {
        if u64::try_from(stored.number) != Ok(number) {
            return Some(LedgerProblem::Missing { number });
        }
        let digest = stored.fields.chained_hash(number, previous);
        if stored.hash != alloy_primitives::hex::encode(digest).as_bytes() {
            return Some(LedgerProblem::Changed { number });
        }
        match stored.signature {
            None if stored.is_first_kind() && !self.may_be_unsigned(number, are_first_kind) => {
                return Some(LedgerProblem::Unsigned { number });
            }
            Some(signature) if self.stands_alone(number) && !self.key.has_signed(&digest, signature) => {
                return Some(LedgerProblem::Forged { number });
            }
            None | Some(_) => {}
        }
        let balances = match stored.fields.postings {
            None | Some(b"[]") => true,
            Some(postings) => serde_json::from_slice(postings).is_ok_and(|postings| Postings::from_json(&postings).is_ok()),
        };
        (!balances).then_some(LedgerProblem::Unbalanced { number })
    }

    /// Entries from before there were signatures come first. How many the head knows; without one, no other entry may precede them.
    fn may_be_unsigned(&self, number: u64, are_first_kind: bool) -> bool {
        self.head.map_or(are_first_kind, |head| number <= head.unsigned_to)
    }

    /// Whether no signature above vouches for the one of this entry.
    fn stands_alone(&self, number: u64) -> bool {
        self.head.is_none_or(|head| number >= head.number)
    }
}

/// The first of the first `good` entries whose signature is not this node's. Their hashes are those of their fields.
fn first_forged(db: &Connection, key: &NodeKey, good: u64) -> rusqlite::Result<Option<u64>> {
    let select = "SELECT number, hash, signature FROM ledger WHERE number BETWEEN 1 AND ?1 AND signature IS NOT NULL ORDER BY number";
    let mut statement = db.prepare(select)?;
    let mut rows = statement.query([i64::try_from(good).unwrap_or(i64::MAX)])?;
    while let Some(row) = rows.next()? {
        let number = super::count(row, 0)?;
        let (hash, signature) = (row.get_ref(1)?, row.get_ref(2)?);
        let mut digest = [0; 32];
        let is_hash = alloy_primitives::hex::decode_to_slice(hash.as_bytes()?, &mut digest).is_ok();
        if !is_hash || !key.has_signed(&digest, signature.as_bytes()?) {
            return Ok(Some(number));
        }
    }
    Ok(None)
}
