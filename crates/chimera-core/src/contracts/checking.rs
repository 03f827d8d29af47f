//! Checks a JSON value against one of our own schemas and names every violation, each with its JSON pointer.
//! It reads the advertised schema itself, so what we say and what we enforce cannot drift apart.

mod rules;

use super::{UtcTime, UuidV4};
use rules::{Format, Rules};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// One thing wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Violation {
    /// JSON pointer to the field; a missing field's path is the field's.
    pub path: String,
    /// What is wrong, for a person.
    pub problem: String,
}

impl Violation {
    pub fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }
}

/// How many violations one answer names: beyond that the input is noise, and the answer would be as large as it.
const VIOLATIONS_MAX: usize = 100;
/// How much of a wrong name or value a message repeats.
const QUOTED_CHARS_MAX: usize = 60;

/// A schema made ready for checking.
pub struct Checker {
    root: Rules,
    empty_is_absent: bool,
}

impl Checker {
    /// `schema` must be one of ours: the subset of JSON Schema that [`super::schema`] emits.
    pub fn new(schema: Value) -> Self {
        Self { root: Rules::of(&schema), empty_is_absent: false }
    }

    /// Like [`Self::new`], but an optional field with empty text counts as absent: some hosts make their model fill in every field there is.
    /// Not for money, where nothing is guessed.
    pub fn with_empty_as_absent(schema: Value) -> Self {
        Self { empty_is_absent: true, ..Self::new(schema) }
    }

    /// Every violation in `value`, in the order of its fields; empty when it is valid.
    pub fn check(&self, value: &Value) -> Vec<Violation> {
        let mut found = Found { violations: Vec::new() };
        check_value(&Path::Root, value, &self.root, &mut found);
        found.violations
    }

    /// The typed value, or every violation. Optional fields that are `null` count as absent.
    pub fn read<T: DeserializeOwned>(&self, value: &Value) -> Result<T, Vec<Violation>> {
        if self.empty_is_absent && has_empty(value, &self.root) {
            let mut value = value.clone();
            drop_empty(&mut value, &self.root);
            return self.read_whole(&value);
        }
        self.read_whole(value)
    }

    fn read_whole<T: DeserializeOwned>(&self, value: &Value) -> Result<T, Vec<Violation>> {
        let violations = self.check(value);
        if !violations.is_empty() {
            return Err(violations);
        }
        T::deserialize(value).map_err(|error| vec![Violation::new("", error.to_string())])
    }
}

fn is_empty_text(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty)
}

/// Whether an optional field of it, at any depth, has empty text.
fn has_empty(value: &Value, rules: &Rules) -> bool {
    let Some(fields) = &rules.fields else { return false };
    fields.iter().any(|field| match value.get(&field.name) {
        Some(text) if is_empty_text(text) => !field.is_required,
        Some(inner) => has_empty(inner, &field.rules),
        None => false,
    })
}

fn drop_empty(value: &mut Value, rules: &Rules) {
    let (Value::Object(object), Some(fields)) = (value, &rules.fields) else { return };
    for field in fields {
        match object.get_mut(&field.name) {
            Some(text) if is_empty_text(text) && !field.is_required => drop(object.remove(&field.name)),
            Some(inner) => drop_empty(inner, &field.rules),
            None => {}
        }
    }
}

fn check_value(path: &Path<'_>, value: &Value, rules: &Rules, found: &mut Found) {
    if !rules.types.is_empty() && !rules.types.iter().any(|name| is_kind(value, name)) {
        found.add(path, || format!("expected {}, found {}", rules.types.join(" or "), kind(value)));
        return;
    }
    if let Some(choices) = rules.choices.as_ref().filter(|choices| !choices.contains(value)) {
        let known: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        found.add(path, || format!("{} is not one of {}", quoted(value), known.join(", ")));
    }
    match value {
        Value::Object(object) => check_object(path, object, rules, found),
        Value::Array(items) => check_array(path, items, rules, found),
        Value::String(text) => check_text(path, text, rules, found),
        Value::Number(number) => check_number(path, number.as_f64().unwrap_or(f64::NAN), rules, found),
        Value::Null | Value::Bool(_) => {}
    }
}

fn check_object(path: &Path<'_>, object: &Map<String, Value>, rules: &Rules, found: &mut Found) {
    let Some(fields) = &rules.fields else { return };
    for field in fields {
        let path = Path::Field(path, &field.name);
        match object.get(&field.name) {
            None if field.is_required => found.add(&path, || "is required".to_owned()),
            None => {}
            Some(Value::Null) if !field.is_required => {}
            Some(value) => check_value(&path, value, &field.rules, found),
        }
    }
    if rules.is_closed {
        for name in object.keys().filter(|name| !fields.iter().any(|field| field.name == **name)) {
            found.add(&Path::Field(path, start_of(name, QUOTED_CHARS_MAX)), || "is not a field of this contract".to_owned());
        }
    }
}

fn check_array(path: &Path<'_>, items: &[Value], rules: &Rules, found: &mut Found) {
    let length = items.len() as u64;
    if let Some(least) = rules.items_min.filter(|least| length < *least) {
        found.add(path, || format!("has {length} items, needs at least {least}"));
    }
    if let Some(most) = rules.items_max.filter(|most| length > *most) {
        found.add(path, || format!("has {length} items, may have at most {most}"));
        return;
    }
    if let Some(item_rules) = &rules.items {
        for (index, item) in items.iter().enumerate() {
            check_value(&Path::Item(path, index), item, item_rules, found);
        }
    }
}

fn check_text(path: &Path<'_>, text: &str, rules: &Rules, found: &mut Found) {
    let length = text.chars().count() as u64;
    if let Some(least) = rules.length_min.filter(|least| length < *least) {
        found.add(path, || match length {
            0 => "must not be empty".to_owned(),
            _ => format!("has {length} characters, needs at least {least}"),
        });
        return;
    }
    if let Some(most) = rules.length_max.filter(|most| length > *most) {
        found.add(path, || format!("has {length} characters, may have at most {most}"));
        return;
    }
    if let Some(pattern) = rules.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
        found.add(path, || format!("{} does not match {pattern}", quoted_text(text)));
    }
    let problem = rules.format.and_then(|format| match format {
        Format::Uuid => text.parse::<UuidV4>().err().map(|error| error.to_string()),
        Format::DateTime => text.parse::<UtcTime>().err().map(|_| format!("{} is not an RFC 3339 time", quoted_text(text))),
        Format::Uri => uri_problem(text),
    });
    if let Some(problem) = problem {
        found.add(path, || problem);
    }
}

struct Found {
    violations: Vec<Violation>,
}

impl Found {
    fn add(&mut self, path: &Path<'_>, problem: impl FnOnce() -> String) {
        if self.violations.len() < VIOLATIONS_MAX {
            let mut pointer = String::new();
            path.write_to(&mut pointer);
            self.violations.push(Violation::new(pointer, problem()));
        }
    }
}

/// Where a check stands. It becomes text only where something is wrong there.
enum Path<'above> {
    Root,
    Field(&'above Path<'above>, &'above str),
    Item(&'above Path<'above>, usize),
}

impl Path<'_> {
    /// As a JSON pointer.
    fn write_to(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Field(above, name) => {
                above.write_to(pointer);
                pointer.push('/');
                if name.contains(['~', '/']) {
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                } else {
                    pointer.push_str(name);
                }
            }
            Self::Item(above, index) => {
                above.write_to(pointer);
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
        }
    }
}

fn check_number(path: &Path<'_>, number: f64, rules: &Rules, found: &mut Found) {
    if let Some(least) = rules.minimum.filter(|least| number < *least) {
        found.add(path, || format!("{number} is below {least}"));
    }
    if let Some(bound) = rules.exclusive_minimum.filter(|bound| number <= *bound) {
        found.add(path, || format!("{number} must be above {bound}"));
    }
    if let Some(most) = rules.maximum.filter(|most| number > *most) {
        found.add(path, || format!("{number} is above {most}"));
    }
}

/// An absolute URI without spaces and without a placeholder left in it.
fn uri_problem(text: &str) -> Option<String> {
    if text.contains(['{', '}']) {
        return Some(format!("{} still has a placeholder in braces; fill it in", quoted_text(text)));
    }
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Some(format!("{} has a space or control character in it", quoted_text(text)));
    }
    match url::Url::parse(text) {
        Ok(_) => None,
        Err(_) => Some(format!("{} is not an absolute uri such as news://global/technology/latest", quoted_text(text))),
    }
}

fn is_kind(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("integer", Value::Number(number)) => number.is_u64() || number.is_i64(),
        _ => kind(value) == name,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => quoted_text(text),
        other => quoted_text(&other.to_string()),
    }
}

fn quoted_text(text: &str) -> String {
    let shown = start_of(text, QUOTED_CHARS_MAX);
    let ellipsis = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown:?}{ellipsis}")
}

/// All of `text` where it is no longer than that.
fn start_of(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests;
