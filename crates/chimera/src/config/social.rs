//! `[social.*]`: the accounts that `chimera social` speaks for. Their tokens come from the environment, as every secret does.

use super::Settings;
use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SocialSection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mastodon: Option<MastodonSection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bluesky: Option<BlueskySection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<XSection>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MastodonSection {
    /// The instance where the account is.
    pub base_url: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlueskySection {
    /// The account's server.
    #[serde(default = "bluesky_service")]
    pub service: String,
    pub handle: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XSection {
    #[serde(default = "x_base_url")]
    pub base_url: String,
    /// Whose mentions; needed when the token is an app's, which has no user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
}

fn bluesky_service() -> String {
    "https://bsky.social".to_owned()
}

fn x_base_url() -> String {
    "https://api.x.com".to_owned()
}

pub(super) const MASTODON_TOKEN: &str = "MASTODON_TOKEN";
pub(super) const BLUESKY_APP_PASSWORD: &str = "BLUESKY_APP_PASSWORD";
pub(super) const X_BEARER_TOKEN: &str = "X_BEARER_TOKEN";
pub(super) const X_KEYS: [&str; 4] = ["X_API_KEY", "X_API_SECRET", "X_ACCESS_TOKEN", "X_ACCESS_TOKEN_SECRET"];

/// What opens the accounts; each may be absent.
pub struct SocialSecrets {
    pub mastodon_token: Option<Zeroizing<String>>,
    pub bluesky_app_password: Option<Zeroizing<String>>,
    pub x_bearer_token: Option<Zeroizing<String>>,
    /// API key and secret, access token and secret: all four, or none.
    pub x_keys: Option<[Zeroizing<String>; 4]>,
}

impl Settings {
    pub fn social_secrets(&self) -> Result<SocialSecrets> {
        Ok(SocialSecrets {
            mastodon_token: self.secret(MASTODON_TOKEN)?,
            bluesky_app_password: self.secret(BLUESKY_APP_PASSWORD)?,
            x_bearer_token: self.secret(X_BEARER_TOKEN)?,
            x_keys: self.x_keys()?,
        })
    }

    fn x_keys(&self) -> Result<Option<[Zeroizing<String>; 4]>> {
        let mut given = Vec::with_capacity(X_KEYS.len());
        let mut missing = Vec::new();
        for name in X_KEYS {
            match self.secret(name)? {
                Some(secret) => given.push(secret),
                None => missing.push(name),
            }
        }
        if given.is_empty() {
            return Ok(None);
        }
        let keys = given.try_into().map_err(|_| anyhow!("{} of X's four keys is not set: {}", missing.len(), missing.join(", ")))?;
        Ok(Some(keys))
    }
}
