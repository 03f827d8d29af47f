//! A folder with sample news, agents on three platforms and a far end to publish to, and what tests ask of it again and again.

use crate::{
    far_end::{FarEnd, FarEndServer},
    program::{Folder, PATIENCE},
    properties::{generator::Dice, number},
};
use serde_json::Value;
use std::{path::Path, time::Duration};
use tokio::time::timeout;

/// What the sample news has a trend for.
pub(crate) const GOAL: &str = "Follow open AI language models that run on people's own devices";
/// An agent, and the platform that it posts on first.
pub(crate) const AGENTS: [(&str, &str); 3] = [("selam", "mastodon"), ("tariku", "bluesky"), ("hanna", "linkedin")];
const KILLS_DEFAULT: u64 = 10;
const KILLS_PER_RUN: u64 = 5;
const SEED_DEFAULT: u64 = 20_261_115;
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(crate) struct SwarmStage {
    pub(crate) folder: Folder,
    pub(crate) server: FarEndServer,
    whole: Folder,
}

impl SwarmStage {
    /// `more` is added to the configuration.
    pub(crate) async fn set(agents: &[(&str, &str)], more: &str) -> Self {
        let server = FarEndServer::start().await;
        let whole = Folder::new();
        whole.json(&["init", "project"]).await;
        let folder = Folder::below(&whole, "project");
        folder.write("chimera.toml", config(&server.url, more));
        for (id, platform) in agents {
            let soul = folder.write(&format!("{id}.md"), soul(id, platform));
            folder.json(&["agent", "create", "--soul", soul.to_str().unwrap()]).await;
        }
        Self { folder, server, whole }
    }

    pub(crate) fn far_end(&self) -> &FarEnd {
        &self.server.far_end
    }

    pub(crate) fn path(&self) -> &Path {
        self.whole.path()
    }

    /// A new campaign for these agents, with further flags; its id.
    pub(crate) async fn create(&self, agents: &[(&str, &str)], flags: &[&str]) -> String {
        let ids: Vec<&str> = agents.iter().map(|(id, _)| *id).collect();
        let made = self.folder.json(&[&["campaign", "create", "--goal", GOAL, "--agents", &ids.join(",")], flags].concat()).await;
        made["campaign_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn campaign(&self, id: &str) -> Value {
        self.folder.json(&["campaign", "show", id]).await
    }

    /// Serves and is killed, again and again, each time after a life of at most `life_ms_max`.
    pub(crate) async fn killed(&self, mut dice: Dice, life_ms_max: u64) {
        for _ in 0..KILLS_PER_RUN {
            let serving = self.folder.serve().await;
            tokio::time::sleep(Duration::from_millis(dice.next() % life_ms_max)).await;
            serving.kill().await;
        }
    }

    /// The campaign, once that many tasks are complete and all that was approved has left. A person approves what is asked about: which
    /// agent quotes what depends on who came first, and some of it touches what a person decides.
    pub(crate) async fn ended(&self, what: &str, id: &str, tasks: usize) -> Value {
        until(what, async || {
            for review in list(&self.folder.json(&["review", "list"]).await, "reviews") {
                self.folder.json(&["review", "approve", review["review_id"].as_str().unwrap(), "--reviewer", "lena"]).await;
            }
            let campaign = self.campaign(id).await;
            let are_complete = list(&campaign, "task_list").iter().filter(|task| task["status"] == "complete").count() == tasks;
            let have_left = list(&campaign, "posts").iter().all(|post| post["status"] == "published");
            (are_complete && list(&campaign, "task_list").len() == tasks && have_left).then_some(campaign)
        })
        .await
    }

    pub(crate) async fn published(&self, count: usize) {
        until(&format!("{count} posts at the far end"), async || (self.far_end().posts().len() >= count).then_some(())).await;
    }
}

/// As many runs as it takes for all kills, each with its number and its chances.
pub(crate) fn killing_runs() -> impl Iterator<Item = (u64, Dice)> {
    let (kills, seed) = (number("CHIMERA_TEST_SWARM_KILLS", KILLS_DEFAULT), number("CHIMERA_TEST_SEED", SEED_DEFAULT));
    (0..kills.div_ceil(KILLS_PER_RUN)).map(move |run| (run, Dice(seed + run)))
}

pub(crate) fn list<'a>(record: &'a Value, name: &str) -> &'a [Value] {
    record[name].as_array().map_or(&[], Vec::as_slice)
}

/// What `look` finds, as soon as it finds it.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("{what} in time"))
}

pub(crate) fn soul(id: &str, platform: &str) -> String {
    format!(
        "---\nname: {id}\nid: {id}\nhandle: {id}\nvoice_traits: [calm]\ndirectives: [Never promise returns]\ncore_beliefs: [People come first.]\nplatforms: [{platform}]\ndisclosure: AI-generated by @{{handle}}\n---\n{id} reads the news.\n"
    )
}

fn config(far_end: &str, more: &str) -> String {
    format!(
        r#"
[upstreams.feeds]
command = ["chimera", "feeds"]
schemes = ["news"]
[upstreams.social]
url = "{far_end}"
[[feeds.news]]
region = "global"
category = "technology"
urls = ["file:feeds/sample-wire.xml", "file:feeds/sample-gazette.xml", "file:feeds/sample-post.json"]
[publish.mastodon]
upstream = "social"
tool = "publish"
[publish.bluesky]
upstream = "social"
tool = "publish"
[publish.linkedin]
upstream = "social"
tool = "publish"
dry_run = true
[swarm]
lease_s = 2
backoff_s = 0
perceive_every_s = 2
publish_retry_s = 1
{more}
"#
    )
}
