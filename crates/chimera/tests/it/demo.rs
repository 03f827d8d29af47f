//! A newcomer's first minutes: the demo, whose every figure must be true, a fresh project, and the help.

use crate::{
    program::{Finished, Folder, Running},
    wallet_stage::new_task,
};
use chimera_core::domain::platform::Platform;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

async fn demo(folder: &Folder) -> Value {
    let mut command = folder.command(&["demo", "--once", "--json"]);
    // As on a machine where nobody has set anything.
    command.env_remove("CHIMERA_WALLET_PASSPHRASE");
    let done = crate::program::run(command, b"").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    done.calm();
    serde_json::from_str(&done.stdout).unwrap()
}

fn list<'a>(report: &'a Value, name: &str) -> &'a Vec<Value> {
    report[name].as_array().unwrap_or_else(|| panic!("{name} is missing in {report}"))
}

#[tokio::test]
async fn the_demo_closes_the_loop_and_every_figure_is_true_twice() {
    let folder = Folder::new();

    let first = demo(&folder).await;
    let second = demo(&folder).await;

    for report in [&first, &second] {
        figures_agree(report);
    }
    assert!(second["ledger"]["entries"].as_u64() > first["ledger"]["entries"].as_u64(), "{second}");
    assert_eq!(std::fs::metadata(folder.data().join("passphrase")).unwrap().permissions().mode() & 0o777, 0o600);
    let config = folder.data().join("demo/chimera.toml");
    store_agrees(&folder, config.to_str().unwrap(), &second).await;
    chain_agrees(&folder, &[&first, &second]).await;
}

#[tokio::test]
async fn one_screen_says_what_runs_and_waits_and_the_posts_are_listed_as_they_are() {
    let folder = Folder::new();
    let nothing = folder.run(&["status"]).await;
    assert!(nothing.stdout.contains("not served") && nothing.stdout.contains("chimera agent create"), "{nothing:?}");
    let report = demo(&folder).await;

    let listed = folder.json(&["posts", "list"]).await;
    let texts = |posts: &Value| {
        let mut texts: Vec<String> = posts.as_array().unwrap().iter().map(|post| post["text"].to_string()).collect();
        texts.sort_unstable();
        texts
    };
    assert_eq!(texts(&listed["posts"]), texts(&report["posts"]));
    let one = folder.json(&["posts", "list", "--agent", "selam", "--limit", "1"]).await;
    assert_eq!((&one["posts"][0]["agent_id"], one["posts"].as_array().unwrap().len()), (&json!("selam"), 1), "{one}");
    folder.run(&["posts", "list", "--campaign", "none"]).await.refused(2, &["no campaign none"]);

    folder.json(&["wallet", "freeze", "--all", "--reason", "a key may be known", "--by", "hanna"]).await;
    let serving = folder.serve_with(&["--roles", "none"]).await;
    let status = folder.json(&["status"]).await;
    assert_eq!((&status["served"], &status["reviews_pending"]), (&json!(true), &json!(0)), "{status}");
    let told = folder.run(&["status"]).await.stdout;
    for part in ["the whole fleet is frozen: a key may be known (by hanna", "2 frozen", "selam", "dry run on"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.lines().count() <= 24, "one screen: {told}");
    assert_eq!(serving.stop().await.code, Some(0));
    assert_eq!(folder.json(&["status"]).await["served"], false);
}

/// The report against itself and against the rules of the platforms.
fn figures_agree(report: &Value) {
    assert_eq!(report["ledger"]["ok"], true, "{report}");
    for name in ["trends", "tasks", "results", "decisions", "posts", "payments"] {
        assert!(!list(report, name).is_empty(), "{name}: {report}");
    }
    let tasks: Vec<&Value> = list(report, "tasks").iter().map(|task| &task["task_id"]).collect();
    for result in list(report, "results") {
        assert!(tasks.contains(&&result["task_id"]), "{result}");
        let decided = list(report, "decisions").iter().filter(|decision| decision["result_id"] == result["result_id"]).count();
        assert_eq!(decided, 1, "every result has one decision: {result}");
        let confidence = result["confidence_score"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&confidence) && !result["reasoning_trace"].as_str().unwrap().is_empty(), "{result}");
    }
    for post in list(report, "posts") {
        let result = list(report, "results").iter().find(|result| result["task_id"] == post["task_id"]).unwrap();
        let decision = list(report, "decisions").iter().find(|decision| decision["result_id"] == result["result_id"]).unwrap();
        assert_eq!(decision["decision"], "approve", "nothing is posted without a decision: {post}");
        assert_eq!((&result["artifact"]["payload_text"], &post["status"]), (&post["text"], &json!("dry-run")), "{post}");
        within_limits(post);
    }
}

fn within_limits(post: &Value) {
    let name = post["platform"].as_str().unwrap();
    let platform = Platform::ALL.into_iter().find(|platform| platform.name() == name).unwrap();
    let text = post["text"].as_str().unwrap();
    assert!(!text.is_empty() && platform.limits().allows(text), "{post}");
}

/// What the commands find in the data folder afterwards.
async fn store_agrees(folder: &Folder, config: &str, report: &Value) {
    let health = folder.json_without_passphrase(&["doctor", "--config", config]).await;
    let found = |name: &str| {
        let checks = health["checks"].as_array().unwrap();
        checks.iter().find(|check| check["check"] == name).unwrap_or_else(|| panic!("{name}: {health}")).clone()
    };
    assert_eq!((&health["ok"], &found("ledger")["ok"]), (&json!(true), &json!(true)), "{health}");
    let entries = report["ledger"]["entries"].to_string();
    assert!(found("ledger")["found"].as_str().unwrap().starts_with(&format!("{entries} entries")), "{health}");
    let agents = folder.json_without_passphrase(&["agent", "list", "--config", config]).await;
    let ids: Vec<&str> = agents["agents"].as_array().unwrap().iter().map(|agent| agent["agent_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["selam", "tariku"]);
}

/// What the embedded chain of the data folder says when it runs alone.
async fn chain_agrees(folder: &Folder, reports: &[&Value]) {
    let mut devnet = Running::start(folder.command(&["devnet", "--listen", "127.0.0.1:0", "--json"]));
    let told = devnet.json().await;
    let url = told["rpc"].as_str().unwrap();
    let mut received = 0;
    let payments: Vec<&Value> = reports.iter().flat_map(|report| list(report, "payments")).collect();
    for payment in &payments {
        let receipt = rpc(url, "eth_getTransactionReceipt", json!([payment["tx_hash"]])).await;
        assert_eq!(receipt["status"], "0x1", "{payment}");
        assert_eq!(payment["block_number"], crate::anvil::number(&receipt["blockNumber"]).to_string());
        received += payment["amount_wei_or_units"].as_str().unwrap().parse::<u128>().unwrap();
    }
    let recipient = payments[0]["to_address"].as_str().unwrap().trim_start_matches("0x").to_lowercase();
    let call = json!({"to": told["usdc"], "data": format!("0x70a08231{recipient:0>64}")});
    assert_eq!(crate::anvil::number(&rpc(url, "eth_call", json!([call, "latest"])).await), received);
    devnet.signal(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(devnet.finish().await.code, Some(0));
}

async fn rpc(url: &str, method: &str, params: Value) -> Value {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = reqwest::Client::new().post(url).json(&body).send().await.unwrap().json::<Value>().await.unwrap();
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

#[tokio::test]
async fn the_report_for_people_tells_the_same_story() {
    let folder = Folder::new();

    let done = folder.run(&["demo", "--once"]).await;

    assert_eq!(done.code, Some(0), "{done:?}");
    for part in ["Perceived", "Post", "judge: approved", "Payment", "(test money)", "every entry verified", "dry-run", "allow list"] {
        assert!(done.stdout.contains(part), "{part:?} is missing in {}", done.stdout);
    }
    assert!(!done.stdout.contains('\u{1b}'), "colours are for terminals");
}

#[tokio::test]
async fn the_demo_keeps_serving_until_it_is_stopped() {
    let folder = Folder::new();
    let mut running = Running::start(folder.command(&["demo", "--json", "--listen", "127.0.0.1:0"]));

    let report = running.json().await;
    let told = running.json().await;

    figures_agree(&report);
    let _ = rustls::crypto::ring::default_provider().install_default();
    let health = reqwest::get(told["health"].as_str().unwrap()).await.unwrap();
    assert!(health.status().is_success());
    running.signal(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(running.finish().await.code, Some(0));
}

#[tokio::test]
async fn a_fresh_project_works_at_once() {
    let folder = Folder::new();
    folder.json(&["init", "project"]).await;
    let again: Finished = folder.run(&["init", "project"]).await;
    again.refused(1, &["chimera.toml already", "nothing was changed"]);
    let project = Folder::below(&folder, "project");

    let made = project.json(&["agent", "create", "--soul", "souls/selam.md"]).await;
    let health = project.json(&["doctor"]).await;
    let wallet = project.json(&["wallet", "show", "--agent", "selam"]).await;
    let shown = project.json(&["agent", "show", "selam"]).await;
    let balance = json!({"task_id": new_task(), "agent_id": "selam", "operation": "get_balance", "params": {"asset": "ETH"}});
    let balance = project.call("skill_wallet_transaction", &balance).await;
    let trends = json!({
        "agent_id": "selam", "campaign_id": "spring", "resource_uris": ["news://global/technology/latest"],
        "goal_context": "Follow open AI language models that run on people's own devices",
    });
    let trends = project.call("skill_trend_fetcher", &trends).await;

    assert_eq!(health["ok"], true, "{health}");
    assert_eq!((&wallet["address"], &shown["address"]), (&made["address"], &made["address"]));
    assert_eq!(balance["result"]["balance_wei_or_units"], "0", "{balance}");
    assert!(!trends["filter_results"].as_array().unwrap().is_empty(), "{trends}");
}

#[tokio::test]
async fn every_command_has_help_with_an_example() {
    let folder = Folder::new();
    let commands: [&[&str]; 17] = [
        &["demo"],
        &["init"],
        &["serve"],
        &["mcp"],
        &["feeds"],
        &["call"],
        &["agent", "create"],
        &["agent", "list"],
        &["agent", "show"],
        &["wallet", "show"],
        &["ledger", "list"],
        &["ledger", "verify"],
        &["ledger", "export"],
        &["ledger", "pnl"],
        &["devnet"],
        &["doctor"],
        &[],
    ];
    for command in commands {
        let done = folder.run(&[command, &["--help"]].concat()).await;
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{command:?}");
        for part in ["Usage: chimera", "--config <FILE>", "--data <DIR>", "--json", "chimera "] {
            assert!(done.stdout.contains(part), "{part:?} is missing in the help of {command:?}: {}", done.stdout);
        }
        let has_example = done.stdout.contains("Example") || command.is_empty() && done.stdout.contains("Start here:");
        assert!(has_example, "{command:?}: {}", done.stdout);
    }
    assert!(!folder.data().exists(), "help changes nothing");
}
