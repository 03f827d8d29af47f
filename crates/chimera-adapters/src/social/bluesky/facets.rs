//! What in a text can be clicked: Bluesky takes links, tags and names from the record, not from the text.

use super::super::config::is_handle;
use chimera_core::domain::platform::{hashtags, links};
use serde_json::{Value, json};
use std::ops::Range;

/// Bluesky's own limit.
const TAG_BYTES_MAX: usize = 640;
/// Each is looked up; a post of 300 characters has no use for more.
const MENTIONS_MAX: usize = 10;

pub(super) struct Mention<'a> {
    /// Without the `@`.
    pub handle: &'a str,
    range: Range<usize>,
}

impl Mention<'_> {
    pub(super) fn facet(&self, did: &str) -> Value {
        facet(self.range.clone(), json!({ "$type": "app.bsky.richtext.facet#mention", "did": did }))
    }
}

pub(super) fn links_and_tags(text: &str) -> Vec<Value> {
    let links = links(text).into_iter().map(|link| {
        let at = place_in(text, link);
        facet(at..at + link.len(), json!({ "$type": "app.bsky.richtext.facet#link", "uri": link }))
    });
    let tags = hashtags(text).filter(|tag| tag.len() <= TAG_BYTES_MAX).map(|tag| {
        let at = place_in(text, tag);
        facet(at - 1..at + tag.len(), json!({ "$type": "app.bsky.richtext.facet#tag", "tag": tag }))
    });
    links.chain(tags).collect()
}

pub(super) fn mentions(text: &str) -> Vec<Mention<'_>> {
    let named = text.split_whitespace().filter_map(|word| {
        let handle = word.trim_start_matches(['(', '"', '\'', '[']).strip_prefix('@')?;
        let handle = handle.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let at = place_in(text, handle);
        is_handle(handle).then_some(Mention { handle, range: at - 1..at + handle.len() })
    });
    named.take(MENTIONS_MAX).collect()
}

/// In bytes of UTF-8, as Bluesky counts.
fn facet(range: Range<usize>, feature: Value) -> Value {
    json!({ "index": { "byteStart": range.start, "byteEnd": range.end }, "features": [feature] })
}

/// Where `part`, which must be a slice of `text`, begins.
fn place_in(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_tags_and_names_are_found_where_they_stand() {
        let text = "Größe: https://a.example/x#y (@ada.example.com) #Bücher, @nobody #1 ok@mail.example";
        let facets = links_and_tags(text);

        let shown = |facet: &Value| {
            let at = |name: &str| usize::try_from(facet["index"][name].as_u64().unwrap()).unwrap();
            text[at("byteStart")..at("byteEnd")].to_owned()
        };
        assert_eq!(facets.iter().map(shown).collect::<Vec<_>>(), ["https://a.example/x#y", "#Bücher"]);
        assert_eq!(facets[1]["features"][0]["tag"], "Bücher");
        let mentions = mentions(text);
        assert_eq!(mentions.len(), 1);
        assert_eq!(shown(&mentions[0].facet("did:plc:a")), "@ada.example.com");
    }

    #[test]
    fn a_text_without_any_has_none() {
        for text in ["", "#", "@", "# #1 @a @.b", "plain words"] {
            assert!(links_and_tags(text).is_empty() && mentions(text).is_empty(), "{text}");
        }
    }
}
