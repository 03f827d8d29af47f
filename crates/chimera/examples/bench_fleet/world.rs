//! A Mastodon server on this machine, as far as it is asked for: every post is somebody's question to an agent.

use anyhow::Result;
use axum::{Json, Router, http::Uri};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

const QUESTION: &str = "What do you think of language models that run on people's own devices?";

/// Ends when dropped.
pub(crate) struct World {
    pub(crate) url: String,
    _serving: JoinSet<()>,
}

impl World {
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            // Whoever asks notices when it is gone.
            let _ = axum::serve(listener, Router::new().fallback(answer)).await;
        });
        Ok(Self { url, _serving: serving })
    }
}

/// The list of mentions is empty: when a reply is queued is the benchmark's to say.
async fn answer(uri: Uri) -> Json<Value> {
    Json(match uri.path().strip_prefix("/api/v1/statuses/") {
        Some(id) => json!({
            "id": id, "content": format!("<p>{QUESTION}</p>"), "url": format!("https://far.example/@ann/{id}"), "visibility": "public",
            "account": { "acct": "ann@far.example" }, "favourites_count": 0, "reblogs_count": 0, "replies_count": 0,
        }),
        None => json!([]),
    })
}
