//! The file of a backup: a tar archive whose first entry lists all others with their sizes and hashes.
//!
//! Nothing of an archive is believed. Entries are plain files of names that a data folder has, each once, each as the list says; whatever
//! else a tar archive can hold (links, devices, long names, holes, paths that lead elsewhere) ends the reading.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, Read, Write},
    path::{Path, PathBuf},
};
use tar::{Archive, Builder, EntryType, Header};

const MANIFEST: &str = "manifest.json";
const FORMAT: &str = "chimera-backup";
const VERSION: u64 = 1;
const MANIFEST_BYTES_MAX: u64 = 64 << 20;

/// What belongs to a data folder, by its place in it. The database is always called so in an archive.
pub(in super::super) const DATABASE: &str = "chimera.db";
const FILES: [&str; 8] = [
    DATABASE,
    "ledger.head",
    "node.key",
    "node.pub",
    "content-credentials.pem",
    "content-credentials-root.pem",
    "keystore/vault.json",
    "chain/devnet.journal",
];
/// Folders whose files all belong to it.
const FOLDERS: [&str; 2] = ["keystore/keys", "assets"];

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{} cannot be read or written", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} is not a backup of chimera: {reason}", path.display())]
    NotABackup { path: PathBuf, reason: String },
    #[error("{} is a backup of version {found}, and this chimera reads version {VERSION}; use the chimera that made it, or a newer one", path.display())]
    OtherVersion { path: PathBuf, found: u64 },
    #[error("{} has an entry {entry:?} that does not belong there: {reason}", path.display())]
    Foreign { path: PathBuf, entry: String, reason: &'static str },
    #[error("{} is damaged: {entry} is not as it was backed up", path.display())]
    Damaged { path: PathBuf, entry: String },
    #[error("{} is cut off: {entry} is not all there", path.display())]
    Cut { path: PathBuf, entry: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: String,
    version: u64,
    /// Of the program that made it.
    pub chimera: String,
    pub created_at: String,
    pub ledger_entries: u64,
    pub ledger_hash: String,
    pub files: Vec<Listed>,
}

impl Manifest {
    pub(super) fn new(created_at: String, ledger_entries: u64, ledger_hash: String, files: Vec<Listed>) -> Self {
        let chimera = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: FORMAT.to_owned(), version: VERSION, chimera, created_at, ledger_entries, ledger_hash, files }
    }
}

/// A file that goes into an archive.
pub(super) struct Source {
    pub(super) listed: Listed,
    pub(super) from: PathBuf,
}

impl Source {
    /// Reads the file once, for its hash.
    pub(super) fn new(path: String, from: PathBuf) -> io::Result<Self> {
        let mut hashed = Hashed::new(File::open(&from)?);
        io::copy(&mut hashed, &mut io::sink())?;
        let (bytes, sha256) = hashed.finish();
        Ok(Self { listed: Listed { path, bytes, sha256 }, from })
    }
}

/// Durable when it returns, in `file`, which the caller made.
pub(super) fn write(file: &File, manifest: &Manifest, sources: &[Source]) -> io::Result<()> {
    let mut builder = Builder::new(io::BufWriter::new(file));
    let text = serde_json::to_vec_pretty(manifest)?;
    builder.append(&header(MANIFEST, text.len() as u64)?, text.as_slice())?;
    for Source { listed, from } in sources {
        // Exactly what was listed, or the entries after it would be read out of place.
        let mut exact = File::open(from)?.take(listed.bytes);
        builder.append(&header(&listed.path, listed.bytes)?, &mut exact)?;
        if exact.limit() > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("{} became shorter", from.display())));
        }
    }
    builder.into_inner()?.flush()?;
    file.sync_all()
}

fn header(path: &str, bytes: u64) -> io::Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_entry_type(EntryType::Regular);
    header.set_cksum();
    Ok(header)
}

/// Reads all of it, and hands each file that belongs there to `place`. What `place` did with a file counts only once this has returned.
pub(super) fn read(path: &Path, mut place: impl FnMut(&Listed, &mut dyn Read) -> io::Result<()>) -> Result<Manifest, ArchiveError> {
    let reading = Reading { path };
    let file = File::open(path).map_err(|source| reading.file(source))?;
    let mut archive = Archive::new(BufReader::new(file));
    let mut entries = archive.entries().map_err(|source| reading.file(source))?.raw(true);
    let first = entries.next().ok_or_else(|| reading.not_a_backup("it is empty"))?;
    let manifest = reading.manifest(&mut first.map_err(|_not_tar| reading.not_a_backup("it is not a tar archive"))?)?;
    let mut awaited: BTreeMap<&str, &Listed> = BTreeMap::new();
    for listed in &manifest.files {
        if !belongs(&listed.path) {
            return Err(reading.foreign(&listed.path, "no data folder has a file of that name"));
        }
        if awaited.insert(&listed.path, listed).is_some() {
            return Err(reading.foreign(&listed.path, "it is listed twice"));
        }
    }
    for entry in entries {
        let Ok(mut entry) = entry else { break };
        let name = String::from_utf8_lossy(&entry.header().path_bytes()).into_owned();
        if entry.header().entry_type() != EntryType::Regular {
            return Err(reading.foreign(&name, "it is no plain file"));
        }
        let Some(listed) = awaited.remove(name.as_str()) else {
            return Err(reading.foreign(&name, "the archive's own list does not name it, or it is there twice"));
        };
        if entry.header().size().ok() != Some(listed.bytes) {
            return Err(ArchiveError::Damaged { path: path.to_owned(), entry: name });
        }
        let mut hashed = Hashed::new(&mut entry);
        place(listed, &mut hashed).and_then(|()| io::copy(&mut hashed, &mut io::sink())).map_err(|source| reading.file(source))?;
        let (bytes, sha256) = hashed.finish();
        if bytes < listed.bytes {
            return Err(ArchiveError::Cut { path: path.to_owned(), entry: name });
        }
        if sha256 != listed.sha256 {
            return Err(ArchiveError::Damaged { path: path.to_owned(), entry: name });
        }
    }
    match awaited.keys().next() {
        Some(missing) => Err(ArchiveError::Cut { path: path.to_owned(), entry: (*missing).to_owned() }),
        None => Ok(manifest),
    }
}

/// By its name alone: a path that is not one of these leads nowhere.
fn belongs(path: &str) -> bool {
    let is_name = |name: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain)
    };
    FILES.contains(&path)
        || FOLDERS.iter().any(|folder| path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).is_some_and(is_name))
}

struct Reading<'a> {
    path: &'a Path,
}

impl Reading<'_> {
    fn file(&self, source: io::Error) -> ArchiveError {
        ArchiveError::File { path: self.path.to_owned(), source }
    }

    fn not_a_backup(&self, reason: impl Into<String>) -> ArchiveError {
        ArchiveError::NotABackup { path: self.path.to_owned(), reason: reason.into() }
    }

    fn foreign(&self, entry: &str, reason: &'static str) -> ArchiveError {
        ArchiveError::Foreign { path: self.path.to_owned(), entry: entry.chars().take(100).collect(), reason }
    }

    fn manifest(&self, entry: &mut tar::Entry<'_, impl Read>) -> Result<Manifest, ArchiveError> {
        let size = entry.header().size().unwrap_or(u64::MAX);
        if entry.header().path_bytes().as_ref() != MANIFEST.as_bytes() || entry.header().entry_type() != EntryType::Regular {
            return Err(self.not_a_backup(format!("its first entry is not {MANIFEST}")));
        }
        if size > MANIFEST_BYTES_MAX {
            return Err(self.not_a_backup(format!("its {MANIFEST} has {size} bytes")));
        }
        let mut text = Vec::new();
        entry.take(size).read_to_end(&mut text).map_err(|source| self.file(source))?;
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|error| self.not_a_backup(format!("{MANIFEST}: {error}")))?;
        if value["format"] != FORMAT {
            return Err(self.not_a_backup(format!("{MANIFEST} names no format of ours")));
        }
        match value["version"].as_u64() {
            Some(VERSION) => {}
            Some(found) => return Err(ArchiveError::OtherVersion { path: self.path.to_owned(), found }),
            None => return Err(self.not_a_backup(format!("{MANIFEST} has no version"))),
        }
        serde_json::from_value(value).map_err(|error| self.not_a_backup(format!("{MANIFEST}: {error}")))
    }
}

struct Hashed<R> {
    inner: R,
    hasher: Sha256,
    bytes: u64,
}

impl<R: Read> Hashed<R> {
    fn new(inner: R) -> Self {
        Self { inner, hasher: Sha256::new(), bytes: 0 }
    }

    fn finish(self) -> (u64, String) {
        (self.bytes, alloy_primitives::hex::encode(self.hasher.finalize()))
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}
