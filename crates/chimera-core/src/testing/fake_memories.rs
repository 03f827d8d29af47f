//! Memories in memory.

use crate::{
    contracts::{UuidV4, memory_context::MemoryRole},
    domain::AgentId,
    perception::vectors::dot,
    ports::{
        StoreError,
        memories::{Memories, MemoryRecord, Recollected, Recollection},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
};

#[derive(Default)]
pub struct FakeMemories(Mutex<Vec<MemoryRecord>>, Mutex<HashMap<UuidV4, Vec<f32>>>);

impl FakeMemories {
    fn memories(&self) -> MutexGuard<'_, Vec<MemoryRecord>> {
        self.0.lock().expect("no test panics while holding the memories")
    }

    fn vectors(&self) -> MutexGuard<'_, HashMap<UuidV4, Vec<f32>>> {
        self.1.lock().expect("no test panics while holding the vectors")
    }

    fn forget_those(&self, is_unwanted: impl Fn(&MemoryRecord) -> bool) -> u64 {
        let mut memories = self.memories();
        let before = memories.len();
        memories.retain(|memory| !is_unwanted(memory));
        (before - memories.len()) as u64
    }
}

/// Ids are the callers': only what the same agent remembers in the same role changes, and never a lesson.
fn is_said_anew(known: &MemoryRecord, memory: &MemoryRecord) -> bool {
    known.lesson.is_none() && (&known.agent, known.role) == (&memory.agent, memory.role) && known.content != memory.content
}

#[async_trait]
impl Memories for FakeMemories {
    async fn remember(&self, memory: &MemoryRecord) -> Result<(), StoreError> {
        let mut memories = self.memories();
        match memories.iter_mut().find(|known| known.id == memory.id) {
            Some(known) if is_said_anew(known, memory) => {
                *known = memory.clone();
                self.vectors().remove(&memory.id);
            }
            Some(_) => {}
            None => memories.push(memory.clone()),
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

    async fn of_campaign(&self, campaign: &str, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let is_said_for = |memory: &&MemoryRecord| memory.role == MemoryRole::Assistant && memory.campaign.as_deref() == Some(campaign);
        let mut found: Vec<_> = self.memories().iter().filter(is_said_for).cloned().collect();
        Ok(found.split_off(found.len().saturating_sub(limit)))
    }

    async fn lessons(&self, agent: &AgentId, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let is_lesson = |memory: &&MemoryRecord| memory.agent == *agent && memory.lesson.is_some();
        let mut found: Vec<_> = self.memories().iter().filter(is_lesson).cloned().collect();
        Ok(found.split_off(found.len().saturating_sub(limit)))
    }

    async fn count(&self, agent: &AgentId) -> Result<u64, StoreError> {
        Ok(self.memories().iter().filter(|memory| memory.agent == *agent).count() as u64)
    }

    async fn forget(&self, agent: &AgentId, id: UuidV4) -> Result<bool, StoreError> {
        Ok(self.forget_those(|memory| memory.agent == *agent && memory.id == id) > 0)
    }

    async fn forget_before(&self, agent: &AgentId, before: DateTime<Utc>) -> Result<u64, StoreError> {
        Ok(self.forget_those(|memory| memory.agent == *agent && memory.at < before))
    }
}

#[async_trait]
impl Recollection for FakeMemories {
    async fn unplaced(&self, agent: &AgentId, dimensions: usize, limit: usize) -> Result<Vec<MemoryRecord>, StoreError> {
        let vectors = self.vectors();
        let is_unplaced =
            |memory: &&MemoryRecord| memory.agent == *agent && vectors.get(&memory.id).is_none_or(|vector| vector.len() != dimensions);
        Ok(self.memories().iter().filter(is_unplaced).take(limit).cloned().collect())
    }

    async fn place(&self, agent: &AgentId, id: UuidV4, vector: &[f32]) -> Result<(), StoreError> {
        if self.find(agent, id).await?.is_some() {
            self.vectors().insert(id, vector.to_vec());
        }
        Ok(())
    }

    async fn nearest(&self, agent: &AgentId, vector: &[f32], limit: usize) -> Result<Vec<Recollected>, StoreError> {
        let vectors = self.vectors();
        let memories = self.memories();
        let own = memories.iter().rev().filter(|memory| memory.agent == *agent);
        let placed = own.filter_map(|memory| Some((memory, vectors.get(&memory.id).filter(|known| known.len() == vector.len())?)));
        let mut found: Vec<Recollected> =
            placed.map(|(memory, known)| Recollected { memory: memory.clone(), likeness: dot(known, vector) }).collect();
        found.sort_by(|one, other| other.likeness.total_cmp(&one.likeness));
        found.truncate(limit);
        Ok(found)
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
