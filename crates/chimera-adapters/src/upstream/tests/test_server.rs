//! An upstream server for tests: this test binary, started again. The test harness's own lines on its standard output
//! are a banner that the host must bear.

use crate::upstream::{Host, HostLimits, UpstreamConfig, UpstreamTransport};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListResourceTemplatesResult, ListResourcesResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

const MODE: &str = "CHIMERA_TEST__UPSTREAM_MODE";

/// Long enough for a loaded machine; tests end sooner because something happens, never because time passes.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn child(name: &str, mode: &str) -> UpstreamConfig {
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let args = ["--exact", "upstream::tests::test_server::child_main", "--nocapture", "--test-threads=1"];
    UpstreamConfig {
        name: name.to_owned(),
        transport: UpstreamTransport::Command {
            program,
            args: args.map(str::to_owned).to_vec(),
            env: BTreeMap::from([(MODE.to_owned(), mode.to_owned())]),
            cwd: None,
        },
        schemes: None,
    }
}

pub(super) fn quick_limits() -> HostLimits {
    HostLimits { text_bytes_max: 1024 * 1024, message_bytes_max: 4 * 1024 * 1024, ..HostLimits::default() }
}

pub(super) fn host(upstreams: Vec<UpstreamConfig>) -> Host {
    Host::start(upstreams, None, quick_limits()).unwrap()
}

/// Not a test: what the children run. In the test run itself the mode is not set, and it does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "a child of a test learns its part from its environment")]
fn child_main() {
    let Ok(mode) = std::env::var(MODE) else { return };
    // The harness leaves its line open, and a message must begin a line.
    std::io::stdout().write_all(b"\n").unwrap();
    std::io::stdout().flush().unwrap();
    match mode.as_str() {
        "dead" => std::process::exit(7),
        "silent" => {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        }
        "endless_line" => endless(&[b'{'; 4096]),
        "endless_garbage" => endless(b"this is not MCP\n"),
        "deaf" => loop {
            // Neither ends with its input nor by a polite request.
            std::thread::park();
        },
        "good" => serve(TestServer { grandchild: None }),
        "feeds" => serve_feeds(),
        "with_grandchild" => {
            #[expect(clippy::zombie_processes, reason = "left behind on purpose: ending it is the host's part")]
            let grandchild = std::process::Command::new("/bin/sleep").arg("600").spawn().unwrap();
            serve(TestServer { grandchild: Some(grandchild.id()) });
        }
        other => panic!("unknown mode {other}"),
    }
}

fn endless(chunk: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    while stdout.write_all(chunk).is_ok() {}
}

/// News from `news.xml` and a price from `price.json` in the working directory.
fn serve_feeds() {
    use crate::feeds::{FeedSource, FeedsConfig, MarketFeed, NewsFeed, serve_stdio};
    let source = |name: &str| FeedSource::File(std::env::current_dir().unwrap().join(name));
    let (region, category) = ("global".to_owned(), "technology".to_owned());
    let (asset, currency) = ("eth".to_owned(), "USD".to_owned());
    let config = FeedsConfig {
        news: vec![NewsFeed { region, category, sources: vec![source("news.xml")] }],
        market: vec![MarketFeed { asset, currency, source: source("price.json"), price_pointer: String::new() }],
        contact: None,
    };
    let clock = std::sync::Arc::new(chimera_core::testing::fake_clock::ManualClock::at("2026-11-15T03:00:00Z"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(serve_stdio(config, clock, tokio_util::sync::CancellationToken::new())).unwrap();
}

fn serve(server: TestServer) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let serving = server.serve(rmcp::transport::io::stdio()).await.unwrap();
        serving.waiting().await.unwrap();
    });
}

pub(super) struct TestServer {
    pub(super) grandchild: Option<u32>,
}

impl TestServer {
    async fn text_of(&self, uri: &str) -> Result<String, ErrorData> {
        match uri {
            "test://small" => Ok("small".to_owned()),
            "test://large" => Ok("x".repeat(2 * 1024 * 1024)),
            "test://giant" => Ok("x".repeat(8 * 1024 * 1024)),
            "test://never" => std::future::pending().await,
            "test://dies" => std::process::exit(3),
            "test://environment" => {
                let names: Vec<String> = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
                Ok(names.join(","))
            }
            "test://pid" => Ok(std::process::id().to_string()),
            "test://grandchild" => Ok(self.grandchild.map(|id| id.to_string()).unwrap_or_default()),
            "test://leaks" => Err(ErrorData::internal_error("cannot open /home/me/key.pem\nwith https://ada:pw@host/", None)),
            _ => Err(ErrorData::resource_not_found("no such resource", None)),
        }
    }
}

impl ServerHandler for TestServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().enable_tools().build())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("test://small", "small")]))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![ResourceTemplate::new("templated://{name}", "templated")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = match request.uri.as_str() {
            "test://blob" => ResourceContents::blob("AAAA", request.uri),
            _ => ResourceContents::text(self.text_of(&request.uri).await?, request.uri).with_mime_type("text/x-test"),
        };
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(vec![contents])))
    }

    async fn call_tool(&self, request: CallToolRequestParams, _context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let text = |text: &str| vec![ContentBlock::text(text)];
        let result = match request.name.as_ref() {
            "echo" => CallToolResult::structured(serde_json::Value::Object(request.arguments.unwrap_or_default())),
            "say" => CallToolResult::success(text("said")),
            "refuse" => CallToolResult::error(text("not today, see /etc/secret/file")),
            "never" => std::future::pending().await,
            "dies" => std::process::exit(3),
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(CallToolResponse::Complete(result))
    }
}
