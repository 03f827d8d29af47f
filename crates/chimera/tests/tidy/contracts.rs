//! The JSON Schemas under `contracts/` are made from the types; a difference is a change of what we promise to strangers.

use super::{Violation, sources::root};
use chimera_core::contracts::published_schemas;
use std::{collections::BTreeMap, fs};

/// Set it to write the files instead of comparing them.
const REWRITE_VARIABLE: &str = "CHIMERA_REWRITE_CONTRACTS";
const COMMAND: &str = "CHIMERA_REWRITE_CONTRACTS=1 cargo test --workspace --test tidy schemas";

pub(crate) fn published() -> Vec<Violation> {
    let schemas: BTreeMap<String, String> =
        published_schemas().into_iter().map(|(name, schema)| (format!("{name}.schema.json"), format!("{schema:#}\n"))).collect();
    if rewrites() {
        rewrite(&schemas);
    }
    let committed = committed();
    let mut violations = Vec::new();
    for name in schemas.keys().chain(committed.keys().filter(|name| !schemas.contains_key(*name))) {
        let problem = match (schemas.get(name), committed.get(name)) {
            (Some(made), Some(found)) if made == found => continue,
            (Some(_), Some(_)) => "differs from the schema of its type",
            (Some(_), None) => "is missing",
            (None, _) => "is not among the published schemas",
        };
        let advice = format!("{problem}: run `{COMMAND}`, and say in the commit what changes for clients");
        violations.push(Violation::in_file(format!("contracts/{name}"), advice));
    }
    violations
}

#[expect(clippy::disallowed_methods, reason = "how the person at the keyboard asks for new files; no configuration of the product")]
fn rewrites() -> bool {
    std::env::var_os(REWRITE_VARIABLE).is_some_and(|value| value == "1")
}

fn rewrite(schemas: &BTreeMap<String, String>) {
    let folder = root().join("contracts");
    fs::create_dir_all(&folder).expect("the folder contracts can be made");
    for name in committed().keys().filter(|name| !schemas.contains_key(*name)) {
        fs::remove_file(folder.join(name)).expect("a schema that is no longer published can be removed");
    }
    for (name, schema) in schemas {
        fs::write(folder.join(name), schema).expect("a schema can be written");
    }
}

/// By file name; empty when there is no folder yet.
fn committed() -> BTreeMap<String, String> {
    let entries = fs::read_dir(root().join("contracts")).into_iter().flatten();
    let files = entries.map(|entry| entry.expect("the folder contracts can be listed"));
    let schemas = files.filter(|file| file.file_name().to_string_lossy().ends_with(".schema.json"));
    schemas
        .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read_to_string(file.path()).expect("a schema can be read")))
        .collect()
}
