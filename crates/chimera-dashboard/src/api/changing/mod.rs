//! What can be changed. Who did it is who is signed in, and never a field of the body.

pub(super) mod agents;
pub(super) mod answers;
pub(super) mod calendar;
pub(super) mod campaigns;
pub(super) mod lives;
pub(super) mod memories;
pub(super) mod people;
pub(super) mod plans;
mod platform_name;
pub(super) mod revocations;
pub(super) mod shaping;
pub(super) mod stops;
pub(super) mod wallets;

use crate::{
    Problem,
    operations::{Refusal, RefusalKind},
};
use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use chimera_core::contracts::checking::Violation;
use serde::Serialize;

fn answer<T: Serialize>(status: StatusCode, view: &T) -> Result<Response, Problem> {
    Ok((status, Json(view)).into_response())
}

fn done() -> Result<Response, Problem> {
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// It has the right form, and means something that cannot be: so nothing of it is done.
fn contradicts(path: &str, problem: impl Into<String>) -> Problem {
    let problem = problem.into();
    let detail = format!("This cannot be done: {problem}.");
    Problem::new(StatusCode::CONFLICT, "contradiction", detail, "Correct it, and send it again.")
        .with_violations([Violation::new(path, problem)])
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let (status, code) = match refusal.kind {
            RefusalKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            RefusalKind::Conflict => (StatusCode::CONFLICT, "conflict"),
            RefusalKind::Invalid => (StatusCode::CONFLICT, "refused"),
            RefusalKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        };
        Self::new(status, code, refusal.problem, refusal.next)
    }
}
