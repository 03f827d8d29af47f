//! What the books come to.

use super::StoreError;
use crate::{contracts::views::money::DayResult, domain::AgentId};
use async_trait::async_trait;
use chrono::NaiveDate;

#[async_trait]
pub trait Books: Send + Sync {
    /// From `since` on, the newest day first; of one agent or of all.
    async fn results(&self, agent: Option<&AgentId>, since: NaiveDate) -> Result<Vec<DayResult>, StoreError>;
}
