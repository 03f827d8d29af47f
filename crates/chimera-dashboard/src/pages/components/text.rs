//! Text and addresses that others wrote: escaped, in its own direction, with every hidden character drawn as a mark.

use chimera_core::domain::hidden::{Lines, first_hidden};
use maud::{Markup, html};
use url::Url;

/// Many lines of somebody else's text.
pub(crate) fn outside(text: &str) -> Markup {
    html! { span.outside dir="auto" { (marked(text, Lines::Many)) } }
}

/// The same on one line.
pub(crate) fn outside_line(text: &str) -> Markup {
    html! { span.outside.one-line dir="auto" { (marked(text, Lines::One)) } }
}

/// Without an element around it, for where there is one with `dir="auto"` already.
pub(crate) fn marked(text: &str, lines: Lines) -> Markup {
    html! {
        @for piece in pieces(text, lines) {
            @match piece {
                Piece::Plain(text) => (text),
                Piece::Hidden(c) => span.hidden-mark title="A character that hides or turns text" { (code_point(c)) },
            }
        }
    }
}

enum Piece<'a> {
    Plain(&'a str),
    Hidden(char),
}

fn pieces(text: &str, lines: Lines) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((at, c)) = first_hidden(rest, lines) {
        if at > 0 {
            pieces.push(Piece::Plain(&rest[..at]));
        }
        pieces.push(Piece::Hidden(c));
        rest = &rest[at + c.len_utf8()..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Plain(rest));
    }
    pieces
}

fn code_point(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c => format!("U+{:04X}", u32::from(c)),
    }
}

/// An address that a person may follow: `http` or `https`, and nothing else. Escaping alone does not stop `javascript:`.
pub(crate) struct WebLink<'a> {
    address: Url,
    written: &'a str,
}

impl<'a> WebLink<'a> {
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let address = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())?;
        Some(Self { address, written: text })
    }

    pub(crate) fn host(&self) -> &str {
        self.address.host_str().unwrap_or_default()
    }

    /// Written as `label`, or as it stands.
    pub(crate) fn shown(&self, label: Option<&str>) -> Markup {
        html! {
            a.web href=(self.address.as_str()) rel="noopener noreferrer nofollow" target="_blank" {
                (marked(label.unwrap_or(self.written), Lines::One))
            }
        }
    }
}

/// A link where `text` is one, else the text.
pub(crate) fn linked(text: &str) -> Markup {
    WebLink::of(text).map_or_else(|| outside_line(text), |link| link.shown(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_others_is_text_and_what_hides_is_drawn() {
        let shown = outside("<b onclick=x>\"a\u{202E}b\u{200B}</b>\nnext").into_string();
        assert!(shown.contains("&lt;b onclick=x&gt;&quot;a<span class=\"hidden-mark\""), "{shown}");
        assert!(shown.contains(">U+202E</span>b<span") && shown.contains(">U+200B</span>&lt;/b&gt;\nnext"), "{shown}");
        assert!(outside_line("a\nb").into_string().contains("\\n"));
    }

    #[test]
    fn only_web_addresses_become_links() {
        for text in
            ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "//host/x", "http:", "file:///etc/passwd", "JaVaScRiPt:x"]
        {
            assert!(WebLink::of(text).is_none(), "{text}");
            assert!(!linked(text).into_string().contains("href"), "{text}");
        }
        let shown = linked("https://a.example/\"><script>").into_string();
        assert!(shown.contains("href=\"https://a.example/%22%3E%3Cscript%3E\"") && !shown.contains("<script>"), "{shown}");
    }
}
