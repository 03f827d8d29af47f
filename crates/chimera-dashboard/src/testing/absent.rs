//! What the pages do not ask: whoever does is told that it is not there.

use crate::{
    WalletOperations,
    operations::{Operations, Refusal, RefusalKind},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        campaign::CampaignGoal,
        review::ReviewAnswer,
        trend_alert::TrendAlert,
        views::{
            Money,
            agents::BudgetDay,
            money::DayResult,
            people::{PersonRow, Role},
            reviews::PublishPreview,
            wallets::{CancelledTransfer, ReconciledWallet},
        },
    },
    domain::{
        AgentId,
        campaign::{CampaignEvent, Pause, Used},
        freeze::{Freeze, FreezeScope},
    },
    ports::{
        StoreError,
        access::{Access, AddPersonError, Device, Digest, NewPerson, Person, Removed, SignedIn},
        books::Books,
        grants::{Grants, Revocation, Revoked},
        held_answers::{HeldAnswers, Holding, IdempotencyKey, IdempotencyKeys, Repeated, TakenBack},
        kill_switch::KillSwitch,
        ledger::{Ledger, LedgerEntry, LedgerVerdict},
        swarm::{Calendar, CalendarEntry, CampaignState, Campaigns, ChangeError, EntryStatus, Pauses},
    },
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde_json::Value;

pub(super) struct Absent;

type Stored<T> = Result<T, StoreError>;

#[async_trait]
impl Access for Absent {
    async fn add_person(&self, _: &NewPerson) -> Result<(), AddPersonError> {
        Err(StoreError::Closed.into())
    }
    async fn remove_person(&self, _: &str) -> Stored<Removed> {
        Err(StoreError::Closed)
    }
    async fn replace_key(&self, _: &str, _: Role, _: &Digest) -> Stored<bool> {
        Err(StoreError::Closed)
    }
    /// Two, for the page that lists them.
    async fn people(&self, now: DateTime<Utc>) -> Stored<Vec<PersonRow>> {
        Ok(super::fleet::people(now))
    }
    async fn person_with_key(&self, _: &Digest) -> Stored<Option<Person>> {
        Err(StoreError::Closed)
    }
    async fn add_link(&self, _: &str, _: &Digest, _: DateTime<Utc>) -> Stored<bool> {
        Err(StoreError::Closed)
    }
    async fn use_link(&self, _: &Digest, _: DateTime<Utc>) -> Stored<Option<Person>> {
        Err(StoreError::Closed)
    }
    async fn sign_in(&self, _: &Device) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn seen(&self, _: &Digest, _: DateTime<Utc>, _: TimeDelta) -> Stored<Option<SignedIn>> {
        Err(StoreError::Closed)
    }
    async fn sign_out(&self, _: &Digest) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn sign_out_everywhere(&self, _: &str) -> Stored<u64> {
        Err(StoreError::Closed)
    }
}

#[async_trait]
impl HeldAnswers for Absent {
    async fn hold(&self, _: &ReviewAnswer, _: DateTime<Utc>) -> Stored<Holding> {
        Err(StoreError::Closed)
    }
    async fn take_back(&self, _: UuidV4, _: &str, _: DateTime<Utc>) -> Stored<TakenBack> {
        Err(StoreError::Closed)
    }
    async fn due(&self, _: DateTime<Utc>, _: usize) -> Stored<Vec<ReviewAnswer>> {
        Err(StoreError::Closed)
    }
    async fn done(&self, _: UuidV4, _: Option<&str>) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn next_due(&self) -> Stored<Option<DateTime<Utc>>> {
        Err(StoreError::Closed)
    }
    async fn failure(&self, _: UuidV4) -> Stored<Option<String>> {
        Ok(None)
    }
}

#[async_trait]
impl IdempotencyKeys for Absent {
    async fn begin(&self, _: &IdempotencyKey, _: DateTime<Utc>) -> Stored<Repeated> {
        Err(StoreError::Closed)
    }
    async fn finish(&self, _: &IdempotencyKey, _: u16, _: &str) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn give_up(&self, _: &IdempotencyKey) -> Stored<()> {
        Err(StoreError::Closed)
    }
}

#[async_trait]
impl Campaigns for Absent {
    async fn create(&self, _: &CampaignGoal, _: &[String]) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn find(&self, _: &str) -> Stored<Option<CampaignState>> {
        Err(StoreError::Closed)
    }
    async fn list(&self) -> Stored<Vec<CampaignState>> {
        Err(StoreError::Closed)
    }
    async fn change(&self, _: &str, _: &CampaignEvent, _: DateTime<Utc>) -> Result<CampaignState, ChangeError> {
        Err(StoreError::Closed.into())
    }
    async fn take_due(&self, _: DateTime<Utc>, _: DateTime<Utc>, _: usize) -> Stored<Vec<CampaignState>> {
        Err(StoreError::Closed)
    }
    async fn used(&self, _: &str) -> Stored<Used> {
        Err(StoreError::Closed)
    }
    async fn record_alert(&self, _: &TrendAlert) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn alerts(&self, _: &str, _: usize) -> Stored<Vec<TrendAlert>> {
        Err(StoreError::Closed)
    }
}

#[async_trait]
impl Calendar for Absent {
    async fn add(&self, _: &CalendarEntry) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn due(&self, _: DateTime<Utc>, _: DateTime<Utc>, _: usize) -> Stored<Vec<CalendarEntry>> {
        Err(StoreError::Closed)
    }
    async fn settle(&self, _: &CalendarEntry, _: &EntryStatus) -> Stored<EntryStatus> {
        Err(StoreError::Closed)
    }
    async fn of_campaign(&self, _: &str) -> Stored<Vec<(CalendarEntry, EntryStatus)>> {
        Err(StoreError::Closed)
    }
}

#[async_trait]
impl Pauses for Absent {
    async fn pause(&self, _: &Pause) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn resume(&self, _: &FreezeScope) -> Stored<bool> {
        Err(StoreError::Closed)
    }
    async fn pauses(&self) -> Stored<Vec<Pause>> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl KillSwitch for Absent {
    async fn freeze(&self, _: &Freeze) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn unfreeze(&self, _: &FreezeScope, _: &str, _: DateTime<Utc>) -> Stored<bool> {
        Err(StoreError::Closed)
    }
    async fn hold(&self, _: &AgentId, _: &str, _: DateTime<Utc>) -> Stored<()> {
        Err(StoreError::Closed)
    }
    async fn frozen(&self, _: &AgentId) -> Stored<Option<Freeze>> {
        Ok(None)
    }
}

#[async_trait]
impl Books for Absent {
    /// One that lost something and one that gained, for the page that shows them.
    async fn results(&self, _: Option<&AgentId>, since: NaiveDate) -> Stored<Vec<DayResult>> {
        let result = |agent: &str, came_in: &str, paid: &str, result: &str| DayResult {
            day: since.to_string(),
            agent_id: agent.to_owned(),
            chain_id: "31337".to_owned(),
            asset: "ETH".to_owned(),
            decimals: 18,
            in_units: came_in.to_owned(),
            paid_units: paid.to_owned(),
            fees_units: "0".to_owned(),
            result_units: result.to_owned(),
        };
        Ok(vec![result("selam", "0", "20000000000000000", "-20000000000000000"), result("tariku", "5", "0", "5")])
    }
}

#[async_trait]
impl Grants for Absent {
    async fn revoke(&self, _: &Revocation) -> Stored<Revoked> {
        Err(StoreError::Closed)
    }
}

#[async_trait]
impl Ledger for Absent {
    async fn list(&self, _: Option<&AgentId>, _: usize) -> Stored<Vec<LedgerEntry>> {
        Err(StoreError::Closed)
    }
    async fn page(&self, _: Option<&AgentId>, _: u64, _: usize) -> Stored<Vec<LedgerEntry>> {
        Err(StoreError::Closed)
    }
    async fn verify(&self) -> Stored<LedgerVerdict> {
        Ok(LedgerVerdict::sound(3))
    }
}

#[async_trait]
impl Operations for Absent {
    async fn check_answer(&self, _: &ReviewAnswer) -> Result<(), Refusal> {
        Err(refused())
    }
    async fn carry_out(&self, _: &ReviewAnswer) -> Result<String, Refusal> {
        Err(refused())
    }
    async fn create_agent(&self, _: &str) -> Result<String, Refusal> {
        Err(refused())
    }
    async fn plan(&self, _: &str) -> Result<Value, Refusal> {
        Err(refused())
    }
    fn limits(&self, _: &AgentId) -> Vec<BudgetDay> {
        Vec::new()
    }
    async fn balances(&self, _: &AgentId) -> Vec<Money> {
        vec![super::ether("1250000000000000000"), super::usdc("84500000")]
    }
    async fn publish_preview(&self, _: &AgentId, _: &str, _: &str, _: Option<&str>, _: Option<&str>) -> Option<PublishPreview> {
        None
    }
}

#[async_trait]
impl WalletOperations for Absent {
    async fn reconcile(&self, _: &AgentId, _: &str) -> Result<ReconciledWallet, Refusal> {
        Err(refused())
    }
    async fn cancel(&self, _: UuidV4, _: &str) -> Result<CancelledTransfer, Refusal> {
        Err(refused())
    }
}

pub(super) fn refused() -> Refusal {
    Refusal {
        kind: RefusalKind::Unavailable,
        problem: "the sample has no program behind it".to_owned(),
        next: "Run `chimera serve`.".to_owned(),
    }
}
