//! `/api/session`: signing in with a key or a one-time link, who is signed in, signing out.

use super::{
    Visitor,
    door::{ByCookie, Door, unauthorized},
    keys::{digest_of, new_token},
    origin::Sender,
    people::{OWNER, ensure_owner},
    throttle::TooMany,
};
use crate::Problem;
use axum::{
    Extension, Json,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use chimera_core::{
    contracts::views::people::Role,
    ports::access::{DEVICE_GOOD_FOR, Device, Person},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const BODY_BYTES_MAX: usize = 4096;

/// Either a key, with or without the name of who has it, or a one-time link's secret.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIn {
    pub name: Option<String>,
    pub key: Option<String>,
    /// What follows `#once=` in a sign-in link.
    pub link: Option<String>,
}

/// Who is signed in now.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SignedInAnswer {
    pub name: String,
    pub role: Role,
    /// To be sent along with every change, in the header `X-Chimera-Change`. Never told again.
    pub change_key: String,
}

/// Who asks.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionAnswer {
    pub name: String,
    pub role: Role,
}

/// Of a key and of a link: whoever tries names learns nothing of who there is.
enum Refused {
    Key,
    Link,
}

/// `POST /api/session`.
pub(super) async fn sign_in(Extension(door): Extension<Arc<Door>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let asked = read(&door, &parts.headers, body).await?;
    let address = door.address(&parts.extensions, &parts.headers);
    door.failed_sign_ins.count(&address, door.clock.now()).map_err(too_many_failures)?;
    let person = match who(&door, asked).await? {
        Ok(person) => person,
        Err(refused) => return Err(refused.into()),
    };
    door.failed_sign_ins.forgive(&address);
    let (cookie, change_key, now) = (new_token(), new_token(), door.clock.now());
    let device = Device {
        name: person.name.clone(),
        cookie: digest_of(&cookie),
        change_key: digest_of(&change_key),
        signed_in_at: now,
        until: now + DEVICE_GOOD_FOR,
    };
    door.access.sign_in(&device).await?;
    tracing::info!(person = %person.name, "{} signed in", person.name);
    let set_cookie = door.cookie.set(&cookie, DEVICE_GOOD_FOR.num_seconds());
    let answer = SignedInAnswer { name: person.name.to_string(), role: person.role, change_key };
    Ok(([(header::SET_COOKIE, set_cookie)], Json(answer)).into_response())
}

/// `GET /api/session`.
pub(super) async fn show(Extension(visitor): Extension<Visitor>) -> Json<SessionAnswer> {
    Json(SessionAnswer { name: visitor.name.to_string(), role: visitor.role })
}

/// `DELETE /api/session`. Whoever came with a key was never signed in, and is not any more.
pub(super) async fn sign_out(
    Extension(door): Extension<Arc<Door>>,
    by_cookie: Option<Extension<ByCookie>>,
) -> Result<impl IntoResponse, Problem> {
    if let Some(Extension(ByCookie(cookie))) = by_cookie {
        door.access.sign_out(&cookie).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, door.cookie.set("", 0))]))
}

async fn read(door: &Door, headers: &HeaderMap, body: Body) -> Result<SignIn, Problem> {
    // A page of others would sign somebody in as somebody else.
    if door.sender(headers) == Sender::AnotherPage {
        let detail = "The sign-in does not come from our own page.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "cross_site", detail, "Sign in at /login."));
    }
    let is_json = |kind: &str| kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    if !headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(is_json) {
        let detail = "The body is not marked as JSON.";
        let next = "Send it with the header \"Content-Type: application/json\".";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail, next));
    }
    let Ok(bytes) = to_bytes(body, BODY_BYTES_MAX).await else {
        let detail = format!("The body has more than {BODY_BYTES_MAX} bytes, or was cut off.");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail, "Send a key or a link alone."));
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        // Where it is wrong, and nothing of what was sent: that may be a key.
        let detail = format!("The body is no sign-in: line {}, column {}.", error.line(), error.column());
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_input", detail, WHAT_TO_SEND)
    })
}

const WHAT_TO_SEND: &str = "Send {\"key\": …}, with \"name\" if you like, or {\"link\": …}.";

async fn who(door: &Door, asked: SignIn) -> Result<Result<Person, Refused>, Problem> {
    let now = door.clock.now();
    match asked {
        SignIn { name, key: Some(key), link: None } => {
            let (key, is_named) = (digest_of(key.trim()), |is: &str| name.as_deref().is_none_or(|name| name.trim() == is));
            if door.is_owner_token(&key) {
                ensure_owner(door.access.as_ref(), &door.owner_token, now).await?;
            }
            let person = door.access.person_with_key(&key).await?.filter(|person| is_named(person.name.as_str()));
            Ok(person.ok_or(Refused::Key))
        }
        SignIn { name: None, key: None, link: Some(link) } => {
            Ok(door.access.use_link(&digest_of(link.trim()), now).await?.ok_or(Refused::Link))
        }
        SignIn { .. } => {
            let detail = "A sign-in is either a key or a link.";
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_input", detail, WHAT_TO_SEND))
        }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Key => {
                let next = format!("Look whether all of the key was copied; the name {OWNER:?} goes with the server's token.");
                unauthorized("sign_in_failed", "The name or the key is wrong.", &next)
            }
            Refused::Link => {
                let next = "Have `chimera access link NAME` print a new one, or sign in with a key.";
                unauthorized("sign_in_failed", "The link was used before, or is older than ten minutes.", next)
            }
        }
    }
}

fn too_many_failures(too_many: TooMany) -> Problem {
    let seconds = too_many.retry_after_s;
    let detail = "There were too many failed sign-ins from this address.";
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_sign_ins", detail, format!("Try again in {seconds} s."));
    problem.with_retry_after(seconds)
}
