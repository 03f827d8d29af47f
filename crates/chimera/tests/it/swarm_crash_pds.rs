//! The swarm killed at any moment while it publishes on a real Bluesky server: by the server's own word every post is there once.

use crate::{
    social_pds::Pds,
    swarm_stage::{SwarmStage, killing_runs, list},
};
use std::collections::BTreeSet;

/// All of them post through the server's one account.
const AGENTS: [(&str, &str); 4] = [("selam", "bluesky"), ("tariku", "bluesky"), ("hanna", "bluesky"), ("omar", "bluesky")];
const LIFE_MS_MAX: u64 = 4_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_every_post_is_on_the_real_server_once() {
    for (run, dice) in killing_runs() {
        // A server of its own for each run: what it counts is that run's.
        let Some(pds) = Pds::start().await else { return };
        let stage = SwarmStage::set(&AGENTS, "[judge]\nauto_approve_embedded = true\n").await;
        publish_there(&stage, &pds);
        let id = stage.create(&AGENTS, &[]).await;
        stage.folder.json(&["campaign", "start", &id]).await;
        stage.killed(dice, LIFE_MS_MAX).await;
        let serving = stage.folder.serve().await;
        let ended = stage.ended(&format!("run {run} ends"), &id, AGENTS.len()).await;
        assert_eq!(serving.stop().await.code, Some(0));

        let published: BTreeSet<&str> = list(&ended, "posts").iter().map(|post| post["text"].as_str().unwrap()).collect();
        let records = pds.records().await;
        let there: BTreeSet<&str> = records.iter().map(|record| record["value"]["text"].as_str().unwrap()).collect();
        assert_eq!((records.len(), &there), (AGENTS.len(), &published), "run {run}: {records:#?}");
        assert!(stage.far_end().calls().is_empty(), "run {run}: nothing went elsewhere");
    }
}

/// `chimera social` speaks for the account instead of the stage's far end.
fn publish_there(stage: &SwarmStage, pds: &Pds) {
    let file = stage.path().join("project/chimera.toml");
    let password = stage.folder.write("bluesky-password", &pds.password);
    let config = std::fs::read_to_string(&file).unwrap();
    let there = config.replace("[publish.bluesky]\nupstream = \"social\"", "[publish.bluesky]\nupstream = \"bluesky\"");
    assert_ne!(config, there);
    let Pds { service, handle, .. } = pds;
    let upstream = format!(
        "[upstreams.bluesky]\ncommand = [\"chimera\", \"social\"]\nenv = {{ BLUESKY_APP_PASSWORD_FILE = {password:?} }}\n\
         [social.bluesky]\nservice = \"{service}\"\nhandle = \"{handle}\"\n"
    );
    stage.folder.write("chimera.toml", format!("{there}{upstream}"));
}
