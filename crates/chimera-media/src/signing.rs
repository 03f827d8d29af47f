//! Puts Content Credentials into what was made, with the identity of the data folder.

use crate::credentials::{Credentials, NotSignable, Origin, Statement};
use chimera_core::ports::{
    clock::Clock,
    media::{MediaBrief, MediaType},
};
use std::{
    io,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

/// The identity is made or read when the first file is signed.
pub struct Signing {
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    opened: OnceLock<Credentials>,
}

#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    #[error("the identity for Content Credentials cannot be used")]
    Identity(#[from] io::Error),
    #[error("the file cannot carry Content Credentials: {0}")]
    File(#[from] NotSignable),
}

impl Signing {
    pub fn new(folder: PathBuf, clock: Arc<dyn Clock>) -> Self {
        Self { folder, clock, opened: OnceLock::new() }
    }

    /// Blocks on the disk once.
    pub fn sign(&self, brief: &MediaBrief, origin: Origin, kind: MediaType, file: &[u8]) -> Result<Vec<u8>, SigningError> {
        let statement = Statement {
            agent_id: brief.agent.as_str().to_owned(),
            task_id: brief.task_id.to_string(),
            label: brief.persona.disclosure.clone(),
            origin,
        };
        let credentials = self.credentials()?;
        Ok(match kind {
            MediaType::Png => credentials.sign_png(&statement, file)?,
            MediaType::Jpeg => credentials.sign_jpeg(&statement, file)?,
            MediaType::Mp4 => credentials.sign_mp4(&statement, file)?,
        })
    }

    fn credentials(&self) -> io::Result<&Credentials> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = Credentials::open(&self.folder, self.clock.now())?;
        Ok(self.opened.get_or_init(|| opened))
    }
}
