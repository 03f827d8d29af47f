//! What was spent on each day, by the ledger alone: the sums that the counters of budgets must come to.

use super::{ControlAct, EntryFields, LedgerKind};
use crate::domain::money::{U256, parse_units};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

/// Which counters there are. Each is of one chain and one UTC day, and of one asset unless it counts fees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BudgetKind {
    /// Of a wallet.
    Own,
    /// What a person approved of `Own`.
    Approved,
    /// One that callers name with `daily_spend_key`.
    Named,
    /// All fees of a chain.
    Fees,
}

impl BudgetKind {
    pub const ALL: [Self; 4] = [Self::Own, Self::Approved, Self::Named, Self::Fees];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Approved => "approved",
            Self::Named => "named",
            Self::Fees => "fees",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BudgetCounter {
    pub kind: BudgetKind,
    /// The wallet's address, or what callers name it; empty for fees.
    pub name: String,
    pub chain: String,
    /// Empty for fees.
    pub asset: String,
    pub day: String,
}

impl fmt::Display for BudgetCounter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, chain, asset, day } = self;
        match kind {
            BudgetKind::Own => write!(formatter, "the counter of {name} for {asset} on chain {chain} on {day}"),
            BudgetKind::Approved => {
                write!(formatter, "the counter of what people approved of {name} for {asset} on chain {chain} on {day}")
            }
            BudgetKind::Named => write!(formatter, "the counter {name:?} for {asset} on chain {chain} on {day}"),
            BudgetKind::Fees => write!(formatter, "the counter of fees on chain {chain} on {day}"),
        }
    }
}

/// A counter of the store that says something else than the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetDifference {
    pub counter: BudgetCounter,
    pub in_store: U256,
    pub on_ledger: U256,
}

/// The sums of all entries that were added. Its size is that of the counters, and of what people approved.
#[derive(Debug, Default)]
pub struct DayBudgets {
    spent: BTreeMap<BudgetCounter, U256>,
    /// Tasks whose transfers a person approved.
    granted: HashSet<String>,
    /// Chain, asset and day of entries from before they named their counters: what is missing there cannot be told.
    unnamed: HashSet<(String, String, String)>,
}

impl DayBudgets {
    /// Entries are added oldest first. What moved nothing changes nothing.
    pub fn add(&mut self, entry: &EntryFields<'_>) {
        let kind = LedgerKind::ALL.into_iter().find(|kind| kind.as_str().as_bytes() == entry.kind);
        match kind {
            // Most refusals moved nothing, and are not worth reading.
            Some(LedgerKind::Payment | LedgerKind::Reversal) => self.add_settlement(entry),
            Some(LedgerKind::Refusal) if contains(entry.facts, b"\"fee_wei\"") => self.add_settlement(entry),
            Some(LedgerKind::Control) if contains(entry.facts, ControlAct::GrantApproved.as_str().as_bytes()) => self.add_grant(entry),
            Some(LedgerKind::Refusal | LedgerKind::Control | LedgerKind::Post) | None => {}
        }
    }

    fn add_grant(&mut self, entry: &EntryFields<'_>) {
        let facts: Value = serde_json::from_slice(entry.facts).unwrap_or_default();
        if facts["act"] == ControlAct::GrantApproved.as_str() {
            self.granted.insert(task_of(entry));
        }
    }

    fn add_settlement(&mut self, entry: &EntryFields<'_>) {
        let facts: Value = serde_json::from_slice(entry.facts).unwrap_or_default();
        let text = |name: &str| facts[name].as_str().unwrap_or_default().to_owned();
        let units = |name: &str| facts[name].as_str().and_then(|text| parse_units(text).ok()).unwrap_or_default();
        let (chain, asset, day) = (text("chain_id"), text("asset"), text("day"));
        if day.is_empty() {
            return;
        }
        let is_reversal = entry.kind == LedgerKind::Reversal.as_str().as_bytes();
        let outcome = text(if is_reversal { "taken_back" } else { "state" });
        let of = |kind, name, asset: &str| BudgetCounter { kind, name, chain: chain.clone(), asset: asset.to_owned(), day: day.clone() };
        if outcome == "confirmed" {
            let amount = units("amount_units");
            self.count(of(BudgetKind::Own, text("from"), &asset), amount, is_reversal);
            if self.granted.contains(&task_of(entry)) {
                self.count(of(BudgetKind::Approved, text("from"), &asset), amount, is_reversal);
            }
            match &facts["daily_spend_key"] {
                Value::String(name) => self.count(of(BudgetKind::Named, name.clone(), &asset), amount, is_reversal),
                Value::Null if facts.get("daily_spend_key").is_some() || facts["origin"] == "reconciled" => {}
                _ => {
                    self.unnamed.insert((chain.clone(), asset.clone(), day.clone()));
                }
            }
        }
        self.count(of(BudgetKind::Fees, String::new(), ""), units("fee_wei"), is_reversal);
    }

    fn count(&mut self, counter: BudgetCounter, units: U256, is_reversal: bool) {
        let sum = self.spent.entry(counter).or_default();
        *sum = if is_reversal { sum.saturating_sub(units) } else { sum.saturating_add(units) };
    }

    /// Where `in_store` has another sum. A counter that is missing has none.
    pub fn differences(&self, in_store: &BTreeMap<BudgetCounter, U256>) -> Vec<BudgetDifference> {
        let sum = |sums: &BTreeMap<BudgetCounter, U256>, counter: &BudgetCounter| sums.get(counter).copied().unwrap_or_default();
        let missing = in_store.keys().filter(|counter| !self.spent.contains_key(*counter));
        let covered = self.spent.keys().chain(missing).filter(|counter| self.covers(counter));
        let compared = covered.map(|counter| BudgetDifference {
            counter: counter.clone(),
            in_store: sum(in_store, counter),
            on_ledger: sum(&self.spent, counter),
        });
        compared.filter(|compared| compared.in_store != compared.on_ledger).collect()
    }

    fn covers(&self, counter: &BudgetCounter) -> bool {
        match counter.kind {
            BudgetKind::Own | BudgetKind::Fees => true,
            BudgetKind::Approved | BudgetKind::Named => {
                !self.unnamed.contains(&(counter.chain.clone(), counter.asset.clone(), counter.day.clone()))
            }
        }
    }
}

fn task_of(entry: &EntryFields<'_>) -> String {
    String::from_utf8_lossy(entry.task_id).into_owned()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn add(budgets: &mut DayBudgets, kind: LedgerKind, task: &str, facts: &Value) {
        let facts = facts.to_string();
        let (kind, task_id) = (kind.as_str().as_bytes(), task.as_bytes());
        let entry = EntryFields {
            at_micros: 0,
            kind,
            agent_id: b"selam",
            task_id,
            facts: facts.as_bytes(),
            postings: None,
            signing: super::super::Signing::Own,
        };
        budgets.add(&entry);
    }

    fn paid(units: u64, named: &Value) -> Value {
        json!({
            "chain_id": "1", "asset": "ETH", "day": "2026-01-01", "from": "0xA", "amount_units": units.to_string(),
            "state": "confirmed", "fee_wei": "7", "daily_spend_key": named,
        })
    }

    fn counter(kind: BudgetKind, name: &str) -> BudgetCounter {
        let asset = if kind == BudgetKind::Fees { "" } else { "ETH" };
        BudgetCounter { kind, name: name.to_owned(), chain: "1".to_owned(), asset: asset.to_owned(), day: "2026-01-01".to_owned() }
    }

    #[test]
    fn payments_reverts_and_reversals_come_to_the_days_sums() {
        let mut budgets = DayBudgets::default();
        add(&mut budgets, LedgerKind::Control, "two", &json!({ "act": "grant_approved" }));
        add(&mut budgets, LedgerKind::Control, "one", &json!({ "act": "freeze", "reason": "grant_approved" }));
        add(&mut budgets, LedgerKind::Payment, "one", &paid(100, &json!("k")));
        add(&mut budgets, LedgerKind::Payment, "two", &paid(20, &Value::Null));
        let mut reverted = paid(3, &Value::Null);
        reverted["state"] = json!("reverted");
        add(&mut budgets, LedgerKind::Refusal, "three", &reverted);
        add(&mut budgets, LedgerKind::Refusal, "four", &json!({ "state": "refused", "day": "2026-01-01", "amount_units": "9" }));
        let mut reversal = paid(100, &json!("k"));
        (reversal["state"], reversal["taken_back"]) = (json!("reorganised"), json!("confirmed"));
        add(&mut budgets, LedgerKind::Reversal, "one", &reversal);

        let right = BTreeMap::from([
            (counter(BudgetKind::Own, "0xA"), U256::from(20)),
            (counter(BudgetKind::Approved, "0xA"), U256::from(20)),
            (counter(BudgetKind::Named, "k"), U256::ZERO),
            (counter(BudgetKind::Fees, ""), U256::from(14)),
        ]);
        assert_eq!(budgets.differences(&right), []);
        for changed in right.keys() {
            let mut wrong = right.clone();
            wrong.insert(changed.clone(), U256::from(1));
            let found = budgets.differences(&wrong);
            assert_eq!(found.iter().map(|difference| &difference.counter).collect::<Vec<_>>(), [changed]);
        }
        let mut missing = right.clone();
        missing.remove(&counter(BudgetKind::Own, "0xA"));
        missing.insert(counter(BudgetKind::Named, "other"), U256::from(5));
        assert_eq!(budgets.differences(&missing).len(), 2, "one that is gone, and one that nobody spent on");
    }

    #[test]
    fn an_entry_from_before_it_named_its_counter_leaves_the_days_named_counters_open_and_no_other() {
        let mut budgets = DayBudgets::default();
        let mut old = paid(100, &Value::Null);
        old.as_object_mut().unwrap().remove("daily_spend_key");
        add(&mut budgets, LedgerKind::Payment, "one", &old);

        let with_named = BTreeMap::from([
            (counter(BudgetKind::Own, "0xA"), U256::from(100)),
            (counter(BudgetKind::Named, "k"), U256::from(100)),
            (counter(BudgetKind::Fees, ""), U256::from(7)),
        ]);
        let other_day = BudgetCounter { day: "2026-01-02".to_owned(), ..counter(BudgetKind::Named, "k") };

        assert_eq!(budgets.differences(&with_named).len(), 0);
        let mut wrong = with_named;
        wrong.insert(other_day, U256::from(1));
        assert_eq!(budgets.differences(&wrong).len(), 1);
    }
}
