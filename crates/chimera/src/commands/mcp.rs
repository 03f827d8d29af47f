//! `chimera mcp`: the MCP server over standard input and output.

use super::Context;
use crate::{
    mcp,
    shutdown::Shutdown,
    wiring::{App, Role},
};
use anyhow::Result;
use std::process::ExitCode;

pub async fn run(context: Context) -> Result<ExitCode> {
    let app = App::open(context.settings, Role::Visiting).await?;
    let shutdown = Shutdown::on_signal()?;
    let served = mcp::serve_stdio(app.server(shutdown.token.clone()), shutdown.token.clone()).await;
    app.close().await;
    served?;
    Ok(ExitCode::SUCCESS)
}
