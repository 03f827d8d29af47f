//! Content Credentials (C2PA): a signed manifest in every picture and video that says an AI made it, and which agent.
//! Written here rather than by the reference library, which would cost more to build than the rest of the program's media
//! together; tests let that library, as an independent reader, verify what is written here.

mod bmff;
mod cbor;
mod certificate;
mod der;
mod foreign;
mod identity;
mod jpeg;
mod jumbf;
mod manifest;
mod png;

pub use foreign::{Cleaned, without_claims};
pub use identity::{IDENTITY_FILE, ROOT_FILE};
pub use manifest::{Origin, Statement};

use chrono::{DateTime, Utc};
use identity::Identity;
use std::{io, path::Path};

/// A file that no manifest can be put into, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotSignable(pub &'static str);

/// Somebody else has signed it, and a second signature would have to vouch for the first: `without_claims` comes before.
pub const ALREADY_SIGNED: NotSignable = NotSignable("it has Content Credentials already");

/// Signs in the name of one data folder.
pub struct Credentials {
    identity: Identity,
}

impl Credentials {
    /// Makes key and certificate at first use.
    pub fn open(folder: &Path, now: DateTime<Utc>) -> io::Result<Self> {
        Ok(Self { identity: Identity::open(folder, now)? })
    }

    pub fn sign_png(&self, statement: &Statement, file: &[u8]) -> Result<Vec<u8>, NotSignable> {
        png::sign(&self.identity, statement, file)
    }

    pub fn sign_jpeg(&self, statement: &Statement, file: &[u8]) -> Result<Vec<u8>, NotSignable> {
        jpeg::sign(&self.identity, statement, file)
    }

    pub fn sign_mp4(&self, statement: &Statement, file: &[u8]) -> Result<Vec<u8>, NotSignable> {
        bmff::sign(&self.identity, statement, file)
    }
}
