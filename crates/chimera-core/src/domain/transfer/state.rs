//! The life of one transfer as a pure function: a record, an event, the record after it. Each event is one durable write.

use super::{Attempt, Grant, Handover, Mined, Sent, Settlement, Signed, SignedFailure, TransferRecord};
use crate::{contracts::UuidV4, domain::money::B256};
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferState {
    /// A person decides. The task is bound, nothing is reserved.
    AwaitingReview {
        review_id: UuidV4,
        /// The rule that asks.
        rule: String,
    },
    /// A person approved exactly this transfer; it is made once, before its grant runs out.
    Granted,
    /// A person said no.
    Declined {
        reason: String,
    },
    /// The budget is held; nothing is signed, so the task is bound by a grant only.
    Reserved,
    /// Given up before anything was signed; binds nothing.
    Released,
    /// Another wallet is asked to pay, once. From here on only the chain tells what it did.
    HandedOver(Handover),
    /// The bytes are written down and may have left.
    Signed(Signed),
    /// A node has accepted the bytes.
    Broadcast(Signed),
    Confirmed {
        sent: Sent,
        mined: Mined,
    },
    Reverted {
        sent: Sent,
        mined: Mined,
        reason: String,
    },
    /// Certain never to land.
    Failed {
        sent: Sent,
        failure: SignedFailure,
    },
}

/// What happens to a transfer that is on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferEvent {
    /// A person approves.
    Grant(Grant),
    /// A person refuses.
    Decline {
        reason: String,
    },
    /// A person takes the approval back before it is used.
    Revoke {
        reason: String,
    },
    /// The budget of a granted transfer is held. Its day is the day of this reservation.
    Reserve {
        at: DateTime<Utc>,
        lease_until: DateTime<Utc>,
    },
    /// The reservation is given up, unsigned. A grant stays as it was.
    Release,
    HandOver(Handover),
    Sign {
        nonce: u64,
        attempt: Attempt,
    },
    /// A node has the bytes.
    Accept,
    /// A final transaction that is not ours has the nonce.
    Replace(B256),
    /// Signed once more with higher fees: the same nonce, recipient and value.
    Bump(Attempt),
    Settle(Settlement),
    /// The block that held it is no longer part of the chain.
    Vanish,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a transfer that is {state} cannot {event}")]
pub struct OutOfTurn {
    state: &'static str,
    event: &'static str,
}

impl TransferRecord {
    pub fn after(self, event: TransferEvent) -> Result<Self, OutOfTurn> {
        use TransferState as S;
        let Self { mut transfer, mut grant, state } = self;
        let out_of_turn = OutOfTurn { state: state.name(), event: event.name() };
        let state = match (state, event) {
            (S::AwaitingReview { .. }, TransferEvent::Grant(given)) => {
                grant = Some(given);
                S::Granted
            }
            (S::AwaitingReview { .. }, TransferEvent::Decline { reason }) => S::Declined { reason },
            (S::Granted, TransferEvent::Revoke { reason }) => S::Declined { reason },
            (S::Granted, TransferEvent::Reserve { at, lease_until }) => {
                (transfer.reserved_at, transfer.lease_until) = (at, lease_until);
                S::Reserved
            }
            (S::Reserved, TransferEvent::Release) if grant.is_some() => S::Granted,
            (S::Reserved, TransferEvent::Release) => S::Released,
            (S::Reserved, TransferEvent::HandOver(handover)) => S::HandedOver(handover),
            (S::Reserved, TransferEvent::Sign { nonce, attempt }) => S::Signed(Signed::new(nonce, attempt)),
            (S::Signed(signed) | S::Broadcast(signed), TransferEvent::Accept) => S::Broadcast(signed),
            // The new bytes may not have left yet, so it is signed again, not broadcast.
            (S::Signed(signed) | S::Broadcast(signed), TransferEvent::Bump(attempt)) if signed.replaced_by.is_none() => {
                S::Signed(signed.with(attempt))
            }
            (S::Signed(signed), TransferEvent::Replace(by)) => S::Signed(Signed { replaced_by: Some(by), ..signed }),
            (S::Broadcast(signed), TransferEvent::Replace(by)) => S::Broadcast(Signed { replaced_by: Some(by), ..signed }),
            (S::Signed(signed) | S::Broadcast(signed), TransferEvent::Settle(settlement)) => settlement.end(Sent::Signed(signed)),
            (S::HandedOver(handover), TransferEvent::Settle(settlement)) => settlement.end(Sent::HandedOver(handover)),
            (S::Confirmed { sent, .. } | S::Reverted { sent, .. }, TransferEvent::Vanish) => match sent {
                Sent::Signed(signed) => S::Broadcast(signed),
                Sent::HandedOver(handover) => S::HandedOver(handover),
            },
            _ => return Err(out_of_turn),
        };
        Ok(Self { transfer, grant, state })
    }
}

impl TransferRecord {
    /// Approved by a person, not made yet, and not too late.
    pub fn is_granted_at(&self, now: DateTime<Utc>) -> bool {
        self.state == TransferState::Granted && self.grant.is_some_and(|grant| now < grant.until)
    }
}

impl TransferState {
    /// The settlement of a transfer that is in a block, which a reorganisation can take back. `None` for every other one.
    pub fn in_a_block(&self) -> Option<(Sent, Settlement)> {
        match self {
            Self::Confirmed { sent, mined } => Some((sent.clone(), Settlement::Confirmed(mined.clone()))),
            Self::Reverted { sent, mined, reason } => {
                Some((sent.clone(), Settlement::Reverted { mined: mined.clone(), reason: reason.clone() }))
            }
            _ => None,
        }
    }

    /// Whether budget is still held for it.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Reserved | Self::HandedOver(_) | Self::Signed(_) | Self::Broadcast(_) => true,
            Self::AwaitingReview { .. }
            | Self::Granted
            | Self::Declined { .. }
            | Self::Released
            | Self::Confirmed { .. }
            | Self::Reverted { .. }
            | Self::Failed { .. } => false,
        }
    }

    /// One word, the same in every store.
    pub fn name(&self) -> &'static str {
        match self {
            Self::AwaitingReview { .. } => "awaiting_review",
            Self::Granted => "granted",
            Self::Declined { .. } => "declined",
            Self::Reserved => "reserved",
            Self::Released => "released",
            Self::HandedOver(_) => "handed_over",
            Self::Signed(_) => "signed",
            Self::Broadcast(_) => "broadcast",
            Self::Confirmed { .. } => "confirmed",
            Self::Reverted { .. } => "reverted",
            Self::Failed { failure: SignedFailure::Refused { .. }, .. } => "refused",
            Self::Failed { failure: SignedFailure::Replaced, .. } => "replaced",
            Self::Failed { failure: SignedFailure::GivenUp { .. }, .. } => "given_up",
        }
    }

    /// How the money left or may leave, once that is decided.
    pub fn sent(&self) -> Option<Sent> {
        match self {
            Self::HandedOver(handover) => Some(Sent::HandedOver(*handover)),
            Self::Signed(signed) | Self::Broadcast(signed) => Some(Sent::Signed(signed.clone())),
            Self::Confirmed { sent, .. } | Self::Reverted { sent, .. } | Self::Failed { sent, .. } => Some(sent.clone()),
            Self::AwaitingReview { .. } | Self::Granted | Self::Declined { .. } | Self::Reserved | Self::Released => None,
        }
    }
}

impl TransferEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::Grant(_) => "be granted",
            Self::Decline { .. } => "be declined",
            Self::Revoke { .. } => "be revoked",
            Self::Reserve { .. } => "be reserved",
            Self::Release => "be released",
            Self::HandOver(_) => "be handed over",
            Self::Sign { .. } => "be signed",
            Self::Accept => "be accepted by a node",
            Self::Replace(_) => "be replaced",
            Self::Bump(_) => "be bumped",
            Self::Settle(_) => "be settled",
            Self::Vanish => "vanish",
        }
    }
}

#[cfg(test)]
mod tests;
