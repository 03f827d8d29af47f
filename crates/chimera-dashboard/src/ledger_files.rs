//! The ledger to take along, as `chimera ledger export` writes it.

use chimera_core::ports::StoreError;
use futures::stream::BoxStream;

pub trait LedgerFiles: Send + Sync {
    /// Part by part, oldest entry first. After an error there is nothing more, and the file is not whole.
    fn parts(&self, form: LedgerForm) -> BoxStream<'static, Result<String, StoreError>>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerForm {
    Csv,
    Json,
}
