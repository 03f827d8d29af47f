//! The schema, step by step. A step that has shipped never changes; `user_version` says how many a file has.

use super::open::{APPLICATION_ID, OpenError};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// In order; the number in the file's name is the step's place, counted from 1.
pub(super) const STEPS: &[&str] = &[
    include_str!("../../../migrations/sqlite/0001_foundation.sql"),
    include_str!("../../../migrations/sqlite/0002_transfers.sql"),
    include_str!("../../../migrations/sqlite/0003_governance.sql"),
    include_str!("../../../migrations/sqlite/0004_ledger.sql"),
    include_str!("../../../migrations/sqlite/0005_velocity.sql"),
    include_str!("../../../migrations/sqlite/0006_model_budget.sql"),
    include_str!("../../../migrations/sqlite/0007_swarm.sql"),
    include_str!("../../../migrations/sqlite/0008_assets.sql"),
    include_str!("../../../migrations/sqlite/0009_model_costs.sql"),
    include_str!("../../../migrations/sqlite/0010_acting.sql"),
    include_str!("../../../migrations/sqlite/0011_events.sql"),
    include_str!("../../../migrations/sqlite/0012_item_vectors.sql"),
    include_str!("../../../migrations/sqlite/0013_said_for.sql"),
    include_str!("../../../migrations/sqlite/0014_calendar.sql"),
    include_str!("../../../migrations/sqlite/0015_lean_indexes.sql"),
    include_str!("../../../migrations/sqlite/0016_rows_by_number.sql"),
    include_str!("../../../migrations/sqlite/0017_time_of_events.sql"),
    include_str!("../../../migrations/sqlite/0018_posts_by_number.sql"),
    include_str!("../../../migrations/sqlite/0019_open_tasks_by_number.sql"),
    include_str!("../../../migrations/sqlite/0020_reconciliation.sql"),
    include_str!("../../../migrations/sqlite/0021_sends.sql"),
    include_str!("../../../migrations/sqlite/0022_lessons.sql"),
    include_str!("../../../migrations/sqlite/0023_readings.sql"),
    include_str!("../../../migrations/sqlite/0024_events_of_everything.sql"),
    include_str!("../../../migrations/sqlite/0025_people.sql"),
    include_str!("../../../migrations/sqlite/0026_souls.sql"),
    include_str!("../../../migrations/sqlite/0027_plans.sql"),
    include_str!("../../../migrations/sqlite/0028_words_of_mentions.sql"),
];

/// Before anything is written: a file that another program made, or a newer Chimera, stays as it is.
pub(super) fn refuse_foreign(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let (application_id, found, empty) = marks(connection).map_err(|error| OpenError::new(path, error))?;
    if application_id != APPLICATION_ID && !empty {
        return Err(OpenError::NotOurs { path: path.to_owned(), source: None });
    }
    let known = STEPS.len() as i64;
    if found > known { Err(OpenError::Newer { path: path.to_owned(), found, known }) } else { Ok(()) }
}

/// In one transaction: another process may be making the file at this moment.
fn marks(connection: &Connection) -> rusqlite::Result<(i64, i64, bool)> {
    let transaction = connection.unchecked_transaction()?;
    let application_id = transaction.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let user_version = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let is_empty = transaction.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
    Ok((application_id, user_version, is_empty))
}

/// Each step in a transaction of its own, with its number. Safe when several processes start at once.
pub(super) fn apply(connection: &mut Connection, path: &Path) -> Result<(), OpenError> {
    let failed = |error| OpenError::new(path, error);
    for (number, step) in (1_i64..).zip(STEPS) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let found = transaction.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).map_err(failed)?;
        if found < number {
            transaction.execute_batch(step).map_err(failed)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
            transaction.pragma_update(None, "user_version", number).map_err(failed)?;
            transaction.commit().map_err(failed)?;
        }
    }
    refuse_foreign(connection, path)
}
