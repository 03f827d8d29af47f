//! The ledger to take along: every entry, oldest first, as one file. It is read while it is sent, and never held whole.

use crate::{Dashboard, LedgerForm, Problem, api::request::Call};
use axum::{
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use std::sync::Arc;

pub(in crate::api) async fn csv(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    Ok(file(&dashboard, LedgerForm::Csv, "text/csv; charset=utf-8", "attachment; filename=\"chimera-ledger.csv\""))
}

pub(in crate::api) async fn json(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    Ok(file(&dashboard, LedgerForm::Json, "application/json", "attachment; filename=\"chimera-ledger.json\""))
}

/// What cannot be read breaks the answer off: half a ledger must not look like a whole one.
fn file(dashboard: &Dashboard, form: LedgerForm, media_type: &'static str, disposition: &'static str) -> Response {
    let body = Body::from_stream(dashboard.ledger_files.parts(form).map(|part| part.map(Bytes::from)));
    let headers = [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition), (header::CACHE_CONTROL, "no-store")];
    (headers, body).into_response()
}
