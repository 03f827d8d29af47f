//! `skill_trend_fetcher`: reads resources, remembers and scores what they hold, and tells the trends among it.
//! It decides the order of things; how each is done is in `perception`.

mod judging;
pub mod model_scorer;
mod telling;

use super::{Progress, Skill, SkillInfo, TREND_FETCHER};
use crate::{
    contracts::{
        Checker, ErrorCode, SkillFailure, True, UtcTime, UuidV4, Violation,
        trend_fetcher::{
            FilterResult, ItemFlag, NAME, RELEVANCE_THRESHOLD_DEFAULT, ResourceFailure, TIME_WINDOW_HOURS_DEFAULT, TrendFetcherInput,
            TrendFetcherOutput, input_schema,
        },
    },
    domain::AgentId,
    perception::{
        background::Background,
        clean::cut_at_word,
        items::{Found, read_items},
        judged::JudgedItem,
        remembering::{as_read, to_remember},
        score::Goal,
        trend::TrendRule,
    },
    ports::{
        StoreError,
        agents::Agents,
        clock::Clock,
        embedder::Embedder,
        feed_parser::FeedParser,
        perception::{Perception, StoredItem},
        readings::Readings,
        resources::Resources,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use futures::{StreamExt, stream::FuturesUnordered};
use model_scorer::{ModelScorer, ScoredBy};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, OnceLock},
    time::Duration,
};

/// The newest of the window: beyond that, more items change no trend and cost time.
const WINDOW_ITEMS_MAX: usize = 5_000;
/// Since a resource last showed an item. Longer than two of the longest windows, which are 7 days each.
const ITEMS_KEPT: TimeDelta = TimeDelta::days(30);
/// In one call: whoever waits for it does not pay for a month.
const ITEMS_FORGOTTEN_MAX: usize = 1_000;
const SUMMARY_CHARS_MAX: usize = 280;
const RAW_CHARS_MAX: usize = 2_000;

/// What the skill needs from outside.
pub struct TrendFetcherPorts {
    pub agents: Arc<dyn Agents>,
    pub resources: Arc<dyn Resources>,
    pub feeds: Arc<dyn FeedParser>,
    pub perception: Arc<dyn Perception>,
    pub readings: Arc<dyn Readings>,
    pub embedder: Arc<dyn Embedder>,
    pub clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, Copy)]
pub struct TrendFetcherSettings {
    /// Of each resource by itself: they are read at the same time.
    pub read_within: Duration,
    pub trend_rule: TrendRule,
}

impl Default for TrendFetcherSettings {
    fn default() -> Self {
        Self { read_within: Duration::from_secs(10), trend_rule: TrendRule::default() }
    }
}

pub struct TrendFetcher {
    ports: TrendFetcherPorts,
    settings: TrendFetcherSettings,
    checker: Checker,
    /// Embedded when the first task comes: most programs that start only pay, or show something.
    background: OnceLock<Background>,
    scorer: Option<ModelScorer>,
}

impl TrendFetcher {
    pub fn new(ports: TrendFetcherPorts, settings: TrendFetcherSettings) -> Self {
        Self { ports, settings, checker: Checker::with_empty_as_absent(input_schema()), background: OnceLock::new(), scorer: None }
    }

    /// A model is asked too how much items matter.
    pub fn with_scorer(self, scorer: Option<ModelScorer>) -> Self {
        Self { scorer, ..self }
    }

    fn background(&self) -> &Background {
        self.background.get_or_init(|| Background::new(self.ports.embedder.as_ref()))
    }
}

#[async_trait]
impl Skill for TrendFetcher {
    fn info(&self) -> &'static SkillInfo {
        &TREND_FETCHER
    }

    async fn run(&self, input: &Value, progress: &dyn Progress) -> Result<Value, SkillFailure> {
        let request = self.read_request(input)?;
        self.find_agent(&request.input.agent_id).await?;
        let now = self.ports.clock.now();
        let reading = self.read_resources(&request, progress).await;
        if reading.found.is_empty() {
            return Err(all_unavailable(&reading.failures));
        }
        let call_items = self.remember(reading.found, &request, now).await?;
        let goal = Goal::new(&request.input.goal_context, self.ports.embedder.as_ref(), self.background());
        let mut judged = self.judge_all(call_items, &request, &goal, now).await?;
        let scored_by = match &self.scorer {
            Some(scorer) => scorer.rescore(&request.input.agent_id, &request.input.goal_context, judged.items_mut()).await,
            None => ScoredBy::Embedded,
        };
        let told = self.tell_trends(judged.window(), &request, now).await?;
        self.ports.perception.forget(now - ITEMS_KEPT, ITEMS_FORGOTTEN_MAX).await.map_err(store_failed)?;
        let steps = request.steps();
        progress.report(steps, steps, &scored_by.told());
        let output = TrendFetcherOutput {
            success: True,
            request_id: UuidV4::random(),
            fetched_at: UtcTime(now),
            trend_alert: told.alert,
            more_trends: told.more,
            strongest_story: told.strongest,
            filter_results: filter_results(judged.call(), &told.story_ids, &request),
            resource_errors: reading.failures,
        };
        Ok(serde_json::to_value(output).expect("the contract's types always serialise"))
    }
}

/// The input, with its defaults filled in.
struct Request {
    input: TrendFetcherInput,
    /// Without repeats.
    resource_uris: Vec<String>,
    threshold: f64,
    window: TimeDelta,
    include_raw: bool,
    include_below_threshold: bool,
}

impl Request {
    /// One for each resource, and one for the rest.
    fn steps(&self) -> u64 {
        self.resource_uris.len() as u64 + 1
    }
}

/// What reading gave: one entry a resource, in the order of the request.
struct Reading {
    found: Vec<(String, Vec<Found>)>,
    failures: Vec<ResourceFailure>,
}

impl TrendFetcher {
    fn read_request(&self, input: &Value) -> Result<Request, SkillFailure> {
        let refuse = |violations: Vec<Violation>| SkillFailure::violations(ErrorCode::InvalidInput, &violations);
        let input: TrendFetcherInput = self.checker.read(input).map_err(refuse)?;
        if !input.goal_context.chars().any(char::is_alphanumeric) {
            return Err(refuse(vec![Violation::new("/goal_context", "has no words in it; say what the items should matter to")]));
        }
        let mut seen = HashSet::new();
        let resource_uris = input.resource_uris.iter().filter(|uri| seen.insert(uri.as_str())).cloned().collect();
        let options = input.options.clone().unwrap_or_default();
        let hours = options.time_window_hours.unwrap_or(TIME_WINDOW_HOURS_DEFAULT);
        Ok(Request {
            resource_uris,
            threshold: input.relevance_threshold.unwrap_or(RELEVANCE_THRESHOLD_DEFAULT),
            // At most 168 hours, which the contract says: the product fits.
            window: TimeDelta::milliseconds((hours * 3_600_000.0).ceil() as i64),
            include_raw: options.include_raw.unwrap_or(false),
            include_below_threshold: options.include_below_threshold.unwrap_or(false),
            input,
        })
    }

    async fn find_agent(&self, agent_id: &str) -> Result<(), SkillFailure> {
        let unknown = || {
            SkillFailure::new(
                ErrorCode::UnknownAgent,
                format!("there is no agent {agent_id:?}; `chimera agent list` shows those that exist"),
            )
        };
        let id: AgentId = agent_id.parse().map_err(|_| unknown())?;
        self.ports.agents.find(&id).await.map_err(store_failed)?.map(|_| ()).ok_or_else(unknown)
    }

    async fn read_resources(&self, request: &Request, progress: &dyn Progress) -> Reading {
        let read_one = |(place, uri): (usize, &String)| {
            let uri = uri.clone();
            async move { (place, self.read_resource(&uri).await) }
        };
        let mut under_way: FuturesUnordered<_> = request.resource_uris.iter().enumerate().map(read_one).collect();
        let mut outcomes: Vec<Option<Result<Vec<Found>, String>>> = vec![None; request.resource_uris.len()];
        let mut done = 0;
        while let Some((place, outcome)) = under_way.next().await {
            outcomes[place] = Some(outcome);
            done += 1;
            progress.report(done, request.steps(), &format!("read {done} of {} resources", request.resource_uris.len()));
        }
        let mut reading = Reading { found: Vec::new(), failures: Vec::new() };
        for (uri, outcome) in request.resource_uris.iter().zip(outcomes.into_iter().flatten()) {
            match outcome {
                Ok(found) => reading.found.push((uri.clone(), found)),
                Err(message) => reading.failures.push(ResourceFailure {
                    resource_uri: uri.clone(),
                    error_code: ErrorCode::ResourceUnavailable,
                    message,
                }),
            }
        }
        reading
    }

    /// The error is for strangers: both kinds say so of their messages.
    async fn read_resource(&self, uri: &str) -> Result<Vec<Found>, String> {
        let parts = self.ports.resources.read(uri, self.settings.read_within).await.map_err(|error| error.to_string())?;
        read_items(&parts, self.ports.feeds.as_ref()).map_err(|error| error.to_string())
    }

    /// Each item of this call once, however many resources hold it.
    async fn remember(
        &self,
        found: Vec<(String, Vec<Found>)>,
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<Vec<StoredItem>, SkillFailure> {
        let has_prices = found.iter().any(|(_, found)| found.iter().any(|found| matches!(found, Found::Price(_))));
        let history = if has_prices { self.window(request, now - request.window).await? } else { Vec::new() };
        let uris: Vec<String> = found.iter().map(|(uri, _)| uri.clone()).collect();
        let items: Vec<_> = found.into_iter().flat_map(|(uri, found)| to_remember(found, &uri, now, &history)).collect();
        let mut stored = self.ports.perception.remember(&items).await.map_err(store_failed)?;
        let readings = as_read(uris.iter().map(String::as_str), &items, &stored, now);
        self.ports.readings.keep(&readings).await.map_err(store_failed)?;
        let mut seen = HashSet::new();
        stored.retain(|stored| seen.insert(stored.item.content_key.clone()));
        Ok(stored)
    }

    async fn window(&self, request: &Request, since: DateTime<Utc>) -> Result<Vec<StoredItem>, SkillFailure> {
        self.ports.perception.window(&request.resource_uris, since, WINDOW_ITEMS_MAX).await.map_err(store_failed)
    }
}

/// Best first; of equals, the newest.
fn filter_results<'a>(
    judged: impl Iterator<Item = &'a JudgedItem>,
    story_ids: &HashMap<i64, String>,
    request: &Request,
) -> Vec<FilterResult> {
    let mut shown: Vec<&JudgedItem> =
        judged.filter(|item| request.include_below_threshold || item.is_relevant(request.threshold)).collect();
    shown.sort_by(|left, right| right.relevance.total_cmp(&left.relevance).then(right.stored.at.cmp(&left.stored.at)));
    shown
        .into_iter()
        .map(|item| FilterResult {
            filter_result_id: UuidV4::random(),
            resource_uri: item.stored.item.resource_uri.clone(),
            content_summary: cut_at_word(item.whole.as_data(), SUMMARY_CHARS_MAX),
            relevance_score: item.relevance,
            above_threshold: item.is_relevant(request.threshold),
            cluster_id: story_ids.get(&item.stored.id).cloned(),
            raw: request.include_raw.then(|| cut_at_word(item.whole.as_data(), RAW_CHARS_MAX)),
            flags: if item.stored.item.flagged { vec![ItemFlag::PromptInjection] } else { Vec::new() },
        })
        .collect()
}

fn all_unavailable(failures: &[ResourceFailure]) -> SkillFailure {
    let message = match failures {
        [only] => format!("{} could not be read: {}", only.resource_uri, only.message),
        _ => format!("none of the {} resources could be read; details.resource_errors says why for each", failures.len()),
    };
    SkillFailure::new(ErrorCode::ResourceUnavailable, message).with("resource_errors", failures)
}

fn store_failed(error: StoreError) -> SkillFailure {
    tracing::error!(skill = NAME, error = &error as &dyn std::error::Error, "perception failed: {error}");
    SkillFailure::internal()
}

#[cfg(test)]
mod tests;
