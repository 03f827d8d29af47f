//! Decisions on record, with what they were made from, so that they can be made again under other rules.

use super::StoreError;
use crate::{
    contracts::{UuidV4, decision::JudgeDecision, result::WorkerResult, task::AgentTask, views::hindsight::Said},
    domain::{
        AgentId,
        money::{Address, ChainId},
        transfer::{RequestedLimit, TransferRequest},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// Changes nothing. Both are bounded: the newest `limit` decisions at or after `since`, oldest first.
#[async_trait]
pub trait RecordedDecisions: Send + Sync {
    /// The Judge's, on what Workers made.
    async fn judgements(&self, since: DateTime<Utc>, limit: usize) -> Result<Vec<RecordedJudgement>, StoreError>;
    /// The CFO's, on what agents wanted to pay. `since` is the beginning of a UTC day.
    async fn payments(&self, since: DateTime<Utc>, limit: usize) -> Result<RecordedPayments, StoreError>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct RecordedJudgement {
    /// As it was then, but for its attempt where `attempt` is not known.
    pub task: AgentTask,
    pub result: WorkerResult,
    pub decision: JudgeDecision,
    /// Which attempt was judged; `None` where the event log does not tell.
    pub attempt: Option<u32>,
    /// To its review, where there was one.
    pub said: Said,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedPayments {
    /// Oldest first.
    pub requests: Vec<RecordedPayment>,
    /// Of the day of the first request, earlier ones were left out: what was spent before it is not known.
    pub is_cut: bool,
    /// Whom the agents had paid before the first request.
    pub payees: Vec<PaidBefore>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaidBefore {
    pub agent: AgentId,
    pub chain: ChainId,
    pub to: Address,
}

/// One request to pay, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPayment {
    pub task_id: UuidV4,
    pub request: TransferRequest,
    pub requested_limit: Option<RequestedLimit>,
    pub at: DateTime<Utc>,
    pub decided: PaymentDecided,
    pub said: Said,
    /// The day that its amount was taken from; `None` where it was not paid in the end.
    pub spent_on: Option<NaiveDate>,
    /// It named a counter of the caller's, whose limit is not on record.
    pub is_limit_lost: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaymentDecided {
    Allowed,
    /// The rule's name.
    Asked(String),
    /// The rule's name, or that of the counter that it was over.
    Refused(String),
}
