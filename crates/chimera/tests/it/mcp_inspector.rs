//! The MCP inspector as a client of ours: strict about schemas, in both protocol eras.

use crate::{
    fakes::{stage, trend_call},
    mcp_http::{TOKEN, Visitor},
    peers::{Peer, program},
};
use serde_json::Value;
use std::process::Stdio;
use tokio::process::Command;

struct Seen {
    exit_code: Option<i32>,
    answer: Value,
    complaints: String,
}

/// `None` when the inspector is not installed.
async fn inspect(url: &str, era: &str, arguments: &[&str]) -> Option<Seen> {
    let (node, inspector) = (program(Peer::Node)?, program(Peer::Inspector)?);
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(node)
        .arg(inspector)
        .args(["--cli", "--format", "json", url, "--header", &format!("Authorization: Bearer {TOKEN}"), "--protocol-era", era])
        .args(arguments)
        .env("HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    Some(Seen {
        exit_code: output.status.code(),
        answer: serde_json::from_slice(&output.stdout).unwrap_or_default(),
        complaints: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

#[tokio::test]
async fn the_inspector_finds_nothing_to_complain_about_in_our_tools() {
    let visitor = Visitor::arrive(&stage()).await;
    for era in ["legacy", "modern"] {
        let Some(seen) = inspect(&visitor.url, era, &["--method", "tools/list", "--strict"]).await else { return };
        assert_eq!((seen.exit_code, seen.complaints.as_str()), (Some(0), ""), "{era}");
        assert_eq!(seen.answer["result"]["tools"].as_array().unwrap().len(), 3, "{era}");
    }
}

#[tokio::test]
async fn the_inspector_calls_reads_and_prompts() {
    let visitor = Visitor::arrive(&stage()).await;
    let input = trend_call("keep the contract").to_string();
    for era in ["legacy", "modern"] {
        let call = ["--method", "tools/call", "--tool-name", "skill_trend_fetcher", "--tool-args-json"];
        let Some(good) = inspect(&visitor.url, era, &[&call[..], &[&input]].concat()).await else { return };
        let wrong = inspect(&visitor.url, era, &[&call[..], &["{}"]].concat()).await.unwrap();
        let read = inspect(&visitor.url, era, &["--method", "resources/read", "--uri", "chimera://ledger/selam"]).await.unwrap();
        let listed = inspect(&visitor.url, era, &["--method", "resources/list"]).await.unwrap();

        assert_eq!((good.exit_code, &good.answer["result"]["structuredContent"]["success"]), (Some(0), &Value::Bool(true)), "{era}");
        assert_eq!(wrong.exit_code, Some(5), "{era}: {}", wrong.complaints);
        assert_eq!(wrong.answer["result"]["structuredContent"]["error_code"], "invalid_input", "{era}");
        assert_eq!(read.answer["result"]["contents"][0]["mimeType"], "application/json", "{era}: {}", read.complaints);
        assert_eq!(listed.answer["result"]["resources"].as_array().unwrap().len(), 6, "{era}");
    }
}
