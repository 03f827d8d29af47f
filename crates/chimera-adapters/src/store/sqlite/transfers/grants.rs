//! The `Grants` port: an approval is taken back before it is used, or not at all.

use super::{
    super::{SqliteStore, judgements, ledger},
    by_task, row,
};
use async_trait::async_trait;
use chimera_core::{
    domain::ledger::revocation_entry,
    ports::{
        StoreError,
        grants::{Grants, NotRevoked, Revocation, Revoked, revocation_decision, revoked},
    },
};
use rusqlite::Connection;

#[async_trait]
impl Grants for SqliteStore {
    async fn revoke(&self, revocation: &Revocation) -> Result<Revoked, StoreError> {
        let revocation = revocation.clone();
        self.write(move |db| revoke(db, &revocation)).await
    }
}

pub(in super::super) fn revoke(db: &Connection, revocation: &Revocation) -> Result<Revoked, StoreError> {
    let review = judgements::find_review(db, revocation.review_id)?.filter(|review| review.transaction.is_some());
    let Some(review) = review else { return Ok(Revoked::NotDone(NotRevoked::NotFound)) };
    let Some(stored) = by_task(db, review.task_id)? else { return Ok(Revoked::NotDone(NotRevoked::NotFound)) };
    let after = match revoked(&review, stored.record, revocation) {
        Ok(after) => after,
        Err(problem) => return Ok(Revoked::NotDone(problem)),
    };
    row::set_state(db, &after)?;
    let (transfer, reason) = (&after.transfer, revocation.reason.as_deref());
    ledger::append(db, &revocation_entry(revocation.review_id, &revocation.by, reason, transfer, revocation.at))?;
    judgements::record_of(db, &revocation_decision(revocation, review.task_id), Some(&transfer.request.agent))?;
    Ok(Revoked::Done(Box::new(after)))
}
