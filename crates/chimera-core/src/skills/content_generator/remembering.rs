//! Memory before and after: what the agent said in the last hour, or what the caller gave, and then what it says now.

use super::{ContentGenerator, store_failed};
use crate::{
    composer::Memory,
    contracts::{
        SkillFailure, UuidV4,
        content_generator::{ContentGeneratorInput, MemoryContextInput},
        memory_context::MemoryRole,
    },
    domain::AgentId,
    ports::memories::MemoryRecord,
};
use chrono::TimeDelta;

pub(super) struct Recalled {
    pub(super) memory: Memory,
    pub(super) trace: String,
}

const SHORT_TERM: TimeDelta = TimeDelta::hours(1);
const SHORT_TERM_MEMORIES_MAX: usize = 100;

impl ContentGenerator {
    pub(super) async fn recall(&self, agent: &AgentId, input: &ContentGeneratorInput) -> Result<Recalled, SkillFailure> {
        match &input.memory_context {
            Some(given) => self.recall_given(agent, given).await,
            None => self.recall_last_hour(agent, input.task_id).await,
        }
    }

    async fn recall_last_hour(&self, agent: &AgentId, task_id: UuidV4) -> Result<Recalled, SkillFailure> {
        let since = self.ports.clock.now() - SHORT_TERM;
        let records = self.ports.memories.since(agent, since, SHORT_TERM_MEMORIES_MAX).await.map_err(|error| store_failed(&error))?;
        let count = records.len();
        // The same call again must not take its own text for somebody's it repeats.
        let own = records.into_iter().filter(|record| record.role == MemoryRole::Assistant && record.id != task_id);
        let memory = Memory { recent_texts: own.map(|record| record.content).collect(), notes: Vec::new() };
        Ok(Recalled { memory, trace: format!("memory: {count} of the last hour, assembled from SOUL and short-term memory") })
    }

    async fn recall_given(&self, agent: &AgentId, given: &MemoryContextInput) -> Result<Recalled, SkillFailure> {
        let recent_texts = self.resolve(agent, given.short_term_refs.as_deref().unwrap_or_default()).await?;
        let long_term = self.resolve(agent, given.long_term_refs.as_deref().unwrap_or_default()).await?;
        let trace = format!("memory: as given, {} short-term and {} long-term", recent_texts.len(), long_term.len());
        let notes = given.soul_summary.iter().cloned().chain(long_term).collect();
        Ok(Recalled { memory: Memory { recent_texts, notes }, trace })
    }

    /// Each reference is a memory's id, or text where no memory has that id.
    async fn resolve(&self, agent: &AgentId, references: &[String]) -> Result<Vec<String>, SkillFailure> {
        let mut resolved = Vec::with_capacity(references.len());
        for reference in references {
            let found = match reference.parse::<UuidV4>() {
                Ok(id) => self.ports.memories.find(agent, id).await.map_err(|error| store_failed(&error))?,
                Err(_) => None,
            };
            resolved.push(found.map_or_else(|| reference.clone(), |memory| memory.content));
        }
        Ok(resolved)
    }

    /// Under the task's id: a task says one thing, however often it is asked.
    pub(super) async fn remember(&self, agent: &AgentId, task_id: UuidV4, text: &str) -> Result<(), SkillFailure> {
        let memory = MemoryRecord {
            id: task_id,
            agent: agent.clone(),
            at: self.ports.clock.now(),
            role: MemoryRole::Assistant,
            content: text.to_owned(),
        };
        self.ports.memories.remember(&memory).await.map_err(|error| store_failed(&error))
    }
}
