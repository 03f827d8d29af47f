//! Which rows of a list the script wants anew.

use serde::Deserialize;
use std::collections::BTreeSet;

/// As many as the script asks for at once.
const IDS_MAX: usize = 100;

#[derive(Deserialize)]
pub(super) struct RowIds {
    /// Between commas.
    ids: String,
}

impl RowIds {
    pub(super) fn all(&self) -> BTreeSet<&str> {
        self.ids.split(',').take(IDS_MAX).collect()
    }
}
