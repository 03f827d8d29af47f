//! Leases one task, calls the skill it needs over MCP, and hands the result to review. Keeps no state of its own.

use crate::{
    contracts::{
        ErrorCode, UtcTime, UuidV4,
        content_generator::{self, ContentGeneratorOutput},
        result::WorkerResult,
        task::{AgentTask, TaskType},
        wallet_transaction::{self, WalletTransactionOutput},
    },
    ports::{
        clock::Clock,
        skill_caller::{CallError, SkillCaller},
        swarm::{LeaseError, LeasedTask, Tasks},
    },
};
use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::{Value, json};

/// Longer than any skill takes: a task whose Worker died is given to another after this.
const LEASE: TimeDelta = TimeDelta::minutes(5);

/// A task that was leased so often and never came back ends its Workers; attempts that came back count apart from this.
const LEASES_MAX: u64 = 20;

/// What became of one task.
#[derive(Debug, Clone, PartialEq)]
pub enum Worked {
    Finished(Box<WorkerResult>),
    Failed { task_id: UuidV4, reason: String },
}

pub struct Worker<'a> {
    pub id: &'a str,
    pub tasks: &'a dyn Tasks,
    pub skills: &'a dyn SkillCaller,
    pub clock: &'a dyn Clock,
    pub attempts_max: u32,
}

impl Worker<'_> {
    /// `None` when nothing waits.
    pub async fn work_once(&self) -> Result<Option<Worked>, LeaseError> {
        let now = self.clock.now();
        let Some(LeasedTask { lease, task }) = self.tasks.claim(self.id, now, now + LEASE).await? else { return Ok(None) };
        if lease.lease_no > LEASES_MAX {
            let reason = format!("its Worker died {LEASES_MAX} times");
            self.tasks.fail(&lease, &reason, 1, now).await?;
            return Ok(Some(Worked::Failed { task_id: task.task_id, reason }));
        }
        match self.execute(&task).await {
            Ok(result) => {
                self.tasks.finish(&lease, &result).await?;
                Ok(Some(Worked::Finished(Box::new(result))))
            }
            Err(failure) => {
                let attempts_max = if failure.retry { self.attempts_max } else { 1 };
                self.tasks.fail(&lease, &failure.reason, attempts_max, self.clock.now()).await?;
                tracing::warn!(task.id = %task.task_id, "task {} failed: {}", task.task_id, failure.reason);
                Ok(Some(Worked::Failed { task_id: task.task_id, reason: failure.reason }))
            }
        }
    }

    async fn execute(&self, task: &AgentTask) -> Result<WorkerResult, Failure> {
        let (skill, input) = skill_call(task)?;
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

fn skill_call(task: &AgentTask) -> Result<(&'static str, Value), Failure> {
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
            let input = json!({
                "task_id": task.task_id,
                "agent_id": context.agent_id,
                "task_type": task.task_type,
                "context": inner,
                "acceptance_criteria": { "content_type": criteria.content_type, "platform": criteria.platform, "min_confidence": criteria.min_confidence },
            });
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
        _ => Err(Failure { reason: "the task has neither acceptance criteria nor a transaction".to_owned(), retry: false }),
    }
}

fn read<T: for<'de> Deserialize<'de>>(answer: &Value) -> Result<T, Failure> {
    T::deserialize(answer).map_err(|error| Failure { reason: format!("the skill's answer is not of its contract: {error}"), retry: false })
}

struct Failure {
    reason: String,
    /// Whether the same call may go better later.
    retry: bool,
}

impl Failure {
    fn of_answer(answer: &Value) -> Self {
        let code = ErrorCode::deserialize(&answer["error_code"]).unwrap_or(ErrorCode::InternalError);
        let message = answer["message"].as_str().unwrap_or_default();
        let retry = match code {
            ErrorCode::ResourceUnavailable
            | ErrorCode::ConfidenceBelowMinimum
            | ErrorCode::ProviderError
            | ErrorCode::RpcError
            | ErrorCode::RateLimited
            | ErrorCode::Cancelled
            | ErrorCode::InternalError => true,
            ErrorCode::InvalidInput
            | ErrorCode::UnknownAgent
            | ErrorCode::UnsupportedPlatform
            | ErrorCode::PolicyViolation
            | ErrorCode::BudgetExceeded
            | ErrorCode::InsufficientBalance
            | ErrorCode::InvalidAddress
            | ErrorCode::UnsupportedChain
            | ErrorCode::UnsupportedAsset
            | ErrorCode::NotApproved
            | ErrorCode::ApprovalRequired => false,
        };
        Self { reason: format!("{}: {message}", answer["error_code"].as_str().unwrap_or("no code")), retry }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self { reason: error.to_string(), retry: true }
    }
}
