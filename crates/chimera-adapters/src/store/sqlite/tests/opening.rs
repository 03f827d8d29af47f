//! Which files are opened, which are refused, and that a refused one is left as it was.

use super::super::{OpenError, OrStoreError, SqliteStore, columns::rows, migrations::STEPS, open::APPLICATION_ID};
use chimera_core::{
    contracts::UuidV4,
    ports::{StoreError, ledger::Ledger, swarm::Outbox},
};
use rusqlite::Connection;
use std::{fs, path::Path};

fn refusal(path: &Path) -> OpenError {
    SqliteStore::open(path).err().expect("it is refused")
}

#[test]
fn many_may_open_a_new_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.db");

    let opened: Vec<_> = std::thread::scope(|scope| {
        let openers: Vec<_> = (0..8).map(|_| scope.spawn(|| SqliteStore::open(&path))).collect();
        openers.into_iter().map(|opener| opener.join().unwrap()).collect()
    });

    for outcome in opened {
        assert!(outcome.is_ok(), "{:?}", outcome.err());
    }
}

#[tokio::test]
async fn every_write_is_synced_to_a_write_ahead_log() {
    let (_folder, store) = super::fresh();

    let settings: Vec<String> = store
        .write(|db| {
            let setting = |name: &str| db.query_row(&format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}"), [], |row| row.get(0));
            ["journal_mode", "synchronous", "foreign_keys"].into_iter().map(setting).collect::<Result<_, _>>().or_store_error()
        })
        .await
        .unwrap();

    assert_eq!(settings, ["wal", "2", "1"]);
}

#[test]
fn a_file_of_a_newer_program_is_refused_and_left_as_it_was() {
    let (folder, store) = super::fresh();
    let path = folder.path().join("chimera.db");
    drop(store);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&path).unwrap();

    let error = refusal(&path);

    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error:?}");
    assert!(error.to_string().contains("newer chimera"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn files_that_are_not_ours_are_refused_and_left_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let text = folder.path().join("text.db");
    fs::write(&text, "not a database, but a longer piece of text than any header of one. ".repeat(100)).unwrap();
    let damaged = folder.path().join("damaged.db");
    drop(SqliteStore::open(&damaged).unwrap());
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[100..4096].fill(0xa5);
    fs::write(&damaged, bytes).unwrap();

    for path in [&foreign, &text, &damaged] {
        let before = fs::read(path).unwrap();
        let error = refusal(path);
        assert!(matches!(error, OpenError::NotOurs { .. }), "{error:?}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

#[tokio::test]
async fn a_damaged_page_is_reported_and_not_read() {
    let (folder, store) = super::fresh();
    let path = folder.path().join("chimera.db");
    let root_page: u32 = store
        .read(|db| db.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'ledger'", [], |row| row.get(0)).or_store_error())
        .await
        .unwrap();
    store.close().await;
    let root_page = root_page as usize;
    let mut bytes = fs::read(&path).unwrap();
    bytes[(root_page - 1) * 4096..root_page * 4096].fill(0xa5);
    fs::write(&path, bytes).unwrap();

    let damaged = SqliteStore::open(&path).unwrap();
    let error = damaged.verify().await.unwrap_err();

    assert!(matches!(&error, StoreError::Corrupt(what) if what.contains("last good copy")), "{error:?}");
}

#[test]
fn a_folder_that_is_missing_or_cannot_be_written_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [folder.path().join("missing/chimera.db"), file.join("chimera.db"), folder.path().to_owned()] {
        let error = refusal(&path);
        let OpenError::Store { path: named, source: StoreError::NotWritable { hint, .. } } = &error else { panic!("{error:?}") };
        assert_eq!(*named, path);
        assert!(hint.contains("data folder"), "{hint}");
    }
}

/// The last step before tasks were referred to by number.
const BY_ID: usize = 15;

#[tokio::test]
async fn what_belonged_to_a_task_by_its_id_belongs_to_it_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.db");
    let old = Connection::open(&path).unwrap();
    old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    for step in &STEPS[..BY_ID] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "user_version", BY_ID as i64).unwrap();
    old.execute_batch(
        "INSERT INTO campaigns (campaign_id, goal, state_version) VALUES ('c', '{}', 1);
         INSERT INTO tasks (number, task_id, campaign_id, agent_id, priority, created_at, task, status, state_version, attempt)
             VALUES (7, 'first', 'c', 'selam', 1, 1, '{}', 'complete', 1, 1), (9, 'second', 'c', 'selam', 1, 1, '{}', 'review', 1, 1);
         INSERT INTO task_dependencies (task_id, depends_on) VALUES ('second', 'first');
         INSERT INTO results (result_id, task_id, lease_no, result, decision_id) VALUES ('r1', 'first', 1, '{}', 'd1'), ('r2', 'second', 3, '{}', NULL);
         INSERT INTO decisions (decision_id, result_id, task_id, decision) VALUES ('d1', 'r1', 'first', '{\"decision\": \"approve\"}'), ('d2', NULL, 'of a wallet', '{\"decision\": \"reject\"}');
         INSERT INTO posts (post_id, task_id, result_id, campaign_id, agent_id, platform, text, status, reason)
             VALUES ('p', 'first', 'r1', 'c', 'selam', 'mastodon', 'said', 'approved', 'it waits');",
    )
    .unwrap();
    drop(old);

    let store = SqliteStore::open(&path).unwrap();

    let told = |sql: &'static str| store.read(move |db| rows(db, sql, [], |row| row.get::<_, String>(0)));
    let results =
        "SELECT concat_ws(' ', task_id, result_id, results.lease_no, decision_id) FROM results JOIN tasks ON tasks.number = task_number";
    assert_eq!(told(results).await.unwrap(), ["first r1 1 d1", "second r2 3"]);
    let decisions = "SELECT concat_ws(' ', decision_id, result_id, task_id, task_number, verdict) FROM decisions ORDER BY number";
    assert_eq!(told(decisions).await.unwrap(), ["d1 r1 first 7 approve", "d2 of a wallet reject"]);
    let posts = "SELECT concat_ws(' ', post_id, task_number, task_id, text, status, reason, readings) FROM posts";
    assert_eq!(told(posts).await.unwrap(), ["p 7 first said approved it waits 0"]);
    assert_eq!(told("SELECT task_id || ' ' || depends_on FROM task_dependencies").await.unwrap(), ["second first"]);
    assert_eq!(told("SELECT \"table\" FROM pragma_foreign_key_check").await.unwrap(), [""; 0]);
    // Steps are told as before.
    store.write(|db| db.execute("UPDATE tasks SET status = 'complete' WHERE number = 9", []).or_store_error()).await.unwrap();
    assert_eq!(told("SELECT subject FROM events WHERE number = (SELECT max(number) FROM events)").await.unwrap(), ["second"]);
    store.write(|db| db.execute("UPDATE posts SET status = 'dry_run'", []).or_store_error()).await.unwrap();
    assert_eq!(told("SELECT subject FROM events WHERE number = (SELECT max(number) FROM events)").await.unwrap(), ["p"]);
}

/// The last step before every send had a row.
const BEFORE_SENDS: usize = 19;

#[tokio::test]
async fn what_may_have_left_before_sends_were_counted_counts_and_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.db");
    let old = Connection::open(&path).unwrap();
    old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    for step in &STEPS[..BEFORE_SENDS] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "user_version", BEFORE_SENDS as i64).unwrap();
    let post_ids: Vec<UuidV4> = (0..4).map(|_| UuidV4::random()).collect();
    let id = UuidV4::random();
    old.execute("INSERT INTO campaigns (campaign_id, goal, state_version) VALUES ('c', '{}', 1)", []).unwrap();
    for (number, (post_id, status)) in (1..).zip(post_ids.iter().zip(["published", "unknown", "sending", "approved"])) {
        let insert = "INSERT INTO posts (number, task_number, post_id, task_id, result_id, campaign_id, agent_id, platform, text, status, attempts, begun_at, marked_at) \
             VALUES (?1, ?1, ?2, ?3, ?3, 'c', 'selam', 'linkedin', 'said', ?4, 3, 7000000, 8000000)";
        old.execute(insert, rusqlite::params![number, post_id.to_string(), id.to_string(), status]).unwrap();
    }
    drop(old);

    let store = SqliteStore::open(&path).unwrap();

    let told = |sql: &'static str| store.read(move |db| rows(db, sql, [], |row| row.get::<_, String>(0)));
    let posts = "SELECT concat_ws(' ', status, sends, repeatable_until) FROM posts ORDER BY number";
    assert_eq!(told(posts).await.unwrap(), ["published 3", "sending 3", "sending 3", "approved 0"]);
    assert_eq!(told("SELECT concat_ws(' ', post_number, platform, at) FROM sends").await.unwrap().len(), 3);
    let waiting = store.waiting("2026-11-17T00:00:00Z".parse().unwrap(), 10).await.unwrap();
    let repeatable: Vec<bool> =
        waiting.iter().map(|post| post.last_send.as_ref().is_none_or(|last| last.repeatable_until.is_some())).collect();
    assert_eq!(repeatable, [false, false, true], "what was sent is not repeated");
}

/// The last step before there were views.
const BEFORE_VIEWS: usize = 23;

#[tokio::test]
async fn what_was_there_before_there_were_views_is_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.db");
    let old = Connection::open(&path).unwrap();
    old.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    for step in &STEPS[..BEFORE_VIEWS] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "user_version", BEFORE_VIEWS as i64).unwrap();
    old.execute_batch(
        "INSERT INTO campaigns (campaign_id, goal, state_version) VALUES ('c', '{\"agent_ids\": [\"selam\", \"omar\", \"selam\"]}', 1);
         INSERT INTO tasks (number, task_id, campaign_id, agent_id, priority, created_at, task, status, state_version, goal_version, attempt)
             VALUES (7, 't1', 'c', 'selam', 1, 1, '{}', 'complete', 1, 1, 1), (8, 't2', 'c', 'selam', 1, 1, '{}', 'given_up', 1, 1, 1),
             (9, 't3', 'c', 'selam', 1, 1, '{}', 'pending', 1, 1, 1);
         INSERT INTO posts (task_number, post_id, task_id, result_id, campaign_id, agent_id, platform, text, status, review_id)
             VALUES (7, 'p', 't1', 'r1', 'c', 'selam', 'mastodon', 'said', 'published', 'asked');
         INSERT INTO reviews (review_id, task_id, review, status, asked_at, answer) VALUES
             ('asked', 't1', '{\"agent_id\": \"selam\", \"artifact\": {}}', 'pending', 5, NULL),
             ('paid', 'x', '{\"agent_id\": \"omar\", \"transaction\": {}}', 'approved', 5, '{\"reviewed_at\": \"1970-01-01T00:00:01.500Z\"}'),
             ('stuck', 't2', '{\"agent_id\": \"selam\"}', 'expired', 6, NULL),
             ('draft', 't3', '{\"agent_id\": \"selam\", \"artifact\": {}}', 'pending', 7, NULL);
         INSERT INTO trend_alerts (event_id, campaign_id, created_at, alert) VALUES ('e', 'c', 1, '{\"agent_id\": \"omar\"}');
         INSERT INTO calendar (entry_id, campaign_id, at, content_type, resource_uris, status) VALUES
             ('later', 'c', 20, 'text', '[]', 'waiting'), ('sooner', 'c', 10, 'text', '[]', 'planned');",
    )
    .unwrap();
    drop(old);

    let store = SqliteStore::open(&path).unwrap();

    let told = |sql: &'static str| store.read(move |db| rows(db, sql, [], |row| row.get::<_, String>(0)));
    let reviews = "SELECT concat_ws(' ', review_id, agent_id, kind, closed_at) FROM reviews ORDER BY number";
    let expected = ["asked selam unknown_post", "paid omar money 1500000", "stuck selam stuck 6", "draft selam content"];
    assert_eq!(told(reviews).await.unwrap(), expected);
    let totals = "SELECT concat_ws(' ', campaign_id, planned, complete, given_up, published) FROM campaign_totals";
    assert_eq!(told(totals).await.unwrap(), ["c 3 1 1 1"]);
    assert_eq!(told("SELECT agent_id FROM campaign_agents ORDER BY agent_id").await.unwrap(), ["omar", "selam"]);
    assert_eq!(told("SELECT agent_id FROM trend_alerts").await.unwrap(), ["omar"]);
    assert_eq!(
        told("SELECT concat_ws(' ', number, entry_id, status) FROM calendar").await.unwrap(),
        ["1 sooner planned", "2 later waiting"]
    );
    let events = "SELECT DISTINCT task_number || ' ' || task_id FROM events WHERE task_number IS NOT NULL ORDER BY 1";
    assert_eq!(told(events).await.unwrap(), ["7 t1", "8 t2", "9 t3"]);
    // And sums go on from there.
    store.write(|db| db.execute("UPDATE tasks SET status = 'complete' WHERE number = 9", []).or_store_error()).await.unwrap();
    assert_eq!(told(totals).await.unwrap(), ["c 3 2 1 1"]);
}
