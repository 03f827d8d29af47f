//! People's answers. An answer is checked at once and held for some seconds, in which it can be taken back; then it takes effect.

use super::{answer as answered, done};
use crate::{
    Dashboard, Problem,
    access::{Visitor, require},
    api::request::{Call, no_such},
    holding::HOLD_FOR,
};
use axum::{http::StatusCode, response::Response};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        checking::Violation,
        content_generator::Artifact,
        review::{FoundPost, ReviewAction, ReviewAnswer, ReviewStatus},
        views::{
            people::Role,
            reviews::{ReviewDetail, ReviewKind},
        },
    },
    ports::held_answers::{Holding, TakenBack},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A person's word on a review.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct Answer {
    action: ReviewAction,
    /// Why. With a rejection, what the next attempt goes by.
    #[schemars(length(max = 2000))]
    reason: Option<String>,
    /// The whole text as it shall be: with an edit, and with nothing else.
    #[schemars(length(min = 1, max = 20000))]
    text: Option<String>,
    /// With a rejection: no further attempt is wanted.
    #[serde(default)]
    give_up: bool,
    /// The recipient's whole address, typed again: what approving a look-alike of a known payee takes.
    #[schemars(length(max = 64))]
    confirm_address: Option<String>,
    /// Of a post that may have left, with `approve`: whether it is there. One that is not there is sent again; `reject` leaves it.
    found: Option<FoundPost>,
}

/// When the answer takes effect.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Held {
    review_id: UuidV4,
    effective_at: UtcTime,
}

pub(in crate::api) async fn answer(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (review_id, answer) = (call.review_id()?, call.body::<Answer>()?);
    let review = find(&dashboard, review_id).await?;
    let held = hold(&dashboard, &call.visitor, &review, answer).await?;
    answered(StatusCode::ACCEPTED, &held)
}

/// One word on many reviews.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct Answers {
    #[schemars(length(min = 1, max = 100))]
    review_ids: Vec<UuidV4>,
    action: SharedAction,
    /// Why. With a rejection, what the next attempts go by.
    #[schemars(length(max = 2000))]
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SharedAction {
    Approve,
    Reject,
}

/// What became of each, in the order in which they were named.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Outcomes {
    answers: Vec<Outcome>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Outcome {
    review_id: UuidV4,
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_at: Option<UtcTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

pub(in crate::api) async fn answer_many(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let Answers { review_ids, action, reason } = call.body()?;
    let action = match action {
        SharedAction::Approve => ReviewAction::Approve,
        SharedAction::Reject => ReviewAction::Reject,
    };
    let mut answers = Vec::with_capacity(review_ids.len());
    for review_id in review_ids {
        let answer = Answer { action, reason: reason.clone(), text: None, give_up: false, confirm_address: None, found: None };
        let outcome = match answer_in_batch(&dashboard, &call.visitor, review_id, answer).await {
            Ok(held) => Outcome { review_id, effective_at: Some(held.effective_at), problem: None },
            Err(problem) => Outcome { review_id, effective_at: None, problem: Some(problem) },
        };
        answers.push(outcome);
    }
    answered(StatusCode::OK, &Outcomes { answers })
}

async fn answer_in_batch(dashboard: &Dashboard, visitor: &Visitor, review_id: UuidV4, answer: Answer) -> Result<Held, Problem> {
    let review = find(dashboard, review_id).await?;
    match review.row.kind {
        ReviewKind::Content | ReviewKind::Stuck if !review.row.moves_money => hold(dashboard, visitor, &review, answer).await,
        _ => Err(Problem::new(
            StatusCode::CONFLICT,
            "decided_alone",
            format!("Review {review_id} is about {}, which is never decided together with others.", about(review.row.kind)),
            "Open it, and decide it by itself.",
        )),
    }
}

pub(in crate::api) async fn take_back(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let review_id = call.review_id()?;
    match dashboard.held.take_back(review_id, call.visitor.name.as_str(), dashboard.clock.now()).await? {
        TakenBack::Yes => done(),
        TakenBack::NotYours { by } => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "not_yours",
            format!("The answer to review {review_id} is {by}'s, who alone can take it back."),
            "Ask them, while there is time.",
        )),
        TakenBack::TooLate => {
            find(&dashboard, review_id).await?;
            Err(Problem::new(
                StatusCode::CONFLICT,
                "too_late",
                format!("Review {review_id} has no answer that could still be taken back."),
                "Look at the review for what became of it.",
            ))
        }
    }
}

async fn find(dashboard: &Dashboard, review_id: UuidV4) -> Result<ReviewDetail, Problem> {
    dashboard.queries.review(review_id).await?.ok_or_else(|| no_such("review", &review_id.to_string()))
}

async fn hold(dashboard: &Dashboard, visitor: &Visitor, review: &ReviewDetail, answer: Answer) -> Result<Held, Problem> {
    let review_id = review.row.review_id;
    if review.row.moves_money {
        require(visitor, Role::Operator)?;
    }
    let slips = slips(review, &answer);
    if !slips.is_empty() {
        let next = "Correct what the violations name, and send it again.";
        return Err(Problem::new(StatusCode::CONFLICT, "unfit_answer", "This answer does not fit the review.", next).with_violations(slips));
    }
    if review.row.status != ReviewStatus::Pending {
        return Err(decided(review_id, review.row.status, review.answer.as_ref()));
    }
    let now = dashboard.clock.now();
    let edited_artifact =
        answer.text.zip(review.artifact.clone()).map(|(text, artifact)| Artifact { payload_text: Some(text), ..artifact });
    let answer = ReviewAnswer {
        review_id,
        action: answer.action,
        reason: answer.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty()),
        edited_artifact,
        give_up: answer.give_up,
        confirmed_address: answer.confirm_address,
        found: answer.found,
        reviewer_id: visitor.name.to_string(),
        reviewed_at: UtcTime(now),
    };
    // What would be refused is refused now, while whoever wrote it still looks at it.
    dashboard.operations.check_answer(&answer).await?;
    let effective_at = now + HOLD_FOR;
    match dashboard.held.hold(&answer, effective_at).await? {
        Holding::Held => Ok(Held { review_id, effective_at: UtcTime(effective_at) }),
        Holding::HeldBy { by, effective_at } => Err(Problem::new(
            StatusCode::CONFLICT,
            "answered_meanwhile",
            format!("{by} has answered review {review_id} already; that takes effect at {}.", UtcTime(effective_at)),
            "Until then they can take it back.",
        )),
        Holding::Decided { answer } => Err(decided(review_id, review.row.status, answer.as_deref())),
        Holding::NoSuchReview => Err(no_such("review", &review_id.to_string())),
    }
}

/// What belongs to another action, or to another kind of review.
fn slips(review: &ReviewDetail, answer: &Answer) -> Vec<Violation> {
    let is_edit = answer.action == ReviewAction::Edit;
    let has_text = answer.text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let approves = answer.action == ReviewAction::Approve;
    let is_of_post = review.row.kind == ReviewKind::UnknownPost;
    let has_idle_url = answer.found.as_ref().is_some_and(|found| !found.is_there && found.url.is_some());
    let rules = [
        (is_edit && review.artifact.is_none(), "/action", "there is no text that could be edited"),
        (is_edit && !has_text, "/text", "an edit needs the whole text as it shall be"),
        (!is_edit && answer.text.is_some(), "/text", "only an edit has a text"),
        (answer.give_up && answer.action != ReviewAction::Reject, "/give_up", "only a rejection can give up"),
        (
            answer.confirm_address.is_some() && (answer.action != ReviewAction::Approve || review.row.kind != ReviewKind::Money),
            "/confirm_address",
            "only the approval of a payment confirms an address",
        ),
        (is_of_post && approves && answer.found.is_none(), "/found", "look whether the post is there, and say it"),
        (
            answer.found.is_some() && !(is_of_post && approves),
            "/found",
            "only the approval of a post that may have left says what was found",
        ),
        (has_idle_url, "/found/url", "a post that is not there has no address"),
    ];
    rules.into_iter().filter(|(is_wrong, ..)| *is_wrong).map(|(_, path, problem)| Violation::new(path, problem)).collect()
}

/// Who was faster, and when.
fn decided(review_id: UuidV4, status: ReviewStatus, answer: Option<&ReviewAnswer>) -> Problem {
    let detail = match answer {
        Some(answer) => {
            let word = match answer.action {
                ReviewAction::Approve if answer.found.is_some() => "settled",
                ReviewAction::Approve => "approved",
                ReviewAction::Reject => "rejected",
                ReviewAction::Edit => "approved as edited",
            };
            format!("Review {review_id} was already {word} by {} at {}.", answer.reviewer_id, answer.reviewed_at)
        }
        None if status == ReviewStatus::Expired => {
            format!("Review {review_id} is no longer open: what it asked about has ended by itself.")
        }
        None => format!("Review {review_id} was already decided."),
    };
    Problem::new(StatusCode::CONFLICT, "already_decided", detail, "Look at it for what was decided.")
}

fn about(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Content => "a post",
        ReviewKind::Money => "money",
        ReviewKind::Stuck => "a task",
        ReviewKind::UnknownPost => "a post that may have left",
    }
}
