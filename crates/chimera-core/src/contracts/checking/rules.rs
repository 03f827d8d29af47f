//! A schema, read once, so that a check looks nothing up by name.

use regex::Regex;
use serde_json::Value;

/// What one value must be; what is absent or empty asks for nothing.
#[derive(Default)]
pub(super) struct Rules {
    pub types: Vec<String>,
    pub choices: Option<Vec<Value>>,
    /// In the schema's order.
    pub fields: Option<Vec<Field>>,
    /// Whether there may be no other fields.
    pub is_closed: bool,
    pub items: Option<Box<Rules>>,
    pub items_min: Option<u64>,
    pub items_max: Option<u64>,
    /// In characters.
    pub length_min: Option<u64>,
    pub length_max: Option<u64>,
    pub pattern: Option<Regex>,
    pub format: Option<Format>,
    pub minimum: Option<f64>,
    pub exclusive_minimum: Option<f64>,
    pub maximum: Option<f64>,
}

pub(super) struct Field {
    pub name: String,
    pub is_required: bool,
    pub rules: Rules,
}

#[derive(Clone, Copy)]
pub(super) enum Format {
    Uuid,
    DateTime,
    Uri,
}

impl Rules {
    pub(super) fn of(schema: &Value) -> Self {
        Self {
            types: names(&schema["type"]),
            choices: schema["enum"].as_array().cloned(),
            fields: fields(schema),
            is_closed: schema["additionalProperties"] == Value::Bool(false),
            items: schema.get("items").map(|items| Box::new(Self::of(items))),
            items_min: schema["minItems"].as_u64(),
            items_max: schema["maxItems"].as_u64(),
            length_min: schema["minLength"].as_u64(),
            length_max: schema["maxLength"].as_u64(),
            pattern: schema["pattern"]
                .as_str()
                .map(|pattern| Regex::new(pattern).expect("patterns of our own contracts are valid, which a test compiles")),
            format: match schema["format"].as_str() {
                Some("uuid") => Some(Format::Uuid),
                Some("date-time") => Some(Format::DateTime),
                Some("uri") => Some(Format::Uri),
                _ => None,
            },
            minimum: schema["minimum"].as_f64(),
            exclusive_minimum: schema["exclusiveMinimum"].as_f64(),
            maximum: schema["maximum"].as_f64(),
        }
    }
}

fn fields(schema: &Value) -> Option<Vec<Field>> {
    let required = names(&schema["required"]);
    let properties = schema["properties"].as_object()?;
    let field = |(name, property): (&String, &Value)| Field {
        name: name.clone(),
        is_required: required.contains(name),
        rules: Rules::of(property),
    };
    Some(properties.iter().map(field).collect())
}

/// One name, or a list of them.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
