//! Brings the book of a wallet in line with the chain: reads what was sent that the book does not know, writes it to the ledger and to the
//! budget of its day, and only then lets the wallet go. Whatever cannot be read leaves it held.

use super::{Wallet, WalletTransaction, payment::call_of};
use crate::{
    domain::{
        AgentId,
        money::{Address, Asset, AssetKind, ChainId, U256, checksummed},
        transfer::{ForeignMovement, ForeignTransaction, Reconciliation, Sent, Settlement, SignedFailure, TransferRecord, TransferState},
    },
    ports::{
        StoreError,
        chain::{ChainError, FoundTransaction, Receipt},
        chain_directory::ChainEntry,
        wallet_book::BookStanding,
    },
};
use std::collections::BTreeSet;

/// Transactions that are read in one go; a wallet with more is reconciled in several.
const READ_AT_ONCE_MAX: usize = 200;

#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    #[error("there is no agent {0:?}")]
    UnknownAgent(String),
    #[error("the wallet has transfers on chain {0}, for which no node is configured; add its rpc to the configuration")]
    NoNode(ChainId),
    #[error("chain {chain} could not be read; the wallet stays held: try again, or use a node that keeps old state")]
    Unreadable {
        chain: ChainId,
        #[source]
        source: ChainError,
    },
    #[error("the node configured for chain {expected} serves chain {found}; the wallet stays held")]
    WrongChain { expected: ChainId, found: ChainId },
    #[error("transaction {nonce} of the wallet on chain {chain} is counted, but the node does not show it; the wallet stays held")]
    NotShown { chain: ChainId, nonce: u64 },
    #[error("transaction {nonce} of the wallet on chain {chain} is not final yet; the wallet stays held: try again in a while")]
    NotFinal { chain: ChainId, nonce: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a reconciliation came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reconciled {
    /// What was sent that the book did not know; it does now.
    pub found: Vec<ForeignTransaction>,
    /// Transfers of this book that came to their end with it.
    pub settled: Vec<TransferRecord>,
    pub chains: Vec<ChainId>,
    /// Whether everything was read. If not, what was read is written down, the wallet stays held, and the next call goes on.
    pub is_complete: bool,
}

impl WalletTransaction {
    /// `by` is who has it done, for the ledger.
    pub async fn reconcile(&self, agent: &AgentId, by: &str) -> Result<Reconciled, ReconcileError> {
        let wallet = self.wallet.agents.find(agent).await?.ok_or_else(|| ReconcileError::UnknownAgent(agent.to_string()))?.address;
        let mut reconciled = Reconciled { is_complete: true, ..Reconciled::default() };
        let mut next_nonces = Vec::new();
        // What was sent on a chain that the book does not know, and that is not configured either, is found when it is: the chain is ahead.
        let known = self.wallet.book.chains(wallet).await?;
        if let Some(gone) = known.into_iter().find(|chain| self.wallet.chains.get(*chain).is_none()) {
            return Err(ReconcileError::NoNode(gone));
        }
        for entry in self.wallet.chains.all() {
            let standing = self.wallet.book.standing(wallet, entry.id).await?;
            if !entry.chain.has_node() {
                if standing.consumed_next > 0 || !standing.open.is_empty() {
                    return Err(ReconcileError::NoNode(entry.id));
                }
                continue;
            }
            reconciled.chains.push(entry.id);
            let next = self.wallet.reconcile_chain(entry, wallet, &standing, &mut reconciled).await?;
            next_nonces.push((entry.id, next));
        }
        let written = Reconciliation {
            agent: agent.clone(),
            wallet,
            found: reconciled.found.clone(),
            next_nonces,
            is_complete: reconciled.is_complete,
            by: by.to_owned(),
            at: self.wallet.clock.now(),
        };
        self.wallet.book.reconcile(&written).await?;
        Ok(reconciled)
    }
}

impl Wallet {
    /// Returns the first nonce that was not looked at.
    async fn reconcile_chain(
        &self,
        entry: &ChainEntry,
        wallet: Address,
        standing: &BookStanding,
        reconciled: &mut Reconciled,
    ) -> Result<u64, ReconcileError> {
        let chain = entry.id;
        let unreadable = |source| ReconcileError::Unreadable { chain, source };
        let found = entry.chain.id().await.map_err(unreadable)?;
        if found != chain {
            return Err(ReconcileError::WrongChain { expected: chain, found });
        }
        // In this order: a block that becomes final in between is at most looked at once more.
        let finalized = entry.chain.finalized_block().await.map_err(unreadable)?;
        let used_next = entry.chain.confirmed_nonce(wallet).await.map_err(unreadable)?;
        let open = standing.open.iter().filter_map(|record| Some(record.state.sent()?.nonce())).filter(|nonce| *nonce < used_next);
        let nonces: BTreeSet<u64> = (standing.consumed_next..used_next).chain(open).collect();
        let mut after_block = 0;
        for nonce in nonces {
            if reconciled.found.len() + reconciled.settled.len() >= READ_AT_ONCE_MAX {
                reconciled.is_complete = false;
                return Ok(nonce);
            }
            let transaction = entry.chain.transaction_of(wallet, nonce, after_block).await.map_err(unreadable)?;
            let transaction = transaction.ok_or(ReconcileError::NotShown { chain, nonce })?;
            let receipt = entry.chain.receipt(transaction.tx_hash).await.map_err(unreadable)?;
            let receipt = receipt.filter(|receipt| receipt.block_number <= finalized).ok_or(ReconcileError::NotFinal { chain, nonce })?;
            // Several may share a block.
            after_block = receipt.block_number.saturating_sub(1);
            let ours = standing.open.iter().find(|record| record.state.sent().is_some_and(|sent| sent.nonce() == nonce));
            match ours {
                Some(record) if is_of(record, &transaction) => {
                    let tx_hash = transaction.tx_hash;
                    let cancelled_by = match record.state.sent() {
                        Some(Sent::Signed(signed)) => signed.cancelled_by(tx_hash).map(str::to_owned),
                        Some(Sent::HandedOver(_)) | None => None,
                    };
                    let settled = self.settle_mined(&record.transfer, tx_hash, receipt, cancelled_by.as_deref(), entry).await?;
                    reconciled.settled.push(settled);
                }
                Some(record) if !matches!(record.state, TransferState::HandedOver(_)) => {
                    let replaced = Settlement::Failed(SignedFailure::Replaced);
                    let id = record.transfer.transaction_id;
                    reconciled.settled.push(self.transfers.settle(id, &replaced, self.clock.now()).await?);
                    reconciled.found.push(foreign(entry, wallet, nonce, &transaction, receipt));
                }
                Some(_) | None => reconciled.found.push(foreign(entry, wallet, nonce, &transaction, receipt)),
            }
        }
        Ok(used_next)
    }
}

/// Whether a transaction with a transfer's nonce is that transfer: bytes of this book, or the same payment signed by a copy of it.
fn is_of(record: &TransferRecord, transaction: &FoundTransaction) -> bool {
    let is_known = match record.state.sent() {
        Some(Sent::Signed(signed)) => signed.attempts.iter().any(|attempt| attempt.tx_hash == transaction.tx_hash),
        Some(Sent::HandedOver(_)) | None => false,
    };
    is_known || transaction.call == call_of(&record.transfer.request)
}

fn foreign(entry: &ChainEntry, wallet: Address, nonce: u64, transaction: &FoundTransaction, receipt: Receipt) -> ForeignTransaction {
    let call = &transaction.call;
    let value_wei = if receipt.succeeded { call.value_wei } else { U256::ZERO };
    let native = (!value_wei.is_zero()).then(|| ForeignMovement { asset: entry.native.clone(), to: call.to, units: value_wei });
    let tokens = receipt.token_movements.iter().filter(|movement| movement.from == wallet && !movement.units.is_zero());
    let tokens = tokens.map(|movement| ForeignMovement { asset: token_of(entry, movement.token), to: movement.to, units: movement.units });
    let mut moved: Vec<ForeignMovement> = native.into_iter().chain(tokens).collect();
    if moved.is_empty() {
        moved.push(ForeignMovement { asset: entry.native.clone(), to: call.to, units: U256::ZERO });
    }
    ForeignTransaction {
        chain: entry.id,
        nonce,
        tx_hash: transaction.tx_hash,
        block_number: receipt.block_number,
        block_time: receipt.block_time,
        succeeded: receipt.succeeded,
        fee_wei: receipt.fee_wei,
        native: entry.native.clone(),
        moved,
    }
}

/// One that is not configured is called by its address, and counted in its smallest unit.
fn token_of(entry: &ChainEntry, contract: Address) -> Asset {
    let known = entry.tokens.iter().find(|asset| asset.kind == AssetKind::Token(contract));
    known.cloned().unwrap_or_else(|| Asset::token(&checksummed(&contract), contract, 0))
}
