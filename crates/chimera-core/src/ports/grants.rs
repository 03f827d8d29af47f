//! Approvals of payments, and how they are taken back before they are used.

use super::StoreError;
use crate::{
    contracts::{
        UtcTime, UuidV4,
        decision::{JudgeDecision, Verdict},
        review::{ReviewItem, ReviewStatus},
    },
    domain::transfer::{TransferEvent, TransferRecord, TransferState},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
pub trait Grants: Send + Sync {
    /// In one transaction with the decision and the ledger entry: it comes before the approval is used, and then the payment is never made,
    /// or after it, and then nothing changes.
    async fn revoke(&self, revocation: &Revocation) -> Result<Revoked, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    pub review_id: UuidV4,
    pub by: String,
    pub reason: Option<String>,
    pub at: DateTime<Utc>,
}

impl Revocation {
    /// `revoked by hanna: a wrong invoice`
    pub fn told(&self) -> String {
        let why = self.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("revoked by {}{why}", self.by)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Revoked {
    /// The payment is never made.
    Done(Box<TransferRecord>),
    NotDone(NotRevoked),
}

/// Why an approval was not revoked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRevoked {
    #[error("there is no such review of a payment")]
    NotFound,
    #[error("it is not approved: it is {0}")]
    NotApproved(&'static str),
    #[error("it is already used: the payment is {0}")]
    Used(&'static str),
    #[error("its approval was revoked before")]
    Before,
}

/// The record after it, as every store decides it in `revoke`.
pub fn revoked(review: &ReviewItem, record: TransferRecord, revocation: &Revocation) -> Result<TransferRecord, NotRevoked> {
    match (review.status, &record.state) {
        (ReviewStatus::Approved, TransferState::Granted) => {
            let event = TransferEvent::Revoke { reason: revocation.told() };
            record.after(event).map_err(|_out_of_turn| NotRevoked::Before)
        }
        (ReviewStatus::Approved, TransferState::Declined { .. }) => Err(NotRevoked::Before),
        (ReviewStatus::Approved, state) => Err(NotRevoked::Used(state.name())),
        (ReviewStatus::Pending, _) => Err(NotRevoked::NotApproved("pending")),
        (ReviewStatus::Rejected, _) => Err(NotRevoked::NotApproved("rejected")),
        (ReviewStatus::Expired, _) => Err(NotRevoked::NotApproved("closed unanswered")),
    }
}

/// As a store writes it down in `revoke`.
pub fn revocation_decision(revocation: &Revocation, task_id: UuidV4) -> JudgeDecision {
    JudgeDecision {
        decision_id: UuidV4::named(&["revocation", &revocation.review_id.to_string()]),
        result_id: None,
        task_id,
        decision: Verdict::Reject,
        state_version: 0,
        created_at: UtcTime(revocation.at),
        reason: revocation.told(),
        hitl_reason: None,
    }
}
