//! An agent's wallet: its book brought in line with the chains, and a way out for a transfer that does not land.

use super::answer;
use crate::{Dashboard, Problem, api::request::Call};
use axum::{http::StatusCode, response::Response};
use std::sync::Arc;

pub(in crate::api) async fn reconcile(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let agent = call.agent_id()?;
    let reconciled = dashboard.wallets.reconcile(&agent, call.visitor.name.as_str()).await?;
    answer(StatusCode::OK, &reconciled)
}

pub(in crate::api) async fn cancel(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let task = call.task_id()?;
    let cancelled = dashboard.wallets.cancel(task, call.visitor.name.as_str()).await?;
    answer(StatusCode::OK, &cancelled)
}
