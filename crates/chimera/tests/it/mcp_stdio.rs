//! MCP on lines: what a desktop host may send, and what it must not be able to break.

use crate::fakes::{Stage, stage, trend_call};
use chimera::mcp::serve_lines;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split},
    task::JoinSet,
};

/// A host at the other end of the lines.
struct Host {
    output: WriteHalf<DuplexStream>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinSet<std::io::Result<()>>,
    next_id: u64,
}

impl Host {
    fn connect(stage: &Stage) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = split(theirs);
        let mut server = JoinSet::new();
        server.spawn(serve_lines(stage.server.for_connection(), input, output, stage.shutdown.clone()));
        let (input, output) = split(ours);
        Self { output, input: BufReader::new(input).lines(), server, next_id: 0 }
    }

    async fn initialized(stage: &Stage) -> Self {
        let mut host = Self::connect(stage);
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}});
        let answer = host.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        host.send_line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        host
    }

    async fn send_line(&mut self, line: &str) {
        self.output.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn send_request(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        self.send_line(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}).to_string()).await;
        self.next_id
    }

    async fn receive(&mut self) -> Value {
        let line = self.input.next_line().await.unwrap().expect("the server still speaks");
        serde_json::from_str(&line).expect("every line is JSON")
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params).await;
        loop {
            let message = self.receive().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }
}

/// What a wrong call is answered with: the contract's object, marked as an error, in both forms.
fn assert_contract_failure(answer: &Value, error_code: &str, about: &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{about}: {answer}");
    assert_eq!(result["structuredContent"]["success"], false, "{about}");
    assert_eq!(result["structuredContent"]["error_code"], error_code, "{about}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"], "{about}");
}

#[tokio::test]
async fn the_tools_are_listed_as_they_were() {
    let mut host = Host::initialized(&stage()).await;

    let tools = host.request("tools/list", json!({})).await["result"]["tools"].clone();

    let schemas_left_out: Vec<Value> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let mut tool = tool.clone();
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{schema} of {}", tool["name"]);
                tool[schema] = json!("as in contracts/");
            }
            tool
        })
        .collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&schemas_left_out).unwrap());
}

#[tokio::test]
async fn the_server_introduces_itself() {
    let mut host = Host::connect(&stage());

    let params = json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}});
    let answer = host.request("initialize", params).await;

    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], "2024-11-05");
    assert_eq!(result["serverInfo"]["title"], "Chimera");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(result["instructions"].as_str().unwrap().contains("skill_trend_fetcher"));
    assert_eq!(result["capabilities"], json!({"tools": {}, "prompts": {}, "resources": {"subscribe": true, "listChanged": true}}));
}

#[tokio::test]
async fn a_good_call_is_answered_in_both_forms() {
    let mut host = Host::initialized(&stage()).await;

    let answer = host.call("skill_trend_fetcher", trend_call("learn")).await;

    let result = &answer["result"];
    assert_eq!(result["isError"], false);
    assert_eq!(result["structuredContent"]["echo"], trend_call("learn"));
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    assert_eq!(result.get("resultType"), None, "the older revisions do not know it");
}

#[tokio::test]
async fn wrong_arguments_of_every_kind_are_answered_by_the_contract() {
    let mut host = Host::initialized(&stage()).await;
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    for arguments in [
        json!(null),
        json!([]),
        json!("text"),
        json!(7),
        json!(true),
        json!({}),
        json!({"agent_id": 1}),
        json!({"agent_id": "a\u{0}b", "\u{202e}drow": 1}),
        json!({"goal_context": "\u{0}\u{202e}\u{feff}", "resource_uris": "not a list"}),
        json!({"goal_context": "x".repeat(5 * 1024 * 1024)}),
        deep,
    ] {
        for tool in ["skill_trend_fetcher", "skill_content_generator", "skill_wallet_transaction"] {
            let about = arguments.to_string().chars().take(60).collect::<String>();
            let answer = host.call(tool, arguments.clone()).await;
            assert_contract_failure(&answer, "invalid_input", &format!("{tool} {about}"));
        }
    }

    let answer = host.request("tools/call", json!({"name": "skill_wallet_transaction"})).await;
    assert_contract_failure(&answer, "invalid_input", "no arguments at all");
}

#[tokio::test]
async fn requests_that_are_wrong_themselves_are_protocol_errors() {
    let mut host = Host::initialized(&stage()).await;
    for (method, params, code, says) in [
        ("tools/call", json!({"name": "skill_nothing", "arguments": {}}), -32602, "skill_wallet_transaction"),
        ("tools/call", json!({"name": "x".repeat(9999)}), -32602, "unknown tool"),
        ("tools/call", json!({}), -32602, "tools/call"),
        ("tools/call", json!({"name": 7}), -32602, "tools/call"),
        ("tools/list", json!({"cursor": "12"}), -32602, "unknown cursor"),
        ("resources/read", json!({}), -32602, "resources/read"),
        ("resources/read", json!({"uri": "chimera://agents/nobody/soul"}), -32002, "no resource"),
        ("resources/read", json!({"uri": "file:///etc/passwd"}), -32002, "no resource"),
        ("resources/list", json!({"cursor": "-1"}), -32602, "unknown cursor"),
        ("prompts/get", json!({"name": "nothing"}), -32602, "plan_campaign"),
        ("prompts/get", json!({"name": "write_in_voice"}), -32602, "agent_id: required"),
        ("no/such_method", json!({}), -32601, "no/such_method"),
    ] {
        let answer = host.request(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(says) && message.len() < 400, "{method}: {message}");
    }
}

#[tokio::test]
async fn lines_that_are_no_message_are_refused_and_the_server_lives_on() {
    let mut host = Host::connect(&stage());
    let too_deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    for (line, code) in [
        ("{", -32700),
        ("not json", -32700),
        ("\u{0}", -32700),
        ("\u{202e}{}", -32700),
        (too_deep.as_str(), -32700),
        ("{}", -32600),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    ] {
        host.send_line(line).await;
        let answer = host.receive().await;
        assert_eq!(answer["error"]["code"], code, "{line:?}: {answer}");
        assert_eq!(answer.get("id"), None, "{line:?}");
    }
    // Neither an empty line nor an early notification is an error.
    host.send_line("").await;
    host.send_line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    host.send_line("\u{1}\u{2}\u{fffd}").await;
    assert_eq!(host.receive().await["error"]["code"], -32700);

    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}});
    assert_eq!(host.request("initialize", params).await["result"]["protocolVersion"], "2025-06-18");
}

#[tokio::test]
async fn a_line_without_end_is_refused_and_skipped() {
    let mut host = Host::connect(&stage());
    let half = "x".repeat(9 * 1024 * 1024);

    host.output.write_all(half.as_bytes()).await.unwrap();
    host.output.write_all(half.as_bytes()).await.unwrap();
    let answer = host.receive().await;
    host.send_line("and its end").await;

    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(host.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn progress_grows_and_comes_before_the_answer() {
    let mut host = Host::initialized(&stage()).await;

    let params = json!({"name": "skill_trend_fetcher", "arguments": trend_call("report progress"), "_meta": {"progressToken": "p1"}});
    let id = host.send_request("tools/call", params).await;

    let mut seen = Vec::new();
    loop {
        let message = host.receive().await;
        if message["id"] == id {
            assert_eq!(message["result"]["isError"], false);
            break;
        }
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "p1");
        assert_eq!(message["params"]["total"], 3.0);
        seen.push(message["params"]["progress"].as_f64().unwrap());
    }
    assert_eq!(seen, [0.0, 1.0, 3.0]);
}

#[tokio::test]
async fn no_progress_is_sent_to_a_client_that_did_not_ask() {
    let mut host = Host::initialized(&stage()).await;

    let id = host.send_request("tools/call", json!({"name": "skill_trend_fetcher", "arguments": trend_call("report progress")})).await;

    assert_eq!(host.receive().await["id"], id);
}

#[tokio::test]
async fn a_cancelled_call_drops_the_skill_and_is_not_answered() {
    let stage = stage();
    let mut host = Host::initialized(&stage).await;
    let id = host.send_request("tools/call", json!({"name": "skill_trend_fetcher", "arguments": trend_call("wait for ever")})).await;
    stage.signals.started.notified().await;

    host.send_line(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string()).await;
    stage.signals.dropped.notified().await;

    let next = host.send_request("ping", json!({})).await;
    assert_eq!(host.receive().await["id"], next);
}

#[tokio::test]
async fn a_panic_and_an_answer_that_is_too_large_are_internal_errors() {
    let mut host = Host::initialized(&stage()).await;
    for goal in ["panic", "be too large"] {
        let answer = host.call("skill_trend_fetcher", trend_call(goal)).await;
        assert_contract_failure(&answer, "internal_error", goal);
        assert!(answer.to_string().len() < 4096, "{goal}");
    }
}

#[tokio::test]
async fn the_modern_era_needs_no_handshake() {
    let mut host = Host::connect(&stage());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });

    let found = host.request("server/discover", json!({"_meta": meta})).await;
    let called = host.request("tools/call", json!({"name": "skill_trend_fetcher", "arguments": [1], "_meta": meta})).await;
    let missing = host.request("resources/read", json!({"uri": "chimera://ledger/nobody", "_meta": meta})).await;

    assert!(found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    assert_contract_failure(&called, "invalid_input", "an array");
    assert_eq!(called["result"]["resultType"], "complete");
    assert_eq!(missing["error"]["code"], -32602);
}

#[tokio::test]
async fn the_server_ends_when_its_client_leaves_and_when_it_is_told_to() {
    let stage = stage();
    let leaving = Host::initialized(&stage).await;
    let mut staying = Host::initialized(&stage).await;
    let never_spoke = Host::connect(&stage);

    let mut left = leaving.server;
    drop((leaving.output, leaving.input));
    assert!(left.join_next().await.unwrap().unwrap().is_ok());

    stage.shutdown.cancel();
    assert!(staying.server.join_next().await.unwrap().unwrap().is_ok());
    let mut never_spoke = never_spoke;
    assert!(never_spoke.server.join_next().await.unwrap().unwrap().is_ok());
}
