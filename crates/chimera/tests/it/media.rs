//! Pictures and videos of the real program: made by the skill, read over MCP and HTTP, judged by readers that are not ours.

use crate::{
    peers::{self, Peer},
    program::{Folder, run},
    wallet_stage::new_task,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tokio::process::Command;

const C2PA_READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/c2pa_reader.py");

pub(crate) fn task(content_type: &str, platform: &str) -> Value {
    json!({
        "task_id": new_task(),
        "agent_id": "selam",
        "task_type": "generate_content",
        "context": {"goal_description": "Say that good tools make 40 percent of people bolder", "persona_constraints": []},
        "acceptance_criteria": {"content_type": content_type, "platform": platform},
    })
}

/// The file of an answer's asset.
pub(crate) fn asset_file(folder: &Folder, answer: &Value) -> PathBuf {
    let uri = answer["artifact"]["payload_media_uri"].as_str().unwrap_or_else(|| panic!("{answer}"));
    folder.data().join("assets").join(uri.strip_prefix("chimera://assets/").unwrap())
}

/// With the ending that tools want to see.
pub(crate) fn named(folder: &Folder, file: &Path, name: &str) -> PathBuf {
    let named = folder.path().join(name);
    std::fs::copy(file, &named).unwrap();
    named
}

/// What C2PA's own library says of each file; `None` where it is not installed.
pub(crate) async fn credentials(folder: &Folder, files: &[&Path]) -> Option<Vec<Value>> {
    let python = peers::program(Peer::Python)?;
    let mut command = Command::new(python);
    command.arg(C2PA_READER).arg(folder.data().join("content-credentials-root.pem")).args(files).env("PYTHONDONTWRITEBYTECODE", "1");
    let done = run(command, b"").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    Some(done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// A copy with one bit changed at `place`.
fn changed(folder: &Folder, file: &Path, place: usize, name: &str) -> PathBuf {
    let mut bytes = std::fs::read(file).unwrap();
    bytes[place] ^= 1;
    folder.write(name, bytes)
}

fn place_of(file: &Path, part: &[u8]) -> usize {
    let bytes = std::fs::read(file).unwrap();
    bytes.windows(part.len()).position(|window| window == part).unwrap()
}

#[tokio::test]
async fn an_image_is_read_over_mcp_and_http_as_it_was_made() {
    let folder = Folder::new();
    folder.create_agent().await;
    let answer = folder.call("skill_content_generator", &task("image", "twitter")).await;
    assert_eq!(answer["success"], true, "{answer}");
    let bytes = std::fs::read(asset_file(&folder, &answer)).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes[16..24] == [0, 0, 6, 64, 0, 0, 3, 132], "1600 x 900");
    let uri = answer["artifact"]["payload_media_uri"].as_str().unwrap();
    let serving = folder.serve().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = Client::new();
    let address = serving.url.replace("/mcp", &format!("/assets/{}", uri.rsplit('/').next().unwrap()));

    let refused = http.get(&address).send().await.unwrap();
    let given = http.get(&address).bearer_auth(&serving.token).send().await.unwrap();
    let tag = given.headers()["etag"].clone();
    assert_eq!((refused.status(), given.status()), (StatusCode::UNAUTHORIZED, StatusCode::OK));
    assert_eq!(given.headers()["content-type"], "image/png");
    assert_eq!(given.bytes().await.unwrap(), bytes);
    let again = http.get(&address).bearer_auth(&serving.token).header("if-none-match", tag).send().await.unwrap();
    let part = http.get(&address).bearer_auth(&serving.token).header("range", "bytes=1-3").send().await.unwrap();
    assert_eq!((again.status(), part.status()), (StatusCode::NOT_MODIFIED, StatusCode::PARTIAL_CONTENT));
    assert_eq!(part.bytes().await.unwrap(), &b"PNG"[..]);
    for missing in ["0".repeat(64), "..%2F..%2Fnode.key".to_owned(), "x".to_owned()] {
        let url = serving.url.replace("/mcp", &format!("/assets/{missing}"));
        assert_eq!(http.get(url).bearer_auth(&serving.token).send().await.unwrap().status(), StatusCode::NOT_FOUND, "{missing}");
    }
    let read = read_over_mcp(&http, &serving.url, &serving.token, uri).await;
    assert_eq!(read["mimeType"], "image/png");
    assert_eq!(BASE64_STANDARD.decode(read["blob"].as_str().unwrap()).unwrap(), bytes);
    let facts = &read["_meta"];
    assert_eq!((&facts["status"], &facts["platform"], &facts["ai_generated"]), (&json!("draft"), &json!("twitter"), &json!(true)));
    assert!(facts["alt_text"].as_str().unwrap().contains("that says"), "{facts}");
    serving.stop().await.calm();
}

async fn read_over_mcp(http: &Client, url: &str, token: &str, uri: &str) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "visitor", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri, "_meta": meta}});
    let request = http.post(url).bearer_auth(token).header("accept", "application/json, text/event-stream");
    let request = request.header("content-type", "application/json").header("mcp-protocol-version", "2026-07-28");
    let response = request.header("mcp-method", "resources/read").header("mcp-name", uri).body(body.to_string()).send().await.unwrap();
    let answer: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    answer["result"]["contents"][0].clone()
}

#[tokio::test]
async fn an_independent_reader_trusts_the_credentials_of_image_and_video_and_finds_every_change() {
    let folder = Folder::new();
    folder.create_agent().await;
    for (content_type, ending, picture) in [("image", "png", &b"IDAT"[..]), ("video", "mp4", b"mdat")] {
        let answer = folder.call("skill_content_generator", &task(content_type, "tiktok")).await;
        let file = named(&folder, &asset_file(&folder, &answer), &format!("made.{ending}"));
        let in_picture = changed(&folder, &file, place_of(&file, picture) + 400, &format!("picture.{ending}"));
        let in_label = changed(&folder, &file, place_of(&file, b"AI-generated by @"), &format!("label.{ending}"));

        let Some(verdicts) = credentials(&folder, &[&file, &in_picture, &in_label]).await else { return };

        let good = &verdicts[0];
        assert_eq!((&good["state"], &good["failures"], &good["generator"]), (&json!("Trusted"), &json!([]), &json!("Chimera")), "{good}");
        let action = &good["assertions"]["c2pa.actions.v2"]["actions"][0];
        assert_eq!(action["action"], "c2pa.created");
        assert_eq!(action["digitalSourceType"], "http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia");
        assert_eq!(action["description"], "AI-generated by @selam.makes");
        let agent = &good["assertions"]["org.chimera.agent"];
        assert_eq!((&agent["agent_id"], &agent["ai_generated"]), (&json!("selam"), &json!(true)));
        for bad in &verdicts[1..] {
            assert!(!["Trusted", "Valid"].contains(&bad["state"].as_str().unwrap()), "{bad}");
        }
    }
}
