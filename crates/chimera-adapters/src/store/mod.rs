//! The embedded store: one SQLite file in the data folder, behind the core's ports. Depends on `chimera-core` only.

pub mod backup;
mod folder_lock;
mod node_key;
pub mod sqlite;

pub use folder_lock::{FolderLock, FolderLockError};
pub use sqlite::{AdoptError, Adopted, AssetFolder, CopyError, OpenError, SqliteStore};
