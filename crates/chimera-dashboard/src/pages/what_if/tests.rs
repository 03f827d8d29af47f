//! What another threshold would have done, as a viewer sees it.

use crate::{
    Dashboard,
    testing::{Sample, hindsight, pages_as},
};
use axum::{body::Body, http::Request};
use chimera_core::{
    contracts::{
        UuidV4,
        decision::{HitlReason, JudgeDecision, Verdict},
        views::{hindsight::Said, people::Role},
    },
    ports::{
        agents::{AgentRecord, Agents},
        clock::Clock,
        recorded::RecordedJudgement,
    },
    testing::{fake_agents::FakeAgents, fake_clock::ManualClock, fake_recorded::FakeRecordedDecisions},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::ServiceExt;

const NOW: &str = "2026-11-19T05:00:00Z";
const SOUL: &str = "---\nname: Selam\nid: selam\nhandle: selam\nvoice_traits: [calm]\ndirectives: [Never promise returns]\n\
     core_beliefs: [People come first.]\nplatforms: [mastodon]\ndisclosure: AI persona\n---\nA persona.\n";

/// A text that the Judge put before a person at 0.85, and what that person said.
fn asked_about(text: &str, said: Said) -> RecordedJudgement {
    let task_id = UuidV4::named(&["task", text]);
    let task = json!({
        "task_id": task_id, "task_type": "generate_content", "priority": "medium", "status": "review", "created_at": NOW,
        "state_version": 1, "attempt": 1, "context": { "goal_description": "g", "campaign_id": "c", "agent_id": "selam" },
        "acceptance_criteria": { "min_confidence": 0.0, "content_type": "text", "platform": "mastodon" },
    });
    let result = json!({
        "result_id": UuidV4::named(&["result", text]), "task_id": task_id, "worker_id": "w", "agent_id": "selam", "created_at": NOW,
        "confidence_score": 0.85, "reasoning_trace": "",
        "artifact": { "content_type": "text", "payload_text": format!("{text}\nAI persona"), "platform_target": "mastodon" },
    });
    let decision = JudgeDecision {
        decision_id: UuidV4::named(&["decision", text]),
        result_id: Some(UuidV4::named(&["result", text])),
        task_id,
        decision: Verdict::Escalate,
        state_version: 1,
        created_at: NOW.parse().unwrap(),
        reason: "confidence 0.85 is between 0.70 and 0.90".to_owned(),
        hitl_reason: Some(HitlReason::LowConfidence),
    };
    RecordedJudgement {
        task: serde_json::from_value(task).unwrap(),
        result: serde_json::from_value(result).unwrap(),
        decision,
        attempt: Some(1),
        said,
    }
}

async fn dashboard(judgements: Vec<RecordedJudgement>) -> Arc<Dashboard> {
    let agents = FakeAgents::default();
    let selam = AgentRecord {
        id: "selam".parse().unwrap(),
        soul_source: SOUL.to_owned(),
        soul_version: String::new(),
        address: Default::default(),
        created_at: NOW.parse().unwrap(),
    };
    agents.create(&selam).await.unwrap();
    let clock = Arc::new(ManualClock::at(NOW));
    let mut dashboard = Sample::new(1, clock.now(), str::to_owned).dashboard(clock);
    let own = Arc::get_mut(&mut dashboard).unwrap();
    own.agents = Arc::new(agents);
    own.hindsight = hindsight::of(FakeRecordedDecisions { judgements, ..FakeRecordedDecisions::default() });
    dashboard
}

async fn read(dashboard: Arc<Dashboard>, path: &str) -> String {
    let pages = pages_as(dashboard, "vera", Role::Viewer);
    let response = pages.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    String::from_utf8(axum::body::to_bytes(response.into_body(), 10_000_000).await.unwrap().to_vec()).unwrap()
}

/// The row's three numbers.
fn counts(page: &str, outcome: &str) -> Vec<u64> {
    let row = page.split(&format!("<tr data-outcome=\"{outcome}\">")).nth(1).and_then(|rest| rest.split("</tr>").next()).unwrap();
    let cells = row.split("<td").skip(1).filter_map(|cell| cell.split('>').nth(1));
    cells.map(|cell| cell.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap()).collect()
}

#[tokio::test]
async fn the_page_begins_with_what_is_on_record_and_a_lower_bar_moves_it_and_says_what_people_had_said() {
    let judgements =
        vec![asked_about("A new battery lasts long.", Said::Approved), asked_about("<b>Lamps</b> from batteries.", Said::Rejected)];
    let today = read(dashboard(judgements.clone()).await, "/what-if").await;
    assert_eq!((counts(&today, "alone"), counts(&today, "person")), (vec![0, 0, 0], vec![2, 2, 2]));
    assert!(today.contains("Nothing is changed by it") && today.contains("These are today's values") && !today.contains("content-changes"));

    let lower = read(dashboard(judgements).await, "/fragments/what-if?approve_above_percent=80&agent=").await;
    assert_eq!((counts(&lower, "alone"), counts(&lower, "person")), (vec![0, 0, 2], vec![2, 2, 0]));
    assert!(lower.contains("[judge] approve_above = 0.8"), "which key to set");
    assert!(lower.contains("people had approved <strong>1</strong>, edited <strong>0</strong> and rejected <strong>1</strong>"), "{lower}");
    assert!(lower.contains(&format!("href=\"/stories/{}\"", UuidV4::named(&["task", "A new battery lasts long."]))));
    assert!(lower.contains("&lt;b&gt;Lamps") && !lower.contains("<b>"), "text of others is text");
}

#[tokio::test]
async fn with_nothing_on_record_it_says_so() {
    let page = read(dashboard(Vec::new()).await, "/what-if").await;
    assert_eq!(page.matches("No such decision is on record in this time.").count(), 2);
    assert!(page.contains("Nobody has answered a review of content"));
}

#[tokio::test]
async fn the_api_says_what_the_page_says() {
    let dashboard = dashboard(vec![asked_about("A new battery lasts long.", Said::Edited)]).await;
    let asked = crate::hindsight::WhatIfQuery { approve_above_percent: Some(80), ..Default::default() };
    let answer: Value = serde_json::to_value(dashboard.what_if(asked.asked()).await.unwrap()).unwrap();
    assert_eq!(answer["content"]["recorded"], json!({ "alone": 0, "person": 1, "refused": 0 }));
    assert_eq!(answer["content"]["then"], json!({ "alone": 1, "person": 0, "refused": 0 }));
    assert_eq!(answer["content"]["loosened"]["edited"], 1);
    assert_eq!(answer["settings"][0]["lines"], json!(["[judge] approve_above = 0.8"]));
}
