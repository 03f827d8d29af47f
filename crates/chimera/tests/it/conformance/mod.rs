//! The protocol's own conformance suite against a fixture server on Chimera's stack.

mod fixture;
mod fixture_input;
mod fixture_tools;

use crate::peers::{Peer, program};
use chimera::mcp::{Gate, HttpOptions, http_routes, serve_http};
use fixture::Fixture;
use std::process::Stdio;
use tokio::{net::TcpListener, process::Command, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// Scenarios of 2025-11-25 that the revision requires.
const REQUIRED_2025_11_25: [&str; 30] = [
    "server-initialize",
    "logging-set-level",
    "ping",
    "completion-complete",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "server-sse-multiple-streams",
    "elicitation-sep1330-enums",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "dns-rebinding-protection",
];

/// Scenarios of 2025-11-25 that the suite runs without scoring them: newer than the revision, or beyond its own reference server.
const UNSCORED_2025_11_25: [&str; 3] = ["server-session-lifecycle", "json-schema-2020-12", "server-sse-polling"];

const REQUIRED_2026_07_28: [&str; 37] = [
    "server-stateless",
    "completion-complete",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "server-sse-multiple-streams",
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "sep-2164-resource-not-found",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "dns-rebinding-protection",
    "caching",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-unsupported-methods",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
];

/// Likewise. The ten `tasks-*` scenarios are left out: they examine an extension, optional by the protocol's own rules, that
/// Chimera does not offer, and the suite does not score them for any server.
const UNSCORED_2026_07_28: [&str; 3] = ["json-schema-2020-12", "http-header-validation", "http-custom-header-server-validation"];

#[tokio::test]
async fn every_server_scenario_of_2025_11_25_passes() {
    examine("2025-11-25", &REQUIRED_2025_11_25, &UNSCORED_2025_11_25).await;
}

#[tokio::test]
async fn every_server_scenario_of_2026_07_28_passes() {
    examine("2026-07-28", &REQUIRED_2026_07_28, &UNSCORED_2026_07_28).await;
}

async fn examine(revision: &str, required: &[&str], unscored: &[&str]) {
    let (Some(node), Some(suite)) = (program(Peer::Node), program(Peer::Conformance)) else { return };
    let shutdown = CancellationToken::new();
    let fixture = Fixture::new(shutdown.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = http_routes(move || fixture.clone(), &HttpOptions::default(), shutdown.clone());
    let mut server = JoinSet::new();
    server.spawn(serve_http(router, Gate::new(&HttpOptions::default(), None), listener, shutdown.clone()));

    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(node)
        .arg(suite)
        .args(["server", "--url", &url, "--requirements", revision, "--output-dir"])
        .arg(folder.path())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    shutdown.cancel();
    let report = String::from_utf8_lossy(&output.stdout);

    assert!(output.status.success(), "{report}\n{}", String::from_utf8_lossy(&output.stderr));
    // Each by name: a scenario that the suite no longer runs must not pass in silence.
    for scenario in required {
        assert!(report.contains(&format!("✓ {scenario}:")), "{scenario}\n{report}");
    }
    for scenario in unscored {
        assert!(report.contains(&format!("✓ {scenario} (")), "{scenario}\n{report}");
    }
    assert!(server.join_next().await.unwrap().unwrap().is_ok());
}
