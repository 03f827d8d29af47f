//! A configured image tool draws instead of the embedded renderer, over MCP as everything else.

use crate::{
    media::{asset_file, task},
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
