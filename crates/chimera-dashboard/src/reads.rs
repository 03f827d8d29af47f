//! What each screen shows: the store's view, with what only the program knows added to it.

use crate::Dashboard;
use chimera_core::{
    contracts::{
        UuidV4,
        review::ReviewStatus,
        views::{
            Money, Page,
            agents::{AgentCard, AgentDetail, BudgetDay, Fleet},
            money::{DayResult, TransferRow},
            reviews::{PaymentQuestion, ReviewDetail, ReviewKind},
        },
    },
    domain::AgentId,
    ports::{StoreError, queries::PageOf},
};
use chrono::Days;
use std::time::Duration;
use tokio::time::timeout;

/// Of profit and loss, where nobody says how many.
pub const DAYS: u32 = 7;
const BALANCE_WITHIN: Duration = Duration::from_secs(2);

impl Dashboard {
    pub async fn fleet(&self) -> Result<Fleet, StoreError> {
        let mut fleet = self.queries.fleet(self.clock.now()).await?;
        for card in &mut fleet.agents {
            self.add_limits(card);
        }
        Ok(fleet)
    }

    pub async fn agent(&self, id: &AgentId) -> Result<Option<AgentDetail>, StoreError> {
        let mut agent = self.queries.agent(id, self.clock.now()).await?;
        if let Some(agent) = &mut agent {
            self.add_limits(&mut agent.card);
        }
        Ok(agent)
    }

    pub async fn review(&self, review_id: UuidV4) -> Result<Option<ReviewDetail>, StoreError> {
        let Some(mut review) = self.queries.review(review_id).await? else { return Ok(None) };
        let Ok(agent) = review.row.agent_id.parse::<AgentId>() else { return Ok(Some(review)) };
        let would_leave = review.row.status == ReviewStatus::Pending && review.row.kind == ReviewKind::Content;
        if would_leave && let Some(artifact) = &review.artifact {
            let reply_to = review.in_reply_to.as_ref().map(|answered| answered.post_id.as_str());
            let (text, media_uri) = (artifact.payload_text.as_deref().unwrap_or_default(), artifact.payload_media_uri.as_deref());
            review.publish = match artifact.platform_target.as_deref() {
                Some(platform) => self.operations.publish_preview(&agent, platform, text, media_uri, reply_to).await,
                None => None,
            };
        }
        if let Some(payment) = &mut review.payment {
            self.add_budget(&agent, payment).await?;
            if review.row.status == ReviewStatus::Pending {
                payment.balance = self.balance_for(&agent, payment).await;
            }
        }
        Ok(Some(review))
    }

    pub async fn transfers(&self, agent: Option<&AgentId>, page: &PageOf) -> Result<Page<TransferRow>, StoreError> {
        let mut found = self.queries.transfers(agent, page).await?;
        for row in &mut found.items {
            row.explorer_url = row.tx_hash.as_deref().and_then(|tx_hash| self.explorers.of(&row.amount.chain_id, tx_hash));
        }
        Ok(found)
    }

    /// Of the last `days`, today with them.
    pub async fn results(&self, agent: Option<&AgentId>, days: u32) -> Result<Vec<DayResult>, StoreError> {
        let today = self.clock.now().date_naive();
        let since = today.checked_sub_days(Days::new(u64::from(days.saturating_sub(1)))).unwrap_or(today);
        self.books.results(agent, since).await
    }

    /// A chain that does not answer soon keeps nobody waiting.
    async fn balance_for(&self, agent: &AgentId, payment: &PaymentQuestion) -> Option<Money> {
        let balances = timeout(BALANCE_WITHIN, self.operations.balances(agent)).await.ok()?;
        balances.into_iter().find(|balance| balance.asset == payment.amount.asset && balance.chain_id == payment.amount.chain_id)
    }

    fn add_limits(&self, card: &mut AgentCard) {
        let Ok(agent) = card.agent_id.parse::<AgentId>() else { return };
        for limit in self.operations.limits(&agent) {
            match card.budgets.iter_mut().find(|budget| is_same(budget, &limit)) {
                Some(budget) => take_limits(budget, limit),
                None => card.budgets.push(limit),
            }
        }
    }

    /// Of today: a grant is used up on the day on which it is carried out.
    async fn add_budget(&self, agent: &AgentId, payment: &mut PaymentQuestion) -> Result<(), StoreError> {
        let today = self.agent(agent).await?.and_then(|agent| {
            let is_of_payment =
                |budget: &BudgetDay| budget.spent.asset == payment.amount.asset && budget.spent.chain_id == payment.amount.chain_id;
            agent.card.budgets.into_iter().find(is_of_payment)
        });
        payment.budget = today.map(|mut budget| {
            if let Some(limit) = self.operations.limits(agent).into_iter().find(|limit| is_same(&budget, limit)) {
                take_limits(&mut budget, limit);
            }
            budget
        });
        Ok(())
    }
}

fn is_same(budget: &BudgetDay, limit: &BudgetDay) -> bool {
    budget.spent.asset == limit.spent.asset && budget.spent.chain_id == limit.spent.chain_id
}

/// The store counts units; the program knows what they are units of.
fn take_limits(budget: &mut BudgetDay, limit: BudgetDay) {
    budget.spent.decimals = limit.spent.decimals;
    budget.limit_units = limit.limit_units;
    budget.ask_above_units = limit.ask_above_units;
}
