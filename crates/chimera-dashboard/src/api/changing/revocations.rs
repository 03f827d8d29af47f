//! An approval of a payment is taken back. At once, as every stop is: it comes before the approval is used, or not at all.

use super::answer;
use crate::{
    Dashboard, Problem,
    api::request::{Call, no_such},
};
use axum::{http::StatusCode, response::Response};
use chimera_core::{
    contracts::UuidV4,
    ports::grants::{NotRevoked, Revocation, Revoked},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Why the approval is taken back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewRevocation {
    /// For whoever asks why it was never paid.
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

/// The payment that is never made.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Ended {
    review_id: UuidV4,
    task_id: UuidV4,
    transaction_id: UuidV4,
    state: String,
}

pub(in crate::api) async fn revoke(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let (review_id, NewRevocation { reason }) = (call.review_id()?, call.body()?);
    let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    let revocation = Revocation { review_id, by: call.visitor.name.to_string(), reason, at: dashboard.clock.now() };
    match dashboard.grants.revoke(&revocation).await? {
        Revoked::Done(record) => {
            let ended = Ended {
                review_id,
                task_id: record.transfer.task_id,
                transaction_id: record.transfer.transaction_id,
                state: record.state.name().to_owned(),
            };
            answer(StatusCode::OK, &ended)
        }
        Revoked::NotDone(NotRevoked::NotFound) => Err(no_such("review of a payment", &review_id.to_string())),
        Revoked::NotDone(problem) => Err(Problem::new(
            StatusCode::CONFLICT,
            "not_revoked",
            format!("The approval of review {review_id} was not revoked: {problem}."),
            "Look at the payment; a freeze stops what is not signed yet.",
        )),
    }
}
