mod lives;

use super::*;
use crate::stage::{CAMPAIGN, World, stage};
use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, header},
};
use chimera_core::contracts::views::{people::Role, reviews::ReviewKind};
use serde_json::{Value, json};
use tower::ServiceExt;

struct Answered {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Answered {
    fn code(&self) -> &str {
        self.body["type"].as_str().unwrap_or_default().trim_start_matches("urn:chimera:")
    }

    fn paths(&self) -> Vec<&str> {
        self.body["violations"].as_array().into_iter().flatten().filter_map(|violation| violation["path"].as_str()).collect()
    }
}

/// The routes over stores in memory.
fn served() -> (Arc<World>, Router) {
    let (world, dashboard) = stage();
    (world, routes().with_state(dashboard))
}

/// A request as somebody with this role; `more` are headers.
async fn ask(api: &Router, role: Option<Role>, line: &str, body: Option<&str>, more: &[(&str, &str)]) -> Answered {
    let response = send(api, role, line, body, more).await;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let is_stream = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    let bytes = if is_stream { Default::default() } else { to_bytes(response.into_body(), 1 << 20).await.unwrap() };
    Answered { status, headers, body: serde_json::from_slice(&bytes).unwrap_or_default() }
}

async fn send(api: &Router, role: Option<Role>, line: &str, body: Option<&str>, more: &[(&str, &str)]) -> Response {
    let (method, uri) = line.split_once(' ').unwrap();
    let mut request = axum::http::Request::builder().method(method).uri(uri);
    if body.is_some() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    let mut request = request.body(body.map_or_else(Body::empty, |body| Body::from(body.to_owned()))).unwrap();
    if let Some(role) = role {
        request.extensions_mut().insert(Visitor { name: "lena".parse().unwrap(), role });
    }
    api.clone().oneshot(request).await.unwrap()
}

/// With something in each place of the path.
fn line(route: &Route) -> String {
    let id = "2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f";
    let filled = route.path.replace("{campaign_id}", CAMPAIGN).replace("{agent_id}", "selam").replace("{scope}", "fleet");
    let filled = filled.replace("{name}", "ada").replace("{review_id}", id).replace("{task_id}", id).replace("{entry_id}", id);
    format!("{} {filled}", route.method.name())
}

#[tokio::test]
async fn every_route_refuses_every_role_below_its_own_and_nobody_at_all() {
    let (world, api) = served();
    for route in list::all() {
        let line = line(&route);
        assert_eq!(ask(&api, None, &line, None, &[]).await.status, 401, "{line}");
        for role in Role::ALL {
            let before = world.changes();
            let answered = ask(&api, Some(role), &line, None, &[]).await;
            let is_refused = answered.status == 403 && answered.code() == "role_needed";
            assert_eq!(is_refused, role < route.role, "{line} as {}: {}", role.name(), answered.status);
            if role < route.role {
                assert_eq!(world.changes(), before, "{line}");
            }
        }
    }
}

#[tokio::test]
async fn looking_changes_nothing() {
    let (world, api) = served();
    world.ask(ReviewKind::Content);
    for route in list::all().iter().filter(|route| route.method == route::Method::Get) {
        for method in ["GET", "HEAD"] {
            let line = line(route).replace("GET", method);
            let status = ask(&api, Some(Role::Owner), &line, None, &[]).await.status;
            assert!(matches!(status, 200 | 404), "{line}: {status}");
        }
    }
    assert_eq!(world.changes(), [""; 0]);
}

#[test]
fn operations_and_routes_are_named_once_and_looking_takes_no_body() {
    let routes = list::all();
    for (place, route) in routes.iter().enumerate() {
        for other in &routes[..place] {
            assert_ne!(route.operation, other.operation);
            assert!(route.path != other.path || route.method != other.method, "{}", route.path);
        }
        assert!(route.method != route::Method::Get || route.body.is_none(), "{}", route.path);
        assert!(route.sentence.ends_with('.'), "{}", route.sentence);
    }
}

#[test]
fn the_document_holds_every_route_and_every_reference_in_it_leads_somewhere() {
    let routes = list::all();
    let document = document::document(&routes);
    assert_eq!(document["openapi"], "3.1.0");
    for route in &routes {
        let operation = &document["paths"][route.path][route.method.name().to_lowercase()];
        assert_eq!(operation["operationId"], route.operation);
        let named: Vec<&str> = operation["parameters"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
        assert!(route.parameters().all(|name| named.contains(&name)), "{}", route.path);
    }
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#/").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(!document.pointer(&format!("/{reference}")).unwrap_or(&Value::Null).is_null(), "{reference}");
    }
    assert!(!text.contains("\"$schema\"") && !text.contains("#/$defs"));
    let parameters = text.match_indices("\"in\":\"query\"").count();
    assert!(parameters > 20, "{parameters}");
    for path in document["paths"].as_object().unwrap().values() {
        for parameter in path["get"]["parameters"].as_array().into_iter().flatten() {
            assert!(!parameter.to_string().contains("null"), "{parameter}");
        }
    }
}

#[tokio::test]
async fn every_violation_of_a_body_is_named_at_once_and_nothing_is_done() {
    let (world, api) = served();
    let body = r#"{"goal": "", "agent_ids": ["Not One"], "posts_max": -1, "platforms": ["myspace"], "surprise": 1}"#;
    let answered = ask(&api, Some(Role::Operator), "POST /api/campaigns", Some(body), &[]).await;
    assert_eq!((answered.status, answered.headers[header::CONTENT_TYPE].to_str().unwrap()), (422, "application/problem+json"));
    let mut paths = answered.paths();
    paths.sort_unstable();
    assert_eq!(paths, ["/agent_ids/0", "/goal", "/platforms/0", "/posts_max", "/surprise"]);

    for (body, kind, status) in [("{", "application/json", 400), ("{}", "text/plain", 415), ("[]", "application/json; charset=utf-8", 422)]
    {
        let request = axum::http::Request::post("/api/freezes").header(header::CONTENT_TYPE, kind);
        let mut request = request.body(Body::from(body)).unwrap();
        request.extensions_mut().insert(Visitor { name: "lena".parse().unwrap(), role: Role::Owner });
        let answered = api.clone().oneshot(request).await.unwrap();
        assert_eq!(answered.status().as_u16(), status, "{body}");
    }
    let large = format!(r#"{{"reason": "{}"}}"#, "x".repeat(256 * 1024));
    assert_eq!(ask(&api, Some(Role::Owner), "POST /api/freezes", Some(&large), &[]).await.status, 413);
    assert_eq!(world.changes(), [""; 0]);
}

#[tokio::test]
async fn a_query_is_held_to_what_the_document_says_of_it() {
    let (_world, api) = served();
    for (query, paths) in [
        ("", vec![]),
        ("?limit=200&status=decided&kind=unknown_post&agent=selam&cursor=17", vec![]),
        ("?limit=201", vec!["/limit"]),
        ("?limit=0", vec!["/limit"]),
        ("?limit=ten", vec!["/limit"]),
        ("?cursor=-1", vec!["/cursor"]),
        ("?cursor=", vec!["/cursor"]),
        ("?status=old&kind=none", vec!["/kind", "/status"]),
        ("?page=2", vec!["/page"]),
        ("?limit=5&limit=6", vec!["/limit"]),
    ] {
        let answered = ask(&api, Some(Role::Viewer), &format!("GET /api/reviews{query}"), None, &[]).await;
        let mut found = answered.paths();
        found.sort_unstable();
        assert_eq!((answered.status, found), (if paths.is_empty() { 200 } else { 422 }, paths), "{query}");
    }
    assert_eq!(ask(&api, Some(Role::Viewer), "GET /api/fleet?limit=1", None, &[]).await.status, 422);
}

#[tokio::test]
async fn what_is_not_there_is_a_problem_document_too() {
    let (_world, api) = served();
    for (line, status) in [
        ("GET /api/nothing", 404),
        ("GET /api/reviews/not-an-id", 404),
        ("GET /api/agents/Not%20One", 404),
        ("GET /api/campaigns/winter", 404),
        ("PUT /api/fleet", 405),
    ] {
        let answered = ask(&api, Some(Role::Owner), line, None, &[]).await;
        assert_eq!(answered.status, status, "{line}");
        assert_eq!(answered.headers[header::CONTENT_TYPE], "application/problem+json", "{line}");
    }
}

async fn answer(api: &Router, role: Role, id: impl std::fmt::Display, body: Value) -> Answered {
    ask(api, Some(role), &format!("POST /api/reviews/{id}/answer"), Some(&body.to_string()), &[]).await
}

#[tokio::test]
async fn an_answer_is_held_for_eight_seconds_in_the_name_of_who_is_signed_in() {
    let (world, api) = served();
    let id = world.ask(ReviewKind::Content);

    let edited = answer(&api, Role::Reviewer, id, json!({ "action": "edit", "text": "It tastes of oranges." })).await;

    assert_eq!((edited.status, edited.body["effective_at"].as_str()), (202, Some("2026-11-19T12:00:08.000Z")));
    assert_eq!(world.changes(), ["Edit by lena in 8 s It tastes of oranges."]);
    let again = answer(&api, Role::Reviewer, id, json!({ "action": "reject" })).await;
    assert_eq!((again.status, again.code()), (409, "answered_meanwhile"));
    let undo = format!("DELETE /api/reviews/{id}/answer");
    assert_eq!(ask(&api, Some(Role::Reviewer), &undo, None, &[]).await.status, 204);
    assert_eq!(ask(&api, Some(Role::Reviewer), &undo, None, &[]).await.status, 409);
    let named = answer(&api, Role::Reviewer, id, json!({ "action": "approve", "reviewer_id": "ada" })).await;
    assert_eq!((named.status, named.paths()), (422, vec!["/reviewer_id"]));
}

#[tokio::test]
async fn an_answer_that_would_be_refused_is_refused_at_once_with_the_reason() {
    let (world, api) = served();
    let id = world.ask(ReviewKind::Content);
    for (body, path) in [
        (json!({ "action": "edit" }), "/text"),
        (json!({ "action": "approve", "text": "x" }), "/text"),
        (json!({ "action": "approve", "give_up": true }), "/give_up"),
        (json!({ "action": "approve", "confirm_address": "0x1" }), "/confirm_address"),
    ] {
        let answered = answer(&api, Role::Reviewer, id, body.clone()).await;
        assert_eq!((answered.status, answered.paths()), (409, vec![path]), "{body}");
    }
    world.refuse_answers("The text is 40 too long.");
    let answered = answer(&api, Role::Reviewer, id, json!({ "action": "edit", "text": "long" })).await;
    assert_eq!((answered.status, answered.body["detail"].as_str()), (409, Some("The text is 40 too long.")));
    assert_eq!(world.changes(), [""; 0]);
}

#[tokio::test]
async fn a_post_that_may_have_left_is_decided_all_three_ways_and_by_no_bare_approval() {
    let (world, api) = served();
    let (draft, unclear) = (world.ask(ReviewKind::Content), world.ask(ReviewKind::UnknownPost));
    for (id, body, path) in [
        (unclear, json!({ "action": "approve" }), "/found"),
        (unclear, json!({ "action": "reject", "found": { "is_there": true } }), "/found"),
        (unclear, json!({ "action": "approve", "found": { "is_there": false, "url": "https://social.example/1" } }), "/found/url"),
        (draft, json!({ "action": "approve", "found": { "is_there": true } }), "/found"),
    ] {
        let answered = answer(&api, Role::Owner, id, body.clone()).await;
        assert_eq!((answered.status, answered.paths()), (409, vec![path]), "{body}");
    }
    for body in [
        json!({ "action": "approve", "found": { "is_there": true, "url": "https://social.example/1" } }),
        json!({ "action": "approve", "found": { "is_there": false } }),
        json!({ "action": "reject", "reason": "let it be" }),
    ] {
        let id = world.ask(ReviewKind::UnknownPost);
        assert_eq!(answer(&api, Role::Viewer, id, body.clone()).await.status, 403, "{body}");
        assert_eq!(answer(&api, Role::Reviewer, id, body.clone()).await.status, 202, "{body}");
    }
}

#[tokio::test]
async fn money_takes_an_operator_and_is_never_decided_in_a_batch() {
    let (world, api) = served();
    let (post, payment, stuck) = (world.ask(ReviewKind::Content), world.ask(ReviewKind::Money), world.ask_about_stuck_payment());

    for money in [payment, stuck] {
        assert_eq!(answer(&api, Role::Reviewer, money, json!({ "action": "approve" })).await.status, 403);
    }
    let body = json!({ "review_ids": [post, payment, stuck], "action": "approve" }).to_string();
    let batch = ask(&api, Some(Role::Owner), "POST /api/reviews/answers", Some(&body), &[]).await;

    let answers = &batch.body["answers"];
    assert!(answers[0]["effective_at"].is_string() && answers[0]["problem"].is_null(), "{answers}");
    for refused in [&answers[1], &answers[2]] {
        assert_eq!(refused["problem"]["type"], "urn:chimera:decided_alone");
    }
    assert_eq!(world.changes().len(), 1);
    for money in [payment, stuck] {
        assert_eq!(answer(&api, Role::Operator, money, json!({ "action": "approve" })).await.status, 202);
    }
}

#[tokio::test]
async fn an_approval_that_is_used_is_not_revoked_and_the_answer_says_so() {
    let (world, api) = served();
    let line = format!("POST /api/reviews/{}/revoke", world.ask(ReviewKind::Money));

    let refused = ask(&api, Some(Role::Operator), &line, Some(r#"{"reason": " a wrong invoice "}"#), &[]).await;

    assert_eq!((refused.status, refused.code()), (409, "not_revoked"));
    assert!(refused.body["detail"].as_str().unwrap().contains("already used: the payment is signed"), "{}", refused.body);
    assert_eq!(world.changes(), ["revoked by lena: a wrong invoice"]);
}

#[tokio::test]
async fn a_change_that_is_sent_twice_with_one_key_is_made_once() {
    let (world, api) = served();
    let freeze = async |reason: &str, key: &str| {
        let body = json!({ "reason": reason }).to_string();
        ask(&api, Some(Role::Reviewer), "POST /api/freezes", Some(&body), &[("idempotency-key", key)]).await
    };
    let (first, second) = (freeze("the key may be known", "k1").await, freeze("the key may be known", "k1").await);
    assert_eq!((first.status, second.status), (201, 201));
    assert_eq!(first.body, second.body);
    assert_eq!(freeze("something else", "k1").await.status, 422);
    assert_eq!(freeze("the key may be known", "").await.status, 400);
    assert_eq!(world.changes(), ["the whole fleet frozen by lena"]);
}

#[tokio::test]
async fn an_edit_of_a_campaign_that_changed_meanwhile_is_refused_with_what_it_is_now() {
    let (world, api) = served();
    let seen = ask(&api, Some(Role::Viewer), "GET /api/campaigns/spring", None, &[]).await;
    let tag = seen.headers[header::ETAG].to_str().unwrap().to_owned();
    let change = async |tag: &str| {
        let body = Some(r#"{"goal": "coffee"}"#);
        ask(&api, Some(Role::Operator), "PUT /api/campaigns/spring/goal", body, &[("if-match", tag)]).await
    };
    assert_eq!(change(&tag).await.status, 200);
    let late = change(&tag).await;
    assert_eq!((late.status, late.body["current"]["last_event"].as_u64()), (412, Some(8)));
    assert_eq!(world.changes().len(), 1);
    assert_eq!(change("*").await.status, 200);
}

/// The first of what a stream sends, until it waits.
async fn heard(router: &Router, query: &str, last_event_id: Option<&str>) -> String {
    use futures::{FutureExt, StreamExt};
    let mut request = axum::http::Request::get(format!("/api/live{query}"));
    if let Some(id) = last_event_id {
        request = request.header("last-event-id", id);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(Visitor { name: "lena".parse().unwrap(), role: Role::Viewer });
    let response = router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let mut stream = response.into_body().into_data_stream();
    let mut text = String::new();
    while let Some(Some(Ok(bytes))) = stream.next().now_or_never() {
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    text
}

#[tokio::test]
async fn a_stream_begins_where_its_listener_stopped_and_resets_who_cannot_go_on() {
    let (world, router) = served();
    let ids = |text: &str| text.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect::<Vec<_>>();
    world.happen(3);
    assert_eq!(ids(&heard(&router, "?after=1", None).await), ["2", "3"]);
    assert_eq!(ids(&heard(&router, "?after=1", Some("2")).await), ["3"], "a browser that comes back knows better");
    assert_eq!(ids(&heard(&router, "", None).await), [""; 0]);
    assert!(heard(&router, "?after=99", None).await.contains("id: 3\nevent: reset\n"), "another database");
    world.happen(5000);
    let late = heard(&router, "?after=3", None).await;
    assert!(late.contains("event: reset\ndata: {\"last\":5003}"), "it fell out of the ring");
    let some = heard(&router, "?after=4000", None).await;
    assert_eq!((ids(&some).len(), some.contains("reset")), (1003, false));
    let hint = some.lines().find(|line| line.starts_with("data: ")).unwrap();
    let hint: Value = serde_json::from_str(&hint[6..]).unwrap();
    assert_eq!((hint["number"].as_u64(), hint["agent_id"].as_str(), hint.get("task_id")), (Some(4001), Some("selam"), None));
}

#[tokio::test]
async fn a_stream_ends_when_its_listener_is_removed_and_only_then() {
    let (world, dashboard): (Arc<World>, _) = stage();
    let router = routes().with_state(dashboard);
    let open = async |name: &str| {
        let mut request = axum::http::Request::get("/api/live?after=0").body(Body::empty()).unwrap();
        request.extensions_mut().insert(Visitor { name: name.parse().unwrap(), role: Role::Viewer });
        router.clone().oneshot(request).await.unwrap().into_body()
    };
    world.remove_person("lena");
    let (again, other) = (open("lena").await, open("omar").await);
    world.happen(1);
    world.remove_person("lena");

    // It ends by itself, although nobody stops the server.
    to_bytes(again, 1 << 20).await.unwrap();
    let mut other = other.into_data_stream();
    let mut text = String::new();
    while !text.contains("id: 3\n") {
        text.push_str(&String::from_utf8_lossy(&futures::StreamExt::next(&mut other).await.unwrap().unwrap()));
    }
}

#[tokio::test]
async fn nobody_has_more_streams_than_eight_and_those_that_end_make_room() {
    let (_world, dashboard): (Arc<World>, _) = stage();
    let router = routes().with_state(dashboard.clone());
    let open = async || {
        let mut request = axum::http::Request::get("/api/live").body(Body::empty()).unwrap();
        request.extensions_mut().insert(Visitor { name: "lena".parse().unwrap(), role: Role::Viewer });
        router.clone().oneshot(request).await.unwrap()
    };
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(open().await);
    }
    let refused = open().await;
    assert_eq!((refused.status().as_u16(), refused.headers().contains_key(header::RETRY_AFTER)), (429, true));
    drop(streams.pop());
    assert_eq!(open().await.status(), 200);

    dashboard.shutdown.cancel();
    for stream in streams {
        to_bytes(stream.into_body(), 1 << 20).await.unwrap();
    }
}
