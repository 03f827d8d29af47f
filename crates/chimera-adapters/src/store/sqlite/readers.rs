//! Read-only connections, opened when needed and kept.

use super::{OrStoreError, ledger::Seal, open};
use crate::locking::locked;
use chimera_core::ports::StoreError;
use rusqlite::Connection;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::sync::Semaphore;

/// Reads that may run at once; the others wait their turn.
const READERS_MAX: usize = 8;

pub(super) struct Readers {
    path: PathBuf,
    busy_timeout: Duration,
    seal: Arc<Seal>,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: &Path, busy_timeout: Duration, seal: Arc<Seal>) -> Self {
        Self { path: path.to_owned(), busy_timeout, seal, idle: Mutex::default(), permits: Arc::new(Semaphore::new(READERS_MAX)) }
    }

    pub(super) async fn run<T, E>(self: Arc<Self>, query: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_closed| StoreError::Closed)?;
        let reading = tokio::task::spawn_blocking(move || {
            let answer = self.read(query);
            drop(permit);
            answer
        });
        match reading.await {
            Ok(answer) => answer,
            Err(panicked) => Err(StoreError::Failed(Box::new(panicked)).into()),
        }
    }

    fn read<T, E: From<StoreError>>(&self, query: impl FnOnce(&Connection) -> Result<T, E>) -> Result<T, E> {
        // A separate statement: the lock must not be held while a connection is opened.
        let kept = self.idle().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => self.opened().or_store_error()?,
        };
        // One transaction, so that a query of several statements sees one state.
        let transaction = connection.unchecked_transaction().or_store_error()?;
        let answer = query(&transaction);
        transaction.finish().or_store_error()?;
        if !self.permits.is_closed() {
            self.idle().push(connection);
        }
        answer
    }

    fn opened(&self) -> rusqlite::Result<Connection> {
        let connection = open::for_reading(&self.path, self.busy_timeout)?;
        self.seal.attach_reader(&connection)?;
        Ok(connection)
    }

    pub(super) fn close(&self) {
        self.permits.close();
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        locked(&self.idle)
    }
}
