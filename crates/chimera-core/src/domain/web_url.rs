//! An address of the web, in the one form in which it is kept, shown and cited.

use super::{hidden::is_hidden, platform::entities::entities};
use std::fmt;
use url::{Host, Url};

/// Longer ones are trackers or attacks; browsers cut at about this.
const URL_BYTES_MAX: usize = 2_048;
/// A file's name has some; more of them are prose that was put into an address.
const BLANKS_MAX: usize = 6;

/// `http` or `https`, a named host (an international one in its ASCII form), and no credentials, white space or fragment: what can be
/// read as it is, and leads where it says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebUrl {
    text: String,
    host: String,
}

impl WebUrl {
    /// As it is normalised by parsing; `None` when it is no such address.
    pub fn parse(given: &str) -> Option<Self> {
        let given = given.trim_matches(|c: char| c.is_ascii_whitespace());
        // The parser drops line breaks and tabs and quotes blanks. Whoever wrote them wrote more than an address.
        if given.len() > URL_BYTES_MAX || given.chars().any(|c| c.is_whitespace() || is_hidden(c)) {
            return None;
        }
        let mut url = Url::parse(given).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return None;
        }
        // Numbers lead into the reader's own network as easily as into ours, and nobody can read them.
        let host = match url.host()? {
            Host::Domain(host) if is_named(host) => host.to_owned(),
            Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => return None,
        };
        url.set_fragment(None);
        let text = url.to_string();
        (text.len() <= URL_BYTES_MAX && text.is_ascii() && is_plain(&text)).then_some(Self { text, host })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `example.com` of `https://www.example.com/a`.
    pub fn site(&self) -> &str {
        self.host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(&self.host)
    }
}

/// Whether what is written in percents says no more than an address: some parsers quote what others refuse.
fn is_plain(text: &str) -> bool {
    let decoded = decoded(text);
    let words: Vec<&str> = decoded.split_whitespace().collect();
    !decoded.chars().any(is_hidden) && words.len() <= BLANKS_MAX && words.iter().skip(1).all(|word| entities(word).is_empty())
}

/// As a reader's program would show it: a broken escape stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%').then(|| digit(at + 1).zip(digit(at + 2))).flatten();
        let (byte, length) = escaped.map_or((bytes[at], 1), |(high, low)| ((high * 16 + low) as u8, 3));
        plain.push(byte);
        at += length;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// At least two labels of letters, digits and hyphens. The parser lets a few other characters through.
fn is_named(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    host.contains('.') && host.split('.').all(is_label)
}

impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_as_it_is_read() {
        for (given, kept, site) in [
            ("https://news.example/a?b=c", "https://news.example/a?b=c", "news.example"),
            (" HTTPS://WWW.News.Example:443/a/../b\n", "https://www.news.example/b", "news.example"),
            ("http://a.example", "http://a.example/", "a.example"),
            ("https://a.example/Press%20Release.pdf", "https://a.example/Press%20Release.pdf", "a.example"),
            ("https://a.example/100%", "https://a.example/100%", "a.example"),
            ("https://a.example/x#scam", "https://a.example/x", "a.example"),
            ("https://a.example/\"><b>", "https://a.example/%22%3E%3Cb%3E", "a.example"),
            ("https://münchen.example/ö", "https://xn--mnchen-3ya.example/%C3%B6", "xn--mnchen-3ya.example"),
            ("https://аррӏе.com/", "https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
            ("https://good.example\\@evil.example/", "https://good.example/@evil.example/", "good.example"),
        ] {
            let url = WebUrl::parse(given).unwrap_or_else(|| panic!("{given:?}"));
            assert_eq!((url.as_str(), url.site()), (kept, site), "{given:?}");
            assert_eq!(WebUrl::parse(url.as_str()), Some(url), "{given:?}: parsing is stable");
        }
    }

    #[test]
    fn what_is_no_address_of_the_web_is_none() {
        for given in [
            "",
            "news.example/a",
            "/relative",
            "javascript:alert(1)",
            "data:text/html,<script>1</script>",
            "ftp://a.example/",
            "file:///etc/passwd",
            "https://",
            "https://a.example/x follow @evil",
            "https://a.example/\nBuy now",
            "https://a.exam\tple/",
            "https://a.example/\u{202E}gpj",
            "https://a.example/\u{1b}[2J",
            "https://a.example/\u{A0}x",
            "https://news.example@evil.example/",
            "https://user:password@news.example/",
            "https://localhost/",
            "https://127.0.0.1/",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://[::1]/",
            "https://a..example/",
            "https://exa mple.com/",
            "https://a.example/x%20follow%20@evil",
            "https://a.example/x%0ABuy",
            "https://a.example/%E2%80%AEgpj",
            "https://a.example/%zz%E2%80%AEgpj",
            "https://a.example/ignore%20all%20that%20was%20said%20before%20this",
            &format!("https://a.example/{}", "x".repeat(3_000)),
            &format!("https://a.example/{}", "é".repeat(600)),
        ] {
            assert_eq!(WebUrl::parse(given), None, "{given:?}");
        }
    }
}
