//! An entry in one line for people, with what the configured chains call their native asset.

use crate::{config::Settings, wiring::native_symbols};
use chimera_core::{
    contracts::UtcTime,
    domain::{
        AgentId,
        ledger::{Posting, Sentences},
    },
    ports::ledger::LedgerEntry,
};
use serde_json::{Value, json};

#[derive(Clone)]
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

    /// For programs.
    pub fn to_json(&self, entry: &LedgerEntry) -> Value {
        json!({
            "number": entry.number,
            "at": UtcTime(entry.entry.at),
            "kind": entry.entry.kind.as_str(),
            "agent_id": entry.entry.agent.as_ref().map(AgentId::as_str),
            "task_id": entry.entry.task_id,
            "what": self.of(entry),
            "facts": entry.entry.facts,
            "postings": entry.entry.postings.to_json(),
            "hash": entry.hash,
            "signature": entry.signature,
        })
    }
}
