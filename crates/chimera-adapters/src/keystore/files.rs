//! Files that are whole or not there, for the owner's eyes only.

use std::{
    fs,
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

const FILE_BYTES_MAX: u64 = 64 << 10;

pub fn read_if_there(path: &Path) -> io::Result<Option<String>> {
    match fs::metadata(path) {
        Ok(meta) if meta.len() > FILE_BYTES_MAX => Err(io::Error::other(format!("{} is too large to be a keystore file", path.display()))),
        Ok(_) => fs::read_to_string(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Durable when it returns. Keeps a file that is there already: a key that was made must never be overwritten.
pub fn write_once(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("a keystore file needs a folder"))?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut random = [0u8; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let draft = path.with_extension(format!("draft-{:016x}", u64::from_be_bytes(random)));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    fs::File::open(folder)?.sync_all()?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
