//! What a running swarm tells those who watch it: metrics, traces, and what the policy of today would have decided.

use crate::swarm_stage::{AGENTS, SwarmStage, until};
use axum::{Json, Router, routing::post};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, task::JoinSet};

/// Takes traces as a collector of OpenTelemetry does.
struct Collector {
    url: String,
    bodies: Arc<Mutex<Vec<Value>>>,
    _serving: JoinSet<()>,
}

impl Collector {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let bodies = Arc::<Mutex<Vec<Value>>>::default();
        let taken = bodies.clone();
        let take = move |Json(body): Json<Value>| async move {
            taken.lock().unwrap().push(body);
            Json(json!({ "partialSuccess": {} }))
        };
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, Router::new().route("/v1/traces", post(take))).await.unwrap() });
        Self { url, bodies, _serving: serving }
    }

    /// The names of each trace's spans.
    fn traces(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut traces: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for body in self.bodies.lock().unwrap().iter() {
            for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap() {
                traces.entry(span["traceId"].as_str().unwrap().to_owned()).or_default().insert(span["name"].as_str().unwrap().to_owned());
            }
        }
        traces
    }
}

#[tokio::test]
async fn a_campaign_can_be_watched_by_metrics_and_traces_and_judged_again() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let collector = Collector::start().await;
    let agents = &AGENTS[..2];
    let more = format!("[judge]\nauto_approve_embedded = true\n[telemetry]\notlp_url = \"{}\"\n", collector.url);
    let stage = SwarmStage::set(agents, &more).await;
    let id = stage.create(agents, &[]).await;
    let serving = stage.folder.serve().await;
    stage.folder.json(&["campaign", "start", &id]).await;
    stage.published(2).await;

    // Metrics: what happened since the start, and what is open.
    let url = serving.health.replace("healthz", "metrics");
    let text = until("both posts are counted", async || {
        let text = reqwest::get(&url).await.unwrap().text().await.unwrap();
        text.contains("chimera_post_transitions_total{state=\"published\"} 2").then_some(text)
    })
    .await;
    for line in [
        "chimera_agents 2",
        "chimera_campaigns{status=\"running\"} 1",
        "chimera_task_transitions_total{state=\"complete\"} 2",
        "chimera_decisions_total{decision=\"approve\"} 2",
        "chimera_tasks{state=\"pending\"} 0",
        "chimera_reviews_open 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(text.contains("process_resident_memory_bytes "), "{text}");
    let stranger = reqwest::Client::new().get(&url).header("host", "rebound.example").send().await.unwrap();
    assert_eq!(stranger.status(), 403, "a page of a stranger gets nothing");

    // Traces: one for each task, from plan to act.
    let tasks: BTreeSet<String> = stage.campaign(&id).await["task_list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["task_id"].as_str().unwrap().replace('-', ""))
        .collect();
    let whole: BTreeSet<String> = ["plan", "work", "judge", "act", "task"].map(str::to_owned).into();
    until("the traces", async || {
        let traces = collector.traces();
        (traces.len() == tasks.len() && traces.values().all(|names| *names == whole)).then_some(())
    })
    .await;
    assert_eq!(collector.traces().into_keys().collect::<BTreeSet<_>>(), tasks);
    assert_eq!(serving.stop().await.code, Some(0));

    // Judged again: nothing changes while the policy is the same, and a stricter one would have asked.
    let same = stage.folder.json(&["campaign", "replay", &id]).await;
    assert_eq!((&same["decisions"], &same["changed"]), (&json!(2), &json!(0)), "{same}");
    let config = std::fs::read_to_string(stage.folder.path().join("chimera.toml")).unwrap();
    stage.folder.write("chimera.toml", config.replace("auto_approve_embedded = true", "approve_above = 0.999"));
    let stricter = stage.folder.json(&["campaign", "replay", &id]).await;
    assert_eq!((&stricter["decisions"], &stricter["changed"]), (&json!(2), &json!(2)), "{stricter}");
    assert_eq!(stricter["replayed"][0]["then"]["decision"], "approve");
    assert_eq!(stricter["replayed"][0]["now"]["decision"], "escalate", "{stricter}");
}
