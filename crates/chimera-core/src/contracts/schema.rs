//! JSON Schemas made from the wire types: draft 2020-12, object at the root, no references, no `null` where a field may simply be absent.
//! Some clients drop a tool whose schema is cleverer than that.

use super::failure::FailureAnswer;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// Marks a field whose value may really be `null`; removed from the finished schema.
pub const NULLABLE: &str = "x-nullable";

pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    schema
}

/// One flat object schema that a skill's success object and its error object both satisfy.
pub fn answer_of<Success: JsonSchema>(id_name: &str, echoes_task: bool) -> Value {
    let mut schema = of::<Success>();
    let failure = of::<FailureAnswer>();
    let mut added = failure["properties"].as_object().cloned().unwrap_or_default();
    if !echoes_task {
        added.remove("task_id");
    }
    if let Some(properties) = schema["properties"].as_object_mut() {
        for (name, property) in added {
            properties.entry(name).or_insert(property);
        }
    }
    schema["required"] = json!(["success", id_name]);
    schema
}

/// What is advertised of an input where programs of others convert it for a language model: the same fields, types, choices and limits, in the
/// few words that all of their converters know. What the others said stands in the description, and is enforced as before.
pub fn portable(schema: &Value) -> Value {
    let Value::Object(object) = schema else { return schema.clone() };
    let mut kept = Map::new();
    let mut notes: Vec<String> = Vec::new();
    for (name, value) in object {
        let value = match (name.as_str(), value) {
            ("$schema" | "additionalProperties", _) => continue,
            ("format", format) => {
                notes.push(format_in_words(format).to_owned());
                continue;
            }
            ("exclusiveMinimum", bound) => {
                notes.push(format!("Above {bound}."));
                continue;
            }
            ("properties", Value::Object(fields)) => fields.iter().map(|(name, field)| (name.clone(), portable(field))).collect(),
            ("items", items) => portable(items),
            (_, other) => other.clone(),
        };
        kept.insert(name.clone(), value);
    }
    if !notes.is_empty() {
        let said = kept.get("description").and_then(Value::as_str).map(str::to_owned);
        kept.insert("description".to_owned(), Value::String(said.into_iter().chain(notes).collect::<Vec<_>>().join(" ")));
    }
    Value::Object(kept)
}

fn format_in_words(format: &Value) -> &'static str {
    match format.as_str() {
        Some("uuid") => "A UUID.",
        Some("uri") => "An absolute URI.",
        _ => "A time, as in 2026-12-01T09:00:00Z.",
    }
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.remove(NULLABLE).is_some() {
                split_null(object);
            } else {
                drop_null(object);
            }
            choose_from_names(object);
            // Not a format of JSON Schema: strict validators warn about it.
            if object.get("format").and_then(Value::as_str).is_some_and(|format| !matches!(format, "uuid" | "date-time" | "uri")) {
                object.remove("format");
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `anyOf` the value and null: clients that know only one `type` per schema would drop a list of types.
fn split_null(object: &mut Map<String, Value>) {
    if !object.get("type").is_some_and(Value::is_array) {
        return;
    }
    drop_null(object);
    let description = object.remove("description");
    let value = std::mem::take(object);
    object.extend(description.map(|text| ("description".to_owned(), text)));
    object.insert("anyOf".to_owned(), json!([value, { "type": "null" }]));
}

/// A choice of constants, each with a description of its own, becomes the plain list of them that every client knows.
fn choose_from_names(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let Some(names) = choices.iter().map(constants).collect::<Option<Vec<Vec<Value>>>>() else { return };
    let meaning = |choice: &Value| Some(format!("{}: {}", choice["const"].as_str()?, choice["description"].as_str()?));
    let said = object.get("description").and_then(Value::as_str).map(str::to_owned);
    let description = said.into_iter().chain(choices.iter().filter_map(meaning)).collect::<Vec<_>>().join(" ");
    object.remove("oneOf");
    object.insert("type".to_owned(), json!("string"));
    object.insert("enum".to_owned(), names.concat().into());
    if !description.is_empty() {
        object.insert("description".to_owned(), description.into());
    }
}

/// The texts that a choice stands for; `None` when it is no constant.
fn constants(choice: &Value) -> Option<Vec<Value>> {
    let names = choice.get("const").map(|name| vec![name.clone()]).or_else(|| choice["enum"].as_array().cloned())?;
    names.iter().all(Value::is_string).then_some(names)
}

fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(choices)) = object.get("anyOf") {
        let real: Vec<Value> = choices.iter().filter(|choice| choice["type"] != "null").cloned().collect();
        if let [Value::Object(only)] = real.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
}
