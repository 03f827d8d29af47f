//! JSON-RPC over HTTP, with several nodes tried in order.

use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// One request to one node.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// No answer that we ask for is anywhere near this.
const RESPONSE_BYTES_MAX: usize = 4 << 20;
/// How much of a node's own words is repeated.
const REASON_CHARS_MAX: usize = 300;

/// Why a request failed. Reasons never hold the node's address: it may carry a key.
#[derive(Debug, Clone, PartialEq)]
pub enum RpcFailure {
    /// The request cannot have reached the node.
    NotSent(String),
    /// The request went out; what became of it is unknown.
    NoAnswer(String),
    /// The node answered with an error.
    Answered { code: i64, message: String, data: Option<Value> },
}

impl RpcFailure {
    pub fn reason(&self) -> String {
        match self {
            Self::NotSent(reason) | Self::NoAnswer(reason) => reason.clone(),
            Self::Answered { message, .. } => message.clone(),
        }
    }
}

pub struct RpcClient {
    client: reqwest::Client,
    urls: Vec<Url>,
}

impl RpcClient {
    pub fn new(urls: Vec<Url>) -> Result<Self, reqwest::Error> {
        let client = crate::http_client::builder()
            .timeout(REQUEST_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true)
            .build()?;
        Ok(Self { client, urls })
    }

    /// The first node's answer that is one; a node's own error counts as an answer.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, RpcFailure> {
        let mut last = RpcFailure::NotSent("no node is configured for this chain".to_owned());
        for url in &self.urls {
            match self.request_one(url, method, &params).await {
                Err(failure @ (RpcFailure::NotSent(_) | RpcFailure::NoAnswer(_))) => last = failure,
                answered => return answered,
            }
        }
        Err(last)
    }

    /// Every node is told; the result of each, in order.
    pub async fn request_each(&self, method: &str, params: Value) -> Vec<Result<Value, RpcFailure>> {
        let mut results = Vec::with_capacity(self.urls.len());
        for url in &self.urls {
            let result = self.request_one(url, method, &params).await;
            let accepted = result.is_ok();
            results.push(result);
            if accepted {
                break;
            }
        }
        results
    }

    async fn request_one(&self, url: &Url, method: &str, params: &Value) -> Result<Value, RpcFailure> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut response = self.client.post(url.clone()).json(&body).send().await.map_err(|error| {
            // Only a connection that was never made proves that nothing arrived.
            let never_sent = error.is_connect() || error.is_builder();
            let reason = short(&chain_of(&error.without_url()));
            if never_sent { RpcFailure::NotSent(reason) } else { RpcFailure::NoAnswer(reason) }
        })?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| RpcFailure::NoAnswer(short(&chain_of(&error.without_url()))))? {
            if bytes.len() + chunk.len() > RESPONSE_BYTES_MAX {
                return Err(RpcFailure::NoAnswer(format!("the node's answer is larger than {RESPONSE_BYTES_MAX} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        let answer: Value =
            serde_json::from_slice(&bytes).map_err(|_| RpcFailure::NoAnswer(format!("the node answered {status} and no JSON")))?;
        read_answer(answer, status.as_u16())
    }
}

fn read_answer(mut answer: Value, status: u16) -> Result<Value, RpcFailure> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        let message = error["message"].as_str().unwrap_or("no message");
        return Err(RpcFailure::Answered {
            code: error["code"].as_i64().unwrap_or_default(),
            message: short(message),
            data: error.get("data").cloned(),
        });
    }
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(RpcFailure::NoAnswer(format!("the node answered {status} without a result"))),
    }
}

fn chain_of(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}

/// One line, without control characters.
fn short(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(REASON_CHARS_MAX).collect()
}
