//! Mastodon, Bluesky and X on this machine, by the traffic that they are known for: people who mention agents, and what agents publish.

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, task::JoinSet};

/// The account that all three know the agents by.
const DID: &str = "did:plc:tariku";
pub(crate) const X_USER: &str = "42";

/// What one platform was given, by its key where it has keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Published {
    pub(crate) platform: &'static str,
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) reply_to: Option<String>,
    /// As it came.
    pub(crate) body: Value,
}

#[derive(Default)]
struct Inner {
    mentions: Vec<(&'static str, String, String, String)>,
    published: Vec<Published>,
    keys: BTreeMap<String, String>,
    uploads: Vec<String>,
    asked: Vec<String>,
    loved: Option<String>,
}

/// Ends when dropped.
pub(crate) struct World {
    pub(crate) url: String,
    inner: Arc<Mutex<Inner>>,
    _serving: JoinSet<()>,
}

impl World {
    pub(crate) async fn start() -> Self {
        let inner = Arc::<Mutex<Inner>>::default();
        let app = Router::new().fallback(answer).with_state(inner.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, inner, _serving: serving }
    }

    /// Somebody says something to the account.
    pub(crate) fn mention(&self, platform: &'static str, id: &str, author: &str, text: &str) {
        self.inner.lock().unwrap().mentions.push((platform, id.to_owned(), author.to_owned(), text.to_owned()));
    }

    pub(crate) fn published(&self) -> Vec<Published> {
        self.inner.lock().unwrap().published.clone()
    }

    /// Bodies of media, in order.
    pub(crate) fn uploads(&self) -> Vec<String> {
        self.inner.lock().unwrap().uploads.clone()
    }

    /// Requests as `METHOD path?query`.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.inner.lock().unwrap().asked.clone()
    }

    /// People like what answers this post; everything else they hardly see.
    pub(crate) fn love_the_answer_to(&self, id: &str) {
        self.inner.lock().unwrap().loved = Some(id.to_owned());
    }
}

type Answer = (StatusCode, Json<Value>);

fn ok(body: Value) -> Answer {
    (StatusCode::OK, Json(body))
}

fn not_there() -> Answer {
    (StatusCode::NOT_FOUND, Json(json!({ "error": "Record not found" })))
}

async fn answer(State(inner): State<Arc<Mutex<Inner>>>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Answer {
    let mut inner = inner.lock().unwrap();
    inner.asked.push(format!("{method} {uri}"));
    let path = uri.path();
    if path.starts_with("/api/") {
        return inner.mastodon(&method, path, &headers, &body);
    }
    if path.starts_with("/2/") {
        return inner.x(&method, path, &body);
    }
    inner.bluesky(path, &uri, &body)
}

impl Inner {
    fn publish(&mut self, platform: &'static str, id: String, text: &Value, reply_to: &Value, body: Value) -> String {
        let (text, reply_to) = (text.as_str().unwrap().to_owned(), reply_to.as_str().map(str::to_owned));
        self.published.push(Published { platform, id: id.clone(), text, reply_to, body });
        id
    }

    fn likes(&self, published: &Published) -> u64 {
        if self.loved.is_some() && self.loved == published.reply_to { 30 } else { 1 }
    }

    fn mentions_on(&self, platform: &str) -> impl Iterator<Item = &(&'static str, String, String, String)> {
        self.mentions.iter().filter(move |(on, ..)| *on == platform)
    }

    fn mastodon(&mut self, method: &Method, path: &str, headers: &HeaderMap, body: &Bytes) -> Answer {
        let status = |id: &str, author: &str, text: &str, likes: u64| {
            json!({
                "id": id, "content": format!("<p>{text}</p>"), "url": format!("https://far.example/@{author}/{id}"), "visibility": "public",
                "account": { "acct": author }, "favourites_count": likes, "reblogs_count": 0, "replies_count": 0,
            })
        };
        match (method.as_str(), path) {
            ("GET", "/api/v1/notifications") => {
                let one = |(_, id, author, text): &(&str, String, String, String)| json!({ "id": id, "type": "mention", "status": status(id, author, text, 0) });
                ok(self.mentions_on("mastodon").map(one).collect())
            }
            ("POST", "/api/v2/media") => {
                self.uploads.push(String::from_utf8_lossy(body).into_owned());
                ok(json!({ "id": "31", "url": "https://far.example/31.png" }))
            }
            ("POST", "/api/v1/statuses") => {
                let key = headers["idempotency-key"].to_str().unwrap().to_owned();
                let given: Value = serde_json::from_slice(body).unwrap();
                let id = match self.keys.get(&key) {
                    Some(id) => id.clone(),
                    None => {
                        let id = format!("9{}", self.published.len());
                        self.publish("mastodon", id.clone(), &given["status"], &given["in_reply_to_id"], given.clone());
                        self.keys.insert(key, id.clone());
                        id
                    }
                };
                ok(status(&id, "selam", "published", 0))
            }
            ("GET", path) => {
                let id = path.strip_prefix("/api/v1/statuses/").unwrap_or_default();
                if let Some((_, id, author, text)) = self.mentions_on("mastodon").find(|(_, known, ..)| known == id) {
                    return ok(status(id, author, text, 0));
                }
                let own = self.published.iter().find(|post| post.platform == "mastodon" && post.id == id);
                own.map_or_else(not_there, |post| ok(status(id, "selam", &post.text, self.likes(post))))
            }
            _ => not_there(),
        }
    }

    fn bluesky(&mut self, path: &str, uri: &Uri, body: &Bytes) -> Answer {
        let query: BTreeMap<String, String> =
            url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let view = |uri: &str, author: &str, text: &str| json!({ "uri": uri, "author": { "handle": author }, "record": { "text": text }, "likeCount": 1, "reason": "mention" });
        match path.trim_start_matches("/xrpc/") {
            "com.atproto.server.createSession" => ok(json!({ "did": DID, "accessJwt": "jwt", "refreshJwt": "refresh" })),
            "app.bsky.notification.listNotifications" => {
                let list: Vec<Value> = self.mentions_on("bluesky").map(|(_, id, author, text)| view(id, author, text)).collect();
                ok(json!({ "notifications": list }))
            }
            "app.bsky.feed.getPosts" => {
                let mention = self
                    .mentions_on("bluesky")
                    .find(|(_, id, ..)| *id == query["uris"])
                    .map(|(_, id, author, text)| view(id, author, text));
                let own = self.published.iter().find(|post| query["uris"].ends_with(&format!("/{}", post.id)));
                let found = mention.or_else(|| own.map(|post| view(&query["uris"], "tariku.example.com", &post.text)));
                ok(json!({ "posts": found.into_iter().collect::<Vec<_>>() }))
            }
            "com.atproto.repo.getRecord" => {
                let at = format!("at://{}/app.bsky.feed.post/{}", query["repo"], query["rkey"]);
                let mention = self.mentions_on("bluesky").find(|(_, id, ..)| *id == at).map(|(.., text)| text.clone());
                let own = self.published.iter().find(|post| post.platform == "bluesky" && post.id == query["rkey"]);
                match mention.or_else(|| own.map(|post| post.text.clone())) {
                    Some(text) => ok(json!({ "uri": at, "cid": "bafyreicid", "value": { "text": text } })),
                    None => (StatusCode::BAD_REQUEST, Json(json!({ "error": "RecordNotFound", "message": "Could not locate record" }))),
                }
            }
            "com.atproto.repo.putRecord" => {
                let given: Value = serde_json::from_slice(body).unwrap();
                let rkey = given["rkey"].as_str().unwrap().to_owned();
                let record = &given["record"];
                self.publish("bluesky", rkey, &record["text"], &record["reply"]["parent"]["uri"], record.clone());
                ok(json!({ "uri": "at://x", "cid": "bafyreinew" }))
            }
            _ => (StatusCode::BAD_REQUEST, Json(json!({ "error": "InvalidRequest" }))),
        }
    }

    fn x(&mut self, method: &Method, path: &str, body: &Bytes) -> Answer {
        if method == Method::POST && path == "/2/tweets" {
            let given: Value = serde_json::from_slice(body).unwrap();
            let id = format!("7{}", self.published.len());
            let id = self.publish("twitter", id, &given["text"], &given["reply"]["in_reply_to_tweet_id"], given.clone());
            return (StatusCode::CREATED, Json(json!({ "data": { "id": id } })));
        }
        let tweet = |id: &str, author: &str, text: &str| json!({ "id": id, "text": text, "author_id": author });
        if path == format!("/2/users/{X_USER}/mentions") {
            let (mut data, mut users) = (Vec::new(), Vec::new());
            for (_, id, author, text) in self.mentions_on("twitter") {
                data.push(tweet(id, author, text));
                users.push(json!({ "id": author, "username": author }));
            }
            return ok(json!({ "data": data, "includes": { "users": users } }));
        }
        let id = path.strip_prefix("/2/tweets/").unwrap_or_default();
        if let Some((_, id, author, text)) = self.mentions_on("twitter").find(|(_, known, ..)| known == id) {
            return ok(json!({ "data": tweet(id, author, text), "includes": { "users": [{ "id": author, "username": author }] } }));
        }
        let Some(own) = self.published.iter().find(|post| post.platform == "twitter" && post.id == id) else { return not_there() };
        let counts = json!({ "like_count": self.likes(own), "retweet_count": 0, "reply_count": 0 });
        ok(json!({ "data": { "id": id, "text": own.text, "public_metrics": counts } }))
    }
}
