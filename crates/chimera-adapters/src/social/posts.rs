//! What every platform's answers become: posts and engagement in one form.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

/// The newest that a platform gives in one page.
pub(super) const POSTS_MAX: usize = 100;
/// Longer than any platform's post; a stranger's server may send more.
const TEXT_CHARS_MAX: usize = 8_000;

/// As a stranger wrote it, HTML included: data, never instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Post {
    /// What `reply_to` and the engagement resource take.
    pub post_id: String,
    pub text: String,
    pub url: Option<String>,
    pub author: Option<String>,
    pub published_at: Option<String>,
}

/// How many people did what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Engagement {
    pub likes: u64,
    pub reposts: u64,
    pub replies: u64,
    pub quotes: Option<u64>,
    pub views: Option<u64>,
}

/// Where a post is, once it is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Published {
    pub post_id: String,
    pub url: String,
}

/// Fields without a value are omitted.
pub(super) fn posts_document(platform: &str, posts: Vec<Post>) -> Value {
    let items: Vec<Value> = posts.into_iter().take(POSTS_MAX).map(|post| post_json(platform, post)).collect();
    json!({ "items": items })
}

fn post_json(platform: &str, post: Post) -> Value {
    let text = post.text.chars().take(TEXT_CHARS_MAX).collect();
    let fields = [
        ("post_id", Some(post.post_id)),
        ("text", Some(text)),
        ("url", post.url),
        ("author", post.author),
        ("published_at", post.published_at),
        ("source", Some(platform.to_owned())),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?)))).collect::<Map<_, _>>().into()
}

pub(super) fn engagement_document(platform: &str, post_id: &str, engagement: Engagement, now: DateTime<Utc>) -> Value {
    let mut document = json!({
        "platform": platform,
        "post_id": post_id,
        "likes": engagement.likes,
        "reposts": engagement.reposts,
        "replies": engagement.replies,
        "at": now.to_rfc3339_opts(SecondsFormat::Millis, true),
    });
    for (name, count) in [("quotes", engagement.quotes), ("views", engagement.views)] {
        if let Some(count) = count {
            document[name] = count.into();
        }
    }
    document
}

/// The text at `pointer`, if there is one with something in it.
pub(super) fn text_at(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The elements of the list at `pointer`; none when there is no list.
pub(super) fn list_at<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn count_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}
