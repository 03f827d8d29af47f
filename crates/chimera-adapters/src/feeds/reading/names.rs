//! Names of elements, whatever prefix a document gives to their namespace.

use super::markup::{Tag, decoded};
use std::collections::HashMap;

const NAMESPACES_MAX: usize = 100;

/// Prefixes that the document gives to namespaces, wherever it does.
#[derive(Default)]
pub(super) struct Namespaces(HashMap<String, &'static str>);

impl Namespaces {
    /// That of names without a prefix is the root's to say: further in it is said of single fields.
    pub fn learn(&mut self, tag: &Tag<'_>, is_root: bool) {
        for (name, value) in tag.attributes() {
            let prefix = match name.split_once(':') {
                Some((xmlns, prefix)) if xmlns.eq_ignore_ascii_case("xmlns") => prefix,
                None if is_root && name.eq_ignore_ascii_case("xmlns") => "",
                _ => continue,
            };
            // One that nobody knows leaves the prefix what it is, and an unprefixed name a name of the feed's.
            if self.0.len() < NAMESPACES_MAX
                && let Some(usual) = usual_prefix(&decoded(value))
            {
                self.0.entry(prefix.to_ascii_lowercase()).or_insert(usual);
            }
        }
    }

    /// In small letters, with the prefix that is usual for its namespace, and none for what RSS and Atom define.
    pub fn name_of(&self, written: &str) -> String {
        let written = written.to_ascii_lowercase();
        let (prefix, local) = written.split_once(':').unwrap_or(("", &written));
        let usual = self.0.get(prefix).copied().unwrap_or(match prefix {
            "atom" | "atom10" | "a10" | "rss" | "rss1" => "",
            other => other,
        });
        // Where a document gives RDF or HTML no prefix, its names are still plain in a feed.
        if usual.is_empty() || prefix.is_empty() && matches!(usual, "xhtml" | "rdf") {
            local.to_owned()
        } else {
            format!("{usual}:{local}")
        }
    }
}

/// Feeds write namespaces with and without a slash, with `https`, in capitals.
fn usual_prefix(namespace: &str) -> Option<&'static str> {
    let namespace = namespace.trim().to_ascii_lowercase();
    let namespace = namespace.strip_prefix("https").or_else(|| namespace.strip_prefix("http")).unwrap_or(&namespace);
    Some(match namespace.trim_start_matches("://").trim_end_matches('/') {
        "www.w3.org/2005/atom"
        | "purl.org/atom/ns#"
        | "purl.org/rss/1.0"
        | "my.netscape.com/rdf/simple/0.9"
        | "channel.netscape.com/rdf/simple/0.9"
        | "my.netscape.com/publish/formats/rss-0.91.dtd"
        | "backend.userland.com/rss"
        | "backend.userland.com/rss2"
        | "blogs.law.harvard.edu/tech/rss"
        | "cyber.law.harvard.edu/rss"
        | "purl.org/net/rss1.1#"
        | "example.com/newformat#"
        | "backend.userland.com/rss091"
        | "backend.userland.com/rss092"
        | "backend.userland.com/rss093" => "",
        "purl.org/dc/elements/1.1" | "purl.org/dc/elements/1.0" => "dc",
        "purl.org/dc/terms" => "dcterms",
        "purl.org/rss/1.0/modules/content" => "content",
        "search.yahoo.com/mrss" | "video.search.yahoo.com/mrss" => "media",
        "www.itunes.com/dtds/podcast-1.0.dtd" | "example.com/dtds/podcast-1.0.dtd" => "itunes",
        "www.w3.org/1999/xhtml" => "xhtml",
        "www.w3.org/1999/02/22-rdf-syntax-ns#" => "rdf",
        _ => return None,
    })
}
