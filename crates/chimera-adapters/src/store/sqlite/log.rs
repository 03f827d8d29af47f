//! SQLite's write-ahead log. A commit is in it at once and not yet on disk: SQLite does not wait for that, so that the next transaction
//! need not either. Whoever tells of a commit, to a caller or outside of the database, syncs the log first. A crash of the machine leaves
//! the commits up to some moment, all of those that were told of among them.

use super::ledger::with_suffix;
use std::{fs::File, io, path::Path};

/// Of the file that SQLite has open: as long as it has, nobody puts another in its place but who means harm, which `ledger::Guard` finds.
pub(super) struct Log(File);

impl Log {
    /// With all that is in it on disk. Ask when the database is open, which makes the log.
    pub(super) fn open(database: &Path) -> io::Result<Self> {
        let log = Self(File::open(with_suffix(database, "-wal"))?);
        log.sync()?;
        Ok(log)
    }

    /// Everything that was committed before the call is on disk after it.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}
