//! Which accounts `chimera social` speaks for.

use std::fmt;
use url::{Host, Url};
use zeroize::Zeroizing;

/// At most one account on each platform.
#[derive(Debug, Clone, Default)]
pub struct SocialConfig {
    pub mastodon: Option<MastodonAccount>,
    pub bluesky: Option<BlueskyAccount>,
    pub x: Option<XAccount>,
}

#[derive(Debug, Clone)]
pub struct MastodonAccount {
    /// The instance.
    pub base_url: Url,
    /// Public timelines of most instances can be read without.
    pub token: Option<Secret>,
}

#[derive(Debug, Clone)]
pub struct BlueskyAccount {
    /// The account's own server (PDS), or the entryway in front of it.
    pub service: Url,
    pub handle: String,
    pub app_password: Option<Secret>,
}

#[derive(Debug, Clone)]
pub struct XAccount {
    pub base_url: Url,
    /// Whose mentions; without it, those of the token's owner.
    pub user_id: Option<String>,
    pub access: Option<XAccess>,
}

/// How X knows us.
#[derive(Debug, Clone)]
pub enum XAccess {
    /// An app's token, which only reads, or a user's, which lasts two hours.
    Bearer(Secret),
    /// The user's keys for the app, which do not expire.
    Keys(XKeys),
}

#[derive(Debug, Clone)]
pub struct XKeys {
    pub api_key: Secret,
    pub api_secret: Secret,
    pub access_token: Secret,
    pub access_token_secret: Secret,
}

/// Wiped in the end, and never shown.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    pub fn new(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(masked)")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SocialConfigError {
    #[error("nothing is configured; add [social.mastodon], [social.bluesky] or [social.x]")]
    Nothing,
    #[error("{key} is not a web address such as https://social.example, without user, query or fragment")]
    NotAnAddress { key: &'static str },
    /// A token would travel in the open.
    #[error("{key} must begin with https://; http:// is for this machine alone")]
    NotEncrypted { key: &'static str },
    #[error("social.bluesky.handle {given:?} is not a handle such as selam.bsky.social, nor a DID")]
    BadHandle { given: String },
    #[error("social.x.user_id {given:?} is not a user's number")]
    BadUserId { given: String },
}

impl SocialConfig {
    pub fn check(&self) -> Result<(), SocialConfigError> {
        if self.mastodon.is_none() && self.bluesky.is_none() && self.x.is_none() {
            return Err(SocialConfigError::Nothing);
        }
        if let Some(BlueskyAccount { handle, .. }) = &self.bluesky
            && !is_handle(handle)
            && !handle.starts_with("did:")
        {
            return Err(SocialConfigError::BadHandle { given: handle.clone() });
        }
        if let Some(XAccount { user_id: Some(given), .. }) = &self.x
            && !is_number(given)
        {
            return Err(SocialConfigError::BadUserId { given: given.clone() });
        }
        Ok(())
    }
}

/// `key` names the setting in errors, which do not repeat what was given: it may hold a password.
pub fn web_address(key: &'static str, given: &str) -> Result<Url, SocialConfigError> {
    let url = Url::parse(given).map_err(|_| SocialConfigError::NotAnAddress { key })?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    if !url.has_host() || !is_plain || !matches!(url.scheme(), "http" | "https") {
        return Err(SocialConfigError::NotAnAddress { key });
    }
    if url.scheme() == "http" && !is_this_machine(&url) {
        return Err(SocialConfigError::NotEncrypted { key });
    }
    Ok(url)
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// A domain name with at least one dot.
pub(super) fn is_handle(given: &str) -> bool {
    let label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    given.contains('.') && given.len() <= 253 && given.split('.').all(label)
}

/// As platforms count their users and posts.
pub(super) fn is_number(given: &str) -> bool {
    (1..=19).contains(&given.len()) && given.bytes().all(|b| b.is_ascii_digit())
}
