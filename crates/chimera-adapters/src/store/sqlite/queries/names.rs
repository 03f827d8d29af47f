//! Agents' names, out of their SOULs: each version is parsed once.

use super::super::columns::rows;
use crate::locking::locked;
use chimera_core::{domain::Soul, ports::StoreError};
use rusqlite::Connection;
use std::{collections::HashMap, sync::Mutex};

/// What is kept of a SOUL is a line; beyond so many of them, all are forgotten and parsed again.
const NAMES_MAX: usize = 100_000;

/// By version of the SOUL.
#[derive(Default)]
pub(in super::super) struct Names(Mutex<HashMap<String, String>>);

impl Names {
    /// Of agents, each with its id and its SOUL's version, in their order. One whose SOUL cannot be read is called by its id.
    pub(super) fn of(&self, db: &Connection, agents: &[(&str, &str)]) -> Result<Vec<String>, StoreError> {
        let unknown: Vec<&str> = {
            let known = locked(&self.0);
            agents.iter().filter(|(_, version)| !known.contains_key(*version)).map(|(id, _)| *id).collect()
        };
        if !unknown.is_empty() {
            let sources = "SELECT soul_version, soul_source FROM agents WHERE id IN (SELECT value FROM json_each(?1))";
            let unknown = serde_json::to_string(&unknown).expect("a list of texts always serialises");
            let found: Vec<(String, String)> = rows(db, sources, [unknown], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let parsed = found.into_iter().filter_map(|(version, source)| Some((version, Soul::parse(&source).ok()?.name)));
            let parsed: Vec<(String, String)> = parsed.collect();
            let mut known = locked(&self.0);
            if known.len() >= NAMES_MAX {
                known.clear();
            }
            known.extend(parsed);
        }
        let known = locked(&self.0);
        Ok(agents.iter().map(|(id, version)| known.get(*version).map_or_else(|| (*id).to_owned(), Clone::clone)).collect())
    }
}
