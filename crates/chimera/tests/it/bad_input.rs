//! What people and programs get wrong at the command line and over HTTP: each a clear line, the right exit code, nothing lost.

use crate::{
    program::{Folder, Running, SOUL, Serving, run},
    wallet_stage::{WALLET, balance, usdc, with},
};
use nix::sys::signal::Signal;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::fs;

const TREND: &str = "skill_trend_fetcher";
const CONTENT: &str = "skill_content_generator";

#[tokio::test]
async fn input_that_is_no_json_or_too_deep_is_refused() {
    let folder = Folder::new();
    let deep = "[".repeat(100_000);
    let large = format!("\"{}\"", "x".repeat(5 << 20));
    for (input, part) in [
        (b"".as_slice(), "not JSON"),
        (b"{\"task_id\": ", "not JSON"),
        (b"{} {}", "not JSON"),
        (b"\xff\xfe\x00", "not text"),
        (deep.as_bytes(), "not JSON"),
        (large.as_bytes(), "larger than"),
    ] {
        folder.run_with_input(&["call", WALLET], input).await.refused(1, &["the input is", part]);
    }
    let nearly_too_deep = format!("{}1{}", "[".repeat(126), "]".repeat(126));
    folder.run_with_input(&["call", WALLET], nearly_too_deep.as_bytes()).await.refused(1, &["nested deeper"]);
    folder.run(&["call", WALLET, "--input", "nowhere.json"]).await.refused(1, &["cannot read nowhere.json"]);
}

#[tokio::test]
async fn wrong_words_on_the_command_line_are_usage_errors() {
    let folder = Folder::new();
    for args in [["frobnicate"].as_slice(), &["serve", "--listen", "everywhere"], &["call"], &["agent", "create"], &["--colour", "doctor"]]
    {
        let done = folder.run(args).await;
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{args:?}: {done:?}");
        assert!(done.stderr.starts_with("error: "), "{done:?}");
    }
    folder.run_with_input(&["call", "skill_teleport"], b"{}").await.refused(2, &["skill_teleport", TREND, CONTENT, WALLET]);
    assert!(!folder.data().exists());
}

#[tokio::test]
async fn a_wrong_configuration_is_told_with_its_line() {
    for (config, parts) in [
        ("[server]\nlisten = \"127.0.0.1:0\"\n\n[polcy]\n", ["chimera.toml:4:", "polcy", "policy"].as_slice()),
        ("[judge]\napprove_above = \"high\"\n", &["chimera.toml:2:"]),
        ("[judge]\napprove_above = 2.0\n", &["judge.approve_above is 2", "between 0 and 1"]),
        ("default_chain = \n", &["chimera.toml:1:"]),
        ("\u{0}", &["chimera.toml:1:"]),
        ("[chains.base]\nname = \"base\"\nnative = \"ETH\"\n", &["base"]),
        ("[store]\nurl = \"mysql://somewhere\"\n", &["store.url", "sqlite:"]),
        ("[chains.8453]\nname = \"base\"\nnative = \"ETH\"\nrpc = [\"ftp://node\"]\n", &["chains.8453", "ftp"]),
        ("[policy]\ndeny = [\"0x12\"]\n", &["policy", "deny"]),
    ] {
        let folder = Folder::with_config(config);
        folder.run_with_input(&["call", WALLET], balance("ETH").to_string().as_bytes()).await.refused(2, parts);
    }
    Folder::new().run(&["doctor", "--config", "nowhere.toml"]).await.refused(2, &["nowhere.toml"]);
}

#[tokio::test]
async fn an_environment_variable_that_names_no_setting_is_told() {
    let folder = Folder::new();
    let mut command = folder.command(&["agent", "list"]);
    command.env("CHIMERA_STORE__URI", "sqlite:other.db");

    run(command, b"").await.refused(2, &["CHIMERA_STORE__URI", "uri", "url"]);
}

#[tokio::test]
async fn hostile_characters_are_data_like_any_other() {
    let folder = Folder::new();
    for text in
        ["\u{0}", "a\u{0}b", "\u{202e}evil\u{2066}", "\u{1f9ff}\u{10ffff}", "\u{feff}", "'; drop table agents; --", "../../../etc/passwd"]
    {
        for (skill, input) in [
            (WALLET, with(usdc(1), "/agent_id", text)),
            (TREND, json!({"agent_id": text, "campaign_id": text, "resource_uris": ["news://a/b/latest"], "goal_context": text})),
        ] {
            let answer = folder.call(skill, &input).await;
            let code = answer["error_code"].as_str().unwrap();
            assert!(["invalid_input", "unknown_agent"].contains(&code), "{text:?}: {answer}");
        }
    }
    let deep = (0..98).fold(json!(1), |inner, _| json!([inner]));
    let answer = folder.call(WALLET, &with(usdc(1), "/params/asset", deep)).await;
    assert_eq!(answer["details"]["violations"][0]["path"], "/params/asset", "{answer}");
}

#[tokio::test]
async fn a_bad_soul_is_refused_with_its_line_and_leaves_nothing() {
    let folder = Folder::new();
    let soul = folder.write("soul.md", SOUL.replace("handle:", "hundle:"));
    let path = soul.to_str().unwrap().to_owned();

    folder.run(&["agent", "create", "--soul", &path]).await.refused(1, &["soul.md", "line", "hundle"]);
    folder.run(&["agent", "create", "--soul", "nowhere.md"]).await.refused(1, &["cannot read nowhere.md"]);

    assert_eq!(folder.json(&["agent", "list"]).await, json!({"agents": []}));
    folder.create_agent().await;
    folder.run(&["agent", "create", "--soul", &path]).await.refused(1, &["selam", "already"]);
    folder.run(&["agent", "show", "nobody"]).await.refused(1, &["no agent nobody"]);
    folder.run(&["agent", "show", "../x"]).await.refused(1, &["../x"]);
}

#[tokio::test]
async fn without_the_passphrase_no_agent_is_made_and_nothing_is_signed() {
    let folder = Folder::new();
    let soul = folder.write("soul.md", SOUL);
    let create = ["agent", "create", "--soul", soul.to_str().unwrap()];

    let mut without = folder.command(&create);
    without.env_remove("CHIMERA_WALLET_PASSPHRASE");
    run(without, b"").await.refused(1, &["CHIMERA_WALLET_PASSPHRASE"]);
    folder.create_agent().await;
    folder.write("other.md", SOUL.replace("id: selam", "id: other"));
    let mut wrong = folder.command(&["agent", "create", "--soul", "other.md"]);
    wrong.env("CHIMERA_WALLET_PASSPHRASE", "not this one");
    run(wrong, b"").await.refused(1, &["passphrase"]);
    let mut nowhere = folder.command(&["agent", "create", "--soul", "other.md"]);
    nowhere.env_remove("CHIMERA_WALLET_PASSPHRASE").env("CHIMERA_WALLET_PASSPHRASE_FILE", "nowhere");
    run(nowhere, b"").await.refused(1, &["CHIMERA_WALLET_PASSPHRASE_FILE", "nowhere"]);

    let agents = folder.json(&["agent", "list"]).await;
    assert_eq!(agents["agents"].as_array().unwrap().len(), 1, "{agents}");
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_used_is_told() {
    let folder = Folder::new();
    folder.write("file", "not a folder");
    folder.create_agent().await;
    let database = folder.data().join("chimera.db");

    for args in [["agent", "list", "--data", "file"], ["agent", "list", "--data", "file/below"]] {
        folder.run(&args).await.refused(1, &["file"]);
    }
    folder.run(&["serve", "--listen", "127.0.0.1:0", "--data", "file/below"]).await.refused(1, &["data folder", "file/below"]);
    let whole = fs::read(&database).unwrap();
    fs::write(&database, "this is no database, but somebody's diary").unwrap();
    folder.run(&["agent", "list"]).await.refused(1, &["chimera.db"]);
    assert_eq!(fs::read(&database).unwrap(), b"this is no database, but somebody's diary", "nobody's file is overwritten");
    fs::write(&database, whole).unwrap();
    assert_eq!(folder.json(&["agent", "list"]).await["agents"][0]["agent_id"], "selam");
}

#[tokio::test]
async fn a_port_in_use_and_a_folder_in_use_are_told() {
    let folder = Folder::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();

    folder.run(&["serve", "--listen", &address]).await.refused(1, &[&address, "--listen"]);
    let serving = folder.serve().await;
    folder.run(&["serve", "--listen", "127.0.0.1:0"]).await.refused(1, &["chimera-data", "--data"]);
    folder.run(&["demo", "--once"]).await.refused(1, &["chimera-data", "--data"]);

    // Visitors are welcome while it is served.
    assert_eq!(folder.json(&["agent", "list"]).await, json!({"agents": []}));
    assert_eq!(folder.call(WALLET, &usdc(1)).await["error_code"], "unknown_agent");
    assert_eq!(get(&serving.health).await, StatusCode::OK);
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_server_that_is_killed_leaves_a_folder_that_can_be_served_again() {
    let folder = Folder::new();
    folder.create_agent().await;
    let first = folder.serve().await;
    let token = first.token.clone();
    first.kill().await;

    let second = folder.serve().await;

    assert_eq!(second.token, token);
    let stopped = second.stop().await;
    assert_eq!((stopped.code, stopped.stdout.as_str()), (Some(0), ""), "{stopped:?}");
    stopped.calm();
    assert_eq!(folder.json(&["agent", "list"]).await["agents"][0]["agent_id"], "selam");
}

#[tokio::test]
async fn bodies_that_are_too_large_too_deep_or_no_json_are_refused_and_the_server_goes_on() {
    let folder = Folder::new();
    let serving = folder.serve().await;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let call = |input: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{WALLET}","arguments":{input},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{{"name":"t","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        )
    };
    for (body, status) in [
        (call(&format!("{{\"agent_id\":\"{}\"}}", "x".repeat(5 << 20))), StatusCode::PAYLOAD_TOO_LARGE),
        (call(&deep), StatusCode::BAD_REQUEST),
        ("{".to_owned(), StatusCode::BAD_REQUEST),
        (String::new(), StatusCode::BAD_REQUEST),
        ("\u{0}".to_owned(), StatusCode::BAD_REQUEST),
    ] {
        let (got, answer) = post(&serving, body).await;
        assert_eq!(got, status, "{answer}");
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }

    let twice = call(r#"{"agent_id":"one","agent_id":"two"}"#);
    let (status, answer) = post(&serving, twice).await;
    assert_eq!((status, &answer["result"]["structuredContent"]["error_code"]), (StatusCode::OK, &json!("invalid_input")), "{answer}");
    let stopped = serving.stop().await;
    assert_eq!(stopped.code, Some(0), "{stopped:?}");
    stopped.calm();
}

#[tokio::test]
async fn a_call_to_a_server_needs_its_token_and_the_server() {
    let folder = Folder::new();
    let serving = folder.serve().await;
    let call = ["call", WALLET, "--server", &serving.url];
    let input = usdc(1).to_string();

    let answered = folder.run_with_input(&call, input.as_bytes()).await;
    let mut wrong = folder.command(&call);
    wrong.env("CHIMERA_TOKEN", "not this one");
    run(wrong, input.as_bytes()).await.refused(1, &["token"]);
    let url = serving.url.clone();
    assert_eq!(serving.stop().await.code, Some(0));
    folder.run_with_input(&["call", WALLET, "--server", &url], input.as_bytes()).await.refused(1, &[]);

    let answer: Value = serde_json::from_str(&answered.stdout).unwrap();
    assert_eq!((answered.code, &answer["error_code"]), (Some(1), &json!("unknown_agent")));
}

#[tokio::test]
async fn a_stop_signal_at_any_time_ends_cleanly() {
    let folder = Folder::new();
    for (signal, command) in [
        (Signal::SIGTERM, ["serve", "--listen", "127.0.0.1:0", "--json"]),
        (Signal::SIGINT, ["serve", "--listen", "127.0.0.1:0", "--json"]),
        (Signal::SIGTERM, ["devnet", "--listen", "127.0.0.1:0", "--json"]),
    ] {
        let mut running = Running::start(folder.command(&command));
        running.json().await;
        running.signal(signal);
        let done = running.finish().await;
        assert_eq!(done.code, Some(0), "{command:?}: {done:?}");
        done.calm();
    }
}

async fn get(url: &str) -> StatusCode {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::get(url).await.unwrap().status()
}

async fn post(serving: &Serving, body: String) -> (StatusCode, Value) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let request = reqwest::Client::new()
        .post(&serving.url)
        .bearer_auth(&serving.token)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", WALLET);
    let response = request.body(body).send().await.unwrap();
    (response.status(), serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

/// Root may write everywhere, so the program runs as nobody, from a copy that nobody may reach.
#[tokio::test]
async fn a_read_only_data_folder_is_named_with_what_to_do_and_stays_as_it_is() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    const NOBODY: u32 = 65_534;
    let open = |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let folder = Folder::new();
    folder.create_agent().await;
    let program = folder.path().join("chimera");
    fs::copy(env!("CARGO_BIN_EXE_chimera"), &program).unwrap();
    for (path, mode) in [(folder.path(), 0o755), (&program, 0o755), (&folder.data(), 0o555), (&folder.data().join("chimera.db"), 0o444)] {
        open(path, mode);
    }
    let before = fs::read(folder.data().join("chimera.db")).unwrap();

    let mut command = tokio::process::Command::new(&program);
    command.args(["agent", "list", "--data"]).arg(folder.data()).current_dir("/").env_clear();
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    let done = run(command, b"").await;

    open(&folder.data(), 0o755);
    done.refused(1, &["data folder"]);
    assert_eq!(fs::read(folder.data().join("chimera.db")).unwrap(), before);
}
