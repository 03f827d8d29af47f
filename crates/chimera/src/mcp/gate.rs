//! Who may knock, and who is known. Asked before any path is looked at.

use axum::{
    Json,
    http::{HeaderMap, StatusCode, Uri, header, uri::Authority},
    response::{IntoResponse, Response},
};
use serde_json::json;
use std::net::SocketAddr;
use url::Url;

/// Who may knock. `Host` and `Origin` keep web pages of strangers away from a server on this machine.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Host names, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// `scheme://host:port`, where the port may be `*`. A request without an `Origin` is no page's request and passes.
    pub allowed_origins: Vec<String>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        let texts = |texts: [&str; 3]| texts.map(str::to_owned).to_vec();
        Self {
            allowed_hosts: texts(["localhost", "127.0.0.1", "::1"]),
            allowed_origins: texts(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]),
        }
    }
}

impl HttpOptions {
    /// Of a server that listens on `address`, and is known to people by `public_url`.
    pub fn of_server(address: SocketAddr, public_url: Option<&Url>) -> Self {
        let mut options = Self::default();
        let ip = address.ip();
        if !ip.is_loopback() && !ip.is_unspecified() {
            options.allowed_hosts.push(ip.to_string());
            options.allowed_origins.push(format!("http://{address}"));
        }
        if let Some((url, host)) = public_url.and_then(|url| url.host_str().map(|host| (url, host))) {
            options.allowed_hosts.push(bare(host).to_owned());
            options.allowed_origins.push(url.origin().ascii_serialization());
        }
        options
    }
}

/// Health is asked for by machines that know a server by any name, and tells nothing that a page could use.
const OPEN_TO_ALL: [&str; 2] = ["/healthz", "/readyz"];

/// Every request passes it first, whatever its path.
pub struct Gate {
    options: HttpOptions,
    /// Whoever shows it is known. Without one there is nobody to tell apart, and all are.
    token: Option<String>,
}

impl Gate {
    pub fn new(options: &HttpOptions, token: Option<&str>) -> Self {
        Self { options: options.clone(), token: token.map(str::to_owned) }
    }

    /// `None` for a request that names a host of ours, and comes from no page but our own.
    pub(super) fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        if OPEN_TO_ALL.contains(&uri.path()) {
            return None;
        }
        let problem = if !self.names_us(uri, headers) {
            "the Host header names another server"
        } else if !self.comes_from_us(headers) {
            "the Origin header names a page of another server"
        } else {
            return None;
        };
        Some((StatusCode::FORBIDDEN, Json(json!({"error": "forbidden", "message": problem}))).into_response())
    }

    pub(super) fn knows(&self, headers: &HeaderMap) -> bool {
        self.token.as_ref().is_none_or(|token| has_token(token, headers))
    }

    fn names_us(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        let named = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
        // A target in absolute form says the host as well.
        named.is_some_and(|named| self.is_our_host(&named)) && uri.authority().is_none_or(|named| self.is_our_host(named))
    }

    fn is_our_host(&self, named: &Authority) -> bool {
        let name = bare(named.host());
        let with_port = named.port_u16().map(|port| format!("{name}:{port}"));
        let is_named = |allowed: &String| allowed.eq_ignore_ascii_case(name) || with_port.as_ref().is_some_and(|named| allowed == named);
        self.options.allowed_hosts.iter().any(is_named)
    }

    fn comes_from_us(&self, headers: &HeaderMap) -> bool {
        let is_ours = |origin: &str| self.options.allowed_origins.iter().any(|allowed| is_same_origin(allowed, origin));
        headers.get_all(header::ORIGIN).iter().all(|origin| origin.to_str().is_ok_and(is_ours))
    }
}

fn is_same_origin(allowed: &str, origin: &str) -> bool {
    match (allowed.strip_suffix(":*"), origin.parse::<Uri>()) {
        (None, _) => allowed.eq_ignore_ascii_case(origin),
        (Some(allowed), Ok(origin)) => {
            let Some((scheme, named)) = origin.scheme_str().zip(origin.authority()) else { return false };
            // Anything behind the authority is no part of an origin; a user in front of it is neither.
            let is_bare = origin.path_and_query().is_none_or(|rest| rest == "/") && !named.as_str().contains('@');
            is_bare && allowed.eq_ignore_ascii_case(&format!("{scheme}://{}", named.host()))
        }
        (Some(_), Err(_)) => false,
    }
}

/// Without the brackets of an IPv6 address.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// `None` for a request with `Authorization: Bearer <token>`, which may pass.
pub fn refusal_without(expected: &str, headers: &HeaderMap) -> Option<Response> {
    if has_token(expected, headers) {
        return None;
    }
    let problem = if given(headers).is_some() { "the token is wrong" } else { "a token is needed" };
    let message = format!(
        "{problem}: send the header \"Authorization: Bearer TOKEN\" with the contents of the file `token` in the server's data folder, or of CHIMERA_TOKEN where that is set"
    );
    let body = Json(json!({"error": "unauthorized", "message": message}));
    Some((StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer realm=\"chimera\"")], body).into_response())
}

fn has_token(expected: &str, headers: &HeaderMap) -> bool {
    given(headers).is_some_and(|given| same(given.as_bytes(), expected.as_bytes()))
}

fn given(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Takes as long for a token that is nearly right as for one that is all wrong.
fn same(given: &[u8], expected: &[u8]) -> bool {
    given.len() == expected.len() && given.iter().zip(expected).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a request for `target` passes, with these `Host` and `Origin` headers.
    fn passes(target: &str, hosts: &[&str], origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, values) in [(header::HOST, hosts), (header::ORIGIN, origins)] {
            for value in values {
                headers.append(&name, value.parse().unwrap());
            }
        }
        let options =
            HttpOptions { allowed_hosts: vec!["localhost".into(), "::1".into(), "us.example:8420".into()], ..HttpOptions::default() };
        Gate::new(&options, None).refusal(&target.parse().unwrap(), &headers).is_none()
    }

    #[test]
    fn only_our_own_host_names_pass() {
        for ours in ["localhost", "LOCALHOST:80", "[::1]:8420", "us.example:8420"] {
            assert!(passes("/any", &[ours], &[]), "{ours}");
        }
        for strange in ["evil.example", "localhost.evil.example", "us.example", "us.example:80", "", "local host", "localhost,evil.example"]
        {
            assert!(!passes("/any", &[strange], &[]), "{strange}");
        }
        assert!(!passes("/any", &[], &[]));
        assert!(!passes("/any", &["localhost", "localhost"], &[]), "which of them counts is anybody's guess");
        assert!(passes("http://localhost/any", &["localhost"], &[]) && !passes("http://evil.example/any", &["localhost"], &[]));
    }

    #[test]
    fn only_our_own_pages_pass() {
        for ours in ["http://localhost", "http://localhost:1234", "http://127.0.0.1:8420", "http://[::1]:1"] {
            assert!(passes("/any", &["localhost"], &[ours]), "{ours}");
        }
        for strange in [
            "null",
            "",
            "https://localhost:1234",
            "http://localhost.evil.example",
            "http://evil.example:80",
            "http://localhost@evil.example",
            "http://evil@localhost",
            "http://localhost/path",
            "localhost",
        ] {
            assert!(!passes("/any", &["localhost"], &[strange]), "{strange}");
        }
        assert!(!passes("/any", &["localhost"], &["http://localhost", "http://evil.example"]));
    }

    #[test]
    fn a_server_is_known_by_the_address_it_listens_on_and_by_its_public_one() {
        let passes = |listen: &str, public_url: Option<&str>, host: &str, origin: Option<&str>| {
            let options = HttpOptions::of_server(listen.parse().unwrap(), public_url.map(|url| url.parse().unwrap()).as_ref());
            let named = |name: header::HeaderName, value: &str| (name, value.parse().unwrap());
            let headers = std::iter::once(named(header::HOST, host)).chain(origin.map(|origin| named(header::ORIGIN, origin))).collect();
            Gate::new(&options, None).refusal(&"/".parse().unwrap(), &headers).is_none()
        };
        let public = Some("https://chimera.example");
        for (listen, public_url, host, origin) in [
            ("0.0.0.0:8420", None, "localhost:8420", Some("http://localhost:8420")),
            ("192.0.2.1:8420", None, "192.0.2.1:8420", Some("http://192.0.2.1:8420")),
            ("[2001:db8::1]:8420", None, "[2001:db8::1]:8420", Some("http://[2001:db8::1]:8420")),
            ("0.0.0.0:8420", public, "chimera.example", Some("https://chimera.example")),
            ("127.0.0.1:8420", public, "127.0.0.1:8420", Some("https://chimera.example")),
            ("0.0.0.0:8420", Some("http://box:8420"), "box:8420", Some("http://box:8420")),
            ("0.0.0.0:8420", Some("https://[2001:db8::2]"), "[2001:db8::2]", None),
        ] {
            assert!(passes(listen, public_url, host, origin), "{listen} {public_url:?} {host} {origin:?}");
        }
        for (listen, public_url, host, origin) in [
            ("0.0.0.0:8420", None, "chimera.example", None),
            ("0.0.0.0:8420", None, "192.0.2.1:8420", None),
            ("192.0.2.1:8420", None, "192.0.2.1:8420", Some("http://192.0.2.1:9000")),
            ("0.0.0.0:8420", public, "evil.example", None),
            ("0.0.0.0:8420", public, "chimera.example", Some("http://chimera.example")),
            ("0.0.0.0:8420", public, "chimera.example", Some("https://chimera.example.evil.example")),
        ] {
            assert!(!passes(listen, public_url, host, origin), "{listen} {public_url:?} {host} {origin:?}");
        }
    }

    #[test]
    fn health_and_nothing_else_is_open_to_all() {
        for target in ["/healthz", "/readyz", "/readyz?verbose"] {
            assert!(passes(target, &["evil.example"], &["http://evil.example"]), "{target}");
        }
        for target in ["/", "/mcp", "/metrics", "/assets/x", "/healthz/", "/healthz/..%2fmcp", "//healthz", "/nothing"] {
            assert!(!passes(target, &["evil.example"], &[]), "{target}");
        }
    }
}
