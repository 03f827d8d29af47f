//! The tool that publishes: its arguments, checked, and its schemas.

use super::address::{BLUESKY, MASTODON, TWITTER};
use super::errors::SocialError;
use super::media::{ALT_TEXT_CHARS_MAX, Media};
use serde_json::{Map, Value, json};

pub(super) const TOOL: &str = "publish";
const KEY_CHARS_MAX: usize = 128;
/// More than any platform takes; each has its own limit and says so.
const TEXT_CHARS_MAX: usize = 25_000;
const REFERENCE_CHARS_MAX: usize = 2_048;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platform {
    Mastodon,
    Bluesky,
    Twitter,
}

/// What is to be published, as given: nothing is added to the text or taken from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Publication {
    pub platform: Platform,
    /// Visible ASCII, which any header and any platform can carry.
    pub idempotency_key: String,
    pub text: String,
    pub media: Option<Media>,
    /// A post's id on the platform, or its address.
    pub reply_to: Option<String>,
}

impl Publication {
    /// Null on an optional field means absent.
    pub(super) fn from_arguments(arguments: Map<String, Value>) -> Result<Self, SocialError> {
        let known = ["platform", "idempotency_key", "text", "media_uri", "alt_text", "reply_to", "ai_generated"];
        if let Some(unknown) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(invalid(format!("{unknown:?} is not an argument; known are {}", known.join(", "))));
        }
        if arguments.get("ai_generated") != Some(&Value::Bool(true)) {
            return Err(invalid("ai_generated must be true: what is published here is labelled as made by AI".to_owned()));
        }
        let platform = match required(&arguments, "platform")?.as_str() {
            MASTODON => Platform::Mastodon,
            BLUESKY => Platform::Bluesky,
            TWITTER => Platform::Twitter,
            other => return Err(invalid(format!("platform {other:?} is not one of {MASTODON}, {BLUESKY}, {TWITTER}"))),
        };
        let idempotency_key = required(&arguments, "idempotency_key")?;
        if idempotency_key.len() > KEY_CHARS_MAX || !idempotency_key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(invalid(format!("idempotency_key must have 1 to {KEY_CHARS_MAX} visible ASCII characters")));
        }
        let text = required(&arguments, "text")?;
        if text.trim().is_empty() || text.chars().count() > TEXT_CHARS_MAX {
            return Err(invalid(format!("text must have 1 to {TEXT_CHARS_MAX} characters, not all of them blank")));
        }
        let alt_text = optional(&arguments, "alt_text")?;
        if alt_text.as_ref().is_some_and(|text| text.chars().count() > ALT_TEXT_CHARS_MAX) {
            return Err(invalid(format!("alt_text has more than {ALT_TEXT_CHARS_MAX} characters")));
        }
        let media = optional(&arguments, "media_uri")?.map(|uri| Media::parse(&uri, alt_text)).transpose()?;
        let reply_to = optional(&arguments, "reply_to")?;
        if reply_to.as_ref().is_some_and(|given| given.is_empty() || given.chars().count() > REFERENCE_CHARS_MAX) {
            return Err(invalid(format!("reply_to must have 1 to {REFERENCE_CHARS_MAX} characters")));
        }
        Ok(Self { platform, idempotency_key, text, media, reply_to })
    }
}

fn required(arguments: &Map<String, Value>, name: &str) -> Result<String, SocialError> {
    optional(arguments, name)?.filter(|text| !text.is_empty()).ok_or_else(|| invalid(format!("{name} is missing")))
}

fn optional(arguments: &Map<String, Value>, name: &str) -> Result<Option<String>, SocialError> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid(format!("{name} must be text"))),
    }
}

fn invalid(problem: String) -> SocialError {
    SocialError::InvalidInput(problem)
}

/// `platforms` are those that are configured.
pub(super) fn input_schema(platforms: &[&str]) -> Value {
    let optional = |description: &str| json!({ "type": ["string", "null"], "description": description });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": ["platform", "idempotency_key", "text", "ai_generated"],
        "properties": {
            "platform": { "type": "string", "enum": platforms },
            "idempotency_key": {
                "type": "string", "minLength": 1, "maxLength": KEY_CHARS_MAX, "pattern": "^[!-~]+$",
                "description": "One for each post: the same key never publishes twice on mastodon (for an hour) and bluesky (ever). X has no such keys.",
            },
            "text": { "type": "string", "minLength": 1, "maxLength": TEXT_CHARS_MAX, "description": "Published exactly as given." },
            "media_uri": optional("The picture or film itself: data:image/png;base64,… (png, jpeg, webp, gif; mp4 on mastodon). Not on twitter."),
            "alt_text": optional("What the media shows, for people who cannot see it."),
            "reply_to": optional("The post to answer: its post_id, or its address."),
            "ai_generated": { "const": true, "description": "Sets the platform's own label where it has one." },
        },
    })
}

pub(super) fn output_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": ["post_id", "url"],
        "properties": {
            "post_id": { "type": "string", "description": "The platform's own id; the engagement resource and reply_to take it." },
            "url": { "type": "string", "description": "Where people see it." },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(change: impl FnOnce(&mut Map<String, Value>)) -> Map<String, Value> {
        let given = json!({ "platform": "mastodon", "idempotency_key": "k-1", "text": "Hello", "ai_generated": true });
        let mut given = given.as_object().unwrap().clone();
        change(&mut given);
        given
    }

    #[test]
    fn the_arguments_of_the_contract_are_taken() {
        let given = arguments(|given| {
            given.insert("reply_to".to_owned(), json!("17"));
            given.insert("media_uri".to_owned(), Value::Null);
        });

        let publication = Publication::from_arguments(given).unwrap();

        let expected = Publication {
            platform: Platform::Mastodon,
            idempotency_key: "k-1".to_owned(),
            text: "Hello".to_owned(),
            media: None,
            reply_to: Some("17".to_owned()),
        };
        assert_eq!(publication, expected);
    }

    #[test]
    fn malformed_arguments_are_refused_with_their_name() {
        let table = [
            ("platform", json!("x"), "invalid_input: platform \"x\""),
            ("platform", json!(7), "invalid_input: platform must be text"),
            ("platform", Value::Null, "invalid_input: platform is missing"),
            ("idempotency_key", json!(""), "invalid_input: idempotency_key is missing"),
            ("idempotency_key", json!("a b"), "invalid_input: idempotency_key must"),
            ("idempotency_key", json!("ü"), "invalid_input: idempotency_key must"),
            ("idempotency_key", json!("k\r\nX: y"), "invalid_input: idempotency_key must"),
            ("idempotency_key", json!("k".repeat(129)), "invalid_input: idempotency_key must"),
            ("text", json!(" \n"), "invalid_input: text must"),
            ("text", json!("a".repeat(25_001)), "invalid_input: text must"),
            ("ai_generated", json!(false), "invalid_input: ai_generated must be true"),
            ("ai_generated", json!("true"), "invalid_input: ai_generated must be true"),
            ("reply_to", json!(""), "invalid_input: reply_to must"),
            ("alt_text", json!([]), "invalid_input: alt_text must be text"),
            ("alt_text", json!("a".repeat(1_501)), "invalid_input: alt_text has more"),
            ("media_uri", json!("chimera://assets/1"), "unsupported: media_uri"),
            ("visibility", json!("public"), "invalid_input: \"visibility\" is not an argument"),
        ];
        for (name, value, expected) in table {
            let error = Publication::from_arguments(arguments(|given| {
                given.insert(name.to_owned(), value.clone());
            }))
            .unwrap_err()
            .to_string();
            assert!(error.starts_with(expected), "{name} = {value}: {error}");
        }
    }
}
