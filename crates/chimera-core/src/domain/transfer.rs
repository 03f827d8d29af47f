//! One transfer, from the moment its budget is reserved until the chain has had the last word.

mod foreign;
mod state;
mod terms;

pub use foreign::{ForeignMovement, ForeignTransaction, Reconciliation};
pub use state::{OutOfTurn, TransferEvent, TransferState};
pub use terms::{FeeLimits, Gas, Pending, Shortage, SigningTerms, TermsProblem, chain_is_ahead, choose_nonce, terms_problem};

use super::{
    AgentId,
    freeze::Freeze,
    money::{Address, Asset, B256, ChainId, U256},
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
    /// The caller's budget check. Kept, so that a transfer that waited for a person is held to it too.
    pub requested_limit: Option<RequestedLimit>,
    pub reserved_at: DateTime<Utc>,
    /// Until then nobody but the caller who reserved may give an unsigned reservation up.
    pub lease_until: DateTime<Utc>,
}

impl NewTransfer {
    /// The UTC day that owns the spend, whenever it is committed or released.
    pub fn day(&self) -> NaiveDate {
        self.reserved_at.date_naive()
    }

    /// `daily_spend_key` of the budget check: a further counter on the same chain and asset.
    pub fn named_counter(&self) -> Option<&str> {
        match &self.requested_limit {
            Some(RequestedLimit::Named { key, .. }) => Some(key),
            Some(RequestedLimit::Own { .. }) | None => None,
        }
    }
}

/// The daily limit that a request brings along. It can only tighten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedLimit {
    /// On the agent's own counter.
    Own { limit_units: U256 },
    /// On a further counter, shared by whoever names it.
    Named { key: String, limit_units: U256 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferRecord {
    pub transfer: NewTransfer,
    /// A person's approval, where there was one.
    pub grant: Option<Grant>,
    pub state: TransferState,
}

/// A person's approval of exactly one transfer. It waives the rules that ask, and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    pub review_id: UuidV4,
    /// Unused until then, it is worth nothing.
    pub until: DateTime<Utc>,
    /// The person was shown a look-alike, and typed the whole address again.
    pub address_confirmed: bool,
}

/// The rule whose question only the whole address answers.
pub const LOOK_ALIKE: &str = "look_alike";

/// What we have signed for one transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    pub nonce: u64,
    /// Oldest first, never empty. Only one of them can land: all have the same nonce, and but for a cancellation the same recipient and
    /// value.
    pub attempts: Vec<Attempt>,
    /// A final transaction of the wallet that is not ours has this nonce: none of the attempts can land any more. The wallet is held, and
    /// the budget with it, until a person has reconciled what was sent instead.
    pub replaced_by: Option<B256>,
}

impl Signed {
    pub fn new(nonce: u64, attempt: Attempt) -> Self {
        Self { nonce, attempts: vec![attempt], replaced_by: None }
    }

    /// Who wanted the transfer cancelled, if this is the transaction that does it.
    pub fn cancelled_by(&self, tx_hash: B256) -> Option<&str> {
        self.attempts.iter().find(|attempt| attempt.tx_hash == tx_hash)?.cancelled_by.as_deref()
    }

    /// The one that is sent now.
    pub fn last(&self) -> &Attempt {
        self.attempts.last().expect("a signed transfer has at least one attempt")
    }

    fn with(mut self, attempt: Attempt) -> Self {
        self.attempts.push(attempt);
        self
    }
}

/// One signed transaction. Its bytes are sent as often as it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub tx_hash: B256,
    pub raw: Vec<u8>,
    pub gas: Gas,
    pub signed_at: DateTime<Utc>,
    /// It pays nobody: it takes the nonce, so that what was signed before cannot land. In the words of the person who wanted it.
    pub cancelled_by: Option<String>,
}

/// What was true of a wallet elsewhere when it was asked to pay: its next transaction has this nonce, and is in a later block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handover {
    pub nonce: u64,
    pub block_number: u64,
    pub at: DateTime<Utc>,
}

/// How the money left, or may leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    Signed(Signed),
    HandedOver(Handover),
}

impl Sent {
    pub fn nonce(&self) -> u64 {
        match self {
            Self::Signed(signed) => signed.nonce,
            Self::HandedOver(handover) => handover.nonce,
        }
    }

    /// The newest of our own; a wallet elsewhere tells none that could be believed.
    pub fn tx_hash(&self) -> Option<B256> {
        match self {
            Self::Signed(signed) => Some(signed.last().tx_hash),
            Self::HandedOver(_) => None,
        }
    }
}

/// Where a transaction ended up, and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mined {
    /// Of the attempt that landed.
    pub tx_hash: B256,
    pub block_number: u64,
    pub block_time: DateTime<Utc>,
    pub fee_wei: U256,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignedFailure {
    /// A wallet elsewhere was not even asked. Of what we sign ourselves nothing is ever refused for good: whoever was given the bytes,
    /// and said no, still has them.
    Refused { reason: String },
    /// Another transaction of the same wallet has used the nonce, is final, and is on the ledger.
    Replaced,
    /// A person said so, of a wallet elsewhere whose payment never showed.
    GivenUp { reason: String },
}

/// How an open, signed transfer ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// The reservation becomes spend.
    Confirmed(Mined),
    /// Reverted, or cancelled by a person. The fee is spent; the amount stays reserved until the block is final, since the transaction may
    /// land again and pay.
    Reverted { mined: Mined, reason: String },
    /// Everything is released.
    Failed(SignedFailure),
}

impl Settlement {
    /// The state it ends in.
    fn end(self, sent: Sent) -> TransferState {
        match self {
            Self::Confirmed(mined) => TransferState::Confirmed { sent, mined },
            Self::Reverted { mined, reason } => TransferState::Reverted { sent, mined, reason },
            Self::Failed(failure) => TransferState::Failed { sent, failure },
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

    /// Whether the amount is still held after it, until the block is final.
    pub fn keeps_amount(&self) -> bool {
        matches!(self, Self::Reverted { .. })
    }

    /// Whether the nonce is used up on chain, by us or by another; otherwise it can be given out again.
    pub fn consumes_nonce(&self) -> bool {
        match self {
            Self::Confirmed(_) | Self::Reverted { .. } | Self::Failed(SignedFailure::Replaced) => true,
            Self::Failed(SignedFailure::Refused { .. } | SignedFailure::GivenUp { .. }) => false,
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
    /// The kill switch, of the agent or of the fleet.
    pub freeze: Option<Freeze>,
    /// The agent has a confirmed transfer to this recipient on this chain.
    pub recipient_is_known: bool,
    /// Another recipient of the agent's confirmed transfers, whose address begins and ends like this one.
    pub look_alike: Option<Address>,
    /// A reconciliation found a payment exactly like this one on the chain, and no other task was asked about it yet.
    pub reconciled_alike: Option<B256>,
    /// The agent's reservations of the last 60 minutes that were not released.
    pub transfers_last_hour: u64,
    /// The counter of the wallet, chain, asset and day.
    pub own_day: Spend,
    /// What no person approved of `own_day`.
    pub unapproved_day_units: U256,
    /// The counter that the request names, where it names one.
    pub named_day: Spend,
    /// A person has approved exactly this transfer.
    pub is_granted: bool,
    /// And has typed its whole address again, knowing the one that it looks like.
    pub address_is_confirmed: bool,
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
    /// Refused, which is on the ledger, and put before a person all the same: the task is bound, and nothing is reserved.
    Hold {
        rule: String,
        reason: String,
        refusal: SkillFailure,
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

#[cfg(test)]
mod tests {
    use super::*;

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
