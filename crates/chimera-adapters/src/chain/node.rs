//! One node: what is asked of it at the same time goes out together.

use super::{
    gathering::{Gathered, Gathering},
    health::Health,
    rpc::{Call, Listed, Permit, RpcFailure, Transport},
};
use crate::locking::locked;
use chimera_core::domain::money::ChainId;
use futures::{StreamExt, future::join_all, stream};
use serde_json::Value;
use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, Ordering},
};
use tokio::time::Instant;
use url::Url;

/// A few, so that a slow one does not hold up all others. Those who come while they are under way go out in one.
const REQUESTS_AT_ONCE_MAX: usize = 4;
/// Calls in one request: nodes' own limits begin at a hundred.
pub(super) const LIST_MAX: usize = 50;
/// Of a node that takes no lists. Each takes a connection: hundreds that are opened in one moment overrun a node.
const ONE_BY_ONE_AT_ONCE_MAX: usize = 16;

pub struct Node {
    url: Url,
    /// From one, as logs call it: its address may carry a key.
    pub number: usize,
    health: Mutex<Health>,
    requests: Gathering<Call, Result<Value, RpcFailure>>,
    takes_no_lists: AtomicBool,
}

impl Node {
    pub fn new(url: Url, number: usize) -> Self {
        let requests = Gathering::new(REQUESTS_AT_ONCE_MAX);
        Self { url, number, health: Mutex::default(), requests, takes_no_lists: AtomicBool::new(false) }
    }

    pub async fn request(
        &self,
        transport: &Transport,
        method: &'static str,
        params: &Value,
        permit: Option<Permit>,
    ) -> Result<Value, RpcFailure> {
        let call = Call { method, params: params.clone(), permit };
        let answer = self.requests.answer(call, |gathered| self.ask(transport, gathered)).await;
        answer.unwrap_or_else(|| Err(RpcFailure::NoAnswer("the node's answer got lost".to_owned())))
    }

    async fn ask(&self, transport: &Transport, Gathered { questions, is_again }: Gathered<Call>) -> Vec<Result<Value, RpcFailure>> {
        let lists: Vec<_> = questions.chunks(LIST_MAX).map(|calls| self.ask_list(transport, calls)).collect();
        let answers = join_all(lists).await.into_iter().flatten();
        if is_again { answers.map(possibly_sent).collect() } else { answers.collect() }
    }

    async fn ask_list(&self, transport: &Transport, calls: &[Call]) -> Vec<Result<Value, RpcFailure>> {
        let are_allowed = are_allowed(calls).await;
        if !are_allowed.contains(&false) {
            return self.ask_allowed(transport, calls).await;
        }
        let allowed: Vec<Call> =
            calls.iter().zip(&are_allowed).filter(|(_, is_allowed)| **is_allowed).map(|(call, _)| call.clone()).collect();
        let mut answers = if allowed.is_empty() { Vec::new() } else { self.ask_allowed(transport, &allowed).await }.into_iter();
        let lost = || Err(RpcFailure::NoAnswer("the node's answer got lost".to_owned()));
        let answer = |is_allowed| if is_allowed { answers.next().unwrap_or_else(lost) } else { Err(RpcFailure::Withheld) };
        are_allowed.into_iter().map(answer).collect()
    }

    async fn ask_allowed(&self, transport: &Transport, calls: &[Call]) -> Vec<Result<Value, RpcFailure>> {
        if let [call] = calls {
            return vec![transport.request(&self.url, call).await];
        }
        if self.takes_no_lists.load(Ordering::Relaxed) {
            return self.ask_one_by_one(transport, calls).await;
        }
        match transport.request_list(&self.url, calls).await {
            Listed::Answers(answers) => answers,
            Listed::NoList => {
                self.takes_no_lists.store(true, Ordering::Relaxed);
                // Nobody knows what it made of the list.
                self.ask_one_by_one(transport, calls).await.into_iter().map(possibly_sent).collect()
            }
        }
    }

    async fn ask_one_by_one(&self, transport: &Transport, calls: &[Call]) -> Vec<Result<Value, RpcFailure>> {
        let each: Vec<_> = calls.iter().map(|call| self.ask_one(transport, call)).collect();
        stream::iter(each).buffered(ONE_BY_ONE_AT_ONCE_MAX).collect().await
    }

    /// Asks for leave once more: it may have waited for those before it.
    async fn ask_one(&self, transport: &Transport, call: &Call) -> Result<Value, RpcFailure> {
        if are_allowed(std::slice::from_ref(call)).await == [false] {
            return Err(RpcFailure::Withheld);
        }
        transport.request(&self.url, call).await
    }

    pub fn health(&self) -> MutexGuard<'_, Health> {
        locked(&self.health)
    }

    pub fn failed(&self, chain: Option<ChainId>, reason: &str) {
        if self.health().failed(Instant::now()) {
            let chain = chain.map(|chain| chain.to_string()).unwrap_or_default();
            tracing::warn!(chain, node = self.number, reason, "node {} of chain {chain} is passed over for a while", self.number);
        }
    }
}

/// Whether each may go out now. Those with the same permit ask once.
async fn are_allowed(calls: &[Call]) -> Vec<bool> {
    let mut asked: Vec<(&Permit, bool)> = Vec::new();
    let mut allowed = Vec::with_capacity(calls.len());
    for call in calls {
        let Some(permit) = &call.permit else {
            allowed.push(true);
            continue;
        };
        let is_allowed = match asked.iter().find(|(other, _)| other.is_same(permit)) {
            Some((_, is_allowed)) => *is_allowed,
            None => {
                let is_allowed = permit.0.may_send().await;
                asked.push((permit, is_allowed));
                is_allowed
            }
        };
        allowed.push(is_allowed);
    }
    allowed
}

/// Of what was sent before, without an answer: that it was not sent now does not mean that it never arrived.
fn possibly_sent(answer: Result<Value, RpcFailure>) -> Result<Value, RpcFailure> {
    answer.map_err(|failure| match failure {
        RpcFailure::NotSent(reason) => RpcFailure::NoAnswer(reason),
        other => other,
    })
}
