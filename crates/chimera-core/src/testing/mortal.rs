//! Programs that die before or after any call to the outside, to show what a restart finds.

use crate::{
    contracts::{SkillFailure, UuidV4},
    domain::{
        AgentId,
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{NewTransfer, Settlement, SigningTerms, TransferRecord},
    },
    ports::{
        StoreError,
        chain::{Call, Chain, ChainError, Prepared, Receipt},
        signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
        transfers::{Assignment, Judge, Reservation, Transfers},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

/// Dies at the given point: whoever asks from then on is never answered, as by a process that is no more.
pub struct Death {
    points_left: AtomicUsize,
    has_died: Notify,
}

impl Death {
    pub fn after(points: usize) -> Arc<Self> {
        Arc::new(Self { points_left: AtomicUsize::new(points), has_died: Notify::new() })
    }

    pub async fn has_come(&self) {
        self.has_died.notified().await;
    }

    async fn point(&self) {
        let before = self.points_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if before.is_err() {
            self.has_died.notify_one();
            std::future::pending::<()>().await;
        }
    }

    async fn around<T>(&self, work: impl Future<Output = T>) -> T {
        self.point().await;
        let done = work.await;
        self.point().await;
        done
    }
}

/// A port as seen by a program that will die.
pub struct Mortal<Port: ?Sized> {
    inner: Arc<Port>,
    death: Arc<Death>,
}

impl<Port: ?Sized> Mortal<Port> {
    pub fn new(inner: Arc<Port>, death: &Arc<Death>) -> Self {
        Self { inner, death: Arc::clone(death) }
    }
}

#[async_trait]
impl Transfers for Mortal<dyn Transfers> {
    async fn reserve(&self, transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError> {
        self.death.around(self.inner.reserve(transfer, judge)).await
    }
    async fn assign(&self, transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError> {
        self.death.around(self.inner.assign(transaction_id, terms)).await
    }
    async fn record_signed(&self, transaction_id: UuidV4, signed: &SignedTransaction) -> Result<bool, StoreError> {
        self.death.around(self.inner.record_signed(transaction_id, signed)).await
    }
    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError> {
        self.death.around(self.inner.mark_broadcast(transaction_id)).await
    }
    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        self.death.around(self.inner.settle(transaction_id, settlement, at)).await
    }
    async fn release(&self, transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError> {
        self.death.around(self.inner.release(transaction_id, why, at)).await
    }
    async fn find(&self, task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError> {
        self.death.around(self.inner.find(task_id)).await
    }
    async fn open(&self) -> Result<Vec<TransferRecord>, StoreError> {
        self.death.around(self.inner.open()).await
    }
}

#[async_trait]
impl Chain for Mortal<dyn Chain> {
    async fn id(&self) -> Result<ChainId, ChainError> {
        self.death.around(self.inner.id()).await
    }
    async fn balance(&self, owner: Address, asset: &Asset) -> Result<U256, ChainError> {
        self.death.around(self.inner.balance(owner, asset)).await
    }
    async fn prepare(&self, from: Address, call: &Call) -> Result<Prepared, ChainError> {
        self.death.around(self.inner.prepare(from, call)).await
    }
    async fn broadcast(&self, raw: &[u8], tx_hash: B256) -> Result<(), ChainError> {
        self.death.around(self.inner.broadcast(raw, tx_hash)).await
    }
    async fn receipt(&self, tx_hash: B256) -> Result<Option<Receipt>, ChainError> {
        self.death.around(self.inner.receipt(tx_hash)).await
    }
    async fn confirmed_nonce(&self, owner: Address) -> Result<u64, ChainError> {
        self.death.around(self.inner.confirmed_nonce(owner)).await
    }
}

#[async_trait]
impl Signer for Mortal<dyn Signer> {
    async fn create(&self, agent: &AgentId) -> Result<Address, SignerError> {
        self.inner.create(agent).await
    }
    async fn sign(&self, agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        self.death.around(self.inner.sign(agent, transaction)).await
    }
}
