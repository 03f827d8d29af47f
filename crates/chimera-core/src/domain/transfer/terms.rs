//! What is looked at just before a signature: balances, fees, nonces.

use super::{OverLimit, Spend, TransferRequest};
use crate::domain::money::{AssetKind, ChainId, U256};

/// Bounds of one chain, for all wallets together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeeLimits {
    pub per_transaction_max_wei: U256,
    pub per_day_max_wei: U256,
}

impl FeeLimits {
    /// `fees_day` is the day without the transaction that is asked about.
    pub fn check(&self, fee_max_wei: U256, fees_day: Spend) -> Option<TermsProblem> {
        OverLimit::check("fee_per_transaction", self.per_transaction_max_wei, Spend::default(), fee_max_wei)
            .or_else(|| OverLimit::check("fees_per_day", self.per_day_max_wei, fees_day, fee_max_wei))
            .map(TermsProblem::OverFeeLimit)
    }
}

/// What the chain said just before signing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SigningTerms {
    /// The chain's next nonce, its pool included.
    pub next_nonce: u64,
    pub fee_max_wei: U256,
    pub fee_limits: FeeLimits,
    pub native_balance_wei: U256,
    /// The same as `native_balance_wei` when the native asset moves.
    pub asset_balance_units: U256,
}

/// What a transaction pays for gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gas {
    pub limit: u64,
    pub max_fee_per_gas_wei: u128,
    pub max_priority_fee_per_gas_wei: u128,
}

impl Gas {
    /// What a transaction that replaces this one pays: an eighth more, as nodes ask for a replacement, or what the chain suggests now.
    /// `None` beyond what a number holds.
    pub fn bumped(&self, suggested: &Gas) -> Option<Self> {
        let eighth_more = |wei: u128| wei.checked_add(wei / 8)?.checked_add(1);
        let max_fee_per_gas_wei = eighth_more(self.max_fee_per_gas_wei)?.max(suggested.max_fee_per_gas_wei);
        let priority = eighth_more(self.max_priority_fee_per_gas_wei)?.max(suggested.max_priority_fee_per_gas_wei);
        Some(Self {
            limit: self.limit.max(suggested.limit),
            max_fee_per_gas_wei,
            max_priority_fee_per_gas_wei: priority.min(max_fee_per_gas_wei),
        })
    }

    /// Saturating: a fee beyond uint256 is over every limit.
    pub fn fee_max_wei(&self) -> U256 {
        U256::from(self.limit).saturating_mul(U256::from(self.max_fee_per_gas_wei))
    }
}

/// What the wallet's other transfers with a nonce, not yet settled, can still take on this chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pending {
    pub native_wei: U256,
    pub fees_max_wei: U256,
    /// Of the asset that moves.
    pub asset_units: U256,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermsProblem {
    OverFeeLimit(OverLimit),
    /// `available_units` is the balance less what is signed and unconfirmed.
    Insufficient {
        of: Shortage,
        needed_units: U256,
        available_units: U256,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortage {
    /// Of the asset that moves, its fee included when that is the native asset.
    Asset,
    /// Of the native asset, for the fee of a token transfer.
    Fee,
}

/// The last look before a nonce is given out, with the chain's balances and the store's own view of what is under way. `None`: all is well.
pub fn terms_problem(request: &TransferRequest, terms: &SigningTerms, pending: &Pending, fees_day: Spend) -> Option<TermsProblem> {
    if let Some(problem) = terms.fee_limits.check(terms.fee_max_wei, fees_day) {
        return Some(problem);
    }
    let native_available = terms.native_balance_wei.saturating_sub(pending.native_wei).saturating_sub(pending.fees_max_wei);
    match request.asset.kind {
        AssetKind::Native => shortage(Shortage::Asset, request.amount_units.saturating_add(terms.fee_max_wei), native_available),
        AssetKind::Token(_) => {
            shortage(Shortage::Asset, request.amount_units, terms.asset_balance_units.saturating_sub(pending.asset_units))
                .or_else(|| shortage(Shortage::Fee, terms.fee_max_wei, native_available))
        }
    }
}

fn shortage(of: Shortage, needed_units: U256, available_units: U256) -> Option<TermsProblem> {
    (needed_units > available_units).then_some(TermsProblem::Insufficient { of, needed_units, available_units })
}

/// Why the wallet must be held: the chain, its pool included, counts transactions of it that the book never gave a nonce to. `None`: it
/// counts none. Somebody else has the key, then, or the book is an old copy, and would pay again what the newer one has paid.
pub fn chain_is_ahead(chain: ChainId, chain_next: u64, consumed_next: u64, held: &[u64]) -> Option<String> {
    let book_next = held.iter().map(|nonce| nonce.saturating_add(1)).max().unwrap_or_default().max(consumed_next);
    (chain_next > book_next).then(|| {
        format!("chain {chain} counts {chain_next} transactions of this wallet, and this book knows of {book_next}: it is an old copy, or another program has the key")
    })
}

/// The lowest nonce that is free: not used on chain as far as the node (`chain_next`) or we (`consumed_next`) know, and not `held` by a
/// transfer under way. A nonce that was given back is no longer held, so it is the first to be given out again: no gap stays open.
pub fn choose_nonce(chain_next: u64, consumed_next: u64, held: &[u64]) -> u64 {
    let first = chain_next.max(consumed_next);
    let mut above: Vec<u64> = held.iter().copied().filter(|nonce| *nonce >= first).collect();
    above.sort_unstable();
    above.into_iter().fold(first, |nonce, held| if held == nonce { nonce + 1 } else { nonce })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_skip_what_is_held_and_reuse_what_was_given_back() {
        assert_eq!(choose_nonce(5, 0, &[]), 5);
        assert_eq!(choose_nonce(5, 0, &[5, 6]), 7);
        assert_eq!(choose_nonce(5, 0, &[6, 7]), 5, "5 was given back and leaves a gap");
        assert_eq!(choose_nonce(5, 8, &[]), 8, "the node's answer was older than our own settlement");
        assert_eq!(choose_nonce(9, 8, &[8]), 9, "another sender has used the wallet");
    }

    #[test]
    fn the_chain_is_ahead_when_it_counts_more_than_the_book_ever_gave_out() {
        let is_ahead = |chain_next, consumed_next, held: &[u64]| chain_is_ahead(ChainId(1), chain_next, consumed_next, held).is_some();
        assert!(!is_ahead(0, 0, &[]));
        assert!(is_ahead(1, 0, &[]));
        assert!(!is_ahead(5, 5, &[]));
        assert!(!is_ahead(4, 5, &[]), "a node that lags");
        assert!(!is_ahead(7, 5, &[5, 6]), "what is under way is ours");
        assert!(is_ahead(8, 5, &[5, 6]));
        assert!(!is_ahead(8, 5, &[7]), "a gap is not more than was given out");
    }

    #[test]
    fn a_bump_pays_an_eighth_more_or_what_the_chain_asks_now() {
        let gas =
            |max_fee_per_gas_wei, max_priority_fee_per_gas_wei| Gas { limit: 21_000, max_fee_per_gas_wei, max_priority_fee_per_gas_wei };
        assert_eq!(gas(800, 80).bumped(&gas(100, 10)), Some(gas(901, 91)));
        assert_eq!(gas(800, 80).bumped(&gas(5_000, 2_000)), Some(gas(5_000, 2_000)));
        assert_eq!(gas(800, 80).bumped(&gas(100, 9_000)), Some(gas(901, 901)), "the priority is never above the whole");
        assert_eq!(gas(u128::MAX, 1).bumped(&gas(1, 1)), None);
    }
}
