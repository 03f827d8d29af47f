//! RSS of every version, RDF and Atom, item by item: what is wrong in one costs that one.

use super::{
    fields::{Field, author_of, content_of, link_of},
    markup::{Placed, Tag, Token, Tokens, decoded, text_of},
    names::Namespaces,
};
use chimera_core::perception::dates::read_date;
use chrono::{DateTime, Utc};
use url::Url;

/// Elements around items and fields; deeper ones are passed over.
const DEPTH_MAX: usize = 64;
/// Before the root may stand what a server had to complain about.
const TAGS_BEFORE_ROOT_MAX: usize = 20;

/// As it is written, still with HTML and its entities.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub title: Ranked<String>,
    pub summary: Ranked<String>,
    pub link: Ranked<String>,
    pub author: Ranked<String>,
    pub date: Ranked<DateTime<Utc>>,
}

#[derive(Debug, Default)]
pub(super) struct Document {
    pub title: Option<String>,
    pub author: Option<String>,
    pub entries: Vec<Entry>,
}

/// The best of several that say the same: the lowest rank, and of one rank the first.
#[derive(Debug)]
pub(super) struct Ranked<T>(Option<(u8, T)>);

impl<T> Default for Ranked<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Ranked<T> {
    fn offer(&mut self, rank: u8, value: T) {
        if self.0.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.0 = Some((rank, value));
        }
    }

    pub fn take(self) -> Option<T> {
        self.0.map(|(_, value)| value)
    }
}

struct OpenField<'a> {
    field: Field,
    tag: Tag<'a>,
    /// As it is written, to know its end by.
    name: String,
    from: usize,
    /// Elements of its own name inside it.
    inner: usize,
    base: Option<Url>,
}

struct Element {
    name: String,
    base: Option<Url>,
}

/// `None` when it has no root of a feed. `address` is where it was fetched from.
pub(super) fn read(source: &str, address: Option<&Url>, entries_max: usize) -> Option<Result<Document, CutShort>> {
    let mut reader = Reader {
        source,
        names: Namespaces::default(),
        elements: Vec::new(),
        field: None,
        entry: None,
        document: Document::default(),
        feed_link: None,
        feed_author: Ranked::default(),
        is_closed: false,
        address: address.cloned(),
        entries_max,
    };
    let mut tokens = Tokens::new(source);
    reader.find_root(&mut tokens)?;
    for placed in tokens {
        if reader.document.entries.len() >= entries_max {
            reader.is_closed = true;
            break;
        }
        reader.take(placed);
    }
    Some(reader.finish())
}

/// It ends before its first item.
#[derive(Debug)]
pub(super) struct CutShort;

struct Reader<'a> {
    source: &'a str,
    names: Namespaces,
    elements: Vec<Element>,
    field: Option<OpenField<'a>>,
    entry: Option<Entry>,
    document: Document,
    feed_link: Option<Url>,
    feed_author: Ranked<String>,
    is_closed: bool,
    address: Option<Url>,
    entries_max: usize,
}

fn is_root(name: &str) -> bool {
    matches!(name, "rss" | "rdf:rdf" | "rdf" | "feed" | "channel")
}

fn is_entry(name: &str) -> bool {
    matches!(name, "item" | "entry")
}

impl<'a> Reader<'a> {
    fn find_root(&mut self, tokens: &mut Tokens<'a>) -> Option<()> {
        let mut tags = 0;
        for placed in tokens {
            let Token::Start(tag) = placed.token else { continue };
            self.names.learn(&tag, true);
            let name = self.names.name_of(tag.name);
            if is_root(&name) {
                self.is_closed = tag.is_empty;
                self.open(name, &tag);
                return Some(());
            }
            // Atom has documents of one entry.
            if name == "entry" && tags == 0 {
                self.open_entry(name, &tag, placed.start);
                return Some(());
            }
            tags += 1;
            if tags > TAGS_BEFORE_ROOT_MAX || matches!(name.as_str(), "html" | "xhtml:html") {
                return None;
            }
        }
        None
    }

    fn take(&mut self, placed: Placed<'a>) {
        match placed.token {
            Token::Start(tag) => {
                self.names.learn(&tag, false);
                let name = self.names.name_of(tag.name);
                self.start(name, tag, placed.start, placed.end);
            }
            Token::End(name) => self.end(&self.names.name_of(name), placed.start),
            Token::Text(_) | Token::CharacterData(_) => {}
        }
    }

    fn start(&mut self, name: String, tag: Tag<'a>, start: usize, end: usize) {
        if is_entry(&name) {
            return self.open_entry(name, &tag, start);
        }
        let known = Field::of(&name);
        if let Some(open) = &mut self.field {
            let begins_another = known.is_some_and(|field| field != Field::OfOthers) && !name.starts_with("xhtml:");
            if !(open.field.is_line() && begins_another) {
                open.inner += usize::from(open.name == name && !tag.is_empty);
                return;
            }
            self.close_field(start);
        }
        let parent = self.elements.last().map_or("", |element| element.name.as_str());
        // Of the feed itself, only what stands directly in it.
        let counts = self.entry.is_some() || is_root(parent);
        match known.filter(|_| counts) {
            Some(field) => {
                let base = self.base_with(&tag);
                let open = OpenField { field, tag, name, from: end, inner: 0, base };
                if tag.is_empty { self.keep(&open, "") } else { self.field = Some(open) }
            }
            None if !tag.is_empty => self.open(name, &tag),
            None => {}
        }
    }

    fn end(&mut self, name: &str, start: usize) {
        if let Some(open) = &mut self.field
            && open.name == *name
        {
            if open.inner > 0 {
                open.inner -= 1;
            } else {
                self.close_field(start);
            }
            return;
        }
        if is_entry(name) {
            self.close_field(start);
            self.close_entry();
        } else if self.field.is_some() && !is_root(name) {
            return;
        }
        if is_root(name) {
            self.close_field(start);
            self.close_entry();
            self.is_closed = true;
        }
        if let Some(place) = self.elements.iter().rposition(|element| element.name == *name) {
            self.elements.truncate(place);
        }
    }

    fn open(&mut self, name: String, tag: &Tag<'_>) {
        if self.elements.len() < DEPTH_MAX {
            let base = self.base_with(tag);
            self.elements.push(Element { name, base });
        }
    }

    /// One that begins in another ends it: its own end is missing.
    fn open_entry(&mut self, name: String, tag: &Tag<'_>, start: usize) {
        self.close_field(start);
        self.close_entry();
        if let Some(place) = self.elements.iter().rposition(|element| is_entry(&element.name)) {
            self.elements.truncate(place);
        }
        self.open(name, tag);
        let mut entry = Entry::default();
        // RDF and CDF name what an item is about in its tag.
        for (attribute, rank) in [("about", 3), ("href", 0)] {
            if let Some(link) = tag.attribute(attribute).and_then(|href| self.resolved(&href, None)) {
                entry.link.offer(rank, link);
            }
        }
        self.entry = Some(entry);
        if tag.is_empty {
            self.close_entry();
            self.elements.pop();
        }
    }

    fn close_entry(&mut self) {
        if let Some(entry) = self.entry.take()
            && self.document.entries.len() < self.entries_max
        {
            self.document.entries.push(entry);
        }
    }

    fn close_field(&mut self, end: usize) {
        if let Some(open) = self.field.take() {
            self.keep(&open, &self.source[open.from..end.max(open.from)]);
        }
    }

    fn keep(&mut self, open: &OpenField<'a>, inside: &str) {
        if self.entry.is_none() {
            return self.keep_of_feed(open, inside);
        }
        let link = match open.field {
            Field::Link => link_of(&open.tag, inside).and_then(|(rank, href)| Some((rank, self.resolved(&href, open.base.as_ref())?))),
            // What says that it is no address is none, and what says nothing may be one.
            Field::Guid => {
                let id = text_of(inside).unwrap_or_default();
                match open.tag.attribute("ispermalink").as_deref() {
                    Some("false") => None,
                    Some("true") => self.resolved(&id, open.base.as_ref()).map(|link| (4, link)),
                    _ => id.trim().starts_with("http").then(|| (4, id.trim().to_owned())),
                }
            }
            _ => None,
        };
        let Some(entry) = &mut self.entry else { return };
        match open.field {
            Field::Title(rank) => offer(&mut entry.title, rank, content_of(&open.tag, inside)),
            Field::Summary(rank) => offer(&mut entry.summary, rank, content_of(&open.tag, inside)),
            Field::Author(rank) => offer(&mut entry.author, rank, author_of(inside)),
            Field::Date(rank) => {
                if let Some(date) = text_of(inside).and_then(|text| read_date(&text)) {
                    entry.date.offer(rank, date);
                }
            }
            Field::Link | Field::Guid => {
                if let Some((rank, link)) = link {
                    entry.link.offer(rank, link);
                }
            }
            Field::OfOthers => {}
        }
    }

    fn keep_of_feed(&mut self, open: &OpenField<'a>, inside: &str) {
        match open.field {
            Field::Title(0) if self.document.title.is_none() => self.document.title = Some(content_of(&open.tag, inside)),
            Field::Author(rank) => offer(&mut self.feed_author, rank, author_of(inside)),
            Field::Link if self.feed_link.is_none() => {
                let href = link_of(&open.tag, inside).filter(|(rank, _)| *rank == 0);
                self.feed_link = href.and_then(|(_, href)| Url::parse(&self.resolved(&href, open.base.as_ref())?).ok());
            }
            _ => {}
        }
    }

    /// What is open at the end was cut off: fields that were whole by then stay.
    fn finish(mut self) -> Result<Document, CutShort> {
        self.field = None;
        let has_any = |entry: &Entry| entry.title.0.is_some() || entry.link.0.is_some() || entry.summary.0.is_some();
        self.entry = self.entry.take().filter(has_any);
        self.close_entry();
        if self.document.entries.is_empty() && !self.is_closed {
            return Err(CutShort);
        }
        self.document.author = self.feed_author.take();
        Ok(self.document)
    }

    fn base_with(&self, tag: &Tag<'_>) -> Option<Url> {
        let outer = self.elements.last().and_then(|element| element.base.clone());
        let own = tag.attributes().into_iter().find(|(name, _)| name.eq_ignore_ascii_case("xml:base")).map(|(_, value)| decoded(value));
        match own {
            Some(own) => join(outer.as_ref().or(self.address.as_ref()), &own).or(outer),
            None => outer,
        }
    }

    fn resolved(&self, href: &str, base: Option<&Url>) -> Option<String> {
        let href = href.trim();
        let around = || self.elements.last().and_then(|element| element.base.as_ref());
        let base = base.or_else(around).or(self.address.as_ref()).or(self.feed_link.as_ref());
        let is_web = |href: &str| href.starts_with("http://") || href.starts_with("https://");
        match href {
            "" => None,
            href if is_web(href) => Some(href.to_owned()),
            href => join(base, href).map(String::from).filter(|joined| is_web(joined)),
        }
    }
}

fn offer(best: &mut Ranked<String>, rank: u8, text: String) {
    if !text.trim().is_empty() {
        best.offer(rank, text);
    }
}

fn join(base: Option<&Url>, href: &str) -> Option<Url> {
    match base {
        Some(base) => base.join(href).ok(),
        None => Url::parse(href).ok(),
    }
}
