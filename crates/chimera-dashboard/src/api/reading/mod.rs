//! What can be looked at: views of the store, with what only the program knows added. Changes nothing.

pub(super) mod agents;
pub(super) mod campaigns;
pub(super) mod events;
pub(super) mod export;
pub(super) mod hindsight;
pub(super) mod memories;
pub(super) mod money;
pub(super) mod plans;
pub(super) mod reviews;
pub(super) mod souls;

use super::request::page;
use crate::Problem;
use axum::{Json, response::IntoResponse, response::Response};
use chimera_core::ports::queries::PageOf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn json<T: Serialize>(view: &T) -> Result<Response, Problem> {
    Ok(Json(view).into_response())
}

/// Which part of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    /// Rows of one page; 50 where it is left out.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `next` of the page before.
    #[schemars(regex(pattern = "^[0-9]{1,18}$"))]
    cursor: Option<String>,
}

impl ListQuery {
    fn page(&self) -> Result<PageOf, Problem> {
        page(self.limit, self.cursor.as_deref())
    }
}

/// Of one agent, or of all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfAgentQuery {
    /// An agent's id.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    agent: Option<String>,
    /// Rows of one page; 50 where it is left out.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `next` of the page before.
    #[schemars(regex(pattern = "^[0-9]{1,18}$"))]
    cursor: Option<String>,
}

/// Of one campaign, or of all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfCampaignQuery {
    /// A campaign's id.
    #[schemars(length(min = 1, max = 128))]
    campaign: Option<String>,
    /// Rows of one page; 50 where it is left out.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `next` of the page before.
    #[schemars(regex(pattern = "^[0-9]{1,18}$"))]
    cursor: Option<String>,
}
