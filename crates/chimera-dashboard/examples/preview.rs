//! Serves mission control over sample data: `cargo run -p chimera-dashboard --features testing --example preview -- [--port N] [--agents N]`.
//! What is decided there is held, taken back and carried out in memory, as the program would do it; nothing leaves.

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use chimera_core::{
    contracts::{
        UtcTime,
        review::{ReviewAction, ReviewAnswer, ReviewStatus},
        views::{
            agents::{Stop, StopKind},
            people::Role,
            reviews::HeldAnswer,
        },
    },
    ports::clock::Clock,
};
use chimera_dashboard::testing::{Facts, PICTURE, Sample, pages_as};
use chrono::{DateTime, TimeDelta, Utc};
use futures::stream;
use serde_json::{Value, json};
use std::{collections::HashMap, convert::Infallible, sync::Arc, time::Duration};

/// How long an answer is held, as in the program.
const HELD_S: i64 = 8;
/// Who looks at the preview.
const PERSON: &str = "ada";

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "an example has the machine's clock; the product takes the port")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, otherwise: usize| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)).and_then(|value| value.parse().ok()).unwrap_or(otherwise)
    };
    let role = arguments.iter().find_map(|argument| Role::of_name(argument)).unwrap_or(Role::Owner);
    let sample = Sample::new(number("--agents", 8), SystemClock.now(), str::to_owned);
    let pages = pages_as(sample.dashboard(Arc::new(SystemClock)), PERSON, role);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", u16::try_from(number("--port", 4700)).unwrap_or(4700))).await?;
    axum::serve(listener, pages.merge(api(sample))).await
}

fn api(sample: Arc<Sample>) -> Router {
    Router::new()
        .route("/assets/{id}", get(|| async { ([(header::CONTENT_TYPE, "image/svg+xml")], PICTURE) }))
        .route("/api/session", post(|| async { Json(json!({ "name": PERSON, "role": "owner", "change_key": "sample" })) }))
        .route("/api/reviews/answers", post(answer_many))
        .route("/api/reviews/{id}/answer", post(answer_one).delete(take_back))
        .route("/api/freezes", post(freeze))
        .route("/api/freezes/{scope}", delete(unfreeze))
        .route("/api/live", get(live))
        .with_state(sample)
}

fn problem(status: StatusCode, detail: &str, next: &str) -> Response {
    (status, Json(json!({ "title": "refused", "status": status.as_u16(), "detail": detail, "next": next }))).into_response()
}

async fn answer_one(State(sample): State<Arc<Sample>>, Path(id): Path<String>, Json(body): Json<Value>) -> Response {
    let text = body["text"].as_str().unwrap_or_default();
    if text.contains("refuse me") {
        let violations = [
            json!({ "pointer": "/text", "problem": "it has no label that an AI made it" }),
            json!({ "pointer": "/text", "problem": "it names a competitor" }),
        ];
        let refused = json!({ "detail": "The edit cannot leave.", "violations": violations, "next": "Mend the text; the draft is kept." });
        return (StatusCode::UNPROCESSABLE_ENTITY, Json(refused)).into_response();
    }
    match hold(&mut sample.facts(), &id, body["action"].as_str().unwrap_or_default()) {
        Ok(answer) => Json(answer).into_response(),
        Err(by) => problem(StatusCode::CONFLICT, &format!("{by} has decided this already."), "Look at what they decided."),
    }
}

async fn answer_many(State(sample): State<Arc<Sample>>, Json(body): Json<Value>) -> Response {
    let ids: Vec<&str> = body["review_ids"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let action = body["action"].as_str().unwrap_or_default();
    let mut facts = sample.facts();
    let each: Vec<Value> = ids
        .into_iter()
        .map(|id| hold(&mut facts, id, action).unwrap_or_else(|by| json!({ "review_id": id, "detail": format!("{by} was faster.") })))
        .collect();
    Json(json!({ "answers": each })).into_response()
}

fn hold(facts: &mut Facts, id: &str, action: &str) -> Result<Value, String> {
    let now = SystemClock.now();
    let effective_at = UtcTime(now + TimeDelta::seconds(HELD_S));
    let review = facts.reviews.iter_mut().find(|review| review.row.review_id.to_string() == id).ok_or("nobody")?;
    if review.row.status != ReviewStatus::Pending || review.row.held.is_some() {
        return Err("grace".to_owned());
    }
    review.row.held = Some(HeldAnswer { action: action.to_owned(), by: PERSON.to_owned(), effective_at });
    facts.happened(now, "answer", "held", id, None);
    Ok(json!({ "review_id": id, "effective_at": effective_at }))
}

async fn take_back(State(sample): State<Arc<Sample>>, Path(id): Path<String>) -> Response {
    let mut facts = sample.facts();
    let found = facts.reviews.iter_mut().find(|review| review.row.review_id.to_string() == id && review.row.held.is_some());
    let Some(review) = found else { return problem(StatusCode::CONFLICT, "It has taken effect.", "Look at the story.") };
    review.row.held = None;
    facts.happened(SystemClock.now(), "answer", "taken_back", &id, None);
    StatusCode::NO_CONTENT.into_response()
}

/// Carries out what is due.
fn settle(facts: &mut Facts, now: DateTime<Utc>) {
    let mut settled = Vec::new();
    for review in &mut facts.reviews {
        let Some(held) = review.row.held.take_if(|held| held.effective_at.0 <= now) else { continue };
        let (action, status) = match held.action.as_str() {
            "reject" => (ReviewAction::Reject, ReviewStatus::Rejected),
            "edit" => (ReviewAction::Edit, ReviewStatus::Approved),
            _ => (ReviewAction::Approve, ReviewStatus::Approved),
        };
        review.row.status = status;
        review.answer = Some(ReviewAnswer {
            review_id: review.row.review_id,
            action,
            reason: None,
            edited_artifact: None,
            give_up: false,
            confirmed_address: None,
            found: None,
            reviewer_id: held.by,
            reviewed_at: UtcTime(now),
        });
        settled.push(review.row.review_id.to_string());
    }
    for id in settled {
        facts.happened(now, "review", "approved", &id, None);
    }
}

async fn freeze(State(sample): State<Arc<Sample>>, Json(body): Json<Value>) -> Response {
    let now = SystemClock.now();
    let reason = body["reason"].as_str().unwrap_or_default().to_owned();
    let stop = Stop { kind: StopKind::Freeze, agent_id: None, reason, by: PERSON.to_owned(), since: UtcTime(now) };
    let mut facts = sample.facts();
    facts.stops = vec![stop.clone()];
    facts.happened(now, "stop", "frozen", "fleet", None);
    Json(stop).into_response()
}

async fn unfreeze(State(sample): State<Arc<Sample>>) -> StatusCode {
    let mut facts = sample.facts();
    facts.stops.clear();
    facts.happened(SystemClock.now(), "stop", "lifted", "fleet", None);
    StatusCode::NO_CONTENT
}

async fn live(State(sample): State<Arc<Sample>>, Query(query): Query<HashMap<String, String>>) -> Response {
    let after: u64 = query.get("after").and_then(|after| after.parse().ok()).unwrap_or(0);
    let hints = stream::unfold((sample, after, true), |(sample, after, is_first)| async move {
        if is_first {
            return Some((Ok::<_, Infallible>(Bytes::from_static(b": here\n\n")), (sample, after, false)));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let (text, last) = news(&mut sample.facts(), after);
        Some((Ok(Bytes::from(text)), (sample, last, false)))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(hints)).into_response()
}

fn news(facts: &mut Facts, after: u64) -> (String, u64) {
    settle(facts, SystemClock.now());
    let mut last = after;
    let mut text = String::new();
    for event in facts.events.iter().filter(|event| event.number > after) {
        last = event.number;
        text.push_str(&format!("id: {last}\ndata: {}\n\n", json!(event)));
    }
    (text, last)
}
