//! Is the database the one that the signed head knows? Asked before anything is reserved, signed or handed over, once for each
//! transaction that does so.
//!
//! Three things are looked at. *The files*: SQLite goes on with the file that it has open, whatever is put at its path meanwhile, so the
//! path must still lead there. *The contents*: only SQLite writes into the database file, when it folds its log into it. Whoever else does
//! leaves another time of change than the one that was noted after SQLite's last; then the database is checked whole, on a connection of
//! its own, since the pages that SQLite keeps in memory would hide what is in the file now. *The head*: the entry that it names must be
//! there.

use super::{
    super::{OrStoreError, columns::time, open},
    file_state::{FileState, with_suffix},
    from_count,
    head::{FoundHead, Head, holds},
    seal::Seal,
    verify,
};
use crate::locking::locked;
use chimera_core::{
    domain::freeze::Freeze,
    ports::{StoreError, ledger::CONTRADICTED_WAY_ON},
};
use rusqlite::{Connection, params};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

/// Why nothing may be spent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum Contradiction {
    #[error("the database file was replaced while chimera had it open; stop chimera before you put files back")]
    Replaced,
    /// For as long as the program runs: SQLite may have pages in memory that belong to neither file.
    #[error("the database file was changed by something else than chimera; stop chimera before you put files back: {0}")]
    Changed(String),
    #[error("ledger.head, the signed record of how far the ledger goes, is missing")]
    NoHead,
    #[error("ledger.head is not signed by this node: it was changed, or is of another data folder")]
    ForgedHead,
    #[error(
        "ledger.head says that the ledger reached entry {0}, and the database does not hold that entry: it is an old copy, or another's"
    )]
    NotHeld(u64),
}

pub(in super::super) struct Guard {
    database: PathBuf,
    log: PathBuf,
    /// The database file as SQLite left it, for the other processes of this data folder and for the next start.
    note: PathBuf,
    busy_timeout: Duration,
    state: Mutex<State>,
}

struct State {
    /// What SQLite has open.
    inode: Option<u64>,
    log_inode: Option<u64>,
    /// The database file as SQLite left it, as far as this process knows.
    left: Option<FileState>,
    /// As it was when the writer's transaction began.
    seen: Option<FileState>,
    /// What is wrong with the contents that `left` stands for.
    damage: Option<Contradiction>,
    head: Option<(FileState, FoundHead)>,
    /// Of the writer's transaction, once it has asked.
    verdict: Option<Result<(), Contradiction>>,
    /// Once for each, and not for every transfer that is refused.
    has_complained: bool,
}

impl State {
    fn decide(&mut self, verdict: Result<(), Contradiction>) {
        match &verdict {
            Ok(()) => self.has_complained = false,
            Err(contradiction) if !self.has_complained => {
                self.has_complained = true;
                tracing::error!("nothing is paid any more: {contradiction}; {CONTRADICTED_WAY_ON}");
            }
            Err(_) => {}
        }
        self.verdict = Some(verdict);
    }
}

/// Whether a log that was not folded in lies beside the database. Ask before the database is opened.
pub(in super::super) fn has_log(database: &Path) -> bool {
    fs::metadata(with_suffix(database, "-wal")).is_ok_and(|log| log.len() > 0)
}

impl Guard {
    /// Right after the database was opened. `had_log`: what the file and the log hold together may be of two different times. A file that is
    /// not as SQLite left it is checked before anything is spent. Where nobody noted how that was, and there is no log, the head alone tells
    /// whether the file is an old one.
    pub(in super::super) fn new(database: &Path, busy_timeout: Duration, had_log: bool) -> Self {
        let (log, note) = (with_suffix(database, "-wal"), with_suffix(database, "-seen"));
        let now = FileState::of(database);
        let noted = FileState::read(&note);
        let left = if had_log || noted.is_some() { noted } else { now };
        let state = State {
            inode: now.map(|state| state.inode),
            log_inode: FileState::of(&log).map(|state| state.inode),
            left,
            seen: now,
            damage: None,
            head: None,
            verdict: None,
            has_complained: false,
        };
        let guard = Self { database: database.to_owned(), log, note, busy_timeout, state: Mutex::new(state) };
        if left == now {
            guard.note(now);
        }
        guard
    }

    pub(super) fn before_write(&self) {
        let state = &mut *locked(&self.state);
        state.verdict = None;
        let now = FileState::of(&self.database);
        if now != state.seen && now != state.left && now == FileState::read(&self.note) {
            // Another process of this folder has folded the log in.
            state.left = now;
        }
        state.seen = now;
    }

    /// What changed the file since `before_write` was SQLite itself.
    pub(super) fn after_write(&self) {
        let state = &mut *locked(&self.state);
        let now = FileState::of(&self.database);
        if now != state.seen && state.seen == state.left {
            state.left = now;
            self.note(now);
        }
    }

    fn note(&self, state: Option<FileState>) {
        if let Some(state) = state
            && FileState::read(&self.note) != Some(state)
            && let Err(error) = state.write(&self.note)
        {
            tracing::debug!(%error, "the state of the database file could not be noted");
        }
    }

    fn is_replaced(&self, state: &State, now: Option<FileState>) -> bool {
        let leads_elsewhere = |opened: Option<u64>, now: Option<FileState>| opened.is_some() && opened != now.map(|now| now.inode);
        leads_elsewhere(state.inode, now) || leads_elsewhere(state.log_inode, FileState::of(&self.log))
    }

    /// The head that the database must hold.
    fn look(&self, seal: &Seal, state: &mut State) -> io::Result<Result<Head, Contradiction>> {
        if let Some(damage) = &state.damage {
            return Ok(Err(damage.clone()));
        }
        let Some(file) = seal.head_file.state() else { return Ok(Err(Contradiction::NoHead)) };
        let found = match &state.head {
            Some((known, found)) if *known == file => found.clone(),
            _ => {
                let found = seal.head_file.read(&seal.key)?;
                state.head = Some((file, found.clone()));
                found
            }
        };
        Ok(match found {
            FoundHead::Signed(head) => Ok(head),
            FoundHead::Forged => Err(Contradiction::ForgedHead),
            FoundHead::Missing => Err(Contradiction::NoHead),
        })
    }

    /// For the writer, inside its transaction.
    pub(super) fn ask_writer(&self, seal: &Seal) -> io::Result<Asked> {
        let state = &mut *locked(&self.state);
        if let Some(verdict) = &state.verdict {
            return Ok(verdict.clone().map_or_else(Asked::Contradicted, |()| Asked::Fine));
        }
        let looked = if self.is_replaced(state, state.seen) {
            Err(Contradiction::Replaced)
        } else {
            let looked = self.look(seal, state)?;
            match looked {
                // Without a head nobody can tell whether all is there; that is asked again once there is one.
                Ok(_) if state.seen != state.left => {
                    state.damage = self.check_contents(seal)?;
                    // What is damaged stays another than was left, also for the next process.
                    if state.damage.is_none() {
                        state.left = state.seen;
                    }
                    self.look(seal, state)?
                }
                looked => looked,
            }
        };
        if let Err(contradiction) = &looked {
            state.decide(Err(contradiction.clone()));
        }
        Ok(looked.map_or_else(Asked::Contradicted, Asked::Holds))
    }

    /// Whether the writer's connection holds the head that it was told to look for.
    pub(super) fn answer_writer(&self, number: u64, is_held: bool) {
        let verdict = if is_held { Ok(()) } else { Err(Contradiction::NotHeld(number)) };
        locked(&self.state).decide(verdict);
    }

    /// For a reader, before it has read anything: the database must not be older than the head.
    pub(super) fn ask_reader(&self, seal: &Seal) -> io::Result<Asked> {
        let state = &mut *locked(&self.state);
        if self.is_replaced(state, FileState::of(&self.database)) {
            return Ok(Asked::Contradicted(Contradiction::Replaced));
        }
        Ok(self.look(seal, state)?.map_or_else(Asked::Contradicted, Asked::Holds))
    }

    fn check_contents(&self, seal: &Seal) -> io::Result<Option<Contradiction>> {
        tracing::info!("the database file was changed from outside, or chimera was killed: checking it whole before anything is spent");
        // Before the snapshot, which must not be older.
        let head = seal.head_file.read(&seal.key)?;
        let checked = open::for_reading(&self.database, self.busy_timeout).and_then(|db| problem_of(&db, seal, &head));
        let problem = checked.unwrap_or_else(|error| Some(error.to_string()));
        if problem.is_none() {
            self.note(FileState::of(&self.database));
        }
        Ok(problem.map(Contradiction::Changed))
    }
}

fn problem_of(db: &Connection, seal: &Seal, head: &FoundHead) -> rusqlite::Result<Option<String>> {
    let found: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Ok(Some(found));
    }
    Ok(verify::verify(db, &seal.key, head)?.problem.map(|problem| problem.to_string()))
}

/// What a connection is told that asks whether it may spend.
pub(super) enum Asked {
    Fine,
    Contradicted(Contradiction),
    /// It may if it holds this entry.
    Holds(Head),
}

impl Asked {
    const FINE: &str = "fine";
    const CONTRADICTED: &str = "contradicted ";

    /// As it passes through SQL.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Fine => Self::FINE.to_owned(),
            Self::Contradicted(contradiction) => format!("{}{contradiction}", Self::CONTRADICTED),
            Self::Holds(Head { number, hash, .. }) => format!("{number} {hash}"),
        }
    }
}

/// Why nothing may be spent, if so. Call it in the writer's transaction, or on a reader before anything else is read.
pub(in super::super) fn contradiction(db: &Connection) -> Result<Option<String>, StoreError> {
    let asked: String =
        db.prepare_cached("SELECT ledger_guard()").and_then(|mut ask| ask.query_row([], |row| row.get(0))).or_store_error()?;
    if asked == Asked::FINE {
        return Ok(None);
    }
    if let Some(words) = asked.strip_prefix(Asked::CONTRADICTED) {
        return Ok(Some(words.to_owned()));
    }
    let named = asked.split_once(' ').and_then(|(number, hash)| Some((number.parse::<u64>().ok()?, hash)));
    let (number, hash) = named.ok_or_else(|| StoreError::Corrupt(format!("the ledger's guard said {asked:?}")))?;
    let is_held = holds(db, number, hash).or_store_error()?;
    let answer = "SELECT ledger_guard_answer(?1, ?2)";
    let number_column = from_count(number)?;
    db.prepare_cached(answer).and_then(|mut answer| answer.query_row(params![number_column, is_held], |_| Ok(()))).or_store_error()?;
    Ok((!is_held).then(|| Contradiction::NotHeld(number).to_string()))
}

/// The same as what stops every agent.
pub(in super::super) fn contradicted(db: &Connection) -> Result<Option<Freeze>, StoreError> {
    let Some(reason) = contradiction(db)? else { return Ok(None) };
    let at = db.query_row("SELECT at FROM present", [], |row| time(row, 0)).or_store_error()?;
    Ok(Some(Freeze::contradicted(reason, at)))
}
