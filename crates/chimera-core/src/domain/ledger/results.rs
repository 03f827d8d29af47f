//! Profit and loss: what each agent's wallet took in and gave out, day by day, from the postings alone.

use super::{Account, Posting, Postings, Side};
use crate::{contracts::views::money::DayResult, domain::money::U256};
use chrono::{DateTime, NaiveDate, Utc};
use std::{cmp::Reverse, collections::BTreeMap};

/// Sums that grow entry by entry.
#[derive(Debug, Default)]
pub struct DayResults(BTreeMap<Key, Sums>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    day: Reverse<NaiveDate>,
    agent: String,
    chain: u64,
    asset: String,
    decimals: u8,
}

#[derive(Debug, Default)]
struct Sums {
    came_in: U256,
    paid: U256,
    fees: U256,
}

impl DayResults {
    /// The postings of one entry: pairs, each of which moves value from one account to another.
    pub fn add(&mut self, at: DateTime<Utc>, postings: &Postings) {
        let postings: Vec<&Posting> = postings.iter().collect();
        for pair in postings.chunks_exact(2) {
            let (from, to) = if pair[0].side == Side::Credit { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
            if let Account::Wallet(agent) = &from.account {
                let sums = self.sums(at, agent.as_str(), from);
                let sum = if to.account == Account::Fees { &mut sums.fees } else { &mut sums.paid };
                *sum = sum.saturating_add(from.units);
            }
            if let Account::Wallet(agent) = &to.account {
                let sums = self.sums(at, agent.as_str(), to);
                sums.came_in = sums.came_in.saturating_add(to.units);
            }
        }
    }

    fn sums(&mut self, at: DateTime<Utc>, agent: &str, posting: &Posting) -> &mut Sums {
        let key = Key {
            day: Reverse(at.date_naive()),
            agent: agent.to_owned(),
            chain: posting.chain.0,
            asset: posting.asset.symbol.clone(),
            decimals: posting.asset.decimals,
        };
        self.0.entry(key).or_default()
    }

    /// The newest day first, then by agent, chain and asset.
    pub fn rows(&self) -> Vec<DayResult> {
        self.0.iter().map(|(key, sums)| row(key, sums)).collect()
    }
}

fn row(key: &Key, sums: &Sums) -> DayResult {
    let out = sums.paid.saturating_add(sums.fees);
    let result = if sums.came_in >= out { (sums.came_in - out).to_string() } else { format!("-{}", out - sums.came_in) };
    DayResult {
        day: key.day.0.to_string(),
        agent_id: key.agent.clone(),
        chain_id: key.chain.to_string(),
        asset: key.asset.clone(),
        decimals: key.decimals,
        in_units: sums.came_in.to_string(),
        paid_units: sums.paid.to_string(),
        fees_units: sums.fees.to_string(),
        result_units: result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        ledger::Movement,
        money::{Address, Asset, ChainId},
    };

    fn at(day: u32) -> DateTime<Utc> {
        format!("2026-11-{day:02}T23:59:59Z").parse().unwrap()
    }

    fn movement(from: Account, to: Account, asset: Asset, units: u64) -> Movement {
        Movement { from, to, chain: ChainId(8453), asset, units: U256::from(units) }
    }

    #[test]
    fn a_day_is_what_came_in_less_payments_and_fees_for_each_agent_and_asset() {
        let (usdc, eth) = (Asset::token("USDC", Address::repeat_byte(9), 6), Asset::native("ETH"));
        let (selam, payee) = (|| Account::Wallet("selam".parse().unwrap()), || Account::Payee(Address::repeat_byte(2)));
        let payment = Postings::of([movement(selam(), payee(), usdc.clone(), 5), movement(selam(), Account::Fees, eth.clone(), 2)]);
        let to_agent = Postings::of([movement(selam(), Account::Wallet("tariku".parse().unwrap()), usdc, 3)]);
        let mut results = DayResults::default();
        results.add(at(18), &payment);
        results.add(at(18), &to_agent);
        results.add(at(19), &payment);
        results.add(at(19), &payment.reversed());
        results.add(at(19), &Postings::none());

        let rows = results.rows();

        let told: Vec<_> = rows
            .iter()
            .map(|row| {
                let units = [&row.in_units, &row.paid_units, &row.fees_units, &row.result_units].map(String::as_str);
                (row.day.as_str(), row.agent_id.as_str(), row.asset.as_str(), units)
            })
            .collect();
        assert_eq!(
            told,
            [
                ("2026-11-19", "selam", "ETH", ["2", "0", "2", "0"]),
                ("2026-11-19", "selam", "USDC", ["5", "5", "0", "0"]),
                ("2026-11-18", "selam", "ETH", ["0", "0", "2", "-2"]),
                ("2026-11-18", "selam", "USDC", ["0", "8", "0", "-8"]),
                ("2026-11-18", "tariku", "USDC", ["3", "0", "0", "3"]),
            ]
        );
    }
}
