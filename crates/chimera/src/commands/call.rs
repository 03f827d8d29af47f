//! `chimera call`: one skill call through MCP.

use super::{Context, reference};
use crate::{
    cli::CallFlags,
    config::Misconfigured,
    mcp::McpSkillCaller,
    wiring::{App, Role},
};
use anyhow::{Context as _, Result, anyhow, bail};
use chimera_core::{ports::skill_caller::SkillCaller, skills::SKILLS};
use serde_json::Value;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    process::ExitCode,
};

const INPUT_BYTES_MAX: u64 = 4 << 20;

pub async fn run(context: Context, flags: CallFlags) -> Result<ExitCode> {
    if !SKILLS.iter().any(|skill| skill.name == flags.tool) {
        let known: Vec<&str> = SKILLS.iter().map(|skill| skill.name).collect();
        return Err(Misconfigured::mark(anyhow!("{:?} is not a skill; the skills are {}", flags.tool, known.join(", "))));
    }
    if flags.example {
        return reference::example(&context, &flags.tool).await;
    }
    let input = read_input(&flags.input)?;
    let answer = match &flags.server {
        Some(url) => {
            let caller = McpSkillCaller::http(url.as_str(), Some(context.settings.token()?.expose())).await?;
            let answer = caller.call(&flags.tool, &input).await;
            caller.close().await;
            answer?
        }
        None => {
            let app = App::open(context.settings.clone(), Role::Visiting).await?;
            let answer = app.call(&flags.tool, &input).await;
            app.close().await;
            answer?
        }
    };
    context.output.json(&answer)?;
    Ok(if answer["success"] == Value::Bool(true) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_input(path: &Path) -> Result<Value> {
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?)
    };
    let mut text = String::new();
    reader.take(INPUT_BYTES_MAX + 1).read_to_string(&mut text).context("the input is not text")?;
    if text.len() as u64 > INPUT_BYTES_MAX {
        bail!("the input is larger than {INPUT_BYTES_MAX} bytes");
    }
    serde_json::from_str(&text).context("the input is not JSON")
}
