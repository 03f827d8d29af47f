//! Children: good ones, and every way of being bad that a host meets.

use super::test_server::{PATIENCE, child, host, quick_limits};
use crate::upstream::{Host, HostLimits, UpstreamState, UpstreamTransport};
use chimera_core::domain::Untrusted;
use chimera_core::ports::resources::{ResourceError, ResourceText, Resources};
use chimera_core::ports::tools::{ToolAnswer, ToolError, Tools};
use serde_json::{Map, json};
use std::time::Duration;

async fn text(host: &Host, uri: &str) -> String {
    host.read(uri, PATIENCE).await.unwrap().remove(0).text.into_data()
}

async fn fault(host: &Host, uri: &str) -> ResourceError {
    host.read(uri, PATIENCE).await.unwrap_err()
}

/// Dead, or dead and not yet collected by whoever adopted it.
fn is_gone(pid: &str) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'),
        Err(_) => true,
    }
}

async fn wait_until_gone(pid: &str) {
    // A killed process tells nobody but its parent, which is not us: there is no signal to wait for.
    tokio::time::timeout(PATIENCE, async {
        while !is_gone(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap_or_else(|_| panic!("process {pid} is still there"));
}

#[tokio::test]
async fn a_resource_is_read_with_its_mime_type_over_a_connection_that_is_kept() {
    let host = host(vec![child("one", "good")]);

    let read = host.read("test://small", PATIENCE).await.unwrap();
    let first_pid = text(&host, "test://pid").await;
    let second_pid = text(&host, "test://pid").await;

    assert_eq!(read, [ResourceText { text: Untrusted::new("small"), mime_type: Some("text/x-test".to_owned()) }]);
    assert_eq!(first_pid, second_pid);
    host.close().await;
}

#[tokio::test]
async fn many_reads_share_one_connection_and_a_stuck_one_holds_up_no_other() {
    let host = host(vec![child("one", "good")]);

    let stuck = host.read("test://never", Duration::from_secs(3));
    let others = futures::future::join_all((0..50).map(|_| text(&host, "test://pid")));
    let (stuck, pids) = tokio::join!(stuck, others);

    assert_eq!(stuck, Err(ResourceError::TimedOut { after_ms: 3_000 }));
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    host.close().await;
}

#[tokio::test]
async fn a_child_gets_the_environment_of_its_entry_and_nothing_else() {
    let host = host(vec![child("one", "good")]);

    assert_eq!(text(&host, "test://environment").await, "CHIMERA_TEST__UPSTREAM_MODE");
    host.close().await;
}

#[tokio::test]
async fn routes_are_found_by_scheme_by_template_and_by_the_servers_name() {
    let mut configured = child("configured", "good");
    configured.schemes = Some(vec!["test".to_owned()]);
    let host = host(vec![child("discovered", "good"), configured]);

    assert_eq!(fault(&host, "TEST://small").await, ResourceError::NotFound { server: "configured".to_owned() });
    assert_eq!(fault(&host, "templated://thing").await, ResourceError::NotFound { server: "discovered".to_owned() });
    assert_eq!(text(&host, "mcp://discovered/test%3A%2F%2Fsmall").await, "small");
    assert_eq!(text(&host, "mcp://Discovered/test://small").await, "small");
    assert_eq!(fault(&host, "other://x").await, ResourceError::NoServer { scheme: "other".to_owned() });
    assert_eq!(fault(&host, "no scheme").await, ResourceError::NoServer { scheme: String::new() });
    for broken in ["mcp://discovered/%zz", "mcp://discovered/%ff", "mcp://discovered/", "mcp://discovered", "mcp://discovered/%+1"] {
        assert_eq!(fault(&host, broken).await, ResourceError::NotFound { server: "discovered".to_owned() }, "{broken}");
    }
    let unknown = fault(&host, "mcp://nobody/test%3A%2F%2Fsmall").await.to_string();
    assert!(unknown.contains("no upstream server has this name"), "{unknown}");
    host.close().await;
}

#[tokio::test]
async fn bad_resources_are_told_apart() {
    let host = host(vec![child("one", "good")]);

    assert_eq!(fault(&host, "test://missing").await, ResourceError::NotFound { server: "one".to_owned() });
    assert_eq!(fault(&host, "test://blob").await, ResourceError::NotText);
    assert_eq!(fault(&host, "test://large").await, ResourceError::TooLarge { limit_bytes: 1024 * 1024 });
    assert_eq!(fault(&host, "test://giant").await, ResourceError::TooLarge { limit_bytes: 4 * 1024 * 1024 });
    let leak = ResourceError::Failed { server: "one".to_owned(), reason: "cannot open …".to_owned() };
    assert_eq!(fault(&host, "test://leaks").await, leak);
    host.close().await;
}

#[tokio::test]
async fn a_server_that_dies_under_a_read_fails_it_and_is_there_again_for_the_next() {
    let host = host(vec![child("one", "good")]);
    let first_pid = text(&host, "test://pid").await;

    let died = fault(&host, "test://dies").await;
    let second_pid = text(&host, "test://pid").await;

    assert_eq!(died, ResourceError::Failed { server: "one".to_owned(), reason: "the connection ended".to_owned() });
    assert_ne!(first_pid, second_pid);
    host.close().await;
}

#[tokio::test]
async fn servers_that_never_come_up_fail_with_their_reason_and_are_not_asked_again_at_once() {
    let table = [
        ("dead", "it exited with status 7"),
        ("endless_line", "it sent a message larger than the limit"),
        ("endless_garbage", "it writes something other than MCP to its standard output"),
    ];
    for (mode, expected) in table {
        let limits = HostLimits { backoff_first: Duration::from_secs(3_600), backoff_max: Duration::from_secs(3_600), ..quick_limits() };
        let host = Host::start(vec![child("one", mode)], None, limits).unwrap();

        let first = fault(&host, "test://small").await.to_string();
        let second = fault(&host, "mcp://one/test://small").await.to_string();

        assert!(first.contains(expected), "{mode}: {first}");
        assert!(second.contains(expected) && second.contains("next attempt in"), "{mode}: {second}");
        host.close().await;
    }
}

#[tokio::test]
async fn a_failed_server_is_tried_again_when_its_pause_is_over() {
    let limits = HostLimits { backoff_first: Duration::from_millis(1), backoff_max: Duration::from_millis(1), ..quick_limits() };
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("server");
    let mut config = child("one", "good");
    let UpstreamTransport::Command { program: configured, .. } = &mut config.transport else { unreachable!() };
    let real = std::mem::replace(configured, program.to_str().unwrap().to_owned());
    let host = Host::start(vec![config], None, limits).unwrap();

    let before = fault(&host, "mcp://one/test://small").await.to_string();
    std::os::unix::fs::symlink(real, program).unwrap();
    let after = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Ok(read) = host.read("mcp://one/test://small", PATIENCE).await {
                return read;
            }
            tokio::task::yield_now().await;
        }
    });

    assert!(before.contains("could not be started"), "{before}");
    assert_eq!(after.await.unwrap()[0].text.as_data(), "small");
    host.close().await;
}

#[tokio::test]
async fn a_silent_server_costs_a_caller_no_more_than_the_callers_deadline() {
    let host = host(vec![child("silent", "silent"), child("good", "good")]);

    let silent = host.read("mcp://silent/test://small", Duration::from_millis(200)).await;
    let good = text(&host, "test://small").await;

    assert_eq!(silent, Err(ResourceError::TimedOut { after_ms: 200 }));
    assert_eq!(good, "small");
    host.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named_without_its_path() {
    for (program, expected) in
        [("/nowhere/at/all", "\"all\" could not be started"), ("no-such-program", "\"no-such-program\" was not found")]
    {
        let mut config = child("one", "good");
        let UpstreamTransport::Command { program: configured, .. } = &mut config.transport else { unreachable!() };
        *configured = program.to_owned();
        let host = host(vec![config]);

        let reason = fault(&host, "mcp://one/test://small").await.to_string();

        assert!(reason.contains(expected) && !reason.contains("nowhere"), "{reason}");
        host.close().await;
    }
}

#[tokio::test]
async fn a_bare_program_name_is_looked_for_in_our_path_which_the_child_does_not_inherit() {
    let mut config = child("one", "good");
    let UpstreamTransport::Command { program, .. } = &mut config.transport else { unreachable!() };
    let (dir, name) = program.rsplit_once('/').map(|(dir, name)| (dir.to_owned(), name.to_owned())).unwrap();
    *program = name;
    let search_path = format!("relative/is/skipped:/nowhere:{dir}");
    let host = Host::start(vec![config], Some(search_path.into()), quick_limits()).unwrap();

    assert_eq!(text(&host, "test://environment").await, "CHIMERA_TEST__UPSTREAM_MODE");
    host.close().await;
}

#[tokio::test]
async fn closing_ends_the_child_and_its_children() {
    let host = host(vec![child("one", "with_grandchild")]);
    let pid = text(&host, "test://pid").await;
    let grandchild = text(&host, "test://grandchild").await;
    assert!(!is_gone(&pid) && !is_gone(&grandchild));

    host.close().await;

    wait_until_gone(&pid).await;
    wait_until_gone(&grandchild).await;
    let after = fault(&host, "test://small").await.to_string();
    assert!(after.contains("the host is closing"), "{after}");
}

#[tokio::test]
async fn dropping_the_host_ends_the_child_and_its_children() {
    let host = host(vec![child("one", "with_grandchild")]);
    let pid = text(&host, "test://pid").await;
    let grandchild = text(&host, "test://grandchild").await;

    drop(host);

    wait_until_gone(&pid).await;
    wait_until_gone(&grandchild).await;
}

#[tokio::test]
async fn a_child_that_ignores_its_closed_input_is_killed() {
    let host = host(vec![child("deaf", "deaf")]);
    let read = host.read("mcp://deaf/test://small", Duration::from_millis(300)).await;

    tokio::time::timeout(PATIENCE, host.close()).await.unwrap();

    assert_eq!(read, Err(ResourceError::TimedOut { after_ms: 300 }));
}

#[tokio::test]
async fn tools_answer_with_structure_or_text_and_their_failures_are_told_apart() {
    let host = host(vec![child("one", "good")]);
    let arguments = || Map::from_iter([("a".to_owned(), json!(1))]);
    let call = |tool: &'static str| host.call("one", tool, arguments(), PATIENCE);
    let (server, tool) = ("one".to_owned(), "refuse".to_owned());

    assert_eq!(call("echo").await, Ok(ToolAnswer::new(json!({ "a": 1 }))));
    assert_eq!(call("say").await, Ok(ToolAnswer::new(json!("said"))));
    assert_eq!(call("refuse").await, Err(ToolError::Refused { server: server.clone(), tool, reason: "not today, see …".to_owned() }));
    assert!(matches!(call("missing").await, Err(ToolError::Refused { .. })));
    assert_eq!(call("dies").await, Err(ToolError::Failed { server, reason: "the connection ended".to_owned() }));
    let late = host.call("one", "never", Map::new(), Duration::from_secs(2)).await;
    assert_eq!(late, Err(ToolError::TimedOut { after_ms: 2_000 }));
    let unknown = host.call("two", "echo", Map::new(), PATIENCE).await;
    assert_eq!(unknown, Err(ToolError::NoServer { server: "two".to_owned() }));
    host.close().await;
}

#[tokio::test]
async fn status_says_how_every_server_is() {
    let host = host(vec![child("good", "good"), child("dead", "dead")]);

    let status = host.status(PATIENCE).await;

    let schemes = vec!["templated".to_owned(), "test".to_owned()];
    assert_eq!(status[0].name, "good");
    assert_eq!(status[0].state, UpstreamState::Connected { protocol_version: "2026-07-28".to_owned(), schemes });
    assert!(matches!(&status[1].state, UpstreamState::Failed { reason } if reason.contains("status 7")), "{status:?}");
    host.close().await;
}
