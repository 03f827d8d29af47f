//! Wallets elsewhere, which sign and send by themselves: asked once, after that is written down, and never believed. What they did is
//! read from the chain, by the sender and the nonce that was next when they were asked.

use super::{
    Wallet, answers,
    in_flight::{Lead, Step},
    payment::{assigned_nonce, call_of},
};
use crate::{
    contracts::SkillFailure,
    domain::money::AssetKind,
    domain::transfer::{Handover, NewTransfer, Settlement, SignedFailure, TransferRecord, TransferState},
    ports::{
        StoreError,
        chain_directory::ChainEntry,
        sending_wallet::{SendOrder, SendingWallet, SendingWalletError},
    },
};
use chrono::TimeDelta;
use std::time::Duration;
use tokio::time::Instant;

impl Wallet {
    /// The state that the transfer is in once the wallet was asked. An error: it was not, and the reservation can be released.
    pub(super) async fn hand_over(
        &self,
        transfer: &NewTransfer,
        wallet: &dyn SendingWallet,
        entry: &ChainEntry,
        lead: &Lead,
    ) -> Result<TransferState, SkillFailure> {
        let request = &transfer.request;
        let details = wallet.details().await.map_err(|error| answers::wallet_failed(&error))?;
        if (details.address, details.chain) != (request.wallet, entry.id) {
            return Err(answers::wrong_wallet(request.wallet, details, entry.id));
        }
        if let AssetKind::Token(token) = request.asset.kind {
            // It is told whole units and multiplies by the contract's own decimals: with others than ours it would pay another amount.
            let decimals = entry.chain.decimals(token).await.map_err(|error| answers::chain_failed(&error))?;
            if decimals != request.asset.decimals {
                return Err(answers::wrong_decimals(&request.asset, decimals));
            }
        }
        let (terms, _) = self.terms(request, &call_of(request), entry).await?;
        lead.reached(Step::Simulated);
        let (block_number, confirmed_nonce) = tokio::try_join!(entry.chain.latest_block(), entry.chain.confirmed_nonce(request.wallet))
            .map_err(|error| answers::chain_failed(&error))?;
        // Something that is not ours waits in the pool: its end and ours could not be told apart.
        if terms.next_nonce != confirmed_nonce {
            return Err(answers::busy());
        }
        if lead.nobody_waits() {
            return Err(answers::cancelled());
        }
        let at = self.clock.now();
        let assigned = self
            .transfers
            .hand_over(transfer.transaction_id, &terms, block_number, at)
            .await
            .map_err(|error| answers::store_failed(&error))?;
        let nonce = assigned_nonce(assigned, request, entry)?;
        let order = SendOrder { chain: entry.id, asset: request.asset.clone(), to: request.to, amount_units: request.amount_units };
        match wallet.send(&order).await {
            Err(SendingWalletError::NotAsked { reason }) => {
                let settlement = Settlement::Failed(SignedFailure::Refused { reason });
                let settled = self.transfers.settle(transfer.transaction_id, &settlement, self.clock.now()).await;
                Ok(settled.map_err(|error| answers::store_failed(&error))?.state)
            }
            Err(SendingWalletError::Unclear { reason }) => {
                tracing::warn!(task = %transfer.task_id, reason, "the agent's wallet was asked, and only the chain can tell what it did");
                Ok(TransferState::HandedOver(Handover { nonce, block_number, at }))
            }
            Ok(_) => Ok(TransferState::HandedOver(Handover { nonce, block_number, at })),
        }
    }

    /// Looks for the payment on chain, at least once. One that never shows, or that is another one, is a person's to decide.
    pub(super) async fn watch(
        &self,
        record: TransferRecord,
        handover: Handover,
        entry: &ChainEntry,
        deadline: Instant,
    ) -> Result<TransferRecord, StoreError> {
        let (transfer, request) = (&record.transfer, &record.transfer.request);
        let mut wait_ms = self.settings.receipt_poll_first_ms;
        loop {
            if let Ok(Some(found)) = entry.chain.transaction_of(request.wallet, handover.nonce, handover.block_number).await {
                if found.call != call_of(request) {
                    let reason = format!(
                        "the wallet was asked to make this transfer, but its next transaction, {}, is another one; look whether the payment \
                         was made all the same, and reject this review to free its budget",
                        found.tx_hash
                    );
                    self.transfers.ask_about(transfer.transaction_id, &reason, self.clock.now()).await?;
                    return Ok(record);
                }
                if let Ok(Some(receipt)) = entry.chain.receipt(found.tx_hash).await {
                    return self.settle_mined(transfer, found.tx_hash, receipt, None, entry).await;
                }
            }
            let now = Instant::now();
            if now >= deadline {
                break;
            }
            tokio::time::sleep(Duration::from_millis(wait_ms).min(deadline - now)).await;
            wait_ms = wait_ms.saturating_mul(2).min(self.settings.receipt_poll_max_ms);
        }
        if self.clock.now() - handover.at >= TimeDelta::milliseconds(self.settings.handover_patience_ms.into()) {
            let reason = "the wallet was asked to make this transfer, and nothing shows on the chain; it is not asked again. \
                          Reject this review to free its budget once it is certain that the wallet will not pay any more";
            self.transfers.ask_about(transfer.transaction_id, reason, self.clock.now()).await?;
        }
        Ok(record)
    }
}
