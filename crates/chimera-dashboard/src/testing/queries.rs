//! The sample's answers to what the pages read. Lists are given whole: no sample is longer than a page.

use super::Sample;
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        views::{
            Page,
            agents::{AgentDetail, Fleet, Stop},
            campaigns::{CalendarRow, CampaignDetail, CampaignRow, PostRow, TaskRow},
            memories::MemoryRow,
            money::{LedgerRow, TransferRow},
            reviews::{ReviewDetail, ReviewRow},
            stories::{EventRow, TaskStory},
            trends::TrendRow,
        },
    },
    domain::AgentId,
    ports::{
        StoreError,
        events::{Event, Events, Standing, Tally},
        queries::{PageOf, PostFilter, Queries, ReviewFilter},
    },
};
use chrono::{DateTime, Utc};

type Stored<T> = Result<T, StoreError>;

fn whole<T>(items: impl Iterator<Item = T>) -> Stored<Page<T>> {
    Ok(Page { items: items.collect(), next: None })
}

fn is_of(agent: Option<&AgentId>, agent_id: &str) -> bool {
    agent.is_none_or(|agent| agent.as_str() == agent_id)
}

#[async_trait]
impl Queries for Sample {
    async fn fleet(&self, _: DateTime<Utc>) -> Stored<Fleet> {
        let facts = self.facts();
        let agents = facts.agents.iter().map(|agent| agent.card.clone()).collect();
        Ok(Fleet { agents, stops: facts.stops.clone(), last_event: facts.events.last().map_or(0, |last| last.number) })
    }
    async fn stops(&self) -> Stored<Vec<Stop>> {
        Ok(self.facts().stops.clone())
    }
    async fn agent(&self, id: &AgentId, _: DateTime<Utc>) -> Stored<Option<AgentDetail>> {
        Ok(self.facts().agents.iter().find(|agent| agent.card.agent_id == id.as_str()).cloned())
    }
    async fn reviews(&self, filter: &ReviewFilter, _: &PageOf) -> Stored<Page<ReviewRow>> {
        let facts = self.facts();
        let rows = facts.reviews.iter().map(|review| &review.row);
        let fits = |row: &&ReviewRow| {
            filter.matches(row.status) && filter.kind.is_none_or(|kind| kind == row.kind) && is_of(filter.agent.as_ref(), &row.agent_id)
        };
        whole(rows.filter(fits).cloned())
    }
    async fn review(&self, review_id: UuidV4) -> Stored<Option<ReviewDetail>> {
        Ok(self.facts().reviews.iter().find(|review| review.row.review_id == review_id).cloned())
    }
    async fn pending_reviews(&self) -> Stored<u64> {
        let pending = ReviewFilter::default();
        Ok(self.facts().reviews.iter().filter(|review| pending.matches(review.row.status)).map(|_| 1).sum())
    }
    async fn campaigns(&self, _: &PageOf) -> Stored<Page<CampaignRow>> {
        whole(self.facts().campaigns.iter().map(|campaign| campaign.row.clone()))
    }
    async fn campaign(&self, campaign_id: &str) -> Stored<Option<CampaignDetail>> {
        Ok(self.facts().campaigns.iter().find(|campaign| campaign.row.campaign_id == campaign_id).cloned())
    }
    async fn tasks(&self, campaign_id: &str, _: &PageOf) -> Stored<Page<TaskRow>> {
        whole(self.facts().tasks.iter().filter(|task| task.campaign_id == campaign_id).cloned())
    }
    async fn posts(&self, filter: &PostFilter, _: &PageOf) -> Stored<Page<PostRow>> {
        let fits = |post: &&PostRow| {
            filter.campaign_id.as_ref().is_none_or(|id| *id == post.campaign_id) && is_of(filter.agent.as_ref(), &post.agent_id)
        };
        whole(self.facts().posts.iter().filter(fits).cloned())
    }
    async fn calendar(&self, campaign_id: Option<&str>, from: DateTime<Utc>, _: &PageOf) -> Stored<Page<CalendarRow>> {
        let fits = |row: &&CalendarRow| row.at.0 >= from && campaign_id.is_none_or(|id| id == row.campaign_id);
        whole(self.facts().calendar.iter().filter(fits).cloned())
    }
    async fn trends(&self, campaign_id: Option<&str>, _: &PageOf) -> Stored<Page<TrendRow>> {
        whole(self.facts().trends.iter().filter(|row| campaign_id.is_none_or(|id| id == row.campaign_id)).cloned())
    }
    async fn memories(&self, _: &AgentId, _: &PageOf) -> Stored<Page<MemoryRow>> {
        whole(self.facts().memories.iter().cloned())
    }
    async fn ledger(&self, agent: Option<&AgentId>, _: &PageOf) -> Stored<Page<LedgerRow>> {
        whole(self.facts().ledger.iter().filter(|row| is_of(agent, &row.agent_id)).cloned())
    }
    async fn transfers(&self, agent: Option<&AgentId>, _: &PageOf) -> Stored<Page<TransferRow>> {
        whole(self.facts().transfers.iter().filter(|row| is_of(agent, &row.agent_id)).cloned())
    }
    async fn story(&self, task_id: UuidV4) -> Stored<Option<TaskStory>> {
        Ok(self.facts().stories.iter().find(|story| story.task_id == task_id).cloned())
    }
    async fn events(&self, after: u64, limit: usize) -> Stored<Vec<EventRow>> {
        Ok(self.facts().events.iter().filter(|event| event.number > after).take(limit).cloned().collect())
    }
}

#[async_trait]
impl Events for Sample {
    async fn events(&self, after: u64, limit: usize) -> Stored<Vec<Event>> {
        let facts = self.facts();
        let rows = facts.events.iter().filter(|event| event.number > after).take(limit);
        Ok(rows.filter_map(super::hindsight::event).collect())
    }
    async fn last(&self) -> Stored<u64> {
        Ok(self.facts().events.last().map_or(0, |last| last.number))
    }
    async fn tally(&self, _: u64) -> Stored<Tally> {
        Err(StoreError::Closed)
    }
    async fn standing(&self) -> Stored<Standing> {
        Err(StoreError::Closed)
    }
}
