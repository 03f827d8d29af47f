//! Rules on manifests: which crate may depend on which.

use super::{Violation, code::line_of, sources::SourceFile};
use serde_json::Value;

/// A crate of ours, those of ours that it may depend on, and those that only its tests may use besides.
/// A crate may always depend on itself in its tests, to turn its test features on.
const DIRECTIONS: [(&str, &[&str], &[&str]); 6] = [
    ("chimera-core", &[], &[]),
    ("chimera-dashboard", &["chimera-core"], &[]),
    ("chimera-devnet", &[], &[]),
    ("chimera-media", &["chimera-core"], &[]),
    ("chimera-adapters", &["chimera-core"], &["chimera-devnet"]),
    ("chimera", &["chimera-core", "chimera-adapters", "chimera-dashboard", "chimera-devnet", "chimera-media"], &[]),
];

/// A dependency that ties its user to one technology, the crates that may use it, and those where only tests may.
const TECHNOLOGIES: [(&str, &[&str], &[&str]); 24] = [
    ("alloy-consensus", &["chimera-adapters", "chimera-devnet"], &[]),
    ("alloy-eips", &["chimera-adapters", "chimera-devnet"], &[]),
    ("alloy-rlp", &["chimera-devnet"], &["chimera-adapters"]),
    ("anyhow", &["chimera"], &[]),
    ("axum", &["chimera", "chimera-dashboard", "chimera-devnet"], &["chimera-adapters"]),
    ("chacha20poly1305", &["chimera-adapters"], &[]),
    ("clap", &["chimera"], &[]),
    ("feed-rs", &["chimera-adapters"], &[]),
    ("getrandom", &["chimera-adapters", "chimera", "chimera-dashboard"], &[]),
    ("k256", &["chimera-adapters"], &["chimera-devnet"]),
    ("maud", &["chimera-dashboard"], &[]),
    ("openh264", &["chimera-media"], &[]),
    ("png", &["chimera-media"], &[]),
    ("reqwest", &["chimera-adapters", "chimera"], &[]),
    ("revm", &["chimera-devnet"], &[]),
    ("ring", &["chimera-adapters", "chimera-media"], &[]),
    ("rmcp", &["chimera-adapters", "chimera"], &[]),
    ("rusqlite", &["chimera-adapters"], &["chimera"]),
    ("rustls", &["chimera-adapters", "chimera"], &[]),
    ("scrypt", &["chimera-adapters"], &[]),
    ("tiny-skia", &["chimera-media"], &[]),
    ("toml", &["chimera"], &[]),
    ("tracing-subscriber", &["chimera"], &[]),
    ("ttf-parser", &["chimera-media"], &[]),
];

pub(crate) fn directions(packages: &[Value]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for package in packages {
        let name = text(&package["name"]);
        let Some((_, allowed, in_tests)) = DIRECTIONS.iter().find(|(known, ..)| *known == name) else {
            violations.push(Violation::in_file(
                manifest(name),
                "a new crate: say in tests/tidy/crates.rs what it may depend on, or make it a module",
            ));
            continue;
        };
        for (dependency, is_test) in dependencies(package).filter(|(dependency, _)| dependency.starts_with("chimera")) {
            let may = allowed.contains(&dependency) || (is_test && (in_tests.contains(&dependency) || dependency == name));
            if !may {
                let problem = format!("{name} may not depend on {dependency}: move what it needs down to chimera-core, behind a port");
                violations.push(Violation::in_file(manifest(name), problem));
            }
        }
    }
    violations
}

pub(crate) fn technologies(packages: &[Value]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for package in packages {
        let name = text(&package["name"]);
        for (dependency, is_test) in dependencies(package) {
            let Some((_, allowed, in_tests)) = TECHNOLOGIES.iter().find(|(known, ..)| *known == dependency) else { continue };
            let may = allowed.contains(&name) || (is_test && in_tests.contains(&name));
            if !may {
                let problem = format!("{dependency} may only be used by {}: reach it through a port", allowed.join(" and "));
                violations.push(Violation::in_file(manifest(name), problem));
            }
        }
    }
    violations
}

/// `cargo metadata` does not tell where a version came from, so this reads the manifests.
pub(crate) fn versions(files: &[SourceFile]) -> Vec<Violation> {
    let manifests = files.iter().filter(|file| file.path.starts_with("crates/") && file.path.ends_with("/Cargo.toml"));
    manifests.flat_map(versions_in).collect()
}

fn versions_in(file: &SourceFile) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut in_dependencies = false;
    let mut offset = 0;
    for line in file.text().split_inclusive('\n') {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
        } else if in_dependencies && line.contains('=') && !line.trim_start().starts_with('#') {
            let inherited = line.replace(' ', "").contains("workspace=true");
            if !inherited {
                let problem = "a dependency with a version of its own: put it under [workspace.dependencies] and inherit it";
                violations.push(Violation::new(file, line_of(file.text(), offset), problem));
            }
        }
        offset += line.len();
    }
    violations
}

/// Each dependency with whether only tests see it.
fn dependencies(package: &Value) -> impl Iterator<Item = (&str, bool)> {
    package["dependencies"].as_array().into_iter().flatten().map(|dependency| (text(&dependency["name"]), dependency["kind"] == "dev"))
}

fn manifest(package: &str) -> String {
    format!("crates/{package}/Cargo.toml")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("cargo metadata gives this as a string")
}
