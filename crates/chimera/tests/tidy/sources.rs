//! The workspace as the rules see it: its files and its packages.

use super::code;
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// One file that is tracked, or would be after `git add`.
pub(crate) struct SourceFile {
    /// From the root of the repository, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    /// `None` when it is not text.
    pub(crate) text: Option<String>,
}

impl SourceFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is compiled into tests only.
    pub(crate) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// Whether it is a program of its own, for those who work on this one.
    pub(crate) fn is_example(&self) -> bool {
        self.path.contains("/examples/")
    }

    /// Empty when it is not text.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Rust code without comments and the contents of literals.
    pub(crate) fn code(&self) -> String {
        code::without_text(self.text())
    }

    /// The same without its tests.
    pub(crate) fn product_code(&self) -> String {
        code::without_tests(&self.code())
    }

    /// The path inside `folder`, which ends with `/`.
    pub(crate) fn inside(&self, folder: &str) -> Option<&str> {
        self.path.strip_prefix(folder)
    }
}

pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("this crate lies two folders below the root").to_owned()
}

pub(crate) fn all() -> Vec<SourceFile> {
    let listed = output(Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]));
    let listed = String::from_utf8(listed).expect("paths in this repository are UTF-8");
    let mut paths: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    // A conflict lists a path once for each side.
    paths.dedup();
    let files: Vec<SourceFile> = paths.into_iter().filter_map(read).collect();
    assert!(files.iter().any(|file| file.path == "Cargo.toml"), "git listed {} files, and Cargo.toml is not among them", files.len());
    files
}

/// `None` for a file that was deleted and not yet staged.
fn read(path: &str) -> Option<SourceFile> {
    let content = std::fs::read(root().join(path)).ok()?;
    Some(SourceFile { path: path.to_owned(), bytes: content.len() as u64, text: String::from_utf8(content).ok() })
}

/// The packages of this workspace, as `cargo metadata` describes them.
pub(crate) fn workspace_packages() -> Vec<Value> {
    let metadata = output(Command::new(env!("CARGO")).args(["metadata", "--no-deps", "--format-version=1", "--offline"]));
    let metadata: Value = serde_json::from_slice(&metadata).expect("cargo metadata answers JSON");
    metadata["packages"].as_array().cloned().expect("cargo metadata lists packages")
}

fn output(command: &mut Command) -> Vec<u8> {
    let output = command.current_dir(root()).output().unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
    assert!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
