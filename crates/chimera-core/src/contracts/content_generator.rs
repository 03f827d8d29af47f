//! `skill_content_generator`: what it is asked, and what it answers.

use super::{True, UtcTime, UuidV4, schema, task::TELLINGS_MAX};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const NAME: &str = "skill_content_generator";
/// The seed's name for the id of this skill's answers.
pub const ANSWER_ID: &str = "result_id";

/// One piece of content to make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentGeneratorInput {
    /// Task identifier from the Planner.
    pub task_id: UuidV4,
    /// Agent producing the content.
    #[schemars(length(min = 1, max = 128))]
    pub agent_id: String,
    pub task_type: ContentTaskType,
    pub context: ContentContext,
    pub acceptance_criteria: AcceptanceCriteria,
    /// Persona and memory to use; assembled by the skill itself when absent.
    pub memory_context: Option<MemoryContextInput>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentTaskType {
    GenerateContent,
    ReplyComment,
}

/// What the content is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentContext {
    /// High-level goal for this task; for a reply without required resources, the comment to answer.
    #[schemars(length(min = 1, max = 4000))]
    pub goal_description: String,
    /// Constraints derived from the agent's SOUL; may be empty.
    #[schemars(length(max = 64), inner(length(max = 1000)))]
    pub persona_constraints: Vec<String>,
    /// MCP resources to read before generating.
    #[schemars(length(max = 64), inner(length(max = 2048), url))]
    pub required_resources: Option<Vec<String>>,
    #[schemars(length(min = 1, max = 128))]
    pub campaign_id: Option<String>,
    /// Earlier attempts at this task that were turned down, oldest first: the next one must differ as asked.
    #[schemars(length(max = FEEDBACK_MAX))]
    pub feedback: Option<Vec<AttemptFeedback>>,
    /// Of a story that is told on several platforms: which telling this is, 1 for the first. Each finds other words, where there are any.
    #[schemars(range(min = 1, max = TELLINGS_MAX))]
    pub telling: Option<u32>,
    /// What kind of post is wanted; the trace says where it could not be had. News when absent.
    pub form: Option<PostForm>,
    /// What the operator says of this very text, in own words: an instruction, as far as the agent's SOUL and the sources allow it.
    #[schemars(length(min = 1, max = BRIEF_CHARS_MAX))]
    pub brief: Option<String>,
}

/// Of an operator's brief.
pub const BRIEF_CHARS_MAX: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PostForm {
    /// What happened.
    News,
    /// What happened, and what the agent believes about it.
    Opinion,
    /// What happened, and a question to the readers.
    Question,
    /// News with a picture.
    Picture,
}

impl PostForm {
    pub const ALL: [Self; 4] = [Self::News, Self::Opinion, Self::Question, Self::Picture];

    pub fn name(self) -> &'static str {
        match self {
            Self::News => "news",
            Self::Opinion => "opinion",
            Self::Question => "question",
            Self::Picture => "picture",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }
}

/// Earlier attempts that one call may tell of.
pub const FEEDBACK_MAX: usize = 64;
pub const REJECTED_TEXT_CHARS_MAX: usize = 8_000;
pub const REASON_CHARS_MAX: usize = 4_000;

/// A text that was turned down, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttemptFeedback {
    #[schemars(length(max = REJECTED_TEXT_CHARS_MAX))]
    pub rejected_text: String,
    /// In words, as the Judge or a person gave it: "shorter", "not this story", "no hashtags".
    #[schemars(length(max = REASON_CHARS_MAX))]
    pub reason: String,
    pub by: FeedbackBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackBy {
    Judge,
    Person,
}

/// What the content must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptanceCriteria {
    pub content_type: ContentType,
    /// Target platform: twitter, bluesky, threads, mastodon, instagram, tiktok or linkedin.
    #[schemars(length(min = 1, max = 64))]
    pub platform: Option<String>,
    /// Least confidence; below it the best attempt is returned in an error.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: Option<f64>,
    /// Of a video: made here (daily) or by the configured video tool (hero). The tool films where there is one and this is absent.
    pub video_tier: Option<VideoTier>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentType {
    Text,
    Image,
    Video,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VideoTier {
    /// The card in motion, made here.
    Daily,
    /// Made by an upstream video tool.
    Hero,
}

impl VideoTier {
    pub const ALL: [Self; 2] = [Self::Daily, Self::Hero];

    pub fn name(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Hero => "hero",
        }
    }
}

/// Persona and memory given by the caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryContextInput {
    #[schemars(length(max = 8000))]
    pub soul_summary: Option<String>,
    /// Memory ids, or literal text where no id matches.
    #[schemars(length(max = 64), inner(length(max = 4000)))]
    pub short_term_refs: Option<Vec<String>>,
    /// Memory ids, or literal text where no id matches.
    #[schemars(length(max = 64), inner(length(max = 4000)))]
    pub long_term_refs: Option<Vec<String>>,
}

/// The content, and how sure the skill is of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentGeneratorOutput {
    pub success: True,
    pub result_id: UuidV4,
    pub task_id: UuidV4,
    pub agent_id: String,
    pub created_at: UtcTime,
    pub artifact: Artifact,
    /// Earned by checks; the Judge approves, escalates or rejects by it.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence_score: f64,
    /// Which sources, memory and checks led here, for the Judge's audit.
    pub reasoning_trace: String,
    /// Who wrote the text, caption or script: `embedded`, or provider and model, as in `openai smollm2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
    /// Sentences whose words speak against them while a reading of their sources does not, or that only their writer calls an opinion: a person decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubted: Vec<String>,
}

/// The embedded composer, in `written_by`. A model's name has its provider before it, so none is ever this word alone.
pub const EMBEDDED_WRITER: &str = "embedded";

/// Something that can be published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    pub content_type: ContentType,
    /// Post, caption, script or reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_text: Option<String>,
    /// chimera://assets/{asset_id} of the image or video.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_media_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform_target: Option<String>,
}

pub fn input_schema() -> Value {
    schema::of::<ContentGeneratorInput>()
}

pub fn output_schema() -> Value {
    schema::answer_of::<ContentGeneratorOutput>(ANSWER_ID, true)
}
