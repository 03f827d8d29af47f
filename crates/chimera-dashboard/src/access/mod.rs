//! Who may look and act: sign-in, cookies, roles. Every request but those for the sign-in page and its assets needs a key or a signed-in
//! browser, on loopback too; a change by cookie also needs to come from our own page.

mod door;
mod headers;
mod keys;
mod origin;
mod people;
mod redirect;
mod session;
mod throttle;

#[cfg(test)]
mod tests;

pub use keys::{SignInLink, digest_of, new_key, new_link};
pub use people::{OWNER, ensure_owner};
pub use redirect::page_after_sign_in;

use crate::{Dashboard, Problem, Settings};
use axum::{Router, http::StatusCode, middleware, routing::post};
use chimera_core::{
    contracts::views::people::Role,
    ports::{
        access::{Access, PersonName},
        clock::Clock,
    },
};
use door::Door;
use std::sync::Arc;

/// Who makes a request, found in its extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    pub name: PersonName,
    pub role: Role,
}

/// Among the extensions of a request: whoever serves its connection is told as soon as it showed a key or a cookie that is good.
#[derive(Clone)]
pub struct Known(Arc<dyn Fn() + Send + Sync>);

impl Known {
    pub fn new(tell: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    fn say(&self) {
        (self.0)();
    }
}

/// Refuses whoever has not at least `role`.
pub fn require(visitor: &Visitor, role: Role) -> Result<(), Problem> {
    if visitor.role >= role {
        return Ok(());
    }
    let (name, has, needs) = (&visitor.name, visitor.role.name(), role.name());
    let detail = format!("This needs the role {needs}; {name} has the role {has}.");
    Err(Problem::new(StatusCode::FORBIDDEN, "role_needed", detail, format!("Ask somebody with the role {needs} to do it.")))
}

/// Lets only those pass who may. What no route answers to stays for others to answer: programs ask for well-known paths without a key, and
/// go by a plain 404.
pub(crate) fn guard(router: Router<Arc<Dashboard>>, dashboard: &Arc<Dashboard>) -> Router<Arc<Dashboard>> {
    let door = Door::new(dashboard.access.clone(), dashboard.clock.clone(), &dashboard.settings);
    behind(Arc::new(door), router)
}

/// The same for files of the program's own that pages show: browsers send a cookie for a picture, and no key. What they may be kept for is
/// the files' own affair; a page of its own, none of them gets.
pub fn guard_files(router: Router, access: Arc<dyn Access>, clock: Arc<dyn Clock>, settings: &Settings) -> Router {
    let door = Arc::new(Door::new(access, clock, settings));
    router.route_layer(middleware::from_fn_with_state(door, door::let_pass)).layer(middleware::from_fn(headers::sandboxed))
}

/// With `/api/session` beside the others.
fn behind<S: Clone + Send + Sync + 'static>(door: Arc<Door>, router: Router<S>) -> Router<S> {
    let session = post(session::sign_in).get(session::show).delete(session::sign_out);
    let router = router.route("/api/session", session);
    router.route_layer(middleware::from_fn_with_state(door, door::let_pass)).layer(middleware::from_fn(headers::with_security_headers))
}
