//! The pages, as functions from a view to HTML. They read; every change is made by their script through `/api`. May depend on the
//! dashboard's reads and on axum and maud; text of others goes through `components::text`.

mod answers;
mod assets;
mod components;
mod freeze;
mod keys;
mod login;
mod review;
mod shell;

use crate::Dashboard;
use axum::{Router, response::Redirect, routing::get};
use std::sync::Arc;
use tower_http::compression::CompressionLayer;

pub(crate) fn routes() -> Router<Arc<Dashboard>> {
    Router::new()
        .route("/", get(|| async { Redirect::to("/review") }))
        .merge(login::routes())
        .merge(review::routes())
        .merge(freeze::routes())
        .merge(assets::routes())
        .layer(CompressionLayer::new())
}
