//! Where people reach the server.

use super::file::ServerSection;
use anyhow::{Context, Result, bail};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::Url;

impl ServerSection {
    /// `server.public_url`, which names a scheme and a host and nothing more.
    pub fn public_address(&self) -> Result<Option<Url>> {
        let Some(text) = &self.public_url else { return Ok(None) };
        let url = Url::parse(text)
            .with_context(|| format!("server.public_url is {text:?}; it must be an address such as https://chimera.example"))?;
        let has_more = url.path() != "/" || url.query().is_some() || url.fragment().is_some();
        if !matches!(url.scheme(), "http" | "https")
            || url.host().is_none()
            || !url.username().is_empty()
            || url.password().is_some()
            || has_more
        {
            bail!("server.public_url is {text:?}; it must be http:// or https:// and a host, without a path");
        }
        Ok(Some(url))
    }

    /// Where people reach a server that listens on `address`, without a slash at the end.
    pub fn base_url(&self, address: SocketAddr) -> Result<String> {
        Ok(match self.public_address()? {
            Some(url) => url.origin().ascii_serialization(),
            None => format!("http://{}", reachable(address)),
        })
    }
}

/// On this machine a server that listens on all addresses is reached on loopback; browsers go to no address that means "any".
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        other => other,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(public_url: Option<&str>) -> ServerSection {
        ServerSection { public_url: public_url.map(str::to_owned), ..ServerSection::default() }
    }

    #[test]
    fn a_public_address_is_a_scheme_and_a_host() {
        for good in ["https://chimera.example", "https://chimera.example/", "http://192.0.2.1:8420", "https://[2001:db8::1]:8443"] {
            assert!(section(Some(good)).public_address().unwrap().is_some(), "{good}");
        }
        for bad in [
            "chimera.example",
            "ftp://chimera.example",
            "https://chimera.example/app",
            "https://chimera.example/?a",
            "https://chimera.example/#a",
            "https://ada@chimera.example",
            "https://",
            "",
        ] {
            let error = section(Some(bad)).public_address().unwrap_err().to_string();
            assert!(error.contains("server.public_url is"), "{bad}: {error}");
        }
    }

    #[test]
    fn people_are_sent_to_an_address_that_their_browser_can_open() {
        for (public_url, listen, expected) in [
            (None, "127.0.0.1:8420", "http://127.0.0.1:8420"),
            (None, "0.0.0.0:8420", "http://127.0.0.1:8420"),
            (None, "[::]:8420", "http://[::1]:8420"),
            (None, "192.0.2.1:80", "http://192.0.2.1:80"),
            (Some("https://Chimera.example/"), "0.0.0.0:8420", "https://chimera.example"),
        ] {
            assert_eq!(section(public_url).base_url(listen.parse().unwrap()).unwrap(), expected);
        }
    }
}
