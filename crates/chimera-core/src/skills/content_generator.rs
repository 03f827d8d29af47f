//! `skill_content_generator`: finds the agent and its memory, reads what the task requires, and has a model or the composer write.
//! It decides the order of things; how a text is made is in `composer`.

mod conversing;
mod gathering;
mod media;
mod remembering;
mod writing;

pub use writing::Writers;

use super::{CONTENT_GENERATOR, Progress, Skill, SkillInfo};
use crate::{
    composer::{Assignment, Brief, Composed},
    contracts::{
        Checker, ErrorCode, SkillFailure, True, UtcTime, UuidV4,
        content_generator::{Artifact, ContentGeneratorInput, ContentGeneratorOutput, ContentTaskType, NAME, input_schema},
    },
    domain::{AgentId, Platform, Soul, soul::SoulProblem},
    perception::background::Background,
    policy::{
        content::Directive,
        finished::{FinishedText, NotFinished},
        sensitive,
    },
    ports::{
        StoreError,
        agents::Agents,
        assets::Assets,
        clock::Clock,
        embedder::Embedder,
        feed_parser::FeedParser,
        media::MediaMaker,
        memories::{Memories, Recollection},
        perception::Perception,
        readings::Readings,
        resources::Resources,
    },
};
use async_trait::async_trait;
use gathering::Gathered;
use media::Written;
use remembering::Recalled;
use serde_json::Value;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use writing::Writer;

/// What the skill needs from outside.
pub struct ContentGeneratorPorts {
    pub agents: Arc<dyn Agents>,
    pub memories: Arc<dyn Memories>,
    pub recollection: Arc<dyn Recollection>,
    pub resources: Arc<dyn Resources>,
    pub feeds: Arc<dyn FeedParser>,
    pub perception: Arc<dyn Perception>,
    pub readings: Arc<dyn Readings>,
    pub embedder: Arc<dyn Embedder>,
    pub writers: Writers,
    pub media: Arc<dyn MediaMaker>,
    pub assets: Arc<dyn Assets>,
    pub clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, Copy)]
pub struct ContentGeneratorSettings {
    /// Of each resource by itself: they are read at the same time.
    pub read_within: Duration,
    /// A resource that was read so lately, for this task or by perception, is not read again.
    pub known_for: Duration,
}

impl Default for ContentGeneratorSettings {
    fn default() -> Self {
        Self { read_within: Duration::from_secs(10), known_for: Duration::from_secs(15 * 60) }
    }
}

pub struct ContentGenerator {
    ports: ContentGeneratorPorts,
    settings: ContentGeneratorSettings,
    checker: Checker,
    /// Embedded when the first task comes: most programs that start only pay, or show something.
    background: OnceLock<Background>,
}

impl ContentGenerator {
    pub fn new(ports: ContentGeneratorPorts, settings: ContentGeneratorSettings) -> Self {
        Self { ports, settings, checker: Checker::with_empty_as_absent(input_schema()), background: OnceLock::new() }
    }

    fn background(&self) -> &Background {
        self.background.get_or_init(|| Background::new(self.ports.embedder.as_ref()))
    }
}

/// Read, write, draw, remember.
const STEPS: u64 = 4;

#[async_trait]
impl Skill for ContentGenerator {
    fn info(&self) -> &'static SkillInfo {
        &CONTENT_GENERATOR
    }

    async fn run(&self, input: &Value, progress: &dyn Progress) -> Result<Value, SkillFailure> {
        let input: ContentGeneratorInput =
            self.checker.read(input).map_err(|violations| SkillFailure::violations(ErrorCode::InvalidInput, &violations))?;
        let (agent, soul) = self.find_soul(&input.agent_id).await?;
        let platform = read_platform(input.acceptance_criteria.platform.as_deref())?;
        let gathered = self.gather(&input).await?;
        progress.report(1, STEPS, "read what the task requires");
        let recalled = self.recall(&agent, &soul, &input, &gathered).await?;
        let (composed, writer) = self.compose(&agent, &input, &soul, platform, &gathered, &recalled).await?;
        let text = FinishedText::check(composed.text.as_str(), &composed.vouched).map_err(|foreign| not_finished(&foreign))?;
        let mut trace = trace(&soul, platform, &gathered, &recalled, &composed);
        progress.report(2, STEPS, "wrote and checked");
        let mut artifact = Artifact {
            content_type: input.acceptance_criteria.content_type,
            payload_text: Some(text.clone().into()),
            payload_media_uri: None,
            platform_target: platform.map(|platform| platform.name().to_owned()),
        };
        if let Some(least) = input.acceptance_criteria.min_confidence.filter(|least| composed.confidence < *least) {
            return Err(below_minimum(&artifact, composed.confidence, least, &trace));
        }
        let words_by = writer.words_by();
        let written = Written { soul: &soul, platform, sources: &gathered.sources, text: &text, composed: &composed, words_by };
        if let Some(kept) = self.illustrate(&input, &agent, &written).await? {
            trace = format!("{trace}\n{}", kept.trace);
            artifact.payload_media_uri = Some(kept.uri);
            progress.report(3, STEPS, "drew and signed");
        }
        self.remember_heard(&agent, &input, &gathered).await?;
        self.remember(&agent, &input, text.as_str()).await?;
        progress.report(STEPS, STEPS, "remembered");
        let output = ContentGeneratorOutput {
            success: True,
            result_id: UuidV4::random(),
            task_id: input.task_id,
            agent_id: input.agent_id,
            created_at: UtcTime(self.ports.clock.now()),
            artifact,
            confidence_score: composed.confidence,
            reasoning_trace: trace,
            written_by: Some(writer.name()),
            doubted: composed.doubted,
        };
        Ok(serde_json::to_value(output).expect("the contract's types always serialise"))
    }
}

impl ContentGenerator {
    async fn find_soul(&self, agent_id: &str) -> Result<(AgentId, Soul), SkillFailure> {
        let unknown =
            || SkillFailure::new(ErrorCode::UnknownAgent, format!("there is no agent {agent_id:?}; create it from its SOUL.md first"));
        let id: AgentId = agent_id.parse().map_err(|_| unknown())?;
        let record = self.ports.agents.find(&id).await.map_err(|error| store_failed(&error))?.ok_or_else(unknown)?;
        let soul = Soul::parse(&record.soul_source).map_err(|error| {
            // Agents of before labels were read may have one that discloses nothing: theirs to mend, and not a failure of ours.
            if matches!(error.problem, SoulProblem::NoDisclosure(_)) {
                return SkillFailure::new(ErrorCode::PolicyViolation, format!("the SOUL of agent {id} cannot be used: {error}"));
            }
            tracing::error!(skill = NAME, agent.id = %id, %error, "the stored SOUL of agent {id} cannot be read: {error}");
            SkillFailure::internal()
        })?;
        Ok((id, soul))
    }

    async fn compose(
        &self,
        agent: &AgentId,
        input: &ContentGeneratorInput,
        soul: &Soul,
        platform: Option<Platform>,
        gathered: &Gathered,
        recalled: &Recalled,
    ) -> Result<(Composed, Writer), SkillFailure> {
        let constraints = input.context.persona_constraints.iter().filter(|constraint| !soul.directives.contains(constraint));
        let written = soul.directives.iter().chain(constraints).filter(|directive| !directive.trim().is_empty());
        let directives: Vec<Directive> = written.map(|directive| Directive::read(directive)).collect();
        let seed = input.task_id.to_string();
        let brief = Brief {
            now: self.ports.clock.now(),
            seed: &seed,
            soul,
            goal: &input.context.goal_description,
            directives: &directives,
            sources: &gathered.sources,
            platform,
            assignment: Assignment { telling: input.context.telling.unwrap_or(1), form: input.context.form },
            memory: &recalled.memory,
            feedback: &recalled.feedback,
            embedder: self.ports.embedder.as_ref(),
            background: self.background(),
        };
        let comment = gathered.comment.as_ref().filter(|_| input.task_type == ContentTaskType::ReplyComment);
        self.write(agent, &brief, comment).await
    }
}

fn read_platform(name: Option<&str>) -> Result<Option<Platform>, SkillFailure> {
    let parsed = name.map(str::parse::<Platform>).transpose();
    parsed.map_err(|error| {
        SkillFailure::new(ErrorCode::UnsupportedPlatform, error.to_string()).with("known_platforms", Platform::ALL.map(Platform::name))
    })
}

/// Nothing that could notify, link or tag leaves because a stranger wrote it, whoever put it into the text.
fn not_finished(foreign: &NotFinished) -> SkillFailure {
    let found: Vec<String> = foreign.0.iter().map(ToString::to_string).collect();
    SkillFailure::new(ErrorCode::PolicyViolation, foreign.to_string()).with("found", found)
}

fn below_minimum(artifact: &Artifact, confidence: f64, least: f64, trace: &str) -> SkillFailure {
    let message = format!("the best attempt has confidence {confidence:.3}, below the {least} asked for; details has it");
    SkillFailure::new(ErrorCode::ConfidenceBelowMinimum, message)
        .with("best_attempt", artifact)
        .with("confidence_score", confidence)
        .with("min_confidence", least)
        .with("reasoning_trace", trace)
}

fn trace(soul: &Soul, platform: Option<Platform>, gathered: &Gathered, recalled: &Recalled, composed: &Composed) -> String {
    let mut lines = vec![format!("soul: {} version {}", soul.id, &soul.version()[..12])];
    lines.extend(gathered.trace());
    lines.push(recalled.trace.clone());
    if let Some(platform) = platform.filter(|platform| !soul.platforms.contains(platform)) {
        lines.push(format!("platform: {platform} is not among the SOUL's platforms"));
    }
    lines.extend(composed.trace.iter().cloned());
    if let Some(comment) = &gathered.comment {
        let topics: Vec<&str> = sensitive::topics(comment.text.as_data()).iter().map(|topic| topic.name()).collect();
        if !topics.is_empty() {
            lines.push(format!("the comment touches: {}", topics.join(", ")));
        }
    }
    lines.join("\n")
}

fn store_failed(error: &StoreError) -> SkillFailure {
    tracing::error!(skill = NAME, %error, "the store failed: {error}");
    SkillFailure::internal()
}

#[cfg(test)]
mod tests;
