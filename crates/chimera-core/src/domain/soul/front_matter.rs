//! Cuts SOUL.md in two, reads the YAML part, and says in our own words what is wrong with it.

use super::{SoulError, SoulProblem, at};
use crate::contracts::soul::SoulFrontMatter;
use serde_saphyr::{Error, MergeKeyPolicy, budget::BudgetBreach};

/// The line `---` that opens the front matter.
pub(super) const LINES_BEFORE: u64 = 1;
/// The one required field that is not at the top.
const BRAND_COLORS: &str = "colors";
const FENCE: &str = "---";
/// Deepest value of a SOUL: a list inside `brand`. One more, so that the error names the field and not the depth.
const YAML_DEPTH_MAX: usize = 8;
/// How much of a wrong key or value a message repeats.
const QUOTED_CHARS_MAX: usize = 60;

pub(super) struct Parts<'a> {
    yaml: &'a str,
    pub(super) body: &'a str,
    /// The file's line on which the body begins.
    pub(super) body_line: u64,
}

/// Finds the two fences; a byte order mark and Windows line ends are no reason to refuse a file.
pub(super) fn split(source: &str) -> Result<Parts<'_>, SoulError> {
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim_end() != FENCE {
        return Err(at(1, SoulProblem::NoFrontMatter));
    }
    let mut yaml_bytes = 0;
    let mut line = LINES_BEFORE;
    for piece in rest.split_inclusive('\n') {
        line += 1;
        if piece.trim_end() == FENCE {
            return Ok(Parts { yaml: &rest[..yaml_bytes], body: &rest[yaml_bytes + piece.len()..], body_line: line + 1 });
        }
        yaml_bytes += piece.len();
    }
    Err(at(line, SoulProblem::UnterminatedFrontMatter))
}

pub(super) fn read(parts: &Parts<'_>) -> Result<SoulFrontMatter, SoulError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_anchors: 0, max_aliases: 0, max_depth: YAML_DEPTH_MAX, max_documents: 1 },
        merge_keys: MergeKeyPolicy::Error,
        // A name that is a number or a yes without quotes is a slip that other YAML readers would read otherwise.
        no_schema: true,
        with_snippet: false,
    };
    if parts.yaml.trim().is_empty() {
        return Err(at(LINES_BEFORE, SoulProblem::MissingField { field: "name".to_owned() }));
    }
    serde_saphyr::from_str_with_options(parts.yaml, options).map_err(|error| explain(&error, parts))
}

fn explain(error: &Error, parts: &Parts<'_>) -> SoulError {
    let within = error.location().map_or(0, |location| location.line());
    // A position past the last line is the end of the front matter.
    let line = (LINES_BEFORE + within).clamp(1, parts.body_line - 1);
    let problem = match error.without_snippet() {
        // What is not there has no line: the reader is sent to where the fields begin.
        Error::SerdeMissingField { field, .. } if *field != BRAND_COLORS => {
            return at(LINES_BEFORE, SoulProblem::MissingField { field: (*field).to_owned() });
        }
        Error::SerdeMissingField { .. } => SoulProblem::MissingField { field: format!("brand.{BRAND_COLORS}") },
        Error::SerdeUnknownField { field, expected, .. } => {
            SoulProblem::UnknownField { nearest: nearest(field, expected), field: shortened(field) }
        }
        Error::DuplicateMappingKey { key, .. } => SoulProblem::DuplicatedKey { key: key.as_deref().map_or_else(String::new, shortened) },
        Error::MergeKeyNotAllowed { .. } | Error::UnknownAnchor { .. } | Error::AliasError { .. } => SoulProblem::AnchorsNotAllowed,
        Error::Budget { breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. }, .. } => SoulProblem::AnchorsNotAllowed,
        Error::SerdeInvalidType { unexpected, expected, .. } => {
            SoulProblem::WrongType { expected: expected.clone(), found: shortened(unexpected) }
        }
        Error::Unexpected { expected, .. } => {
            SoulProblem::WrongType { expected: (*expected).to_owned(), found: "something else".to_owned() }
        }
        Error::NullIntoString { .. } => SoulProblem::WrongType { expected: "text".to_owned(), found: "nothing".to_owned() },
        Error::QuotingRequired { value, .. } => {
            SoulProblem::WrongType { expected: "text".to_owned(), found: format!("{:?}; put it in quotes", shortened(value)) }
        }
        other => SoulProblem::Yaml(shortened(&first_line(other))),
    };
    at(line, problem)
}

/// The field that was probably meant, if any is close.
fn nearest(field: &str, known: &[&'static str]) -> Option<String> {
    let wanted: String = field.to_lowercase().replace(['-', ' '], "_");
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(&wanted, name), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, name)| (*name).to_owned())
}

fn first_line(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or("the front matter is not valid YAML").to_owned()
}

fn shortened(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !c.is_control()).take(QUOTED_CHARS_MAX).collect();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}
