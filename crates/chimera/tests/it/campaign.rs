//! Campaigns over the real program: what a platform takes and does not say, pauses, roles in processes of their own, and readiness.

use crate::{
    far_end::Manner,
    swarm_stage::{AGENTS, SwarmStage, until},
};
use serde_json::{Value, json};

fn count(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn what_the_platform_took_and_did_not_say_is_published_once() {
    let agents = &AGENTS[..1];
    let stage = SwarmStage::set(agents, "[judge]\nauto_approve_embedded = true\n").await;
    stage.far_end().behave(&[Manner::TakesItAndFails, Manner::Refuses]);
    let id = stage.create(agents, &["--posts-max", "1"]).await;
    let serving = stage.folder.serve().await;

    stage.folder.json(&["campaign", "start", &id]).await;
    let published = until("the post is known to be there", async || {
        let campaign = stage.campaign(&id).await;
        (campaign["posts"][0]["status"] == "published").then_some(campaign)
    })
    .await;

    assert_eq!((stage.far_end().posts().len(), stage.far_end().calls().len()), (1, 3), "asked three times under one key");
    assert!(published["posts"][0]["url"].as_str().unwrap().starts_with("https://social.example/"), "{published}");
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn a_paused_agent_or_fleet_neither_works_nor_publishes_and_roles_may_be_processes_of_their_own() {
    let agents = &AGENTS[..2];
    let stage = SwarmStage::set(agents, "[judge]\nauto_approve_embedded = true\n").await;
    let id = stage.create(agents, &[]).await;
    stage.folder.json(&["campaign", "pause", "--agent", "tariku"]).await;
    stage.folder.json(&["campaign", "start", &id]).await;

    let serving = stage.folder.serve_with(&["--roles", "none"]).await;
    let mut roles = Vec::new();
    for role in ["planner", "worker", "judge"] {
        let mut running = crate::program::Running::start(stage.folder.command(&[role, "--json"]));
        assert!(running.json().await["process_id"].is_string(), "{role}");
        roles.push(running);
    }
    stage.published(1).await;
    let campaign = stage.campaign(&id).await;
    assert_eq!((count(&campaign["task_list"]), count(&campaign["posts"])), (2, 1), "{campaign}");
    assert_eq!(campaign["posts"][0]["agent_id"], "selam");

    stage.folder.json(&["campaign", "pause", "--fleet"]).await;
    stage.folder.json(&["campaign", "resume", "--agent", "tariku"]).await;
    let listed = stage.folder.json(&["campaign", "list"]).await;
    assert_eq!(count(&listed["pauses"]), 1, "{listed}");
    assert_eq!(stage.far_end().posts().len(), 1);
    stage.folder.json(&["campaign", "resume", "--fleet"]).await;
    stage.published(2).await;

    for role in roles {
        role.signal(nix::sys::signal::Signal::SIGTERM);
        let done = role.finish().await;
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn the_server_is_not_ready_while_work_waits_and_nobody_consumes_it() {
    let agents = &AGENTS[..1];
    let stage = SwarmStage::set(agents, "[judge]\nauto_approve_embedded = true\n").await;
    let id = stage.create(agents, &[]).await;
    stage.folder.json(&["campaign", "start", &id]).await;
    let serving = stage.folder.serve_with(&["--roles", "planner"]).await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let ready = serving.health.replace("healthz", "readyz");
    let look = async || reqwest::get(&ready).await.unwrap();

    let told = until("nobody works", async || {
        let answer = look().await;
        (answer.status() == 503).then_some(answer)
    })
    .await;
    let told: Value = told.json().await.unwrap();
    assert_eq!(told["unattended"], json!(["worker"]), "{told}");
    let worker = crate::program::Running::start(stage.folder.command(&["worker", "--json"]));
    let judge = crate::program::Running::start(stage.folder.command(&["judge", "--json"]));
    until("somebody works", async || look().await.status().is_success().then_some(())).await;
    stage.published(1).await;

    drop((worker, judge));
    assert_eq!(serving.stop().await.code, Some(0));
}

#[tokio::test]
async fn wrong_campaign_commands_are_refused_with_what_to_do() {
    let stage = SwarmStage::set(&AGENTS[..1], "").await;
    let id = stage.create(&AGENTS[..1], &[]).await;
    let broken = stage.folder.write("broken.json", r#"{"operation": "give"}"#);
    let broken = broken.to_str().unwrap();
    let table: [(&[&str], &[&str]); 8] = [
        (&["campaign", "create", "--goal", "x", "--agents", "nobody"], &["no agent nobody", "agent list"]),
        (&["campaign", "create", "--goal", "  ", "--agents", "selam"], &["--goal is empty"]),
        (&["campaign", "create", "--goal", "x", "--agents", "selam", "--watch", "news"], &["not an absolute URI"]),
        (&["campaign", "create", "--goal", "x", "--agents", "selam", "--payment", broken], &["not a payment", "/params"]),
        (&["campaign", "pause", &id], &["a campaign that is draft cannot be paused"]),
        (&["campaign", "show", "spring"], &["no campaign spring", "campaign list"]),
        (&["campaign", "show", &id, "--trace", "nothing"], &["\"nothing\" is no post"]),
        (&["campaign", "resume", "--fleet"], &["the whole fleet is not paused"]),
    ];
    for (command, parts) in table {
        stage.folder.run(command).await.refused(1, parts);
    }
    assert_eq!(count(&stage.folder.json(&["campaign", "list"]).await["campaigns"]), 1);
    assert!(stage.path().exists());
}
