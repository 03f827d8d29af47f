//! A campaign's life, its budget, and what stops an agent or the fleet.

mod budget;
mod cadence;
mod mix;
mod reach;
mod state;

pub use budget::{Budget, MediaLeft, NotABudget, Used};
pub use cadence::Cadence;
pub use mix::{Mix, NotAMix, POSTS_MIXED};
pub use reach::{NotAReach, Reach};
pub use state::{CampaignEvent, CampaignStatus, OutOfTurn, STAYS};

use super::freeze::FreezeScope;
use chrono::{DateTime, Utc};

/// An operator's stop for one agent or for all: nothing of theirs is claimed or published until it is lifted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub scope: FreezeScope,
    /// In the operator's words.
    pub reason: String,
    pub by: String,
    pub at: DateTime<Utc>,
}
