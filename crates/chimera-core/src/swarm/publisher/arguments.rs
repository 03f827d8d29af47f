//! What a publishing tool takes, by its own input schema. It is sent what it takes and nothing else; a post that would lose a part on the
//! way is not sent.

use super::media::Attached;
use crate::ports::swarm::Post;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const PLATFORM: &str = "platform";
const KEY: &str = "idempotency_key";
const TEXT: &str = "text";
const LABEL: &str = "ai_generated";
const MEDIA: &str = "media_uri";
const DESCRIPTION: &str = "alt_text";
const REPLY: &str = "reply_to";
const ALL: [&str; 7] = [PLATFORM, KEY, TEXT, LABEL, MEDIA, DESCRIPTION, REPLY];
/// Of a list of names that somebody else wrote.
const NAMES_SHOWN_MAX: usize = 8;
const NAME_CHARS_MAX: usize = 40;

/// A tool that can publish the text of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenArguments {
    /// `None` where the schema names none, and so takes any.
    named: Option<BTreeSet<String>>,
    required: BTreeSet<String>,
}

/// Why no post can ever go through this tool, as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("it takes no argument \"text\" that may be a string, so a post cannot be handed to it; it takes {takes}")]
    NoText { takes: String },
    #[error("it must be given {wants}, which a post does not have")]
    WantsMore { wants: String },
    #[error("it does not publish on {platform:?}, only on {others}")]
    OtherPlatforms { platform: String, others: String },
}

impl TakenArguments {
    pub fn of(schema: &Map<String, Value>, platform: &str) -> Result<Self, Unfit> {
        let properties = schema.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty());
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let named = match properties {
            Some(properties) => Some(properties.keys().cloned().collect::<BTreeSet<_>>()),
            None => is_closed.then(BTreeSet::new),
        };
        let property = |name: &str| properties.and_then(|properties| properties.get(name));
        let takes_text = named.is_none() || property(TEXT).is_some_and(may_be_text);
        if !takes_text {
            return Err(Unfit::NoText { takes: listed(named.iter().flatten().map(String::as_str)) });
        }
        let required: BTreeSet<String> = strings(schema.get("required")).map(str::to_owned).collect();
        if required.iter().any(|name| !ALL.contains(&name.as_str())) {
            let wants = listed(required.iter().map(String::as_str).filter(|name| !ALL.contains(name)));
            return Err(Unfit::WantsMore { wants });
        }
        if let Some(platforms) = property(PLATFORM).and_then(|property| property.get("enum"))
            && !strings(Some(platforms)).any(|known| known == platform)
        {
            return Err(Unfit::OtherPlatforms { platform: platform.to_owned(), others: listed(strings(Some(platforms))) });
        }
        Ok(Self { named, required })
    }

    /// Whether it promises to know a post again. One that takes anything promises nothing.
    pub fn takes_key(&self) -> bool {
        self.named.as_ref().is_some_and(|named| named.contains(KEY))
    }

    /// What to send of this post; an `Err` says why it would not be the post that was approved.
    pub(super) fn filled(&self, post: &Post, media: Option<Attached>) -> Result<Map<String, Value>, String> {
        let mut arguments = Map::from_iter([
            (PLATFORM.to_owned(), json!(post.platform)),
            (KEY.to_owned(), json!(post.post_id)),
            (TEXT.to_owned(), json!(post.text)),
            (LABEL.to_owned(), json!(true)),
        ]);
        let (media_uri, alt_text) = media.map_or((None, None), |media| (Some(media.media_uri), media.alt_text));
        for (name, value, without) in [
            (MEDIA, media_uri, Some("without its picture or film it would be another post")),
            (REPLY, post.reply_to.clone(), Some("it is an answer, and would stand alone")),
            (DESCRIPTION, alt_text, None),
        ] {
            let Some(value) = value else { continue };
            if let Some(without) = without
                && !self.takes(name)
            {
                return Err(format!("the publishing tool takes no {name}: {without}"));
            }
            arguments.insert(name.to_owned(), json!(value));
        }
        if let Some(missing) = self.required.iter().find(|name| !arguments.contains_key(*name)) {
            return Err(format!("the publishing tool must be given {missing}, and this post has none"));
        }
        arguments.retain(|name, _| self.takes(name));
        Ok(arguments)
    }

    fn takes(&self, name: &str) -> bool {
        self.named.as_ref().is_none_or(|named| named.contains(name))
    }
}

/// Only what says plainly that it is something else is taken for that.
fn may_be_text(property: &Value) -> bool {
    match property.get("type") {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => *property != Value::Bool(false),
    }
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let shown = |name: &str| format!("{:?}", name.chars().take(NAME_CHARS_MAX).collect::<String>());
    let shown: Vec<String> = names.take(NAMES_SHOWN_MAX).map(shown).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(schema: Value) -> Result<TakenArguments, Unfit> {
        TakenArguments::of(schema.as_object().unwrap(), "linkedin")
    }

    #[test]
    fn a_tool_that_cannot_take_the_text_is_named_unfit_with_what_it_takes() {
        for (schema, expected) in [
            (json!({ "properties": { "content": { "type": "string" } } }), "it takes \"content\""),
            (json!({ "properties": { "text": { "type": "object" } } }), "it takes \"text\""),
            (json!({ "properties": { "text": { "type": ["number", "null"] } } }), "no argument \"text\""),
            (json!({ "properties": { "text": false } }), "no argument \"text\""),
            (json!({ "additionalProperties": false }), "it takes none"),
            (json!({ "properties": { "text": {} }, "required": ["text", "access_token"] }), "must be given \"access_token\""),
            (json!({ "properties": { "text": {}, "platform": { "enum": ["x", "threads"] } } }), "only on \"x\", \"threads\""),
        ] {
            let unfit = taken(schema.clone()).unwrap_err().to_string();
            assert!(unfit.contains(expected), "{schema}: {unfit}");
        }
    }

    #[test]
    fn a_key_is_taken_only_where_the_schema_names_it() {
        for (schema, expected) in [
            (json!({ "properties": { "text": { "type": "string" }, "idempotency_key": { "type": "string" } } }), true),
            (json!({ "properties": { "text": { "type": ["string", "null"] }, "platform": { "enum": ["linkedin"] } } }), false),
            (json!({ "properties": { "text": { "minLength": 1 } }, "additionalProperties": true }), false),
            (json!({ "type": "object" }), false),
            (json!({}), false),
        ] {
            assert_eq!(taken(schema.clone()).unwrap().takes_key(), expected, "{schema}");
        }
    }
}
