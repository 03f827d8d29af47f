//! A request, read and checked as its route says, before any handler sees it: every violation at once, each with its JSON pointer.

use super::route::{Input, Route};
use crate::{Problem, access::Visitor};
use axum::{
    body::{Body, to_bytes},
    extract::{RawPathParams, Request},
    http::{HeaderMap, StatusCode, Uri, header},
};
use chimera_core::{
    contracts::{UuidV4, checking::Violation},
    domain::{AgentId, freeze::FreezeScope},
    ports::queries::{Cursor, PageOf},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, str::FromStr, time::Duration};
use tokio::time::timeout;

const BODY_BYTES_MAX: usize = 256 * 1024;
/// How long a body may take from its first byte to its last.
const BODY_WITHIN: Duration = Duration::from_secs(30);
/// Of a list that says nothing of its length.
const PAGE_ROWS: usize = 50;

/// What a handler is given.
pub(crate) struct Call {
    pub visitor: Visitor,
    pub headers: HeaderMap,
    pub uri: Uri,
    parameters: BTreeMap<String, String>,
    /// As they came; absent where the route has none.
    query: Value,
    body: Value,
}

impl Call {
    pub(super) async fn read(route: &Route, visitor: Visitor, parameters: &RawPathParams, request: Request) -> Result<Self, Problem> {
        let (head, body) = request.into_parts();
        let query = query_of(route.query.as_ref(), head.uri.query().unwrap_or_default())?;
        let body = match &route.body {
            Some(input) => body_of(input, &head.headers, body).await?,
            None => Value::Null,
        };
        let parameters = parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok(Self { visitor, headers: head.headers, uri: head.uri, parameters, query, body })
    }

    /// The body, as its schema has found it right.
    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        T::deserialize(&self.body).map_err(|error| broken([Violation::new("", error.to_string())]))
    }

    pub(super) fn whole_body(&self) -> &Value {
        &self.body
    }

    pub(crate) fn query<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        T::deserialize(&self.query).map_err(|error| broken([Violation::new("", error.to_string())]))
    }

    /// A part of the path, as it came.
    pub(super) fn text(&self, name: &str) -> &str {
        self.parameters.get(name).map(String::as_str).unwrap_or_default()
    }

    /// A part of the path; what cannot be one names nothing that is there.
    fn named<T: FromStr>(&self, name: &str, what: &str) -> Result<T, Problem> {
        self.text(name).parse().map_err(|_no_such_form| no_such(what, self.text(name)))
    }

    pub(super) fn review_id(&self) -> Result<UuidV4, Problem> {
        self.named("review_id", "review")
    }

    pub(super) fn memory_id(&self) -> Result<UuidV4, Problem> {
        self.named("memory_id", "memory")
    }

    pub(super) fn task_id(&self) -> Result<UuidV4, Problem> {
        self.named("task_id", "task")
    }

    pub(super) fn agent_id(&self) -> Result<AgentId, Problem> {
        self.named("agent_id", "agent")
    }

    /// An agent's id, or `fleet`.
    pub(super) fn scope(&self) -> Result<FreezeScope, Problem> {
        match self.text("scope") {
            FLEET => Ok(FreezeScope::Fleet),
            _ => self.named("scope", "agent").map(FreezeScope::Agent),
        }
    }
}

/// As a scope, every agent.
pub(super) const FLEET: &str = "fleet";

/// The part of a list that was asked for.
pub(super) fn page(limit: Option<u32>, cursor: Option<&str>) -> Result<PageOf, Problem> {
    let page = PageOf::first(limit.map_or(PAGE_ROWS, |limit| usize::try_from(limit).unwrap_or(PageOf::LIMIT_MAX)));
    match cursor.map(str::parse::<Cursor>).transpose() {
        Ok(cursor) => Ok(cursor.into_iter().fold(page, PageOf::after)),
        Err(error) => Err(broken([Violation::new("/cursor", error.to_string())])),
    }
}

pub(super) fn no_such(what: &str, id: &str) -> Problem {
    let shown: String = id.chars().take(QUOTED_CHARS_MAX).collect();
    Problem::new(StatusCode::NOT_FOUND, "not_found", format!("There is no {what} {shown}."), "Look at the list of them for its id.")
}

const QUOTED_CHARS_MAX: usize = 80;

pub(super) fn broken(violations: impl IntoIterator<Item = Violation>) -> Problem {
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid_input",
        "The request breaks its contract.",
        "Correct what the violations name; /api/openapi.json has the contract.",
    )
    .with_violations(violations)
}

/// The query as a JSON object, checked: numbers and truths are those where the schema wants them, everything else is text.
fn query_of(input: Option<&Input>, query: &str) -> Result<Value, Problem> {
    let mut object = Map::new();
    let mut violations = Vec::new();
    for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
        let schema = input.map_or(&Value::Null, |input| &input.schema["properties"][name.as_ref()]);
        let value = match schema["type"].as_str() {
            Some("integer") => text.parse::<u64>().map_or_else(|_not_a_number| Value::from(text.as_ref()), Value::from),
            _ => Value::from(text.as_ref()),
        };
        if object.insert(name.clone().into_owned(), value).is_some() {
            violations.push(Violation::new(format!("/{name}"), "is given twice"));
        }
    }
    let object = Value::Object(object);
    match input {
        Some(input) => violations.extend(input.checker.check(&object)),
        None => violations.extend(
            object.as_object().into_iter().flat_map(Map::keys).map(|name| Violation::new(format!("/{name}"), "is not a query parameter")),
        ),
    }
    if violations.is_empty() { Ok(object) } else { Err(broken(violations)) }
}

async fn body_of(input: &Input, headers: &HeaderMap, body: Body) -> Result<Value, Problem> {
    if !is_json(headers) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            "The body is not said to be JSON.",
            "Send it with the header \"Content-Type: application/json\".",
        ));
    }
    let bytes = match timeout(BODY_WITHIN, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_too_large)) => {
            let detail = format!("The body is larger than {BODY_BYTES_MAX} bytes, or was cut off.");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail, "Send less."));
        }
        Err(_too_slow) => {
            let detail = format!("The body was not whole within {} s.", BODY_WITHIN.as_secs());
            return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "too_slow", detail, "Send it again."));
        }
    };
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, "not_json", format!("The body is not JSON: {error}."), "Send one JSON object.")
    })?;
    let violations = input.checker.check(&value);
    if violations.is_empty() { Ok(value) } else { Err(broken(violations)) }
}

fn is_json(headers: &HeaderMap) -> bool {
    let named = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).and_then(|value| value.split(';').next());
    named.is_some_and(|named| named.trim().eq_ignore_ascii_case("application/json"))
}
