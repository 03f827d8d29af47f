//! Which addresses a redirect may lead to: a stranger's feed must not make us fetch from inside the operator's network.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

#[derive(Debug, thiserror::Error)]
#[error("the name leads into a private network")]
pub(crate) struct LeadsIntoPrivateNetwork;

/// Resolves to public addresses alone, at the moment of connecting, so that a name cannot change its mind after a check.
pub(crate) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if found.iter().any(|address| !is_public(address.ip())) {
                return Err(LeadsIntoPrivateNetwork.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// A literal private address, or `localhost`; other names are judged when they are resolved.
pub(crate) fn names_private_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => !is_public(address.into()),
        Some(Host::Ipv6(address)) => !is_public(address.into()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        None => true,
    }
}

/// Whether the operator's own URL leads into a private network: then its redirects may, too.
pub(crate) async fn leads_to_private_host(url: &Url) -> bool {
    if names_private_host(url) {
        return true;
    }
    let Some(Host::Domain(name)) = url.host() else { return false };
    match tokio::net::lookup_host((name, 0)).await {
        Ok(mut found) => found.any(|address| !is_public(address.ip())),
        Err(_) => false,
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared_by_carriers = a == 100 && (64..128).contains(&b);
    let protocol_assignments = a == 192 && b == 0 && c == 0;
    let benchmarking = a == 198 && (b == 18 || b == 19);
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || shared_by_carriers
        || protocol_assignments
        || benchmarking)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // An IPv4 address in IPv6 clothing is judged as what it reaches.
    if let Some(v4) = address.to_ipv4_mapped() {
        return is_public_v4(v4);
    }
    let [first, second, ..] = address.segments();
    let translated_v4 = first == 0x64 && second == 0xff9b;
    let documentation = first == 0x2001 && second == 0xdb8;
    let six_to_four_or_teredo = first == 0x2002 || (first == 0x2001 && second == 0);
    !(address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.to_ipv4().is_some()
        || translated_v4
        || documentation
        || six_to_four_or_teredo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_told_from_public_ones() {
        let private = [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
        ];
        for given in private {
            assert!(!is_public(given.parse().unwrap()), "{given}");
        }
        for given in ["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"] {
            assert!(is_public(given.parse().unwrap()), "{given}");
        }
    }

    #[test]
    fn odd_spellings_of_loopback_are_still_loopback() {
        for given in
            ["http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://[::1]/", "http://LOCALHOST./", "http://a.localhost/"]
        {
            assert!(names_private_host(&Url::parse(given).unwrap()), "{given}");
        }
        assert!(!names_private_host(&Url::parse("https://feeds.example/").unwrap()));
    }
}
