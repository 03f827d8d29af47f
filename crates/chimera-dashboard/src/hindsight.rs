//! What was, seen again: recorded decisions under other thresholds, and the fleet as it stood.

use crate::{Dashboard, Problem};
use axum::http::StatusCode;
use chimera_core::{
    contracts::views::hindsight::{FleetThen, WhatIf},
    domain::AgentId,
    ports::{StoreError, recorded::RecordedDecisions},
    swarm::{
        fleet_then::{FleetHistory, Known, Moment},
        what_if::{Asked, Record, Rules},
    },
};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// What looking back takes.
pub struct Hindsight {
    pub records: Arc<dyn RecordedDecisions>,
    /// By which the Judge and the CFO decide today.
    pub rules: Rules,
    pub fleet: FleetHistory,
}

/// Values to try; today's where nothing is said.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhatIfQuery {
    /// An agent's id; all agents where it is left out.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"))]
    pub(crate) agent: Option<String>,
    /// Of `judge.approve_above`, in percent.
    #[schemars(range(max = 100))]
    pub(crate) approve_above_percent: Option<u64>,
    /// Of `judge.reject_below`, in percent.
    #[schemars(range(max = 100))]
    pub(crate) reject_below_percent: Option<u64>,
    /// Of each limit's `per_transaction` today, in percent.
    #[schemars(range(max = 400))]
    pub(crate) per_transaction_percent: Option<u64>,
    /// Of each limit's `per_day` today, in percent.
    #[schemars(range(max = 400))]
    pub(crate) per_day_percent: Option<u64>,
    /// Of each limit's `ask_above` today, in percent.
    #[schemars(range(max = 400))]
    pub(crate) ask_above_percent: Option<u64>,
    /// Instead of `policy.transfers_per_hour_max`.
    #[schemars(range(max = 1000))]
    pub(crate) transfers_per_hour_max: Option<u64>,
}

impl WhatIfQuery {
    pub(crate) fn asked(&self) -> Asked {
        Asked {
            agent: self.agent.as_deref().and_then(|agent| agent.parse::<AgentId>().ok()),
            approve_above_percent: self.approve_above_percent,
            reject_below_percent: self.reject_below_percent,
            per_transaction_percent: self.per_transaction_percent,
            per_day_percent: self.per_day_percent,
            ask_above_percent: self.ask_above_percent,
            transfers_per_hour_max: self.transfers_per_hour_max,
        }
    }
}

/// Which moment; the newest event where nothing is said.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayQuery {
    /// After the event of this number.
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub(crate) event: Option<u64>,
    /// At this time, as RFC 3339 has it. Not together with `event`.
    #[schemars(length(max = 64))]
    pub(crate) at: Option<String>,
}

#[derive(Debug, thiserror::Error)]
#[error("is no time as RFC 3339 has it, 2026-11-19T12:00:00Z")]
pub(crate) struct NotATime;

impl ReplayQuery {
    pub(crate) fn moment(&self) -> Result<Moment, NotATime> {
        match (self.event, self.at.as_deref()) {
            (Some(number), _) => Ok(Moment::Event(number)),
            (None, Some(at)) => at.parse::<DateTime<Utc>>().map(Moment::At).map_err(|_no_time| NotATime),
            (None, None) => Ok(Moment::Event(u64::MAX)),
        }
    }
}

impl Dashboard {
    /// Judging so much again takes a thread of its own.
    pub(crate) async fn what_if(&self, asked: Asked) -> Result<WhatIf, Unanswered> {
        let record = Record::read(self.hindsight.records.as_ref(), self.agents.as_ref(), self.clock.now()).await?;
        let rules = self.hindsight.rules.clone();
        tokio::task::spawn_blocking(move || record.what_if(&rules, &asked)).await.map_err(|_stopped| Unanswered::Stopped)
    }

    pub(crate) async fn fleet_then(&self, moment: Moment) -> Result<FleetThen, StoreError> {
        let made: Vec<_> = self.agents.list().await?.into_iter().map(|agent| (agent.id.to_string(), agent.created_at)).collect();
        let stops = self.queries.stops().await?;
        let known = Known { agents: &made, stops: &stops };
        let mut then = self.hindsight.fleet.fleet(self.events.as_ref(), moment, &known).await?;
        let first = self.queries.events(0, 1).await?.pop();
        let newest = self.queries.events(then.last.saturating_sub(1), 1).await?.pop();
        (then.first_at, then.last_at) = (first.map(|event| event.at), newest.map(|event| event.at));
        if then.event > 0 {
            then.happened = self.queries.events(then.event - 1, 1).await?.pop();
        }
        Ok(then)
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the replay was stopped")]
    Stopped,
}

impl From<Unanswered> for Problem {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Store(error) => error.into(),
            Unanswered::Stopped => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", "The replay was stopped.".to_owned(), "Ask again.")
            }
        }
    }
}
