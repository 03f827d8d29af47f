//! The host with servers as users run them: `chimera feeds`' own, and the MCP project's server-everything.

use super::test_server::{PATIENCE, child, host};
use crate::upstream::{UpstreamConfig, UpstreamState, UpstreamTransport};
use chimera_core::ports::resources::Resources;
use chimera_core::ports::tools::Tools;
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, io::Write};

#[tokio::test]
async fn news_and_prices_come_from_the_feeds_server_as_from_any_other_child() {
    let dir = tempfile::tempdir().unwrap();
    let feed = r#"<rss version="2.0"><channel><title>Sample</title><item><title>one</title></item></channel></rss>"#;
    std::fs::write(dir.path().join("news.xml"), feed).unwrap();
    std::fs::write(dir.path().join("price.json"), "3412.1").unwrap();
    let mut config = child("feeds", "feeds");
    let UpstreamTransport::Command { cwd, .. } = &mut config.transport else { unreachable!() };
    *cwd = Some(dir.path().to_owned());
    let host = host(vec![config]);

    let status = host.status(PATIENCE).await.remove(0).state;
    let news = host.read("news://global/technology/latest", PATIENCE).await.unwrap().remove(0);
    let price = host.read("market://crypto/eth/price", PATIENCE).await.unwrap().remove(0);

    let schemes = vec!["market".to_owned(), "news".to_owned()];
    assert_eq!(status, UpstreamState::Connected { protocol_version: "2026-07-28".to_owned(), schemes });
    assert_eq!(news.mime_type.as_deref(), Some("application/json"));
    assert_eq!(serde_json::from_str::<Value>(news.text.as_data()).unwrap(), json!({ "items": [{ "title": "one", "source": "Sample" }] }));
    assert_eq!(serde_json::from_str::<Value>(price.text.as_data()).unwrap()["price"], 3412.1);
    host.close().await;
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "where the reference server is installed is told by the environment")]
async fn the_reference_server_is_read_and_called() {
    let (Ok(node), Ok(everything)) = (std::env::var("CHIMERA_TEST_NODE"), std::env::var("CHIMERA_TEST_EVERYTHING")) else {
        assert_ne!(std::env::var("CHIMERA_TEST_REQUIRE_PEERS").as_deref(), Ok("1"), "the reference server must be installed here");
        // Not `eprintln!`: the runner would keep it to itself.
        let _ = writeln!(std::io::stderr(), "SKIPPED a test: CHIMERA_TEST_EVERYTHING is not set; ./scripts/test runs it");
        return;
    };
    let args = vec![everything, "stdio".to_owned()];
    let transport = UpstreamTransport::Command { program: node, args, env: BTreeMap::new(), cwd: None };
    let host = host(vec![UpstreamConfig { name: "everything".to_owned(), transport, schemes: None }]);

    let status = host.status(PATIENCE).await.remove(0).state;
    let document = host.read("demo://resource/static/document/architecture.md", PATIENCE).await.unwrap();
    let arguments = Map::from_iter([("message".to_owned(), json!("hello"))]);
    let echoed = host.call("everything", "echo", arguments, PATIENCE).await.unwrap();

    assert!(matches!(&status, UpstreamState::Connected { schemes, .. } if schemes.contains(&"demo".to_owned())), "{status:?}");
    assert!(!document[0].text.as_data().is_empty());
    assert!(echoed.said().as_data().contains("hello"), "{echoed:?}");
    host.close().await;
}
