//! Whether a request comes from our own page. Cookies know no ports: another server on this machine gets ours and can make a browser send
//! them, so a cookie alone says nothing about who asks.

use axum::http::{HeaderMap, header};
use url::Url;

const SEC_FETCH_SITE: &str = "sec-fetch-site";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// Our own page.
    OurPage,
    /// The browser says another one, a neighbour on another port among them.
    AnotherPage,
    /// No browser of today, or one that says nothing.
    Unknown,
}

/// `Sec-Fetch-Site` counts where it is there, since no page can set it; browsers leave it out over plain HTTP off loopback, where an `Origin`
/// equal to scheme and `Host` says the same.
pub(super) fn sender(headers: &HeaderMap, public_url: Option<&Url>) -> Sender {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter().peekable();
    if sites.peek().is_some() {
        return if sites.all(|site| site == "same-origin") { Sender::OurPage } else { Sender::AnotherPage };
    }
    let mut origins = headers.get_all(header::ORIGIN).iter().peekable();
    if origins.peek().is_some() {
        let is_ours = |origin: &str| is_our_origin(origin, headers, public_url);
        return if origins.all(|origin| origin.to_str().is_ok_and(is_ours)) { Sender::OurPage } else { Sender::AnotherPage };
    }
    Sender::Unknown
}

/// A proxy may have put its own name for us into `Host`; what people see in their browser is the public address all the same.
fn is_our_origin(origin: &str, headers: &HeaderMap, public_url: Option<&Url>) -> bool {
    let is_public = public_url.is_some_and(|url| url.origin().ascii_serialization() == origin);
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return is_public };
    is_public || host.to_str().is_ok_and(|host| origin == format!("http://{}", host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender_of(headers: &[(&'static str, &str)], public_url: Option<&str>) -> Sender {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        sender(&headers, public_url.map(|url| url.parse().unwrap()).as_ref())
    }

    #[test]
    fn only_our_own_page_is_ours() {
        for (site, expected) in [
            ("same-origin", Sender::OurPage),
            ("same-site", Sender::AnotherPage),
            ("cross-site", Sender::AnotherPage),
            ("none", Sender::AnotherPage),
            ("", Sender::AnotherPage),
        ] {
            let ours = [("host", "127.0.0.1:8420"), ("origin", "http://127.0.0.1:8420"), ("sec-fetch-site", site)];
            assert_eq!(sender_of(&ours, None), expected, "{site}");
        }
        let twice = [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site"), ("host", "127.0.0.1:8420")];
        assert_eq!(sender_of(&twice, None), Sender::AnotherPage);
    }

    #[test]
    fn where_the_browser_does_not_say_the_origin_is_compared_with_the_host_and_its_port() {
        for (origin, host, expected) in [
            ("http://192.0.2.1:8420", "192.0.2.1:8420", Sender::OurPage),
            ("http://box", "BOX", Sender::OurPage),
            ("http://192.0.2.1:9000", "192.0.2.1:8420", Sender::AnotherPage),
            ("https://192.0.2.1:8420", "192.0.2.1:8420", Sender::AnotherPage),
            ("null", "192.0.2.1:8420", Sender::AnotherPage),
            ("", "192.0.2.1:8420", Sender::AnotherPage),
        ] {
            assert_eq!(sender_of(&[("origin", origin), ("host", host)], None), expected, "{origin} {host}");
        }
        assert_eq!(sender_of(&[("host", "192.0.2.1:8420")], None), Sender::Unknown);
        let two_hosts = [("host", "a:1"), ("host", "b:1"), ("origin", "http://a:1")];
        assert_eq!(sender_of(&two_hosts, None), Sender::AnotherPage, "which of them counts is anybody's guess");
    }

    #[test]
    fn the_public_address_is_ours_whatever_the_proxy_puts_into_host() {
        let proxied = [("host", "127.0.0.1:8420"), ("origin", "https://chimera.example")];
        assert_eq!(sender_of(&proxied, Some("https://chimera.example/")), Sender::OurPage);
        assert_eq!(sender_of(&proxied, Some("https://other.example/")), Sender::AnotherPage);
        assert_eq!(sender_of(&proxied, None), Sender::AnotherPage);
    }
}
