//! The resources as an MCP client sees them.

use crate::feeds::{FeedSource, FeedsConfig, FeedsConfigError, FeedsServer, MarketFeed, NewsFeed};
use chimera_core::testing::fake_clock::ManualClock;
use rmcp::model::{ErrorCode, ReadResourceRequestParams, ResourceContents};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceError, ServiceExt};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio::task::JoinSet;

const OLD: &str = r#"<rss version="2.0"><channel><title>Old</title><item><title>older</title><pubDate>Sun, 15 Nov 2026 01:00:00 GMT</pubDate>
    </item><item><title>undated</title></item></channel></rss>"#;
const NEW: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "New", "items": [{"id": "1", "title": "newer",
    "content_text": "body", "url": "https://a.example/1", "date_published": "2026-11-15T02:00:00Z", "authors": [{"name": "Ada"}]}]}"#;

fn file(dir: &Path, name: &str, text: &str) -> FeedSource {
    std::fs::write(dir.join(name), text).unwrap();
    FeedSource::File(dir.join(name))
}

fn news(sources: Vec<FeedSource>) -> FeedsConfig {
    FeedsConfig {
        news: vec![NewsFeed { region: "global".to_owned(), category: "Technology".to_owned(), sources }],
        ..FeedsConfig::default()
    }
}

fn market(source: FeedSource, price_pointer: &str) -> FeedsConfig {
    let (asset, currency) = ("eth".to_owned(), "USD".to_owned());
    FeedsConfig { market: vec![MarketFeed { asset, source, price_pointer: price_pointer.to_owned(), currency }], ..FeedsConfig::default() }
}

/// A client and the server it talks to, in memory.
struct Session {
    client: RunningService<RoleClient, ()>,
    _serving: JoinSet<()>,
}

impl Session {
    async fn open(config: FeedsConfig) -> Self {
        let server = FeedsServer::new(config, Arc::new(ManualClock::at("2026-11-15T03:00:00Z"))).unwrap();
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let running = server.serve(theirs).await.unwrap();
            let _ = running.waiting().await;
        });
        Self { client: ().serve(ours).await.unwrap(), _serving: serving }
    }

    async fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let mut contents = self.client.read_resource(ReadResourceRequestParams::new(uri)).await?.contents;
        let ResourceContents::TextResourceContents { text, mime_type, .. } = contents.remove(0) else { panic!("not text") };
        assert_eq!(mime_type.as_deref(), Some("application/json"));
        Ok(serde_json::from_str(&text).unwrap())
    }

    async fn refusal(&self, uri: &str) -> rmcp::ErrorData {
        match self.read(uri).await {
            Err(ServiceError::McpError(error)) => error,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn news_of_all_sources_come_newest_first() {
    let dir = tempfile::tempdir().unwrap();
    let sources = vec![file(dir.path(), "old.xml", OLD), file(dir.path(), "new.json", NEW)];

    let document = Session::open(news(sources)).await.read("news://global/technology/latest").await.unwrap();

    let newer = json!({ "title": "newer", "summary": "body", "url": "https://a.example/1", "author": "Ada",
        "published_at": "2026-11-15T02:00:00.000Z", "source": "New" });
    let older = json!({ "title": "older", "published_at": "2026-11-15T01:00:00.000Z", "source": "Old" });
    assert_eq!(document, json!({ "items": [newer, older, { "title": "undated", "source": "Old" }] }));
}

#[tokio::test]
async fn one_broken_source_is_told_and_the_others_are_served() {
    let dir = tempfile::tempdir().unwrap();
    let sources = vec![file(dir.path(), "page.html", "<html></html>"), file(dir.path(), "old.xml", OLD)];

    let document = Session::open(news(sources)).await.read("news://global/technology/latest").await.unwrap();

    assert_eq!(document["items"].as_array().unwrap().len(), 2);
    assert_eq!(document["errors"], json!([{ "source": "file:page.html", "message": "it is not RSS, Atom or JSON Feed" }]));
}

#[tokio::test]
async fn when_every_source_is_broken_the_resource_fails_with_each_reason() {
    let dir = tempfile::tempdir().unwrap();
    let missing = FeedSource::File(dir.path().join("missing.xml"));
    let session = Session::open(news(vec![missing, file(dir.path(), "empty.xml", "")])).await;

    let error = session.refusal("news://global/technology/latest").await;

    assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
    assert_eq!(error.message, "no source could be read: file:missing.xml: the file cannot be read; file:empty.xml: it is empty");
}

#[tokio::test]
async fn what_is_not_configured_is_not_found() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::open(news(vec![file(dir.path(), "old.xml", OLD)])).await;
    for uri in ["news://global/sports/latest", "news://global/technology", "market://crypto/eth/price", "file:///etc/passwd", "x"] {
        assert_eq!(session.refusal(uri).await.code, ErrorCode::RESOURCE_NOT_FOUND, "{uri}");
    }
}

#[tokio::test]
async fn what_is_configured_is_listed_and_both_templates_are() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = news(vec![file(dir.path(), "old.xml", OLD)]);
    config.market = market(file(dir.path(), "price.json", "1"), "").market;
    let session = Session::open(config).await;

    let resources: Vec<_> = session.client.list_all_resources().await.unwrap().into_iter().map(|one| one.uri).collect();
    let templates: Vec<_> = session.client.list_all_resource_templates().await.unwrap().into_iter().map(|one| one.uri_template).collect();

    assert_eq!(resources, ["news://global/technology/latest", "market://crypto/eth/price"]);
    assert_eq!(templates, ["news://{region}/{category}/latest", "market://crypto/{asset}/price"]);
}

#[tokio::test]
async fn prices_are_taken_from_numbers_and_numeric_strings_alone() {
    let dir = tempfile::tempdir().unwrap();
    let good = [("{\"data\": {\"amount\": \"3412.10\"}}", "/data/amount"), ("{\"a/b\": [3412.1]}", "/a~1b/0"), ("3412.1", "")];
    for (text, pointer) in good {
        let session = Session::open(market(file(dir.path(), "price.json", text), pointer)).await;
        let expected = json!({ "asset": "ETH", "price": 3412.1, "currency": "USD", "at": "2026-11-15T03:00:00.000Z" });
        assert_eq!(session.read("market://crypto/ETH/price").await.unwrap(), expected, "{text}");
    }
    let bad = ["\"NaN\"", "\"inf\"", "\"-1\"", "0", "-5", "\"\"", "\"1e999\"", "null", "true", "[]", "{}", "not json", ""];
    for text in bad {
        let session = Session::open(market(file(dir.path(), "price.json", text), "")).await;
        assert_eq!(session.refusal("market://crypto/eth/price").await.code, ErrorCode::INTERNAL_ERROR, "{text}");
    }
    let session = Session::open(market(file(dir.path(), "price.json", "{\"a\": 1}"), "/b")).await;
    assert!(session.refusal("market://crypto/eth/price").await.message.contains("nothing at \"/b\""));
}

#[test]
fn configurations_that_cannot_be_served_are_refused() {
    let source = || FeedSource::parse("https://a.example/feed", Path::new("/")).unwrap();
    let mut twice = news(vec![source()]);
    twice.news.push(NewsFeed { region: "GLOBAL".to_owned(), category: "technology".to_owned(), sources: vec![source()] });
    let mut bad_name = news(vec![source()]);
    bad_name.news[0].region = "a/b".to_owned();

    assert!(matches!(twice.check(), Err(FeedsConfigError::Twice { .. })));
    assert!(matches!(bad_name.check(), Err(FeedsConfigError::BadName { .. })));
    assert!(matches!(news(vec![]).check(), Err(FeedsConfigError::NoSource { .. })));
    assert!(matches!(market(source(), "data").check(), Err(FeedsConfigError::BadPointer { .. })));
    for contact in ["", "a b", "a\nb", &"a".repeat(101)] {
        let config = FeedsConfig { contact: Some(contact.to_owned()), ..news(vec![source()]) };
        assert!(matches!(config.check(), Err(FeedsConfigError::BadContact)), "{contact:?}");
    }
}

#[test]
fn sources_are_parsed_relative_to_their_file_and_shown_without_secrets() {
    let base = Path::new("/etc/chimera");
    let table = [
        ("file:feeds/a.xml", "file:a.xml"),
        ("file:///srv/b.xml", "file:b.xml"),
        ("https://ada:hunter2@a.example/x?key=hunter2#f", "https://a.example/x"),
    ];
    for (given, shown) in table {
        assert_eq!(FeedSource::parse(given, base).unwrap().label(), shown, "{given}");
    }
    for (given, address) in [
        ("hackernews:front", "https://hn.algolia.com/api/v1/search?tags=front_page&hitsPerPage=100"),
        ("reddit:technology+gadgets", "https://www.reddit.com/r/technology+gadgets/new/.rss?limit=100"),
    ] {
        assert_eq!(FeedSource::parse(given, base), Ok(FeedSource::Http(address.parse().unwrap())), "{given}");
    }
    assert_eq!(FeedSource::parse("file:feeds/a.xml", base), Ok(FeedSource::File("/etc/chimera/feeds/a.xml".into())));
    for given in ["", "feeds/a.xml", "ftp://a.example/", "file:", "https://", "data:,x", "reddit:", "reddit:a b", "hackernews:old"] {
        assert!(FeedSource::parse(given, base).is_err(), "{given}");
    }
}
