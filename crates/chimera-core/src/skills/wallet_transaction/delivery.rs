//! From signed bytes to their end on chain: the same bytes are sent as often as it takes, and signed anew only with a higher fee, for the
//! same nonce. Nothing is sent while the kill switch is on; watching goes on.

use super::{
    Outcome, Wallet, answers,
    in_flight::{Lead, Step},
    payment::call_of,
};
use crate::{
    domain::{
        AgentId,
        money::B256,
        transfer::{Attempt, Mined, NewTransfer, Settlement, Signed, SignedFailure, TransferEvent, TransferRecord, TransferState},
    },
    ports::{
        StoreError,
        chain::{ChainError, Receipt},
        chain_directory::ChainEntry,
        transfers::Recorded,
    },
};
use chrono::TimeDelta;
use std::time::Duration;
use tokio::time::Instant;

/// What a broadcast, with its attempts, came to.
enum Sending {
    Accepted,
    /// Nobody knows, or nothing left; either way the bytes are sent again later.
    NotKnown,
    /// Certain: no node has the bytes, and ours will not take them.
    Refused(String),
    NonceTaken,
}

/// Whether the kill switch is known to be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clearance {
    /// The write that recorded the signature looked, a moment ago.
    Given,
    ToBeAsked,
}

/// When the first look for a receipt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    AtOnce,
    Later,
}

impl Wallet {
    /// Brings the transfer as far as the deadline allows, and answers with where it then stands.
    pub(super) async fn finish(&self, record: TransferRecord, entry: &ChainEntry, clearance: Clearance, lead: Option<&Lead>) -> Outcome {
        let deadline_ms = self.settings.receipt_deadline_ms;
        let record = match self.deliver(record.clone(), entry, deadline_ms, clearance, lead).await {
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
        mut record: TransferRecord,
        entry: &ChainEntry,
        deadline_ms: u64,
        mut clearance: Clearance,
        lead: Option<&Lead>,
    ) -> Result<TransferRecord, StoreError> {
        let deadline = Instant::now() + Duration::from_millis(deadline_ms);
        loop {
            let (signed, was_broadcast) = match &record.state {
                TransferState::Signed(signed) => (signed.clone(), signed.attempts.len() > 1),
                TransferState::Broadcast(signed) => (signed.clone(), true),
                TransferState::HandedOver(handover) => {
                    let handover = *handover;
                    return self.watch(record, handover, entry, deadline).await;
                }
                TransferState::AwaitingReview { .. }
                | TransferState::Granted
                | TransferState::Declined { .. }
                | TransferState::Reserved
                | TransferState::Released
                | TransferState::Confirmed { .. }
                | TransferState::Reverted { .. }
                | TransferState::Failed { .. } => return Ok(record),
            };
            let sending = self.send(&record.transfer.request.agent, signed.last(), was_broadcast, clearance, entry).await;
            clearance = Clearance::ToBeAsked;
            // A refusal is believed only if the chain does not hold the transaction after all.
            let patience_ms = if matches!(sending, Sending::Refused(_)) { 0 } else { self.settings.resend_after_ms };
            let wait_until = deadline.min(Instant::now() + Duration::from_millis(patience_ms));
            let found = if matches!(sending, Sending::Accepted) {
                if let Some(lead) = lead {
                    lead.reached(Step::Broadcast);
                }
                // Written while the block is waited for. What a node has just accepted is in none yet.
                let marked = self.transfers.mark_broadcast(record.transfer.transaction_id);
                let looked = async { Ok(self.await_receipt(&signed, entry, wait_until, Look::Later).await) };
                let ((), found) = tokio::try_join!(marked, looked)?;
                record.state = TransferState::Broadcast(signed.clone());
                found
            } else {
                self.await_receipt(&signed, entry, wait_until, Look::AtOnce).await
            };
            if let Some((tx_hash, receipt)) = found {
                return self.settle_mined(&record.transfer, tx_hash, receipt, entry).await;
            }
            let failure = match sending {
                Sending::Refused(reason) => Some(SignedFailure::Refused { reason }),
                Sending::NonceTaken if self.is_replaced(&record.transfer, &signed, entry).await => Some(SignedFailure::Replaced),
                Sending::Accepted | Sending::NonceTaken | Sending::NotKnown => None,
            };
            if let Some(failure) = failure {
                let id = record.transfer.transaction_id;
                return self.transfers.settle(id, &Settlement::Failed(failure), self.clock.now()).await;
            }
            record = self.bump_if_stuck(record, &signed, entry).await?;
            if Instant::now() >= deadline {
                return Ok(record);
            }
        }
    }

    /// Signs once more with a higher fee when the transfer's own price is what keeps it waiting. The next round sends it.
    async fn bump_if_stuck(&self, record: TransferRecord, signed: &Signed, entry: &ChainEntry) -> Result<TransferRecord, StoreError> {
        let request = &record.transfer.request;
        let last = signed.last();
        let waited = self.clock.now() - last.signed_at.max(self.watching_since);
        let is_due = waited >= TimeDelta::milliseconds(self.settings.stuck_after_ms.into());
        // Those behind it wait for its nonce, whatever they would pay.
        if !is_due || self.is_frozen(&request.agent).await || entry.chain.confirmed_nonce(request.wallet).await != Ok(signed.nonce) {
            return Ok(record);
        }
        let call = call_of(request);
        let Ok(prepared) = entry.chain.prepare(request.wallet, &call).await else { return Ok(record) };
        let Some(gas) = last.gas.bumped(&prepared.gas()) else { return Ok(record) };
        let fee_max_wei = prepared.fee_max_wei(&gas);
        if let Some(problem) = entry.fee_limits.check(fee_max_wei, Default::default()) {
            tracing::warn!(task = %record.transfer.task_id, ?problem, "a transfer is stuck, and a higher fee is above its limit");
            return Ok(record);
        }
        let attempt = match self.attempt(request, call, signed.nonce, gas).await {
            Ok(attempt) => attempt,
            Err(error) => {
                tracing::warn!(task = %record.transfer.task_id, %error, "a stuck transfer could not be signed with a higher fee");
                return Ok(record);
            }
        };
        match self.transfers.record_bump(record.transfer.transaction_id, &attempt, fee_max_wei, &entry.fee_limits).await? {
            Recorded::Recorded => {
                tracing::info!(task = %record.transfer.task_id, tx_hash = %attempt.tx_hash, "a stuck transfer is sent with a higher fee");
                Ok(record.clone().after(TransferEvent::Bump(attempt)).unwrap_or(record))
            }
            Recorded::Frozen(_) | Recorded::Refused(_) | Recorded::Lost => Ok(record),
        }
    }

    /// A switch that cannot be read counts as on.
    async fn is_frozen(&self, agent: &AgentId) -> bool {
        !matches!(self.kill_switch.frozen(agent).await, Ok(None))
    }

    /// Whether the node serves the chain it is configured for. The refusal of a stranger must not end a transfer.
    pub(super) async fn is_own_node(&self, entry: &ChainEntry) -> bool {
        entry.chain.id().await == Ok(entry.id)
    }

    async fn send(&self, agent: &AgentId, attempt: &Attempt, was_broadcast: bool, clearance: Clearance, entry: &ChainEntry) -> Sending {
        let mut may_have_left = was_broadcast;
        for attempt_number in 1..=self.settings.broadcast_attempts_max {
            let is_cleared = attempt_number == 1 && clearance == Clearance::Given;
            if !is_cleared && self.is_frozen(agent).await {
                return Sending::NotKnown;
            }
            match entry.chain.broadcast(&attempt.raw, attempt.tx_hash).await {
                Ok(()) => return Sending::Accepted,
                Err(ChainError::NonceTaken) => return Sending::NonceTaken,
                Err(ChainError::Refused { reason, .. } | ChainError::Reverted { reason }) if !may_have_left => {
                    return Sending::Refused(reason);
                }
                Err(ChainError::Refused { .. } | ChainError::Reverted { .. }) => return Sending::NotKnown,
                Err(ChainError::Unknown { .. }) => may_have_left = true,
                Err(ChainError::Unreachable { .. }) => {}
            }
            if attempt_number < self.settings.broadcast_attempts_max {
                tokio::time::sleep(Duration::from_millis(self.settings.receipt_poll_max_ms)).await;
            }
        }
        Sending::NotKnown
    }

    /// Looks at least once, for every attempt. A node that cannot be reached is no answer, and is asked again.
    async fn await_receipt(&self, signed: &Signed, entry: &ChainEntry, until: Instant, look: Look) -> Option<(B256, Receipt)> {
        let mut wait_ms = self.settings.receipt_poll_first_ms;
        if look == Look::Later {
            tokio::time::sleep_until(until.min(Instant::now() + Duration::from_millis(wait_ms))).await;
        }
        loop {
            for attempt in signed.attempts.iter().rev() {
                if let Ok(Some(receipt)) = entry.chain.receipt(attempt.tx_hash).await {
                    return Some((attempt.tx_hash, receipt));
                }
            }
            let now = Instant::now();
            if now >= until {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(wait_ms).min(until - now)).await;
            wait_ms = wait_ms.saturating_mul(2).min(self.settings.receipt_poll_max_ms);
        }
    }

    pub(super) async fn settle_mined(
        &self,
        transfer: &NewTransfer,
        tx_hash: B256,
        receipt: Receipt,
        entry: &ChainEntry,
    ) -> Result<TransferRecord, StoreError> {
        let Receipt { succeeded, block_number, block_time, fee_wei } = receipt;
        let mined = Mined { tx_hash, block_number, block_time, fee_wei };
        let settlement = if succeeded {
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
        let confirmed_nonce = entry.chain.confirmed_nonce(transfer.request.wallet).await;
        if !confirmed_nonce.is_ok_and(|next| next > signed.nonce) {
            return false;
        }
        let hashes: Vec<B256> = signed.attempts.iter().map(|attempt| attempt.tx_hash).collect();
        if entry.chain.blocks_of(&hashes).await != Ok(vec![None; hashes.len()]) {
            return false;
        }
        for attempt in &signed.attempts {
            if entry.chain.broadcast(&attempt.raw, attempt.tx_hash).await != Err(ChainError::NonceTaken) {
                return false;
            }
        }
        true
    }
}
