//! Files that are whole or not there, for the owner's eyes only.

use std::{
    fs,
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};
use zeroize::Zeroizing;

const FILE_BYTES_MAX: u64 = 64 << 10;

/// Whether a file that must not be overwritten is the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    New,
    /// Another one was there already, and still is.
    Kept,
}

/// Wiped when dropped: a person may name a file that holds a bare key.
pub fn read_if_there(path: &Path) -> io::Result<Option<Zeroizing<String>>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let size = file.metadata()?.len();
    if size > FILE_BYTES_MAX {
        return Err(io::Error::other(format!("{} is too large to be a keystore file", path.display())));
    }
    // Large enough at once: a buffer that grows leaves unwiped copies behind. And no larger: all of it is wiped.
    let mut text = Zeroizing::new(String::with_capacity(usize::try_from(size + 64).map_err(io::Error::other)?));
    file.take(size + 1).read_to_string(&mut text)?;
    if text.len() as u64 > size { Err(io::Error::other(format!("{} grew while it was read", path.display()))) } else { Ok(Some(text)) }
}

/// Durable when it returns. Keeps a file that is there already: a key that was made must never be overwritten.
pub fn write_once(path: &Path, text: &str) -> io::Result<Written> {
    let folder = folder_of(path)?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut random = [0u8; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let draft = path.with_extension(format!("draft-{:016x}", u64::from_be_bytes(random)));
    write_whole(fs::OpenOptions::new().create_new(true), &draft, text)?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    fs::File::open(folder)?.sync_all()?;
    match linked {
        Ok(()) => Ok(Written::New),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Written::Kept),
        Err(error) => Err(error),
    }
}

/// Durable when it returns; whatever dies and whenever, the file is wholly the old or wholly the new one. One caller at a time.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let next = path.with_extension("next");
    write_whole(fs::OpenOptions::new().create(true).truncate(true), &next, text)?;
    fs::rename(&next, path)?;
    fs::File::open(folder_of(path)?)?.sync_all()
}

/// Held until the file is dropped, or its process dies. `None` when another process holds it.
pub fn lock(path: &Path) -> io::Result<Option<fs::File>> {
    let file = fs::OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

fn write_whole(options: &mut fs::OpenOptions, path: &Path, text: &str) -> io::Result<()> {
    let mut file = options.write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn folder_of(path: &Path) -> io::Result<&Path> {
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Ok(Path::new(".")),
        Some(folder) => Ok(folder),
        None => Err(io::Error::other("a keystore file needs a folder")),
    }
}
