//! What waits for a person, and what was decided.

use super::Money;
use crate::contracts::{
    UtcTime, UuidV4,
    content_generator::{Artifact, AttemptFeedback},
    review::{ReviewAnswer, ReviewItem, ReviewStatus},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line of the inbox.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReviewRow {
    pub review_id: UuidV4,
    pub task_id: UuidV4,
    pub agent_id: String,
    pub kind: ReviewKind,
    pub status: ReviewStatus,
    /// Money may move by the answer: a payment, or a task that makes one and is stuck. It takes an operator, and is decided alone.
    pub moves_money: bool,
    pub asked_at: UtcTime,
    /// Why a person is asked.
    pub reason: String,
    /// The beginning of the text, or the payment in one line.
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<Money>,
    /// An answer that is held for a moment, and can still be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldAnswer>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewKind {
    /// A post.
    Content,
    /// A payment.
    Money,
    /// A task that its Workers could not do.
    Stuck,
    /// A post of which nobody knows whether it left.
    UnknownPost,
}

impl ReviewKind {
    pub const ALL: [Self; 4] = [Self::Content, Self::Money, Self::Stuck, Self::UnknownPost];

    /// Of what a review asks. Whether a post left is asked about a post too, which only its outbox knows.
    pub fn of(review: &ReviewItem) -> Self {
        match (&review.transaction, &review.artifact) {
            (Some(_), _) => Self::Money,
            (None, Some(_)) => Self::Content,
            (None, None) => Self::Stuck,
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Money => "money",
            Self::Stuck => "stuck",
            Self::UnknownPost => "unknown_post",
        }
    }
}

/// An answer on its way: it takes effect at `effective_at` unless it is taken back before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeldAnswer {
    /// approve, reject or edit; of a post that may have left also published or resend.
    pub action: String,
    pub by: String,
    pub effective_at: UtcTime,
}

/// Everything that a person needs to decide.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReviewDetail {
    pub row: ReviewRow,
    /// Absent where the task is of no campaign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaign_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    /// What the publishing tool would be called with if it were approved now; absent where nothing would leave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish: Option<PublishPreview>,
    /// Of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<AnsweredPost>,
    /// Line by line, as the skill told it: sources, memory, checks.
    pub trace: Vec<String>,
    /// Of the content skill, from the trace: name and share, in its order.
    pub confidence_parts: Vec<ConfidencePart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<String>,
    pub attempt: u32,
    /// What was turned down before, and why; oldest first.
    pub feedback: Vec<AttemptFeedback>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentQuestion>,
    /// Once somebody has answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<ReviewAnswer>,
    /// Why the last answer, which was held, could not be carried out when its time came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_failure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConfidencePart {
    pub name: String,
    pub share: f64,
}

/// As the arguments of the publishing tool say it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PublishPreview {
    pub platform: String,
    /// Nothing leaves: no publisher is configured, or it is set to dry-run.
    pub is_dry_run: bool,
    pub text: String,
    /// chimera://assets/{asset_id}
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alt_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// In the platform's own unit.
    pub length: usize,
    pub length_max: usize,
}

/// What a reply answers, as the agent heard it. Author and text are a stranger's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AnsweredPost {
    pub platform: String,
    /// As the platform names it.
    pub post_id: String,
    /// Absent where the platform did not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Absent where it was heard before words were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A payment, as a person decides it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PaymentQuestion {
    pub amount: Money,
    /// The recipient's whole address.
    pub to_address: String,
    /// The rule that asked.
    pub rule: String,
    /// Of the day that the transfer would count for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<super::agents::BudgetDay>,
    /// What is in the wallet now; absent where the chain does not answer, and once the question is decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<Money>,
    /// Confirmed payments of this agent to this address before.
    pub paid_before: u64,
    /// A payee of this agent that the address looks like and is not: approving takes the whole address, typed again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looks_like: Option<String>,
    /// Where the payment stands.
    pub state: String,
    /// Approved, and not used yet: until then. It can be revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_until: Option<UtcTime>,
    /// Who revoked the approval, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
}
