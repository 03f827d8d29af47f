//! From signed bytes to a settled transfer. Nothing here signs: the same bytes are sent as often as it takes.

use super::{
    Outcome, Wallet, answers,
    in_flight::{Lead, Step},
    payment::call_of,
};
use crate::{
    domain::transfer::{Mined, NewTransfer, Settlement, Signed, SignedFailure, TransferRecord, TransferState},
    ports::{
        StoreError,
        chain::{ChainError, Receipt},
        chain_directory::ChainEntry,
    },
};
use chrono::TimeDelta;
use std::time::Duration;
use tokio::time::Instant;

/// What a broadcast, with its attempts, came to.
enum Sent {
    Accepted,
    /// Nobody knows, or nothing left; either way the bytes are sent again later.
    NotKnown,
    /// Certain: no node has the bytes, and ours will not take them.
    Refused(String),
    NonceTaken,
}

impl Wallet {
    /// Brings the transfer as far as the deadline allows, and answers with where it then stands.
    pub(super) async fn finish(&self, record: TransferRecord, entry: &ChainEntry, lead: Option<&Lead>) -> Outcome {
        let deadline_ms = self.settings.receipt_deadline_ms;
        let record = match self.deliver(record.clone(), entry, deadline_ms, lead).await {
            Ok(record) => record,
            Err(error) => {
                // Signed and perhaps sent: the caller must hear "unknown", not "failed".
                tracing::error!(error = %error, "a transfer under way could not be written down");
                record
            }
        };
        let balance = match record.state {
            TransferState::Confirmed { .. } => {
                entry.chain.balance(record.transfer.request.wallet, &record.transfer.request.asset).await.ok()
            }
            _ => None,
        };
        answers::outcome(&record, balance)
    }

    /// Sends what is signed, waits for its receipt, settles. Returns the record as it then stands; one that is settled comes back unchanged.
    pub(super) async fn deliver(
        &self,
        record: TransferRecord,
        entry: &ChainEntry,
        deadline_ms: u64,
        lead: Option<&Lead>,
    ) -> Result<TransferRecord, StoreError> {
        let (signed, was_broadcast) = match &record.state {
            TransferState::Signed(signed) => (signed.clone(), false),
            TransferState::Broadcast(signed) => (signed.clone(), true),
            TransferState::AwaitingReview { .. }
            | TransferState::Reserved
            | TransferState::Confirmed { .. }
            | TransferState::Reverted { .. }
            | TransferState::Failed { .. } => return Ok(record),
        };
        let transfer = &record.transfer;
        let sent = self.send(&signed, was_broadcast, entry).await;
        if matches!(sent, Sent::Accepted) {
            self.transfers.mark_broadcast(transfer.transaction_id).await?;
            if let Some(lead) = lead {
                lead.reached(Step::Broadcast);
            }
        }
        // A refusal is believed only if the chain does not hold the transaction after all.
        let wait_ms = if matches!(sent, Sent::Refused(_)) { 0 } else { deadline_ms };
        if let Some(receipt) = self.await_receipt(&signed, entry, wait_ms).await {
            return self.settle_mined(transfer, receipt, entry).await;
        }
        let failure = match sent {
            Sent::Refused(reason) => SignedFailure::Refused { reason },
            Sent::NonceTaken if self.is_replaced(transfer, &signed, entry).await => SignedFailure::Replaced,
            Sent::Accepted => return Ok(TransferRecord { transfer: record.transfer, state: TransferState::Broadcast(signed) }),
            Sent::NonceTaken | Sent::NotKnown => return Ok(record),
        };
        self.transfers.settle(transfer.transaction_id, &Settlement::Failed(failure), self.clock.now()).await
    }

    /// Whether the node serves the chain it is configured for. The refusal of a stranger must not end a transfer.
    pub(super) async fn is_own_node(&self, entry: &ChainEntry) -> bool {
        entry.chain.id().await == Ok(entry.id)
    }

    async fn send(&self, signed: &Signed, was_broadcast: bool, entry: &ChainEntry) -> Sent {
        let mut may_have_left = was_broadcast;
        for attempt in 1..=self.settings.broadcast_attempts_max {
            match entry.chain.broadcast(&signed.raw, signed.tx_hash).await {
                Ok(()) => return Sent::Accepted,
                Err(ChainError::NonceTaken) => return Sent::NonceTaken,
                Err(ChainError::Refused { reason, .. } | ChainError::Reverted { reason }) if !may_have_left => {
                    return Sent::Refused(reason);
                }
                Err(ChainError::Refused { .. } | ChainError::Reverted { .. }) => return Sent::NotKnown,
                Err(ChainError::Unknown { .. }) => may_have_left = true,
                Err(ChainError::Unreachable { .. }) => {}
            }
            if attempt < self.settings.broadcast_attempts_max {
                tokio::time::sleep(Duration::from_millis(self.settings.receipt_poll_max_ms)).await;
            }
        }
        Sent::NotKnown
    }

    /// Looks at least once. A node that cannot be reached is no answer, and is asked again.
    async fn await_receipt(&self, signed: &Signed, entry: &ChainEntry, deadline_ms: u64) -> Option<Receipt> {
        let deadline = Instant::now() + Duration::from_millis(deadline_ms);
        let mut wait_ms = self.settings.receipt_poll_first_ms;
        loop {
            if let Ok(Some(receipt)) = entry.chain.receipt(signed.tx_hash).await {
                return Some(receipt);
            }
            if Instant::now() >= deadline {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
            wait_ms = wait_ms.saturating_mul(2).min(self.settings.receipt_poll_max_ms);
        }
    }

    async fn settle_mined(&self, transfer: &NewTransfer, receipt: Receipt, entry: &ChainEntry) -> Result<TransferRecord, StoreError> {
        let mined = Mined { block_number: receipt.block_number, block_time: receipt.block_time, fee_wei: receipt.fee_wei };
        let settlement = if receipt.succeeded {
            Settlement::Confirmed(mined)
        } else {
            // Receipts carry no reason; the same call, tried again without sending, usually names it.
            let reason = match entry.chain.prepare(transfer.request.wallet, &call_of(&transfer.request)).await {
                Err(ChainError::Reverted { reason }) => reason,
                Ok(_) | Err(_) => "the node gives no reason".to_owned(),
            };
            Settlement::Reverted { mined, reason }
        };
        self.transfers.settle(transfer.transaction_id, &settlement, self.clock.now()).await
    }

    /// Whether another transaction has finally used the nonce. A node may lag behind itself, so this is believed only after the time
    /// that a receipt is waited for, and only if the node still does not know our bytes, counts the nonce as used, and has no receipt.
    async fn is_replaced(&self, transfer: &NewTransfer, signed: &Signed, entry: &ChainEntry) -> bool {
        let patience = TimeDelta::milliseconds(i64::try_from(self.settings.receipt_deadline_ms).unwrap_or(i64::MAX));
        if self.clock.now() - transfer.reserved_at < patience {
            return false;
        }
        let sent_again = entry.chain.broadcast(&signed.raw, signed.tx_hash).await;
        let confirmed_nonce = entry.chain.confirmed_nonce(transfer.request.wallet).await;
        let receipt = entry.chain.receipt(signed.tx_hash).await;
        sent_again == Err(ChainError::NonceTaken) && confirmed_nonce.is_ok_and(|next| next > signed.nonce) && receipt == Ok(None)
    }
}
