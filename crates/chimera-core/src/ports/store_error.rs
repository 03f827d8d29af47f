//! How any store can fail. Situations that a caller treats alike are one variant.

/// Nothing was written when one of these is returned.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A person must act: make room, mend permissions.
    #[error("the store cannot be written: {hint}")]
    NotWritable {
        hint: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("the store failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What was read cannot have been written by this program.
    #[error("the store holds a row that makes no sense: {0}")]
    Corrupt(String),
    #[error("the store is shut down")]
    Closed,
}
