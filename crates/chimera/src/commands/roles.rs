//! `chimera planner`, `chimera worker` and `chimera judge`: one role as a process of its own, on a data folder that others use as well.

use super::Context;
use crate::{
    shutdown::Shutdown,
    wiring::{self, App},
};
use anyhow::Result;
use chimera_core::swarm::runtime::Role;
use serde_json::json;
use std::process::ExitCode;

pub async fn run(context: Context, roles: &[Role]) -> Result<ExitCode> {
    wiring::ask_at_start(&context.settings).await?;
    let app = App::open(context.settings, wiring::Role::Visiting).await?;
    let shutdown = Shutdown::on_signal()?;
    let swarm = app.swarm().await?;
    let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
    context.output.show(&json!({ "roles": names, "process_id": swarm.swarm.process_id }), |out| {
        format!("{} at work on {}\n  stop    Ctrl-C", out.bold(&names.join(" and ")), app.settings.data_dir.display())
    })?;
    swarm.run(roles, &shutdown.token).await;
    app.close().await;
    Ok(ExitCode::SUCCESS)
}
