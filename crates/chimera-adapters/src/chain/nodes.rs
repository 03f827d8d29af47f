//! The nodes of one chain, asked in order. A node that fails is passed over for a while; one of another chain is never used.
//! Nothing here signs: a broadcast that goes to the next node is the same bytes again.

use super::{
    node::Node,
    rpc::{Permit, RpcFailure, Transport},
};
use alloy_primitives::U256;
use chimera_core::domain::money::ChainId;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::Url;

/// One call, over all the nodes that it takes.
const CALL_DEADLINE: Duration = Duration::from_secs(30);

pub struct RpcClient {
    transport: Transport,
    nodes: Vec<Node>,
    /// Whose nodes these must be; until it is said, any will do.
    expected: Option<ChainId>,
}

/// Which node gave an answer, for asking the same one again.
#[derive(Debug, Clone, Copy)]
pub struct NodeIndex(usize);

impl RpcClient {
    pub fn new(urls: Vec<Url>) -> Result<Self, reqwest::Error> {
        let nodes = urls.into_iter().enumerate().map(|(at, url)| Node::new(url, at + 1)).collect();
        Ok(Self { transport: Transport::new()?, nodes, expected: None })
    }

    /// From now on a node of another chain is not used.
    pub fn expecting(self, chain: ChainId) -> Self {
        Self { expected: Some(chain), ..self }
    }

    pub fn has_node(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// The first answer that `is_enough`, else the first one that there is. A node's own error counts as an answer, unless it only says
    /// that this node cannot tell.
    pub async fn request(&self, method: &'static str, params: Value, is_enough: impl Fn(&Value) -> bool) -> Result<Value, RpcFailure> {
        let deadline = Instant::now() + CALL_DEADLINE;
        let mut answer = None;
        let mut failure = no_node();
        for (node, is_down) in self.in_order() {
            if is_down && answer.is_some() {
                continue;
            }
            match self.ask(node, method, &params, None, deadline).await {
                Ok(value) if is_enough(&value) => return Ok(value),
                Ok(value) => drop(answer.get_or_insert(value)),
                Err(refusal @ RpcFailure::Answered { .. }) if !another_may_tell(&refusal) => return Err(refusal),
                Err(other) if matches!(failure, RpcFailure::Answered { .. }) => drop(other),
                Err(other) => failure = other,
            }
        }
        answer.ok_or(failure)
    }

    /// What every node says that is not passed over; all of them when all are.
    pub async fn request_all(&self, method: &'static str, params: Value) -> Vec<Result<Value, RpcFailure>> {
        let deadline = Instant::now() + CALL_DEADLINE;
        let mut results = Vec::with_capacity(self.nodes.len());
        for (node, is_down) in self.in_order() {
            if is_down && results.iter().any(Result::is_ok) {
                continue;
            }
            results.push(self.ask(node, method, &params, None, deadline).await);
        }
        results
    }

    /// Tells one node after the other, until one accepts or it is no longer allowed. A node that is passed over is told only if no other
    /// one said anything.
    pub async fn request_until_accepted(
        &self,
        method: &'static str,
        params: Value,
        permit: Permit,
    ) -> Vec<(NodeIndex, Result<Value, RpcFailure>)> {
        let deadline = Instant::now() + CALL_DEADLINE;
        let mut results = Vec::with_capacity(self.nodes.len());
        let mut is_answered = false;
        for (node, is_down) in self.in_order() {
            if is_down && is_answered {
                continue;
            }
            let result = self.ask(node, method, &params, Some(permit.clone()), deadline).await;
            is_answered |= matches!(result, Err(RpcFailure::Answered { .. }));
            let is_over = matches!(result, Ok(_) | Err(RpcFailure::Withheld));
            results.push((NodeIndex(node.number - 1), result));
            if is_over {
                break;
            }
        }
        results
    }

    /// Asks the node that gave an earlier answer, and no other.
    pub async fn request_at(&self, NodeIndex(at): NodeIndex, method: &'static str, params: Value) -> Result<Value, RpcFailure> {
        match self.nodes.get(at) {
            Some(node) => self.ask(node, method, &params, None, Instant::now() + CALL_DEADLINE).await,
            None => Err(no_node()),
        }
    }

    /// What the nodes say they are: the expected chain if any node says so, else what the first one that answers says.
    /// A node that said so a moment ago, and has not failed since, is not asked again.
    pub async fn chain_id(&self) -> Result<ChainId, RpcFailure> {
        let deadline = Instant::now() + CALL_DEADLINE;
        let mut stranger = None;
        let mut failure = no_node();
        for (node, is_down) in self.in_order() {
            if is_down && stranger.is_some() {
                continue;
            }
            if let Some(expected) = self.expected
                && node.health().is_verified(Instant::now())
            {
                return Ok(expected);
            }
            match self.chain_id_of(node, deadline).await {
                Ok(found) if self.expected.is_none_or(|expected| expected == found) => return Ok(found),
                Ok(found) => drop(stranger.get_or_insert(found)),
                Err(other) => failure = other,
            }
        }
        stranger.ok_or(failure)
    }

    /// Those that may be asked now, as configured; then those that are passed over, the soonest back first.
    fn in_order(&self) -> Vec<(&Node, bool)> {
        let now = Instant::now();
        let mut nodes: Vec<(&Node, bool, Option<Instant>)> = self
            .nodes
            .iter()
            .map(|node| {
                let health = node.health();
                let is_down = health.is_down(now);
                (node, is_down, if is_down { health.passed_over_until() } else { None })
            })
            .collect();
        nodes.sort_by_key(|(_, _, until)| *until);
        nodes.into_iter().map(|(node, is_down, _)| (node, is_down)).collect()
    }

    async fn ask(
        &self,
        node: &Node,
        method: &'static str,
        params: &Value,
        permit: Option<Permit>,
        deadline: Instant,
    ) -> Result<Value, RpcFailure> {
        if Instant::now() >= deadline {
            return Err(RpcFailure::NotSent("the other nodes left no time for this one".to_owned()));
        }
        self.verify(node, deadline).await?;
        let outcome = self.send(node, method, params, permit, deadline).await;
        match &outcome {
            Ok(_) | Err(RpcFailure::Answered { .. }) => node.health().answered(),
            Err(RpcFailure::Withheld) => {}
            Err(RpcFailure::NotSent(reason) | RpcFailure::NoAnswer(reason)) => node.failed(self.expected, reason),
        }
        outcome
    }

    /// Before the first request, and again after a failure and after a while. What fails here was not followed by the request itself.
    async fn verify(&self, node: &Node, deadline: Instant) -> Result<(), RpcFailure> {
        let Some(expected) = self.expected else { return Ok(()) };
        if node.health().is_verified(Instant::now()) {
            return Ok(());
        }
        match self.chain_id_of(node, deadline).await {
            Ok(found) if found == expected => Ok(()),
            Ok(found) => Err(RpcFailure::NotSent(format!("the node serves chain {found} and is not used for chain {expected}"))),
            Err(failure) => Err(RpcFailure::NotSent(failure.reason())),
        }
    }

    async fn chain_id_of(&self, node: &Node, deadline: Instant) -> Result<ChainId, RpcFailure> {
        let told = match self.send(node, "eth_chainId", &json!([]), None, deadline).await {
            Ok(told) => parse_quantity(&told).and_then(|id| u64::try_from(id).ok()).map(ChainId),
            Err(failure) => {
                node.failed(self.expected, &failure.reason());
                return Err(failure);
            }
        };
        let Some(found) = told else {
            let failure = RpcFailure::NoAnswer("the node's answer to eth_chainId makes no sense".to_owned());
            node.failed(self.expected, &failure.reason());
            return Err(failure);
        };
        if self.expected.is_some_and(|expected| expected != found) {
            node.failed(self.expected, &format!("it serves chain {found}"));
        } else {
            let mut health = node.health();
            health.answered();
            health.verified(Instant::now());
        }
        Ok(found)
    }

    async fn send(
        &self,
        node: &Node,
        method: &'static str,
        params: &Value,
        permit: Option<Permit>,
        deadline: Instant,
    ) -> Result<Value, RpcFailure> {
        match timeout_at(deadline, node.request(&self.transport, method, params, permit)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(late()),
        }
    }
}

/// A node that lacks the method, broke inside, or does not have the state yet or any more.
fn another_may_tell(failure: &RpcFailure) -> bool {
    const METHOD_NOT_FOUND: i64 = -32601;
    const INTERNAL_ERROR: i64 = -32603;
    let RpcFailure::Answered { code, message, .. } = failure else { return true };
    let message = message.to_lowercase();
    let words = ["header not found", "block not found", "missing trie node", "unknown block", "not synced", "indexing is in progress"];
    matches!(*code, METHOD_NOT_FOUND | INTERNAL_ERROR) && super::revert::reason(failure).is_none()
        || words.iter().any(|word| message.contains(word))
}

pub fn parse_quantity(value: &Value) -> Option<U256> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    U256::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16).ok()
}

fn late() -> RpcFailure {
    RpcFailure::NoAnswer("the nodes did not answer in time".to_owned())
}

fn no_node() -> RpcFailure {
    RpcFailure::NotSent("no node is configured for this chain".to_owned())
}

#[cfg(test)]
mod tests;
