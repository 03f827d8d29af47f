//! What may come out at each exit. Nothing here is the program's own code: whoever checks himself finds himself right.

use super::plants::{FIELDS, FORGED, MARK, Try};
use serde_json::Value;

/// Whom our posts may mention: the agent, and whoever is answered under a name that can be one.
const MENTIONED: [&str; 7] = [
    "@selam",
    "@ada@far.example",
    "@bea0@far.example",
    "@bea1@far.example",
    "@bea2@far.example",
    "@bea3@far.example",
    "@mallory@far.example",
];

/// Moves, hides or turns something on a terminal.
fn is_unseen(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(u32::from(c), 0xad | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfdd0..=0xfdef | 0xe0000..=0xe0fff)
}

#[track_caller]
pub(crate) fn is_shown_safely(exit: &str, text: &str) {
    if let Some(place) = text.find(is_unseen) {
        let around: String =
            text[..place].chars().rev().take(80).collect::<Vec<_>>().into_iter().rev().chain(text[place..].chars().take(40)).collect();
        panic!("{exit}: {around:?}");
    }
    let begins_like_ours = |line: &&str| line.trim_start().starts_with(FORGED) || line.starts_with("  why      review");
    assert_eq!(text.lines().find(begins_like_ours), None, "{exit}: a line that looks like ours\n{text}");
}

#[track_caller]
pub(crate) fn is_exact_json(exit: &str, text: &str) -> Value {
    assert_eq!(text.find(is_unseen), None, "{exit}: {text}");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{exit}: {error}: {text}"))
}

/// What a post, its description or a caption may hold. `sources` are what may be cited.
#[track_caller]
pub(crate) fn is_inert(exit: &str, text: &str, sources: &[&str]) {
    assert_eq!(text.find(is_unseen), None, "{exit}: {text:?}");
    for tried in Try::ALL.into_iter().filter(|tried| !tried.may_be_quoted()) {
        let planted = FIELDS.iter().map(|field| tried.marker(field)).find(|marker| text.to_lowercase().contains(&marker.to_lowercase()));
        assert_eq!(planted, None, "{exit}: {text}");
    }
    assert!(!text.contains("HtmlScript"), "{exit}: a script in {text}");
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '.' | '-');
    for (at, _) in text.match_indices(['@', '＠']).filter(|(at, _)| !text[..*at].ends_with(is_name)) {
        let name: String = text[at..].chars().take_while(|c| is_name(*c) || *c == '＠').collect();
        let name = name.trim_end_matches(['.', '-', '@']);
        assert!(name == "@" || MENTIONED.contains(&name), "{exit}: {name} in {text}");
    }
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '＃' | '$' | '＄' | '@' | '/'));
        if let Some(tag) = bare.strip_prefix(['#', '＃']) {
            assert!(tag.chars().all(char::is_alphanumeric) && !tag.to_lowercase().contains(MARK), "{exit}: {bare} in {text}");
        }
        assert!(!bare.strip_prefix(['$', '＄']).is_some_and(|rest| rest.starts_with(char::is_alphabetic)), "{exit}: {bare} in {text}");
        assert!(!bare.contains("[.]") && !bare.contains("(.)"), "{exit}: {bare} in {text}");
        let is_source = |source: &&str| *source == bare || source.split('/').nth(2) == Some(bare) || is_page_of(source, bare);
        let is_cited = sources.iter().any(is_source) || MENTIONED.contains(&bare);
        assert!(is_cited || !leads_somewhere(bare), "{exit}: {bare} in {text}");
    }
}

/// An address on the same site, in plain letters, that names nobody.
fn is_page_of(source: &str, link: &str) -> bool {
    let site: String = source.split_inclusive('/').take(3).collect();
    link.starts_with(&site) && link.is_ascii() && !link.contains(['@', '#', '$']) && !link.contains("%E2%80") && !link.contains("%0")
}

/// A link, or what a platform would make one of.
fn leads_somewhere(word: &str) -> bool {
    let ends = ["com", "net", "org", "example", "me", "io", "co"];
    let labels: Vec<&str> = word.split(['/', '?', ':']).next().unwrap_or_default().split('.').collect();
    word.contains("://")
        || word.to_lowercase().starts_with("javascript:")
        || (labels.len() > 1 && labels.last().is_some_and(|last| ends.contains(last)))
}

/// A stranger's words only between quotation marks that they cannot close.
#[track_caller]
pub(crate) fn keeps_strangers_apart(prompt: &Value) {
    for message in prompt["messages"].as_array().unwrap() {
        let text = message["content"].as_str().unwrap();
        let outside = outside_of_quotations(text);
        assert!(!outside.contains(MARK) && !outside.contains(FORGED), "{outside}\n\n{text}");
        assert!(message["role"] != "system" || !text.contains(MARK), "{text}");
    }
}

fn outside_of_quotations(text: &str) -> String {
    let mut outside = String::new();
    let mut fence: Option<&str> = None;
    for line in text.split('\n') {
        let is_fence = line.len() >= 3 && line.chars().all(|c| c == '"');
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if is_fence => fence = Some(line),
            // Topics of a trend stand on the line of the task, each in its own marks.
            None => outside.extend(line.split('"').step_by(2).chain(["\n"])),
        }
    }
    assert_eq!(fence, None, "a quotation that is never closed: {text}");
    outside
}

/// Nothing that a spreadsheet would run, and as many fields in each record.
#[track_caller]
pub(crate) fn is_harmless_csv(text: &str) {
    is_shown_safely("ledger export --csv", &text.replace("\r\n", "\n"));
    for record in text.split("\r\n").filter(|record| !record.is_empty()) {
        for cell in record.split(',') {
            let inner = cell.trim_start_matches('"');
            assert!(!(inner.starts_with(['=', '+', '@', '\t']) || inner.starts_with('-') && inner.len() > 1), "{record}");
        }
    }
}

#[test]
fn what_is_looked_for_is_found() {
    for tried in [Try::Link, Try::Domain, Try::Mention, Try::Hashtag, Try::Cashtag, Try::Escape, Try::Bidi, Try::ZeroWidth] {
        let text = tried.text("Title");
        assert!(std::panic::catch_unwind(|| is_inert("a test", &text, &[])).is_err(), "{text:?}");
    }
    is_inert("a test", "Lanes are open.\nSource: https://news.example/a\n#BikeLanes\nAI-generated by @selam", &["https://news.example/a"]);
    assert!(std::panic::catch_unwind(|| is_shown_safely("a test", &Try::Lines.text("Title"))).is_err());
    assert_eq!(outside_of_quotations("Task: x \"y\"\n\"\"\"\"\nz\n\"\"\"\nz\n\"\"\"\"\nend"), "Task: x \nend\n");
}
