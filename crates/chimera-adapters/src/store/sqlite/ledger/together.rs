//! Entries that are appended together. Each is signed with the signature before it in its hash, so no two at once; but all of them beside
//! the other work of the writing thread, which a signature would hold up for as long as writing the row takes.

use super::{Seal, Sealed, append, insert, last_link};
use chimera_core::{
    domain::ledger::{EntryText, GENESIS_HASH, Link},
    ports::{StoreError, ledger::NewLedgerEntry},
};
use rusqlite::Connection;
use std::{sync::mpsc, thread};

/// For fewer a thread costs more than it saves.
const ENTRIES_MIN: usize = 4;
/// Handed over at once: for each alone, the writing thread would fall asleep and be woken again.
const SEALED_AT_ONCE: usize = 16;

#[derive(Debug, thiserror::Error)]
#[error("the thread that signs the ledger ended by a panic")]
struct SignerGone;

/// As `append` for each of them in turn, with `meanwhile` done in the same write: what the entries tell of.
pub(in super::super) fn append_all(
    db: &Connection,
    seal: &Seal,
    entries: &[NewLedgerEntry],
    meanwhile: impl FnOnce() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    if entries.len() < ENTRIES_MIN {
        meanwhile()?;
        return entries.iter().try_for_each(|entry| append(db, entry).map(drop));
    }
    let texts: Vec<EntryText> = entries.iter().map(NewLedgerEntry::to_text).collect();
    let last = last_link(db)?.unwrap_or_else(|| Sealed { number: 0, hash: GENESIS_HASH.to_owned(), signature: String::new() });
    thread::scope(|scope| {
        let (sealing, sealed) = mpsc::channel();
        scope.spawn(|| seal_all(seal, last, &texts, sealing));
        meanwhile()?;
        for texts in texts.chunks(SEALED_AT_ONCE) {
            let sealed: Vec<Sealed> = sealed.recv().map_err(|_ended| StoreError::Failed(Box::new(SignerGone)))?;
            texts.iter().zip(&sealed).try_for_each(|(text, sealed)| insert(db, text, sealed))?;
        }
        Ok(())
    })
}

fn seal_all(seal: &Seal, mut last: Sealed, texts: &[EntryText], sealing: mpsc::Sender<Vec<Sealed>>) {
    for texts in texts.chunks(SEALED_AT_ONCE) {
        let sealed = texts.iter().map(|text| {
            last = seal_after(seal, &last, text);
            last.clone()
        });
        // Nobody waits for it any more when a write has failed.
        if sealing.send(sealed.collect()).is_err() {
            return;
        }
    }
}

fn seal_after(seal: &Seal, last: &Sealed, text: &EntryText) -> Sealed {
    let previous = Link { hash: last.hash.as_bytes(), signature: last.signature.as_bytes() };
    let number = last.number + 1;
    let digest = text.fields().chained_hash(number, previous);
    Sealed { number, hash: alloy_primitives::hex::encode(digest), signature: seal.sign(&digest) }
}
