//! Who can sign in.

use super::{answer, done};
use crate::{
    Dashboard, Problem,
    access::{OWNER, digest_of, new_key, new_link},
    api::request::{Call, no_such},
};
use axum::{http::StatusCode, response::Response};
use chimera_core::{
    contracts::{
        UtcTime,
        views::people::{PersonRow, Role},
    },
    ports::access::{AddPersonError, NewPerson as PersonRecord, PersonName, Removed},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct People {
    people: Vec<PersonRow>,
}

pub(in crate::api) async fn list(dashboard: Arc<Dashboard>, _call: Call) -> Result<Response, Problem> {
    answer(StatusCode::OK, &People { people: dashboard.access.people(dashboard.clock.now()).await? })
}

/// Somebody new.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct NewPerson {
    /// As it stands on decisions.
    #[schemars(regex(pattern = r"^[\p{L}\p{N}._-]{1,64}$"))]
    name: String,
    role: Role,
}

/// The one answer that holds a key. It is never kept: whoever lost it gets a link, or is added anew.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Added {
    name: String,
    role: Role,
    /// Shown this once.
    key: String,
}

pub(in crate::api) async fn add(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let NewPerson { name, role } = call.body()?;
    let name: PersonName =
        name.parse().map_err(|error: chimera_core::ports::access::NotAName| super::contradicts("/name", error.to_string()))?;
    if name.as_str().eq_ignore_ascii_case(OWNER) {
        let problem = format!("{OWNER} is whoever has the server's token.");
        return Err(Problem::new(StatusCode::CONFLICT, "exists", problem, "Choose another name."));
    }
    let key = new_key();
    let person = PersonRecord { name: name.clone(), role, key: digest_of(&key), added_at: dashboard.clock.now() };
    match dashboard.access.add_person(&person).await {
        Ok(()) => answer(StatusCode::CREATED, &Added { name: name.to_string(), role, key }),
        Err(AddPersonError::Exists(name)) => Err(Problem::new(
            StatusCode::CONFLICT,
            "exists",
            format!("There is a {name} already."),
            "Choose another name, or remove them first.",
        )),
        Err(AddPersonError::Store(error)) => Err(error.into()),
    }
}

pub(in crate::api) async fn remove(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let name = call.text("name");
    if name == OWNER {
        let problem = "owner is whoever has the server's token, and comes back with it.";
        return Err(Problem::new(StatusCode::CONFLICT, "built_in", problem, "Replace the token, and start the server again."));
    }
    match dashboard.access.remove_person(name).await? {
        Removed::Yes => done(),
        Removed::NoSuchPerson => Err(no_such("person", name)),
        Removed::LastOwner => Err(Problem::new(
            StatusCode::CONFLICT,
            "last_owner",
            format!("{name} is the last owner: without one, nobody could add people any more."),
            "Add another owner first.",
        )),
    }
}

/// Signs somebody in once.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::api) struct Link {
    /// What follows this server's address.
    url_fragment: String,
    until: UtcTime,
}

pub(in crate::api) async fn link(dashboard: Arc<Dashboard>, call: Call) -> Result<Response, Problem> {
    let name = call.text("name");
    let link = new_link(dashboard.access.as_ref(), name, dashboard.clock.now()).await?.ok_or_else(|| no_such("person", name))?;
    answer(StatusCode::CREATED, &Link { url_fragment: link.path, until: UtcTime(link.until) })
}
