//! The data folder is for its owner alone: it holds keys, tokens and everything that agents know.

use anyhow::{Context, Result, bail};
use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::Path,
};

/// What anybody but the owner may do.
const OTHERS: u32 = 0o077;
/// Set on folders that many share, such as /tmp.
const STICKY: u32 = 0o1000;
const FOLDER: u32 = 0o700;
/// One of these is in every folder that the program has worked in.
const OURS: [&str; 7] = ["chimera.db", "keystore", "chain", "token", "serve.lock", "passphrase", "demo"];

/// Makes the folder, or sees that nobody but its owner may look into it; says so where it had to be changed.
pub fn prepare(folder: &Path) -> Result<()> {
    let found = match fs::metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return make(folder),
        Err(error) => return Err(error).with_context(|| format!("cannot look at the data folder {}", folder.display())),
    };
    let mode = found.mode() & 0o7777;
    let mut changed = 0;
    if mode & OTHERS != 0 {
        if mode & STICKY != 0 || !(is_ours(folder) || is_empty(folder)?) {
            bail!(
                "{} has other things in it, and others may read it (mode {mode:04o}); give a folder of its own with --data, or take the others' rights with: chmod 700 {0}",
                folder.display()
            );
        }
        close_to_others(folder, mode).with_context(|| {
            format!("others may read the data folder {} (mode {mode:04o}), and this user may not change that; its owner can, with: chmod 700 {0}", folder.display())
        })?;
        changed += 1;
    }
    changed += tighten(folder).with_context(|| format!("cannot look into the data folder {}", folder.display()))?;
    if changed > 0 {
        tracing::warn!(
            "others could read the data folder {} (mode {mode:04o}) or something in it; now only its owner can: {changed} modes were changed",
            folder.display()
        );
    }
    Ok(())
}

/// A folder inside the data folder, or the data folder itself.
pub fn make(folder: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER)
        .create(folder)
        .with_context(|| format!("cannot make the data folder {}", folder.display()))
}

/// Takes the others' rights in everything in `folder`, and says how often it had to. A folder that is closed already was closed with what is in
/// it, so this costs little on a large one.
pub fn tighten(folder: &Path) -> io::Result<usize> {
    let mut changed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = match entry.metadata() {
            Ok(found) => found,
            // A draft of another process that is done with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let mode = found.mode() & 0o7777;
        if found.is_symlink() || mode & OTHERS == 0 {
            continue;
        }
        match close_to_others(&entry.path(), mode) {
            Ok(()) => changed += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // Nobody gets there through the folder.
            Err(error) => tracing::warn!("{} keeps its mode {mode:04o}: {error}", entry.path().display()),
        }
        if found.is_dir() {
            changed += tighten(&entry.path())?;
        }
    }
    Ok(changed)
}

fn close_to_others(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS))?;
    // A file system without permissions takes the change and makes none.
    if fs::metadata(path)?.mode() & OTHERS == 0 { Ok(()) } else { Err(io::Error::other("the file system keeps no permissions")) }
}

fn is_ours(folder: &Path) -> bool {
    OURS.iter().any(|name| folder.join(name).exists())
}

fn is_empty(folder: &Path) -> Result<bool> {
    let mut entries = fs::read_dir(folder).with_context(|| format!("cannot look into the data folder {}", folder.display()))?;
    Ok(entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    fn opened(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_wide_folder_of_ours_is_closed_with_all_that_is_in_it() {
        let whole = tempfile::tempdir().unwrap();
        let data = whole.path().join("data");
        fs::create_dir_all(data.join("keystore/keys")).unwrap();
        for (name, mode) in [("chimera.db", 0o644), ("keystore/keys/selam.json", 0o666), ("ledger.head", 0o444)] {
            fs::write(data.join(name), "x").unwrap();
            opened(&data.join(name), mode);
        }
        let outside = whole.path().join("outside");
        fs::write(&outside, "x").unwrap();
        opened(&outside, 0o644);
        std::os::unix::fs::symlink(&outside, data.join("link")).unwrap();
        opened(&data, 0o755);

        prepare(&data).unwrap();

        assert_eq!([mode(&data), mode(&data.join("keystore")), mode(&data.join("keystore/keys"))], [0o700; 3]);
        assert_eq!([mode(&data.join("chimera.db")), mode(&data.join("keystore/keys/selam.json"))], [0o600; 2]);
        assert_eq!(mode(&data.join("ledger.head")), 0o400, "what its owner may not write stays so");
        assert_eq!(mode(&outside), 0o644, "what a link leads to is not ours");
    }

    #[test]
    fn a_folder_with_other_things_in_it_is_left_alone() {
        let whole = tempfile::tempdir().unwrap();
        for (entry, before) in [("somebody's", 0o755), ("chimera.db", 0o1777)] {
            let shared = whole.path().join(entry);
            fs::create_dir(&shared).unwrap();
            fs::write(shared.join(entry), "x").unwrap();
            opened(&shared, before);

            let error = prepare(&shared).unwrap_err().to_string();

            assert!(error.contains("--data") && error.contains("chmod 700"), "{error}");
            assert_eq!(mode(&shared), before);
        }
    }

    #[test]
    fn a_folder_that_is_new_empty_or_closed_is_used_as_it_is() {
        let whole = tempfile::tempdir().unwrap();
        let (new, empty, closed) = (whole.path().join("a/b"), whole.path().join("empty"), whole.path().join("closed"));
        fs::create_dir(&empty).unwrap();
        opened(&empty, 0o755);
        fs::create_dir(&closed).unwrap();
        fs::write(closed.join("somebody's"), "x").unwrap();
        opened(&closed, 0o700);

        for folder in [&new, &empty, &closed] {
            prepare(folder).unwrap();
            assert_eq!(mode(folder), 0o700);
        }
    }
}
