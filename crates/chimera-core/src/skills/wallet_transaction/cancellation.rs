//! The way out for a transfer that no node takes: another transaction, which pays nobody, takes its nonce. Whichever lands counts, and only
//! the chain says which.

use super::{WalletTransaction, answers, delivery::Delivered, payment::cancelling_call};
use crate::{
    contracts::{SkillFailure, UuidV4},
    domain::transfer::{Attempt, TransferEvent, TransferRecord, TransferState},
    ports::{StoreError, transfers::Recorded},
};

#[derive(Debug, thiserror::Error)]
pub enum CancelError {
    #[error("there is no transfer under way for task {0}; `chimera wallet show` lists those there are")]
    NotUnderWay(UuidV4),
    #[error("the transfer of task {0} was handed to a wallet elsewhere, which cannot be asked to take it back")]
    Elsewhere(UuidV4),
    #[error("another transaction has the nonce already; run `chimera wallet reconcile` for this agent")]
    Replaced,
    #[error("{}", .0.message)]
    Refused(Box<SkillFailure>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WalletTransaction {
    /// Signs what cancels the transfer and sends it; `by` is who wants it, and why. Returns the transfer as it then stands: cancelled only
    /// once a block says so.
    pub async fn cancel(&self, task_id: UuidV4, by: &str) -> Result<TransferRecord, CancelError> {
        let wallet = &self.wallet;
        let record = wallet.transfers.find(task_id).await?.ok_or(CancelError::NotUnderWay(task_id))?;
        let signed = match &record.state {
            TransferState::Signed(signed) | TransferState::Broadcast(signed) if signed.replaced_by.is_some() => {
                return Err(CancelError::Replaced);
            }
            TransferState::Signed(signed) | TransferState::Broadcast(signed) => signed.clone(),
            TransferState::HandedOver(_) => return Err(CancelError::Elsewhere(task_id)),
            _ => return Err(CancelError::NotUnderWay(task_id)),
        };
        let refused = |failure: SkillFailure| CancelError::Refused(Box::new(failure));
        let request = &record.transfer.request;
        let entry = wallet.chains.get(request.chain).ok_or_else(|| refused(SkillFailure::internal()))?;
        if !wallet.is_own_node(entry).await {
            return Err(refused(answers::node_away(entry.id)));
        }
        let call = cancelling_call(request);
        let prepared = entry.chain.prepare(request.wallet, &call).await.map_err(|error| refused(answers::chain_failed(&error)))?;
        let gas = signed.last().gas.bumped(&prepared.gas()).ok_or_else(|| refused(SkillFailure::internal()))?;
        let fee_max_wei = prepared.fee_max_wei(&gas);
        let attempt = wallet.attempt(request, call, signed.nonce, gas).await.map_err(|error| refused(answers::signing_failed(&error)))?;
        let attempt = Attempt { cancelled_by: Some(by.to_owned()), ..attempt };
        match wallet.transfers.record_bump(record.transfer.transaction_id, &attempt, fee_max_wei, &entry.fee_limits).await? {
            Recorded::Recorded => {}
            Recorded::Frozen(freeze) => return Err(refused(answers::frozen(&freeze))),
            Recorded::Refused(problem) => return Err(refused(answers::terms_refused(&problem, request, &entry.native.symbol))),
            Recorded::Lost => return Err(CancelError::NotUnderWay(task_id)),
        }
        let record = record.after(TransferEvent::Bump(attempt)).map_err(|_ended| CancelError::NotUnderWay(task_id))?;
        let Delivered { record, .. } = wallet.deliver(record, entry, wallet.settings.receipt_deadline_ms, None).await?;
        Ok(record)
    }
}
