//! Leases one task, calls the skill it needs over MCP, and hands the result to review. Keeps no state of its own.

use crate::{
    contracts::{
        ErrorCode, UtcTime, UuidV4,
        content_generator::{
            self, AttemptFeedback, ContentGeneratorOutput, FEEDBACK_MAX, FeedbackBy, REASON_CHARS_MAX, REJECTED_TEXT_CHARS_MAX,
        },
        result::WorkerResult,
        review::ReviewAction,
        task::{AgentTask, TaskType},
        wallet_transaction::{self, WalletTransactionOutput},
    },
    policy::spending::Rule,
    ports::{
        StoreError,
        clock::Clock,
        skill_caller::{CallError, SkillCaller},
        swarm::{Attempt, ClaimLimits, Lease, LeaseError, LeasedTask, TaskFailure, Tasks},
    },
};
use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A task that was leased so often and never came back ends its Workers; attempts that came back count apart from this.
const LEASES_MAX: u64 = 20;
/// A lease is renewed this many times before it would run out.
const RENEWALS_PER_LEASE: u32 = 3;
const BACKOFF_MAX: TimeDelta = TimeDelta::minutes(5);
/// A payment whose fate is unknown is asked for this often before it is given up.
const PAYMENT_ATTEMPTS_MAX: u32 = 20;
/// A payment that a person must grant is asked for again after this.
const PERSON_LOOKED_FOR_EVERY: TimeDelta = TimeDelta::seconds(30);

/// What became of one task.
#[derive(Debug, Clone, PartialEq)]
pub enum Worked {
    Finished(Box<WorkerResult>),
    Failed {
        task_id: UuidV4,
        reason: String,
    },
    /// The lease went to somebody else, or the program stops: nothing of this run counts.
    Dropped {
        task_id: UuidV4,
    },
}

pub struct Worker<'a> {
    pub id: &'a str,
    pub tasks: &'a dyn Tasks,
    pub skills: &'a dyn SkillCaller,
    pub clock: &'a dyn Clock,
    pub attempts_max: u32,
    pub limits: ClaimLimits,
    /// A task whose Worker died is given to another after this.
    pub lease: Duration,
    /// The pause before the second attempt; each further one doubles it.
    pub backoff_first: TimeDelta,
}

impl Worker<'_> {
    /// `None` when nothing waits.
    pub async fn work_once(&self) -> Result<Option<Worked>, LeaseError> {
        let Some(leased) = self.claim().await? else { return Ok(None) };
        self.work(leased, &CancellationToken::new()).await.map(Some)
    }

    pub async fn claim(&self) -> Result<Option<LeasedTask>, StoreError> {
        let now = self.clock.now();
        self.tasks.claim(self.id, now, now + self.lease, &self.limits).await
    }

    /// Until it is done, the lease is lost, or `stop`, which hands the task back.
    pub async fn work(&self, leased: LeasedTask, stop: &CancellationToken) -> Result<Worked, LeaseError> {
        let LeasedTask { lease, task } = leased;
        let task_id = task.task_id;
        if lease.lease_no > LEASES_MAX {
            let reason = format!("its Worker died {LEASES_MAX} times");
            return self.give_back(&lease, &task, Failure { reason, patience: Patience::None }).await;
        }
        let executed = tokio::select! {
            executed = self.execute(&task) => executed,
            lost = self.keep(&lease) => {
                tracing::warn!(task.id = %task_id, "task {task_id}: {lost}");
                return Ok(Worked::Dropped { task_id });
            }
            () = stop.cancelled() => {
                self.tasks.release(&lease).await?;
                return Ok(Worked::Dropped { task_id });
            }
        };
        match executed {
            Ok(result) => match self.tasks.finish(&lease, &result).await {
                Ok(()) => Ok(Worked::Finished(Box::new(result))),
                Err(LeaseError::LeaseLost) => Ok(Worked::Dropped { task_id }),
                Err(error) => Err(error),
            },
            Err(failure) => self.give_back(&lease, &task, failure).await,
        }
    }

    async fn give_back(&self, lease: &Lease, task: &AgentTask, failure: Failure) -> Result<Worked, LeaseError> {
        let now = self.clock.now();
        let (attempts_max, pause) = match failure.patience {
            Patience::None | Patience::Refused => (1, TimeDelta::zero()),
            Patience::Some => (self.attempts_max, backoff(self.backoff_first, task.attempt)),
            // The wallet pays a task once, however often it is asked, and may yet learn that it has paid.
            Patience::OfMoney => (PAYMENT_ATTEMPTS_MAX, backoff(self.backoff_first, task.attempt)),
            Patience::ForPeople => (u32::MAX, PERSON_LOOKED_FOR_EVERY),
        };
        let is_refused = failure.patience == Patience::Refused;
        let given_back = TaskFailure { reason: failure.reason.clone(), is_refused, attempts_max, again_at: now + pause, now };
        match self.tasks.fail(lease, &given_back).await {
            Ok(()) => {}
            Err(LeaseError::LeaseLost) => return Ok(Worked::Dropped { task_id: task.task_id }),
            Err(error) => return Err(error),
        }
        tracing::warn!(task.id = %task.task_id, "task {} failed: {}", task.task_id, failure.reason);
        Ok(Worked::Failed { task_id: task.task_id, reason: failure.reason })
    }

    /// Renews the lease for as long as it can; answers why it no longer can.
    async fn keep(&self, lease: &Lease) -> LeaseError {
        loop {
            tokio::time::sleep(self.lease / RENEWALS_PER_LEASE).await;
            if let Err(error) = self.tasks.renew(lease, self.clock.now() + self.lease).await {
                return error;
            }
        }
    }

    /// Who wrote a text, as far as this process can know it.
    fn believed(&self, writer: String) -> String {
        if self.skills.is_own() { writer } else { format!("{writer}, by the word of another server") }
    }

    /// What was said of earlier attempts: the next one goes by it.
    async fn feedback(&self, task: &AgentTask) -> Result<Vec<AttemptFeedback>, Failure> {
        if task.attempt == 1 || task.acceptance_criteria.is_none() {
            return Ok(Vec::new());
        }
        let attempts = self.tasks.attempts(task.task_id).await.map_err(|error| {
            let reason = format!("what was said of earlier attempts cannot be read: {error}");
            Failure { reason, patience: Patience::Some }
        })?;
        Ok(attempts.into_iter().filter_map(feedback_on).collect())
    }

    async fn execute(&self, task: &AgentTask) -> Result<WorkerResult, Failure> {
        let (skill, input) = skill_call(task, self.feedback(task).await?)?;
        let answer = self.skills.call(skill, &input).await?;
        if answer["success"] != Value::Bool(true) {
            return Err(Failure::of_answer(&answer));
        }
        let blank = WorkerResult {
            result_id: UuidV4::random(),
            task_id: task.task_id,
            worker_id: self.id.to_owned(),
            agent_id: task.context.agent_id.clone(),
            created_at: UtcTime(self.clock.now()),
            confidence_score: 1.0,
            reasoning_trace: String::new(),
            written_by: None,
            doubted: Vec::new(),
            artifact: None,
            transaction: None,
        };
        match task.task_type {
            TaskType::GenerateContent | TaskType::ReplyComment => {
                let made = read::<ContentGeneratorOutput>(&answer)?;
                Ok(WorkerResult {
                    result_id: made.result_id,
                    confidence_score: made.confidence_score,
                    reasoning_trace: made.reasoning_trace,
                    written_by: made.written_by.map(|writer| self.believed(writer)),
                    doubted: made.doubted,
                    artifact: Some(made.artifact),
                    ..blank
                })
            }
            TaskType::ExecuteTransaction => {
                let paid = read::<WalletTransactionOutput>(&answer)?;
                Ok(WorkerResult { reasoning_trace: "the wallet skill confirmed it on chain".to_owned(), transaction: Some(paid), ..blank })
            }
        }
    }
}

/// A person's word counts before the Judge's.
pub fn feedback_on(attempt: Attempt) -> Option<AttemptFeedback> {
    let rejected_text = attempt.result.artifact?.payload_text?;
    let (reason, by) = match attempt.answer.filter(|answer| answer.action == ReviewAction::Reject) {
        Some(answer) => (answer.reason.unwrap_or_default(), FeedbackBy::Person),
        None => (attempt.judged, FeedbackBy::Judge),
    };
    // People may write more than the contract takes; what they begin with counts.
    let shortened = |text: String, chars_max: usize| text.chars().take(chars_max).collect::<String>();
    Some(AttemptFeedback {
        rejected_text: shortened(rejected_text, REJECTED_TEXT_CHARS_MAX),
        reason: shortened(reason, REASON_CHARS_MAX),
        by,
    })
}

fn skill_call(task: &AgentTask, mut feedback: Vec<AttemptFeedback>) -> Result<(&'static str, Value), Failure> {
    let context = &task.context;
    match (&task.acceptance_criteria, &task.transaction) {
        (Some(criteria), None) => {
            let mut inner = json!({
                "goal_description": context.goal_description,
                "persona_constraints": context.persona_constraints,
                "campaign_id": context.campaign_id,
            });
            if !context.required_resources.is_empty() {
                inner["required_resources"] = json!(context.required_resources);
            }
            if let Some(telling) = context.telling {
                inner["telling"] = json!(telling);
            }
            if let Some(form) = context.form {
                inner["form"] = json!(form);
            }
            if let Some(brief) = &context.brief {
                inner["brief"] = json!(brief);
            }
            if !feedback.is_empty() {
                // The contract takes so many; what was said last counts most.
                inner["feedback"] = json!(feedback.split_off(feedback.len().saturating_sub(FEEDBACK_MAX)));
            }
            let mut input = json!({
                "task_id": task.task_id,
                "agent_id": context.agent_id,
                "task_type": task.task_type,
                "context": inner,
                "acceptance_criteria": { "content_type": criteria.content_type, "platform": criteria.platform, "min_confidence": criteria.min_confidence },
            });
            if let Some(tier) = criteria.video_tier {
                input["acceptance_criteria"]["video_tier"] = json!(tier);
            }
            Ok((content_generator::NAME, input))
        }
        (None, Some(transaction)) => {
            let mut input = json!({
                "task_id": task.task_id,
                "agent_id": context.agent_id,
                "operation": transaction.operation,
                "params": transaction.params,
            });
            if let Some(check) = &transaction.budget_check {
                input["budget_check"] = json!(check);
            }
            Ok((wallet_transaction::NAME, input))
        }
        _ => Err(Failure { reason: "the task has neither acceptance criteria nor a transaction".to_owned(), patience: Patience::None }),
    }
}

fn read<T: for<'de> Deserialize<'de>>(answer: &Value) -> Result<T, Failure> {
    T::deserialize(answer)
        .map_err(|error| Failure { reason: format!("the skill's answer is not of its contract: {error}"), patience: Patience::None })
}

/// After so many attempts.
fn backoff(first: TimeDelta, attempt: u32) -> TimeDelta {
    let doublings = attempt.saturating_sub(1).min(16);
    (first * (1 << doublings)).min(BACKOFF_MAX)
}

struct Failure {
    reason: String,
    patience: Patience,
}

/// How long the same call may go better later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    None,
    Some,
    OfMoney,
    ForPeople,
    /// A person said no.
    Refused,
}

impl Failure {
    fn of_answer(answer: &Value) -> Self {
        let code = ErrorCode::deserialize(&answer["error_code"]).unwrap_or(ErrorCode::InternalError);
        let message = answer["message"].as_str().unwrap_or_default();
        let waits_for_a_person = answer["details"]["review_id"].is_string();
        let patience = match code {
            ErrorCode::NotApproved if answer["details"]["rule"] == Rule::Declined.as_str() => Patience::Refused,
            ErrorCode::NotApproved if waits_for_a_person => Patience::ForPeople,
            ErrorCode::RpcError => Patience::OfMoney,
            ErrorCode::ApprovalRequired => Patience::ForPeople,
            ErrorCode::ResourceUnavailable
            | ErrorCode::ConfidenceBelowMinimum
            | ErrorCode::ProviderError
            | ErrorCode::RateLimited
            | ErrorCode::Cancelled
            | ErrorCode::InternalError => Patience::Some,
            ErrorCode::InvalidInput
            | ErrorCode::UnknownAgent
            | ErrorCode::UnsupportedPlatform
            | ErrorCode::PolicyViolation
            | ErrorCode::BudgetExceeded
            | ErrorCode::InsufficientBalance
            | ErrorCode::InvalidAddress
            | ErrorCode::UnsupportedChain
            | ErrorCode::UnsupportedAsset
            | ErrorCode::NotApproved => Patience::None,
        };
        Self { reason: format!("{}: {message}", answer["error_code"].as_str().unwrap_or("no code")), patience }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self { reason: error.to_string(), patience: Patience::Some }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patience(code: &str, details: Value) -> Patience {
        Failure::of_answer(&json!({ "success": false, "error_code": code, "message": "no", "details": details })).patience
    }

    #[test]
    fn who_said_no_decides_whether_anybody_is_asked_again() {
        assert_eq!(patience("not_approved", json!({ "rule": "declined" })), Patience::Refused);
        assert_eq!(patience("not_approved", json!({ "rule": "look_alike", "review_id": "0b5c2c6e" })), Patience::ForPeople);
        assert_eq!(patience("not_approved", json!({ "rule": "frozen" })), Patience::None);
        assert_eq!(patience("provider_error", json!({})), Patience::Some);
        assert_eq!(patience("rpc_error", json!({})), Patience::OfMoney);
    }

    #[test]
    fn a_persons_word_on_an_attempt_counts_before_the_judges() {
        let attempt = |answer: Value| {
            let result = json!({
                "result_id": UuidV4::random(), "task_id": UuidV4::random(), "worker_id": "w", "agent_id": "selam",
                "created_at": "2026-11-15T00:00:00Z", "confidence_score": 0.5, "reasoning_trace": "",
                "artifact": { "content_type": "text", "payload_text": "Lanes opened." },
            });
            let answer = (!answer.is_null()).then(|| serde_json::from_value(answer).unwrap());
            Attempt { result: serde_json::from_value(result).unwrap(), judged: "confidence is low".to_owned(), answer }
        };
        let said = |answer: Value| feedback_on(attempt(answer)).map(|said| (said.rejected_text, said.reason, said.by));
        let no = json!({
            "review_id": UuidV4::random(), "action": "reject", "reason": "too long", "reviewer_id": "hanna", "reviewed_at": "2026-11-15T00:00:00Z",
        });

        assert_eq!(said(Value::Null), Some(("Lanes opened.".to_owned(), "confidence is low".to_owned(), FeedbackBy::Judge)));
        assert_eq!(said(no), Some(("Lanes opened.".to_owned(), "too long".to_owned(), FeedbackBy::Person)));
    }
}
