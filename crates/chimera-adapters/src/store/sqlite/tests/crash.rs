//! Processes that share the file, and processes that are killed at any moment: nothing acknowledged is lost, nothing is half there.

use super::super::{OrStoreError, SqliteStore, columns, ledger};
use chimera_core::{
    contracts::UuidV4,
    domain::ledger::Postings,
    ports::{
        StoreError,
        ledger::{Ledger, LedgerKind, LedgerVerdict, NewLedgerEntry},
    },
};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

const STORE_OF_CHILD: &str = "CHIMERA_TEST_CHILD_STORE";
const RUNS_DEFAULT: usize = 5;
const CALLERS: i64 = 16;

#[expect(clippy::disallowed_methods, reason = "a test's child and its count are told by the environment")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Not a test of its own: the process that the tests below start and kill. It prints every number that was acknowledged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_that_writes_until_it_is_killed() {
    let Some(path) = environment(STORE_OF_CHILD) else { return };
    let store = SqliteStore::open(Path::new(&path)).unwrap();
    let first = numbers(&store).await.last().map_or(0, |last| last + CALLERS);
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS {
        let store = store.clone();
        callers.spawn(async move {
            for number in (first + caller..).step_by(CALLERS as usize) {
                store.write(move |db| add(db, number)).await.unwrap();
                writeln!(std::io::stdout().lock(), "acknowledged {number}").unwrap();
            }
        });
    }
    callers.join_all().await;
}

/// Two tables in one write, so that half of it would show.
fn add(db: &rusqlite::Connection, number: i64) -> Result<(), StoreError> {
    db.execute("INSERT INTO numbers (value) VALUES (?1)", [number]).or_store_error()?;
    let entry = NewLedgerEntry {
        at: chrono::DateTime::UNIX_EPOCH,
        kind: LedgerKind::Payment,
        agent: Some("selam".parse().unwrap()),
        task_id: Some(UuidV4::random()),
        facts: serde_json::json!({ "number": number }),
        postings: Postings::none(),
    };
    ledger::append(db, &entry).map(drop)
}

async fn numbers(store: &SqliteStore) -> BTreeSet<i64> {
    let read = |db: &rusqlite::Connection| columns::rows(db, "SELECT value FROM numbers", [], |row| row.get(0));
    store.read(read).await.unwrap().into_iter().collect()
}

struct WritingChild {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl WritingChild {
    fn start(path: &Path) -> Self {
        let this_test = "store::sqlite::tests::crash::child_that_writes_until_it_is_killed";
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", this_test, "--nocapture"])
            .env(STORE_OF_CHILD, path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// `None` when the child has ended.
    fn next_acknowledged(&mut self) -> Option<i64> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // A line that the kill cut short acknowledges nothing; the test harness prints lines of its own.
            if let Some(number) = line.strip_suffix('\n').and_then(|line| line.rsplit_once("acknowledged ")) {
                return Some(number.1.parse().unwrap());
            }
        }
    }
}

impl Drop for WritingChild {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn with_numbers(folder: &Path) -> (PathBuf, SqliteStore) {
    let path = folder.join("chimera.db");
    let store = SqliteStore::open(&path).unwrap();
    let create = |db: &rusqlite::Connection| db.execute_batch("CREATE TABLE numbers (value INTEGER PRIMARY KEY)").or_store_error();
    store.write(create).await.unwrap();
    (path, store)
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = with_numbers(folder.path()).await;
    drop(store);
    let runs = environment("CHIMERA_TEST_KILLS").and_then(|count| count.parse().ok()).unwrap_or(RUNS_DEFAULT);
    let mut acknowledged = BTreeSet::new();

    for _ in 0..runs {
        let mut child = WritingChild::start(&path);
        let mut dice = [0];
        getrandom::fill(&mut dice).unwrap();
        for _ in 0..=dice[0] {
            acknowledged.insert(child.next_acknowledged().expect("the child writes until it is killed"));
        }
        child.child.kill().unwrap();
        acknowledged.extend(std::iter::from_fn(|| child.next_acknowledged()));
        drop(child);

        let store = SqliteStore::open(&path).unwrap();
        let kept = numbers(&store).await;
        let lost: Vec<&i64> = acknowledged.difference(&kept).collect();
        assert!(lost.is_empty(), "{lost:?} of {} were lost", acknowledged.len());
        let whole = LedgerVerdict::sound(kept.len() as u64);
        assert_eq!(store.verify().await.unwrap(), whole);
        let sound: String = store.read(|db| db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).or_store_error()).await.unwrap();
        assert_eq!(sound, "ok");
    }
}

#[tokio::test]
async fn a_second_process_reads_and_writes_while_the_first_writes() {
    let folder = tempfile::tempdir().unwrap();
    let (path, store) = with_numbers(folder.path()).await;
    let mut child = WritingChild::start(&path);

    for ours in -20..0 {
        let theirs = child.next_acknowledged().expect("the child writes until it is killed");
        assert!(numbers(&store).await.contains(&theirs));
        store.write(move |db| add(db, ours)).await.unwrap();
    }
    drop(child);

    let kept = numbers(&store).await;
    assert!((-20..0).all(|ours| kept.contains(&ours)));
    assert_eq!(store.verify().await.unwrap(), LedgerVerdict::sound(kept.len() as u64));
}
