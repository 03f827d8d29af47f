//! Results under judgement. Each is taken once and stays in hand until it is decided; those that wait for a model hold up nobody else.

use super::{
    Checks, JudgedAs, Judgement, Thresholds, commit, duplicates, escalate, grounding, judge, material::Material, personas::Judging,
    retry_or_ask, second_opinion,
};
use crate::{
    contracts::{
        UuidV4,
        decision::{HitlReason, JudgeDecision, Verdict},
        result::WorkerResult,
        task::AgentTask,
    },
    ports::{StoreError, content_check::ContentCheck, swarm::Judgements},
};
use chrono::{DateTime, Utc};
use futures::{
    StreamExt,
    future::{BoxFuture, pending, poll_fn},
    stream::FuturesUnordered,
};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
};

/// How many results are taken at once.
const RESULTS_PER_TAKE_MAX: usize = 1024;
/// How much of what is repeated a reason tells.
const REPEATED_CHARS_MAX: usize = 80;

type Waiting = (AgentTask, WorkerResult);

pub struct Docket<'a> {
    store: &'a dyn Judgements,
    checks: Checks<'a>,
    thresholds: Thresholds,
    in_hand: BTreeMap<UuidV4, Arc<Waiting>>,
    judging: FuturesUnordered<BoxFuture<'a, Ended>>,
    /// How many of them wait for a model.
    at_model: Arc<AtomicUsize>,
    ended: Vec<Ended>,
    taken: usize,
}

struct Ended {
    /// In the order in which they were taken.
    number: usize,
    result_id: UuidV4,
    decided: Result<JudgeDecision, StoreError>,
}

impl<'a> Docket<'a> {
    pub fn new(store: &'a dyn Judgements, checks: Checks<'a>, thresholds: Thresholds) -> Self {
        Self {
            store,
            checks,
            thresholds,
            in_hand: BTreeMap::new(),
            judging: FuturesUnordered::new(),
            at_model: Arc::default(),
            ended: Vec::new(),
            taken: 0,
        }
    }

    /// Takes what waits and is not in hand yet.
    pub async fn take(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let waiting = self.store.undecided(RESULTS_PER_TAKE_MAX + self.in_hand.len()).await?;
        let new: Vec<Arc<Waiting>> =
            waiting.into_iter().filter(|(_, result)| !self.in_hand.contains_key(&result.result_id)).map(Arc::new).collect();
        if new.is_empty() {
            return Ok(());
        }
        let tasks = || new.iter().map(|waiting| &waiting.0);
        let personas = self.checks.personas.of(self.checks.agents, tasks()).await?;
        let material = Arc::new(Material::of(self.checks.perception, tasks()).await?);
        // Those that are still in hand came before.
        let before = self.in_hand.len();
        let all: Arc<[Arc<Waiting>]> = self.in_hand.values().chain(&new).cloned().collect();
        for (place, waiting) in all.iter().enumerate().skip(before) {
            let result_id = waiting.1.result_id;
            self.in_hand.insert(result_id, Arc::clone(waiting));
            let case = Case {
                store: self.store,
                checks: self.checks,
                thresholds: self.thresholds,
                now,
                judging: personas.of(&waiting.0),
                material: Arc::clone(&material),
                all: Arc::clone(&all),
                place,
                at_model: Arc::clone(&self.at_model),
            };
            let number = self.taken;
            self.taken += 1;
            self.judging.push(Box::pin(async move { Ended { number, result_id, decided: case.decide().await } }));
        }
        Ok(())
    }

    /// Decides everything that need not wait for a model, all at once, so that the store commits it together.
    pub async fn decide_ready(&mut self) -> Vec<Result<JudgeDecision, StoreError>> {
        poll_fn(|context| {
            loop {
                match self.judging.poll_next_unpin(context) {
                    Poll::Ready(Some(ended)) => self.ended.push(ended),
                    Poll::Ready(None) => return Poll::Ready(()),
                    Poll::Pending if self.at_model.load(Ordering::Relaxed) >= self.judging.len() => return Poll::Ready(()),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await;
        self.hand_over()
    }

    /// Decides everything that was taken.
    pub async fn decide_all(&mut self) -> Vec<Result<JudgeDecision, StoreError>> {
        while let Some(ended) = self.judging.next().await {
            self.ended.push(ended);
        }
        self.hand_over()
    }

    /// Until one that waited for a model is decided; for ever where none does. What was decided is handed over with the next.
    pub async fn decided_late(&mut self) {
        match self.judging.next().await {
            Some(ended) => self.ended.push(ended),
            None => pending().await,
        }
    }

    fn hand_over(&mut self) -> Vec<Result<JudgeDecision, StoreError>> {
        let mut ended = std::mem::take(&mut self.ended);
        ended.sort_by_key(|ended| ended.number);
        for one in &ended {
            self.in_hand.remove(&one.result_id);
        }
        ended.into_iter().map(|ended| ended.decided).collect()
    }
}

/// One result, and what it is judged by.
struct Case<'a> {
    store: &'a dyn Judgements,
    checks: Checks<'a>,
    thresholds: Thresholds,
    now: DateTime<Utc>,
    judging: Judging,
    material: Arc<Material>,
    /// Everything that is judged at the same time, in the order in which it came; this one is at `place`.
    all: Arc<[Arc<Waiting>]>,
    place: usize,
    at_model: Arc<AtomicUsize>,
}

impl Case<'_> {
    async fn decide(&self) -> Result<JudgeDecision, StoreError> {
        let (task, result) = self.all[self.place].as_ref();
        let persona: JudgedAs = self.judging.clone().map(|(_, persona)| persona);
        let judgement = judge(task, result, &persona, &self.thresholds);
        let judgement = with_signs(judgement, result, self.checks.content).await;
        let judgement = self.with_grounding(judgement);
        let judgement = self.with_duplicates(judgement).await?;
        let (judgement, now) = self.with_opinion(judgement).await;
        commit::commit(self.store, task, result, judgement, now).await
    }

    fn with_grounding(&self, judgement: Judgement) -> Judgement {
        let (task, result) = self.all[self.place].as_ref();
        let (Some(text), Ok((soul, _))) = (text_of(result), &self.judging) else { return judgement };
        let found = self.material.of_text(task, text);
        let faults = grounding::faults(task, result, &soul.0, &found, self.checks.embedder);
        grounding::with_faults(judgement, (task, result), &self.thresholds, &faults, found.gap.as_deref())
    }

    async fn with_duplicates(&self, judgement: Judgement) -> Result<Judgement, StoreError> {
        let (task, result) = self.all[self.place].as_ref();
        if judgement.verdict == Verdict::Reject {
            return Ok(judgement);
        }
        let earlier = self.all[..self.place].iter().map(AsRef::as_ref);
        let Some(said) = duplicates::repeated(self.checks.outbox, earlier, task, result).await? else { return Ok(judgement) };
        let shown: String = said.chars().take(REPEATED_CHARS_MAX).collect();
        let reason = format!("it says again what the agent said or is about to say: \"{shown}…\"");
        Ok(retry_or_ask(task, &self.thresholds, HitlReason::Anomalous, &reason))
    }

    /// With the time at which it was given.
    async fn with_opinion(&self, judgement: Judgement) -> (Judgement, DateTime<Utc>) {
        let (task, result) = self.all[self.place].as_ref();
        let (Some(second), Some(text), Ok((soul, _))) = (self.checks.second_opinion, text_of(result), &self.judging) else {
            return (judgement, self.now);
        };
        if !second_opinion::is_wanted(&judgement) {
            return (judgement, self.now);
        }
        let found = self.material.of_text(task, text);
        let question = second_opinion::Question { task, soul: &soul.0, text, sources: &found.sources };
        let opinion = {
            let _waits = WaitsForModel::new(&self.at_model);
            second.on(&question).await
        };
        let judgement = second_opinion::with_opinion(judgement, task, &self.thresholds, second.model().name(), opinion);
        (judgement, second.clock().now())
    }
}

fn text_of(result: &WorkerResult) -> Option<&str> {
    result.artifact.as_ref().and_then(|artifact| artifact.payload_text.as_deref())
}

/// Counts one that waits for a model, for as long as it does.
struct WaitsForModel<'a>(&'a AtomicUsize);

impl<'a> WaitsForModel<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for WaitsForModel<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What classifiers say of a text that no person is asked about yet, or only for its score: meaning tells what words do not. What would be
/// tried again is looked at too, since what is sensitive is a person's to decide whatever its score.
pub(super) async fn with_signs(judgement: Judgement, result: &WorkerResult, check: &dyn ContentCheck) -> Judgement {
    let is_open = judgement.verdict != Verdict::Escalate || judgement.hitl_reason == Some(HitlReason::LowConfidence);
    let Some(text) = text_of(result).filter(|_| is_open) else { return judgement };
    let signs = match check.check(text).await {
        Ok(signs) => signs,
        // What is rejected anyway goes nowhere.
        Err(_) if judgement.verdict == Verdict::Reject => return judgement,
        Err(unchecked) => return escalate(HitlReason::Anomalous, &format!("{unchecked}, so a person decides")),
    };
    if signs.is_offensive && judgement.verdict != Verdict::Reject {
        return escalate(HitlReason::PolicyViolation, "it may offend, which a person decides");
    }
    match signs.sensitive_topic {
        Some(topic) => escalate(HitlReason::SensitiveTopic, &format!("its meaning touches {topic}, which a person decides")),
        None => judgement,
    }
}
