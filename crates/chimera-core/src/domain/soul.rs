//! SOUL.md: an agent's fixed persona. Markdown with YAML front matter; the body is the backstory. `docs/soul.md` explains every field.

mod front_matter;

use super::{AgentId, Platform, agent_id::NotAgentId, platform::UnknownPlatform};
use crate::contracts::soul::{BrandFrontMatter, SoulFrontMatter};
use serde_saphyr::Spanned;
use sha2::{Digest, Sha256};

/// A persona that passed every rule of SOUL.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Soul {
    pub id: AgentId,
    pub name: String,
    /// Without its `@`.
    pub handle: String,
    pub voice_traits: Vec<String>,
    pub directives: Vec<String>,
    pub core_beliefs: Vec<String>,
    pub platforms: Vec<Platform>,
    /// The label that ends every text of this agent, with `{handle}` and `{name}` filled in.
    pub disclosure: String,
    pub character_reference_id: Option<String>,
    pub brand: Option<Brand>,
    pub backstory: String,
    version: String,
}

/// How the persona's cards look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    pub colors: Vec<Color>,
    pub logo: Option<String>,
}

/// An sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
}

/// Something wrong in SOUL.md, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SoulError {
    /// 1 is the file's first line.
    pub line: u64,
    pub problem: SoulProblem,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SoulProblem {
    #[error("the file has {bytes} bytes, may have at most {SOUL_BYTES_MAX}")]
    TooLarge { bytes: usize },
    #[error("the file must begin with a line --- that opens the front matter")]
    NoFrontMatter,
    #[error("the front matter is not closed by a line ---")]
    UnterminatedFrontMatter,
    #[error("field {field:?} is missing")]
    MissingField { field: String },
    #[error("{field:?} is not a field of SOUL.md{}", did_you_mean(.nearest.as_deref()))]
    UnknownField { field: String, nearest: Option<String> },
    #[error("field {key:?} is given twice")]
    DuplicatedKey { key: String },
    #[error("anchors, aliases and merge keys are not allowed: write the value out")]
    AnchorsNotAllowed,
    #[error("expected {expected}, found {found}")]
    WrongType { expected: String, found: String },
    #[error("{0}")]
    Yaml(String),
    #[error("{field} must not be empty")]
    Empty { field: &'static str },
    #[error("{field} has {count} entries, may have at most {LIST_ENTRIES_MAX}")]
    TooMany { field: &'static str, count: usize },
    #[error("{field} has {chars} characters, may have at most {chars_max}")]
    TooLong { field: &'static str, chars: usize, chars_max: usize },
    #[error("{field} must be one line of plain text")]
    NotOneLine { field: &'static str },
    #[error(transparent)]
    BadId(#[from] NotAgentId),
    #[error("{0:?} is not a handle: 1 to 64 letters, digits, _, - and ., with or without a leading @")]
    BadHandle(String),
    #[error(transparent)]
    UnknownPlatform(#[from] UnknownPlatform),
    #[error("{0:?} is given twice")]
    DuplicatedEntry(String),
    #[error("{0:?} is not a colour: write #rrggbb")]
    BadColor(String),
    #[error("the backstory below the front matter is empty")]
    NoBackstory,
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default()
}

/// A persona is a few pages; anything larger is a mistake or an attack.
pub const SOUL_BYTES_MAX: usize = 64 * 1024;
const LIST_ENTRIES_MAX: usize = 32;
/// One trait, belief or directive: they must fit into posts beside other things.
const ENTRY_CHARS_MAX: usize = 240;
const NAME_CHARS_MAX: usize = 60;
const HANDLE_CHARS_MAX: usize = 64;
/// The label is in every text, also in the shortest: 280 weighted characters.
const DISCLOSURE_CHARS_MAX: usize = 60;
const REFERENCE_CHARS_MAX: usize = 512;

impl Soul {
    /// Strict: a file that is not exactly a SOUL is refused, with the line to mend.
    pub fn parse(source: &str) -> Result<Self, SoulError> {
        if source.len() > SOUL_BYTES_MAX {
            return Err(at(1, SoulProblem::TooLarge { bytes: source.len() }));
        }
        let parts = front_matter::split(source)?;
        let fields = front_matter::read(&parts)?;
        let backstory = parts.body.trim();
        if backstory.is_empty() {
            return Err(at(parts.body_line, SoulProblem::NoBackstory));
        }
        let version = hex(&Sha256::digest(source.as_bytes()));
        Lines { before: front_matter::LINES_BEFORE }.soul(fields, backstory.to_owned(), version)
    }

    /// Hex sha-256 of the source text.
    pub fn version(&self) -> &str {
        &self.version
    }
}

fn at(line: u64, problem: impl Into<SoulProblem>) -> SoulError {
    SoulError { line, problem: problem.into() }
}

/// Turns positions inside the front matter into lines of the file.
struct Lines {
    before: u64,
}

impl Lines {
    fn soul(&self, fields: SoulFrontMatter, backstory: String, version: String) -> Result<Soul, SoulError> {
        let name = self.text("name", &fields.name, NAME_CHARS_MAX)?;
        let id = fields.id.value.parse().map_err(|error: NotAgentId| self.error(&fields.id, error))?;
        let handle = self.handle(&fields.handle)?;
        let disclosure = fields.disclosure.value.replace("{handle}", &handle).replace("{name}", &name);
        let disclosure = self.text("disclosure", &Spanned { value: disclosure, ..fields.disclosure }, DISCLOSURE_CHARS_MAX)?;
        Ok(Soul {
            id,
            voice_traits: self.list("voice_traits", &fields.voice_traits)?,
            directives: self.list("directives", &fields.directives)?,
            core_beliefs: self.list("core_beliefs", &fields.core_beliefs)?,
            platforms: self.platforms(&fields.platforms)?,
            character_reference_id: self.optional("character_reference_id", fields.character_reference_id.as_ref())?,
            brand: fields.brand.as_ref().map(|brand| self.brand(brand)).transpose()?,
            name,
            handle,
            disclosure,
            backstory,
            version,
        })
    }

    fn error<T>(&self, place: &Spanned<T>, problem: impl Into<SoulProblem>) -> SoulError {
        at(self.before + place.referenced.line(), problem)
    }

    fn text(&self, field: &'static str, given: &Spanned<String>, chars_max: usize) -> Result<String, SoulError> {
        let text = given.value.trim();
        let chars = text.chars().count();
        if text.is_empty() {
            return Err(self.error(given, SoulProblem::Empty { field }));
        }
        if chars > chars_max {
            return Err(self.error(given, SoulProblem::TooLong { field, chars, chars_max }));
        }
        if text.chars().any(|c| c.is_control() || turns_direction(c)) {
            return Err(self.error(given, SoulProblem::NotOneLine { field }));
        }
        Ok(text.to_owned())
    }

    fn optional(&self, field: &'static str, given: Option<&Spanned<String>>) -> Result<Option<String>, SoulError> {
        given.map(|given| self.text(field, given, REFERENCE_CHARS_MAX)).transpose()
    }

    fn list(&self, field: &'static str, given: &Spanned<Vec<Spanned<String>>>) -> Result<Vec<String>, SoulError> {
        let count = given.value.len();
        if count == 0 {
            return Err(self.error(given, SoulProblem::Empty { field }));
        }
        if count > LIST_ENTRIES_MAX {
            return Err(self.error(given, SoulProblem::TooMany { field, count }));
        }
        let mut entries = Vec::with_capacity(count);
        for entry in &given.value {
            let text = self.text(field, entry, ENTRY_CHARS_MAX)?;
            if entries.contains(&text) {
                return Err(self.error(entry, SoulProblem::DuplicatedEntry(text)));
            }
            entries.push(text);
        }
        Ok(entries)
    }

    fn handle(&self, given: &Spanned<String>) -> Result<String, SoulError> {
        let text = given.value.trim();
        let handle = text.strip_prefix('@').unwrap_or(text);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let fits = !handle.is_empty() && handle.len() <= HANDLE_CHARS_MAX && handle.chars().all(plain);
        if fits {
            return Ok(handle.to_owned());
        }
        Err(self.error(given, SoulProblem::BadHandle(text.chars().take(HANDLE_CHARS_MAX).collect())))
    }

    fn platforms(&self, given: &Spanned<Vec<Spanned<String>>>) -> Result<Vec<Platform>, SoulError> {
        self.list("platforms", given)?;
        given.value.iter().map(|entry| entry.value.trim().parse().map_err(|error: UnknownPlatform| self.error(entry, error))).collect()
    }

    fn brand(&self, given: &BrandFrontMatter) -> Result<Brand, SoulError> {
        self.list("brand.colors", &given.colors)?;
        let colors = given
            .colors
            .value
            .iter()
            .map(|entry| color(entry.value.trim()).ok_or_else(|| self.error(entry, SoulProblem::BadColor(entry.value.clone()))))
            .collect::<Result<_, _>>()?;
        Ok(Brand { colors, logo: self.optional("brand.logo", given.logo.as_ref())? })
    }
}

fn color(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#')?;
    // `from_str_radix` also reads "+f"; a colour does not.
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let part = |range| u8::from_str_radix(&digits[range], 16).ok();
    Some(Color { red: part(0..2)?, green: part(2..4)?, blue: part(4..6)? })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a text look like another one than it is.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
