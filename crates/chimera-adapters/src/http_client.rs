//! The one HTTP client and the one TLS stack (rustls with ring) that every adapter shares.

use chimera_core::domain::hidden::is_hidden;

/// Start every client here: without a TLS provider installed, building a client panics.
pub fn builder() -> reqwest::ClientBuilder {
    // It is an error only when one is installed already, which is what we want.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().user_agent(concat!("chimera/", env!("CARGO_PKG_VERSION")))
}

const REASON_CHARS_MAX: usize = 300;

/// Why a request failed, with its causes and without its address, which may carry a key.
pub fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    one_line(&text)
}

/// What a stranger's server says, fit for a message: one line of bounded length, without what cannot be seen.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).take(REASON_CHARS_MAX).collect()
}
