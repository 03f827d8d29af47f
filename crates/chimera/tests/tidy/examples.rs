//! Each rule, held against a file that breaks it and one that does not.

use super::{Violation, crates, imports, places, sizes, sources::SourceFile, words};
use serde_json::json;

type Rule = fn(&[SourceFile]) -> Vec<Violation>;

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), bytes: text.len() as u64, text: Some(text.to_owned()) }
}

fn lines_found(rule: Rule, path: &str, text: &str) -> Vec<usize> {
    rule(&[file(path, text)]).iter().map(|found| found.line).collect()
}

#[test]
fn what_breaks_a_rule_is_found_on_its_line() {
    let core = "crates/chimera-core/src/";
    let cases: [(Rule, &str, &str, usize); 22] = [
        (imports::directions, "domain/a.rs", "\nuse crate::ports::Chain;", 2),
        (imports::directions, "swarm/a.rs", "use crate::{\n    ports::Chain,\n    skills::SKILLS,\n};", 3),
        (imports::directions, "contracts/mod.rs", "use super::domain::AgentId;", 1),
        (imports::directions, "surprise/mod.rs", "", 1),
        (places::names, "skills/a.rs", "\nuse std::{collections::HashMap, fs};", 2),
        (places::names, "skills/a.rs", "let now = tokio::net::lookup_host(name);", 1),
        (places::names, "swarm/worker.rs", "use reqwest::Client;", 1),
        (places::names, "../../chimera/src/mcp/a.rs", "use chimera_adapters::store::SqliteStore;", 1),
        (places::names, "../../chimera/src/mcp/a.rs", "let home = env::var(name);", 1),
        (places::names, "../../chimera/src/commands/a.rs", "writeln!(std::io::stderr(), \"x\");", 1),
        (places::debug_only, "../../chimera/src/wiring/mod.rs", "#[cfg(debug_assertions)]\nmod fail_points;\nuse fail_points::a;", 3),
        (places::serialisation, "domain/a.rs", "#[derive(\n    Debug, Serialize)]\nstruct A;", 1),
        (places::introductions, "domain/mod.rs", "pub mod a;", 1),
        (words::refused, "domain/a.rs", "fn f() {\n    dbg!(1);\n}", 2),
        (words::refused, "domain/a.rs", "#[allow(dead_code)]\nfn f() {}", 1),
        (words::refused, "domain/a.rs", "// TODO: later", 1),
        (words::machines, "../README.md", "\nsee /root/notes", 2),
        (words::machines, "../README.md", "data in /home/alice/data", 1),
        (words::machines, "../requirements.txt", "--index-url https://packages.example/simple", 1),
        (words::machines, "../Cargo.lock", "source = \"registry+https://packages.example/index\"", 1),
        (crates::versions, "../../chimera/Cargo.toml", "[dependencies]\nserde = \"1\"", 2),
        (sizes::functions, "domain/a.rs", &format!("\nfn f() {{\n{}}}", "    g();\n".repeat(90)), 2),
    ];
    for (rule, path, text, line) in cases {
        let path = match path.strip_prefix("../") {
            Some(outside) => outside.replacen("../chimera/", "crates/chimera/", 1),
            None => format!("{core}{path}"),
        };
        assert_eq!(lines_found(rule, &path, text), [line], "{path}: {text}");
    }
}

#[test]
fn what_keeps_the_rules_is_left_alone() {
    let cases: [(Rule, &str, &str); 15] = [
        (imports::directions, "crates/chimera-core/src/skills/a.rs", "use crate::{policy::spending, ports::Chain};"),
        (imports::directions, "crates/chimera-core/src/domain/a.rs", "#[cfg(test)]\nmod tests {\n    use crate::testing::FakeClock;\n}"),
        (imports::directions, "crates/chimera-core/src/domain/a.rs", "// use crate::ports::Chain;"),
        (imports::directions, "crates/chimera-adapters/src/chain/rpc.rs", "let client = crate::http_client::builder();"),
        (places::names, "crates/chimera/src/config/mod.rs", "std::env::vars_os()"),
        (places::names, "crates/chimera/src/wiring/chains.rs", "use chimera_adapters::chain::EvmChain;"),
        (places::names, "crates/chimera/src/mcp/a.rs", "const VERSION: &str = env!(\"CARGO_PKG_VERSION\");"),
        (places::serialisation, "crates/chimera-core/src/contracts/task.rs", "#[derive(Serialize)]\nstruct A;"),
        (places::names, "crates/chimera/src/mcp/a.rs", "std::env::split_paths(path)"),
        (places::names, "crates/chimera/examples/a.rs", "std::env::args()"),
        (words::refused, "crates/chimera/src/a.rs", "let text = \"dbg!\";"),
        (words::refused, "crates/chimera/src/a.rs", "let text = \"TODO\";"),
        (words::machines, "README.md", "chimera mcp --data /home/me/chimera-data, https://a.example/work/b"),
        (crates::versions, "crates/chimera/Cargo.toml", "[dependencies]\nserde.workspace = true\n[package]\nversion = \"1\""),
        (sizes::functions, "crates/chimera/src/a.rs", &format!("fn f() {{\n{}}}", "    g();\n".repeat(88))),
    ];
    for (rule, path, text) in cases {
        assert_eq!(lines_found(rule, path, text), [0_usize; 0], "{path}: {text}");
    }
}

#[test]
fn files_that_are_too_long_too_heavy_or_named_by_nothing_are_found() {
    let long = file("crates/chimera/src/a.rs", &"\n".repeat(501));
    let heavy = SourceFile { path: "data/weights.bin".to_owned(), bytes: 96 * 1024 * 1024 + 1, text: None };

    assert_eq!(sizes::files(&[long]).len(), 1);
    assert_eq!(sizes::binaries(&[heavy]).len(), 1);
    assert_eq!(words::file_names(&[file("crates/chimera/src/utils.rs", "")]).len(), 1);
    assert_eq!(words::file_names(&[file("crates/chimera/src/common/mod.rs", "")]).len(), 1);
}

#[test]
fn dependencies_in_the_wrong_direction_are_found() {
    let package =
        |name: &str, dependency: &str, kind: Option<&str>| json!({"name": name, "dependencies": [{"name": dependency, "kind": kind}]});

    assert_eq!(crates::directions(&[package("chimera-core", "chimera-adapters", None)]).len(), 1);
    assert_eq!(crates::directions(&[package("chimera-adapters", "chimera-devnet", None)]).len(), 1);
    assert_eq!(crates::directions(&[package("chimera-adapters", "chimera-devnet", Some("dev"))]).len(), 0);
    assert_eq!(crates::directions(&[package("chimera-surprise", "serde", None)]).len(), 1);
    assert_eq!(crates::technologies(&[package("chimera-core", "rusqlite", None)]).len(), 1);
    assert_eq!(crates::technologies(&[package("chimera-core", "reqwest", Some("dev"))]).len(), 1);
    assert_eq!(crates::technologies(&[package("chimera-devnet", "k256", Some("dev"))]).len(), 0);
}
