//! `chimera social` against a real Bluesky server on loopback, which counts what it was given.

use crate::{
    peers::{self, Peer},
    program::{Folder, Running},
    social::{publish_call, speak},
};
use serde_json::{Value, json};
use std::path::Path;
use tokio::process::Command;

/// The server and its one account. Ends when dropped.
pub(crate) struct Pds {
    pub(crate) service: String,
    pub(crate) handle: String,
    pub(crate) password: String,
    did: String,
    folder: Folder,
    _running: Running,
}

impl Pds {
    /// `None` when it is not installed and that is allowed.
    pub(crate) async fn start() -> Option<Self> {
        let home = peers::program(Peer::Pds)?;
        let node = peers::program(Peer::Node)?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let mut command = Command::new(node);
        command.arg(root.join("tests/peers/pds/server.mjs")).current_dir(home);
        let mut running = Running::start(command);
        let told = running.json().await;
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        let (service, handle) = (text("service"), text("handle"));
        let folder = Folder::with_config(&format!("[social.bluesky]\nservice = \"{service}\"\nhandle = \"{handle}\"\n"));
        let password = text("password");
        folder.write("token", &password);
        Some(Self { service, handle, password, did: text("did"), folder, _running: running })
    }

    /// What the account has published, newest first.
    pub(crate) async fn records(&self) -> Vec<Value> {
        let url = format!("{}/xrpc/com.atproto.repo.listRecords?repo={}&collection=app.bsky.feed.post", self.service, self.did);
        let listed = chimera_adapters::http_client::builder().build().unwrap().get(url).send().await.unwrap();
        listed.json::<Value>().await.unwrap()["records"].as_array().unwrap().clone()
    }

    async fn publish(&self, arguments: Value) -> Value {
        speak(&self.folder, &[("BLUESKY_APP_PASSWORD_FILE", "token")], &[publish_call(1, arguments)]).await.remove(0)["result"].clone()
    }
}

fn post(key: &str, text: &str) -> Value {
    json!({ "platform": "bluesky", "idempotency_key": key, "text": text, "ai_generated": true })
}

#[tokio::test]
async fn a_post_is_there_once_however_often_it_is_sent() {
    let Some(pds) = Pds::start().await else { return };
    // One pixel.
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let mut with_picture = post("k-1", "Grüße from https://a.example #AI");
    with_picture["media_uri"] = json!(format!("data:image/png;base64,{png}"));
    with_picture["alt_text"] = json!("a dot");

    let first = pds.publish(with_picture.clone()).await;
    let again = pds.publish(with_picture).await;
    let other = pds.publish(post("k-1", "Another")).await;
    let mut answer = post("k-2", "And to that");
    answer["reply_to"] = first["structuredContent"]["post_id"].clone();
    let reply = pds.publish(answer).await;

    assert_eq!(first["isError"], false, "{first}");
    assert_eq!(first["structuredContent"], again["structuredContent"]);
    assert_eq!(other["isError"], true, "{other}");
    assert_eq!(reply["isError"], false, "{reply}");
    let records = pds.records().await;
    assert_eq!(records.len(), 2, "{records:?}");
    let by_text = |text: &str| records.iter().find(|record| record["value"]["text"] == text).unwrap();
    let (posted, replied) = (by_text("Grüße from https://a.example #AI"), by_text("And to that"));
    assert_eq!(posted["uri"], first["structuredContent"]["post_id"]);
    assert_eq!(posted["value"]["labels"]["values"], json!([{ "val": "bot" }]));
    assert_eq!(posted["value"]["facets"].as_array().unwrap().len(), 2);
    assert_eq!(posted["value"]["embed"]["images"][0]["alt"], "a dot");
    let parent = json!({ "uri": posted["uri"], "cid": posted["cid"] });
    assert_eq!(replied["value"]["reply"], json!({ "root": parent, "parent": parent }));
}

#[tokio::test]
async fn what_the_server_refuses_is_told_and_nothing_is_published() {
    let Some(pds) = Pds::start().await else { return };

    let long = pds.publish(post("k-1", &"a".repeat(301))).await;
    let mut answer = post("k-2", "To nobody");
    answer["reply_to"] = json!(format!("at://{}/app.bsky.feed.post/3kabc", pds.did));
    let gone = pds.publish(answer).await;
    pds.folder.write("token", "wrong");
    let stranger = pds.publish(post("k-3", "Hello")).await;

    for (result, code) in [(long, "refused: "), (gone, "not_found: "), (stranger, "unauthorized: ")] {
        assert!(result["content"][0]["text"].as_str().unwrap().starts_with(code), "{result}");
    }
    assert_eq!(pds.records().await, Vec::<Value>::new());
}
