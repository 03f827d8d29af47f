//! Transactions that wait: for the next block, for a lower base fee, or for a missing nonce before them.

use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

use alloy_consensus::Transaction;
use alloy_primitives::{Address, B256, U256};

use crate::error::Refusal;
use crate::transaction::SignedTransaction;

pub(crate) const TRANSACTIONS_MAX: usize = 4096;
/// So that one sender cannot fill the pool for all others.
pub(crate) const TRANSACTIONS_PER_SENDER_MAX: usize = 1024;
/// A replacement must pay this much more, in percent, on both of its fees.
const REPLACEMENT_BUMP_PERCENT: u128 = 10;

#[derive(Default)]
pub(crate) struct Pool {
    by_sender: HashMap<Address, BTreeMap<u64, Waiting>>,
    by_hash: HashMap<B256, (Address, u64)>,
    arrivals: u64,
}

struct Waiting {
    transaction: Arc<SignedTransaction>,
    arrival: u64,
}

impl Pool {
    /// Whether there is room for the transaction, a fee that beats the one it replaces, and money for
    /// it next to everything else its sender has waiting.
    pub(crate) fn check(&self, transaction: &SignedTransaction, balance_wei: U256) -> Result<(), Refusal> {
        let empty = BTreeMap::new();
        let of_sender = self.by_sender.get(&transaction.sender).unwrap_or(&empty);
        let replaced = of_sender.get(&transaction.nonce()).map(|waiting| &*waiting.transaction);

        match replaced {
            Some(replaced) if !outbids(transaction, replaced) => {
                return Err(Refusal::ReplacementUnderpriced);
            }
            Some(_) => {}
            None if self.by_hash.len() >= TRANSACTIONS_MAX => {
                return Err(Refusal::PoolFull { limit: TRANSACTIONS_MAX });
            }
            None if of_sender.len() >= TRANSACTIONS_PER_SENDER_MAX => {
                return Err(Refusal::PoolFull { limit: TRANSACTIONS_PER_SENDER_MAX });
            }
            None => {}
        }

        let queued_wei = of_sender
            .values()
            .map(|waiting| &waiting.transaction)
            .filter(|queued| queued.nonce() != transaction.nonce())
            .fold(U256::ZERO, |sum, queued| sum.saturating_add(queued.cost_max_wei()));
        let cost_wei = transaction.cost_max_wei();
        if queued_wei.saturating_add(cost_wei) > balance_wei {
            return Err(Refusal::InsufficientFundsWithQueue { balance_wei, queued_wei, cost_wei });
        }
        Ok(())
    }

    /// Takes the transaction in, in place of one with the same sender and nonce.
    pub(crate) fn insert(&mut self, transaction: Arc<SignedTransaction>) {
        let (hash, sender, nonce) = (transaction.hash(), transaction.sender, transaction.nonce());
        let waiting = Waiting { transaction, arrival: self.arrivals };
        self.arrivals += 1;

        let replaced = self.by_sender.entry(sender).or_default().insert(nonce, waiting);
        if let Some(replaced) = replaced {
            self.by_hash.remove(&replaced.transaction.hash());
        }
        self.by_hash.insert(hash, (sender, nonce));
    }

    pub(crate) fn get(&self, hash: B256) -> Option<&Arc<SignedTransaction>> {
        let (sender, nonce) = self.by_hash.get(&hash)?;
        Some(&self.by_sender.get(sender)?.get(nonce)?.transaction)
    }

    pub(crate) fn remove(&mut self, hash: B256) {
        let Some((sender, nonce)) = self.by_hash.remove(&hash) else {
            return;
        };
        if let Some(of_sender) = self.by_sender.get_mut(&sender) {
            of_sender.remove(&nonce);
            if of_sender.is_empty() {
                self.by_sender.remove(&sender);
            }
        }
    }

    /// Drops what the sender's mined transactions have made impossible.
    pub(crate) fn forget_below(&mut self, sender: Address, next_nonce: u64) {
        let stale: Vec<B256> = self
            .by_sender
            .get(&sender)
            .into_iter()
            .flat_map(|of_sender| of_sender.range(..next_nonce))
            .map(|(_, waiting)| waiting.transaction.hash())
            .collect();
        for hash in stale {
            self.remove(hash);
        }
    }

    /// The nonce after the sender's unbroken row of waiting transactions.
    pub(crate) fn next_nonce(&self, sender: Address, account_nonce: u64) -> u64 {
        let row = self.by_sender.get(&sender).into_iter().flat_map(|of_sender| of_sender.range(account_nonce..));
        row.map(|(nonce, _)| *nonce)
            .zip(account_nonce..)
            .take_while(|(nonce, expected)| nonce == expected)
            .last()
            .map_or(account_nonce, |(nonce, _)| nonce + 1)
    }

    /// Everything that could be mined at this base fee: each sender's in nonce order, the best tip
    /// first among senders, the earlier arrival first among equal tips.
    pub(crate) fn ready(&self, base_fee_wei: u64, account_nonce: impl Fn(Address) -> u64) -> Vec<Arc<SignedTransaction>> {
        let head = |sender: Address, nonce: u64| -> Option<Head> {
            let waiting = self.by_sender.get(&sender)?.get(&nonce)?;
            let tip_wei = waiting.transaction.envelope.effective_tip_per_gas(base_fee_wei)?;
            Some(Head { tip_wei, earliness: u64::MAX - waiting.arrival, sender, nonce })
        };

        let mut heads: BinaryHeap<Head> = self.by_sender.keys().filter_map(|sender| head(*sender, account_nonce(*sender))).collect();
        let mut ready = Vec::new();
        while let Some(best) = heads.pop() {
            ready.push(self.by_sender[&best.sender][&best.nonce].transaction.clone());
            heads.extend(head(best.sender, best.nonce + 1));
        }
        ready
    }
}

/// A sender's next transaction; the field order is the order of preference.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    tip_wei: u128,
    earliness: u64,
    sender: Address,
    nonce: u64,
}

fn outbids(new: &SignedTransaction, old: &SignedTransaction) -> bool {
    // Rounded up, so that 1 wei must become 2.
    let bumped = |fee_wei: u128| {
        let raise_wei = fee_wei.saturating_mul(REPLACEMENT_BUMP_PERCENT).div_ceil(100);
        fee_wei.saturating_add(raise_wei)
    };
    new.envelope.max_fee_per_gas() >= bumped(old.envelope.max_fee_per_gas())
        && new.envelope.priority_fee_or_price() >= bumped(old.envelope.priority_fee_or_price())
}
