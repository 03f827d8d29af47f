//! Everything outside of the program, all of it hostile: one MCP server with news, prices, mentions and tools that publish and draw, and one
//! language model. They keep what they are asked.

use super::plants::Try;
use axum::{Json, Router, http::header::CONTENT_TYPE, routing::post};
use base64::{Engine, prelude::BASE64_STANDARD};
use chimera::mcp::{Gate, HttpOptions, http_routes, serve_http};
use rmcp::{ErrorData, RoleServer, ServerHandler, model::*, service::RequestContext};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What is true, and may be said with its source.
pub(crate) const GOOD: [(&str, &str, &str, &str); 4] = [
    ("Bike lanes open", "Addis Ababa opened 40 km of protected bike lanes on Monday.", "https://news.example/lanes", "Hana Bekele"),
    (
        "Cargo bikes",
        "Riders of cargo bikes in Addis Ababa deliver bread to 60 shops along the new bike lanes.",
        "https://paper.example/bread",
        "Omar Ali",
    ),
    (
        "Safer lanes",
        "Bike lanes in Addis Ababa made crossings safer for 300 schools, the city said.",
        "https://city.example/schools",
        "City desk",
    ),
    (
        "Lanes at night",
        "New lamps light the protected bike lanes in Addis Ababa until midnight.",
        "https://lamps.example/night",
        "Sara Tesfaye",
    ),
];
const PICTURE: [u8; 70] = *include_bytes!("picture.png");

#[derive(Clone)]
pub(crate) struct World(Arc<State>);

#[derive(Default)]
struct State {
    published: Mutex<Vec<Value>>,
    drawn: Mutex<Vec<Value>>,
    prompts: Mutex<Vec<Value>>,
    traces: Mutex<Vec<Value>>,
    asked: AtomicUsize,
}

pub(crate) struct Served {
    pub(crate) world: World,
    pub(crate) mcp_url: String,
    pub(crate) model_url: String,
    /// Takes traces as a collector of OpenTelemetry does.
    pub(crate) traces_url: String,
    _stop: DropGuard,
    _serving: JoinSet<()>,
}

impl Served {
    pub(crate) async fn start() -> Self {
        let world = World(Arc::default());
        let (mcp, model) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap());
        let mcp_url = format!("http://{}/mcp", mcp.local_addr().unwrap());
        let traces_url = format!("http://{}", model.local_addr().unwrap());
        let model_url = format!("{traces_url}/v1");
        let stop = CancellationToken::new();
        let server = world.clone();
        let routes = http_routes(move || server.clone(), &HttpOptions::default(), stop.clone());
        let mut serving = JoinSet::new();
        let until = stop.clone();
        serving.spawn(async move { serve_http(routes, Gate::new(&HttpOptions::default(), None), mcp, until).await.unwrap() });
        let writer = world.clone();
        let answer = move |Json(asked): Json<Value>| async move { ([(CONTENT_TYPE, "text/event-stream")], writer.written(asked)) };
        let watcher = world.clone();
        let take = move |Json(body): Json<Value>| async move {
            watcher.0.traces.lock().unwrap().push(body);
            Json(json!({ "partialSuccess": {} }))
        };
        let routes = Router::new().route("/v1/chat/completions", post(answer)).route("/v1/traces", post(take));
        serving.spawn(async move { axum::serve(model, routes).await.unwrap() });
        Self { world, mcp_url, model_url, traces_url, _stop: stop.drop_guard(), _serving: serving }
    }
}

impl World {
    pub(crate) fn published(&self) -> Vec<Value> {
        self.0.published.lock().unwrap().clone()
    }

    pub(crate) fn drawn(&self) -> Vec<Value> {
        self.0.drawn.lock().unwrap().clone()
    }

    pub(crate) fn prompts(&self) -> Vec<Value> {
        self.0.prompts.lock().unwrap().clone()
    }

    pub(crate) fn traces(&self) -> Vec<Value> {
        self.0.traces.lock().unwrap().clone()
    }

    /// A true sentence, and then what is tried: each answer tries another thing.
    fn written(&self, asked: Value) -> String {
        self.0.prompts.lock().unwrap().push(asked);
        let number = self.0.asked.fetch_add(1, Ordering::SeqCst);
        let tried = Try::ALL[number % Try::ALL.len()].text("Written");
        let text = format!("{} {tried}", GOOD[number % GOOD.len()].1);
        let piece = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
        let usage = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 20 } });
        format!("data: {piece}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
    }

    fn publish(&self, arguments: Value) -> CallToolResult {
        let mut published = self.0.published.lock().unwrap();
        let tried = Try::ALL[published.len() % Try::ALL.len()];
        published.push(arguments);
        // Every third call fails once it has been made; the others answer with what no platform answers.
        if published.len().is_multiple_of(3) {
            return CallToolResult::error(vec![ContentBlock::text(format!("refused: {}", tried.text("Published")))]);
        }
        CallToolResult::structured(
            json!({ "post_id": tried.text("Published"), "url": tried.address("Published"), "note": tried.text("Published") }),
        )
    }

    fn draw(&self, arguments: Value) -> CallToolResult {
        let mut drawn = self.0.drawn.lock().unwrap();
        let tried = Try::ALL[drawn.len() % Try::ALL.len()];
        drawn.push(arguments);
        if drawn.len().is_multiple_of(2) {
            return CallToolResult::error(vec![ContentBlock::text(tried.text("Drawn"))]);
        }
        let uri = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(PICTURE));
        CallToolResult::structured(json!({ "media_uri": uri, "alt_text": tried.text("Drawn"), "caption": tried.text("Drawn") }))
    }
}

fn news() -> Value {
    #[expect(clippy::disallowed_methods, reason = "the program under test has the real time")]
    let now = json!(chrono::Utc::now().to_rfc3339());
    let good = GOOD
        .map(|(title, text, url, author)| json!({ "title": title, "summary": text, "url": url, "author": author, "published_at": now }));
    let hostile = Try::ALL.into_iter().enumerate().map(|(number, tried)| {
        json!({
            "id": tried.text("Id"),
            "title": format!("Bike lanes in Addis Ababa {}", tried.text("Title")),
            "summary": format!("Addis Ababa opened 1{number} km of bike lanes {}. It opened 2{number} km more.", tried.text("Summary")),
            "author": tried.text("Author"),
            "url": tried.address("Url"),
            // What has no date makes no trend: half of it must be able to.
            "published_at": if number % 2 == 0 { json!(tried.text("Date")) } else { now.clone() },
            "source": tried.text("Id"),
        })
    });
    json!({ "items": good.into_iter().chain(hostile).collect::<Vec<_>>(), "errors": [{ "message": Try::Escape.text("Failure") }] })
}

/// XML has no control characters but line breaks.
fn xml(text: &str) -> String {
    let legal = text.chars().filter(|c| !c.is_control() || *c == '\n');
    legal.collect::<String>().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn rss() -> String {
    let items: String = Try::ALL
        .into_iter()
        .map(|tried| {
            let [title, text, author] = ["RssTitle", "RssText", "RssAuthor"].map(|field| xml(&tried.text(field)));
            format!(
                "<item><title>Bike lanes in Addis Ababa {title}</title><description>Bike lanes in Addis Ababa are open {text}.</description>\
                 <author>{author}</author><guid>{title}</guid><pubDate>{title}</pubDate><link>{}</link></item>",
                xml(&tried.address("RssLink"))
            )
        })
        .collect();
    format!("<rss version=\"2.0\"><channel><title>{}</title>{items}</channel></rss>", xml(&Try::Escape.text("RssTitle")))
}

fn json_feed() -> Value {
    let items = Try::ALL.into_iter().map(|tried| {
        json!({
            "id": tried.text("Id"), "title": tried.text("FeedTitle"), "content_html": format!("<p>Bike lanes in Addis Ababa {}</p>", tried.text("FeedText")),
            "url": tried.address("Url"), "authors": [{ "name": tried.text("FeedAuthor") }], "date_published": tried.text("Date"),
        })
    });
    json!({ "version": "https://jsonfeed.org/version/1.1", "title": Try::Link.text("FeedTitle"), "items": items.collect::<Vec<_>>() })
}

/// One can be answered; in all others something is planted.
fn mentions() -> Value {
    let good = json!({ "post_id": "501", "text": "@selam what is new about bike lanes in Addis Ababa?", "author": "ada@far.example", "url": "https://far.example/@ada/501" });
    let hostile = Try::ALL.into_iter().enumerate().map(|(number, tried)| {
        json!({ "post_id": format!("6{number}"), "text": format!("@selam what about bike lanes? {}", tried.text("Said")), "author": tried.text("SaidBy"), "url": tried.address("Said") })
    });
    let named = Try::ALL.into_iter().map(|tried| {
        json!({ "post_id": tried.text("SaidId"), "text": "@selam what about bike lanes in Addis Ababa?", "author": "mallory@far.example" })
    });
    let answerable = Try::ALL.into_iter().enumerate().take(2).map(|(number, tried)| {
        json!({ "post_id": format!("7{number}"), "text": format!("@selam what about bike lanes? {}", tried.text("Said")), "author": format!("bea{number}@far.example") })
    });
    json!({ "items": std::iter::once(good).chain(answerable).chain(hostile).chain(named).collect::<Vec<_>>() })
}

fn resource(uri: &str) -> Result<(String, &'static str), ErrorData> {
    if let Some(id) = uri.strip_prefix("mastodon://posts/") {
        let found = mentions()["items"].as_array().unwrap().iter().find(|item| item["post_id"] == id).cloned();
        return found.map(|post| (post.to_string(), "application/json")).ok_or_else(|| failure(uri));
    }
    match uri {
        "news://hostile/list/latest" => Ok((news().to_string(), "application/json")),
        "news://hostile/rss/latest" => Ok((rss(), "application/rss+xml")),
        "news://hostile/feed/latest" => Ok((json_feed().to_string(), "application/feed+json")),
        "news://hostile/text/latest" => {
            Ok((Try::ALL.map(|tried| format!("Bike lanes in Addis Ababa {}", tried.text("Plain"))).join("\n\n"), "text/plain"))
        }
        "market://crypto/eth/price" => {
            let price = json!({ "asset": Try::Mention.text("Asset"), "price": "3412.1", "currency": Try::Escape.text("Currency") });
            Ok((price.to_string(), "application/json"))
        }
        "mastodon://mentions/recent" => Ok((mentions().to_string(), "application/json")),
        _ => Err(failure(uri)),
    }
}

/// What went wrong, in a stranger's words: another for each address.
fn failure(uri: &str) -> ErrorData {
    ErrorData::internal_error(Try::ALL[uri.len() % Try::ALL.len()].text("Failure"), Some(json!(Try::Escape.text("Failure"))))
}

impl ServerHandler for World {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(serde_json::from_value(json!({ "tools": {}, "resources": {} })).unwrap())
            .with_server_info(Implementation::new(Try::Escape.text("Id"), Try::Bidi.text("Id")))
            .with_instructions(Try::Order.text("Id"))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &str| json!({ "name": name, "title": Try::Escape.text("Id"), "description": Try::Order.text("Id"), "inputSchema": { "type": "object" } });
        let tools = ["publish", "draw"].map(|name| serde_json::from_value(tool(name)).unwrap());
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = json!({ "uri": "news://hostile/list/latest", "name": Try::Escape.text("Id"), "description": Try::Order.text("Id") });
        Ok(ListResourcesResult::with_all_items(vec![serde_json::from_value(listed).unwrap()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (text, mime_type) = resource(&request.uri)?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(mime_type);
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(vec![contents])))
    }

    async fn call_tool(&self, call: CallToolRequestParams, _: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(call.arguments.unwrap_or_default());
        Ok(CallToolResponse::Complete(if call.name == "draw" { self.draw(arguments) } else { self.publish(arguments) }))
    }
}
