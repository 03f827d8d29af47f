//! What was seen, in memory.

use crate::ports::{
    StoreError,
    perception::{JoinedStories, NewItem, Perception, StoredItem},
    readings::{KeptReading, Reading, Readings},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard},
};

#[derive(Default)]
pub struct FakePerception(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    items: Vec<StoredItem>,
    /// Of every item there ever was, by its id.
    last_seen: BTreeMap<i64, DateTime<Utc>>,
    /// By agent and cluster.
    alerts: BTreeMap<(String, String), (u64, DateTime<Utc>)>,
    /// By resource.
    readings: BTreeMap<String, Reading>,
}

impl FakePerception {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().expect("no test panics while holding what was seen")
    }
}

#[async_trait]
impl Perception for FakePerception {
    async fn remember(&self, items: &[NewItem]) -> Result<Vec<StoredItem>, StoreError> {
        let mut seen = self.seen();
        Ok(items.iter().map(|item| seen.remember(item)).collect())
    }

    async fn window(&self, resource_uris: &[String], since: DateTime<Utc>, limit: usize) -> Result<Vec<StoredItem>, StoreError> {
        let seen = self.seen();
        let wanted = |stored: &&StoredItem| resource_uris.contains(&stored.item.resource_uri) && stored.at >= since;
        let mut items: Vec<StoredItem> = seen.items.iter().filter(wanted).cloned().collect();
        items.sort_by_key(|stored| (stored.at, stored.id));
        items.drain(..items.len().saturating_sub(limit));
        Ok(items)
    }

    async fn assign(&self, assignments: &[(i64, String)]) -> Result<(), StoreError> {
        let mut seen = self.seen();
        for (id, cluster_id) in assignments {
            for stored in seen.items.iter_mut().filter(|stored| stored.id == *id) {
                stored.cluster_id = Some(cluster_id.clone());
            }
        }
        Ok(())
    }

    async fn keep_vectors(&self, vectors: &[(i64, Vec<u8>)]) -> Result<(), StoreError> {
        let mut seen = self.seen();
        for (id, vector) in vectors {
            for stored in seen.items.iter_mut().filter(|stored| stored.id == *id) {
                stored.vector = Some(vector.clone());
            }
        }
        Ok(())
    }

    async fn last_alerts(&self, agent_id: &str, cluster_ids: &[String]) -> Result<BTreeMap<String, u64>, StoreError> {
        let seen = self.seen();
        let items = |id: &String| seen.alerts.get(&(agent_id.to_owned(), id.clone())).map(|(items, _)| *items);
        Ok(cluster_ids.iter().filter_map(|id| Some((id.clone(), items(id)?))).collect())
    }

    async fn join_stories(&self, joins: &[JoinedStories]) -> Result<(), StoreError> {
        let mut seen = self.seen();
        for join in joins {
            let agents: Vec<String> =
                seen.alerts.keys().filter(|(_, id)| *id == join.kept || *id == join.gone).map(|(agent, _)| agent.clone()).collect();
            for agent in agents.into_iter().collect::<BTreeSet<_>>() {
                let told = |id: &str| seen.alerts.get(&(agent.clone(), id.to_owned())).copied();
                let (kept, gone) = (told(&join.kept), told(&join.gone));
                let items = kept.map_or(join.kept_items, |(items, _)| items) + gone.map_or(join.gone_items, |(items, _)| items);
                let at = kept.into_iter().chain(gone).map(|(_, at)| at).max().expect("one of the two was told");
                seen.alerts.insert((agent, join.kept.clone()), (items, at));
            }
        }
        Ok(())
    }

    async fn record_alert(&self, agent_id: &str, cluster_id: &str, items: u64, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.seen().alerts.insert((agent_id.to_owned(), cluster_id.to_owned()), (items, at));
        Ok(())
    }

    async fn forget(&self, before: DateTime<Utc>, limit: usize) -> Result<usize, StoreError> {
        let mut seen = self.seen();
        seen.alerts.retain(|_, (_, at)| *at >= before);
        let mut unseen: Vec<(DateTime<Utc>, i64)> =
            seen.items.iter().map(|stored| (seen.last_seen[&stored.id], stored.id)).filter(|(at, _)| *at < before).collect();
        unseen.sort_unstable();
        unseen.truncate(limit);
        seen.items.retain(|stored| unseen.iter().all(|(_, id)| *id != stored.id));
        Ok(unseen.len())
    }
}

#[async_trait]
impl Readings for FakePerception {
    async fn keep(&self, readings: &[Reading]) -> Result<(), StoreError> {
        let kept = readings.iter().map(|reading| (reading.resource_uri.clone(), reading.clone()));
        self.seen().readings.extend(kept);
        Ok(())
    }

    async fn last(&self, resource_uri: &str, since: DateTime<Utc>) -> Result<Option<KeptReading>, StoreError> {
        let seen = self.seen();
        let Some(reading) = seen.readings.get(resource_uri).filter(|reading| reading.read_at >= since) else { return Ok(None) };
        let stored = |id: i64| seen.items.iter().find(|stored| stored.id == id);
        let items = reading.items.iter().map(|read| stored(read.id).map(|stored| NewItem { flagged: read.flagged, ..stored.item.clone() }));
        Ok(items.collect::<Option<_>>().map(|items| KeptReading { read_at: reading.read_at, items }))
    }
}

impl Seen {
    fn remember(&mut self, item: &NewItem) -> StoredItem {
        let same = |stored: &&StoredItem| stored.item.resource_uri == item.resource_uri && stored.item.content_key == item.content_key;
        if let Some(known) = self.items.iter().find(same).cloned() {
            self.last_seen.insert(known.id, item.seen_at);
            return known;
        }
        let at = item.published_at.filter(|published_at| *published_at <= item.seen_at).unwrap_or(item.seen_at);
        let id = i64::try_from(self.last_seen.len()).expect("tests see few items") + 1;
        self.last_seen.insert(id, item.seen_at);
        let stored = StoredItem { id, item: item.clone(), at, cluster_id: None, vector: None };
        self.items.push(stored.clone());
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn fake_perception_holds_to_the_port() {
        suites::perception::all(|| ((), FakePerception::default())).await;
    }

    #[tokio::test]
    async fn fake_readings_hold_to_the_port() {
        suites::readings::all(|| ((), FakePerception::default())).await;
    }
}
