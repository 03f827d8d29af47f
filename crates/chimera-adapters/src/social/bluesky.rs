//! Bluesky, by XRPC on the account's own server: posts and mentions read, records written under keys derived from the caller's.

mod facets;
mod record_key;
mod session;

use super::address::{BLUESKY, BlueskyAddress};
use super::api::{Answer, Api, Body, Call};
use super::config::{BlueskyAccount, is_handle};
use super::errors::SocialError;
use super::media::Media;
use super::posts::{Engagement, Post, Published, count_at, engagement_document, list_at, posts_document, text_at};
use super::publishing::Publication;
use chimera_core::ports::clock::Clock;
use chrono::SecondsFormat;
use reqwest::StatusCode;
use serde_json::{Value, json};
use session::{Session, Sessions};
use std::sync::Arc;
use std::time::Duration;

pub(super) const PASSWORD_NAME: &str = "BLUESKY_APP_PASSWORD";
const POST_COLLECTION: &str = "app.bsky.feed.post";
const PAGE: &str = "100";
/// By the definition of `app.bsky.embed.images`.
const IMAGE_BYTES_MAX: usize = 2_000_000;

pub(super) struct Bluesky {
    api: Api,
    sessions: Sessions,
}

impl Bluesky {
    pub(super) fn new(account: BlueskyAccount, clock: Arc<dyn Clock>, deadline: Duration) -> Result<Self, reqwest::Error> {
        let BlueskyAccount { service, handle, app_password } = account;
        let api = Api::new(BLUESKY, service, app_password.clone(), clock, deadline)?;
        Ok(Self { api, sessions: Sessions::new(handle, app_password) })
    }

    pub(super) async fn read(&self, address: &BlueskyAddress) -> Result<Value, SocialError> {
        let posts: Vec<Post> = match address {
            BlueskyAddress::Author(actor) => {
                let query = [("actor", actor.as_str()), ("limit", PAGE), ("filter", "posts_and_author_threads")];
                let answer = self.query("app.bsky.feed.getAuthorFeed", &query).await?;
                // What has a reason is there because the author passed on somebody else's post.
                let own = list_at(&answer, "/feed").iter().filter(|entry| entry.get("reason").is_none());
                own.filter_map(|entry| post(&entry["post"])).collect()
            }
            BlueskyAddress::Search(words) => {
                let query = [("q", words.as_str()), ("limit", PAGE), ("sort", "latest")];
                let answer = self.query("app.bsky.feed.searchPosts", &query).await?;
                list_at(&answer, "/posts").iter().filter_map(post).collect()
            }
            BlueskyAddress::Mentions => {
                let query = [("reasons", "mention"), ("reasons", "reply"), ("limit", PAGE)];
                let answer = self.query("app.bsky.notification.listNotifications", &query).await?;
                // Older servers do not know `reasons` and send every kind.
                let spoken = |one: &&Value| matches!(one["reason"].as_str(), Some("mention" | "reply"));
                list_at(&answer, "/notifications").iter().filter(spoken).filter_map(post).collect()
            }
            BlueskyAddress::Post(id) => {
                let view = self.view(id).await?;
                post(&view).into_iter().collect()
            }
            BlueskyAddress::Engagement(id) => {
                return Ok(engagement_document(BLUESKY, id, self.engagement(id).await?, self.api.now()));
            }
        };
        Ok(posts_document(BLUESKY, posts))
    }

    /// A post with its author and its counts.
    async fn view(&self, post_id: &str) -> Result<Value, SocialError> {
        let mut answer = self.query("app.bsky.feed.getPosts", &[("uris", post_id)]).await?;
        answer.pointer_mut("/posts/0").map(Value::take).ok_or(SocialError::NotFound { platform: BLUESKY })
    }

    async fn engagement(&self, post_id: &str) -> Result<Engagement, SocialError> {
        let view = self.view(post_id).await?;
        // A count of nothing may be left out.
        let count = |name| count_at(&view, name).unwrap_or_default();
        Ok(Engagement {
            likes: count("/likeCount"),
            reposts: count("/repostCount"),
            replies: count("/replyCount"),
            quotes: count_at(&view, "/quoteCount"),
            views: None,
        })
    }

    /// The record's key comes from the idempotency key alone, so a repeat finds the record that is already there, however late it comes.
    pub(super) async fn publish(&self, publication: &Publication) -> Result<Published, SocialError> {
        let session = self.sessions.current(&self.api).await?;
        let rkey = record_key::derived_from(&publication.idempotency_key);
        if let Some(there) = self.own_record(&session, &rkey).await? {
            return already_there(&session, &rkey, &there, publication);
        }
        let record = self.record(publication).await?;
        let write = json!({
            "repo": session.did,
            "collection": POST_COLLECTION,
            "rkey": rkey,
            "record": record,
            // Only if there is none yet: of two that write at once, one is told so.
            "swapRecord": null,
        });
        let answer = self.procedure("com.atproto.repo.putRecord", &write).await?;
        if text_at(&answer.body, "/error").as_deref() == Some("InvalidSwap")
            && let Some(there) = self.own_record(&session, &rkey).await?
        {
            return already_there(&session, &rkey, &there, publication);
        }
        self.api.accepted(answer, PASSWORD_NAME)?;
        Ok(published(&session, &rkey))
    }

    async fn record(&self, publication: &Publication) -> Result<Value, SocialError> {
        let mut record = json!({
            "$type": POST_COLLECTION,
            "text": publication.text,
            "createdAt": self.api.now().to_rfc3339_opts(SecondsFormat::Millis, true),
            // The nearest to "made by AI" among the labels that Bluesky knows.
            "labels": { "$type": "com.atproto.label.defs#selfLabels", "values": [{ "val": "bot" }] },
        });
        let facets = self.facets(&publication.text).await;
        if !facets.is_empty() {
            record["facets"] = facets.into();
        }
        if let Some(media) = &publication.media {
            record["embed"] = self.embed(media).await?;
        }
        if let Some(reply_to) = &publication.reply_to {
            record["reply"] = self.reply(reply_to).await?;
        }
        Ok(record)
    }

    async fn embed(&self, media: &Media) -> Result<Value, SocialError> {
        if !media.kind.is_image() {
            return Err(SocialError::Unsupported("films are not published on bluesky; publish a picture, or the text alone".to_owned()));
        }
        if media.bytes.len() > IMAGE_BYTES_MAX {
            return Err(SocialError::InvalidInput(format!(
                "the picture has {} bytes, and bluesky takes at most {IMAGE_BYTES_MAX}",
                media.bytes.len()
            )));
        }
        let path = ["xrpc", "com.atproto.repo.uploadBlob"];
        let body = || Body::Bytes { content_type: media.kind.mime_type().to_owned(), bytes: media.bytes.clone() };
        let answer = self.api.accepted(self.with_session(|| Call::post(&path, body(), "writing")).await?, PASSWORD_NAME)?;
        let blob = answer.get("blob").ok_or(SocialError::Unexpected { platform: BLUESKY })?;
        Ok(json!({ "$type": "app.bsky.embed.images", "images": [{ "image": blob, "alt": media.alt_text }] }))
    }

    /// Links, tags and names that can be clicked. A name that cannot be resolved stays text: the post does not fail for it.
    async fn facets(&self, text: &str) -> Vec<Value> {
        let mut facets = facets::links_and_tags(text);
        for mention in facets::mentions(text) {
            let answer = self.query("com.atproto.identity.resolveHandle", &[("handle", mention.handle)]).await;
            if let Some(did) = answer.ok().and_then(|answer| text_at(&answer, "/did")) {
                facets.push(mention.facet(&did));
            }
        }
        facets
    }

    /// A reply names the post it answers and the post that began the thread, both with their hashes.
    async fn reply(&self, reply_to: &str) -> Result<Value, SocialError> {
        let not_a_post = || SocialError::InvalidInput(format!("reply_to {reply_to:?} is neither a post's at:// address nor its page"));
        let PostAddress { author, rkey } = PostAddress::parse(reply_to).ok_or_else(not_a_post)?;
        let query = [("repo", author), ("collection", POST_COLLECTION), ("rkey", rkey)];
        let answer = self.query("com.atproto.repo.getRecord", &query).await.map_err(|error| match error {
            // A missing record is a 400 here.
            SocialError::Refused { status: 400, .. } => SocialError::NotFound { platform: BLUESKY },
            other => other,
        })?;
        let unexpected = || SocialError::Unexpected { platform: BLUESKY };
        let uri = text_at(&answer, "/uri").ok_or_else(unexpected)?;
        let cid = text_at(&answer, "/cid").ok_or_else(unexpected)?;
        let parent = json!({ "uri": uri, "cid": cid });
        let root = answer.pointer("/value/reply/root").filter(|root| root["uri"].is_string() && root["cid"].is_string());
        let root = root.map_or_else(|| parent.clone(), |root| json!({ "uri": root["uri"], "cid": root["cid"] }));
        Ok(json!({ "root": root, "parent": parent }))
    }

    async fn own_record(&self, session: &Session, rkey: &str) -> Result<Option<Value>, SocialError> {
        let query = [("repo", session.did.as_str()), ("collection", POST_COLLECTION), ("rkey", rkey)];
        let answer = self.get("com.atproto.repo.getRecord", &query).await?;
        let is_missing = matches!(text_at(&answer.body, "/error").as_deref(), Some("RecordNotFound"))
            || text_at(&answer.body, "/message").is_some_and(|message| message.starts_with("Could not locate record"));
        if answer.status.is_client_error() && is_missing {
            return Ok(None);
        }
        self.api.accepted(answer, PASSWORD_NAME).map(Some)
    }

    async fn query(&self, method: &str, query: &[(&str, &str)]) -> Result<Value, SocialError> {
        self.api.accepted(self.get(method, query).await?, PASSWORD_NAME)
    }

    async fn get(&self, method: &str, query: &[(&str, &str)]) -> Result<Answer, SocialError> {
        let path = ["xrpc", method];
        self.with_session(|| Call::get(&path, query, "reading")).await
    }

    async fn procedure(&self, method: &str, input: &Value) -> Result<Answer, SocialError> {
        let path = ["xrpc", method];
        self.with_session(|| Call::post(&path, Body::Json(input.clone()), "writing")).await
    }

    /// Once more with a new session when the server says that this one is over.
    async fn with_session<'a>(&self, call: impl Fn() -> Call<'a>) -> Result<Answer, SocialError> {
        let session = self.sessions.current(&self.api).await?;
        let answer = self.api.ask(Call { bearer: Some(session.access()), ..call() }).await?;
        if !is_over(&answer) {
            return Ok(answer);
        }
        let session = self.sessions.renewed(&self.api, &session).await?;
        self.api.ask(Call { bearer: Some(session.access()), ..call() }).await
    }
}

fn is_over(answer: &Answer) -> bool {
    matches!(answer.status, StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED)
        && matches!(text_at(&answer.body, "/error").as_deref(), Some("ExpiredToken" | "InvalidToken"))
}

/// The same key with another text is a mistake of the caller, not a repeat.
fn already_there(session: &Session, rkey: &str, there: &Value, asked: &Publication) -> Result<Published, SocialError> {
    if text_at(there, "/value/text").as_deref() == Some(asked.text.as_str()) {
        return Ok(published(session, rkey));
    }
    Err(SocialError::InvalidInput("this idempotency_key has published another text already; a new post needs a new key".to_owned()))
}

fn published(session: &Session, rkey: &str) -> Published {
    Published { post_id: format!("at://{}/{POST_COLLECTION}/{rkey}", session.did), url: page_of(&session.did, rkey) }
}

/// Under the author's DID, which stays when the handle changes.
fn page_of(author: &str, rkey: &str) -> String {
    format!("https://bsky.app/profile/{author}/post/{rkey}")
}

/// A post as feeds, searches and notifications give it.
fn post(view: &Value) -> Option<Post> {
    let post_id = text_at(view, "/uri")?;
    let url = PostAddress::parse(&post_id).map(|address| page_of(address.author, address.rkey));
    Some(Post {
        text: text_at(view, "/record/text")?,
        author: text_at(view, "/author/handle"),
        published_at: text_at(view, "/record/createdAt").or_else(|| text_at(view, "/indexedAt")),
        url,
        post_id,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PostAddress<'a> {
    /// A DID or a handle.
    author: &'a str,
    rkey: &'a str,
}

impl<'a> PostAddress<'a> {
    /// `at://{author}/app.bsky.feed.post/{rkey}` or `https://bsky.app/profile/{author}/post/{rkey}`.
    fn parse(text: &'a str) -> Option<Self> {
        let (rest, collection) = match text.strip_prefix("at://") {
            Some(rest) => (rest, POST_COLLECTION),
            None => (text.strip_prefix("https://bsky.app/profile/")?, "post"),
        };
        let mut parts = rest.split('/');
        let (author, named, rkey) = (parts.next()?, parts.next()?, parts.next()?);
        let is_author = author.starts_with("did:") || is_handle(author);
        let is_key = !rkey.is_empty() && rkey.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:~-".contains(&b));
        (parts.next().is_none() && named == collection && is_author && is_key).then_some(Self { author, rkey })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_are_known_by_their_address_and_by_their_page() {
        let expected = Some(PostAddress { author: "did:plc:abc", rkey: "3kabc" });
        assert_eq!(PostAddress::parse("at://did:plc:abc/app.bsky.feed.post/3kabc"), expected);
        assert_eq!(PostAddress::parse("https://bsky.app/profile/did:plc:abc/post/3kabc"), expected);
        for text in [
            "",
            "3kabc",
            "at://did:plc:abc/app.bsky.feed.like/3kabc",
            "at://did:plc:abc/app.bsky.feed.post/",
            "at://did:plc:abc/app.bsky.feed.post/a/b",
            "at://nobody/app.bsky.feed.post/3kabc",
            "https://bsky.app/profile/a.b/post/3k?x=1",
            "https://elsewhere.example/profile/a.b/post/3k",
        ] {
            assert_eq!(PostAddress::parse(text), None, "{text}");
        }
    }
}
