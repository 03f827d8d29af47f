//! What an MCP client sees of the server, whatever the platforms do.

use super::{SECRET, Session, StandIn, on_bluesky, on_mastodon, on_x, post_on};
use crate::social::{SocialConfig, SocialConfigError, web_address};
use rmcp::model::{CallToolRequestParams, ErrorCode};
use serde_json::json;
use url::Url;

fn everywhere(url: &Url) -> SocialConfig {
    SocialConfig { bluesky: on_bluesky(url.clone()).bluesky, x: on_x(url.clone()).x, ..on_mastodon(url.clone()) }
}

#[tokio::test]
async fn what_is_configured_is_listed_and_nothing_else() {
    let stand_in = StandIn::with(Vec::new()).await;
    let session = Session::open(on_x(stand_in.url())).await;

    let resources: Vec<_> = session.client.list_all_resources().await.unwrap().into_iter().map(|one| one.uri).collect();
    let templates: Vec<_> = session.client.list_all_resource_templates().await.unwrap().into_iter().map(|one| one.uri_template).collect();
    let tools = session.client.list_all_tools().await.unwrap();

    assert_eq!(resources, ["twitter://mentions/recent"]);
    assert_eq!(templates, ["twitter://posts/{post_id}", "twitter://posts/{post_id}/engagement"]);
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].input_schema["properties"]["platform"]["enum"], json!(["twitter"]));
    let hints = tools[0].annotations.as_ref().unwrap();
    assert_eq!((hints.read_only_hint, hints.idempotent_hint), (Some(false), Some(false)));
    let refusal = session.refusal("mastodon://timelines/public").await;
    assert_eq!(refusal, "not_configured: there is no [social.mastodon] in the configuration");
    let error = session.publish(post_on("bluesky", "Hello")).await.unwrap_err();
    assert_eq!(error, "not_configured: there is no [social.bluesky] in the configuration");
}

#[tokio::test]
async fn the_one_tool_takes_exactly_the_arguments_of_the_contract() {
    let stand_in = StandIn::with(Vec::new()).await;
    let session = Session::open(everywhere(&stand_in.url())).await;

    let tool = session.client.list_all_tools().await.unwrap().remove(0);

    assert_eq!(tool.name, "publish");
    let mut names: Vec<_> = tool.input_schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["ai_generated", "alt_text", "idempotency_key", "media_uri", "platform", "reply_to", "text"]);
    assert_eq!(tool.input_schema["required"], json!(["platform", "idempotency_key", "text", "ai_generated"]));
    assert_eq!(tool.output_schema.unwrap()["required"], json!(["post_id", "url"]));
    let unknown = session.client.call_tool(CallToolRequestParams::new("approve")).await;
    assert!(unknown.is_err());
}

#[tokio::test]
async fn what_cannot_be_published_is_refused_before_anything_is_asked() {
    let stand_in = StandIn::with(Vec::new()).await;
    let session = Session::open(everywhere(&stand_in.url())).await;
    let mut unlabelled = post_on("mastodon", "Hello");
    unlabelled["ai_generated"] = json!(false);

    let error = session.publish(unlabelled).await.unwrap_err();

    assert!(error.starts_with("invalid_input: ai_generated"), "{error}");
    assert!(stand_in.asked().is_empty());
}

#[tokio::test]
async fn an_address_that_names_nothing_is_not_found() {
    let stand_in = StandIn::with(Vec::new()).await;
    let session = Session::open(everywhere(&stand_in.url())).await;
    for uri in ["mastodon://timelines/private", "twitter://mentions", "news://global/technology/latest", "x"] {
        assert_eq!(session.read(uri).await.unwrap_err().code, ErrorCode::RESOURCE_NOT_FOUND, "{uri}");
    }
    assert!(stand_in.asked().is_empty());
}

#[tokio::test]
async fn secrets_are_never_shown() {
    let stand_in = StandIn::with(Vec::new()).await;
    let shown = format!("{:?}", everywhere(&stand_in.url()));
    assert!(!shown.contains(SECRET) && shown.contains("masked"), "{shown}");
}

#[test]
fn configurations_that_cannot_be_served_are_refused() {
    let key = "social.mastodon.base_url";
    for given in ["", "mastodon.example", "ftp://a.example", "https://ada:hunter2@a.example", "https://a.example/?key=hunter2", "https://"]
    {
        let error = web_address(key, given).unwrap_err();
        assert_eq!(error, SocialConfigError::NotAnAddress { key }, "{given}");
        assert!(!error.to_string().contains("hunter2"));
    }
    for given in ["http://a.example", "http://10.0.0.1", "http://localhost.a.example"] {
        assert_eq!(web_address(key, given), Err(SocialConfigError::NotEncrypted { key }), "{given}");
    }
    for given in ["https://a.example", "https://a.example/below/", "http://127.0.0.1:3000", "http://[::1]:1", "http://localhost:2583"] {
        assert!(web_address(key, given).is_ok(), "{given}");
    }
    assert_eq!(SocialConfig::default().check(), Err(SocialConfigError::Nothing));
    let mut bad = on_bluesky(Url::parse("https://a.example").unwrap());
    bad.bluesky.as_mut().unwrap().handle = "selam".to_owned();
    assert!(matches!(bad.check(), Err(SocialConfigError::BadHandle { .. })));
    let mut bad = on_x(Url::parse("https://a.example").unwrap());
    bad.x.as_mut().unwrap().user_id = Some("selam".to_owned());
    assert!(matches!(bad.check(), Err(SocialConfigError::BadUserId { .. })));
}
