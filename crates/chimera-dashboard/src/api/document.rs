//! The API described from its own list of routes: as an OpenAPI 3.1 document for programs, and as a page for people.

use super::{
    list,
    request::Call,
    route::{Input, Method, Route},
};
use crate::{Dashboard, Problem};
use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use maud::{DOCTYPE, html};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

pub(super) async fn openapi(_dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    static TEXT: LazyLock<String> = LazyLock::new(|| document(&list::all()).to_string());
    Ok(([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response())
}

pub(super) async fn readable(_dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    static TEXT: LazyLock<String> = LazyLock::new(|| page(&list::all()));
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8")], TEXT.as_str()).into_response())
}

/// Answers stand under `components`, each once, and in the form in which they are written; bodies and parameters stand where they are
/// taken, in the very form that is checked.
pub(super) fn document(routes: &[Route]) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.name().to_lowercase()] = operation(route, &mut generator);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Chimera mission control",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What operators and reviewers see and do. docs/api.md has examples.",
        },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {
                "key": { "type": "http", "scheme": "bearer", "description": "A person's key, or the contents of the data folder's file `token`." },
            },
        },
        "security": [{ "key": [] }],
    });
    say_which_uuids(&mut document);
    document
}

/// Ids are random ones, of version 4; no format says so.
fn say_which_uuids(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("format").is_some_and(|format| format == "uuid") {
                fields.insert("pattern".to_owned(), json!("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"));
            }
            fields.values_mut().for_each(say_which_uuids);
        }
        Value::Array(items) => items.iter_mut().for_each(say_which_uuids),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": route.operation,
        "summary": route.sentence,
        "description": format!("Role: {} or above.", route.role.name()),
        "parameters": parameters(route),
        "responses": responses(route, generator),
    });
    if let Some(Input { schema, .. }) = &route.body {
        operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    }
    operation
}

fn parameters(route: &Route) -> Vec<Value> {
    let in_path = route.parameters().map(|name| json!({ "name": name, "in": "path", "required": true, "schema": path_schema(name) }));
    let header = |name: &str, is_there: bool, pattern: &str, description: &str| {
        let schema = json!({ "type": "string", "pattern": pattern });
        is_there.then(|| json!({ "name": name, "in": "header", "required": false, "description": description, "schema": schema }))
    };
    let repeat = "Of the same request sent twice with the same key, only one is carried out, and both get its answer.";
    let seen = "The ETag of the state that you saw: the change is refused when there is a newer one.";
    let last = "The number of the last event that was seen, as browsers send it when they come back.";
    let headers = [
        header("Idempotency-Key", route.is_repeatable, "^[!-~]{1,255}$", repeat),
        header("If-Match", route.has_tag && route.method != Method::Get, "^\"[0-9]+\"$", seen),
        header("Last-Event-ID", route.answer.media_type == "text/event-stream", "^[0-9]{1,15}$", last),
    ];
    in_path.chain(query_parameters(route)).chain(headers.into_iter().flatten()).collect()
}

fn query_parameters(route: &Route) -> Vec<Value> {
    let Some(Input { schema, .. }) = &route.query else { return Vec::new() };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let mut parameter = json!({ "name": name, "in": "query", "required": required.contains(&json!(name)), "schema": schema });
        if let Some(description) = description {
            parameter["description"] = description;
        }
        parameter
    };
    schema["properties"].as_object().into_iter().flatten().map(parameter).collect()
}

fn path_schema(name: &str) -> Value {
    match name {
        "review_id" | "task_id" | "entry_id" => json!({ "type": "string", "format": "uuid" }),
        "agent_id" => json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$" }),
        "scope" => json!({ "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$", "description": "An agent's id, or `fleet`." }),
        _ => json!({ "type": "string", "minLength": 1, "maxLength": 128 }),
    }
}

/// What any route may answer.
const BY_ANY: [u16; 4] = [401, 403, 422, 503];
/// What any route that takes a body may answer besides.
const BY_BODIES: [u16; 4] = [400, 408, 413, 415];
/// What any route that honours `Idempotency-Key` may answer besides.
const BY_REPEATABLE: [u16; 2] = [400, 409];
/// What any route that changes something may answer besides: one person changes so much a minute.
const BY_CHANGES: [u16; 1] = [429];

fn responses(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let media_type = route.answer.media_type;
    let mut done = json!({ "description": "Done." });
    if let Some(schema) = route.answer.schema {
        done["content"] = json!({ media_type: { "schema": schema(generator) } });
    } else if route.answer.status == axum::http::StatusCode::OK {
        done["content"] = json!({ media_type: {} });
    }
    if route.has_tag {
        done["headers"] = json!({ "ETag": { "description": "The state it is in.", "schema": { "type": "string" } } });
    }
    responses.insert(route.answer.status.as_str().to_owned(), done);
    let problem = generator.subschema_for::<Problem>();
    let of_body = route.body.iter().flat_map(|_body| BY_BODIES);
    let of_key = BY_REPEATABLE.into_iter().filter(|_status| route.is_repeatable);
    let of_change = BY_CHANGES.into_iter().filter(|_status| route.method != Method::Get);
    for status in BY_ANY.into_iter().chain(of_body).chain(of_key).chain(of_change).chain(route.problems.iter().copied()) {
        let told = axum::http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Refused");
        let refused = json!({ "description": told, "content": { "application/problem+json": { "schema": problem } } });
        responses.entry(status.to_string()).or_insert(refused);
    }
    Value::Object(responses)
}

fn page(routes: &[Route]) -> String {
    let takes = |input: &Option<Input>| {
        let names =
            input.iter().flat_map(|input| input.schema["properties"].as_object().into_iter().flatten()).map(|(name, _)| name.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "The API of mission control" }
            }
            body {
                main {
                    h1 { "The API of mission control" }
                    p {
                        "Every request needs a key (" code { "Authorization: Bearer KEY" } ") or a signed-in browser. What is not done is answered as "
                        code { "application/problem+json" } ". The same as " a href="/api/openapi.json" { "an OpenAPI 3.1 document" } "."
                    }
                    table {
                        thead { tr { th scope="col" { "Request" } th scope="col" { "Role" } th scope="col" { "What it does" } th scope="col" { "Query" } th scope="col" { "Body" } } }
                        tbody {
                            @for route in routes {
                                tr id=(route.operation) {
                                    td { code { (route.method.name()) " " (route.path) } }
                                    td { (route.role.name()) }
                                    td { (route.sentence) }
                                    td { (takes(&route.query)) }
                                    td { (takes(&route.body)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    .into_string()
}
