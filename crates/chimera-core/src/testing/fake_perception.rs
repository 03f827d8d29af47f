//! What was seen, in memory.

use crate::ports::{
    StoreError,
    perception::{NewItem, Perception, StoredItem},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

#[derive(Default)]
pub struct FakePerception(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    items: Vec<StoredItem>,
    /// By agent and cluster.
    alerts: BTreeMap<(String, String), u64>,
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

    async fn last_alert(&self, agent_id: &str, cluster_id: &str) -> Result<Option<u64>, StoreError> {
        Ok(self.seen().alerts.get(&(agent_id.to_owned(), cluster_id.to_owned())).copied())
    }

    async fn record_alert(&self, agent_id: &str, cluster_id: &str, items: u64, _at: DateTime<Utc>) -> Result<(), StoreError> {
        self.seen().alerts.insert((agent_id.to_owned(), cluster_id.to_owned()), items);
        Ok(())
    }
}

impl Seen {
    fn remember(&mut self, item: &NewItem) -> StoredItem {
        let same = |stored: &&StoredItem| stored.item.resource_uri == item.resource_uri && stored.item.content_key == item.content_key;
        if let Some(known) = self.items.iter().find(same) {
            return known.clone();
        }
        let at = item.published_at.filter(|published_at| *published_at <= item.seen_at).unwrap_or(item.seen_at);
        let id = i64::try_from(self.items.len()).expect("tests see few items") + 1;
        let stored = StoredItem { id, item: item.clone(), at, cluster_id: None };
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
}
