//! What an agent remembers, page by page.

use super::{
    super::{
        columns::{count, rows},
        memories::memory,
    },
    below, one_more, paged,
};
use chimera_core::{
    contracts::{
        UtcTime,
        views::{
            Page,
            memories::{MemoryRow, Taught},
        },
    },
    domain::AgentId,
    ports::{StoreError, memories::MemoryRecord, queries::PageOf},
};
use rusqlite::{Connection, params};

/// The numbers of one page come from the index alone, however much the agent remembers.
pub(in super::super) const MEMORIES: &str = "SELECT id, agent_id, at, role, content, campaign_id, lesson, number FROM memories WHERE number IN \
     (SELECT number FROM memories INDEXED BY memories_of_agent WHERE agent_id = ?3 AND number < ?1 ORDER BY number DESC LIMIT ?2) \
     ORDER BY number DESC";

pub(super) fn list(db: &Connection, agent: &AgentId, page: &PageOf) -> Result<Page<MemoryRow>, StoreError> {
    let params = params![below(page)?, one_more(page), agent.as_str()];
    let found = rows(db, MEMORIES, params, |row| Ok((count(row, 7)?, shown(memory(row)?))))?;
    Ok(paged(found, page))
}

fn shown(memory: MemoryRecord) -> MemoryRow {
    MemoryRow {
        memory_id: memory.id,
        at: UtcTime(memory.at),
        role: memory.role,
        content: memory.content,
        campaign_id: memory.campaign,
        taught: memory.lesson.map(|lesson| Taught { written: lesson.written, edited: lesson.edited, reason: lesson.reason }),
    }
}
