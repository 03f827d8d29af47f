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

fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.remove(NULLABLE).is_some() {
                split_null(object);
            } else {
                drop_null(object);
            }
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
