//! `Idempotency-Key`: a change that is sent twice, because nobody heard the first answer, is carried out once, and both get one answer.
//! Follows draft-ietf-httpapi-idempotency-key-header-07. Only what was done is remembered: a refusal changed nothing, and may be asked anew.

use super::{request::Call, route::Route};
use crate::{Dashboard, Problem};
use axum::{
    body::{Body, to_bytes},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chimera_core::ports::held_answers::{IdempotencyKey, Repeated};
use sha2::{Digest, Sha256};
use std::sync::Arc;

const HEADER: &str = "idempotency-key";
const KEY_CHARS_MAX: usize = 255;
/// Answers of routes that create are a few lines.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

pub(super) async fn once(route: &Route, dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let Some(key) = key_of(route, &call)? else { return (route.handler)(dashboard, call).await };
    match dashboard.idempotency.begin(&key, dashboard.clock.now()).await? {
        Repeated::New => {}
        Repeated::Answered { status, body } => return Ok(answered(status, body)),
        Repeated::UnderWay => return Err(under_way()),
        Repeated::Another => return Err(another()),
    }
    let done = (route.handler)(dashboard.clone(), call).await;
    let is_done = done.as_ref().is_ok_and(|response| response.status().is_success());
    if !is_done {
        dashboard.idempotency.give_up(&key).await?;
        return done;
    }
    let (head, body) = done?.into_parts();
    let body = to_bytes(body, ANSWER_BYTES_MAX).await.map_err(|error| {
        tracing::error!("the answer of {} cannot be read back: {error}", route.path);
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "The answer was lost.", "Look at whether it was done.")
    })?;
    dashboard.idempotency.finish(&key, head.status.as_u16(), &String::from_utf8_lossy(&body)).await?;
    Ok(Response::from_parts(head, Body::from(body)))
}

fn key_of(route: &Route, call: &Call) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = call.headers.get(HEADER) else { return Ok(None) };
    let key = value.to_str().ok().filter(|key| (1..=KEY_CHARS_MAX).contains(&key.len()));
    let key = key.ok_or_else(|| {
        let detail = format!("An Idempotency-Key has 1 to {KEY_CHARS_MAX} plain characters.");
        Problem::new(StatusCode::BAD_REQUEST, "bad_idempotency_key", detail, "Send a UUID.")
    })?;
    let mut hasher = Sha256::new();
    let body = call.whole_body().to_string();
    for part in [route.method.name(), call.uri.path(), &body] {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    Ok(Some(IdempotencyKey { person: call.visitor.name.to_string(), key: key.to_owned(), request: hasher.finalize().into() }))
}

fn answered(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let json = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, json)], body).into_response()
}

fn under_way() -> Problem {
    Problem::new(
        StatusCode::CONFLICT,
        "under_way",
        "The request that came first with this Idempotency-Key has not ended.",
        "Send it once more in a moment, to get the answer of the first. If it stays so, the first was cut off: look whether it was done, and send the next one with another key.",
    )
}

fn another() -> Problem {
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "key_reused",
        "This Idempotency-Key came before with another request.",
        "Send a new key with each new request.",
    )
}
