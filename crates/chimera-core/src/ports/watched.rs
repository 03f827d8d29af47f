//! The ports of a transfer with somebody who stands before and after every call, so that a test can end a program exactly there.
//! A release build has none of this.

use super::{
    StoreError,
    chain::{Call, Chain, ChainError, FoundTransaction, Prepared, Receipt, SendPermit},
    signer::{SignedTransaction, Signer, SignerError, UnsignedTransaction},
    transfers::{Answered, Assignment, Judge, Recorded, Reservation, Transfers},
};
use crate::{
    contracts::{SkillFailure, UuidV4, review::ReviewAnswer},
    domain::{
        AgentId,
        money::{Address, Asset, B256, ChainId, U256},
        transfer::{Attempt, FeeLimits, NewTransfer, Settlement, SigningTerms, TransferRecord},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Is told of every call, with its step: `port.method`.
#[async_trait]
pub trait Watcher: Send + Sync {
    async fn before(&self, step: &'static str);
    /// The work is done; its caller does not know yet.
    async fn after(&self, step: &'static str);
}

/// A port whose calls somebody watches.
pub struct Watched<Port: ?Sized> {
    inner: Arc<Port>,
    watcher: Arc<dyn Watcher>,
}

impl<Port: ?Sized> Watched<Port> {
    pub fn new<W: Watcher + 'static>(inner: Arc<Port>, watcher: &Arc<W>) -> Self {
        Self { inner, watcher: Arc::clone(watcher) as Arc<dyn Watcher> }
    }

    async fn around<T>(&self, step: &'static str, work: impl Future<Output = T>) -> T {
        self.watcher.before(step).await;
        let done = work.await;
        self.watcher.after(step).await;
        done
    }
}

/// Every method of a port as a watched step: a new method costs one line.
macro_rules! watched {
    ($steps:ident, $name:literal, $port:ident: $($method:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {
        pub const $steps: &[&str] = &[$(concat!($name, ".", stringify!($method))),*];

        #[async_trait]
        impl $port for Watched<dyn $port> {
            $(async fn $method(&self, $($argument: $kind),*) -> $answer {
                self.around(concat!($name, ".", stringify!($method)), self.inner.$method($($argument),*)).await
            })*
        }
    };
}

watched! { TRANSFERS_STEPS, "transfers", Transfers:
    reserve(transfer: &NewTransfer, judge: Judge) -> Result<Reservation, StoreError>;
    assign(transaction_id: UuidV4, terms: &SigningTerms) -> Result<Assignment, StoreError>;
    hand_over(transaction_id: UuidV4, terms: &SigningTerms, block_number: u64, at: DateTime<Utc>) -> Result<Assignment, StoreError>;
    record_signed(transaction_id: UuidV4, attempt: &Attempt) -> Result<Recorded, StoreError>;
    record_bump(transaction_id: UuidV4, attempt: &Attempt, fee_max_wei: U256, limits: &FeeLimits) -> Result<Recorded, StoreError>;
    mark_broadcast(transaction_id: UuidV4) -> Result<(), StoreError>;
    mark_replaced(transaction_id: UuidV4, by: B256, at: DateTime<Utc>) -> Result<TransferRecord, StoreError>;
    settle(transaction_id: UuidV4, settlement: &Settlement, at: DateTime<Utc>) -> Result<TransferRecord, StoreError>;
    unsettle(transaction_id: UuidV4, at: DateTime<Utc>) -> Result<TransferRecord, StoreError>;
    finalize(transaction_ids: &[UuidV4]) -> Result<(), StoreError>;
    release(transaction_id: UuidV4, why: &SkillFailure, at: DateTime<Utc>) -> Result<bool, StoreError>;
    answer_review(answer: &ReviewAnswer, grant_until: DateTime<Utc>) -> Result<Answered, StoreError>;
    ask_about(transaction_id: UuidV4, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError>;
    find(task_id: UuidV4) -> Result<Option<TransferRecord>, StoreError>;
    open() -> Result<Vec<TransferRecord>, StoreError>;
    granted(now: DateTime<Utc>) -> Result<Vec<TransferRecord>, StoreError>;
    not_final() -> Result<Vec<TransferRecord>, StoreError>;
}

watched! { CHAIN_STEPS, "chain", Chain:
    id() -> Result<ChainId, ChainError>;
    balance(owner: Address, asset: &Asset) -> Result<U256, ChainError>;
    decimals(token: Address) -> Result<u8, ChainError>;
    prepare(from: Address, call: &Call) -> Result<Prepared, ChainError>;
    broadcast(raw: &[u8], tx_hash: B256, permit: Arc<dyn SendPermit>) -> Result<(), ChainError>;
    receipt(tx_hash: B256) -> Result<Option<Receipt>, ChainError>;
    confirmed_nonce(owner: Address) -> Result<u64, ChainError>;
    blocks_of(tx_hashes: &[B256]) -> Result<Vec<Option<u64>>, ChainError>;
    latest_block() -> Result<u64, ChainError>;
    finalized_block() -> Result<u64, ChainError>;
    transaction_of(owner: Address, nonce: u64, after_block: u64) -> Result<Option<FoundTransaction>, ChainError>;
}

watched! { SIGNER_STEPS, "signer", Signer:
    create(agent: &AgentId) -> Result<Address, SignerError>;
    sign(agent: &AgentId, transaction: &UnsignedTransaction) -> Result<SignedTransaction, SignerError>;
}

/// Everything that can be watched.
pub fn steps() -> impl Iterator<Item = &'static str> {
    [TRANSFERS_STEPS, CHAIN_STEPS, SIGNER_STEPS].into_iter().flatten().copied()
}
