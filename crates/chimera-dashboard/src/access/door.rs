//! Asked before every route: who is it, and may they.

use super::{
    Known, Visitor,
    headers::STATIC_PATHS,
    keys::{digest_of, same},
    origin::{Sender, sender},
    people::owner_name,
    redirect::to_sign_in,
    throttle::{Throttle, TooMany},
};
use crate::{Problem, Settings};
use axum::{
    extract::{ConnectInfo, Request, State},
    http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use chimera_core::{
    contracts::views::people::Role,
    ports::{
        StoreError,
        access::{Access, DEVICE_IDLE_MAX, Digest, SignedIn},
        clock::Clock,
    },
};
use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::Arc,
};
use url::Url;

const FAILED_SIGN_INS_PER_MINUTE: u32 = 5;
const CHANGES_PER_MINUTE: u32 = 600;
/// Another server on this machine can set cookies of our name; ours is among the first ones of it.
const COOKIES_OF_OUR_NAME_MAX: usize = 32;
/// What scripts and programs ask for, which go by a status and not by a page.
const NO_PAGES: [&str; 3] = ["/api/", "/fragments/", "/assets/"];
/// What a change by cookie brings along.
const CHANGE_KEY: &str = "x-chimera-change";

pub(crate) struct Door {
    pub(super) access: Arc<dyn Access>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) owner_token: String,
    pub(super) cookie: CookieForm,
    pub(super) failed_sign_ins: Throttle<Option<IpAddr>>,
    public_url: Option<Url>,
    changes: Throttle<String>,
}

/// How our cookies look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CookieForm {
    name: String,
    is_secure: bool,
}

/// Beside the visitor, among a request's extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByCookie(pub(super) Digest);

enum Shown {
    Key(Visitor),
    Cookie { cookie: Digest, signed_in: SignedIn },
    WrongKey,
    Nothing,
}

enum Refused {
    /// A page leads them to the sign-in page, everything else says so.
    NotSignedIn,
    Because(Problem),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Because(problem)
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Because(error.into())
    }
}

pub(super) async fn let_pass(State(door): State<Arc<Door>>, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(Arc::clone(&door));
    if is_open(request.method(), request.uri().path()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let visitor = match door.visitor(&mut parts).await {
        Ok(visitor) => visitor,
        Err(Refused::Because(problem)) => return problem.into_response(),
        Err(Refused::NotSignedIn) => return ask_to_sign_in(&parts),
    };
    parts.extensions.insert(visitor);
    // Now, and not with the answer, which may take its time.
    if let Some(known) = parts.extensions.get::<Known>() {
        known.say();
    }
    next.run(Request::from_parts(parts, body)).await
}

fn is_open(method: &Method, path: &str) -> bool {
    path == "/login" || path.starts_with(STATIC_PATHS) || (path == "/api/session" && method == Method::POST)
}

fn is_reading(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

impl Door {
    pub fn new(access: Arc<dyn Access>, clock: Arc<dyn Clock>, settings: &Settings) -> Self {
        Self {
            access,
            clock,
            owner_token: settings.owner_token.clone(),
            cookie: CookieForm::of(settings),
            failed_sign_ins: Throttle::new(FAILED_SIGN_INS_PER_MINUTE),
            public_url: settings.public_url.clone(),
            changes: Throttle::new(CHANGES_PER_MINUTE),
        }
    }

    pub(super) fn is_owner_token(&self, key: &Digest) -> bool {
        same(key, &digest_of(&self.owner_token))
    }

    pub(super) fn sender(&self, headers: &HeaderMap) -> Sender {
        sender(headers, self.public_url.as_ref())
    }

    /// Whose address counts. A proxy adds its client's to `X-Forwarded-For`, at the end; a client that makes one up gets no further than with
    /// more addresses of its own, and keys are not guessed by trying.
    pub(super) fn address(&self, extensions: &Extensions, headers: &HeaderMap) -> Option<IpAddr> {
        let last = |forwarded: &str| forwarded.rsplit(',').next().and_then(|last| last.trim().parse::<IpAddr>().ok());
        let forwarded = headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok()).and_then(last);
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
        forwarded.filter(|_| self.public_url.is_some()).or(peer).map(neighbourhood)
    }

    async fn visitor(&self, parts: &mut Parts) -> Result<Visitor, Refused> {
        let visitor = match self.shown(&parts.headers).await? {
            Shown::Key(visitor) => visitor,
            Shown::Cookie { cookie, signed_in } => {
                if !is_reading(&parts.method) {
                    self.check_change(&parts.headers, &signed_in.change_key)?;
                }
                parts.extensions.insert(ByCookie(cookie));
                Visitor { name: signed_in.person.name, role: signed_in.person.role }
            }
            Shown::WrongKey => return Err(wrong_key().into()),
            Shown::Nothing => return Err(Refused::NotSignedIn),
        };
        if !is_reading(&parts.method) {
            self.changes.count(&visitor.name.to_string(), self.clock.now()).map_err(too_many_changes)?;
        }
        Ok(visitor)
    }

    async fn shown(&self, headers: &HeaderMap) -> Result<Shown, StoreError> {
        if let Some(key) = bearer(headers) {
            let key = digest_of(key);
            if self.is_owner_token(&key) {
                return Ok(Shown::Key(Visitor { name: owner_name(), role: Role::Owner }));
            }
            let person = self.access.person_with_key(&key).await?;
            return Ok(person.map_or(Shown::WrongKey, |person| Shown::Key(Visitor { name: person.name, role: person.role })));
        }
        for value in self.cookie.values(headers).take(COOKIES_OF_OUR_NAME_MAX) {
            let cookie = digest_of(value);
            if let Some(signed_in) = self.access.seen(&cookie, self.clock.now(), DEVICE_IDLE_MAX).await? {
                return Ok(Shown::Cookie { cookie, signed_in });
            }
        }
        Ok(Shown::Nothing)
    }

    /// The browser says that our own page asks, and the page brings along what only our pages can read: a stolen cookie can look, not act.
    fn check_change(&self, headers: &HeaderMap, change_key: &Digest) -> Result<(), Problem> {
        if self.sender(headers) != Sender::OurPage {
            let next = "Make the change on the page itself, or with a key in the header \"Authorization: Bearer KEY\".";
            return Err(Problem::new(StatusCode::FORBIDDEN, "cross_site", "The change does not come from our own page.", next));
        }
        let mut shown = headers.get_all(CHANGE_KEY).iter();
        let (Some(shown), None) = (shown.next(), shown.next()) else {
            return Err(change_key_problem("The change has no change key."));
        };
        if same(&digest_of(shown.to_str().unwrap_or_default()), change_key) {
            return Ok(());
        }
        Err(change_key_problem("The change key is not that of this sign-in."))
    }
}

impl CookieForm {
    const SECURE_NAME: &str = "__Host-chimera";

    fn of(settings: &Settings) -> Self {
        let is_secure = settings.public_url.as_ref().is_some_and(|url| url.scheme() == "https");
        // Cookies know no ports, so the name says whose it is.
        let name = if is_secure { Self::SECURE_NAME.to_owned() } else { format!("chimera-{}", settings.port) };
        Self { name, is_secure }
    }

    /// `seconds` of 0 takes it away.
    pub fn set(&self, value: &str, seconds: i64) -> HeaderValue {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let cookie = format!("{}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}", self.name);
        HeaderValue::from_str(&cookie).expect("a name and a value of letters, digits and dashes")
    }

    fn values<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
        pairs.filter_map(|pair| pair.trim().split_once('=')).filter(|(name, _)| *name == self.name).map(|(_, value)| value)
    }
}

/// Only of this scheme: a proxy in front may ask for a password of its own.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// Whoever has one IPv6 address has the whole /64.
fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        v4 => v4,
    }
}

fn ask_to_sign_in(parts: &Parts) -> Response {
    let path = parts.uri.path();
    let is_page = path != "/api" && !NO_PAGES.iter().any(|folder| path.starts_with(folder));
    if is_page && is_reading(&parts.method) {
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        return Redirect::to(&to_sign_in(target)).into_response();
    }
    let next = "Sign in at /login, or send the header \"Authorization: Bearer KEY\" with your key.";
    unauthorized("not_signed_in", "Nobody is signed in.", next).into_response()
}

fn wrong_key() -> Problem {
    let next = "Send the key that `chimera access add` printed, or the contents of the server's token file.";
    unauthorized("wrong_key", "The key in the Authorization header is nobody's.", next)
}

pub(super) fn unauthorized(code: &str, detail: &str, next: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, code, detail, next)
}

fn change_key_problem(detail: &str) -> Problem {
    let next = "Send the change key that signing in answered in the header X-Chimera-Change; where it is lost, sign in again.";
    Problem::new(StatusCode::FORBIDDEN, "change_key_needed", detail, next)
}

fn too_many_changes(too_many: TooMany) -> Problem {
    let seconds = too_many.retry_after_s;
    let detail = format!("You made {CHANGES_PER_MINUTE} changes within a minute, and no more are taken.");
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_changes", detail, format!("Go on in {seconds} s."));
    problem.with_retry_after(seconds)
}
