//! Campaigns that a person shapes, over the real program: a plan that is edited before and while it runs, budgets and agents that change, an end.

use crate::swarm_stage::{AGENTS, SwarmStage, list, until};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

const APPROVING: &str = "[judge]\nauto_approve_embedded = true\n";

fn of_agent<'a>(plan: &'a Value, agent: &str) -> &'a str {
    let task = list(plan, "tasks").iter().find(|task| task["context"]["agent_id"] == agent).unwrap();
    task["task_id"].as_str().unwrap()
}

fn task<'a>(campaign: &'a Value, task_id: &str) -> Option<&'a Value> {
    list(campaign, "task_list").iter().find(|task| task["task_id"] == task_id)
}

/// What was published of this agent, in order of their ids.
fn texts(stage: &SwarmStage, platform: &str) -> Vec<String> {
    let posts = stage.far_end().posts().into_values().filter(|post| post["platform"] == platform);
    posts.map(|post| post["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_is_dropped_is_not_made_what_is_briefed_says_so_and_what_is_added_is_written() {
    let stage = SwarmStage::set(&AGENTS, APPROVING).await;
    let id = stage.create(&AGENTS, &[]).await;
    let shape = async |word: &str, flags: &[&str]| stage.folder.json(&[&["campaign", "task", word, &id], flags].concat()).await;
    let plan = stage.folder.json(&["campaign", "plan", &id]).await;
    let (briefed, dropped, later) = (of_agent(&plan, "selam"), of_agent(&plan, "tariku"), of_agent(&plan, "hanna"));

    shape("drop", &[dropped]).await;
    shape("brief", &[briefed, "--brief", "Speak of the licence, and what it means for small companies"]).await;
    shape("brief", &[later, "--not-before", "2100-01-01T00:00:00Z"]).await;
    let added = shape("add", &["--agent", "tariku", "--platform", "bluesky", "--brief", "Say what developers built within an hour"]).await;
    let again = stage.folder.json(&["campaign", "plan", &id]).await;
    let planned: Vec<&str> = list(&again, "tasks").iter().map(|task| task["task_id"].as_str().unwrap()).collect();
    assert!(!planned.contains(&dropped) && planned.contains(&added["task_id"].as_str().unwrap()), "{again}");
    assert_eq!(again["dropped"], json!([dropped]), "{again}");
    assert_eq!(list(&stage.campaign(&id).await, "task_list").len(), 0, "nothing is begun by shaping");

    stage.folder.json(&["campaign", "start", &id]).await;
    let serving = stage.folder.serve().await;
    // What speaks of law is a person's to decide, whoever asked for it.
    let review = until("the briefed draft waits for a person", async || {
        list(&stage.folder.json(&["review", "list"]).await, "reviews").first().cloned()
    })
    .await;
    assert_eq!(review["task_id"], briefed, "{review}");
    stage.folder.json(&["review", "approve", review["review_id"].as_str().unwrap(), "--reviewer", "lena"]).await;
    stage.published(2).await;

    let (of_selam, of_tariku) = (texts(&stage, "mastodon"), texts(&stage, "bluesky"));
    assert!(of_selam.len() == 1 && of_selam[0].to_lowercase().contains("licence"), "{of_selam:?}");
    assert!(of_tariku.len() == 1 && of_tariku[0].to_lowercase().contains("hour"), "{of_tariku:?}");
    let campaign = stage.campaign(&id).await;
    assert_eq!(task(&campaign, dropped), None, "{campaign}");
    assert_eq!(task(&campaign, later).unwrap()["status"], "pending", "{campaign}");
    let trace = stage.folder.json(&["campaign", "show", &id, "--trace", briefed]).await.to_string();
    assert!(trace.contains("brief:") && trace.contains("heeded: it speaks of what the brief names"), "{trace}");

    // While it runs: what is begun keeps what it was begun with, and what is not can be put back or dropped.
    let told = ["campaign", "task", "brief", &id, briefed, "--brief", "Something else"];
    stage.folder.run(&told).await.refused(1, &["is complete already", "keeps what it was begun with"]);
    shape("restore", &[dropped]).await;
    shape("drop", &[later]).await;
    stage.published(3).await;
    assert_eq!(texts(&stage, "bluesky").len(), 2, "what was put back is made");
    let campaign = stage.campaign(&id).await;
    assert_eq!(task(&campaign, later).unwrap()["status"], "complete", "given up: {campaign}");
    shape("restore", &[later]).await;
    until("what was given up is armed again", async || {
        (task(&stage.campaign(&id).await, later).unwrap()["status"] == "pending").then_some(())
    })
    .await;
    assert_eq!(stage.far_end().posts().len(), 3, "and waits for its time");
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_budget_below_what_is_used_stops_the_campaign_and_says_so_and_a_larger_one_lets_it_go_on() {
    let stage = SwarmStage::set(&AGENTS, APPROVING).await;
    let id = stage.create(&AGENTS[..2], &["--posts-max", "9", "--tokens-max", "100"]).await;
    stage.folder.json(&["campaign", "start", &id]).await;
    let serving = stage.folder.serve().await;
    stage.published(2).await;

    let lowered = stage.folder.json(&["campaign", "budget", &id, "--posts-max", "1"]).await;
    assert!(lowered["stops"].as_str().unwrap().starts_with("2 of 1 posts are used up"), "{lowered}");
    assert_eq!(lowered["budget_constraints"], json!({ "posts_max": 1, "tokens_max": 100 }), "{lowered}");
    let ended = until("it is exhausted", async || {
        let campaign = stage.campaign(&id).await;
        (campaign["status"] == "exhausted").then_some(campaign)
    })
    .await;
    assert!(ended["reason"].as_str().unwrap().contains("2 of 1 posts"), "{ended}");

    let raised = stage.folder.json(&["campaign", "budget", &id, "--posts-max", "9", "--no-limit", "tokens-max"]).await;
    assert_eq!((raised.get("stops"), &raised["budget_constraints"]), (None, &json!({ "posts_max": 9 })), "{raised}");
    stage.folder.json(&["campaign", "resume", &id]).await;
    stage.folder.json(&["campaign", "agents", &id, "--add", "hanna", "--remove", "selam"]).await;
    let campaign = until("the new agent works", async || {
        let campaign = stage.campaign(&id).await;
        list(&campaign, "task_list").iter().any(|task| task["context"]["agent_id"] == "hanna").then_some(campaign)
    })
    .await;
    assert_eq!(campaign["agent_ids"], json!(["tariku", "hanna"]));
    stage.folder.run(&["campaign", "agents", &id, "--remove", "tariku,hanna"]).await.refused(1, &["nobody would work for it"]);
    assert_eq!(serving.stop().await.code, Some(0));
}

struct Api {
    client: Client,
    origin: String,
    token: String,
}

impl Api {
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.origin)).bearer_auth(&self.token)
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = self.request(method, path);
        let answer = body.map_or(request.try_clone().unwrap(), |body| request.json(&body)).send().await.unwrap();
        (answer.status().as_u16(), serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
    }
}

#[tokio::test]
async fn a_campaign_is_deleted_only_when_nothing_of_it_is_in_flight_and_its_records_stay() {
    let stage = SwarmStage::set(&AGENTS[..1], "").await;
    let id = stage.create(&AGENTS[..1], &[]).await;
    stage.folder.json(&["campaign", "start", &id]).await;
    let serving = stage.folder.serve().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let token = std::fs::read_to_string(stage.folder.data().join("token")).unwrap().trim().to_owned();
    let api = Api { client: Client::new(), origin: serving.health.replace("/healthz", ""), token };
    let address = format!("/api/campaigns/{id}");
    let review = until("a draft waits", async || {
        let (_, page) = api.ask(Method::GET, "/api/reviews?status=pending", None).await;
        list(&page, "items").first().cloned()
    })
    .await;
    let answer = format!("/api/reviews/{}/answer", review["review_id"].as_str().unwrap());

    let (held, _) = api.ask(Method::POST, &answer, Some(json!({ "action": "approve" }))).await;
    let (status, refused) = api.ask(Method::DELETE, &address, None).await;
    assert_eq!((held, status, refused["type"].as_str()), (202, 409, Some("urn:chimera:in_flight")), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("1 answer is held"), "{refused}");
    assert!(stage.folder.run(&["campaign", "delete", &id]).await.stderr.contains("1 answer is held"));
    let (taken_back, _) = api.ask(Method::DELETE, &answer, None).await;
    let (stale, _) = {
        let answer = api.request(Method::DELETE, &address).header("if-match", "\"1\"").send().await.unwrap();
        (answer.status().as_u16(), ())
    };
    let (status, deleted) = api.ask(Method::DELETE, &address, None).await;

    assert_eq!((taken_back, stale, status), (204, 412, 200), "{deleted}");
    assert!(deleted["stays"].as_str().unwrap().contains("the ledger"), "{deleted}");
    let (_, campaigns) = api.ask(Method::GET, "/api/campaigns", None).await;
    let (_, waiting) = api.ask(Method::GET, "/api/reviews?status=pending", None).await;
    let (_, campaign) = api.ask(Method::GET, &address, None).await;
    assert_eq!((list(&campaigns, "items").len(), list(&waiting, "items").len()), (0, 0), "{campaigns} {waiting}");
    assert_eq!((&campaign["row"]["status"], &campaign["row"]["tasks"]["given_up"]), (&json!("deleted"), &json!(1)), "{campaign}");
    assert_eq!(list(&stage.folder.json(&["campaign", "list"]).await, "campaigns").len(), 0);
    let record = stage.campaign(&id).await;
    assert_eq!((list(&record, "results").len(), list(&record, "reviews").len()), (1, 1), "no record is removed: {record}");
    stage.folder.run(&["campaign", "goal", &id, "--goal", "tea"]).await.refused(1, &["a campaign that is deleted cannot get another goal"]);
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_plan_is_shaped_over_the_api_by_operators_with_every_fault_told() {
    let stage = SwarmStage::set(&AGENTS[..2], "").await;
    let id = stage.create(&AGENTS[..2], &[]).await;
    let reviewer = stage.folder.json(&["access", "add", "rahel", "--role", "reviewer"]).await["key"].as_str().unwrap().to_owned();
    let serving = stage.folder.serve().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let token = std::fs::read_to_string(stage.folder.data().join("token")).unwrap().trim().to_owned();
    let api = Api { client: Client::new(), origin: serving.health.replace("/healthz", ""), token };
    let plan = format!("/api/campaigns/{id}/plan");
    let (looked, _) = api.ask(Method::POST, &plan, None).await;
    let (_, seen) = api.ask(Method::GET, &plan, None).await;
    assert_eq!((looked, &seen["posts"], &seen["tasks"][0]["state"]), (200, &json!(2), &json!("planned")), "{seen}");
    let task = format!("{plan}/tasks/{}", seen["tasks"][0]["task_id"].as_str().unwrap());

    let brief = json!({ "brief": " Speak of the licence ", "not_before": "2100-01-01T00:00:00Z" });
    let (told, row) = api.ask(Method::PUT, &task, Some(brief)).await;
    assert_eq!(
        (told, &row["brief"], &row["not_before"]),
        (200, &json!("Speak of the licence"), &json!("2100-01-01T00:00:00.000Z")),
        "{row}"
    );
    let (dropped, row) = api.ask(Method::DELETE, &task, None).await;
    assert_eq!((dropped, &row["state"], &row["brief"]), (200, &json!("dropped"), &json!("Speak of the licence")), "{row}");
    assert_eq!(api.ask(Method::GET, &plan, None).await.1["posts"], 1);
    let (back, row) = api.ask(Method::POST, &format!("{task}/restore"), None).await;
    assert_eq!((back, &row["state"]), (200, &json!("planned")), "{row}");
    let (added, row) = api.ask(Method::POST, &format!("{plan}/tasks"), Some(json!({ "agent_id": "selam", "platform": "mastodon" }))).await;
    assert_eq!(added, 201, "{row}");

    for (method, path, body, status, part) in [
        (Method::POST, format!("{task}/restore"), None, 409, "is not dropped"),
        (Method::DELETE, format!("{plan}/tasks/2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f"), None, 404, "no task"),
        (Method::POST, format!("{plan}/tasks"), Some(json!({ "agent_id": "hanna", "platform": "linkedin" })), 409, "does not work for"),
        (Method::POST, format!("{plan}/tasks"), Some(json!({ "agent_id": "selam", "platform": "bluesky" })), 409, "has no bluesky"),
        (Method::PUT, task.clone(), Some(json!({ "brief": "x".repeat(1_001) })), 422, "contract"),
        (Method::PUT, format!("/api/campaigns/{id}/budget"), Some(json!({ "posts_max": -1 })), 422, "contract"),
        (Method::PUT, format!("/api/campaigns/{id}/agents"), Some(json!({ "agent_ids": [] })), 422, "contract"),
        (Method::PUT, format!("/api/campaigns/{id}/agents"), Some(json!({ "agent_ids": ["nobody"] })), 404, "no agent nobody"),
    ] {
        let (answered, problem) = api.ask(method.clone(), &path, body).await;
        assert!(answered == status && problem["detail"].as_str().unwrap().contains(part), "{method} {path}: {answered} {problem}");
    }
    let reviewers = Api { token: reviewer, ..api };
    assert_eq!(reviewers.ask(Method::DELETE, &task, None).await.0, 403);
    assert_eq!(reviewers.ask(Method::GET, &plan, None).await.0, 200);
    assert_eq!(serving.stop().await.code, Some(0));
}
