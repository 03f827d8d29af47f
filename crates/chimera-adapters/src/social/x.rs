//! X, by its API v2: mentions read, posts published with its own "made with AI" mark. It has no idempotency keys.

mod signing;

use super::address::{TWITTER, TwitterAddress};
use super::api::{Answer, Api, Body, Call, Repeating};
use super::config::{XAccess, XAccount};
use super::errors::SocialError;
use super::posts::{Engagement, Post, Published, count_at, engagement_document, list_at, posts_document, text_at};
use super::publishing::Publication;
use chimera_core::ports::clock::Clock;
use reqwest::StatusCode;
use serde_json::{Value, json};
use signing::Moment;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

pub(super) const TOKEN_NAME: &str = "X_BEARER_TOKEN";
const KEY_NAMES: &str = "X_API_KEY, X_API_SECRET, X_ACCESS_TOKEN and X_ACCESS_TOKEN_SECRET";
const PAGE: &str = "100";
const WITH_AUTHOR: [(&str, &str); 3] = [("tweet.fields", "created_at,author_id"), ("expansions", "author_id"), ("user.fields", "username")];

pub(super) struct X {
    api: Api,
    access: Option<XAccess>,
    user_id: OnceCell<String>,
}

impl X {
    pub(super) fn new(account: XAccount, clock: Arc<dyn Clock>, deadline: Duration) -> Result<Self, reqwest::Error> {
        let XAccount { base_url, user_id, access } = account;
        // Of the keys, only the token is sent; the secrets sign.
        let sent = access.as_ref().map(|access| match access {
            XAccess::Bearer(token) => token.clone(),
            XAccess::Keys(keys) => keys.access_token.clone(),
        });
        let user_id = OnceCell::new_with(user_id);
        Ok(Self { api: Api::new(TWITTER, base_url, sent, clock, deadline)?, access, user_id })
    }

    pub(super) async fn read(&self, address: &TwitterAddress) -> Result<Value, SocialError> {
        match address {
            TwitterAddress::Mentions => Ok(posts_document(TWITTER, self.mentions().await?)),
            TwitterAddress::Post(id) => Ok(posts_document(TWITTER, vec![self.one_post(id).await?])),
            TwitterAddress::Engagement(id) => Ok(engagement_document(TWITTER, id, self.engagement(id).await?, self.api.now())),
        }
    }

    async fn mentions(&self) -> Result<Vec<Post>, SocialError> {
        let user_id = self.user_id.get_or_try_init(|| self.own_id()).await?;
        let path = ["2", "users", user_id, "mentions"];
        let [fields, expansions, user_fields] = WITH_AUTHOR;
        let query = [("max_results", PAGE), fields, expansions, user_fields];
        let answer = self.get(Call::get(&path, &query, "mentions")).await?;
        // No mentions at all is an answer without "data".
        let users = list_at(&answer, "/includes/users");
        Ok(list_at(&answer, "/data").iter().filter_map(|tweet| post(tweet, users)).collect())
    }

    async fn one_post(&self, post_id: &str) -> Result<Post, SocialError> {
        let answer = self.get(Call::get(&["2", "tweets", post_id], &WITH_AUTHOR, "posts")).await?;
        // A post that is gone is a success with an error in it.
        let found = answer.get("data").and_then(|tweet| post(tweet, list_at(&answer, "/includes/users")));
        found.ok_or(SocialError::NotFound { platform: TWITTER })
    }

    /// The token's owner; X tells it only to a token that a user granted.
    async fn own_id(&self) -> Result<String, SocialError> {
        let answer = self.get(Call::get(&["2", "users", "me"], &[], "me")).await?;
        text_at(&answer, "/data/id").ok_or(SocialError::Unexpected { platform: TWITTER })
    }

    async fn engagement(&self, post_id: &str) -> Result<Engagement, SocialError> {
        let query = [("tweet.fields", "public_metrics")];
        let answer = self.get(Call::get(&["2", "tweets", post_id], &query, "posts")).await?;
        // A post that is gone is a success with an error in it.
        let metrics = answer.pointer("/data/public_metrics").ok_or(SocialError::NotFound { platform: TWITTER })?;
        let count = |name| count_at(metrics, name).ok_or(SocialError::Unexpected { platform: TWITTER });
        Ok(Engagement {
            likes: count("/like_count")?,
            reposts: count("/retweet_count")?,
            replies: count("/reply_count")?,
            quotes: count_at(metrics, "/quote_count"),
            views: count_at(metrics, "/impression_count"),
        })
    }

    pub(super) async fn publish(&self, publication: &Publication) -> Result<Published, SocialError> {
        if publication.media.is_some() {
            return Err(SocialError::Unsupported("media are not published on twitter; publish the text without media_uri".to_owned()));
        }
        let mut tweet = json!({ "text": publication.text, "made_with_ai": true });
        if let Some(reply_to) = &publication.reply_to {
            let id = post_number(reply_to).ok_or_else(|| not_a_post(reply_to))?;
            tweet["reply"] = json!({ "in_reply_to_tweet_id": id });
        }
        let path = ["2", "tweets"];
        let call = Call { repeating: Repeating::Unsafe, ..Call::post(&path, Body::Json(tweet), "publishing") };
        let answer = self.ask(call).await?;
        if is_duplicate(&answer) {
            return Err(SocialError::Duplicate { platform: TWITTER });
        }
        let answer = self.api.accepted(answer, self.secret_name())?;
        let unclear = || SocialError::OutcomeUnknown { platform: TWITTER, reason: "accepted it and told no id".to_owned() };
        let post_id = text_at(&answer, "/data/id").ok_or_else(unclear)?;
        Ok(Published { url: address_of(&post_id), post_id })
    }

    async fn get(&self, call: Call<'_>) -> Result<Value, SocialError> {
        self.api.accepted(self.ask(call).await?, self.secret_name())
    }

    async fn ask(&self, call: Call<'_>) -> Result<Answer, SocialError> {
        match &self.access {
            Some(XAccess::Bearer(token)) => self.api.ask(call.bearer(Some(token.expose()))).await,
            Some(XAccess::Keys(keys)) => {
                let moment = Moment { nonce: uuid::Uuid::new_v4().simple().to_string(), unix_seconds: self.api.now().timestamp() };
                let address = self.api.address(call.path);
                let header = signing::authorization(keys, call.method.as_str(), &address, call.query, &moment);
                self.api.ask(Call { headers: &[("authorization", header.as_str())], ..call }).await
            }
            None => {
                let missing = format!("neither {TOKEN_NAME} nor {KEY_NAMES} are set; list them, or …_FILE, under the upstream's env");
                Err(SocialError::NotConfigured(missing))
            }
        }
    }

    fn secret_name(&self) -> &'static str {
        if matches!(self.access, Some(XAccess::Keys(_))) { KEY_NAMES } else { TOKEN_NAME }
    }
}

fn post(tweet: &Value, users: &[Value]) -> Option<Post> {
    let post_id = text_at(tweet, "/id")?;
    let author = users.iter().find(|user| user["id"] == tweet["author_id"]).and_then(|user| text_at(user, "/username"));
    Some(Post {
        url: Some(address_of(&post_id)),
        text: text_at(tweet, "/text")?,
        author,
        published_at: text_at(tweet, "/created_at"),
        post_id,
    })
}

fn address_of(post_id: &str) -> String {
    format!("https://x.com/i/status/{post_id}")
}

/// A post's number, given as such or as the post's address.
fn post_number(reply_to: &str) -> Option<&str> {
    let number = match reply_to.rsplit_once("/status/") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next()?,
        None => reply_to,
    };
    super::config::is_number(number).then_some(number)
}

fn not_a_post(reply_to: &str) -> SocialError {
    SocialError::InvalidInput(format!("reply_to {reply_to:?} is neither a post's number nor its address on X"))
}

/// X compares texts itself, for some hours, and says so in words alone.
fn is_duplicate(answer: &Answer) -> bool {
    answer.status == StatusCode::FORBIDDEN && text_at(&answer.body, "/detail").is_some_and(|detail| detail.contains("duplicate content"))
}
