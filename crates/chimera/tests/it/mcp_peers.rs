//! Clients that are not ours use the real program, over HTTP and over stdio.

use crate::{
    peers::{self, Peer},
    program::{Finished, Folder, run},
    wallet_stage::{WALLET, new_task},
};
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::process::Command;

const TREND: &str = "skill_trend_fetcher";
const CONTENT: &str = "skill_content_generator";
const PYTHON_CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/python_client.py");

/// A project as `chimera init` makes it, with its first agent.
async fn project() -> (Folder, PathBuf) {
    let folder = Folder::new();
    folder.json(&["init", "project"]).await;
    let config = folder.path().join("project/chimera.toml");
    let soul = folder.path().join("project/souls/selam.md");
    folder.json(&["agent", "create", "--soul", soul.to_str().unwrap(), "--config", config.to_str().unwrap()]).await;
    (folder, config)
}

fn calls() -> Vec<(&'static str, Value)> {
    let trend = json!({
        "agent_id": "selam",
        "campaign_id": "spring",
        "resource_uris": ["news://global/technology/latest", "market://crypto/eth/price"],
        "goal_context": "Follow open AI language models that run on people's own devices",
    });
    let content = json!({
        "task_id": new_task(),
        "agent_id": "selam",
        "task_type": "generate_content",
        "context": {
            "goal_description": "Follow open AI language models that run on people's own devices",
            "persona_constraints": [],
            "required_resources": ["news://global/technology/latest"],
        },
        "acceptance_criteria": {"content_type": "text", "platform": "mastodon"},
    });
    let wallet = json!({"task_id": new_task(), "agent_id": "selam", "operation": "get_balance", "params": {"asset": "USDC"}});
    vec![(TREND, trend), (CONTENT, content), (WALLET, wallet)]
}

#[track_caller]
fn answered(skill: &str, input: &Value, result: &Value) {
    let answer = &result["structuredContent"];
    assert_eq!((&answer["success"], &result["isError"]), (&json!(true), &json!(false)), "{skill}: {result}");
    assert_eq!(&serde_json::from_str::<Value>(result["content"][0]["text"].as_str().unwrap()).unwrap(), answer);
    match skill {
        TREND => assert!(!answer["filter_results"].as_array().unwrap().is_empty(), "{answer}"),
        CONTENT => assert!(!answer["artifact"]["payload_text"].as_str().unwrap().is_empty(), "{answer}"),
        _ => assert_eq!((&answer["task_id"], &answer["result"]["balance_wei_or_units"]), (&input["task_id"], &json!("0"))),
    }
}

/// `target` is a URL, or our own command line.
async fn python(folder: &Folder, mode: &str, target: &[&str], token: Option<&str>) -> Option<Value> {
    let python = peers::program(Peer::Python)?;
    let calls = calls();
    let listed: Vec<Value> = calls.iter().map(|(tool, arguments)| json!({"tool": tool, "arguments": arguments})).collect();
    let file = folder.write("calls.json", Value::from(listed).to_string());
    let mut command = Command::new(python);
    command.current_dir(folder.path()).arg(PYTHON_CLIENT).arg("--calls").arg(file).args(["--mode", mode]).args(target);
    command.env("CHIMERA_WALLET_PASSPHRASE", crate::program::PASSPHRASE).env_remove("CHIMERA_TOKEN").env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(token) = token {
        command.env("CHIMERA_TOKEN", token);
    }
    let done = run(command, b"").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    let names: Vec<&str> = told["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, [TREND, CONTENT, WALLET]);
    for ((skill, input), result) in calls.iter().zip(told["results"].as_array().unwrap()) {
        answered(skill, input, &result["result"]);
    }
    assert!(!told["resource_templates"].as_array().unwrap().is_empty() && told["prompts"].as_array().unwrap().len() == 3, "{told}");
    Some(told)
}

#[tokio::test]
async fn the_python_client_calls_all_three_skills_over_http_in_both_eras() {
    let (folder, config) = project().await;
    let serving = folder.serve_with(&["--config", config.to_str().unwrap()]).await;
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let Some(told) = python(&folder, mode, &["--url", &serving.url], Some(&serving.token)).await else { return };
        assert_eq!(told["protocol_version"], version);
    }
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn the_python_client_calls_all_three_skills_over_stdio_in_both_eras() {
    let (folder, config) = project().await;
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let program = ["--", env!("CARGO_BIN_EXE_chimera"), "mcp", "--config", config.to_str().unwrap()];
        let Some(told) = python(&folder, mode, &program, None).await else { return };
        assert_eq!(told["protocol_version"], version);
    }
}

/// Every field that a converter made required, filled in as a model must that has nothing to say there.
fn filled(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("object") => {
            let fields = schema["properties"].as_object().unwrap();
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), filled(field))).collect())
        }
        Some("array") => json!([]),
        Some("boolean") => json!(false),
        Some("number") => json!(0),
        _ => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("")),
    }
}

/// Puts `over`'s fields into `value`, object by object.
fn overlaid(value: &mut Value, over: &Value) {
    match (value, over) {
        (Value::Object(fields), Value::Object(over)) => {
            for (name, inner) in over {
                overlaid(fields.entry(name.clone()).or_insert(Value::Null), inner);
            }
        }
        (value, over) => *value = over.clone(),
    }
}

/// The libraries of three vendors turn the tools into what their models are shown, and none of them refuses or loses a field. What a model
/// then says, which must fill in every field there is, is understood.
#[tokio::test]
async fn the_vendors_own_libraries_convert_every_tool_for_their_models() {
    const HOST_SDKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/host_sdks.py");
    let Some(python) = peers::program(Peer::Python) else { return };
    let (folder, config) = project().await;
    let program = ["--", env!("CARGO_BIN_EXE_chimera"), "mcp", "--config", config.to_str().unwrap()];
    let mut command = Command::new(python);
    command.current_dir(folder.path()).arg(HOST_SDKS).args(program).env("CHIMERA_WALLET_PASSPHRASE", crate::program::PASSPHRASE);
    command.env("PYTHONDONTWRITEBYTECODE", "1");

    let done = run(command, b"").await;

    assert_eq!(done.code, Some(0), "{done:?}");
    let converted: Value = serde_json::from_str(&done.stdout).unwrap();
    for library in ["google", "anthropic", "openai_strict"] {
        let tools = &converted[library];
        for (pointer, wanted) in [
            ("/skill_trend_fetcher/properties/options/properties/time_window_hours/type", "number"),
            ("/skill_content_generator/properties/acceptance_criteria/properties/video_tier/type", "string"),
            ("/skill_content_generator/properties/acceptance_criteria/properties/video_tier/enum/1", "hero"),
            ("/skill_wallet_transaction/properties/params/properties/amount_wei_or_units/type", "string"),
        ] {
            let found = tools.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            assert_eq!(found.to_lowercase(), wanted, "{library} {pointer}: {tools}");
        }
    }
    for (skill, said) in &calls()[..2] {
        let mut input = filled(&converted["openai_strict"][skill]);
        overlaid(&mut input, said);
        overlaid(
            &mut input,
            &json!(if *skill == TREND { json!({"options": {"time_window_hours": 4}, "relevance_threshold": 0.75}) } else { json!({}) }),
        );
        let answer = folder
            .json(&[
                "call",
                skill,
                "--input",
                &folder.write("input.json", input.to_string()).display().to_string(),
                "--config",
                config.to_str().unwrap(),
            ])
            .await;
        assert_eq!(answer["success"], true, "{input} {answer}");
    }
}

async fn inspector(folder: &Folder, options: &[&str], target: &[&str]) -> Option<Finished> {
    let (node, inspector) = (peers::program(Peer::Node)?, peers::program(Peer::Inspector)?);
    let mut command = Command::new(node);
    // It keeps files in the home folder.
    command.current_dir(folder.path()).env("HOME", folder.path()).arg(inspector).args(["--cli", "--format", "json"]);
    // A URL comes first, a command last.
    if target[0] == "--" {
        command.args(options).args(["-e", &format!("CHIMERA_WALLET_PASSPHRASE={}", crate::program::PASSPHRASE)]).args(target);
    } else {
        command.args(target).args(options);
    }
    Some(run(command, b"").await)
}

/// What both ways of connecting must do.
async fn inspected(folder: &Folder, target: &[&str]) -> Option<()> {
    let listed = inspector(folder, &["--method", "tools/list", "--strict"], target).await?;
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let problems: Vec<&str> = listed.stderr.lines().filter(|line| line.contains("error") || line.contains("warning")).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    assert_eq!(result(&listed)["tools"].as_array().unwrap().len(), 3);

    for (skill, input) in calls() {
        let arguments = input.to_string();
        let called = inspector(folder, &["--method", "tools/call", "--tool-name", skill, "--tool-args-json", &arguments], target).await?;
        assert_eq!(called.code, Some(0), "{called:?}");
        let result = result(&called);
        assert_eq!(result["structuredContent"]["success"], true, "{result}");
    }
    let refused = inspector(folder, &["--method", "tools/call", "--tool-name", WALLET, "--tool-args-json", "{}"], target).await?;
    assert_eq!((refused.code, &result(&refused)["structuredContent"]["error_code"]), (Some(5), &json!("invalid_input")), "{refused:?}");

    let read = inspector(folder, &["--method", "resources/read", "--uri", "chimera://agents/selam/status"], target).await?;
    assert_eq!(read.code, Some(0), "{read:?}");
    let status: Value = serde_json::from_str(result(&read)["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(status["agent_id"], "selam", "{status}");
    Some(())
}

fn result(done: &Finished) -> Value {
    let told: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    told["result"].clone()
}

#[tokio::test]
async fn the_inspector_uses_everything_over_http_in_both_eras() {
    let (folder, config) = project().await;
    let serving = folder.serve_with(&["--config", config.to_str().unwrap()]).await;
    let header = format!("Authorization: Bearer {}", serving.token);
    for era in ["legacy", "modern"] {
        let target = [serving.url.as_str(), "--header", &header, "--protocol-era", era];
        if inspected(&folder, &target).await.is_none() {
            return;
        }
    }
    let turned_away = inspector(&folder, &["--method", "tools/list"], &[&serving.url]).await.unwrap();
    assert_eq!(turned_away.code, Some(3), "{turned_away:?}");
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn the_inspector_uses_everything_over_stdio() {
    let (folder, config) = project().await;
    let target = ["--", env!("CARGO_BIN_EXE_chimera"), "mcp", "--config", config.to_str().unwrap()];
    inspected(&folder, &target).await;
}
