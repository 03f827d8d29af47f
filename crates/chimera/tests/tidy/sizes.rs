//! Rules on size.

use super::{
    Violation,
    code::{item_end, line_of, occurrences},
    sources::SourceFile,
};

/// The aim is 400; past this a file has two subjects.
const FILE_LINES_MAX: usize = 500;
/// The aim is 70; past this a function does two things.
const FUNCTION_LINES_MAX: usize = 90;
/// A test may be a table.
const TEST_LINES_MAX: usize = 150;
/// Together: weights, and typefaces for the scripts of thirteen languages. Everyone who clones the repository downloads them.
const BINARY_BYTES_MAX: u64 = 96 * 1024 * 1024;

pub(crate) fn files(files: &[SourceFile]) -> Vec<Violation> {
    let lengths = files.iter().filter(|file| file.is_rust()).map(|file| (file, file.text().lines().count()));
    let long = lengths.filter(|(_, lines)| *lines > FILE_LINES_MAX);
    long.map(|(file, lines)| {
        Violation::in_file(&file.path, format!("has {lines} lines, may have at most {FILE_LINES_MAX}: split it by subject"))
    })
    .collect()
}

pub(crate) fn functions(files: &[SourceFile]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let code = file.code();
        let product_code = if file.is_test() { String::new() } else { file.product_code() };
        for at in occurrences(&code, "fn ") {
            let lines = code[at..item_end(&code, at)].matches('\n').count() + 1;
            let is_product = product_code.get(at..).is_some_and(|rest| rest.starts_with("fn "));
            let lines_max = if is_product { FUNCTION_LINES_MAX } else { TEST_LINES_MAX };
            if lines > lines_max {
                let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let problem = format!("fn {name} has {lines} lines, may have at most {lines_max}: let it decide, and let others do");
                violations.push(Violation::new(file, line_of(&code, at), problem));
            }
        }
    }
    violations
}

pub(crate) fn binaries(files: &[SourceFile]) -> Vec<Violation> {
    let binaries: Vec<&SourceFile> = files.iter().filter(|file| file.text.is_none()).collect();
    let total: u64 = binaries.iter().map(|file| file.bytes).sum();
    if total <= BINARY_BYTES_MAX {
        return Vec::new();
    }
    let problem = |file: &SourceFile| {
        format!("{} bytes of {total} bytes of binaries, at most {BINARY_BYTES_MAX} together: make it smaller, or fetch it", file.bytes)
    };
    binaries.into_iter().map(|file| Violation::in_file(&file.path, problem(file))).collect()
}
