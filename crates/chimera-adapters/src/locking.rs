//! Locks that outlive a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// For what is whole at any moment, so that a panic while it was held has broken nothing.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
