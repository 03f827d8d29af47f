//! Where people look at transactions: the `explorer` of each chain that has one.

use crate::config::Settings;
use anyhow::{Context, Result, bail};
use chimera_dashboard::HASH;
use std::collections::BTreeMap;
use url::Url;

/// By chain id.
pub fn explorers(settings: &Settings) -> Result<BTreeMap<String, String>> {
    let configured = settings.file.chains.iter().filter_map(|(id, section)| Some((id, section.explorer.as_ref()?)));
    configured
        .map(|(id, address)| {
            check(address).with_context(|| format!("[chains.{id}]: explorer {address:?}"))?;
            Ok((id.clone(), address.clone()))
        })
        .collect()
}

/// Whatever hash is put in, it leads to one host.
fn check(address: &str) -> Result<()> {
    if address.matches(HASH).count() != 1 {
        bail!("has to hold {HASH} once, in place of the transaction's hash");
    }
    let place = "0".repeat(66);
    let url = Url::parse(&address.replace(HASH, &place)).context("is not an address of the web")?;
    if url.scheme() != "https" && url.scheme() != "http" {
        bail!("has the scheme {:?}; a page has http or https", url.scheme());
    }
    if !url.username().is_empty() || url.password().is_some() {
        bail!("holds a name or a password, which everybody who looks would see");
    }
    if url.host_str().is_none_or(|host| host.contains(&place)) {
        bail!("has {HASH} in its host");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explorer_is_an_address_of_the_web_with_one_place_for_the_hash() {
        for good in ["https://basescan.org/tx/{hash}", "http://127.0.0.1:9/?tx={hash}&a=1", "https://explorer.example/#/{hash}"] {
            check(good).unwrap_or_else(|error| panic!("{good}: {error:#}"));
        }
        for (bad, expected) in [
            ("https://basescan.org/tx/", "once"),
            ("https://basescan.org/{hash}/{hash}", "once"),
            ("javascript:alert({hash})", "scheme"),
            ("/tx/{hash}", "not an address"),
            ("https://{hash}.example/", "host"),
            ("https://me:secret@basescan.org/{hash}", "password"),
        ] {
            let error = check(bad).unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{bad}: {error:#}");
        }
    }
}
