//! Programs that die before or after any call to the outside, to show what a restart finds.

use crate::{
    contracts::{SkillFailure, UuidV4, review::ReviewAnswer},
    domain::{
        AgentId,
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{Attempt, FeeLimits, NewTransfer, Settlement, SigningTerms, TransferRecord},
    },
    ports::{
        StoreError,
        chain::{Call, Chain, ChainError, FoundTransaction, Prepared, Receipt},
        signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
        transfers::{Answered, Assignment, Judge, Recorded, Reservation, Transfers},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::{Notify, Semaphore};

/// Dies at the given point: whoever asks from then on is never answered, as by a process that is no more.
pub struct Death {
    points_left: AtomicUsize,
    has_come: Notify,
    /// Lets those through who wait; nobody, for a real death.
    may_go_on: Semaphore,
}

impl Death {
    pub fn after(points: usize) -> Arc<Self> {
        Arc::new(Self { points_left: AtomicUsize::new(points), has_come: Notify::new(), may_go_on: Semaphore::new(0) })
    }

    pub async fn has_come(&self) {
        self.has_come.notified().await;
    }

    /// It was only a pause: everybody goes on.
    pub fn undo(&self) {
        self.may_go_on.add_permits(Semaphore::MAX_PERMITS);
    }

    async fn point(&self) {
        let before = self.points_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if before.is_err() {
            self.has_come.notify_one();
            let _permit = self.may_go_on.acquire().await;
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
    async fn hand_over(
        &self,
        transaction_id: UuidV4,
        terms: &SigningTerms,
        block_number: u64,
        at: DateTime<Utc>,
    ) -> Result<Assignment, StoreError> {
        self.death.around(self.inner.hand_over(transaction_id, terms, block_number, at)).await
    }
    async fn record_signed(&self, transaction_id: UuidV4, attempt: &Attempt) -> Result<Recorded, StoreError> {
        self.death.around(self.inner.record_signed(transaction_id, attempt)).await
    }
    async fn record_bump(
        &self,
        transaction_id: UuidV4,
        attempt: &Attempt,
        fee_max_wei: U256,
        limits: &FeeLimits,
    ) -> Result<Recorded, StoreError> {
        self.death.around(self.inner.record_bump(transaction_id, attempt, fee_max_wei, limits)).await
    }
    async fn mark_broadcast(&self, transaction_id: UuidV4) -> Result<(), StoreError> {
        self.death.around(self.inner.mark_broadcast(transaction_id)).await
    }
    async fn settle(&self, transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        self.death.around(self.inner.settle(transaction_id, settlement, at)).await
    }
    async fn unsettle(&self, transaction_id: UuidV4, at: DateTime<Utc>) -> Result<TransferRecord, StoreError> {
        self.death.around(self.inner.unsettle(transaction_id, at)).await
    }
    async fn finalize(&self, transaction_ids: &[UuidV4]) -> Result<(), StoreError> {
        self.death.around(self.inner.finalize(transaction_ids)).await
    }
    async fn answer_review(&self, answer: &ReviewAnswer, grant_until: DateTime<Utc>) -> Result<Answered, StoreError> {
        self.death.around(self.inner.answer_review(answer, grant_until)).await
    }
    async fn ask_about(&self, transaction_id: UuidV4, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.death.around(self.inner.ask_about(transaction_id, reason, at)).await
    }
    async fn granted(&self, now: DateTime<Utc>) -> Result<Vec<TransferRecord>, StoreError> {
        self.death.around(self.inner.granted(now)).await
    }
    async fn not_final(&self) -> Result<Vec<TransferRecord>, StoreError> {
        self.death.around(self.inner.not_final()).await
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
    async fn block_of(&self, tx_hash: B256) -> Result<Option<u64>, ChainError> {
        self.death.around(self.inner.block_of(tx_hash)).await
    }
    async fn latest_block(&self) -> Result<u64, ChainError> {
        self.death.around(self.inner.latest_block()).await
    }
    async fn finalized_block(&self) -> Result<u64, ChainError> {
        self.death.around(self.inner.finalized_block()).await
    }
    async fn transaction_of(&self, owner: Address, nonce: u64, after_block: u64) -> Result<Option<FoundTransaction>, ChainError> {
        self.death.around(self.inner.transaction_of(owner, nonce, after_block)).await
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
