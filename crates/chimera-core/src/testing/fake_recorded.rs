//! Decisions on record, in memory. No suite holds it to its port: it gives what a test put into it, and only a store decides what that is.

use crate::ports::{
    StoreError,
    recorded::{RecordedDecisions, RecordedJudgement, RecordedPayments},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Default)]
pub struct FakeRecordedDecisions {
    pub judgements: Vec<RecordedJudgement>,
    pub payments: RecordedPayments,
}

#[async_trait]
impl RecordedDecisions for FakeRecordedDecisions {
    async fn judgements(&self, since: DateTime<Utc>, limit: usize) -> Result<Vec<RecordedJudgement>, StoreError> {
        let mut found: Vec<_> = self.judgements.iter().filter(|record| record.decision.created_at.0 >= since).cloned().collect();
        found.drain(..found.len().saturating_sub(limit));
        Ok(found)
    }

    async fn payments(&self, _: DateTime<Utc>, _: usize) -> Result<RecordedPayments, StoreError> {
        Ok(self.payments.clone())
    }
}
