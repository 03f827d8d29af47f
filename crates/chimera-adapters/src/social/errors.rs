//! What can go wrong between us and a platform, as a closed set of codes that callers branch on.

use chrono::{DateTime, SecondsFormat, Utc};

/// Messages begin with the code, and are safe to show to strangers: no token, no address with a credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum SocialError {
    /// Nothing was asked of the platform.
    #[error("invalid_input: {0}")]
    InvalidInput(String),
    #[error("unsupported: {0}")]
    Unsupported(String),
    #[error("not_configured: {0}")]
    NotConfigured(String),
    #[error("unauthorized: {platform} does not accept {secret}; make a new one and restart")]
    Unauthorized { platform: &'static str, secret: &'static str },
    /// Nothing was published, and asking again will not help.
    #[error("refused: {platform} answered {status}: {reason}")]
    Refused { platform: &'static str, status: u16, reason: String },
    #[error("not_found: {platform} has no such post, account or tag")]
    NotFound { platform: &'static str },
    /// Nothing was published.
    #[error("rate_limited: {platform} allows no more of this; try again at {}", rfc3339(retry_at))]
    RateLimited { platform: &'static str, retry_at: DateTime<Utc> },
    /// Nothing was published, or it may be repeated with the same key.
    #[error("unavailable: {platform} {reason}; it is safe to repeat this")]
    Unavailable { platform: &'static str, reason: String },
    /// Repeating it could publish twice.
    #[error(
        "outcome_unknown: {platform} {reason}; it may have been published, and {platform} has no idempotency keys: look before you repeat it"
    )]
    OutcomeUnknown { platform: &'static str, reason: String },
    #[error(
        "duplicate: {platform} has this text from this account already; it has no idempotency keys, so which post that is cannot be told"
    )]
    Duplicate { platform: &'static str },
    #[error("unexpected_answer: {platform} answered something other than its documentation says")]
    Unexpected { platform: &'static str },
}

impl SocialError {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::InvalidInput(_) => "invalid_input",
            Self::Unsupported(_) => "unsupported",
            Self::NotConfigured(_) => "not_configured",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Refused { .. } => "refused",
            Self::NotFound { .. } => "not_found",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unavailable { .. } => "unavailable",
            Self::OutcomeUnknown { .. } => "outcome_unknown",
            Self::Duplicate { .. } => "duplicate",
            Self::Unexpected { .. } => "unexpected_answer",
        }
    }

    pub(super) fn retry_at(&self) -> Option<String> {
        match self {
            Self::RateLimited { retry_at, .. } => Some(rfc3339(retry_at)),
            _ => None,
        }
    }
}

fn rfc3339(time: &DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}
