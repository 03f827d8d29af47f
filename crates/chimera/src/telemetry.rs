//! Logs, to standard error: standard output belongs to MCP and to data.

use std::io::IsTerminal;
use tracing_subscriber::{EnvFilter, fmt, prelude::*};

/// `filter` as in `CHIMERA_LOG=info,chimera=debug`; without one, warnings and errors.
pub fn start(filter: Option<&str>) {
    let filter = EnvFilter::try_new(filter.unwrap_or("warn")).unwrap_or_else(|_| EnvFilter::new("warn"));
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal()).with_target(false);
    // Only a second start fails, and then the first one's choice stands.
    let _ = tracing_subscriber::registry().with(filter).with(lines).try_init();
}
