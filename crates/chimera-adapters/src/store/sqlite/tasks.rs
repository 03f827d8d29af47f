//! The `Tasks` and `Replanning` ports: a fenced lease queue, and what comes back from it to the Planner.

use super::{
    OrStoreError, SqliteStore,
    campaigns::{self, Standing},
    columns::{from_count, from_limit, if_any, json, micros, parsed, rows, to_json},
    judgements,
    task_rows::{self, COLUMNS, after, task},
    turns::{Answers, Desk},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{UuidV4, result::WorkerResult, task::AgentTask},
    domain::{
        campaign::CampaignStatus,
        task::{TaskEvent, TaskState},
    },
    ports::{
        StoreError,
        swarm::{Attempt, ClaimLimits, EnqueueError, Lease, LeaseError, LeasedTask, Replan, Replanning, ReturnedTask, TaskFailure, Tasks},
    },
    swarm::stuck,
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::{collections::BTreeMap, sync::Arc};

pub(super) const RETURNED: &str = "SELECT task, tasks.status, worker_id, tasks.state_version, attempt, feedback, tasks.reason, \
     tasks.goal_version <> campaigns.goal_version \
     FROM campaigns CROSS JOIN tasks USING (campaign_id) WHERE campaigns.status = 'running' AND tasks.status = 'returned' LIMIT ?1";

#[async_trait]
impl Tasks for SqliteStore {
    async fn enqueue(&self, tasks: &[AgentTask]) -> Result<usize, EnqueueError> {
        let tasks: Vec<Planned> = tasks.iter().map(|task| Planned { json: to_json(task), task: task.clone() }).collect();
        // Only what depends on another task can turn out to be wrong once something is written.
        if tasks.iter().all(|planned| planned.task.depends_on.is_empty()) {
            return self.write_after_checks(move |db| enqueue(db, &tasks)).await;
        }
        self.write(move |db| enqueue(db, &tasks)).await
    }

    async fn claim(
        &self,
        worker_id: &str,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
        limits: &ClaimLimits,
    ) -> Result<Option<LeasedTask>, StoreError> {
        self.claim_in_turn(worker_id.to_owned(), now, lease_until, *limits).await
    }

    async fn renew(&self, lease: &Lease, lease_until: DateTime<Utc>) -> Result<(), LeaseError> {
        let lease = lease.clone();
        self.write(move |db| {
            if !is_held(db, &lease)? {
                return Err(LeaseError::LeaseLost);
            }
            let renew = "UPDATE tasks SET lease_until = ?2 WHERE number = ?1";
            db.execute(renew, params![lease.number, micros(lease_until)]).map(drop).or_store_error()?;
            Ok(())
        })
        .await
    }

    async fn release(&self, lease: &Lease) -> Result<(), LeaseError> {
        let lease = lease.clone();
        self.write(move |db| {
            if !is_held(db, &lease)? {
                return Err(LeaseError::LeaseLost);
            }
            if campaigns::has_moved(db, lease.task_id)? {
                return Ok(task_rows::send_back(db, lease.task_id, "the program stopped, and the campaign has moved since", None)?);
            }
            Ok(task_rows::put_back(db, lease.task_id)?)
        })
        .await
    }

    async fn finish(&self, lease: &Lease, result: &WorkerResult) -> Result<(), LeaseError> {
        if result.task_id != lease.task_id {
            return Err(StoreError::Failed(Box::new(ResultOfAnotherTask { of: result.task_id, leased: lease.task_id })).into());
        }
        let finished = Finished { lease: lease.clone(), result_id: result.result_id, json: to_json(result) };
        self.finished.ask(&self.writer, finished).await?
    }

    async fn fail(&self, lease: &Lease, failure: &TaskFailure) -> Result<(), LeaseError> {
        let (lease, failure) = (lease.clone(), failure.clone());
        self.write(move |db| fail(db, &lease, &failure)).await
    }

    async fn is_told_elsewhere(&self, task: &AgentTask) -> Result<bool, StoreError> {
        let (first, last) = task.task_id.family();
        let (agent, campaign) = (task.context.agent_id.clone(), task.context.campaign_id.clone());
        let (task_id, platform) = (task.task_id.to_string(), task.acceptance_criteria.as_ref().map(|criteria| criteria.platform.clone()));
        self.read(move |db| {
            let told = params![first, last, agent, campaign, task_id, platform];
            db.prepare_cached(TOLD_ELSEWHERE).and_then(|mut find| find.exists(told)).or_store_error()
        })
        .await
    }

    async fn attempts(&self, task_id: UuidV4) -> Result<Vec<Attempt>, StoreError> {
        self.read(move |db| attempts(db, task_id)).await
    }

    async fn has_any(&self, ids: &[UuidV4]) -> Result<bool, StoreError> {
        let ids = ids.to_vec();
        self.read(move |db| {
            let mut find = db.prepare_cached("SELECT 1 FROM tasks WHERE task_id = ?1").or_store_error()?;
            for id in ids {
                if find.exists([id.to_string()]).or_store_error()? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
        .await
    }

    async fn of_campaign(&self, campaign_id: &str) -> Result<Vec<AgentTask>, StoreError> {
        let campaign_id = campaign_id.to_owned();
        let select = format!("SELECT {COLUMNS} FROM tasks WHERE campaign_id = ?1 ORDER BY number");
        self.read(move |db| rows(db, &select, [campaign_id], task)).await
    }
}

#[async_trait]
impl Replanning for SqliteStore {
    async fn returned(&self, limit: usize) -> Result<Vec<ReturnedTask>, StoreError> {
        let read = |row: &Row<'_>| {
            let reason: Option<String> = row.get(6)?;
            Ok(ReturnedTask { task: task(row)?, reason: reason.unwrap_or_default(), goal_changed: row.get(7)? })
        };
        self.read(move |db| rows(db, RETURNED, [from_limit(limit)], read)).await
    }

    async fn replan(&self, task_id: UuidV4, word: &Replan, at: DateTime<Utc>) -> Result<(), StoreError> {
        let word = word.clone();
        self.write(move |db| replan(db, task_id, &word, at)).await
    }
}

/// A task and its JSON, which the writing thread need not make.
struct Planned {
    task: AgentTask,
    json: String,
}

fn enqueue(db: &Connection, tasks: &[Planned]) -> Result<usize, EnqueueError> {
    let mut standings: BTreeMap<&str, Standing> = BTreeMap::new();
    for Planned { task, .. } in tasks {
        let campaign_id = task.context.campaign_id.as_str();
        let standing = match standings.get(campaign_id) {
            Some(known) => *known,
            None => *standings.entry(campaign_id).or_insert(campaigns::standing(db, campaign_id)?),
        };
        if standing.state_version != task.state_version {
            let (planned, now) = (task.state_version, standing.state_version);
            return Err(EnqueueError::StateMoved { campaign_id: campaign_id.to_owned(), planned, now });
        }
    }
    let mut added = Vec::with_capacity(tasks.len());
    for planned in tasks {
        if insert(db, planned, &standings[planned.task.context.campaign_id.as_str()])? {
            added.push(&planned.task);
        }
    }
    // After all tasks, so that a plan may list them in any order.
    let dependent = || added.iter().filter(|task| !task.depends_on.is_empty());
    for task in dependent() {
        add_dependencies(db, task)?;
    }
    for task in dependent() {
        give_up_if_hopeless(db, task)?;
    }
    Ok(added.len())
}

fn insert(db: &Connection, planned: &Planned, standing: &Standing) -> Result<bool, StoreError> {
    let task = &planned.task;
    let state = match standing.status {
        CampaignStatus::Running => TaskState::Pending,
        CampaignStatus::Draft | CampaignStatus::Paused | CampaignStatus::Exhausted | CampaignStatus::Deleted => {
            after(TaskState::Pending, TaskEvent::Return)?
        }
    };
    let insert = "INSERT OR FAIL INTO tasks (task_id, campaign_id, agent_id, priority, created_at, task, status, worker_id, state_version, goal_version, attempt, feedback, held, run_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, ?8, ?9, ?10, ?11, EXISTS (SELECT 1 FROM work_stops WHERE scope = ?3), \
         (SELECT not_before FROM planned_tasks WHERE planned_tasks.task_id = ?1)) ON CONFLICT DO NOTHING";
    let mut insert = db.prepare_cached(insert).or_store_error()?;
    let row = params![
        task.task_id.to_string(),
        task.context.campaign_id,
        task.context.agent_id,
        task.priority as i64,
        micros(task.created_at.0),
        planned.json,
        state.name(),
        from_count(task.state_version)?,
        from_count(standing.goal_version)?,
        task.attempt,
        task.feedback
    ];
    Ok(insert.execute(row).or_store_error()? > 0)
}

fn add_dependencies(db: &Connection, task: &AgentTask) -> Result<(), StoreError> {
    let task_id = task.task_id.to_string();
    for dependency in &task.depends_on {
        db.execute(
            "INSERT INTO task_dependencies (task_id, depends_on) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            [&task_id, &dependency.to_string()],
        )
        .or_store_error()?;
    }
    db.execute(
        "UPDATE tasks SET blocked_by = (SELECT count(*) FROM task_dependencies AS on_earlier JOIN tasks AS earlier ON earlier.task_id = depends_on \
         WHERE on_earlier.task_id = ?1 AND earlier.status <> 'complete') WHERE task_id = ?1",
        [&task_id],
    )
    .map(drop)
    .or_store_error()
}

/// A plan may come to build on a task that was given up before.
fn give_up_if_hopeless(db: &Connection, task: &AgentTask) -> Result<(), StoreError> {
    let find = "SELECT depends_on FROM task_dependencies AS on_earlier JOIN tasks AS earlier ON earlier.task_id = depends_on \
         WHERE on_earlier.task_id = ?1 AND earlier.status = 'given_up' LIMIT 1";
    let mut find = db.prepare_cached(find).or_store_error()?;
    let failed: Option<UuidV4> = find.query_row([task.task_id.to_string()], |row| parsed(row, 0)).optional().or_store_error()?;
    let Some(failed) = failed else { return Ok(()) };
    if task_rows::state_of(db, task.task_id)?.is_ended() {
        return Ok(());
    }
    let reason = task_rows::because_of(failed);
    task_rows::record_rejection(db, task, &reason, task.created_at.0)?;
    task_rows::give_up(db, task.task_id, &reason, task.created_at.0)
}

#[derive(Debug, thiserror::Error)]
#[error("the result is of task {of}, the lease of task {leased}")]
struct ResultOfAnotherTask {
    of: UuidV4,
    leased: UuidV4,
}

/// A result, and the lease that it ends.
pub(super) struct Finished {
    lease: Lease,
    result_id: UuidV4,
    json: String,
}

pub(super) type FinishDesk = Desk<Finished, Result<(), LeaseError>>;

pub(super) fn desk() -> Arc<FinishDesk> {
    Desk::new(finish_all)
}

/// The fence and the change in one: whether this very lease was the task's present one, which it is no longer.
const FINISH: &str = "UPDATE OR FAIL tasks SET status = ?4, lease_until = NULL, reason = NULL \
     WHERE number = ?1 AND task_id = ?2 AND lease_no = ?3 AND status = ?5";
const ADD_RESULT: &str = "INSERT OR FAIL INTO results (result_id, task_number, lease_no, result) VALUES (?1, ?2, ?3, ?4)";

fn finish_all(db: &Connection, all: &[Finished]) -> Answers<Result<(), LeaseError>> {
    let held = TaskState::InProgress;
    let finished = after(held, TaskEvent::Finish)?;
    let (mut finish, mut add) = (db.prepare_cached(FINISH).or_store_error()?, db.prepare_cached(ADD_RESULT).or_store_error()?);
    let mut answers = Vec::with_capacity(all.len());
    for Finished { lease, result_id, json } in all {
        let (result_id, lease_no) = (result_id.to_string(), from_count(lease.lease_no)?);
        let of = params![lease.number, lease.task_id.to_string(), lease_no, finished.name(), held.name()];
        answers.push(Ok(if finish.execute(of).or_store_error()? > 0 {
            add.execute(params![result_id, lease.number, lease_no, json]).or_store_error()?;
            Ok(())
        } else if was_finished(db, lease, lease_no, &result_id)? {
            Ok(())
        } else {
            Err(LeaseError::LeaseLost)
        }));
    }
    Ok(answers)
}

/// A Worker that did not hear our answer says the same again.
fn was_finished(db: &Connection, lease: &Lease, lease_no: i64, result_id: &str) -> Result<bool, StoreError> {
    let known = "SELECT EXISTS (SELECT 1 FROM results WHERE task_number = ?1 AND lease_no = ?2 AND result_id = ?3)";
    db.query_row(known, params![lease.number, lease_no, result_id], |row| row.get(0)).or_store_error()
}

/// The fence: whether this very lease is the task's present one.
fn is_held(db: &Connection, lease: &Lease) -> Result<bool, StoreError> {
    let held = "SELECT EXISTS (SELECT 1 FROM tasks WHERE number = ?1 AND task_id = ?2 AND lease_no = ?3 AND status = 'in_progress')";
    let lease = params![lease.number, lease.task_id.to_string(), from_count(lease.lease_no)?];
    db.query_row(held, lease, |row| row.get(0)).or_store_error()
}

fn fail(db: &Connection, lease: &Lease, failure: &TaskFailure) -> Result<(), LeaseError> {
    if !is_held(db, lease)? {
        return Err(LeaseError::LeaseLost);
    }
    let select = format!("SELECT {COLUMNS} FROM tasks WHERE task_id = ?1");
    let task = db.query_row(&select, [lease.task_id.to_string()], task).or_store_error()?;
    let is_last = task.attempt >= failure.attempts_max;
    let unpaid = if is_last { None } else { campaigns::cannot_draw_again(db, lease.number)? };
    remember_failure(db, lease, &task, failure, is_last || unpaid.is_some())?;
    if is_last || unpaid.is_some() {
        let reason = unpaid.map_or_else(|| failure.reason.clone(), |unpaid| format!("{}; {unpaid}", failure.reason));
        task_rows::record_rejection(db, &task, &reason, failure.now)?;
        if failure.is_refused {
            return Ok(task_rows::give_up(db, task.task_id, &reason, failure.now)?);
        }
        task_rows::advance(db, task.task_id, TaskEvent::Ask, Some(&reason))?;
        judgements::add_review(db, &stuck::review(&task, &attempts(db, task.task_id)?, &reason, failure.now))?;
    } else if campaigns::has_moved(db, task.task_id)? {
        task_rows::send_back(db, task.task_id, &failure.reason, Some(&failure.reason))?;
    } else {
        let run_at = (failure.again_at > failure.now).then(|| micros(failure.again_at));
        task_rows::retry(db, task.task_id, &failure.reason, run_at)?;
    }
    Ok(())
}

/// For whoever looks at the agent: the newest one counts.
fn remember_failure(db: &Connection, lease: &Lease, task: &AgentTask, failure: &TaskFailure, is_final: bool) -> Result<(), StoreError> {
    let remember = "INSERT INTO failures (agent_id, task_number, at, reason, is_final, last_post) \
         VALUES (?1, ?2, ?3, ?4, ?5, (SELECT ifnull(max(number), 0) FROM posts WHERE agent_id = ?1)) \
         ON CONFLICT DO UPDATE SET task_number = excluded.task_number, at = excluded.at, reason = excluded.reason, \
         is_final = excluded.is_final, last_post = excluded.last_post";
    let row = params![task.context.agent_id, lease.number, micros(failure.now), failure.reason, is_final];
    db.prepare_cached(remember).and_then(|mut remember| remember.execute(row)).map(drop).or_store_error()
}

/// The ids of one story's tasks stand together.
pub(super) const TOLD_ELSEWHERE: &str = "SELECT 1 FROM tasks WHERE task_id BETWEEN ?1 AND ?2 AND agent_id = ?3 \
     AND json_extract(task, '$.acceptance_criteria.platform') = ?6 AND status <> 'given_up' AND json_extract(task, '$.task_type') = 'generate_content' \
     AND (campaign_id <> ?4 OR task_id <> ?5 AND goal_version = (SELECT goal_version FROM campaigns WHERE campaign_id = ?4))";

/// With the Judge's reason, and a person's answer to the review of that very result.
pub(super) const ATTEMPTS: &str = "SELECT result, json_extract(decision, '$.reason'), answer FROM tasks JOIN results ON results.task_number = tasks.number \
     JOIN decisions ON decisions.result_id = results.result_id \
     LEFT JOIN reviews ON reviews.task_id = tasks.task_id AND json_extract(review, '$.result_id') = results.result_id AND answer IS NOT NULL \
     WHERE tasks.task_id = ?1 ORDER BY results.number";

pub(super) fn attempts(db: &Connection, task_id: UuidV4) -> Result<Vec<Attempt>, StoreError> {
    let read = |row: &Row<'_>| Ok(Attempt { result: json(row, 0)?, judged: row.get(1)?, answer: if_any(row, 2, json)? });
    rows(db, ATTEMPTS, [task_id.to_string()], read)
}

fn replan(db: &Connection, task_id: UuidV4, word: &Replan, at: DateTime<Utc>) -> Result<(), StoreError> {
    if task_rows::state_of(db, task_id)? != TaskState::Returned {
        return Ok(());
    }
    match word {
        Replan::Rearm => {
            task_rows::advance(db, task_id, TaskEvent::Rearm, None)?;
            let arm = "UPDATE tasks SET state_version = campaigns.state_version, goal_version = campaigns.goal_version, \
                 run_at = (SELECT not_before FROM planned_tasks WHERE planned_tasks.task_id = tasks.task_id) \
                 FROM campaigns WHERE tasks.task_id = ?1 AND campaigns.campaign_id = tasks.campaign_id";
            db.execute(arm, [task_id.to_string()]).map(drop).or_store_error()
        }
        Replan::Prune { reason } => {
            let select = format!("SELECT {COLUMNS} FROM tasks WHERE task_id = ?1");
            let pruned = db.query_row(&select, [task_id.to_string()], task).or_store_error()?;
            task_rows::record_rejection(db, &pruned, reason, at)?;
            task_rows::give_up(db, task_id, reason, at)
        }
    }
}
