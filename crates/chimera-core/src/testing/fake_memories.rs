//! Memories in memory.

use crate::{
    contracts::UuidV4,
    domain::AgentId,
    ports::{
        StoreError,
        memories::{Memories, MemoryRecord},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct FakeMemories(Mutex<Vec<MemoryRecord>>);

impl FakeMemories {
    fn memories(&self) -> MutexGuard<'_, Vec<MemoryRecord>> {
        self.0.lock().expect("no test panics while holding the memories")
    }
}

#[async_trait]
impl Memories for FakeMemories {
    async fn remember(&self, memory: &MemoryRecord) -> Result<(), StoreError> {
        let mut memories = self.memories();
        if memories.iter().all(|known| known.id != memory.id) {
            memories.push(memory.clone());
        }
        Ok(())
    }

    async fn since(&self, agent: &AgentId, since: DateTime<Utc>, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let mut found: Vec<_> = self.memories().iter().filter(|memory| memory.agent == *agent && memory.at >= since).cloned().collect();
        // Stable, so that memories of one moment stay in the order in which they came.
        found.sort_by_key(|memory| memory.at);
        Ok(found.split_off(found.len().saturating_sub(limit)))
    }

    async fn find(&self, agent: &AgentId, id: UuidV4) -> Result<Option<MemoryRecord>, StoreError> {
        Ok(self.memories().iter().find(|memory| memory.agent == *agent && memory.id == id).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn fake_memories_hold_to_the_port() {
        suites::memories::all(|| ((), FakeMemories::default())).await;
    }
}
