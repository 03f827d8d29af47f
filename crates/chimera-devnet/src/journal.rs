//! The chain on disk: one file, one line per step, written and synced before anyone is told of it.
//!
//! A line is `<checksum> <json>\n`. The first names the chain, each other is a list of entries that
//! happened together. A crash can only leave an unfinished last line, which nobody was told of, so it
//! is cut off. Any other line that does not check out is damage, and damage is an error.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use serde::{Deserialize, Serialize};

use crate::error::DevnetError;

const FILE_NAME: &str = "devnet.journal";
const FORMAT: &str = "chimera-devnet-1";
/// A line holds at most a block's worth of hashes or one transaction; this is far above both.
const LINE_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What happened, in the order in which replay must repeat it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Transaction {
        raw: Bytes,
    },
    /// The transactions were taken in before; the hash proves that replay found the same block.
    Block {
        timestamp_s: u64,
        transactions: Vec<B256>,
        hash: B256,
    },
    Fund {
        address: Address,
        amount_wei: U256,
    },
    MintUsdc {
        address: Address,
        amount_units: U256,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Genesis {
    format: String,
    pub(crate) chain_id: u64,
    pub(crate) timestamp_s: u64,
}

impl Genesis {
    pub(crate) fn new(chain_id: u64, timestamp_s: u64) -> Self {
        Self { format: FORMAT.to_owned(), chain_id, timestamp_s }
    }
}

pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    stopped: bool,
}

/// An entry with the line it stands on, for messages.
pub(crate) struct Recorded {
    pub(crate) line: usize,
    pub(crate) entry: Entry,
}

impl Journal {
    /// Opens the journal in `folder`, or starts one with `fresh`. Only one process may hold it.
    pub(crate) fn open(folder: &Path, fresh: Genesis) -> Result<(Self, Genesis, Vec<Recorded>), DevnetError> {
        let path = folder.join(FILE_NAME);
        let file = open_locked(folder, &path)?;
        let mut journal = Self { file, path, stopped: false };

        let (lines, kept_bytes) = journal.read_lines()?;
        let mut lines = lines.into_iter().enumerate().map(|(index, text)| (index + 1, text));
        let Some((_, first)) = lines.next() else {
            journal.cut(0)?;
            journal.append_json(&fresh)?;
            journal.sync_folder(folder)?;
            return Ok((journal, fresh, Vec::new()));
        };

        let genesis: Genesis = serde_json::from_str(&first).map_err(|error| journal.damaged(1, error.to_string()))?;
        if genesis.format != FORMAT {
            return Err(journal.damaged(1, format!("its format is {:?}, not {FORMAT:?}", genesis.format)));
        }
        if genesis.chain_id != fresh.chain_id {
            let (found, expected) = (genesis.chain_id, fresh.chain_id);
            return Err(DevnetError::OtherChainId { path: journal.path, found, expected });
        }

        let mut recorded = Vec::new();
        for (line, text) in lines {
            let entries: Vec<WrittenEntry> = serde_json::from_str(&text).map_err(|error| journal.damaged(line, error.to_string()))?;
            for written in entries {
                let entry = written.read().map_err(|reason| journal.damaged(line, reason))?;
                recorded.push(Recorded { line, entry });
            }
        }
        journal.cut(kept_bytes)?;
        Ok((journal, genesis, recorded))
    }

    /// Returns when the entries are on the disk. They become true together or not at all.
    pub(crate) fn append(&mut self, entries: &[Entry]) -> Result<(), DevnetError> {
        let written: Vec<WrittenEntry> = entries.iter().map(WrittenEntry::write).collect();
        self.append_json(&written)
    }

    pub(crate) fn damaged(&self, line: usize, reason: String) -> DevnetError {
        DevnetError::JournalDamaged { path: self.path.clone(), line, reason }
    }

    fn append_json(&mut self, value: &impl Serialize) -> Result<(), DevnetError> {
        if self.stopped {
            return Err(DevnetError::JournalStopped { path: self.path.clone() });
        }
        let json = serde_json::to_string(value).expect("strings and numbers always serialise");
        let line = format!("{} {json}\n", checksum(&json));
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()).map_err(|source| {
            self.stopped = true;
            self.io_error(source)
        })
    }

    /// All finished lines without their checksums, and how many bytes they take.
    fn read_lines(&mut self) -> Result<(Vec<String>, u64), DevnetError> {
        let mut reader = BufReader::new(&self.file);
        reader.rewind().map_err(|source| self.io_error(source))?;

        let mut lines: Vec<String> = Vec::new();
        let mut kept_bytes = 0;
        loop {
            let mut bytes = Vec::new();
            reader.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut bytes).map_err(|source| self.io_error(source))?;
            let number = lines.len() + 1;
            let Some((b'\n', text)) = bytes.split_last() else {
                if bytes.len() as u64 == LINE_MAX_BYTES {
                    return Err(self.damaged(number, "it is too long".to_owned()));
                }
                if !bytes.is_empty() {
                    tracing::warn!(path = %self.path.display(), "line {number} was not finished; cutting it off");
                }
                return Ok((lines, kept_bytes));
            };
            let text = std::str::from_utf8(text).map_err(|error| self.damaged(number, error.to_string()))?;
            let json = match text.split_once(' ') {
                Some((written, json)) if written == checksum(json) => json,
                _ => return Err(self.damaged(number, "its checksum does not match".to_owned())),
            };
            lines.push(json.to_owned());
            kept_bytes += bytes.len() as u64;
        }
    }

    fn cut(&self, kept_bytes: u64) -> Result<(), DevnetError> {
        let length = self.file.metadata().map_err(|source| self.io_error(source))?.len();
        if length == kept_bytes {
            return Ok(());
        }
        self.file.set_len(kept_bytes).and_then(|()| self.file.sync_all()).map_err(|source| self.io_error(source))
    }

    /// A new file is only safe once its folder knows of it.
    fn sync_folder(&self, folder: &Path) -> Result<(), DevnetError> {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| self.io_error(source))
    }

    fn io_error(&self, source: std::io::Error) -> DevnetError {
        DevnetError::JournalIo { path: self.path.clone(), source }
    }
}

fn open_locked(folder: &Path, path: &Path) -> Result<File, DevnetError> {
    let io_error = |source| DevnetError::JournalIo { path: path.to_owned(), source };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io_error)?;
    let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path).map_err(io_error)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DevnetError::JournalInUse { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(io_error(source)),
    }
}

fn checksum(json: &str) -> String {
    hex::encode(&keccak256(json)[..8])
}

/// An entry as it stands in the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum WrittenEntry {
    Transaction { raw: String },
    Block { timestamp_s: u64, transactions: Vec<String>, hash: String },
    Fund { address: String, amount_wei: String },
    MintUsdc { address: String, amount_units: String },
}

impl WrittenEntry {
    fn write(entry: &Entry) -> Self {
        match entry {
            Entry::Transaction { raw } => Self::Transaction { raw: raw.to_string() },
            Entry::Block { timestamp_s, transactions, hash } => Self::Block {
                timestamp_s: *timestamp_s,
                transactions: transactions.iter().map(B256::to_string).collect(),
                hash: hash.to_string(),
            },
            Entry::Fund { address, amount_wei } => Self::Fund { address: address.to_string(), amount_wei: amount_wei.to_string() },
            Entry::MintUsdc { address, amount_units } => {
                Self::MintUsdc { address: address.to_string(), amount_units: amount_units.to_string() }
            }
        }
    }

    fn read(&self) -> Result<Entry, String> {
        Ok(match self {
            Self::Transaction { raw } => Entry::Transaction { raw: parse(raw)? },
            Self::Block { timestamp_s, transactions, hash } => {
                Entry::Block { timestamp_s: *timestamp_s, transactions: parse_all(transactions)?, hash: parse(hash)? }
            }
            Self::Fund { address, amount_wei } => Entry::Fund { address: parse(address)?, amount_wei: parse(amount_wei)? },
            Self::MintUsdc { address, amount_units } => Entry::MintUsdc { address: parse(address)?, amount_units: parse(amount_units)? },
        })
    }
}

fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("{text:?}: {error}"))
}

fn parse_all(hashes: &[String]) -> Result<Vec<B256>, String> {
    hashes.iter().map(|hash| parse(hash)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failed_write_nothing_more_is_promised() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _, _) = Journal::open(folder.path(), Genesis::new(31337, 1)).unwrap();
        let before = std::fs::read(&journal.path).unwrap();
        let entry = Entry::Fund { address: Address::ZERO, amount_wei: U256::from(1) };
        let read_only = File::open(&journal.path).unwrap();
        let writable = std::mem::replace(&mut journal.file, read_only);

        let failed = journal.append(std::slice::from_ref(&entry)).unwrap_err();
        journal.file = writable;
        let refused = journal.append(&[entry]).unwrap_err();

        assert!(matches!(failed, DevnetError::JournalIo { .. }), "{failed}");
        assert!(matches!(refused, DevnetError::JournalStopped { .. }), "{refused}");
        assert_eq!(std::fs::read(&journal.path).unwrap(), before);
    }
}
