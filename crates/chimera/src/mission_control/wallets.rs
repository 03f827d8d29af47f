//! A wallet's book brought in line with its chains, and a way out for a transfer that does not land. The command line and the page ask
//! here, and say the same sentences.

use super::{
    answers::{refusal, unavailable},
    in_sentences,
};
use crate::wiring::{App, Records};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        views::wallets::{CancelledTransfer, FoundTransaction, MovedAmount, ReconciledWallet, SettledTransfer},
    },
    domain::{
        AgentId,
        transfer::{ForeignMovement, ForeignTransaction, TransferRecord, TransferState},
    },
    ports::{agents::Agents, wallet_book::WalletBook},
    skills::wallet_transaction::{CancelError, ReconcileError, Reconciled, WalletTransaction},
};
use chimera_dashboard::{Refusal, RefusalKind, WalletOperations};
use std::sync::Arc;

pub struct Wallets {
    records: Records,
    wallet: Arc<WalletTransaction>,
}

impl Wallets {
    pub fn of(app: &App) -> Self {
        Self { records: app.records.clone(), wallet: app.wallet.clone() }
    }

    /// As the chain's own words for it, with what the book did not know.
    pub async fn reconciled(&self, agent: &AgentId, by: &str) -> Result<(ReconciledWallet, Reconciled), Refusal> {
        let next = || "`chimera agent list` shows all there are".to_owned();
        let found = Agents::find(&self.records.store, agent).await.map_err(unavailable)?;
        found.ok_or_else(|| refusal(RefusalKind::NotFound, format!("there is no agent {agent}"), next()))?;
        let was_held = self.records.store.held(agent).await.map_err(unavailable)?.is_some();
        let reconciled = self.wallet.reconcile(agent, by).await.map_err(not_reconciled)?;
        let shown = ReconciledWallet {
            agent_id: agent.to_string(),
            told: verdict(agent, was_held, &reconciled),
            was_held,
            held: !reconciled.is_complete && was_held,
            found: reconciled.found.iter().map(found_transaction).collect(),
            settled: reconciled.settled.iter().map(settled).collect(),
            chains: reconciled.chains.iter().map(ToString::to_string).collect(),
        };
        Ok((shown, reconciled))
    }

    pub async fn cancelled(&self, task_id: UuidV4, by: &str) -> Result<CancelledTransfer, Refusal> {
        let record = self.wallet.cancel(task_id, by).await.map_err(not_cancelled)?;
        let told = match &record.state {
            TransferState::Reverted { .. } => format!("task {task_id} is cancelled: its nonce is used, and it can land no more"),
            TransferState::Confirmed { .. } => format!("task {task_id} was faster: it is paid"),
            _ => format!("task {task_id} is not in a block yet, and neither is what cancels it; whichever lands counts, and it is watched"),
        };
        Ok(CancelledTransfer { task_id, state: record.state.name().to_owned(), told })
    }
}

#[async_trait]
impl WalletOperations for Wallets {
    async fn reconcile(&self, agent: &AgentId, by: &str) -> Result<ReconciledWallet, Refusal> {
        self.reconciled(agent, by).await.map(|(shown, _)| shown).map_err(in_sentences)
    }

    async fn cancel(&self, task_id: UuidV4, by: &str) -> Result<CancelledTransfer, Refusal> {
        self.cancelled(task_id, by).await.map_err(in_sentences)
    }
}

fn not_reconciled(error: ReconcileError) -> Refusal {
    let (kind, next) = match &error {
        ReconcileError::UnknownAgent(_) => (RefusalKind::NotFound, "`chimera agent list` shows all there are"),
        ReconcileError::NoNode(_) | ReconcileError::WrongChain { .. } => {
            (RefusalKind::Conflict, "mend the chain's `rpc` in the configuration, and start the server again")
        }
        ReconcileError::NotFinal { .. } => (RefusalKind::Conflict, "nothing moves meanwhile; ask again in some minutes"),
        ReconcileError::NotShown { .. } | ReconcileError::Unreadable { .. } | ReconcileError::Store(_) => {
            (RefusalKind::Unavailable, "nothing moves meanwhile; ask again once the chain's node answers")
        }
    };
    refusal(kind, format!("{:#}", anyhow::Error::new(error)), next)
}

fn not_cancelled(error: CancelError) -> Refusal {
    let (kind, next) = match &error {
        CancelError::NotUnderWay(_) => (RefusalKind::NotFound, "only what is signed and not in a block yet can be cancelled"),
        CancelError::Elsewhere(_) => (RefusalKind::Conflict, "ask the wallet that it was handed to"),
        CancelError::Replaced => (RefusalKind::Conflict, "reconcile the wallet, which reads what took its place"),
        CancelError::Refused(_) | CancelError::Store(_) => {
            (RefusalKind::Unavailable, "the transfer stands as it was; look at it, and ask again")
        }
    };
    refusal(kind, format!("{:#}", anyhow::Error::new(error)), next)
}

fn verdict(agent: &AgentId, was_held: bool, reconciled: &Reconciled) -> String {
    let found = match reconciled.found.len() {
        0 if reconciled.chains.is_empty() => "no chain with a node is configured, and the book knows of no transfer".to_owned(),
        0 => "the chain knows nothing of its wallet that the book does not".to_owned(),
        1 => "one transaction that the book did not know is on the ledger and on the budget of its day".to_owned(),
        many => format!("{many} transactions that the book did not know are on the ledger and on the budgets of their days"),
    };
    match (was_held, reconciled.is_complete) {
        (_, false) => format!("{agent} stays held: {found}, and there are more; run this again"),
        (true, true) => format!("{agent} is no longer held: {found}"),
        (false, true) => format!("{agent} was not held: {found}"),
    }
}

fn found_transaction(foreign: &ForeignTransaction) -> FoundTransaction {
    let moved = |moved: &ForeignMovement| MovedAmount {
        asset: moved.asset.symbol.clone(),
        to: moved.to.to_checksum(None),
        amount_units: moved.units.to_string(),
    };
    FoundTransaction {
        tx_hash: foreign.tx_hash.to_string(),
        chain_id: foreign.chain.to_string(),
        nonce: foreign.nonce,
        block_number: foreign.block_number.to_string(),
        day: foreign.day().to_string(),
        succeeded: foreign.succeeded,
        fee_wei: foreign.fee_wei.to_string(),
        moved: foreign.moved.iter().map(moved).collect(),
    }
}

fn settled(record: &TransferRecord) -> SettledTransfer {
    SettledTransfer { task_id: record.transfer.task_id, state: record.state.name().to_owned() }
}
