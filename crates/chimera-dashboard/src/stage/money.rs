//! Plans and money on the stage.

use super::World;
use crate::{LedgerFiles, LedgerForm, Refusal, WalletOperations};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        task::AgentTask,
        views::{
            money::DayResult,
            wallets::{CancelledTransfer, ReconciledWallet},
        },
    },
    domain::AgentId,
    ports::{
        StoreError,
        books::Books,
        grants::{Grants, NotRevoked, Revocation, Revoked},
        ledger::{Ledger, LedgerEntry, LedgerVerdict},
        swarm::{PlannedTask, Plans, ShapeError, Shaping},
    },
};
use chrono::{DateTime, NaiveDate, Utc};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};

#[async_trait]
impl Plans for World {
    async fn record(&self, _: &str, _: &[AgentTask]) -> Result<(), StoreError> {
        Ok(())
    }
    async fn add(&self, _: &AgentTask, _: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        self.note("task");
        Ok(())
    }
    async fn shape(&self, _: &str, task_id: UuidV4, shaping: &Shaping, _: DateTime<Utc>) -> Result<PlannedTask, ShapeError> {
        self.note(format!("{shaping:?}"));
        Err(ShapeError::NoSuchTask(task_id))
    }
    async fn plan(&self, _: &str) -> Result<Vec<PlannedTask>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Books for World {
    async fn results(&self, _: Option<&AgentId>, _: NaiveDate) -> Result<Vec<DayResult>, StoreError> {
        Ok(Vec::new())
    }
}

impl LedgerFiles for World {
    fn parts(&self, _: LedgerForm) -> BoxStream<'static, Result<String, StoreError>> {
        stream::empty().boxed()
    }
}

#[async_trait]
impl Grants for World {
    async fn revoke(&self, revocation: &Revocation) -> Result<Revoked, StoreError> {
        self.note(revocation.told());
        Ok(Revoked::NotDone(NotRevoked::Used("signed")))
    }
}

#[async_trait]
impl Ledger for World {
    async fn list(&self, _: Option<&AgentId>, _: usize) -> Result<Vec<LedgerEntry>, StoreError> {
        Ok(Vec::new())
    }
    async fn page(&self, _: Option<&AgentId>, _: u64, _: usize) -> Result<Vec<LedgerEntry>, StoreError> {
        Ok(Vec::new())
    }
    async fn verify(&self) -> Result<LedgerVerdict, StoreError> {
        Ok(LedgerVerdict::sound(3))
    }
}

#[async_trait]
impl WalletOperations for World {
    async fn reconcile(&self, agent: &AgentId, by: &str) -> Result<ReconciledWallet, Refusal> {
        self.note(format!("reconcile {agent} by {by}"));
        Ok(ReconciledWallet {
            agent_id: agent.to_string(),
            told: "it was not held".to_owned(),
            was_held: false,
            held: false,
            found: Vec::new(),
            settled: Vec::new(),
            chains: Vec::new(),
        })
    }
    async fn cancel(&self, task_id: UuidV4, by: &str) -> Result<CancelledTransfer, Refusal> {
        self.note(format!("cancel {task_id} by {by}"));
        Ok(CancelledTransfer { task_id, state: "broadcast".to_owned(), told: "it is watched".to_owned() })
    }
}
