//! From signed bytes to their end on chain: the same bytes are sent as often as it takes, and signed anew only with a higher fee, for the
//! same nonce. Nothing is sent while the kill switch is on; watching goes on.

use super::{
    Outcome, Wallet, answers,
    in_flight::{Lead, Step},
    payment::{call_of, cancelling_call},
};
use crate::{
    domain::{
        AgentId,
        money::{AssetKind, B256},
        transfer::{Attempt, Mined, NewTransfer, Settlement, Signed, TransferEvent, TransferRecord, TransferRequest, TransferState},
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

/// What a broadcast, with its attempts, came to. Whatever a node says, it may have the bytes from the first send on: only the chain
/// ends a transfer that is signed.
enum Sending {
    Accepted,
    /// Nobody knows, or nothing left; either way the bytes are sent again later.
    NotKnown,
    /// In the node's words.
    Refused(String),
    NonceTaken,
}

/// When the first look for a receipt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    AtOnce,
    Later,
}

/// Where a transfer stands after it was worked on.
pub(super) struct Delivered {
    pub record: TransferRecord,
    /// Why no node takes the bytes, in the last node's words.
    pub refused: Option<String>,
}

impl Delivered {
    fn as_it_is(record: TransferRecord) -> Self {
        Self { record, refused: None }
    }
}

impl Wallet {
    /// Brings the transfer as far as the deadline allows, and answers with where it then stands.
    pub(super) async fn finish(&self, record: TransferRecord, entry: &ChainEntry, lead: Option<&Lead>) -> Outcome {
        let deadline_ms = self.settings.receipt_deadline_ms;
        let delivered = match self.deliver(record.clone(), entry, deadline_ms, lead).await {
            Ok(delivered) => delivered,
            Err(error) => {
                // Signed and perhaps sent: the caller must hear "unknown", not "failed".
                tracing::error!(error = %error, "a transfer under way could not be written down");
                Delivered::as_it_is(record)
            }
        };
        let record = &delivered.record;
        let balance = match record.state {
            TransferState::Confirmed { .. } => {
                entry.chain.balance(record.transfer.request.wallet, &record.transfer.request.asset).await.ok()
            }
            _ => None,
        };
        answers::outcome(record, balance).map_err(|failure| match &delivered.refused {
            Some(reason) => answers::refused_for_now(failure, reason),
            None => failure,
        })
    }

    /// Sends what is signed, waits for its receipt, settles. Returns the record as it then stands; one that is settled comes back unchanged.
    pub(super) async fn deliver(
        &self,
        mut record: TransferRecord,
        entry: &ChainEntry,
        deadline_ms: u64,
        lead: Option<&Lead>,
    ) -> Result<Delivered, StoreError> {
        let deadline = Instant::now() + Duration::from_millis(deadline_ms);
        loop {
            let signed = match &record.state {
                TransferState::Signed(signed) | TransferState::Broadcast(signed) if signed.replaced_by.is_none() => signed.clone(),
                TransferState::HandedOver(handover) => {
                    let handover = *handover;
                    return Ok(Delivered::as_it_is(self.watch(record, handover, entry, deadline).await?));
                }
                _ => return Ok(Delivered::as_it_is(record)),
            };
            let sending = self.send(&record.transfer.request.agent, signed.last(), entry).await;
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
                let cancelled_by = signed.cancelled_by(tx_hash);
                return Ok(Delivered::as_it_is(self.settle_mined(&record.transfer, tx_hash, receipt, cancelled_by, entry).await?));
            }
            // Another process may have signed it anew, or a person cancelled it there: what is known here may be old.
            record = self.transfers.find(record.transfer.task_id).await?.unwrap_or(record);
            let signed = match &record.state {
                TransferState::Signed(signed) | TransferState::Broadcast(signed) if signed.replaced_by.is_none() => signed.clone(),
                _ => continue,
            };
            if matches!(sending, Sending::NonceTaken)
                && let Some(by) = self.replacement(&record.transfer, &signed, entry).await
            {
                let at = self.clock.now();
                return Ok(Delivered::as_it_is(self.transfers.mark_replaced(record.transfer.transaction_id, by, at).await?));
            }
            record = self.bump_if_stuck(record, &signed, entry).await?;
            if let Sending::Refused(reason) = sending {
                tracing::warn!(task = %record.transfer.task_id, reason, "no node takes a signed transfer; it is tried again");
                return Ok(Delivered { record, refused: Some(reason) });
            }
            if Instant::now() >= deadline {
                return Ok(Delivered::as_it_is(record));
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
        if !is_due || self.permits.is_frozen(&request.agent).await || entry.chain.confirmed_nonce(request.wallet).await != Ok(signed.nonce)
        {
            return Ok(record);
        }
        let call = if last.cancelled_by.is_some() { cancelling_call(request) } else { call_of(request) };
        let Ok(prepared) = entry.chain.prepare(request.wallet, &call).await else { return Ok(record) };
        let Some(gas) = last.gas.bumped(&prepared.gas()) else { return Ok(record) };
        let fee_max_wei = prepared.fee_max_wei(&gas);
        if let Some(problem) = entry.fee_limits.check(fee_max_wei, Default::default()) {
            tracing::warn!(task = %record.transfer.task_id, ?problem, "a transfer is stuck, and a higher fee is above its limit");
            return Ok(record);
        }
        let attempt = match self.attempt(request, call, signed.nonce, gas).await {
            Ok(attempt) => Attempt { cancelled_by: last.cancelled_by.clone(), ..attempt },
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

    /// Whether the node serves the chain it is configured for. What a stranger says of a transfer means nothing.
    pub(super) async fn is_own_node(&self, entry: &ChainEntry) -> bool {
        entry.chain.id().await == Ok(entry.id)
    }

    async fn send(&self, agent: &AgentId, attempt: &Attempt, entry: &ChainEntry) -> Sending {
        for attempt_number in 1..=self.settings.broadcast_attempts_max {
            match entry.chain.broadcast(&attempt.raw, attempt.tx_hash, self.permits.of(agent)).await {
                Ok(()) => return Sending::Accepted,
                Err(ChainError::NonceTaken) => return Sending::NonceTaken,
                Err(ChainError::Refused { reason, .. } | ChainError::Reverted { reason }) => return Sending::Refused(reason),
                Err(ChainError::Unknown { .. } | ChainError::Unreachable { .. }) => {}
            }
            if attempt_number == self.settings.broadcast_attempts_max || self.permits.is_frozen(agent).await {
                break;
            }
            tokio::time::sleep(Duration::from_millis(self.settings.receipt_poll_max_ms)).await;
        }
        Sending::NotKnown
    }

    /// Looks at least once, for every attempt. A node that cannot be reached is no answer, and is asked again.
    async fn await_receipt(&self, signed: &Signed, entry: &ChainEntry, until: Instant, look: Look) -> Option<(B256, Receipt)> {
        let mut wait_ms = self.settings.receipt_poll_first_ms;
        if look == Look::Later && Instant::now() < until {
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
        cancelled_by: Option<&str>,
        entry: &ChainEntry,
    ) -> Result<TransferRecord, StoreError> {
        let has_moved = has_moved(&transfer.request, &receipt);
        let Receipt { succeeded, block_number, block_time, fee_wei, .. } = receipt;
        let mined = Mined { tx_hash, block_number, block_time, fee_wei };
        let settlement = if let Some(by) = cancelled_by {
            Settlement::Reverted { mined, reason: format!("cancelled by {by}; it can land no more") }
        } else if succeeded && has_moved {
            Settlement::Confirmed(mined)
        } else if succeeded {
            let reason = "the token's contract answered without moving anything, as one does that says no without reverting".to_owned();
            Settlement::Reverted { mined, reason }
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

    /// The final transaction of the wallet that has our nonce and that this book did not send, if there is one. A bump of ours is found by
    /// its receipt; and one that is not final may yet make room for ours.
    async fn replacement(&self, transfer: &NewTransfer, signed: &Signed, entry: &ChainEntry) -> Option<B256> {
        let found = entry.chain.transaction_of(transfer.request.wallet, signed.nonce, 0).await.ok()??;
        if signed.attempts.iter().any(|attempt| attempt.tx_hash == found.tx_hash) {
            return None;
        }
        let receipt = entry.chain.receipt(found.tx_hash).await.ok()??;
        let is_final = entry.chain.finalized_block().await.ok()? >= receipt.block_number;
        is_final.then_some(found.tx_hash)
    }
}

/// Whether the asset went where it should. A native transfer that succeeded has moved; of a token only its contract's event tells.
fn has_moved(request: &TransferRequest, receipt: &Receipt) -> bool {
    match request.asset.kind {
        AssetKind::Native => true,
        AssetKind::Token(token) => receipt.token_movements.iter().any(|movement| {
            (movement.token, movement.from, movement.to) == (token, request.wallet, request.to) && !movement.units.is_zero()
        }),
    }
}
