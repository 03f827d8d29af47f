//! Key and head of a copy of the database.

use super::{
    head::{FoundHead, Head, HeadFile},
    seal::{Seal, folder_of, last},
    verify,
};
use crate::store::node_key::NodeKey;
use chimera_core::ports::ledger::LedgerVerdict;
use rusqlite::Connection;
use std::{io, path::Path};

#[derive(Debug, thiserror::Error)]
pub(in super::super) enum NotCopied {
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    #[error(transparent)]
    File(#[from] io::Error),
}

/// Gives the copy in `folder` the node's key, and a head that names the copy's own last entry, which it returns.
pub(in super::super) fn seal_copy(seal: &Seal, copy: &Connection, folder: &Path) -> Result<(u64, String), NotCopied> {
    let FoundHead::Signed(Head { unsigned_to, .. }) = seal.found_head()? else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the ledger's head was taken away meanwhile").into());
    };
    let last = last(copy)?;
    let head = Head { number: last.number, hash: last.hash.clone(), unsigned_to };
    HeadFile::of(folder).write(&seal.key, &head)?;
    seal.key.write(folder)?;
    Ok((last.number, last.hash))
}

/// Holds a copy against the key and the head beside it. Nobody else may have it open.
pub(in super::super) fn verify_copy(db: &Connection, database: &Path) -> Result<LedgerVerdict, NotCopied> {
    let folder = folder_of(database);
    let key = NodeKey::read(folder)?.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no node.key beside it"))?;
    let head = HeadFile::of(folder).read(&key)?;
    Ok(verify::verify(db, &key, &head)?)
}
