//! For tests: a node that answers each method as told, and remembers what it was asked.

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, task::JoinSet};
use url::Url;

#[derive(Clone)]
pub enum Reply {
    Result(Value),
    Error(i64, &'static str),
    Http(u16),
    Garbage,
}

/// Of Base, unless it says otherwise. Ends with this value.
pub struct ScriptedNode {
    pub url: Url,
    script: Script,
    _server: JoinSet<()>,
}

#[derive(Clone, Default)]
struct Script {
    replies: Arc<Mutex<HashMap<&'static str, Reply>>>,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl ScriptedNode {
    pub async fn start(replies: &[(&'static str, Reply)]) -> Self {
        let script = Script::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/secret-key", listener.local_addr().unwrap()).parse().unwrap();
        let router = Router::new().route("/{*any}", post(answer)).with_state(script.clone());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        let node = Self { url, script, _server: server };
        node.say("eth_chainId", Reply::Result(json!("0x2105")));
        for (method, reply) in replies {
            node.say(method, reply.clone());
        }
        node
    }

    /// From now on.
    pub fn say(&self, method: &'static str, reply: Reply) {
        self.script.replies.lock().unwrap().insert(method, reply);
    }

    /// The parameters of every request for `method`, in order.
    pub fn asked(&self, method: &str) -> Vec<Value> {
        self.script.asked.lock().unwrap().iter().filter(|(asked, _)| asked == method).map(|(_, params)| params.clone()).collect()
    }

    pub fn requests(&self) -> usize {
        self.script.asked.lock().unwrap().len()
    }
}

pub fn dead_url() -> Url {
    "http://127.0.0.1:1/secret-key".parse().unwrap()
}

async fn answer(State(script): State<Script>, Json(request): Json<Value>) -> Response {
    let Value::Array(requests) = &request else {
        return match script.words(&request) {
            Ok(words) => Json(words).into_response(),
            Err(Reply::Http(status)) => StatusCode::from_u16(status).unwrap().into_response(),
            Err(_) => "<html>".into_response(),
        };
    };
    script.asked.lock().unwrap().push(("list".to_owned(), json!(requests.len())));
    if let Some(refusal) = script.refusal_of_lists() {
        return Json(refusal).into_response();
    }
    let answers = requests.iter().filter_map(|request| script.words(request).ok()).collect();
    Json(Value::Array(answers)).into_response()
}

impl Script {
    fn refusal_of_lists(&self) -> Option<Value> {
        match self.replies.lock().unwrap().get("list") {
            Some(Reply::Error(code, message)) => Some(json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } })),
            _ => None,
        }
    }

    /// The node's own words, or the reply that has none.
    fn words(&self, request: &Value) -> Result<Value, Reply> {
        let method = request["method"].as_str().unwrap_or_default();
        self.asked.lock().unwrap().push((method.to_owned(), request["params"].clone()));
        let error =
            |code: i64, message: &str| json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": code, "message": message } });
        match self.replies.lock().unwrap().get(method).cloned() {
            Some(Reply::Result(result)) => Ok(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })),
            Some(Reply::Error(code, message)) => Ok(error(code, message)),
            Some(wordless) => Err(wordless),
            None => Ok(error(-32601, "no such method")),
        }
    }
}
