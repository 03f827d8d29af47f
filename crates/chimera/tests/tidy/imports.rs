//! Rules on `crate::` paths: which folder may name which.

use super::{
    Violation,
    code::{line_of, occurrences},
    sources::SourceFile,
};

/// A source folder whose inner folders have a direction.
struct Directions {
    source: &'static str,
    /// A folder and what it may name besides itself; a folder that is not listed is a violation.
    allowed: &'static [(&'static str, &'static [&'static str])],
    advice: &'static str,
}

const DIRECTIONS: [Directions; 2] = [
    Directions {
        source: "crates/chimera-core/src/",
        allowed: &[
            ("contracts", &[]),
            ("domain", &["contracts"]),
            ("ports", &["domain", "contracts"]),
            ("policy", &["domain", "contracts"]),
            ("perception", &["ports", "policy", "domain", "contracts"]),
            ("composer", &["perception", "ports", "policy", "domain", "contracts"]),
            ("skills", &["composer", "perception", "ports", "policy", "domain", "contracts"]),
            // The Judge holds a text against its material by the very checks that a writer's draft has seen.
            ("swarm", &["composer", "ports", "policy", "domain", "contracts"]),
            ("testing", &["swarm", "skills", "composer", "perception", "ports", "policy", "domain", "contracts"]),
        ],
        advice: "move the shared part down, or take it as an argument behind a port",
    },
    Directions {
        source: "crates/chimera-adapters/src/",
        allowed: &[
            ("chain", &["http_client", "locking"]),
            ("embedder", &["locking"]),
            ("feeds", &["http_client", "network_guard", "stdio_server"]),
            ("http_client", &[]),
            ("keystore", &["locking", "transaction"]),
            ("locking", &[]),
            ("model", &["http_client", "locking"]),
            ("network_guard", &[]),
            ("social", &["http_client", "stdio_server"]),
            ("stdio_server", &[]),
            ("store", &["locking"]),
            ("trace_sink", &["http_client"]),
            ("transaction", &[]),
            ("upstream", &["http_client", "network_guard"]),
            ("wallet", &["http_client", "transaction"]),
        ],
        advice: "adapters never import each other; let the wiring pass one to the other as a port",
    },
];

pub(crate) fn directions(files: &[SourceFile]) -> Vec<Violation> {
    let product = files.iter().filter(|file| file.is_rust() && !file.is_test());
    product.flat_map(|file| DIRECTIONS.iter().flat_map(|table| wrong_imports(file, table)).collect::<Vec<_>>()).collect()
}

fn wrong_imports(file: &SourceFile, table: &Directions) -> Vec<Violation> {
    let Some(inner) = file.inside(table.source).filter(|inner| *inner != "lib.rs") else { return Vec::new() };
    let folder = inner.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    let Some((_, allowed)) = table.allowed.iter().find(|(known, _)| *known == folder) else {
        return vec![Violation::new(file, 1, format!("a new folder {folder}: say in tests/tidy/imports.rs what it may import"))];
    };
    let code = file.product_code();
    let named = named_folders(&code, module_depth(inner));
    let wrong = named
        .into_iter()
        .filter(|(name, _)| name != folder && !allowed.contains(&name.as_str()) && table.allowed.iter().any(|(known, _)| known == name));
    wrong.map(|(name, at)| Violation::new(file, line_of(&code, at), format!("{folder} may not import {name}: {}", table.advice))).collect()
}

/// How many `super`s lead from a file's module to the crate.
fn module_depth(inner: &str) -> usize {
    let parts = inner.split('/').count();
    if inner.ends_with("/mod.rs") { parts - 1 } else { parts }
}

/// The names right below the crate that `code` uses, with their places: `crate::a`, `crate::{a::b, c}` and `super::super::a`.
fn named_folders(code: &str, depth: usize) -> Vec<(String, usize)> {
    let prefixes = ["crate::".to_owned(), "super::".repeat(depth)];
    let mut found = Vec::new();
    for prefix in &prefixes {
        for at in occurrences(code, prefix).filter(|at| !code[..*at].ends_with("super::")) {
            let start = at + prefix.len();
            match code[start..].strip_prefix('{') {
                Some(group) => found.extend(group_heads(group).into_iter().map(|(name, offset)| (name, start + 1 + offset))),
                None => found.push((leading_name(&code[start..]), start)),
            }
        }
    }
    found
}

/// The first name of each path in `a::b, c::{d, e}}…`, up to the brace that closes the group.
fn group_heads(group: &str) -> Vec<(String, usize)> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut expects_head = true;
    for (offset, c) in group.char_indices() {
        match c {
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            '{' => depth += 1,
            ',' if depth == 0 => expects_head = true,
            _ if expects_head && !c.is_whitespace() => {
                heads.push((leading_name(&group[offset..]), offset));
                expects_head = false;
            }
            _ => {}
        }
    }
    heads
}

fn leading_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_name_a_folder_is_seen() {
        for (code, depth, folders) in [
            ("use crate::ports::Chain;", 2, vec!["ports"]),
            ("use crate::{contracts::{Task, x}, domain,\n swarm::y};", 2, vec!["contracts", "domain", "swarm"]),
            ("let x = crate::skills::SKILLS;", 2, vec!["skills"]),
            ("use super::super::ports::Chain;", 2, vec!["ports"]),
            ("use super::ports::Chain;", 1, vec!["ports"]),
            ("use super::ports::Chain;", 2, vec![]),
            ("use other_crate::ports;", 2, vec![]),
        ] {
            let named: Vec<String> = named_folders(code, depth).into_iter().map(|(name, _)| name).collect();
            assert_eq!(named, folders, "{code}");
        }
    }
}
