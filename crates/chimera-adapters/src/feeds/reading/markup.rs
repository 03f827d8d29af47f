//! Tags and text of a document that calls itself XML and need not be. Nothing is an error: what cannot be a tag is text, what never ends
//! ends where the next thing begins. Every byte is looked at a bounded number of times.

use chimera_core::perception::entities;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Start(Tag<'a>),
    End(&'a str),
    /// Still with its entities.
    Text(&'a str),
    /// As it is.
    CharacterData(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub name: &'a str,
    attributes: &'a str,
    pub is_empty: bool,
}

/// A token, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    pub token: Token<'a>,
    pub start: usize,
    pub end: usize,
}

pub(super) struct Tokens<'a> {
    source: &'a str,
    at: usize,
    /// Where what was looked for comes next, or that it does not come any more: nobody looks twice.
    found: Vec<(&'static str, Option<usize>)>,
}

impl<'a> Tokens<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0, found: Vec::new() }
    }

    fn find(&mut self, wanted: &'static str, from: usize) -> Option<usize> {
        let known = self.found.iter().find(|(sought, at)| *sought == wanted && at.is_none_or(|at| at >= from));
        if let Some((_, at)) = known {
            return *at;
        }
        let at = self.source[from..].find(wanted).map(|at| from + at);
        self.found.retain(|(sought, _)| *sought != wanted);
        self.found.push((wanted, at));
        at
    }

    /// Character data that holds the end or the start of an item, and more character data, is closed by that of another item: its own end
    /// is missing.
    fn swallows_items(&mut self, from: usize, end: usize) -> bool {
        let first = ["</item>", "<item>", "</entry>", "<entry>"].into_iter().filter_map(|tag| self.find(tag, from)).min();
        first.and_then(|tag| self.find("<![CDATA[", tag)).is_some_and(|more| more < end)
    }

    /// What stands at the `<` that comes next; `None` for the token where it is nothing to a reader.
    fn markup(&mut self) -> (Option<Token<'a>>, usize) {
        const CHARACTER_DATA: &str = "<![CDATA[";
        let (start, rest) = (self.at, &self.source[self.at..]);
        if rest.starts_with(CHARACTER_DATA) {
            let from = start + CHARACTER_DATA.len();
            let closed = self.find("]]>", from).filter(|end| !self.swallows_items(from, *end)).map(|end| (end, end + 3));
            let (end, after) = closed.unwrap_or_else(|| {
                let tag = ["</", "<item>", "<entry>"].into_iter().filter_map(|tag| self.find(tag, from)).min();
                let end = tag.unwrap_or(self.source.len());
                (end, end)
            });
            return (Some(Token::CharacterData(&self.source[from..end])), after);
        }
        if rest.starts_with("<!--") {
            return (None, self.find("-->", start + 4).map_or(start + 4, |end| end + 3));
        }
        if rest.starts_with("<?") {
            // Only the first is worth anything, and one that is not closed as it should be ends with the tag.
            let closed = rest.find('>').map_or(rest.len(), |end| end + 1);
            return (None, start + closed);
        }
        if rest.starts_with("<!") {
            return (None, start + end_of_declaration(rest).unwrap_or(2));
        }
        let is_end = rest.starts_with("</");
        let inside = &rest[if is_end { 2 } else { 1 }..];
        if !inside.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':') {
            return (Some(Token::Text(&rest[..1])), start + 1);
        }
        let (tag, after) = tag_at_start(inside);
        let end = start + (rest.len() - inside.len()) + after;
        let token = if is_end { Token::End(tag.name) } else { Token::Start(tag) };
        (Some(token), end)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Placed<'a>;

    fn next(&mut self) -> Option<Placed<'a>> {
        loop {
            let (start, rest) = (self.at, &self.source[self.at..]);
            let (token, end) = match rest.find('<') {
                _ if rest.is_empty() => return None,
                Some(0) => self.markup(),
                Some(next) => (Some(Token::Text(&rest[..next])), start + next),
                None => (Some(Token::Text(rest)), self.source.len()),
            };
            self.at = end;
            if let Some(token) = token {
                return Some(Placed { token, start, end });
            }
        }
    }
}

/// A document declares its own entities in less.
const DECLARATION_BYTES_MAX: usize = 32 * 1024;

/// Of `<!DOCTYPE …>`, which may hold declarations of its own in brackets.
fn end_of_declaration(rest: &str) -> Option<usize> {
    let rest = &rest[..rest.floor_char_boundary(DECLARATION_BYTES_MAX)];
    let closes = rest.find('>')?;
    match rest[..closes].find('[') {
        None => Some(closes + 1),
        Some(opens) => {
            let bracket = opens + rest[opens..].find(']')?;
            Some(bracket + rest[bracket..].find('>')? + 1)
        }
    }
}

/// `inside` begins with the name. A `<` ends every tag, even within a quotation mark: there it is written as an entity by those who close
/// their marks.
fn tag_at_start(inside: &str) -> (Tag<'_>, usize) {
    let bounded = &inside[..inside.find('<').unwrap_or(inside.len())];
    let (tag, after) = match end_of_tag(bounded) {
        Some(end) => (&bounded[..end], end + 1),
        None => (bounded, bounded.len()),
    };
    let is_empty = tag.ends_with('/');
    let tag = tag.trim_end_matches('/');
    let name_end = tag.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(tag.len());
    (Tag { name: &tag[..name_end], attributes: &tag[name_end..], is_empty }, after)
}

/// The first `>` outside quotation marks, or the first at all where a mark is never closed.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    tag.find('>')
}

impl<'a> Tag<'a> {
    /// Names and values, with or without quotation marks, still with their entities.
    pub fn attributes(&self) -> Vec<(&'a str, &'a str)> {
        let mut found = Vec::new();
        let mut rest = self.attributes.trim_start();
        while !rest.is_empty() {
            let name_end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
            let (name, after) = rest.split_at(name_end);
            let after = after.trim_start();
            let Some(value) = after.strip_prefix('=').map(str::trim_start) else {
                rest = after;
                continue;
            };
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (value, after) = match quote {
                Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
                None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
            };
            if !name.is_empty() {
                found.push((name, value));
            }
            rest = after.trim_start();
        }
        found
    }

    /// Its value, decoded. Case does not count, nor whether the name has a prefix.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let is_it = |given: &str| given.rsplit(':').next().is_some_and(|local| local.eq_ignore_ascii_case(name));
        self.attributes().into_iter().find(|(given, _)| is_it(given)).map(|(_, value)| decoded(value))
    }
}

/// What stands between two tags, as text: entities decoded, character data as it is. `None` where there are tags in it, which is markup
/// that was not escaped.
pub(super) fn text_of(inside: &str) -> Option<String> {
    let mut text = String::with_capacity(inside.len());
    for placed in Tokens::new(inside) {
        match placed.token {
            Token::Text(part) => text.push_str(&decoded(part)),
            Token::CharacterData(part) => text.push_str(part),
            Token::Start(_) | Token::End(_) => return None,
        }
    }
    Some(text)
}

/// XML's own entities and numbers. Other names stay: they are HTML's, and read with the rest of the HTML. So do those that a document
/// declares, which is how entity bombs stay text.
pub(super) fn decoded(text: &str) -> String {
    entities::decoded(text, |name| match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        name => numbered(entities::number_of(name)?),
    })
}

/// Numbers that are control characters mean those of Windows' code page, as browsers take them too.
fn numbered(code: u32) -> Option<char> {
    match u8::try_from(code) {
        Ok(byte @ 0x80..=0x9f) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next(),
        _ => char::from_u32(code),
    }
}
