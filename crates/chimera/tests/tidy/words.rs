//! Rules on words that no file may hold, and on names that say nothing.

use super::{
    Violation,
    code::{line_of, occurrences, without_literals},
    sources::SourceFile,
};

/// Refused in Rust code, with what to do instead.
const IN_CODE: [(&str, &str); 9] = [
    ("dbg!", "log it, or remove it"),
    ("todo!", "write it, or refuse clearly at run time"),
    ("unimplemented!", "write it, or refuse clearly at run time"),
    ("#[allow(", "use #[expect(lint, reason = \"…\")], which says when it is no longer needed"),
    ("#![allow(", "use #[expect(lint, reason = \"…\")] where the lint fires"),
    ("#[ignore", "a test that needs a service is skipped loudly unless its variable is set"),
    ("#[should_panic", "assert on the returned error instead"),
    ("include!(", "make it a module"),
    ("static mut", "pass the state as an argument"),
];

/// Refused in any text but that of literals: a program may well look for such words.
const ANYWHERE: [(&str, &str); 3] = [
    ("TODO", "do it, or write down the limit where users read it"),
    ("FIXME", "fix it, or write down the limit where users read it"),
    ("XXX", "say what is meant"),
];

/// Folders that exist on one machine only.
const MACHINE_PATHS: [&str; 4] = ["/work/", "/root/", "/home/", "/Users/"];
/// How examples for users begin, and those of tests.
const EXAMPLE_PATHS: [&str; 2] = ["/home/me/", "/home/ada/"];

/// Everyone installs from their own registry, so no file may choose one.
const REGISTRY_WORDS: [&str; 6] =
    ["--index-url", "--extra-index-url", "\"resolved\":", "registry.npmjs", "pythonhosted.org", "replace-with"];
/// How Cargo.lock calls the default registry, wherever it is fetched from.
const CARGO_REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Names that fit any content, and so tell nothing about theirs.
const EMPTY_NAMES: [&str; 8] = ["utils", "util", "common", "helpers", "manager", "base", "types", "misc"];

/// These files name what they refuse.
const OWN_FOLDER: &str = "crates/chimera/tests/tidy/";

pub(crate) fn refused(files: &[SourceFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !is_exempt(file)) {
        if file.is_rust() {
            violations.extend(found(file, &file.code(), &IN_CODE));
            violations.extend(found(file, &without_literals(file.text()), &ANYWHERE));
        } else {
            violations.extend(found(file, file.text(), &ANYWHERE));
        }
    }
    violations
}

fn found(file: &SourceFile, text: &str, words: &[(&str, &str)]) -> Vec<Violation> {
    let hits = words.iter().flat_map(|(word, advice)| occurrences(text, word).map(move |at| (at, word, advice)));
    hits.map(|(at, word, advice)| Violation::new(file, line_of(text, at), format!("{word} is refused: {advice}"))).collect()
}

pub(crate) fn machines(files: &[SourceFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !file.path.starts_with(OWN_FOLDER)) {
        for (number, line) in file.text().lines().enumerate() {
            if MACHINE_PATHS.iter().any(|path| names_path(line, path)) {
                let problem = format!("a path of one machine: make it relative; an example begins with {}", EXAMPLE_PATHS.join(" or "));
                violations.push(Violation::new(file, number + 1, problem));
            }
            let chooses =
                REGISTRY_WORDS.iter().any(|word| line.contains(word)) || (line.contains("registry+http") && !line.contains(CARGO_REGISTRY));
            if chooses {
                violations.push(Violation::new(file, number + 1, "a registry's host: leave it to the machine's own settings"));
            }
        }
    }
    violations
}

/// Whether `line` holds a path that begins with `folder`, and not only one that has it in its middle.
fn names_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let continues = line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || ".-_/~}*".contains(c));
        !continues && !EXAMPLE_PATHS.iter().any(|example| line[at..].starts_with(example))
    })
}

pub(crate) fn file_names(files: &[SourceFile]) -> Vec<Violation> {
    let says_nothing = |file: &&SourceFile| file.path.trim_end_matches(".rs").split('/').any(|part| EMPTY_NAMES.contains(&part));
    let empty = files.iter().filter(|file| file.is_rust()).filter(says_nothing);
    empty.map(|file| Violation::in_file(&file.path, "name it by its subject; if it has none, it is not one thing yet")).collect()
}

/// Lock files and licences hold other people's words.
fn is_exempt(file: &SourceFile) -> bool {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    file.path.starts_with(OWN_FOLDER) || name.contains("lock") || name.starts_with("LICENSE")
}
