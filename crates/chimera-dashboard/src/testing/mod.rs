//! A dashboard over sample data in memory: what the tests draw, and what the example `preview` serves. Only with the feature `testing`.

mod absent;
mod campaigns;
mod fleet;
pub(crate) mod hindsight;
mod lives;
mod plans;
mod queries;
mod reviews;

use crate::{Dashboard, Explorers, Settings, access::Visitor, pages};
use absent::Absent;
use axum::{Extension, Router};
use chimera_core::ports::{clock::Clock, swarm::PlannedTask};
use chimera_core::{
    contracts::{
        UtcTime,
        views::{
            Money,
            agents::{AgentDetail, Stop},
            campaigns::{CalendarRow, CampaignDetail, PostRow, TaskRow},
            memories::MemoryRow,
            money::{LedgerRow, TransferRow},
            people::Role,
            reviews::ReviewDetail,
            stories::{EventRow, TaskStory},
            trends::TrendRow,
        },
    },
    domain::asset::AssetId,
    testing::fake_agents::FakeAgents,
};
use chrono::{DateTime, TimeDelta, Utc};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};
use tokio_util::sync::CancellationToken;

/// The picture that the samples' posts have.
pub const PICTURE: &str = concat!(
    r##"<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900"><rect width="1600" height="900" fill="#123"/>"##,
    r##"<circle cx="1250" cy="250" r="420" fill="#27496d"/><text x="120" y="430" font-size="96" fill="#fff" font-family="sans-serif">Teff prices fall</text>"##,
    r##"<text x="120" y="560" font-size="96" fill="#9fd3ff" font-family="sans-serif">for a third week</text></svg>"##
);

pub fn picture_id() -> AssetId {
    AssetId::of(PICTURE.as_bytes())
}

/// What there is. The preview's own answers change it.
#[derive(Default)]
pub struct Facts {
    pub agents: Vec<AgentDetail>,
    pub stops: Vec<Stop>,
    pub reviews: Vec<ReviewDetail>,
    pub campaigns: Vec<CampaignDetail>,
    pub tasks: Vec<TaskRow>,
    pub plans: Vec<PlannedTask>,
    pub posts: Vec<PostRow>,
    pub calendar: Vec<CalendarRow>,
    pub trends: Vec<TrendRow>,
    pub memories: Vec<MemoryRow>,
    pub ledger: Vec<LedgerRow>,
    pub transfers: Vec<TransferRow>,
    pub stories: Vec<TaskStory>,
    pub events: Vec<EventRow>,
}

impl Facts {
    /// Something happened.
    pub fn happened(&mut self, at: DateTime<Utc>, kind: &str, state: &str, subject: &str, agent_id: Option<&str>) {
        let number = self.events.last().map_or(1, |last| last.number + 1);
        self.events.push(EventRow {
            number,
            at: UtcTime(at),
            kind: kind.to_owned(),
            state: state.to_owned(),
            subject: subject.to_owned(),
            task_id: None,
            campaign_id: None,
            agent_id: agent_id.map(str::to_owned),
        });
    }
}

pub struct Sample {
    facts: Mutex<Facts>,
}

impl Sample {
    /// `agents` of them, and everything else as it would be `now`. What others wrote goes through `words`, so that a test can make it
    /// hostile.
    pub fn new(agents: usize, now: DateTime<Utc>, words: impl Fn(&str) -> String) -> Arc<Self> {
        let mut facts = Facts { agents: fleet::agents(agents, now, &words), ..Facts::default() };
        facts.reviews = reviews::reviews(now, &words);
        campaigns::add(&mut facts, now, &words);
        facts.plans = plans::plan(now, &words);
        for (minutes, kind, state) in
            [(30, "task", "pending"), (24, "task", "in_progress"), (12, "review", "pending"), (3, "post", "dry_run")]
        {
            facts.happened(now - TimeDelta::minutes(minutes), kind, state, "campaign-coffee", Some("selam"));
        }
        Arc::new(Self { facts: Mutex::new(facts) })
    }

    pub fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().expect("nothing panics while it holds the sample")
    }

    pub fn dashboard(self: &Arc<Self>, clock: Arc<dyn Clock>) -> Arc<Dashboard> {
        let absent = Arc::new(Absent);
        Arc::new(Dashboard {
            queries: self.clone(),
            access: absent.clone(),
            held: absent.clone(),
            idempotency: absent.clone(),
            agents: Arc::new(FakeAgents::default()),
            lives: self.clone(),
            play_money: Some(absent.clone()),
            assets: Arc::new(chimera_core::testing::fake_assets::FakeAssets::default()),
            campaigns: absent.clone(),
            calendar: absent.clone(),
            plans: self.clone(),
            events: self.clone(),
            pauses: absent.clone(),
            books: absent.clone(),
            explorers: Explorers::new(BTreeMap::from([("31337".to_owned(), "https://explorer.example/tx/{hash}".to_owned())])),
            grants: absent.clone(),
            kill_switch: absent.clone(),
            ledger: absent.clone(),
            memories: Arc::new(chimera_core::testing::fake_memories::FakeMemories::default()),
            operations: absent.clone(),
            wallets: absent,
            hindsight: hindsight::empty(),
            clock,
            settings: Settings { owner_token: "sample".to_owned(), public_url: None, port: 0 },
            shutdown: CancellationToken::new(),
        })
    }
}

/// The pages alone, as `visitor` sees them: no sign-in, no `/api`.
pub fn pages_as(dashboard: Arc<Dashboard>, name: &str, role: Role) -> Router {
    let visitor = Visitor { name: name.parse().expect("a sample's name is one"), role };
    pages::routes().layer(Extension(visitor)).with_state(dashboard)
}

/// In ETH on the play chain.
fn ether(units: &str) -> Money {
    Money { units: units.to_owned(), asset: "ETH".to_owned(), decimals: 18, chain_id: "31337".to_owned() }
}

fn usdc(units: &str) -> Money {
    Money { units: units.to_owned(), asset: "USDC".to_owned(), decimals: 6, chain_id: "31337".to_owned() }
}
