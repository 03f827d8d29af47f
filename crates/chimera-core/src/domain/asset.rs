//! A picture or video that an agent made: named by what it holds.

use sha2::{Digest, Sha256};
use std::{fmt, str::FromStr};

/// Hex sha-256 of the file: the same bytes have the same id, and other bytes never.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(String);

impl AssetId {
    /// What an asset's address begins with.
    pub const URI_START: &str = "chimera://assets/";

    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where everyone finds it.
    pub fn uri(&self) -> String {
        format!("{}{}", Self::URI_START, self.0)
    }
}

impl fmt::Display for AssetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an asset's id is 64 hex digits without capitals")]
pub struct NotAssetId;

impl FromStr for AssetId {
    type Err = NotAssetId;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if plain { Ok(Self(text.to_owned())) } else { Err(NotAssetId) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_hash_of_the_bytes_and_nothing_else_is_one() {
        let id = AssetId::of(b"abc");
        assert_eq!(id.as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(id.as_str().parse(), Ok(id.clone()));
        assert_eq!(id.uri(), format!("chimera://assets/{id}"));
        for text in ["", "abc", &id.as_str().to_uppercase(), &format!("{id}0"), &"g".repeat(64), &format!("../{}", &id.as_str()[3..])] {
            assert_eq!(text.parse::<AssetId>(), Err(NotAssetId), "{text:?}");
        }
    }
}
