//! Mastodon, and servers with its API: timelines and mentions read, statuses published under Mastodon's own idempotency keys.

use super::address::{MASTODON, MastodonAddress};
use super::api::{Api, Body, Call};
use super::config::{MastodonAccount, Secret};
use super::errors::SocialError;
use super::media::Media;
use super::posts::{Engagement, Post, Published, count_at, engagement_document, posts_document, text_at};
use super::publishing::Publication;
use chimera_core::ports::clock::Clock;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(super) const TOKEN_NAME: &str = "MASTODON_TOKEN";
/// What Mastodon gives at most in one page.
const PAGE: &str = "40";
const READY_CHECKS_MAX: usize = 30;
const READY_CHECK_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct Mastodon {
    api: Api,
    token: Option<Secret>,
}

impl Mastodon {
    pub(super) fn new(account: MastodonAccount, clock: Arc<dyn Clock>, deadline: Duration) -> Result<Self, reqwest::Error> {
        let MastodonAccount { base_url, token } = account;
        Ok(Self { api: Api::new(MASTODON, base_url, token.clone(), clock, deadline)?, token })
    }

    pub(super) async fn read(&self, address: &MastodonAddress) -> Result<Value, SocialError> {
        let public = ["api", "v1", "timelines", "public"];
        let posts = match address {
            MastodonAddress::Public => self.timeline(&public, &[("limit", PAGE)]).await?,
            MastodonAddress::Local => self.timeline(&public, &[("limit", PAGE), ("local", "true")]).await?,
            MastodonAddress::Tag(tag) => self.timeline(&["api", "v1", "timelines", "tag", tag], &[("limit", PAGE)]).await?,
            MastodonAddress::Mentions => self.mentions().await?,
            MastodonAddress::Post(id) => vec![self.one_post(id).await?],
            MastodonAddress::Engagement(id) => {
                return Ok(engagement_document(MASTODON, id, self.engagement(id).await?, self.api.now()));
            }
        };
        Ok(posts_document(MASTODON, posts))
    }

    async fn timeline(&self, path: &[&str], query: &[(&str, &str)]) -> Result<Vec<Post>, SocialError> {
        let call = Call::get(path, query, "reading").bearer(self.token.as_ref().map(Secret::expose));
        let answer = self.api.accepted(self.api.ask(call).await?, TOKEN_NAME)?;
        let statuses = answer.as_array().ok_or(SocialError::Unexpected { platform: MASTODON })?;
        Ok(statuses.iter().filter_map(post).collect())
    }

    /// Of those that everyone may read: a public answer to a private message would give it away.
    async fn mentions(&self) -> Result<Vec<Post>, SocialError> {
        let query = [("types[]", "mention"), ("limit", PAGE)];
        let call = Call::get(&["api", "v1", "notifications"], &query, "reading").bearer(Some(self.token()?));
        let answer = self.api.accepted(self.api.ask(call).await?, TOKEN_NAME)?;
        let notifications = answer.as_array().ok_or(SocialError::Unexpected { platform: MASTODON })?;
        // Servers before 3.5 do not know `types` and send every kind.
        let mentions = notifications.iter().filter(|one| one["type"] == "mention").map(|one| &one["status"]);
        Ok(mentions.filter(|status| is_for_everyone(status)).filter_map(post).collect())
    }

    /// One that not everyone may read is not there.
    async fn one_post(&self, post_id: &str) -> Result<Post, SocialError> {
        let status = self.status(post_id).await?;
        post(&status).filter(|_| is_for_everyone(&status)).ok_or(SocialError::NotFound { platform: MASTODON })
    }

    async fn status(&self, post_id: &str) -> Result<Value, SocialError> {
        let path = ["api", "v1", "statuses", post_id];
        let call = Call::get(&path, &[], "reading").bearer(self.token.as_ref().map(Secret::expose));
        self.api.accepted(self.api.ask(call).await?, TOKEN_NAME)
    }

    async fn engagement(&self, post_id: &str) -> Result<Engagement, SocialError> {
        let status = self.status(post_id).await?;
        let count = |name| count_at(&status, name).ok_or(SocialError::Unexpected { platform: MASTODON });
        Ok(Engagement {
            likes: count("/favourites_count")?,
            reposts: count("/reblogs_count")?,
            replies: count("/replies_count")?,
            quotes: count_at(&status, "/quotes_count"),
            views: None,
        })
    }

    /// Mastodon keeps the key for an hour: a repeat within it answers with the status that is already there.
    pub(super) async fn publish(&self, publication: &Publication) -> Result<Published, SocialError> {
        let token = self.token()?;
        let mut status = json!({ "status": publication.text, "visibility": "public" });
        if let Some(reply_to) = &publication.reply_to {
            status["in_reply_to_id"] = self.status_id(reply_to).await?.into();
        }
        if let Some(media) = &publication.media {
            status["media_ids"] = json!([self.upload(media, token).await?]);
        }
        let headers = [("Idempotency-Key", publication.idempotency_key.as_str())];
        let path = ["api", "v1", "statuses"];
        let call = Call { headers: &headers, ..Call::post(&path, Body::Json(status), "publishing") }.bearer(Some(token));
        let answer = self.api.accepted(self.api.ask(call).await?, TOKEN_NAME)?;
        let url = text_at(&answer, "/url").or_else(|| text_at(&answer, "/uri"));
        match (text_at(&answer, "/id"), url) {
            (Some(post_id), Some(url)) => Ok(Published { post_id, url }),
            _ => Err(SocialError::Unexpected { platform: MASTODON }),
        }
    }

    /// A film is made ready after it was taken; until then a status cannot have it.
    async fn upload(&self, media: &Media, token: &str) -> Result<String, SocialError> {
        let path = ["api", "v2", "media"];
        let call = Call::post(&path, form(media), "media").bearer(Some(token));
        let mut answer = self.api.ask(call).await?;
        for check in 0..READY_CHECKS_MAX {
            let is_ready = !matches!(answer.status, StatusCode::ACCEPTED | StatusCode::PARTIAL_CONTENT);
            let taken = self.api.accepted(answer, TOKEN_NAME)?;
            let id = text_at(&taken, "/id").ok_or(SocialError::Unexpected { platform: MASTODON })?;
            if is_ready {
                return Ok(id);
            }
            // A picture is mostly ready at once.
            tokio::time::sleep(if check == 0 { Duration::ZERO } else { READY_CHECK_INTERVAL }).await;
            let path = ["api", "v1", "media", &id];
            answer = self.api.ask(Call::get(&path, &[], "reading").bearer(Some(token))).await?;
        }
        Err(SocialError::Unavailable { platform: MASTODON, reason: "is still making the media ready".to_owned() })
    }

    /// A post elsewhere is known here under a number of this server's own, which a search by its address tells.
    async fn status_id(&self, reply_to: &str) -> Result<String, SocialError> {
        if !reply_to.starts_with("https://") && !reply_to.starts_with("http://") {
            return Ok(reply_to.to_owned());
        }
        let query = [("q", reply_to), ("type", "statuses"), ("resolve", "true"), ("limit", "1")];
        let call = Call::get(&["api", "v2", "search"], &query, "reading").bearer(Some(self.token()?));
        let found = self.api.accepted(self.api.ask(call).await?, TOKEN_NAME)?;
        text_at(&found, "/statuses/0/id").ok_or(SocialError::NotFound { platform: MASTODON })
    }

    fn token(&self) -> Result<&str, SocialError> {
        let missing =
            || SocialError::NotConfigured(format!("{TOKEN_NAME} is not set; list it, or {TOKEN_NAME}_FILE, under the upstream's env"));
        self.token.as_ref().map(Secret::expose).ok_or_else(missing)
    }
}

/// As browsers send a file.
fn form(media: &Media) -> Body {
    let boundary = format!("chimera-{}", uuid::Uuid::new_v4().simple());
    let mut bytes = Vec::with_capacity(media.bytes.len() + media.alt_text.len() + 512);
    if !media.alt_text.is_empty() {
        bytes.extend(format!("--{boundary}\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\n{}\r\n", media.alt_text).bytes());
    }
    let (name, kind) = (media.kind.file_name(), media.kind.mime_type());
    let head =
        format!("--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n");
    bytes.extend(head.bytes());
    bytes.extend(&media.bytes);
    bytes.extend(format!("\r\n--{boundary}--\r\n").bytes());
    Body::Bytes { content_type: format!("multipart/form-data; boundary={boundary}"), bytes }
}

fn is_for_everyone(status: &Value) -> bool {
    matches!(status["visibility"].as_str(), Some("public" | "unlisted"))
}

/// `None` for what has no text, such as a picture alone.
fn post(status: &Value) -> Option<Post> {
    Some(Post {
        post_id: text_at(status, "/id")?,
        text: text_at(status, "/content")?,
        url: text_at(status, "/url").or_else(|| text_at(status, "/uri")),
        author: text_at(status, "/account/acct"),
        published_at: text_at(status, "/created_at"),
    })
}
