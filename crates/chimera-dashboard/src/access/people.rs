//! The one person that nobody adds: whoever has the server's token.

use super::keys::digest_of;
use chimera_core::{
    contracts::views::people::Role,
    ports::{
        StoreError,
        access::{Access, AddPersonError, NewPerson, PersonName},
    },
};
use chrono::{DateTime, Utc};

/// The name of whoever has the server's token.
pub const OWNER: &str = "owner";

pub(super) fn owner_name() -> PersonName {
    OWNER.parse().expect("five letters are a name")
}

/// Sees to it that the owner is on record, as links and browsers need, with the key that is the server's token. With another token than
/// before, whoever signed in by the old one is signed out. To be called when the server starts.
pub async fn ensure_owner(access: &dyn Access, token: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    let (name, key) = (owner_name(), digest_of(token));
    if access.person_with_key(&key).await?.is_some_and(|person| person.name == name && person.role == Role::Owner) {
        return Ok(());
    }
    match access.add_person(&NewPerson { name: name.clone(), role: Role::Owner, key, added_at: now }).await {
        Ok(()) => Ok(()),
        Err(AddPersonError::Exists(_)) => access.replace_key(name.as_str(), Role::Owner, &key).await.map(drop),
        Err(AddPersonError::Store(error)) => Err(error),
    }
}
