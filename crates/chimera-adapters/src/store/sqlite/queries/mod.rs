//! The `Queries` port: what people look at. Each view is one read of a few statements, however many rows there are, and lists are paged by
//! the numbers of their rows.

pub(super) mod agents;
mod books;
pub(super) mod campaigns;
pub(super) mod fleet;
pub(super) mod lists;
pub(super) mod memories;
pub(super) mod money;
mod names;
pub(super) mod reviews;
pub(super) mod stories;
pub(super) mod trends;

pub(super) use names::Names;

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
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
        events::{Event, Events},
        queries::{PageOf, PostFilter, Queries, ReviewFilter},
    },
};
use chrono::{DateTime, Utc};
use std::sync::Arc;

#[async_trait]
impl Queries for SqliteStore {
    async fn fleet(&self, now: DateTime<Utc>) -> Result<Fleet, StoreError> {
        let names = Arc::clone(&self.names);
        self.read(move |db| fleet::fleet(db, &names, now)).await
    }

    async fn stops(&self) -> Result<Vec<Stop>, StoreError> {
        self.read(fleet::stops).await
    }

    async fn agent(&self, id: &AgentId, now: DateTime<Utc>) -> Result<Option<AgentDetail>, StoreError> {
        let (id, names) = (id.clone(), Arc::clone(&self.names));
        self.read(move |db| agents::agent(db, &names, &id, now)).await
    }

    async fn reviews(&self, filter: &ReviewFilter, page: &PageOf) -> Result<Page<ReviewRow>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |db| reviews::list(db, &filter, &page)).await
    }

    async fn review(&self, review_id: UuidV4) -> Result<Option<ReviewDetail>, StoreError> {
        self.read(move |db| reviews::detail(db, review_id)).await
    }

    async fn pending_reviews(&self) -> Result<u64, StoreError> {
        self.read(|db| db.query_row(reviews::PENDING_COUNT, [], |row| count(row, 0)).or_store_error()).await
    }

    async fn campaigns(&self, page: &PageOf) -> Result<Page<CampaignRow>, StoreError> {
        let page = page.clone();
        self.read(move |db| campaigns::list(db, &page)).await
    }

    async fn campaign(&self, campaign_id: &str) -> Result<Option<CampaignDetail>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        self.read(move |db| campaigns::detail(db, &campaign_id)).await
    }

    async fn tasks(&self, campaign_id: &str, page: &PageOf) -> Result<Page<TaskRow>, StoreError> {
        let (campaign_id, page) = (campaign_id.to_owned(), page.clone());
        self.read(move |db| lists::tasks(db, &campaign_id, &page)).await
    }

    async fn posts(&self, filter: &PostFilter, page: &PageOf) -> Result<Page<PostRow>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |db| lists::posts(db, &filter, &page)).await
    }

    async fn calendar(&self, campaign_id: Option<&str>, from: DateTime<Utc>, page: &PageOf) -> Result<Page<CalendarRow>, StoreError> {
        let (campaign_id, page) = (campaign_id.map(str::to_owned), page.clone());
        self.read(move |db| lists::calendar(db, campaign_id.as_deref(), from, &page)).await
    }

    async fn trends(&self, campaign_id: Option<&str>, page: &PageOf) -> Result<Page<TrendRow>, StoreError> {
        let (campaign_id, page) = (campaign_id.map(str::to_owned), page.clone());
        self.read(move |db| trends::list(db, campaign_id.as_deref(), &page)).await
    }

    async fn memories(&self, agent: &AgentId, page: &PageOf) -> Result<Page<MemoryRow>, StoreError> {
        let (agent, page) = (agent.clone(), page.clone());
        self.read(move |db| memories::list(db, &agent, &page)).await
    }

    async fn ledger(&self, agent: Option<&AgentId>, page: &PageOf) -> Result<Page<LedgerRow>, StoreError> {
        let (agent, page) = (agent.cloned(), page.clone());
        self.read(move |db| money::ledger(db, agent.as_ref(), &page)).await
    }

    async fn transfers(&self, agent: Option<&AgentId>, page: &PageOf) -> Result<Page<TransferRow>, StoreError> {
        let (agent, page) = (agent.cloned(), page.clone());
        self.read(move |db| money::transfers(db, agent.as_ref(), &page)).await
    }

    async fn story(&self, task_id: UuidV4) -> Result<Option<TaskStory>, StoreError> {
        self.read(move |db| Ok(stories::record(db, task_id)?.story(task_id))).await
    }

    async fn events(&self, after: u64, limit: usize) -> Result<Vec<EventRow>, StoreError> {
        let events = Events::events(self, after, limit).await?;
        Ok(events.into_iter().map(event_row).collect())
    }
}

fn event_row(event: Event) -> EventRow {
    EventRow {
        number: event.number,
        at: UtcTime(event.at),
        kind: event.kind.name().to_owned(),
        state: event.state,
        subject: event.subject,
        task_id: event.task_id,
        campaign_id: event.campaign_id,
        agent_id: event.agent_id,
    }
}

/// The number that a list of the newest first goes on below.
pub(super) fn below(page: &PageOf) -> Result<i64, StoreError> {
    page.cursor.map_or(Ok(i64::MAX), |cursor| from_count(cursor.number))
}

/// The number that a list of the oldest first goes on above.
fn above(page: &PageOf) -> Result<i64, StoreError> {
    page.cursor.map_or(Ok(0), |cursor| from_count(cursor.number))
}

fn limit(page: &PageOf) -> usize {
    page.limit.clamp(1, PageOf::LIMIT_MAX)
}

/// One row more than a page has, which tells whether another follows.
pub(super) fn one_more(page: &PageOf) -> i64 {
    from_limit(limit(page) + 1)
}

/// Of rows with their numbers, read with `one_more`.
pub(super) fn paged<T>(mut rows: Vec<(u64, T)>, page: &PageOf) -> Page<T> {
    let has_next = rows.len() > limit(page);
    rows.truncate(limit(page));
    let next = rows.last().filter(|_| has_next).map(|(number, _)| number.to_string());
    Page { items: rows.into_iter().map(|(_, item)| item).collect(), next }
}
