//! CDP's REST interface, as far as a signer needs it: authorised requests, and what each failure means.

use super::{credentials::CdpCredentials, tokens};
use crate::http_client::{one_line, reason};
use chimera_core::ports::clock::Clock;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use url::Url;

/// Where CDP is.
pub const CDP_URL: &str = "https://api.cdp.coinbase.com/platform";

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// An account or a signed transaction has a few hundred bytes, and a transaction's data is ours.
const RESPONSE_BYTES_MAX: usize = 1 << 20;

/// Why CDP did not do it. Nothing here holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    #[error("CDP refuses our keys ({reason}); check CDP_API_KEY_ID, CDP_API_KEY_SECRET and CDP_WALLET_SECRET, and this machine's clock")]
    Unauthorized { reason: String },
    #[error("CDP wants to be paid first ({reason}); look at the project's billing")]
    PaymentRequired { reason: String },
    #[error("CDP has no such account in this project; was the agent created with another wallet?")]
    NotFound,
    #[error("CDP says that this clashes with another request ({reason}); try again")]
    Conflict { reason: String },
    #[error("CDP asks for fewer requests; try again later")]
    RateLimited,
    #[error("CDP refused with {status}: {reason}")]
    Refused { status: u16, reason: String },
    #[error("CDP cannot be reached or cannot answer ({reason}); try again later")]
    Unavailable { reason: String },
    #[error("CDP's answer cannot be used: {problem}")]
    Nonsense { problem: String },
}

pub struct Api {
    client: reqwest::Client,
    /// Without a slash at its end.
    base: String,
    /// Host, and port where it is not the usual one, as the tokens name it.
    host: String,
    /// Of the base, which every request's path begins with.
    base_path: String,
    credentials: CdpCredentials,
    clock: Arc<dyn Clock>,
}

impl Api {
    pub fn new(url: Url, credentials: CdpCredentials, clock: Arc<dyn Clock>) -> Result<Self, reqwest::Error> {
        let client = crate::http_client::builder()
            .timeout(REQUEST_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            // A token is for one host and path: it must not be carried to another.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let base_path = url.path().trim_end_matches('/').to_owned();
        Ok(Self { client, base: url.as_str().trim_end_matches('/').to_owned(), host, base_path, credentials, clock })
    }

    /// `path` begins with a slash.
    pub async fn get(&self, path: &str) -> Result<Value, ApiError> {
        let request = self.authorised(Method::GET, path)?;
        finish(request).await
    }

    pub async fn post(&self, path: &str, body: &Value, idempotency_key: &str) -> Result<Value, ApiError> {
        let text = body.to_string();
        let resource = self.resource(&Method::POST, path);
        let wallet_token = tokens::wallet(&self.credentials, &resource, &text, self.clock.now()).map_err(unsigned)?;
        let request = self
            .authorised(Method::POST, path)?
            .header("X-Wallet-Auth", wallet_token)
            .header("X-Idempotency-Key", idempotency_key)
            .header("Content-Type", "application/json")
            .body(text);
        finish(request).await
    }

    fn authorised(&self, method: Method, path: &str) -> Result<reqwest::RequestBuilder, ApiError> {
        let token = tokens::bearer(&self.credentials, &self.resource(&method, path), self.clock.now()).map_err(unsigned)?;
        Ok(self.client.request(method, format!("{}{path}", self.base)).bearer_auth(token))
    }

    /// What a token is good for: `POST api.cdp.coinbase.com/platform/v2/evm/accounts`.
    fn resource(&self, method: &Method, path: &str) -> String {
        format!("{method} {}{}{path}", self.host, self.base_path)
    }
}

fn unsigned(tokens::NotSigned: tokens::NotSigned) -> ApiError {
    ApiError::Unavailable { reason: "no token could be signed on this machine".to_owned() }
}

async fn finish(request: reqwest::RequestBuilder) -> Result<Value, ApiError> {
    let lost = |error: reqwest::Error| ApiError::Unavailable { reason: reason(error) };
    let mut response = request.send().await.map_err(lost)?;
    let status = response.status();
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        if bytes.len() + chunk.len() > RESPONSE_BYTES_MAX {
            return Err(ApiError::Nonsense { problem: format!("it is larger than {RESPONSE_BYTES_MAX} bytes") });
        }
        bytes.extend_from_slice(&chunk);
    }
    let answer: Option<Value> = serde_json::from_slice(&bytes).ok();
    if status.is_success() {
        return answer.ok_or_else(|| ApiError::Nonsense { problem: format!("it is {status} and no JSON") });
    }
    Err(refusal(status, answer.as_ref()))
}

fn refusal(status: StatusCode, answer: Option<&Value>) -> ApiError {
    let field = |name: &str| answer.and_then(|answer| answer[name].as_str()).unwrap_or_default();
    let said = one_line(&[field("errorType"), field("errorMessage")].join(" "));
    let reason = if said.trim().is_empty() { status.to_string() } else { said.trim().to_owned() };
    match status {
        StatusCode::UNAUTHORIZED => ApiError::Unauthorized { reason },
        StatusCode::PAYMENT_REQUIRED => ApiError::PaymentRequired { reason },
        StatusCode::NOT_FOUND => ApiError::NotFound,
        StatusCode::CONFLICT => ApiError::Conflict { reason },
        StatusCode::TOO_MANY_REQUESTS => ApiError::RateLimited,
        status if status.is_server_error() => ApiError::Unavailable { reason },
        status => ApiError::Refused { status: status.as_u16(), reason },
    }
}
