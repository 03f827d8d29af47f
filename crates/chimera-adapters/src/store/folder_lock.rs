//! One `serve` or `demo` per data folder.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

const LOCK_FILE: &str = "serve.lock";
/// Who only looks whether it is taken holds it for an instant.
const LOOKS_LAST: Duration = Duration::from_millis(50);

/// Held while the value lives; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum FolderLockError {
    #[error("another chimera serves the data folder {}; stop it, or give this one its own folder with --data", folder.display())]
    Taken { folder: PathBuf },
    #[error("the data folder {} cannot be locked; see that it exists and may be written", folder.display())]
    Failed {
        folder: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl FolderLock {
    /// Waits for nobody who serves.
    pub fn take(folder: &Path) -> Result<Self, FolderLockError> {
        let failed = |source| FolderLockError::Failed { folder: folder.to_owned(), source };
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(folder.join(LOCK_FILE)).map_err(failed)?;
        let taken = file.try_lock().or_else(|_taken| {
            thread::sleep(LOOKS_LAST);
            file.try_lock()
        });
        match taken {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(FolderLockError::Taken { folder: folder.to_owned() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// Whether somebody serves the folder. One that was never served, or is not there, is not.
    pub fn is_taken(folder: &Path) -> Result<bool, FolderLockError> {
        let failed = |source| FolderLockError::Failed { folder: folder.to_owned(), source };
        let file = match File::open(folder.join(LOCK_FILE)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed(error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_locked_once_and_free_again_afterwards() {
        let folder = tempfile::tempdir().unwrap();

        let first = FolderLock::take(folder.path()).unwrap();
        let second = FolderLock::take(folder.path()).unwrap_err();
        assert!(FolderLock::is_taken(folder.path()).unwrap());
        drop(first);
        assert!(!FolderLock::is_taken(folder.path()).unwrap());
        let third = FolderLock::take(folder.path());

        assert!(matches!(&second, FolderLockError::Taken { folder: named } if named == folder.path()));
        assert!(second.to_string().contains("--data"), "{second}");
        assert!(third.is_ok());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let missing = tempfile::tempdir().unwrap().path().join("gone");

        let error = FolderLock::take(&missing).unwrap_err();

        assert!(matches!(error, FolderLockError::Failed { folder, .. } if folder == missing));
    }
}
