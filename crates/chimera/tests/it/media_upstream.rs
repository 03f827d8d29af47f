//! A configured image tool draws instead of the embedded renderer, over MCP as everything else.

use crate::{
    media::{asset_file, credentials, named, task},
    peers::{self, Peer},
    program::Folder,
};
use serde_json::json;

const STUDIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/image_studio.py");

fn config(python: &std::path::Path, tool: &str) -> String {
    format!(
        "[upstreams.images]\ncommand = [{:?}, {STUDIO:?}]\nschemes = [\"studio\"]\n\n[media.image]\nupstream = \"images\"\ntool = {tool:?}\n",
        python.display().to_string()
    )
}

#[tokio::test]
async fn a_configured_image_tool_is_used_and_its_failure_is_a_provider_error() {
    let Some(python) = peers::program(Peer::Python) else { return };
    for (tool, outcome) in [
        ("draw_as_data", Ok(())),
        ("draw_as_resource", Ok(())),
        ("draw_nothing", Err("out of paint")),
        ("no_such_tool", Err("no_such_tool")),
    ] {
        let folder = Folder::with_config(&config(&python, tool));
        folder.create_agent().await;

        let answer = folder.call("skill_content_generator", &task("image", "twitter")).await;

        match outcome {
            Ok(()) => {
                let file = std::fs::read(asset_file(&folder, &answer)).unwrap();
                assert_eq!(file[16..24], [0, 0, 0, 2, 0, 0, 0, 1], "the studio's own picture of 2 x 1 pixels");
                assert!(file.windows(4).any(|part| part == b"caBX"), "signed by us");
            }
            Err(part) => {
                assert_eq!(answer["error_code"], json!("provider_error"), "{answer}");
                assert!(answer["message"].as_str().unwrap().contains(part), "{answer}");
            }
        }
    }
}

/// The studio gives away a picture that another folder's program has signed: as a tool does that signs what it makes.
#[tokio::test]
async fn a_picture_that_comes_with_credentials_shows_ours_alone_to_an_independent_reader() {
    let Some(python) = peers::program(Peer::Python) else { return };
    let elsewhere = Folder::new();
    elsewhere.create_agent().await;
    let signed = asset_file(&elsewhere, &elsewhere.call("skill_content_generator", &task("image", "twitter")).await);
    let foreign_task = elsewhere.json(&["agent", "list"]).await;
    assert!(std::fs::read(&signed).unwrap().windows(4).any(|part| part == b"caBX"), "{foreign_task}");
    let config = config(&python, "draw_from_file")
        .replace("schemes = [\"studio\"]\n", &format!("schemes = [\"studio\"]\nenv = {{ PICTURE = {signed:?} }}\n"));
    let folder = Folder::with_config(&config);
    folder.create_agent().await;

    let answer = folder.call("skill_content_generator", &task("image", "twitter")).await;

    assert_eq!(answer["success"], true, "{answer}");
    let trace = answer["reasoning_trace"].as_str().unwrap();
    assert!(trace.contains("taken out of the tool's file before it was signed: Content Credentials"), "{trace}");
    let file = named(&folder, &asset_file(&folder, &answer), "made.png");
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(bytes.windows(4).filter(|part| part == b"caBX").count(), 1, "one manifest");
    assert!(!bytes.windows(17).any(|part| part == b"/algorithmicMedia"), "the other's claim of how it was made is gone");
    let Some(verdicts) = credentials(&folder, &[&file]).await else { return };
    let good = &verdicts[0];
    assert_eq!((&good["state"], &good["failures"], &good["manifests"]), (&json!("Trusted"), &json!([]), &json!(1)), "{good}");
    let action = &good["assertions"]["c2pa.actions.v2"]["actions"][0];
    assert_eq!(action["digitalSourceType"], "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia");
}
