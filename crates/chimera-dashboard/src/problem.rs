//! What the API answers when it does not do what was asked: RFC 9457, <https://www.rfc-editor.org/rfc/rfc9457>.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chimera_core::contracts::checking::Violation;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Why a request was not done, and what to do about it. One pointer: it is the `Err` of nearly everything here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Problem(Box<Document>);

/// As it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
struct Document {
    /// `urn:chimera:` and a code that clients can branch on.
    #[serde(rename = "type")]
    kind: String,
    /// The same for every problem of one status.
    title: String,
    status: u16,
    /// A sentence for a person.
    detail: String,
    /// What to do.
    next: String,
    /// Where the request breaks its contract.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<Violation>,
    /// How long to wait, where waiting helps; also the header `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
    /// What the thing is now, where it is no longer what was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<Value>,
}

impl Problem {
    /// `code`: lower case words with underscores. `detail` and `next`: sentences.
    pub fn new(status: StatusCode, code: &str, detail: impl Into<String>, next: impl Into<String>) -> Self {
        Self(Box::new(Document {
            kind: format!("urn:chimera:{code}"),
            title: status.canonical_reason().unwrap_or("Problem").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            next: next.into(),
            violations: Vec::new(),
            retry_after_s: None,
            current: None,
        }))
    }

    #[must_use]
    pub fn with_violations(mut self, violations: impl IntoIterator<Item = Violation>) -> Self {
        self.0.violations.extend(violations);
        self
    }

    #[must_use]
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_s = Some(seconds);
        self
    }

    #[must_use]
    pub fn with_current<T: Serialize>(mut self, current: &T) -> Self {
        self.0.current = serde_json::to_value(current).ok();
        self
    }

    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub fn code(&self) -> &str {
        self.0.kind.rsplit(':').next().unwrap_or_default()
    }

    pub fn detail(&self) -> &str {
        &self.0.detail
    }
}

impl From<chimera_core::ports::StoreError> for Problem {
    /// Strangers see that the store failed; the log says how.
    fn from(error: chimera_core::ports::StoreError) -> Self {
        tracing::error!(error = ?error, "the store does not answer a request of the dashboard: {error}");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "store_unavailable",
            "The store does not answer.",
            "Try again in a moment; the server's log says why.",
        )
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, retry_after) = (self.status(), self.0.retry_after_s);
        let mut response = (status, Json(self)).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    #[tokio::test]
    async fn a_problem_says_what_is_wrong_and_what_to_do_in_the_words_of_the_standard() {
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_input", "The body breaks its contract.", "Correct it.")
            .with_violations([Violation::new("/name", "is too long")])
            .with_retry_after(7);

        let response = problem.into_response();

        assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        assert_eq!(response.headers()["retry-after"], "7");
        let body: serde_json::Value = serde_json::from_slice(&to_bytes(response.into_body(), 10_000).await.unwrap()).unwrap();
        assert_eq!(
            body,
            serde_json::json!({
                "type": "urn:chimera:invalid_input", "title": "Unprocessable Entity", "status": 422,
                "detail": "The body breaks its contract.", "next": "Correct it.",
                "violations": [{"path": "/name", "problem": "is too long"}], "retry_after_s": 7,
            })
        );
    }
}
