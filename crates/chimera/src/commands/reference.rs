//! `chimera schema | completions | man | version`: what the program says of itself.

use super::Context;
use crate::{
    cli::Cli,
    config::Misconfigured,
    mcp::protocol_revisions,
    wiring::{Records, STORE_SCHEMA_VERSION},
};
use anyhow::{Context as _, Result, anyhow};
use chimera_core::{
    contracts::{UuidV4, content_generator, published_schemas, trend_fetcher, wallet_transaction},
    ports::agents::Agents,
    skills::SKILLS,
};
use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::{Value, json};
use std::{fs, path::Path, process::ExitCode};

/// Set by whoever builds a release.
const COMMIT: Option<&str> = option_env!("CHIMERA_BUILD_COMMIT");

pub fn schema(context: &Context, name: Option<&str>) -> Result<ExitCode> {
    let schemas = published_schemas();
    let names: Vec<&str> = schemas.iter().map(|(name, _)| *name).collect();
    match name {
        None => context.output.show(&json!({ "schemas": names }), |_| names.join("\n"))?,
        Some(wanted) => {
            let found = schemas.iter().find(|(name, _)| *name == wanted.trim_end_matches(".schema.json"));
            let (_, schema) = found.ok_or_else(|| {
                let nearest = names.iter().max_by(|a, b| nearness(a, wanted).total_cmp(&nearness(b, wanted))).copied().unwrap_or_default();
                Misconfigured::mark(anyhow!("there is no contract {wanted:?}; did you mean {nearest}? `chimera schema` lists them all"))
            })?;
            context.output.json(schema)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub fn completions(context: &Context, shell: Shell) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "chimera", &mut script);
    context.output.part(&String::from_utf8(script).context("the completions are not text")?)?;
    Ok(ExitCode::SUCCESS)
}

pub fn manual(context: &Context, dir: &Path) -> Result<ExitCode> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    clap_mangen::generate_to(Cli::command(), dir).with_context(|| format!("cannot write the pages into {}", dir.display()))?;
    let shown = json!({ "folder": dir.display().to_string() });
    context.output.show(&shown, |_| format!("wrote a page for each command into {}", dir.display()))?;
    Ok(ExitCode::SUCCESS)
}

pub fn version(context: &Context) -> Result<ExitCode> {
    let version = env!("CARGO_PKG_VERSION");
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    let skills: Vec<&str> = SKILLS.iter().map(|skill| skill.name).collect();
    let shown = json!({
        "version": version, "commit": COMMIT, "target": target, "build": build, "store_schema": STORE_SCHEMA_VERSION,
        "mcp_revisions": protocol_revisions(), "skills": skills,
    });
    context.output.show(&shown, |out| {
        let commit = COMMIT.map(|commit| format!(" ({commit})")).unwrap_or_default();
        [
            format!("{} {version}{commit}", out.bold("chimera")),
            format!("  target  {target}, {build}"),
            format!("  store   schema {STORE_SCHEMA_VERSION}"),
            format!("  mcp     {}", protocol_revisions().join(", ")),
            format!("  skills  {}", skills.join(", ")),
        ]
        .join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

fn nearness(name: &str, wanted: &str) -> f64 {
    strsim::jaro_winkler(name, wanted)
}

/// An input that the skill takes, for the first agent on record.
pub async fn example(context: &Context, skill: &str) -> Result<ExitCode> {
    // Whoever has no project yet gets the sample's name; nothing is made by asking.
    let has_records = context.settings.database_path().is_ok_and(|path| path.exists());
    let agent = if has_records { first_agent(context).await? } else { None };
    context.output.json(&example_input(skill, agent.as_deref().unwrap_or("selam"), UuidV4::random()))?;
    Ok(ExitCode::SUCCESS)
}

async fn first_agent(context: &Context) -> Result<Option<String>> {
    let records = Records::open(&context.settings)?;
    let agents = Agents::list(&records.store).await;
    records.close().await;
    Ok(agents?.first().map(|agent| agent.id.to_string()))
}

fn example_input(skill: &str, agent: &str, id: UuidV4) -> Value {
    match skill {
        trend_fetcher::NAME => json!({
            "agent_id": agent, "campaign_id": "example", "resource_uris": ["news://global/technology/latest"],
            "goal_context": "Follow open language models that run on phones",
        }),
        content_generator::NAME => json!({
            "task_id": id, "agent_id": agent, "task_type": "generate_content",
            "context": {
                "goal_description": "Follow open language models that run on phones", "persona_constraints": [], "campaign_id": "example",
                "required_resources": ["news://global/technology/latest"],
            },
            "acceptance_criteria": { "content_type": "text", "platform": "mastodon" },
        }),
        wallet_transaction::NAME => json!({
            "task_id": id, "agent_id": agent, "operation": "get_balance", "params": { "asset": "USDC" },
        }),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chimera_core::contracts::Checker;

    #[test]
    fn every_skill_takes_its_example() {
        for skill in SKILLS {
            let input = example_input(skill.name, "selam", UuidV4::random());
            let violations = Checker::new((skill.input_schema)()).check(&input);
            assert!(violations.is_empty(), "{}: {violations:?}", skill.name);
        }
    }
}
