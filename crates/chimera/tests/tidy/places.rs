//! Rules on what may stand where.

use super::{
    Violation,
    code::{item_end, line_of, occurrences},
    sources::SourceFile,
};

/// Names that only some places may use.
struct Place {
    /// The files the rule is about, by the beginning of their paths.
    within: &'static str,
    names: &'static [&'static str],
    /// Where the names may stand after all, by the beginning of the paths.
    except: &'static [&'static str],
    advice: &'static str,
}

const CORE: &str = "crates/chimera-core/src/";

const PLACES: [Place; 7] = [
    Place {
        within: CORE,
        names: &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "tokio::fs",
            "tokio::net",
            "tokio::process",
            "tokio::signal",
        ],
        except: &[],
        advice: "the core touches no disk, network, environment or process: ask for it through a port",
    },
    Place {
        within: CORE,
        names: &["reqwest", "rusqlite", "rmcp", "hyper", "axum", "k256", "alloy_consensus", "feed_rs"],
        except: &[],
        advice: "the core names no technology: ask for it through a port",
    },
    Place {
        within: "crates/chimera-core/src/swarm/",
        names: &["alloy_primitives", "url::Url"],
        except: &[],
        advice: "planner, worker and judge reach the world through the SkillCaller and the stores alone",
    },
    Place {
        within: "crates/chimera/src/",
        names: &["chimera_adapters"],
        except: &[
            "crates/chimera/src/wiring",
            "crates/chimera/src/commands/feeds.rs",
            "crates/chimera/src/commands/social.rs",
            "crates/chimera/src/project.rs",
        ],
        advice: "only the wiring names concrete adapters: take what you need as a port",
    },
    Place {
        within: "crates/chimera/src/",
        names: &["rusqlite", "k256", "alloy_consensus", "feed_rs", "revm"],
        except: &[],
        advice: "the program names no technology of an adapter: add what you need to the adapter",
    },
    Place {
        within: "crates/chimera/src/",
        names: &["io::stdout", "io::stderr"],
        except: &["crates/chimera/src/output.rs", "crates/chimera/src/telemetry.rs"],
        advice: "one place writes for people, and makes visible what strangers wrote: use output",
    },
    Place {
        within: "crates/",
        names: &[
            "env::var",
            "env::var_os",
            "env::vars",
            "env::vars_os",
            "env::args",
            "env::args_os",
            "env::home_dir",
            "env::temp_dir",
            "env::current_dir",
        ],
        except: &["crates/chimera/src/config"],
        advice: "only the configuration reads the environment: take the value as an argument",
    },
];

pub(crate) fn names(files: &[SourceFile]) -> Vec<Violation> {
    let product = files.iter().filter(|file| file.is_rust() && !file.is_test() && !file.is_example());
    product.flat_map(misplaced_names).collect()
}

fn misplaced_names(file: &SourceFile) -> Vec<Violation> {
    let code = file.product_code();
    let mut violations = Vec::new();
    for place in PLACES.iter().filter(|place| file.path.starts_with(place.within)) {
        if place.except.iter().any(|exception| file.path.starts_with(exception)) {
            continue;
        }
        for name in place.names {
            let found = occurrences(&code, name).chain(grouped(&code, name));
            violations.extend(found.map(|at| Violation::new(file, line_of(&code, at), format!("{name}: {}", place.advice))));
        }
    }
    violations
}

/// Where `use std::{fs, net}` names `std::fs` in a group.
fn grouped(code: &str, name: &str) -> Vec<usize> {
    let Some((parent, child)) = name.split_once("::").filter(|(_, child)| !child.is_empty()) else { return Vec::new() };
    let opening = format!("use {parent}::{{");
    let mut found = Vec::new();
    for at in occurrences(code, &opening) {
        let group = &code[at..item_end(code, at)];
        found.extend(occurrences(group, child).map(|offset| at + offset));
    }
    found
}

/// What kills the program on demand, and the places that may say so.
const DEBUG_ONLY: [&str; 3] = ["fail_points", "dies_at", "watched"];
const DEBUG_ONLY_FILES: [&str; 3] =
    ["crates/chimera/src/wiring/fail_points.rs", "crates/chimera-core/src/ports/watched.rs", "crates/chimera-core/src/testing/"];

/// A release build must not even know the way: each mention stands right below the attribute that leaves it out there.
pub(crate) fn debug_only(files: &[SourceFile]) -> Vec<Violation> {
    let product = files.iter().filter(|file| file.is_rust() && !file.is_test() && !file.is_example());
    let elsewhere = product.filter(|file| !DEBUG_ONLY_FILES.iter().any(|own| file.path.starts_with(own)));
    elsewhere.flat_map(debug_only_in).collect()
}

fn debug_only_in(file: &SourceFile) -> Vec<Violation> {
    let code = file.product_code();
    let mut violations = Vec::new();
    for name in DEBUG_ONLY {
        for at in occurrences(&code, name) {
            let line = line_of(&code, at);
            let above = line.checked_sub(2).and_then(|above| code.lines().nth(above)).unwrap_or_default();
            if !(above.contains("cfg(") && above.contains("debug_assertions")) {
                let problem = format!("{name}: put #[cfg(debug_assertions)] right above, so that no release build has it");
                violations.push(Violation::new(file, line, problem));
            }
        }
    }
    violations
}

/// A serialisable type is a promise to strangers, and the promises stand in one folder.
pub(crate) fn serialisation(files: &[SourceFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let outside =
        |file: &&SourceFile| file.is_rust() && file.path.starts_with(CORE) && !file.path.starts_with("crates/chimera-core/src/contracts");
    for file in files.iter().filter(outside) {
        let code = file.code();
        for at in occurrences(&code, "derive(") {
            let derived = &code[at..at + code[at..].find(')').unwrap_or_default()];
            for name in ["Serialize", "Deserialize", "JsonSchema"] {
                if occurrences(derived, name).next().is_some() {
                    let problem =
                        format!("{name} is derived outside contracts/: move the type there, or convert it to one that stands there");
                    violations.push(Violation::new(file, line_of(&code, at), problem));
                }
            }
        }
    }
    violations
}

/// The first file of a folder or crate begins with what it does and what it may depend on.
pub(crate) fn introductions(files: &[SourceFile]) -> Vec<Violation> {
    let opens_folder = |file: &&SourceFile| {
        let folder = format!("{}/", file.path.trim_end_matches(".rs"));
        file.is_rust() && (is_root(&file.path) || (!file.is_test() && files.iter().any(|other| other.path.starts_with(&folder))))
    };
    let silent = files.iter().filter(opens_folder).filter(|file| !file.text().starts_with("//!"));
    silent.map(|file| Violation::new(file, 1, "begin with `//!`: what this folder does and what it may depend on")).collect()
}

fn is_root(path: &str) -> bool {
    ["/mod.rs", "/lib.rs"].iter().any(|name| path.ends_with(name))
}
