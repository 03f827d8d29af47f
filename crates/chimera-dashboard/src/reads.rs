//! What each screen shows: the store's view, with what only the program knows added to it.

use crate::Dashboard;
use chimera_core::{
    contracts::{
        UuidV4,
        views::{
            agents::{AgentDetail, Fleet},
            reviews::ReviewDetail,
        },
    },
    domain::AgentId,
    ports::StoreError,
};

impl Dashboard {
    pub async fn fleet(&self) -> Result<Fleet, StoreError> {
        self.queries.fleet(self.clock.now()).await
    }

    pub async fn agent(&self, id: &AgentId) -> Result<Option<AgentDetail>, StoreError> {
        self.queries.agent(id, self.clock.now()).await
    }

    pub async fn review(&self, review_id: UuidV4) -> Result<Option<ReviewDetail>, StoreError> {
        self.queries.review(review_id).await
    }
}
