//! What a server says that one of its tools takes, asked anew each time: the answer is from a server that is there now.

use super::host::Host;
use super::reasons;
use async_trait::async_trait;
use chimera_core::ports::tools::{NotListed, PublishTools};
use rmcp::model::PaginatedRequestParams;
use serde_json::{Map, Value};
use std::time::Duration;

/// A server that never stops listing is cut off.
const PAGES_MAX: usize = 50;
const NAMES_SHOWN_MAX: usize = 8;

#[async_trait]
impl PublishTools for Host {
    async fn input_schema(&self, server: &str, tool: &str, within: Duration) -> Result<Map<String, Value>, NotListed> {
        let unreachable = |reason| NotListed::Unreachable { server: server.to_owned(), reason };
        let late = |_| Err(unreachable(format!("it did not list its tools within {} ms", within.as_millis())));
        tokio::time::timeout(within, self.listed(server, tool)).await.unwrap_or_else(late)
    }
}

impl Host {
    async fn listed(&self, server: &str, tool: &str) -> Result<Map<String, Value>, NotListed> {
        let unreachable = |reason| NotListed::Unreachable { server: server.to_owned(), reason };
        let supervised = self.named(server).ok_or_else(|| NotListed::NoServer { server: server.to_owned() })?;
        let connection = supervised.connection().await.map_err(unreachable)?;
        let (mut cursor, mut known) = (None, Vec::new());
        for _ in 0..PAGES_MAX {
            let asked = PaginatedRequestParams::default().with_cursor(cursor);
            let page = connection.peer.list_tools(Some(asked)).await;
            let page = page.map_err(|error| unreachable(format!("it does not list its tools: {}", reasons::of_service_error(&error))))?;
            if let Some(found) = page.tools.iter().find(|listed| listed.name == tool) {
                return Ok(found.input_schema.as_ref().clone());
            }
            known.extend(page.tools.iter().take(NAMES_SHOWN_MAX).map(|listed| reasons::scrubbed(&listed.name)));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        known.truncate(NAMES_SHOWN_MAX);
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(NotListed::NoTool { server: server.to_owned(), tool: tool.to_owned(), known })
    }
}
