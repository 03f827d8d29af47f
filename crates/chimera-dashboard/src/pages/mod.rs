//! The pages, as functions from a view to HTML. They read; every change is made by their script through `/api`.

use crate::Dashboard;
use axum::Router;
use std::sync::Arc;

pub(crate) fn routes() -> Router<Arc<Dashboard>> {
    Router::new()
}
