//! Memory before and after: what the agent said lately and what it remembers of the goal, or what the caller gave; and then what it says now.

use super::{
    ContentGenerator,
    conversing::{thread, turn},
    gathering::Gathered,
    store_failed,
};
use crate::{
    composer::{Feedback, Memory},
    contracts::{
        SkillFailure, UtcTime, UuidV4,
        content_generator::{ContentGeneratorInput, MemoryContextInput},
        memory_context::{LongTermMemory, MemoryContext, MemoryRole, ShortTermMemory, SoulContext},
    },
    domain::{AgentId, Soul, Untrusted, praise::post_that_did_well},
    perception::injection::instructs,
    policy::crisis,
    ports::{
        StoreError,
        memories::{MemoryRecord, Recollected},
    },
};
use chrono::{DateTime, TimeDelta};

pub(super) struct Recalled {
    pub(super) memory: Memory,
    /// What was said of earlier attempts at this task, and what people taught with like work.
    pub(super) feedback: Feedback,
    pub(super) trace: String,
}

const SHORT_TERM: TimeDelta = TimeDelta::hours(1);
const SHORT_TERM_MEMORIES_MAX: usize = 100;
/// The agent's own texts, however old, that a new one must differ from; more are found by their meaning.
const EARLIER_TEXTS_MAX: usize = 200;
/// Memories of every kind that are looked through for them, the newest: texts, and what people said and liked.
const EARLIER_MEMORIES_MAX: usize = 400;
/// What long-term memory gives for one goal, and how near it must be to count.
const LONG_TERM_MAX: usize = 12;
const LONG_TERM_LIKENESS_MIN: f32 = 0.35;
/// Memories that are embedded in one call; the others wait for the next.
const PLACED_AT_ONCE_MAX: usize = 64;

/// Lessons that are looked through for those of like work, the newest.
const LESSONS_MAX: usize = 64;
const TOLD_CHARS_MAX: usize = 120;

fn shortened(text: &str) -> String {
    text.chars().take(TOLD_CHARS_MAX).collect()
}

/// What was said or done, by the agent or to it. Lessons and praise have places of their own; what tries to instruct, and what somebody said in need, is
/// nothing to write posts by.
fn is_turn(record: &MemoryRecord) -> bool {
    record.lesson.is_none() && praised(record).is_none() && (record.role == MemoryRole::Assistant || may_be_told(record))
}

pub(super) fn may_be_told(heard: &MemoryRecord) -> bool {
    !instructs(&Untrusted::new(heard.content.as_str())) && crisis::help_for(&heard.content).is_none()
}

/// The post that people liked, where that is what is remembered.
fn praised(record: &MemoryRecord) -> Option<&str> {
    post_that_did_well(&record.content).filter(|_| record.role == MemoryRole::User && record.lesson.is_none())
}

impl ContentGenerator {
    pub(super) async fn recall(
        &self,
        agent: &AgentId,
        soul: &Soul,
        input: &ContentGeneratorInput,
        gathered: &Gathered,
    ) -> Result<Recalled, SkillFailure> {
        let mut recalled = match &input.memory_context {
            Some(given) => self.recall_given(agent, soul, given).await?,
            None => self.recall_assembled(agent, soul, input, gathered).await.map_err(|error| store_failed(&error))?,
        };
        recalled.feedback.attempts = input.context.feedback.clone().unwrap_or_default();
        recalled.feedback.brief.clone_from(&input.context.brief);
        Ok(recalled)
    }

    /// Of the same campaign, or near the goal.
    async fn lessons(
        &self,
        agent: &AgentId,
        input: &ContentGeneratorInput,
        found: &[Recollected],
    ) -> Result<Vec<MemoryRecord>, StoreError> {
        let campaign = input.context.campaign_id.as_deref();
        // What was said of this very task comes with it, and counts once.
        let attempts = input.context.feedback.as_deref().unwrap_or_default();
        let is_of_task = |lesson: &MemoryRecord| {
            lesson.lesson.as_ref().is_some_and(|lesson| attempts.iter().any(|attempt| attempt.rejected_text == lesson.written))
        };
        let is_like = |lesson: &MemoryRecord| {
            let is_of_campaign = campaign.is_some() && lesson.campaign.as_deref() == campaign;
            is_of_campaign || found.iter().any(|found| found.memory.id == lesson.id)
        };
        let taught = self.ports.memories.lessons(agent, LESSONS_MAX).await?;
        Ok(taught.into_iter().filter(|lesson| is_like(lesson) && !is_of_task(lesson)).collect())
    }

    /// Short-term memory, what was said before, and what long-term memory has for the goal.
    async fn recall_assembled(
        &self,
        agent: &AgentId,
        soul: &Soul,
        input: &ContentGeneratorInput,
        gathered: &Gathered,
    ) -> Result<Recalled, StoreError> {
        let since = self.ports.clock.now() - SHORT_TERM;
        let memories = &self.ports.memories;
        let lately = memories.since(agent, since, SHORT_TERM_MEMORIES_MAX).await?;
        // The ids of one story's tasks stand together: what the agent said under another of them, it said on another platform, and means to say here.
        let (first, last) = input.task_id.family();
        let is_told_often = input.context.telling.is_some();
        let is_of_story =
            |record: &MemoryRecord| is_told_often && (first.as_str()..=last.as_str()).contains(&record.id.to_string().as_str());
        let is_of_hour = |record: &&MemoryRecord| record.id != input.task_id && is_turn(record) && !is_of_story(record);
        let turns: Vec<ShortTermMemory> = lately.iter().filter(is_of_hour).map(turn).collect();
        // The same call again must not take its own text for somebody's it repeats.
        let is_own = |record: &MemoryRecord| record.role == MemoryRole::Assistant && record.id != input.task_id;
        let all = memories.since(agent, DateTime::UNIX_EPOCH, EARLIER_MEMORIES_MAX).await?;
        let thread = thread(&all, gathered, input);
        let did_well = all.iter().filter_map(|record| praised(record)).map(str::to_owned).collect();
        let mut own: Vec<MemoryRecord> = all.into_iter().filter(is_own).collect();
        let own = own.split_off(own.len().saturating_sub(EARLIER_TEXTS_MAX));
        let (elsewhere, earlier): (Vec<MemoryRecord>, Vec<MemoryRecord>) = own.into_iter().partition(is_of_story);
        let by_others = self.said_for_campaign(agent, input).await?;
        let found = self.recollect(agent, &input.context.goal_description).await?;
        let lessons = self.lessons(agent, input, &found).await?;
        // What people said belongs to their thread.
        let is_long_term = |record: &MemoryRecord| {
            let is_turn = record.role == MemoryRole::Assistant && record.lesson.is_none();
            is_turn && record.at < since && record.id != input.task_id && !is_of_story(record)
        };
        let long_term: Vec<&Recollected> = found.iter().filter(|found| is_long_term(&found.memory)).collect();
        let older = long_term
            .iter()
            .map(|found| &found.memory)
            .filter(|record| is_own(record) && !earlier.iter().any(|known| known.id == record.id));
        let recent_texts = older.map(|record| record.content.clone()).chain(earlier.iter().map(|record| record.content.clone())).collect();
        let mut trace = format!(
            "memory: {} of the last hour, {} earlier texts and {} of others in the campaign not to repeat, {} of long-term memory near the goal",
            turns.len(),
            earlier.len(),
            by_others.len(),
            long_term.len()
        );
        if !thread.is_empty() {
            trace.push_str(&format!("\nthread: {} earlier turns with whoever is answered", thread.len()));
        }
        if !elsewhere.is_empty() {
            trace.push_str(&format!("\nthe same story on other platforms: {} texts to differ from", elsewhere.len()));
        }
        for lesson in &lessons {
            trace.push_str(&format!(
                "\nlesson used: {} of {}, {}",
                lesson.id,
                lesson.at.format("%Y-%m-%d %H:%M"),
                shortened(&lesson.content)
            ));
        }
        let long_term = long_term.into_iter().map(|found| LongTermMemory {
            memory_id: found.memory.id,
            summary: found.memory.content.clone(),
            relevance_score: f64::from(found.likeness).clamp(0.0, 1.0),
        });
        let context = Some(self.context(soul, turns, long_term.collect()));
        let elsewhere = elsewhere.into_iter().map(|record| record.content).collect();
        let feedback =
            Feedback { brief: None, attempts: Vec::new(), lessons: lessons.into_iter().filter_map(|lesson| lesson.lesson).collect() };
        let memory = Memory { recent_texts, elsewhere, by_others, context, did_well, thread, ..Memory::default() };
        Ok(Recalled { memory, feedback, trace })
    }

    /// What the other agents of the task's campaign said for it.
    async fn said_for_campaign(&self, agent: &AgentId, input: &ContentGeneratorInput) -> Result<Vec<String>, StoreError> {
        let Some(campaign) = &input.context.campaign_id else { return Ok(Vec::new()) };
        let said = self.ports.memories.of_campaign(campaign, EARLIER_TEXTS_MAX).await?;
        Ok(said.into_iter().filter(|said| said.agent != *agent).map(|said| said.content).collect())
    }

    async fn recollect(&self, agent: &AgentId, about: &str) -> Result<Vec<Recollected>, StoreError> {
        let (recollection, embedder) = (&self.ports.recollection, &self.ports.embedder);
        let unplaced = recollection.unplaced(agent, embedder.dimensions(), PLACED_AT_ONCE_MAX).await?;
        let contents: Vec<&str> = unplaced.iter().map(|memory| memory.content.as_str()).collect();
        for (memory, vector) in unplaced.iter().zip(embedder.embed(&contents)) {
            recollection.place(agent, memory.id, &vector).await?;
        }
        let asked = embedder.embed(&[about]).pop().unwrap_or_default();
        let mut found = recollection.nearest(agent, &asked, LONG_TERM_MAX).await?;
        found.retain(|found| found.likeness >= LONG_TERM_LIKENESS_MIN);
        Ok(found)
    }

    async fn recall_given(&self, agent: &AgentId, soul: &Soul, given: &MemoryContextInput) -> Result<Recalled, SkillFailure> {
        let recent_texts = self.resolve(agent, given.short_term_refs.as_deref().unwrap_or_default()).await?;
        let long_term = self.resolve(agent, given.long_term_refs.as_deref().unwrap_or_default()).await?;
        let mut trace = format!("memory: as given, {} short-term and {} long-term", recent_texts.len(), long_term.len());
        let persona = given.soul_summary.clone().filter(|summary| !summary.trim().is_empty());
        if persona.is_some() {
            trace.push_str("\npersona: as given besides the SOUL, and beneath its directives; no ground for a claim");
        }
        let now = UtcTime(self.ports.clock.now());
        let said = recent_texts.iter().map(|text| ShortTermMemory { timestamp: now, role: MemoryRole::Assistant, content: text.clone() });
        let context = Some(self.context(soul, said.collect(), Vec::new()));
        Ok(Recalled {
            memory: Memory { recent_texts, notes: long_term, context, persona, ..Memory::default() },
            feedback: Feedback::default(),
            trace,
        })
    }

    fn context(&self, soul: &Soul, short_term: Vec<ShortTermMemory>, long_term: Vec<LongTermMemory>) -> MemoryContext {
        MemoryContext {
            agent_id: soul.id.to_string(),
            soul: SoulContext {
                backstory: soul.backstory.clone(),
                voice_tone: soul.voice_traits.clone(),
                core_beliefs: soul.core_beliefs.clone(),
                directives: soul.directives.clone(),
            },
            short_term,
            long_term,
            assembled_at: UtcTime(self.ports.clock.now()),
        }
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
    pub(super) async fn remember(&self, agent: &AgentId, input: &ContentGeneratorInput, text: &str) -> Result<(), SkillFailure> {
        let memory = MemoryRecord {
            id: input.task_id,
            agent: agent.clone(),
            at: self.ports.clock.now(),
            role: MemoryRole::Assistant,
            content: text.to_owned(),
            campaign: input.context.campaign_id.clone(),
            lesson: None,
        };
        self.ports.memories.remember(&memory).await.map_err(|error| store_failed(&error))?;
        let vector = self.ports.embedder.embed(&[text]).pop().unwrap_or_default();
        self.ports.recollection.place(agent, input.task_id, &vector).await.map_err(|error| store_failed(&error))
    }
}
