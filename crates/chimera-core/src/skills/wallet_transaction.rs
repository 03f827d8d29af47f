//! `skill_wallet_transaction`: reads a balance, or sends one transfer under policy and budget, once per task.
//!
//! A transfer runs as a task of its own from the first durable write on, so that a caller who goes away stops it before the signature
//! and never after. `request` reads, `payment` signs, `delivery` brings signed bytes to their end, `answers` words every outcome.

mod answers;
mod cancellation;
mod delivery;
mod handing_over;
mod in_flight;
mod payment;
mod permits;
mod reconciliation;
mod recovery;
mod request;

pub use cancellation::CancelError;
pub use permits::Permits;
pub use reconciliation::{ReconcileError, Reconciled};
pub use recovery::{Recovered, Unsigned};

use super::{Progress, Skill, SkillInfo, WALLET_TRANSACTION};
use crate::{
    contracts::{
        Checker, ErrorCode, SkillFailure, True, UtcTime, UuidV4,
        wallet_transaction::{WalletResult, WalletTransactionInput, WalletTransactionOutput, input_schema},
    },
    domain::{
        AgentId,
        money::{Address, format_units},
    },
    policy::spending::SpendingPolicies,
    ports::{
        agents::Agents, chain_directory::ChainDirectory, clock::Clock, sending_wallet::SendingWallet, signer::Signer, transfers::Transfers,
        wallet_book::WalletBook,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use in_flight::{Entered, InFlight, outcome_of};
use request::{AskedTransfer, Reading};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio_util::task::TaskTracker;

type Outcome = Result<WalletTransactionOutput, SkillFailure>;

pub struct WalletTransaction {
    checker: Checker,
    wallet: Arc<Wallet>,
    in_flight: Arc<InFlight>,
    /// Of agents that were found: an agent keeps its wallet for good, and every call needs to know it.
    addresses: Mutex<HashMap<AgentId, Address>>,
    /// Granted transfers that could not be made, and when they are tried again.
    waits: Mutex<HashMap<UuidV4, recovery::Wait>>,
    tracker: TaskTracker,
}

/// What the skill works with.
pub struct Wallet {
    pub agents: Arc<dyn Agents>,
    pub transfers: Arc<dyn Transfers>,
    pub permits: Permits,
    pub book: Arc<dyn WalletBook>,
    pub signer: Arc<dyn Signer>,
    /// Wallets elsewhere, of agents that do not sign here.
    pub sending: BTreeMap<AgentId, Arc<dyn SendingWallet>>,
    pub chains: ChainDirectory,
    pub policies: SpendingPolicies,
    pub clock: Arc<dyn Clock>,
    /// When this process began to look: what was sent before is given the time to land before its fee is raised.
    pub watching_since: DateTime<Utc>,
    pub settings: TransferSettings,
}

#[derive(Debug, Clone, Copy)]
pub struct TransferSettings {
    /// The first wait between two looks for a receipt; it doubles up to `receipt_poll_max_ms`.
    pub receipt_poll_first_ms: u64,
    pub receipt_poll_max_ms: u64,
    /// After that the caller is told `unknown`, and the background settles.
    pub receipt_deadline_ms: u64,
    /// Of one call, while the node cannot be reached.
    pub broadcast_attempts_max: u32,
    /// How long an unsigned reservation is left alone by other processes.
    pub unsigned_lease_ms: u32,
    /// After that without a receipt the same bytes are sent again.
    pub resend_after_ms: u64,
    /// After that without a receipt the fee is raised.
    pub stuck_after_ms: u32,
    /// After that a person is asked about a payment that a wallet elsewhere should have made.
    pub handover_patience_ms: u32,
}

impl Default for TransferSettings {
    fn default() -> Self {
        Self {
            receipt_poll_first_ms: 25,
            receipt_poll_max_ms: 500,
            receipt_deadline_ms: 60_000,
            broadcast_attempts_max: 3,
            unsigned_lease_ms: 120_000,
            resend_after_ms: 10_000,
            stuck_after_ms: 25_000,
            handover_patience_ms: 600_000,
        }
    }
}

#[async_trait]
impl Skill for WalletTransaction {
    fn info(&self) -> &'static SkillInfo {
        &WALLET_TRANSACTION
    }

    async fn run(&self, input: &Value, progress: &dyn Progress) -> Result<Value, SkillFailure> {
        let output = self.answer(input, progress).await?;
        Ok(serde_json::to_value(output).expect("plain data always serialises"))
    }
}

impl WalletTransaction {
    /// Transfers run on `tracker`: whoever shuts the program down waits for it, so that what is signed is also sent.
    pub fn new(wallet: Wallet, tracker: TaskTracker) -> Self {
        Self {
            checker: Checker::new(input_schema()),
            wallet: Arc::new(wallet),
            in_flight: Arc::default(),
            addresses: Mutex::default(),
            waits: Mutex::default(),
            tracker,
        }
    }

    async fn answer(&self, input: &Value, progress: &dyn Progress) -> Outcome {
        let mut reading = request::read(&self.checker, input);
        // An input that is wrong anyway is worth a look into the store only where that can find more that is wrong.
        let is_worth_a_look = reading.violations.is_empty() || reading.to.is_some();
        let own = match &reading.agent {
            Some(id) if is_worth_a_look => self.address_of(id).await?,
            Some(_) | None => None,
        };
        self.refuse_recipient(&mut reading, own, input);
        if let Some(failure) = reading.failure() {
            return Err(failure);
        }
        let checked = reading.input.as_ref().expect("an input without violations was read");
        let own = own.ok_or_else(|| {
            let id = &checked.agent_id;
            SkillFailure::new(ErrorCode::UnknownAgent, format!("there is no agent {id:?}; `chimera agent list` names those there are"))
        })?;
        if !answers::is_transfer(checked.operation) {
            return self.wallet.balance(checked, own).await;
        }
        let asked = reading.transfer().expect("a transfer without violations has recipient and amount");
        self.transfer(asked, own, progress).await
    }

    /// `None`: there is no such agent.
    async fn address_of(&self, agent: &AgentId) -> Result<Option<Address>, SkillFailure> {
        if let Some(address) = self.addresses().get(agent) {
            return Ok(Some(*address));
        }
        let found = self.wallet.agents.find(agent).await.map_err(|error| answers::store_failed(&error))?;
        Ok(found.map(|found| *self.addresses().entry(found.id).or_insert(found.address)))
    }

    fn addresses(&self) -> MutexGuard<'_, HashMap<AgentId, Address>> {
        // Nothing can panic while it is held, and its content is whole at any moment.
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse_recipient(&self, reading: &mut Reading, own: Option<Address>, input: &Value) {
        let params = &input["params"];
        let chain = match &params["chain_id"] {
            Value::String(text) => request::chain_id(text),
            _ => Some(self.wallet.chains.default_chain()),
        };
        let entry = chain.and_then(|chain| self.wallet.chains.get(chain));
        let asset = entry.and_then(|entry| entry.asset(params["asset"].as_str()?));
        reading.refuse_recipient(own, asset);
    }

    async fn transfer(&self, asked: AskedTransfer, wallet: Address, progress: &dyn Progress) -> Outcome {
        loop {
            let (same_request, steps) = match self.in_flight.enter(&asked) {
                Entered::Lead(lead) => {
                    let steps = lead.subscribe();
                    let (this, asked) = (Arc::clone(&self.wallet), asked.clone());
                    self.tracker.spawn(async move {
                        let outcome = this.make_transfer(&asked, wallet, &lead).await;
                        lead.end(outcome);
                    });
                    return outcome_of(steps, progress).await.unwrap_or_else(|| Err(SkillFailure::internal()));
                }
                Entered::Follow { same_request, steps } => (same_request, steps),
            };
            let outcome = outcome_of(steps, progress).await;
            let was_cancelled = matches!(&outcome, Some(Err(failure)) if failure.code == ErrorCode::Cancelled);
            match outcome {
                Some(outcome) if same_request && !was_cancelled => return outcome,
                // Another request under this task, or one that its caller gave up: judged anew, against what stands now.
                Some(_) | None => {}
            }
        }
    }
}

impl Wallet {
    async fn balance(&self, input: &WalletTransactionInput, owner: Address) -> Outcome {
        let chain = input.params.chain_id.as_deref().and_then(request::chain_id);
        let (entry, asset) = request::resolve(&self.chains, chain, &input.params.asset, input.operation)?;
        let (id, balance) = tokio::join!(entry.chain.id(), entry.chain.balance(owner, asset));
        let id = id.map_err(|error| answers::chain_failed(&error))?;
        if id != entry.id {
            let message = format!("the node configured for chain {} serves chain {id}, so its balances mean nothing here", entry.id);
            return Err(SkillFailure::new(ErrorCode::RpcError, message).with("state", "chain_id_mismatch"));
        }
        let balance = balance.map_err(|error| answers::chain_failed(&error))?;
        Ok(WalletTransactionOutput {
            success: True,
            transaction_id: UuidV4::random(),
            task_id: input.task_id,
            agent_id: input.agent_id.clone(),
            operation: input.operation,
            result: WalletResult {
                balance_wei_or_units: Some(balance.to_string()),
                balance_formatted: Some(format_units(balance, asset.decimals)),
                tx_hash: None,
                block_number: None,
                executed_at: UtcTime(self.clock.now()),
            },
        })
    }
}

#[cfg(test)]
mod tests;
