//! What the configuration may say, and what it may not.

use crate::upstream::{UpstreamConfig, UpstreamTransport, parse_mcp_servers_json};
use std::collections::BTreeMap;

#[test]
fn the_usual_file_is_read() {
    let text = r#"{"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "server"], "env": {"KEY": "value"}, "cwd": "/srv"},
        "off": {"command": "x", "disabled": true},
        "remote": {"type": "http", "url": "https://mcp.example/mcp", "headers": {"Authorization": "Bearer x"}, "schemes": ["news"]}
    }}"#;

    let parsed = parse_mcp_servers_json(text).unwrap();

    let files = UpstreamTransport::Command {
        program: "npx".to_owned(),
        args: vec!["-y".to_owned(), "server".to_owned()],
        env: BTreeMap::from([("KEY".to_owned(), "value".to_owned())]),
        cwd: Some("/srv".into()),
    };
    let remote = UpstreamTransport::Http {
        url: "https://mcp.example/mcp".to_owned(),
        headers: BTreeMap::from([("Authorization".to_owned(), "Bearer x".to_owned())]),
    };
    assert_eq!(
        parsed,
        [
            UpstreamConfig { name: "files".to_owned(), transport: files, schemes: None },
            UpstreamConfig { name: "remote".to_owned(), transport: remote, schemes: Some(vec!["news".to_owned()]) },
        ]
    );
}

#[test]
fn malformed_files_are_refused_with_what_is_wrong() {
    let table = [
        ("", "mcpServers form"),
        ("[]", "mcpServers form"),
        ("{}", "mcpServers"),
        (r#"{"servers": {}}"#, "servers"),
        (r#"{"mcpServers": {"a": {}}}"#, "no command and no url"),
        (r#"{"mcpServers": {"a": {"command": ""}}}"#, "no command and no url"),
        (r#"{"mcpServers": {"a": {"command": "x", "url": "https://x/"}}}"#, "both"),
        (r#"{"mcpServers": {"a": {"command": "x", "enviroment": {}}}}"#, "enviroment"),
        (r#"{"mcpServers": {"a": {"command": ["x"]}}}"#, "string"),
        (r#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#, "sequence"),
        (r#"{"mcpServers": {"a": {"command": "x", "env": {"K": 1}}}}"#, "string"),
        (r#"{"mcpServers": {"a": {"command": "x", "headers": {}}}}"#, "headers"),
        (r#"{"mcpServers": {"a": {"url": "https://x/", "env": {}}}}"#, "env"),
        (r#"{"mcpServers": {"a": {"type": "sse", "url": "https://x/"}}}"#, "sse"),
        (r#"{"mcpServers": {"a": {"type": "http", "command": "x"}}}"#, "a command"),
        (r#"{"mcpServers": {"a": {"url": "ftp://x/"}}}"#, "http://"),
        (r#"{"mcpServers": {"a": {"url": "https://x/", "headers": {"a b": "c"}}}}"#, "header"),
        (r#"{"mcpServers": {"a": {"url": "https://x/", "headers": {"Mcp-Session-Id": "c"}}}}"#, "header"),
        (r#"{"mcpServers": {"a": {"command": "x", "env": {"CHIMERA_TOKEN": "c"}}}}"#, "never go to an upstream"),
        (r#"{"mcpServers": {"a": {"command": "x", "env": {"A=B": "c"}}}}"#, "no process can have"),
        (r#"{"mcpServers": {"a b": {"command": "x"}}}"#, "name"),
        (r#"{"mcpServers": {"a": {"command": "x"}, "A": {"command": "y"}}}"#, "two upstream servers"),
        (r#"{"mcpServers": {"a": {"command": "x", "schemes": ["news://"]}}}"#, "scheme"),
        (r#"{"mcpServers": {"a": {"command": "x", "schemes": ["mcp"]}}}"#, "scheme"),
    ];
    for (text, expected) in table {
        let error = parse_mcp_servers_json(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn credentials_are_not_in_what_is_printed_of_a_configuration() {
    let http = UpstreamTransport::Http {
        url: "https://ada:hunter2@mcp.example/mcp?key=hunter2".to_owned(),
        headers: BTreeMap::from([("Authorization".to_owned(), "hunter2".to_owned())]),
    };
    let env = BTreeMap::from([("KEY".to_owned(), "hunter2".to_owned())]);
    let command = UpstreamTransport::Command { program: "x".to_owned(), args: vec![], env, cwd: None };

    assert!(!format!("{http:?}{command:?}").contains("hunter2"));
}
