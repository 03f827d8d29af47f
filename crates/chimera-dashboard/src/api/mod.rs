//! `/api`: one list of routes, from which the router, the OpenAPI document and the readable page are made.

use crate::Dashboard;
use axum::Router;
use std::sync::Arc;

pub(crate) fn routes() -> Router<Arc<Dashboard>> {
    Router::new()
}
