use super::*;
use crate::Settings;
use axum::{
    Extension,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{Request, Response, header},
    routing::get,
};
use chimera_core::{
    ports::{
        access::{Access, NewPerson},
        clock::Clock,
    },
    testing::{fake_access::FakeAccess, fake_clock::ManualClock},
};
use chrono::TimeDelta;
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
};
use tower::ServiceExt;

const TOKEN: &str = "the-contents-of-the-token-file";
const HOST: (&str, &str) = ("host", "127.0.0.1:8420");
const SAME_ORIGIN: (&str, &str) = ("sec-fetch-site", "same-origin");

struct Stage {
    access: Arc<FakeAccess>,
    clock: Arc<ManualClock>,
    router: Router,
}

/// Whoever signed in, as their browser would send it.
struct Browser {
    cookie: String,
    change_key: String,
}

impl Stage {
    fn new() -> Self {
        Self::at(None)
    }

    fn at(public_url: Option<&str>) -> Self {
        let (access, clock) = (Arc::new(FakeAccess::default()), Arc::new(ManualClock::at("2026-11-19T08:00:00Z")));
        let settings = Settings { owner_token: TOKEN.to_owned(), public_url: public_url.map(|url| url.parse().unwrap()), port: 8420 };
        let name = |Extension(visitor): Extension<Visitor>| async move { visitor.name.to_string() };
        let operate = |Extension(visitor): Extension<Visitor>| async move { require(&visitor, Role::Operator).map(|()| "done") };
        let routes = Router::new()
            .route("/review", get(name).post(name))
            .route("/api/fleet", get(name).post(name).put(name).delete(name).patch(name))
            .route("/api/campaigns", post(operate))
            .route("/fragments/row", get(name))
            .route("/login", get(|| async { "sign in" }))
            .route("/static/app.css", get(|| async { "body {}" }));
        let door = Arc::new(Door::new(access.clone(), clock.clone(), &settings));
        Self { access, clock, router: behind(door, routes) }
    }

    async fn add(&self, name: &str, role: Role) -> String {
        let key = new_key();
        let person = NewPerson { name: name.parse().unwrap(), role, key: digest_of(&key), added_at: self.clock.now() };
        self.access.add_person(&person).await.unwrap();
        key
    }

    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
        self.send("192.0.2.1", method, path, headers, Body::empty()).await
    }

    async fn send(&self, from: &str, method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Response<Body> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(body).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(from.parse().unwrap(), 40_000)));
        asked(&self.router, request).await
    }

    async fn sign_in_from(&self, from: &str, body: &Value) -> Response<Body> {
        let headers = [HOST, SAME_ORIGIN, ("content-type", "application/json")];
        self.send(from, "POST", "/api/session", &headers, Body::from(body.to_string())).await
    }

    async fn sign_in(&self, body: &Value) -> Response<Body> {
        self.sign_in_from("192.0.2.1", body).await
    }

    async fn browser(&self, body: &Value) -> Browser {
        let response = self.sign_in(body).await;
        assert_eq!(response.status(), 200);
        let set = response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
        let cookie = set.split(';').next().unwrap().to_owned();
        Browser { cookie, change_key: json_of(response).await["change_key"].as_str().unwrap().to_owned() }
    }

    async fn link_for(&self, name: &str) -> String {
        let link = new_link(self.access.as_ref(), name, self.clock.now()).await.unwrap().unwrap();
        link.path.strip_prefix("/login#once=").unwrap().to_owned()
    }
}

impl Browser {
    fn cookie(&self) -> (&str, &str) {
        ("cookie", &self.cookie)
    }

    fn change_key(&self) -> (&str, &str) {
        ("x-chimera-change", &self.change_key)
    }
}

async fn text_of(response: Response<Body>) -> String {
    String::from_utf8(to_bytes(response.into_body(), 100_000).await.unwrap().to_vec()).unwrap()
}

async fn json_of(response: Response<Body>) -> Value {
    serde_json::from_str(&text_of(response).await).unwrap()
}

fn bearer(key: &str) -> String {
    format!("Bearer {key}")
}

/// On an answer: whoever asked was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WasKnown;

async fn asked(router: &Router, mut request: Request<Body>) -> Response<Body> {
    let is_known = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_known);
    request.extensions_mut().insert(Known::new(move || told.store(true, Ordering::Relaxed)));
    let mut response = router.clone().oneshot(request).await.unwrap();
    if is_known.load(Ordering::Relaxed) {
        response.extensions_mut().insert(WasKnown);
    }
    response
}

#[tokio::test]
async fn nobody_gets_in_without_a_key_or_a_cookie() {
    let stage = Stage::new();
    for (method, path) in
        [("GET", "/api/fleet"), ("POST", "/api/fleet"), ("GET", "/fragments/row"), ("POST", "/review"), ("GET", "/api/session")]
    {
        for headers in [&[][..], &[("cookie", "chimera-8420=guess; other=1")], &[("authorization", "Basic b3duZXI6eA==")]] {
            let response = stage.ask(method, path, headers).await;
            assert_eq!(
                (response.status().as_u16(), &response.headers()["content-type"]),
                (401, &"application/problem+json".parse().unwrap())
            );
            assert_eq!(response.extensions().get::<WasKnown>(), None);
            assert_eq!(json_of(response).await["type"], "urn:chimera:not_signed_in", "{method} {path}");
        }
    }
    let wrong = stage.ask("GET", "/review", &[("authorization", &bearer("chm_wrong"))]).await;
    assert_eq!((wrong.status().as_u16(), wrong.extensions().get::<WasKnown>()), (401, None));
    let (open, style) = (stage.ask("GET", "/login", &[]).await, stage.ask("GET", "/static/app.css", &[]).await);
    assert_eq!((open.status().as_u16(), style.status().as_u16()), (200, 200));
}

#[tokio::test]
async fn a_page_leads_to_the_sign_in_page_and_back_and_to_nowhere_else() {
    let stage = Stage::new();

    let response = stage.ask("GET", "/review?kind=money&x=//evil.example", &[]).await;

    assert_eq!(
        (response.status().as_u16(), &response.headers()["location"]),
        (303, &"/login?to=%2Freview%3Fkind%3Dmoney%26x%3D%2F%2Fevil.example".parse().unwrap())
    );
    for path in ["//evil.example/review", "/nothing", "/.well-known/oauth-protected-resource"] {
        let response = stage.ask("GET", path, &[]).await;
        assert_eq!((response.status().as_u16(), response.headers().get("location")), (404, None), "{path}");
    }
}

#[tokio::test]
async fn a_key_says_who_it_is_and_needs_nothing_else() {
    let stage = Stage::new();
    let key = stage.add("ada", Role::Reviewer).await;
    for (key, name) in [(key.as_str(), "ada"), (TOKEN, "owner")] {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
            let response = stage.ask(method, "/api/fleet", &[("authorization", &bearer(key))]).await;
            assert_eq!((response.status().as_u16(), response.extensions().get::<WasKnown>()), (200, Some(&WasKnown)));
            assert_eq!(text_of(response).await, name);
        }
    }
    let session = stage.ask("GET", "/api/session", &[("authorization", &bearer(&key))]).await;
    assert_eq!(json_of(session).await, json!({"name": "ada", "role": "reviewer"}));
    stage.access.remove_person("ada").await.unwrap();
    assert_eq!(stage.ask("GET", "/api/fleet", &[("authorization", &bearer(&key))]).await.status(), 401);
}

#[tokio::test]
async fn each_role_may_what_those_below_it_may_and_no_more() {
    let stage = Stage::new();
    for role in Role::ALL {
        let key = stage.add(role.name(), role).await;
        let response = stage.ask("POST", "/api/campaigns", &[("authorization", &bearer(&key))]).await;
        if role >= Role::Operator {
            assert_eq!(response.status(), 200, "{role:?}");
        } else {
            assert_eq!(response.status(), 403, "{role:?}");
            let problem = json_of(response).await;
            assert_eq!(problem["type"], "urn:chimera:role_needed");
            assert!(problem["detail"].as_str().unwrap().contains("the role operator"), "{problem}");
        }
    }
}

#[tokio::test]
async fn a_browser_signs_in_with_a_key_looks_acts_and_signs_out() {
    let stage = Stage::new();
    let key = stage.add("ada", Role::Operator).await;

    let signed_in = stage.sign_in(&json!({"name": "ada", "key": key})).await;

    let set = signed_in.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
    assert!(set.starts_with("chimera-8420=") && set.ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000"), "{set}");
    let cookie = set.split(';').next().unwrap().to_owned();
    let answer = json_of(signed_in).await;
    assert_eq!((&answer["name"], &answer["role"]), (&json!("ada"), &json!("operator")));
    let change_key = answer["change_key"].as_str().unwrap().to_owned();
    assert!(!cookie.contains(&change_key));
    let ada = Browser { cookie, change_key };
    let seen = stage.ask("GET", "/review", &[ada.cookie()]).await;
    assert_eq!((seen.status().as_u16(), seen.extensions().get::<WasKnown>()), (200, Some(&WasKnown)));
    let acting = [HOST, ada.cookie(), SAME_ORIGIN, ada.change_key()];
    assert_eq!(stage.ask("POST", "/api/campaigns", &acting).await.status(), 200);
    let out = stage.ask("DELETE", "/api/session", &acting).await;
    assert_eq!(out.status(), 204);
    assert!(out.headers()[header::SET_COOKIE].to_str().unwrap().starts_with("chimera-8420=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"));
    assert_eq!(stage.ask("GET", "/api/fleet", &[ada.cookie()]).await.status(), 401);
}

#[tokio::test]
async fn a_change_by_cookie_needs_our_own_page_and_its_change_key() {
    let stage = Stage::new();
    stage.add("ada", Role::Operator).await;
    let ada = stage.browser(&json!({"link": stage.link_for("ada").await})).await;
    let other = stage.browser(&json!({"link": stage.link_for("ada").await})).await;
    let key = ada.change_key();
    let neighbour = ("origin", "http://127.0.0.1:9000");
    let ours = ("origin", "http://127.0.0.1:8420");
    let refused: [(&str, &[(&str, &str)]); 9] = [
        // A server on another port has our cookie sent along by the browser, and may even know the key.
        ("cross_site", &[("sec-fetch-site", "same-site"), key]),
        ("cross_site", &[("sec-fetch-site", "same-site"), ours, key]),
        ("cross_site", &[("sec-fetch-site", "cross-site"), key]),
        ("cross_site", &[("sec-fetch-site", "none"), key]),
        ("cross_site", &[neighbour, key]),
        ("cross_site", &[key]),
        ("change_key_needed", &[SAME_ORIGIN]),
        ("change_key_needed", &[SAME_ORIGIN, ("x-chimera-change", "guess")]),
        ("change_key_needed", &[SAME_ORIGIN, other.change_key()]),
    ];
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        for (code, headers) in refused {
            let response = stage.ask(method, "/api/fleet", &[&[HOST, ada.cookie()], headers].concat()).await;
            assert_eq!(response.status(), 403, "{method} {headers:?}");
            assert_eq!(json_of(response).await["type"], format!("urn:chimera:{code}"), "{method} {headers:?}");
        }
        for headers in [[SAME_ORIGIN, key], [ours, key]] {
            let response = stage.ask(method, "/api/fleet", &[&[HOST, ada.cookie()][..], &headers].concat()).await;
            assert_eq!(response.status(), 200, "{method} {headers:?}");
        }
    }
    assert_eq!(stage.ask("GET", "/api/fleet", &[ada.cookie()]).await.status(), 200, "a cookie alone can look");
}

#[tokio::test]
async fn a_cookie_that_a_neighbour_planted_beside_ours_changes_nothing() {
    let stage = Stage::new();
    stage.add("ada", Role::Viewer).await;
    let ada = stage.browser(&json!({"link": stage.link_for("ada").await})).await;

    let both = format!("chimera-8420=planted; {}; chimera-9000=theirs", ada.cookie);

    assert_eq!(text_of(stage.ask("GET", "/api/fleet", &[("cookie", &both)]).await).await, "ada");
    let renamed = ada.cookie.replace("8420", "9000");
    assert_eq!(stage.ask("GET", "/api/fleet", &[("cookie", &renamed)]).await.status(), 401);
}

#[tokio::test]
async fn a_link_signs_in_once_within_ten_minutes_the_owner_too() {
    let stage = Stage::new();
    ensure_owner(stage.access.as_ref(), TOKEN, stage.clock.now()).await.unwrap();
    let (link, late) = (stage.link_for("owner").await, stage.link_for("owner").await);

    let owner = stage.browser(&json!({"link": link})).await;

    assert_eq!(json_of(stage.ask("GET", "/api/session", &[owner.cookie()]).await).await, json!({"name": "owner", "role": "owner"}));
    let replayed = stage.sign_in(&json!({"link": link})).await;
    assert_eq!((replayed.status().as_u16(), replayed.headers().get(header::SET_COOKIE)), (401, None));
    stage.clock.advance(TimeDelta::minutes(10));
    assert_eq!(stage.sign_in(&json!({"link": late})).await.status(), 401);
}

#[tokio::test]
async fn another_token_signs_out_whoever_came_in_by_the_old_one() {
    let stage = Stage::new();
    let owner = stage.browser(&json!({"name": "owner", "key": TOKEN})).await;
    let now = stage.clock.now();
    ensure_owner(stage.access.as_ref(), TOKEN, now).await.unwrap();
    assert_eq!(stage.ask("GET", "/api/fleet", &[owner.cookie()]).await.status(), 200, "the same token changes nothing");

    ensure_owner(stage.access.as_ref(), "another token", now).await.unwrap();

    assert_eq!(stage.ask("GET", "/api/fleet", &[owner.cookie()]).await.status(), 401);
    assert_eq!(stage.access.person_with_key(&digest_of(TOKEN)).await.unwrap(), None);
}

#[tokio::test]
async fn a_browser_that_was_away_for_twelve_hours_is_signed_out() {
    let stage = Stage::new();
    stage.add("ada", Role::Viewer).await;
    let ada = stage.browser(&json!({"link": stage.link_for("ada").await})).await;

    stage.clock.advance(TimeDelta::hours(12) - TimeDelta::seconds(1));
    assert_eq!(stage.ask("GET", "/api/fleet", &[ada.cookie()]).await.status(), 200);
    stage.clock.advance(TimeDelta::hours(12));
    assert_eq!(stage.ask("GET", "/api/fleet", &[ada.cookie()]).await.status(), 401);
}

#[tokio::test]
async fn after_five_failures_an_address_waits_and_learns_nothing_of_who_there_is() {
    let stage = Stage::new();
    let key = stage.add("ada", Role::Viewer).await;
    for good in 0..9 {
        assert_eq!(stage.sign_in(&json!({"key": key})).await.status(), 200, "{good}: those that succeed do not count");
    }

    let (unknown, wrong) =
        (stage.sign_in(&json!({"name": "ben", "key": key})).await, stage.sign_in(&json!({"name": "ada", "key": "x"})).await);
    assert_eq!((unknown.status().as_u16(), wrong.status().as_u16()), (401, 401));
    assert_eq!(text_of(unknown).await, text_of(wrong).await);
    for _ in 0..3 {
        assert_eq!(stage.sign_in(&json!({"link": "guess"})).await.status(), 401);
    }

    stage.clock.advance(TimeDelta::seconds(20));
    for body in [json!({"key": key}), json!({"key": "x"})] {
        let refused = stage.sign_in(&body).await;
        assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (429, &"40".parse().unwrap()));
    }
    assert_eq!(stage.sign_in_from("192.0.2.2", &json!({"key": key})).await.status(), 200, "others are not kept waiting");
    stage.clock.advance(TimeDelta::seconds(40));
    assert_eq!(stage.sign_in(&json!({"key": key})).await.status(), 200);
}

#[tokio::test]
async fn behind_a_proxy_the_clients_address_counts_and_else_what_a_client_says_of_itself_does_not() {
    for (public_url, expected) in [(None, 429), (Some("https://chimera.example"), 401)] {
        let stage = Stage::at(public_url);
        let mut last = 0;
        for client in 0..6 {
            let forwarded = format!("203.0.113.9, 198.51.100.{client}");
            let headers = [HOST, ("content-type", "application/json"), ("x-forwarded-for", forwarded.as_str())];
            last = stage.send("127.0.0.1", "POST", "/api/session", &headers, Body::from(r#"{"key":"x"}"#)).await.status().as_u16();
        }
        assert_eq!(last, expected, "{public_url:?}");
    }
}

#[tokio::test]
async fn one_person_makes_so_many_changes_a_minute_and_no_more() {
    let stage = Stage::new();
    let (ada, ben) = (stage.add("ada", Role::Viewer).await, stage.add("ben", Role::Viewer).await);
    for _ in 0..600 {
        assert_eq!(stage.ask("POST", "/api/fleet", &[("authorization", &bearer(&ada))]).await.status(), 200);
    }

    let refused = stage.ask("POST", "/api/fleet", &[("authorization", &bearer(&ada))]).await;

    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (429, &"60".parse().unwrap()));
    assert_eq!(stage.ask("GET", "/api/fleet", &[("authorization", &bearer(&ada))]).await.status(), 200, "looking is free");
    assert_eq!(stage.ask("POST", "/api/fleet", &[("authorization", &bearer(&ben))]).await.status(), 200);
}

#[tokio::test]
async fn a_sign_in_comes_from_our_page_or_from_no_page_and_is_json() {
    let stage = Stage::new();
    let key = stage.add("ada", Role::Viewer).await;
    let good = json!({"key": key}).to_string();
    let json = ("content-type", "application/json");
    let long = " ".repeat(5000);
    let cases = [
        (200, &[HOST, json][..], good.as_str()),
        (403, &[HOST, json, ("sec-fetch-site", "same-site")], &good),
        (403, &[HOST, json, ("origin", "http://127.0.0.1:9000")], &good),
        (415, &[HOST, ("content-type", "text/plain")], &good),
        (415, &[HOST], &good),
        (422, &[HOST, json], "{}"),
        (422, &[HOST, json], r#"{"key":"a","link":"b"}"#),
        (422, &[HOST, json], r#"{"key":"a","role":"owner"}"#),
        (422, &[HOST, json], "["),
        (413, &[HOST, json], &long),
    ];
    for (expected, headers, body) in cases {
        let response = stage.send("192.0.2.1", "POST", "/api/session", headers, Body::from(body.to_owned())).await;
        assert_eq!(response.status(), expected, "{headers:?} {body}");
    }
}

#[tokio::test]
async fn with_a_public_https_address_the_cookie_is_a_secure_one_of_this_host_alone() {
    let stage = Stage::at(Some("https://chimera.example"));
    let key = stage.add("ada", Role::Viewer).await;

    let response = stage.sign_in(&json!({"key": key})).await;

    let set = response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
    assert!(
        set.starts_with("__Host-chimera=") && set.contains("; Path=/;") && set.ends_with("; Secure") && !set.contains("Domain"),
        "{set}"
    );
    let cookie = set.split(';').next().unwrap();
    assert_eq!(stage.ask("GET", "/api/fleet", &[("cookie", cookie)]).await.status(), 200);
    let plain = cookie.replace("__Host-chimera", "chimera-8420");
    assert_eq!(stage.ask("GET", "/api/fleet", &[("cookie", &plain)]).await.status(), 401, "one that plain HTTP could set does not count");
    let insecure = Stage::at(Some("http://chimera.example"));
    let key = insecure.add("ada", Role::Viewer).await;
    let response = insecure.sign_in(&json!({"key": key})).await;
    let set = response.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(set.starts_with("chimera-8420=") && !set.contains("Secure"), "{set}");
}

#[tokio::test]
async fn a_file_is_for_whoever_is_signed_in_and_runs_nothing() {
    let stage = Stage::new();
    stage.add("ada", Role::Viewer).await;
    let ada = stage.browser(&json!({"link": stage.link_for("ada").await})).await;
    let settings = Settings { owner_token: TOKEN.to_owned(), public_url: None, port: 8420 };
    let files = Router::new().route("/assets/{id}", get(|| async { ([(header::CACHE_CONTROL, "private, immutable")], "picture") }));
    let router = guard_files(files, stage.access.clone(), stage.clock.clone(), &settings);
    let token = bearer(TOKEN);

    for (headers, expected) in [(None, 401), (Some(ada.cookie()), 200), (Some(("authorization", token.as_str())), 200)] {
        let request = headers.into_iter().fold(Request::get("/assets/x"), |request, (name, value)| request.header(name, value));
        let response = asked(&router, request.body(Body::empty()).unwrap()).await;
        assert_eq!((response.status().as_u16(), response.extensions().get::<WasKnown>().is_some()), (expected, expected == 200));
        assert!(response.headers()["content-security-policy"].to_str().unwrap().starts_with("sandbox;"));
        if expected == 200 {
            assert_eq!(response.headers()["cache-control"], "private, immutable");
        }
    }
}

#[tokio::test]
async fn every_answer_keeps_browsers_from_what_is_not_ours() {
    let stage = Stage::new();
    let token = bearer(TOKEN);
    for (path, status) in
        [("/login", 200), ("/review", 303), ("/api/fleet", 401), ("/nothing", 404), ("/static/app.css", 200), ("/api/session", 200)]
    {
        let headers: &[(&str, &str)] = if path == "/api/session" { &[("authorization", &token)] } else { &[] };
        let response = stage.ask("GET", path, headers).await;
        assert_eq!(response.status(), status, "{path}");
        let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
        assert_eq!(
            header("content-security-policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types chimera"
        );
        for (name, value) in [
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(header(name), value, "{path}");
        }
        assert!(header("permissions-policy").contains("camera=()"), "{path}");
        assert_eq!(header("cache-control"), if path.starts_with("/static/") { "" } else { "no-store" }, "{path}");
    }
}
