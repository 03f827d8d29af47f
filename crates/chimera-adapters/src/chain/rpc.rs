//! JSON-RPC over HTTP, one request to one node.

use super::revert;
use crate::http_client::{one_line, reason};
use chimera_core::ports::chain::SendPermit;
use serde_json::{Value, json};
use std::{fmt, sync::Arc, time::Duration};
use url::Url;

/// One request to one node.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// No answer that we ask for is anywhere near this.
const RESPONSE_BYTES_MAX: usize = 4 << 20;
/// Of a list of answers, for each more than one.
const FURTHER_RESPONSE_BYTES_MAX: usize = 64 << 10;

/// Why a request failed. Reasons never hold the node's address: it may carry a key.
#[derive(Debug, Clone, PartialEq)]
pub enum RpcFailure {
    /// The request cannot have reached the node.
    NotSent(String),
    /// Nothing was sent: whoever must allow it did not.
    Withheld,
    /// The request went out and no usable answer came back; what became of it is unknown. Limits and gateways' errors are of this kind.
    NoAnswer(String),
    /// The node answered with an error.
    Answered { code: i64, message: String, data: Option<Value> },
}

impl RpcFailure {
    pub fn reason(&self) -> String {
        match self {
            Self::NotSent(reason) | Self::NoAnswer(reason) => reason.clone(),
            Self::Withheld => "it was not allowed to be sent".to_owned(),
            Self::Answered { message, .. } => message.clone(),
        }
    }
}

/// Clones share the connections.
#[derive(Clone)]
pub struct Transport {
    client: reqwest::Client,
}

/// One call of a node.
#[derive(Debug, Clone)]
pub struct Call {
    pub method: &'static str,
    pub params: Value,
    /// Asked at the very moment that the request would go out, however long it waited for its turn.
    pub permit: Option<Permit>,
}

#[derive(Clone)]
pub struct Permit(pub Arc<dyn SendPermit>);

impl Permit {
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}

/// What became of several calls in one request.
pub enum Listed {
    /// Each by itself, in order.
    Answers(Vec<Result<Value, RpcFailure>>),
    /// The node answered, and not with a list: it may not take lists.
    NoList,
}

impl Transport {
    pub fn new() -> Result<Self, reqwest::Error> {
        let client = crate::http_client::builder()
            .timeout(REQUEST_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true)
            .build()?;
        Ok(Self { client })
    }

    pub async fn request(&self, url: &Url, call: &Call) -> Result<Value, RpcFailure> {
        let (answer, status) = self.post(url, &call.body(1), RESPONSE_BYTES_MAX).await?;
        read_answer(answer, status)
    }

    /// Many calls in one request. What goes wrong with the request goes wrong with every one of them.
    pub async fn request_list(&self, url: &Url, calls: &[Call]) -> Listed {
        let bodies = calls.iter().enumerate().map(|(id, call)| call.body(id)).collect();
        let bytes_max = RESPONSE_BYTES_MAX + calls.len() * FURTHER_RESPONSE_BYTES_MAX;
        let (answers, status) = match self.post(url, &Value::Array(bodies), bytes_max).await {
            Ok((Value::Array(answers), status)) => (answers, status),
            Ok((_, 200..=299 | 400..=428)) => return Listed::NoList,
            Ok((_, status)) => {
                let failure = RpcFailure::NoAnswer(format!("the node answered {status} and no list to a list of requests"));
                return Listed::Answers(vec![Err(failure); calls.len()]);
            }
            Err(failure) => return Listed::Answers(vec![Err(failure); calls.len()]),
        };
        let left_out = RpcFailure::NoAnswer("the node left a request of a list without an answer".to_owned());
        let mut read = vec![Err(left_out); calls.len()];
        for answer in answers {
            let place = answer["id"].as_u64().and_then(|id| usize::try_from(id).ok()).and_then(|id| read.get_mut(id));
            if let Some(place) = place {
                *place = read_answer(answer, status);
            }
        }
        Listed::Answers(read)
    }

    async fn post(&self, url: &Url, body: &Value, bytes_max: usize) -> Result<(Value, u16), RpcFailure> {
        let mut response = self.client.post(url.clone()).json(body).send().await.map_err(|error| {
            // Only a connection that was never made proves that nothing arrived.
            let never_sent = error.is_connect() || error.is_builder();
            let reason = reason(error);
            if never_sent { RpcFailure::NotSent(reason) } else { RpcFailure::NoAnswer(reason) }
        })?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| RpcFailure::NoAnswer(reason(error)))? {
            if bytes.len() + chunk.len() > bytes_max {
                return Err(RpcFailure::NoAnswer(format!("the node's answer is larger than {bytes_max} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        let answer = serde_json::from_slice(&bytes).map_err(|_| RpcFailure::NoAnswer(format!("the node answered {status} and no JSON")))?;
        Ok((answer, status.as_u16()))
    }
}

impl Call {
    fn body(&self, id: usize) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": self.method, "params": self.params })
    }
}

fn read_answer(mut answer: Value, status: u16) -> Result<Value, RpcFailure> {
    // Some nodes give their errors the status 400; any other failure is a gateway's or a server's word, whatever JSON comes with it.
    let is_nodes_word = matches!(status, 200..=299 | 400);
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        let message = one_line(error["message"].as_str().unwrap_or("no message"));
        let code = error["code"].as_i64().unwrap_or_default();
        let failure = RpcFailure::Answered { code, message, data: error.get("data").cloned() };
        if is_limit(&failure) || !(is_nodes_word || revert::reason(&failure).is_some()) {
            return Err(RpcFailure::NoAnswer(format!("the node answered {status}: {}", failure.reason())));
        }
        return Err(failure);
    }
    match answer.get_mut("result") {
        Some(result) if is_nodes_word => Ok(result.take()),
        Some(_) | None => Err(RpcFailure::NoAnswer(format!("the node answered {status} without a result"))),
    }
}

/// The node, or what stands before it, has had enough for now. Nobody says whether that was before or after it did what was asked.
fn is_limit(failure: &RpcFailure) -> bool {
    const LIMIT_EXCEEDED: i64 = -32005;
    /// Of the public nodes of some rollups.
    const OVER_RATE_LIMIT: i64 = -32016;
    const TOO_MANY_REQUESTS: i64 = 429;
    let RpcFailure::Answered { code, message, .. } = failure else { return false };
    let message = message.to_lowercase();
    let words = ["rate limit", "too many requests", "request limit", "request count exceeded", "requests per second", "capacity exceeded"];
    matches!(*code, LIMIT_EXCEEDED | OVER_RATE_LIMIT | TOO_MANY_REQUESTS) || words.iter().any(|word| message.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_nodes_own_word_or_none() {
        let error = |code: i64, message: &str| json!({ "id": 1, "error": { "code": code, "message": message } });
        let table = [
            ("a result", 200, json!({ "id": 1, "result": "0x1" }), "ok"),
            ("a null result", 200, json!({ "id": 1, "result": null }), "ok"),
            ("an error", 200, error(-32000, "nonce too low"), "answered"),
            ("an error with 400", 400, error(-32602, "invalid params"), "answered"),
            ("a revert with 500", 500, error(3, "execution reverted"), "answered"),
            ("a gas limit is no rate limit", 200, error(-32000, "exceeds block gas limit"), "answered"),
            ("internal with 500", 500, error(-32603, "oops"), "no answer"),
            ("429 with JSON", 429, error(-32000, "slow down"), "no answer"),
            ("limit by code", 200, error(-32005, "daily request count exceeded, request rate limited"), "no answer"),
            ("limit by another code", 200, error(-32016, "over rate limit"), "no answer"),
            ("limit as a status in the code", 200, error(429, "x"), "no answer"),
            ("limit by word", 200, error(-32000, "Too Many Requests"), "no answer"),
            ("unauthorized", 401, error(-32000, "Must be authenticated!"), "no answer"),
            ("a result with 502", 502, json!({ "id": 1, "result": "0x1" }), "no answer"),
            ("neither", 200, json!({ "id": 1 }), "no answer"),
            ("a list", 200, json!([]), "no answer"),
            ("a string", 200, json!("hello"), "no answer"),
        ];
        for (name, status, answer, expected) in table {
            let read = read_answer(answer, status);
            let found = match &read {
                Ok(_) => "ok",
                Err(RpcFailure::Answered { .. }) => "answered",
                Err(RpcFailure::NoAnswer(_)) => "no answer",
                Err(RpcFailure::NotSent(_) | RpcFailure::Withheld) => "not sent",
            };
            assert_eq!(found, expected, "{name}: {read:?}");
        }
    }
}
