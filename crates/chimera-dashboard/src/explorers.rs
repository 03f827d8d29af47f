//! Where chains show their transactions to people.

use std::collections::BTreeMap;

/// In the address of an explorer, where the transaction's hash goes.
pub const HASH: &str = "{hash}";

/// Addresses by chain id, each with one [`HASH`]; whoever makes it has checked them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Explorers(BTreeMap<String, String>);

impl Explorers {
    pub fn new(addresses: BTreeMap<String, String>) -> Self {
        Self(addresses)
    }

    /// Nothing else than a hash ever becomes part of an address.
    pub(crate) fn of(&self, chain_id: &str, tx_hash: &str) -> Option<String> {
        let digits =
            tx_hash.strip_prefix("0x").filter(|digits| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.0.get(chain_id).map(|address| address.replace(HASH, &format!("0x{digits}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_made_of_a_hash_alone_and_of_chains_that_have_an_explorer() {
        let explorers = Explorers::new(BTreeMap::from([("8453".to_owned(), "https://scan.example/tx/{hash}?a=1".to_owned())]));
        let hash = format!("0x{}", "ab".repeat(32));

        assert_eq!(explorers.of("8453", &hash), Some(format!("https://scan.example/tx/{hash}?a=1")));
        assert_eq!(explorers.of("1", &hash), None);
        for none in ["", "0x", "0xab", &format!("{hash}/"), &format!("0x{}", "z".repeat(64)), "javascript:alert(1)"] {
            assert_eq!(explorers.of("8453", none), None, "{none}");
        }
    }
}
