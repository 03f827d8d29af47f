//! The skill on a fake chain, signer and store, called as the world calls it: JSON in, JSON out.

mod crashes;
mod governance;
mod handing_over;
mod input;
mod once;
mod refusals;
mod transfers;

use super::*;
use crate::{
    contracts::{
        failure,
        review::{ReviewAction, ReviewAnswer},
    },
    domain::{
        AgentId,
        money::{Address, Asset, ChainId, U256},
        transfer::FeeLimits,
    },
    policy::spending::{FirstSeenRecipient, SpendingLimit, SpendingPolicy},
    ports::{
        StoreError,
        agents::{AgentRecord, CreateAgentError},
        chain::Chain,
        chain_directory::ChainEntry,
        transfers::Answered,
    },
    skills::NoProgress,
    testing::{fake_chain::FakeChain, fake_clock::ManualClock, fake_signer::FakeSigner, fake_transfers::FakeTransfers},
};
use chrono::TimeDelta;
use serde_json::json;
use std::collections::BTreeSet;

const NOW: &str = "2026-11-15T23:00:00Z";
const BLOCK_TIME: &str = "2026-11-15T23:00:01Z";
const BASE: ChainId = ChainId(8453);
const RECIPIENT: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const FUNDS: u64 = 1_000_000_000;

fn selam() -> AgentId {
    "selam".parse().unwrap()
}

fn wallet_address() -> Address {
    FakeSigner::address_of(&selam())
}

fn eth() -> Asset {
    Asset::native("ETH")
}

fn usdc() -> Asset {
    Asset::token("USDC", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".parse().unwrap(), 6)
}

/// The outside world of one test; programs come and go on it.
struct World {
    chain: Arc<FakeChain>,
    transfers: Arc<FakeTransfers>,
    signer: Arc<FakeSigner>,
    clock: Arc<ManualClock>,
    policy: Option<SpendingPolicy>,
    fee_limits: FeeLimits,
    settings: TransferSettings,
    sending: BTreeMap<AgentId, Arc<dyn SendingWallet>>,
}

/// 1,000 USDC units a transfer and 2,000 a day, as for ETH; first-seen recipients allowed, no velocity limit to speak of.
fn world() -> World {
    let chain = FakeChain::new(BASE, BLOCK_TIME);
    chain.fund(wallet_address(), &eth(), U256::from(FUNDS));
    chain.fund(wallet_address(), &usdc(), U256::from(FUNDS));
    let limit = |asset: &str| SpendingLimit {
        chain: BASE,
        asset: asset.to_owned(),
        per_transaction_units: U256::from(1_000),
        per_day_units: U256::from(2_000),
        ask_above_units: None,
    };
    World {
        chain: Arc::new(chain),
        transfers: Arc::default(),
        signer: Arc::default(),
        clock: Arc::new(ManualClock::at(NOW)),
        policy: Some(SpendingPolicy {
            first_seen_recipient: FirstSeenRecipient::Allow,
            allow: BTreeSet::new(),
            deny: BTreeSet::new(),
            transfers_per_hour_max: 1_000,
            limits: vec![limit("ETH"), limit("USDC")],
        }),
        fee_limits: FeeLimits { per_transaction_max_wei: U256::from(1_000_000), per_day_max_wei: U256::from(100_000_000) },
        settings: TransferSettings {
            receipt_poll_first_ms: 0,
            receipt_poll_max_ms: 0,
            receipt_deadline_ms: 0,
            broadcast_attempts_max: 2,
            unsigned_lease_ms: 60_000,
            resend_after_ms: 0,
            stuck_after_ms: 30_000,
            handover_patience_ms: 600_000,
        },
        sending: BTreeMap::new(),
    }
}

impl World {
    fn program(&self) -> WalletTransaction {
        self.program_with(self.transfers.clone(), self.chain.clone(), self.signer.clone())
    }

    fn program_with(&self, transfers: Arc<dyn Transfers>, chain: Arc<dyn Chain>, signer: Arc<dyn Signer>) -> WalletTransaction {
        let entry =
            ChainEntry { id: BASE, name: "base".to_owned(), native: eth(), tokens: vec![usdc()], fee_limits: self.fee_limits, chain };
        let wallet = Wallet {
            agents: Arc::new(OneAgent),
            transfers,
            permits: Permits::new(self.transfers.clone()),
            book: self.transfers.clone(),
            signer,
            sending: self.sending.clone(),
            chains: ChainDirectory::new(BASE, vec![entry]),
            policies: SpendingPolicies { common: self.policy.clone(), ..SpendingPolicies::default() },
            clock: self.clock.clone(),
            watching_since: self.clock.now(),
            settings: self.settings,
        };
        WalletTransaction::new(wallet, TaskTracker::new())
    }

    fn policy_mut(&mut self) -> &mut SpendingPolicy {
        self.policy.as_mut().unwrap()
    }

    /// What the chain moved to the recipient, in all.
    fn paid(&self) -> Vec<u64> {
        self.chain.payments().iter().map(|payment| payment.amount_units.to::<u64>()).collect()
    }

    fn ledger_states(&self) -> Vec<String> {
        self.transfers.ledger().iter().map(|entry| entry.facts["state"].as_str().unwrap().to_owned()).collect()
    }
}

async fn call(program: &WalletTransaction, input: &Value) -> Value {
    match program.run(input, &NoProgress).await {
        Ok(body) => body,
        Err(error) => failure::answer(WALLET_TRANSACTION.answer_id, true, input, error),
    }
}

fn task(number: u8) -> String {
    format!("00000000-0000-4000-8000-0000000000{number:02x}")
}

fn usdc_transfer(number: u8, amount: u64) -> Value {
    transfer(number, "token_transfer", "USDC", amount)
}

fn eth_transfer(number: u8, amount: u64) -> Value {
    transfer(number, "native_transfer", "ETH", amount)
}

fn transfer(number: u8, operation: &str, asset: &str, amount: u64) -> Value {
    json!({
        "task_id": task(number),
        "agent_id": "selam",
        "operation": operation,
        "params": { "asset": asset, "to_address": RECIPIENT, "amount_wei_or_units": amount.to_string() },
    })
}

fn with(mut input: Value, path: &str, value: Value) -> Value {
    let (parent, name) = path.rsplit_once('/').unwrap();
    input.pointer_mut(parent).unwrap()[name] = value;
    input
}

#[track_caller]
fn assert_error(answer: &Value, code: &str) {
    assert_eq!(answer["error_code"], code, "{answer:#}");
    assert_eq!(answer["success"], false);
    assert!(answer["details"].is_object());
    assert!(answer["transaction_id"].as_str().unwrap().parse::<UuidV4>().is_ok());
}

/// The only agent there is.
struct OneAgent;

#[async_trait]
impl Agents for OneAgent {
    async fn create(&self, agent: &AgentRecord) -> Result<(), CreateAgentError> {
        Err(CreateAgentError::Exists(agent.id.clone()))
    }

    async fn find(&self, id: &AgentId) -> Result<Option<AgentRecord>, StoreError> {
        let record = AgentRecord {
            id: selam(),
            soul_source: String::new(),
            soul_version: String::new(),
            address: wallet_address(),
            created_at: NOW.parse().expect("a valid time"),
        };
        Ok((*id == record.id).then_some(record))
    }

    async fn list(&self) -> Result<Vec<AgentRecord>, StoreError> {
        Ok(self.find(&selam()).await?.into_iter().collect())
    }
}

/// What a person says of a review.
async fn answer(world: &World, review_id: &Value, action: ReviewAction) -> Answered {
    answer_with(world, review_id, action, None).await
}

async fn answer_with(world: &World, review_id: &Value, action: ReviewAction, typed: Option<&str>) -> Answered {
    let now = world.clock.now();
    let answer = ReviewAnswer {
        review_id: review_id.as_str().unwrap().parse().unwrap(),
        action,
        reason: Some("checked".to_owned()),
        edited_artifact: None,
        give_up: false,
        confirmed_address: typed.map(str::to_owned),
        found: None,
        reviewer_id: "hanna".to_owned(),
        reviewed_at: UtcTime(now),
    };
    world.transfers.answer_review(&answer, now + TimeDelta::hours(24)).await.unwrap()
}
