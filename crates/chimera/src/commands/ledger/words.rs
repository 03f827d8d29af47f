//! An entry in one line for people, with what the configured chains call their native asset.

use crate::{config::Settings, wiring::native_symbols};
use chimera_core::{
    domain::ledger::{Posting, Sentences},
    ports::ledger::LedgerEntry,
};

pub struct Words(Sentences);

impl Words {
    pub fn new(settings: &Settings) -> Self {
        Self(Sentences::new(native_symbols(settings)))
    }

    /// Of a posting's asset, as it is called today where that is known.
    pub fn symbol<'a>(&'a self, posting: &'a Posting) -> &'a str {
        self.0.symbol(posting)
    }

    pub fn of(&self, entry: &LedgerEntry) -> String {
        self.0.of(entry.entry.kind, &entry.entry.facts, &entry.entry.postings)
    }
}
