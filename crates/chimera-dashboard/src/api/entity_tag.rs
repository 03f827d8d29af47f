//! `ETag` and `If-Match`: who edits something says which state of it they saw. A tag is the number of the thing's newest event.

use crate::Problem;
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use serde::Serialize;

pub(super) fn with(mut response: Response, number: u64) -> Response {
    let tag = HeaderValue::from_str(&tag_of(number)).expect("digits between quotation marks");
    response.headers_mut().insert(header::ETAG, tag);
    response
}

/// Refuses a change to another state than the one that was seen. Who names none wants the change whatever the state is.
pub(super) fn check<T: Serialize>(headers: &HeaderMap, number: u64, current: &T) -> Result<(), Problem> {
    let mut named = headers.get_all(header::IF_MATCH).iter().peekable();
    if named.peek().is_none() {
        return Ok(());
    }
    let tag = tag_of(number);
    let is_seen =
        |value: &HeaderValue| value.to_str().is_ok_and(|tags| tags.split(',').map(str::trim).any(|named| named == "*" || named == tag));
    if named.any(is_seen) {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::PRECONDITION_FAILED,
        "changed_meanwhile",
        format!("It has changed since you looked at it: its state is {tag} now."),
        "Look at what it is now, which stands in `current`, and send the change once more with that state in If-Match.",
    )
    .with_current(current))
}

fn tag_of(number: u64) -> String {
    format!("\"{number}\"")
}
