//! `/api`: one list of routes ([`list`]), from which the router, the OpenAPI document and the readable page are made. What is checked of a
//! request is the very schema that the document shows; who may ask stands in the route's entry, and in no handler.

mod changing;
mod document;
mod entity_tag;
mod idempotency;
mod list;
mod reading;
pub(crate) mod request;
mod route;

use crate::{
    Dashboard, Problem,
    access::{Visitor, require},
};
use axum::{
    Router,
    extract::{RawPathParams, Request, State},
    http::{StatusCode, Uri},
    response::{IntoResponse, Response},
    routing::{any, on},
};
use request::Call;
use route::Route;
use std::sync::Arc;

/// Everything below `/api`.
pub(crate) fn routes() -> Router<Arc<Dashboard>> {
    let mut router = Router::new();
    for route in list::all() {
        let path = route.path;
        let route = Arc::new(route);
        let served = on(route.method.filter(), move |State(dashboard), parameters, request| {
            let route = route.clone();
            async move { serve(&route, dashboard, parameters, request).await.unwrap_or_else(IntoResponse::into_response) }
        });
        router = router.route(path, served);
    }
    router.method_not_allowed_fallback(not_allowed).route("/api/{*rest}", any(nothing_there))
}

async fn serve(
    route: &Route,
    dashboard: Arc<Dashboard>,
    parameters: Result<RawPathParams, axum::extract::rejection::RawPathParamsRejection>,
    request: Request,
) -> Result<Response, Problem> {
    let visitor = request.extensions().get::<Visitor>().cloned().ok_or_else(nobody)?;
    require(&visitor, route.role)?;
    let parameters = parameters.map_err(|_not_text| nothing_at(request.uri()))?;
    let call = Call::read(route, visitor, &parameters, request).await?;
    if route.is_repeatable {
        return idempotency::once(route, dashboard, call).await;
    }
    (route.handler)(dashboard, call).await
}

fn nobody() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "not_signed_in",
        "This needs somebody who is signed in.",
        "Sign in, or send the header \"Authorization: Bearer KEY\" with your key.",
    )
}

async fn not_allowed(uri: Uri) -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        format!("{} takes other methods than this one.", uri.path()),
        "The header Allow names them, and so does /api.",
    )
}

async fn nothing_there(uri: Uri) -> Problem {
    nothing_at(&uri)
}

fn nothing_at(uri: &Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", format!("There is nothing at {}.", uri.path()), "/api lists everything there is.")
}

#[cfg(test)]
mod tests;
