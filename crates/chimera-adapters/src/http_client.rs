//! The one HTTP client and the one TLS stack (rustls with ring) that every adapter shares.

/// Start every client here: without a TLS provider installed, building a client panics.
pub fn builder() -> reqwest::ClientBuilder {
    // It is an error only when one is installed already, which is what we want.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().user_agent(concat!("chimera/", env!("CARGO_PKG_VERSION")))
}
