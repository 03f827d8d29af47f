//! A conversation with one person is one thread: what they said to the agent and what it answered, found by who they are.

use super::{ContentGenerator, gathering::Gathered, read_platform, remembering::may_be_told, store_failed};
use crate::{
    contracts::{
        SkillFailure, UtcTime, UuidV4,
        content_generator::ContentGeneratorInput,
        memory_context::{MemoryRole, ShortTermMemory},
    },
    domain::{
        AgentId,
        heard::{heard, is_said_by, speaker},
    },
    ports::memories::MemoryRecord,
};

/// Turns of one person's thread that are told, the newest.
const THREAD_MAX: usize = 12;

impl Gathered {
    /// Who is answered, where the platform says who it is.
    fn speaker(&self, input: &ContentGeneratorInput) -> Option<String> {
        let platform = read_platform(input.acceptance_criteria.platform.as_deref()).ok()?;
        self.comment.as_ref()?.author.as_ref().map(|author| speaker(author, platform))
    }
}

/// The id of what was said to the agent, and answered by this task.
fn heard_id(task_id: UuidV4) -> UuidV4 {
    UuidV4::named(&["heard", &task_id.to_string()])
}

/// What the one who is answered said earlier, each with the agent's answer, out of what it remembers, oldest first.
pub(super) fn thread(known: &[MemoryRecord], gathered: &Gathered, input: &ContentGeneratorInput) -> Vec<ShortTermMemory> {
    let Some(speaker) = gathered.speaker(input) else { return Vec::new() };
    let is_theirs = |record: &&MemoryRecord| {
        record.role == MemoryRole::User
            && record.id != heard_id(input.task_id)
            && is_said_by(&record.content, &speaker)
            && may_be_told(record)
    };
    let mut turns: Vec<ShortTermMemory> = Vec::new();
    for theirs in known.iter().filter(is_theirs) {
        let answer = known.iter().find(|record| record.role == MemoryRole::Assistant && heard_id(record.id) == theirs.id);
        turns.extend([Some(theirs), answer].into_iter().flatten().map(turn));
    }
    turns.split_off(turns.len().saturating_sub(THREAD_MAX))
}

pub(super) fn turn(record: &MemoryRecord) -> ShortTermMemory {
    ShortTermMemory { timestamp: UtcTime(record.at), role: record.role, content: record.content.clone() }
}

impl ContentGenerator {
    /// What the agent answers is remembered with it, as theirs and as data.
    pub(super) async fn remember_heard(
        &self,
        agent: &AgentId,
        input: &ContentGeneratorInput,
        gathered: &Gathered,
    ) -> Result<(), SkillFailure> {
        let (Some(speaker), Some(comment)) = (gathered.speaker(input), &gathered.comment) else { return Ok(()) };
        let memory = MemoryRecord {
            id: heard_id(input.task_id),
            agent: agent.clone(),
            at: self.ports.clock.now(),
            role: MemoryRole::User,
            content: heard(&speaker, comment.text.as_data()),
            campaign: input.context.campaign_id.clone(),
            lesson: None,
        };
        self.ports.memories.remember(&memory).await.map_err(|error| store_failed(&error))
    }
}
