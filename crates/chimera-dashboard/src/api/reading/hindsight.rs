//! What was, seen again.

use super::json;
use crate::{
    Dashboard, Problem,
    api::{
        request::{Call, broken},
        route::{Method::Get, Route},
    },
    hindsight::{ReplayQuery, WhatIfQuery},
};
use axum::{http::StatusCode, response::Response};
use chimera_core::contracts::{
    checking::Violation,
    views::{
        hindsight::{FleetThen, WhatIf},
        people::Role::Viewer,
    },
};
use std::sync::Arc;

pub(in crate::api) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            (Get, "/api/what-if"),
            "what_if",
            Viewer,
            "Recorded decisions through today's policy with other values. Changes nothing.",
            what_if,
        )
        .query::<WhatIfQuery>()
        .answers::<WhatIf>(StatusCode::OK),
        Route::new((Get, "/api/replay"), "replay", Viewer, "The fleet as it stood after an event, or at a time.", replay)
            .query::<ReplayQuery>()
            .answers::<FleetThen>(StatusCode::OK),
    ]
}

async fn what_if(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: WhatIfQuery = call.query()?;
    json(&dashboard.what_if(query.asked()).await?)
}

async fn replay(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let query: ReplayQuery = call.query()?;
    if query.event.is_some() && query.at.is_some() {
        return Err(broken([Violation::new("/at", "does not go together with event")]));
    }
    let moment = query.moment().map_err(|error| broken([Violation::new("/at", error.to_string())]))?;
    json(&dashboard.fleet_then(moment).await?)
}
