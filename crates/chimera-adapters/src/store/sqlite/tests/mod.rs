//! The ports' suites on SQLite, and what holds for the store as a whole.

mod acting;
mod assets;
mod claims;
mod crash;
mod deleting;
mod former_ids;
mod group_commit;
mod judging;
mod ledger_sealing;
mod ledger_tampering;
mod opening;
mod people;
mod publishing;
mod query_plans;
mod recorded;
mod retiring;
mod rulings;
mod swarm_orders;
mod transfers;
mod trouble;

use super::{OrStoreError, SqliteStore, columns, ledger};
use chimera_core::{ports::events::Events, testing::suites};
use chrono::DateTime;
use tempfile::TempDir;

fn fresh() -> (TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("chimera.db")).unwrap();
    (folder, store)
}

#[tokio::test]
async fn agents_hold_to_the_port() {
    suites::agents::all(fresh).await;
}

#[tokio::test]
async fn agents_lives_hold_to_the_port() {
    suites::agent_lives::all(fresh).await;
}

#[tokio::test]
async fn memories_hold_to_the_port() {
    suites::memories::all(fresh).await;
}

#[tokio::test]
async fn model_budgets_hold_to_the_port() {
    suites::model_budget::all(fresh).await;
}

#[tokio::test]
async fn the_ledger_holds_to_the_port() {
    suites::ledger::all(fresh, async |store: &SqliteStore, entry| store.write(move |db| ledger::append(db, &entry)).await).await;
}

#[tokio::test]
async fn readings_hold_to_the_port() {
    suites::readings::all(fresh).await;
}

#[tokio::test]
async fn plans_hold_to_the_port() {
    suites::plans::all(fresh).await;
}

#[tokio::test]
async fn perception_holds_to_the_port() {
    suites::perception::all(fresh).await;
}

#[tokio::test]
async fn campaigns_hold_to_the_port() {
    suites::campaigns::all(fresh).await;
}

#[tokio::test]
async fn tasks_hold_to_the_port() {
    suites::tasks::all(fresh).await;
}

#[tokio::test]
async fn judgements_hold_to_the_port() {
    suites::judgements::all(fresh).await;
}

#[tokio::test]
async fn the_outbox_holds_to_the_port() {
    suites::outbox::all(fresh).await;
}

#[tokio::test]
async fn unknown_posts_hold_to_the_port() {
    suites::unknown_posts::all(fresh).await;
}

#[tokio::test]
async fn the_calendar_holds_to_the_port() {
    suites::calendar::all(fresh).await;
}

#[tokio::test]
async fn mentions_hold_to_the_port() {
    suites::mentions::all(fresh).await;
}

#[tokio::test]
async fn engagements_hold_to_the_port() {
    suites::engagement::all(fresh).await;
}

#[tokio::test]
async fn reviews_hold_to_the_port() {
    suites::reviews::all(fresh).await;
}

#[tokio::test]
async fn the_backlog_holds_to_the_port() {
    suites::backlog::all(fresh).await;
}

#[tokio::test]
async fn events_hold_to_the_port() {
    suites::events::all(fresh).await;
}

#[tokio::test]
async fn events_neither_change_nor_go_away() {
    let (_folder, store) = fresh();
    for sql in ["UPDATE events SET state = 'complete'", "DELETE FROM events"] {
        let write = store.write(move |db| {
            let event = "INSERT INTO events (at, kind, state, subject) VALUES (1, 'task', 'pending', 'one')";
            db.execute(event, []).or_store_error()?;
            db.execute(sql, []).or_store_error()
        });
        let error: chimera_core::ports::StoreError = write.await.unwrap_err();
        assert!(format!("{error:?}").contains("events "), "{sql}: {error:?}");
    }
}

/// A function may fail, and SQLite copies every page that a statement touches when a trigger of it calls one.
#[tokio::test]
async fn no_step_of_a_task_calls_a_function_to_be_told() {
    let (_folder, store) = fresh();
    for step in [
        "INSERT OR FAIL INTO tasks (task_id, campaign_id, agent_id, priority, created_at, task, status, state_version, goal_version, attempt) \
         VALUES ('', '', '', 0, 0, '', '', 0, 0, 0)",
        "UPDATE OR FAIL tasks SET status = 'review' WHERE number = 1",
        "INSERT OR FAIL INTO decisions (decision_id, task_id, decision, verdict) VALUES ('', '', '', '')",
        "INSERT OR FAIL INTO posts (task_number, post_id, task_id, result_id, campaign_id, agent_id, platform, text, status) \
         VALUES (1, '', '', '', '', '', '', '', '')",
        "UPDATE OR FAIL posts SET status = 'published' WHERE number = 1",
        "INSERT OR FAIL INTO people (name, role, key, added_at) VALUES ('', '', x'', 0)",
        "INSERT OR FAIL INTO devices (cookie, name, change_key, signed_in_at, seen_at, until) VALUES (x'', '', x'', 0, 0, 0)",
        "INSERT OR FAIL INTO held_answers (review_id, task_id, by, answer, effective_at, state) VALUES ('', '', '', '', 0, '')",
        "UPDATE OR FAIL held_answers SET state = 'done' WHERE number = 1",
    ] {
        let explain = format!("EXPLAIN {step}");
        let opcodes = store.read(move |db| columns::rows(db, &explain, [], |row| row.get::<_, String>(1))).await.unwrap();
        assert!(opcodes.iter().any(|opcode| opcode == "Program"), "{step} has a trigger: {opcodes:?}");
        assert!(!opcodes.iter().any(|opcode| opcode.contains("Func")), "{step}: {opcodes:?}");
    }
}

#[tokio::test]
async fn an_event_has_the_time_of_its_write() {
    let (_folder, store) = fresh();
    for name in ["one", "two"] {
        let campaign = format!("INSERT INTO campaigns (campaign_id, goal, state_version) VALUES ('{name}', '{{}}', 1)");
        store.write(move |db| db.execute(&campaign, []).or_store_error()).await.unwrap();
    }
    let told = store.events(0, 9).await.unwrap();
    assert_eq!(told.iter().map(|event| event.subject.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert!(told[0].at > DateTime::from_timestamp(1_790_000_000, 0).unwrap() && told[0].at <= told[1].at, "{told:?}");
}

#[tokio::test]
async fn transfers_hold_to_the_port() {
    suites::transfers::all(fresh).await;
    suites::transfers::governance(fresh).await;
    suites::transfers::book(fresh).await;
}

#[tokio::test]
async fn queries_hold_to_the_port() {
    suites::queries::all(fresh).await;
}
