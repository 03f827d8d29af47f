//! One transfer, from the moment its budget is reserved until the chain has had the last word.

use super::{
    AgentId,
    money::{Address, Asset, AssetKind, B256, ChainId, U256},
};
use crate::contracts::{SkillFailure, UuidV4, wallet_transaction::WalletOperation};
use chrono::{DateTime, NaiveDate, Utc};

/// What moves from where to where. A task that has signed, or waits for a person, is bound to exactly this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferRequest {
    pub agent: AgentId,
    /// The agent's own address.
    pub wallet: Address,
    pub operation: WalletOperation,
    pub chain: ChainId,
    pub asset: Asset,
    pub to: Address,
    pub amount_units: U256,
}

/// A transfer about to be reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTransfer {
    /// The id of every answer about this transfer.
    pub transaction_id: UuidV4,
    pub task_id: UuidV4,
    pub request: TransferRequest,
    /// `daily_spend_key` of the caller's budget check: a further counter on the same chain and asset.
    pub named_counter: Option<String>,
    pub reserved_at: DateTime<Utc>,
    /// Until then nobody but the caller who reserved may give an unsigned reservation up.
    pub lease_until: DateTime<Utc>,
}

impl NewTransfer {
    /// The UTC day that owns the spend, whenever it is committed or released.
    pub fn day(&self) -> NaiveDate {
        self.reserved_at.date_naive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferRecord {
    pub transfer: NewTransfer,
    pub state: TransferState,
}

/// Each state is one durable write after the one before. A released transfer binds nothing, so it is no state here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferState {
    AwaitingReview {
        review_id: UuidV4,
        /// The rule that asks.
        rule: String,
    },
    /// The budget is held; nothing is signed, so the task is not bound.
    Reserved,
    /// The bytes are written down and may have left.
    Signed(Signed),
    /// A node has accepted the bytes.
    Broadcast(Signed),
    Confirmed {
        signed: Signed,
        mined: Mined,
    },
    Reverted {
        signed: Signed,
        mined: Mined,
        reason: String,
    },
    /// Signed, and now certain never to land.
    Failed {
        signed: Signed,
        failure: SignedFailure,
    },
}

impl TransferState {
    /// Whether budget is still held for it.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Reserved | Self::Signed(_) | Self::Broadcast(_) => true,
            Self::AwaitingReview { .. } | Self::Confirmed { .. } | Self::Reverted { .. } | Self::Failed { .. } => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    pub nonce: u64,
    pub tx_hash: B256,
    /// The same bytes are sent again after a crash; nothing is ever signed twice.
    pub raw: Vec<u8>,
}

/// Where a transaction ended up, and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mined {
    pub block_number: u64,
    pub block_time: DateTime<Utc>,
    pub fee_wei: U256,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignedFailure {
    /// The node will never take these bytes.
    Refused { reason: String },
    /// Another transaction of the same wallet has used the nonce.
    Replaced,
}

/// How an open, signed transfer ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// The reservation becomes spend.
    Confirmed(Mined),
    /// The fee is spent, the amount is released.
    Reverted { mined: Mined, reason: String },
    /// Everything is released.
    Failed(SignedFailure),
}

impl Settlement {
    /// The state it ends in.
    pub fn end(self, signed: Signed) -> TransferState {
        match self {
            Self::Confirmed(mined) => TransferState::Confirmed { signed, mined },
            Self::Reverted { mined, reason } => TransferState::Reverted { signed, mined, reason },
            Self::Failed(failure) => TransferState::Failed { signed, failure },
        }
    }

    /// What of the reservation becomes spend: units of the asset, and wei of fee.
    pub fn costs(&self, amount_units: U256) -> (U256, U256) {
        match self {
            Self::Confirmed(mined) => (amount_units, mined.fee_wei),
            Self::Reverted { mined, .. } => (U256::ZERO, mined.fee_wei),
            Self::Failed(_) => (U256::ZERO, U256::ZERO),
        }
    }

    /// Whether the nonce is used up on chain, by us or by another; otherwise it can be given out again.
    pub fn consumes_nonce(&self) -> bool {
        match self {
            Self::Confirmed(_) | Self::Reverted { .. } | Self::Failed(SignedFailure::Replaced) => true,
            Self::Failed(SignedFailure::Refused { .. }) => false,
        }
    }
}

/// What one counter has seen on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spend {
    pub spent_units: U256,
    pub reserved_units: U256,
}

impl Spend {
    /// Saturating: a sum beyond uint256 is over every limit.
    pub fn committed_units(&self) -> U256 {
        self.spent_units.saturating_add(self.reserved_units)
    }
}

/// What the CFO needs to know of the past, read in the transaction that reserves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// The agent has a confirmed transfer to this recipient on this chain.
    pub recipient_is_known: bool,
    /// The agent's reservations of the last 60 minutes that were not released.
    pub transfers_last_hour: u64,
    /// The counter of the wallet, chain, asset and day.
    pub own_day: Spend,
    /// What no person approved of `own_day`.
    pub unapproved_day_units: U256,
    /// The counter that the request names, where it names one.
    pub named_day: Spend,
}

/// What becomes of a request. Refusals are on the ledger, and bind nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Approve,
    /// A person decides: the task is bound, and nothing is reserved.
    Ask {
        rule: String,
        reason: String,
    },
    Refuse(SkillFailure),
}

/// A limit, and what stood against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverLimit {
    pub counter: String,
    pub limit_units: U256,
    pub spent_units: U256,
    pub reserved_units: U256,
    pub asked_units: U256,
}

impl OverLimit {
    /// `None` when `asked_units` fits beside what is spent and reserved.
    pub fn check(counter: &str, limit_units: U256, day: Spend, asked_units: U256) -> Option<Self> {
        let fits = day.committed_units().checked_add(asked_units).is_some_and(|total| total <= limit_units);
        let Spend { spent_units, reserved_units } = day;
        (!fits).then(|| Self { counter: counter.to_owned(), limit_units, spent_units, reserved_units, asked_units })
    }
}

/// Bounds of one chain, for all wallets together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeeLimits {
    pub per_transaction_max_wei: U256,
    pub per_day_max_wei: U256,
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
    let FeeLimits { per_transaction_max_wei, per_day_max_wei } = terms.fee_limits;
    let over = OverLimit::check("fee_per_transaction", per_transaction_max_wei, Spend::default(), terms.fee_max_wei)
        .or_else(|| OverLimit::check("fees_per_day", per_day_max_wei, fees_day, terms.fee_max_wei));
    if let Some(over) = over {
        return Some(TermsProblem::OverFeeLimit(over));
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

/// The lowest nonce that is free: not used on chain as far as the node (`chain_next`) or we (`consumed_next`) know, and not `held` by a
/// transfer under way. A nonce that was given back is no longer held, so it is the first to be given out again: no gap stays open.
pub fn choose_nonce(chain_next: u64, consumed_next: u64, held: &[u64]) -> u64 {
    let mut nonce = chain_next.max(consumed_next);
    while held.contains(&nonce) {
        nonce += 1;
    }
    nonce
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
    fn a_limit_is_reached_but_never_passed() {
        let day = Spend { spent_units: U256::from(40), reserved_units: U256::from(50) };
        assert_eq!(OverLimit::check("per_day", U256::from(100), day, U256::from(10)), None);
        let over = OverLimit::check("per_day", U256::from(100), day, U256::from(11)).unwrap();
        assert_eq!((over.spent_units, over.reserved_units, over.asked_units), (U256::from(40), U256::from(50), U256::from(11)));
    }

    #[test]
    fn sums_beyond_uint256_are_over_every_limit() {
        let day = Spend { spent_units: U256::MAX, reserved_units: U256::from(1) };
        assert!(OverLimit::check("per_day", U256::MAX, day, U256::from(1)).is_some());
    }
}
