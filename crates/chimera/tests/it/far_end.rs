//! The far end of publishing: an MCP server that keeps what arrives, and can be in order, out of order, or slow to answer.

use chimera::mcp::{Gate, HttpOptions, http_routes, serve_http};
use rmcp::{ErrorData, RoleServer, ServerHandler, model::*, service::RequestContext};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// How it behaves towards one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Takes the post and loses its own answer: an error comes back although the post is there.
    TakesItAndFails,
    Refuses,
}

#[derive(Clone)]
pub(crate) struct FarEnd(Arc<State>);

struct State {
    /// By idempotency key, in the platform's view: the first call makes the post, later ones find it.
    posts: Mutex<BTreeMap<String, Value>>,
    /// Every call, as it came.
    calls: Mutex<Vec<Value>>,
    /// For the next calls; afterwards it is in order.
    manners: Mutex<VecDeque<Manner>>,
}

pub(crate) struct FarEndServer {
    pub(crate) far_end: FarEnd,
    pub(crate) url: String,
    _stop: tokio_util::sync::DropGuard,
    _serving: JoinSet<()>,
}

impl FarEndServer {
    pub(crate) async fn start() -> Self {
        let far_end = FarEnd(Arc::new(State { posts: Mutex::default(), calls: Mutex::default(), manners: Mutex::default() }));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        let server = far_end.clone();
        let router = http_routes(move || server.clone(), &HttpOptions::default(), stop.clone());
        let mut serving = JoinSet::new();
        let until = stop.clone();
        serving.spawn(async move { serve_http(router, Gate::new(&HttpOptions::default(), None), listener, until).await.unwrap() });
        Self { far_end, url, _stop: stop.drop_guard(), _serving: serving }
    }
}

impl FarEnd {
    /// What is on the platform, by idempotency key.
    pub(crate) fn posts(&self) -> BTreeMap<String, Value> {
        self.0.posts.lock().unwrap().clone()
    }

    pub(crate) fn calls(&self) -> Vec<Value> {
        self.0.calls.lock().unwrap().clone()
    }

    pub(crate) fn behave(&self, manners: &[Manner]) {
        self.0.manners.lock().unwrap().extend(manners);
    }

    fn publish(&self, arguments: &Value) -> Result<Value, &'static str> {
        self.0.calls.lock().unwrap().push(arguments.clone());
        let manner = self.0.manners.lock().unwrap().pop_front();
        if manner == Some(Manner::Refuses) {
            return Err("unavailable: the platform is closed");
        }
        let key = arguments["idempotency_key"].as_str().expect("a key").to_owned();
        let post_id = {
            let mut posts = self.0.posts.lock().unwrap();
            posts.entry(key.clone()).or_insert_with(|| arguments.clone());
            posts.keys().position(|known| *known == key).unwrap()
        };
        match manner {
            Some(Manner::TakesItAndFails) => Err("unavailable: the answer was lost"),
            _ => Ok(json!({ "post_id": post_id.to_string(), "url": format!("https://social.example/{key}") })),
        }
    }
}

impl ServerHandler for FarEnd {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(serde_json::from_value(json!({ "tools": {} })).unwrap()).with_server_info(Implementation::new("far-end", "1.0.0"))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        let names = ["platform", "idempotency_key", "text", "media_uri", "alt_text", "reply_to", "ai_generated"];
        let properties: serde_json::Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        let schema = json!({ "type": "object", "properties": properties });
        let tool = json!({ "name": "publish", "description": "publishes", "inputSchema": schema });
        Ok(ListToolsResult::with_all_items(vec![serde_json::from_value(tool).unwrap()]))
    }

    async fn call_tool(&self, call: CallToolRequestParams, _: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let result = match self.publish(&Value::Object(call.arguments.unwrap_or_default())) {
            Ok(answer) => CallToolResult::structured(answer),
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason)]),
        };
        Ok(CallToolResponse::Complete(result))
    }
}
