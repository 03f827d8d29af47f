//! The pages, as functions from a view to HTML. They read; every change is made by their script through `/api`. May depend on the
//! dashboard's reads and on axum and maud; text of others goes through `components::text`.

mod agents;
mod amounts;
mod answers;
mod assets;
mod calendar;
mod campaigns;
mod components;
mod drawings;
mod fleet;
mod freeze;
mod keys;
mod lives;
mod login;
mod memories;
mod money;
mod posts;
mod replay;
mod results;
mod review;
mod revocation;
mod row_ids;
#[cfg(test)]
mod screen_tests;
mod settings;
mod shell;
mod soul;
mod stops;
mod stories;
mod trends;
mod waterfall;
mod what_if;

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
        .merge(fleet::routes())
        .merge(agents::routes())
        .merge(memories::routes())
        .merge(soul::routes())
        .merge(posts::routes())
        .merge(campaigns::routes())
        .merge(calendar::routes())
        .merge(trends::routes())
        .merge(money::routes())
        .merge(stories::routes())
        .merge(replay::routes())
        .merge(what_if::routes())
        .merge(settings::routes())
        .merge(assets::routes())
        .layer(CompressionLayer::new())
}
