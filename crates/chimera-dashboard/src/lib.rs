//! Mission control: the pages that operators and reviewers work in all day, and the HTTP API beneath them. Each screen is one view of
//! `chimera_core::contracts::views`, which `/api` gives as JSON and the page draws. Reads go through the `Queries` port; every change goes
//! through `/api`. Depends on the core alone: what only the program can do, it is given as [`Operations`].

pub mod access;
mod api;
mod explorers;
mod hindsight;
pub mod holding;
mod live;
mod operations;
mod pages;
mod planned;
mod problem;
mod reads;
#[cfg(test)]
mod stage;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod wallets;

pub use explorers::{Explorers, HASH};
pub use hindsight::Hindsight;
pub use operations::{Operations, PlayMoney, Refusal, RefusalKind};
pub use problem::Problem;
pub use wallets::WalletOperations;

use axum::Router;
use chimera_core::ports::{
    access::Access,
    agent_lives::AgentLives,
    agents::Agents,
    assets::Assets,
    books::Books,
    clock::Clock,
    events::Events,
    grants::Grants,
    held_answers::{HeldAnswers, IdempotencyKeys},
    kill_switch::KillSwitch,
    ledger::Ledger,
    memories::Memories,
    queries::Queries,
    swarm::{Calendar, Campaigns, Pauses, Plans},
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What mission control is made of.
pub struct Dashboard {
    pub queries: Arc<dyn Queries>,
    pub access: Arc<dyn Access>,
    pub held: Arc<dyn HeldAnswers>,
    pub idempotency: Arc<dyn IdempotencyKeys>,
    pub agents: Arc<dyn Agents>,
    pub lives: Arc<dyn AgentLives>,
    /// `None` where no chain is the embedded one.
    pub play_money: Option<Arc<dyn PlayMoney>>,
    pub assets: Arc<dyn Assets>,
    pub campaigns: Arc<dyn Campaigns>,
    pub calendar: Arc<dyn Calendar>,
    pub plans: Arc<dyn Plans>,
    pub events: Arc<dyn Events>,
    pub pauses: Arc<dyn Pauses>,
    pub books: Arc<dyn Books>,
    pub explorers: Explorers,
    pub grants: Arc<dyn Grants>,
    pub kill_switch: Arc<dyn KillSwitch>,
    pub ledger: Arc<dyn Ledger>,
    pub memories: Arc<dyn Memories>,
    pub operations: Arc<dyn Operations>,
    pub wallets: Arc<dyn WalletOperations>,
    pub hindsight: Hindsight,
    pub clock: Arc<dyn Clock>,
    pub settings: Settings,
    /// Streams end with it.
    pub shutdown: CancellationToken,
}

#[derive(Debug, Clone)]
pub struct Settings {
    /// The owner's key: who shows it is the owner, without being on record.
    pub owner_token: String,
    /// As people reach the server, where it is not by the address it listens on; `https` here makes cookies secure ones.
    pub public_url: Option<url::Url>,
    /// The port that it listens on, which names its cookies.
    pub port: u16,
}

/// Everything at `/`, `/api` and `/login`.
pub fn router(dashboard: Arc<Dashboard>) -> Router {
    access::guard(api::routes().merge(pages::routes()), &dashboard).with_state(dashboard)
}
