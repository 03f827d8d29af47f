//! The house rules that neither the compiler nor clippy keeps: who may depend on whom, what may stand where, how large things grow.
//! The rules are tables; each violation names its file and line, the rule, and what to do.

mod code;
mod contracts;
mod crates;
mod examples;
mod imports;
mod places;
mod sizes;
mod sources;
mod words;

use sources::SourceFile;

/// One place that breaks a rule.
struct Violation {
    path: String,
    /// Counted from 1; 0 means the whole file.
    line: usize,
    problem: String,
}

impl Violation {
    fn new(file: &SourceFile, line: usize, problem: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, problem: problem.into() }
    }

    fn in_file(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), line: 0, problem: problem.into() }
    }
}

#[track_caller]
fn none(violations: Vec<Violation>) {
    let mut lines: Vec<String> = violations
        .iter()
        .map(|found| match found.line {
            0 => format!("{}: {}", found.path, found.problem),
            line => format!("{}:{line}: {}", found.path, found.problem),
        })
        .collect();
    lines.sort();
    lines.dedup();
    assert!(lines.is_empty(), "{} violations of the house rules:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn crates_depend_on_each_other_in_one_direction() {
    none(crates::directions(&sources::workspace_packages()));
}

#[test]
fn each_technology_stays_in_the_crates_that_may_know_it() {
    none(crates::technologies(&sources::workspace_packages()));
}

#[test]
fn versions_stand_in_the_root_manifest_alone() {
    none(crates::versions(&sources::all()));
}

#[test]
fn folders_import_only_what_lies_below_them() {
    none(imports::directions(&sources::all()));
}

#[test]
fn names_stay_in_the_places_that_may_use_them() {
    none(places::names(&sources::all()));
}

#[test]
fn what_kills_the_program_on_demand_is_in_no_release_build() {
    none(places::debug_only(&sources::all()));
}

#[test]
fn only_the_contracts_of_the_core_derive_serialisation() {
    none(places::serialisation(&sources::all()));
}

#[test]
fn no_file_holds_a_refused_word() {
    none(words::refused(&sources::all()));
}

#[test]
fn no_file_names_a_machine_or_a_registry() {
    none(words::machines(&sources::all()));
}

#[test]
fn files_are_named_by_their_subject() {
    none(words::file_names(&sources::all()));
}

#[test]
fn every_folder_says_what_it_is_for() {
    none(places::introductions(&sources::all()));
}

#[test]
fn files_and_functions_stay_short_enough_to_read() {
    none(sizes::files(&sources::all()));
    none(sizes::functions(&sources::all()));
}

#[test]
fn committed_binaries_stay_small_enough_to_clone() {
    none(sizes::binaries(&sources::all()));
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    none(contracts::published());
}
