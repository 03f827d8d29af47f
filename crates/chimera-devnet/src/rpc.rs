//! JSON-RPC 2.0: one request or a batch in, the answers out.

mod answers;
mod history;
mod methods;
mod params;

use serde_json::{Value, json};

use crate::Devnet;
use crate::error::{DevnetError, Refusal};

/// geth's limit.
pub(crate) const BATCH_MAX: usize = 1000;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
/// geth's code for a transaction or call that it does not run.
const REFUSED: i64 = -32000;
/// geth's code for a call that ran and reverted; `data` then holds what it returned.
const REVERTED: i64 = 3;

/// `Value::Null` when there is nothing to answer.
pub(crate) fn answer(devnet: &Devnet, request: Value) -> Value {
    match request {
        Value::Array(requests) if requests.is_empty() => error_answer(Value::Null, RpcError::new(INVALID_REQUEST, "empty batch")),
        Value::Array(requests) if requests.len() > BATCH_MAX => {
            let message = format!("batch of {} requests, at most {BATCH_MAX} are taken", requests.len());
            error_answer(Value::Null, RpcError::new(INVALID_REQUEST, message))
        }
        Value::Array(requests) => {
            let answers: Vec<Value> = requests.into_iter().filter_map(|request| answer_one(devnet, request)).collect();
            if answers.is_empty() { Value::Null } else { Value::Array(answers) }
        }
        request => answer_one(devnet, request).unwrap_or(Value::Null),
    }
}

/// The answer to a body that is not JSON.
pub(crate) fn parse_error(message: &str) -> Value {
    error_answer(Value::Null, RpcError::new(PARSE_ERROR, format!("parse error: {message}")))
}

/// The answer when answering itself failed.
pub(crate) fn internal_error(message: &str) -> Value {
    error_answer(Value::Null, RpcError::new(INTERNAL_ERROR, message))
}

#[derive(Debug)]
pub(crate) struct RpcError {
    code: i64,
    message: String,
    data: Option<String>,
}

impl RpcError {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            Refusal::Reverted { output } => Self { code: REVERTED, message, data: Some(output.to_string()) },
            _ => Self::new(REFUSED, message),
        }
    }
}

impl From<DevnetError> for RpcError {
    fn from(error: DevnetError) -> Self {
        match error {
            DevnetError::Refused(refusal) => refusal.into(),
            DevnetError::Overflow { .. } => Self::invalid_params(error.to_string()),
            other => {
                tracing::error!(error = &other as &dyn std::error::Error, "a request failed: {other}");
                Self::new(INTERNAL_ERROR, other.to_string())
            }
        }
    }
}

/// `None` for a notification: it is carried out and not answered.
fn answer_one(devnet: &Devnet, request: Value) -> Option<Value> {
    let Value::Object(mut request) = request else {
        return Some(error_answer(Value::Null, RpcError::new(INVALID_REQUEST, "the request is not an object")));
    };
    let id = request.remove("id");
    if let Some(id) = &id
        && !(id.is_string() || id.is_number() || id.is_null())
    {
        let error = RpcError::new(INVALID_REQUEST, "the id is not a string, a number or null");
        return Some(error_answer(Value::Null, error));
    }

    let result = checked(&request).and_then(|(method, params)| methods::call(devnet, method, params));
    match (id, result) {
        (None, Err(error)) if error.code == INVALID_REQUEST => Some(error_answer(Value::Null, error)),
        (None, _) => None,
        (Some(id), Ok(result)) => Some(json!({ "jsonrpc": "2.0", "id": id, "result": result })),
        (Some(id), Err(error)) => Some(error_answer(id, error)),
    }
}

fn checked(request: &serde_json::Map<String, Value>) -> Result<(&str, &[Value]), RpcError> {
    let invalid = |message| RpcError::new(INVALID_REQUEST, message);
    if request.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("jsonrpc is not \"2.0\""));
    }
    let method = request.get("method").and_then(Value::as_str).ok_or_else(|| invalid("method is not a string"))?;
    match request.get("params") {
        None | Some(Value::Null) => Ok((method, &[])),
        Some(Value::Array(params)) => Ok((method, params)),
        Some(_) => Err(RpcError::invalid_params("params is not an array")),
    }
}

fn error_answer(id: Value, error: RpcError) -> Value {
    let mut body = json!({ "code": error.code, "message": error.message });
    if let Some(data) = error.data {
        body["data"] = Value::String(data);
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": body })
}
