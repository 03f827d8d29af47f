//! Who may look and act: people, the keys and links they sign in with, and the browsers that are signed in. Secrets are kept as digests.

use super::StoreError;
use crate::contracts::views::people::{PersonRow, Role};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};

/// A sha-256 of a secret of at least 160 random bits: nothing to guess, so nothing to stretch.
pub type Digest = [u8; 32];

/// A browser that was away for so long is signed out.
pub const DEVICE_IDLE_MAX: TimeDelta = TimeDelta::hours(12);
/// However busy it is, a browser is signed out then.
pub const DEVICE_GOOD_FOR: TimeDelta = TimeDelta::days(30);

/// Each method is one durable transaction.
#[async_trait]
pub trait Access: Send + Sync {
    async fn add_person(&self, person: &NewPerson) -> Result<(), AddPersonError>;
    /// With their devices and links, and with answers of theirs that are held still (`HeldAnswers`). The last owner stays.
    async fn remove_person(&self, name: &str) -> Result<Removed, StoreError>;
    /// Another role and key for `name`, whose devices, links and held answers end. `false`: there is nobody of that name.
    async fn replace_key(&self, name: &str, role: Role, key: &Digest) -> Result<bool, StoreError>;
    /// By name.
    async fn people(&self, now: DateTime<Utc>) -> Result<Vec<PersonRow>, StoreError>;
    /// Who has this key.
    async fn person_with_key(&self, key: &Digest) -> Result<Option<Person>, StoreError>;
    /// A link that signs `name` in once, until `until`. `false`: there is nobody of that name.
    async fn add_link(&self, name: &str, link: &Digest, until: DateTime<Utc>) -> Result<bool, StoreError>;
    /// Whose link it is, if it is good `now`; it is used up by this, of two callers for one.
    async fn use_link(&self, link: &Digest, now: DateTime<Utc>) -> Result<Option<Person>, StoreError>;
    async fn sign_in(&self, device: &Device) -> Result<(), StoreError>;
    /// Whose browser shows this cookie, if it is signed in `now`; it counts as seen. `idle` is how long it may have been away.
    async fn seen(&self, cookie: &Digest, now: DateTime<Utc>, idle: TimeDelta) -> Result<Option<SignedIn>, StoreError>;
    async fn sign_out(&self, cookie: &Digest) -> Result<(), StoreError>;
    /// Every browser of `name`.
    async fn sign_out_everywhere(&self, name: &str) -> Result<u64, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPerson {
    pub name: PersonName,
    pub role: Role,
    pub key: Digest,
    pub added_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: PersonName,
    pub role: Role,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    pub name: PersonName,
    pub cookie: Digest,
    /// What a change must bring along beside the cookie.
    pub change_key: Digest,
    pub signed_in_at: DateTime<Utc>,
    /// Whatever it does.
    pub until: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub person: Person,
    pub change_key: Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    Yes,
    NoSuchPerson,
    /// Nobody could add people any more.
    LastOwner,
}

#[derive(Debug, thiserror::Error)]
pub enum AddPersonError {
    #[error("there is a {0} already; `chimera access list` shows everybody")]
    Exists(PersonName),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// 1 to 64 letters, digits, dots, dashes or underscores, as it stands on decisions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PersonName(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a name has 1 to 64 letters, digits, dots, dashes or underscores, and not only signs")]
pub struct NotAName;

impl PersonName {
    const CHARS_MAX: usize = 64;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for PersonName {
    type Err = NotAName;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = text.chars().all(|c| c.is_alphanumeric() || ".-_".contains(c));
        let is_name = is_plain && text.chars().any(char::is_alphanumeric) && (1..=Self::CHARS_MAX).contains(&text.chars().count());
        if is_name { Ok(Self(text.to_owned())) } else { Err(NotAName) }
    }
}

impl std::fmt::Display for PersonName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}
