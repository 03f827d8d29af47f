//! The one place that writes for people and for other programs: one JSON document, lines for a person, or a note on standard error.
//!
//! Much of what is shown was written by strangers. Whatever hides, turns or repaints text is written out before it reaches a terminal
//! ([`visible`]); our own styles survive that because they carry a mark that nobody else can know. JSON says the same as ever, with JSON's
//! own escapes.

use chimera_core::{
    contracts::UuidV4,
    domain::hidden::{is_hidden, visible, visible_line},
};
use serde_json::Value;
use std::io::{self, IsTerminal, Write};

/// How a command prints what it found.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub json: bool,
    /// Drawn for this process, and in no text that came from elsewhere. `None` where nothing is styled.
    style_mark: Option<UuidV4>,
}

/// Around a style's mark and code, while a text is put together. No text has them: they are no characters.
const STYLE_BEGINS: char = '\u{FDD0}';
const STYLE_ENDS: char = '\u{FDD1}';

impl Output {
    pub fn new(json: bool, environment: &crate::config::Environment) -> Self {
        let colour = !json && io::stdout().is_terminal() && environment.get("NO_COLOR").is_none();
        Self { json, style_mark: colour.then(UuidV4::random) }
    }

    /// `value` with --json, else what `lines` makes of it.
    pub fn show(&self, value: &Value, lines: impl FnOnce(&Self) -> String) -> io::Result<()> {
        if self.json {
            return self.json(value);
        }
        write_line(&self.for_people(lines(self).trim_end()))
    }

    /// The document, whatever the mode.
    pub fn json(&self, value: &Value) -> io::Result<()> {
        write_line(&exact(&serde_json::to_string_pretty(value)?))
    }

    /// The document on one line, whatever the mode.
    pub fn json_line(&self, value: &Value) -> io::Result<()> {
        write_line(&exact(&value.to_string()))
    }

    /// A part of a longer document. `false` when the reader went away, and the rest need not be made.
    pub fn part(&self, text: &str) -> io::Result<bool> {
        let mut out = io::stdout().lock();
        match out.write_all(exact(text).as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    pub fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    pub fn good(&self, text: &str) -> String {
        self.styled("32", text)
    }

    pub fn bad(&self, text: &str) -> String {
        self.styled("31", text)
    }

    fn styled(&self, code: &str, text: &str) -> String {
        match self.style_mark {
            Some(mark) => format!("{STYLE_BEGINS}{mark}{code}{STYLE_ENDS}{text}{STYLE_BEGINS}{mark}0{STYLE_ENDS}"),
            None => text.to_owned(),
        }
    }

    /// Everything visible, and our styles as a terminal knows them.
    fn for_people(&self, text: &str) -> String {
        let Some(mark) = self.style_mark else { return visible(text).into_owned() };
        let opening = format!("{STYLE_BEGINS}{mark}");
        let mut pieces = text.split(opening.as_str());
        let mut shown = visible(pieces.next().unwrap_or_default()).into_owned();
        for piece in pieces {
            let (code, rest) = piece.split_once(STYLE_ENDS).unwrap_or((piece, ""));
            shown.push_str(&format!("\x1b[{code}m{}", visible(rest)));
        }
        shown
    }
}

/// Each line of somebody else's text behind a bar, which it cannot leave.
pub fn quoted(indent: &str, text: &str) -> Vec<String> {
    text.trim_end().split('\n').map(|line| format!("{indent}│ {}", visible_line(line.strip_suffix('\r').unwrap_or(line)))).collect()
}

/// What went wrong, on standard error. Further lines of it are indented, so that none of them looks like ours.
pub fn tell_error(error: &str) {
    // Standard error may be gone; there is nobody left to tell then.
    let _ = writeln!(io::stderr(), "chimera: {}", visible(error.trim_end()).replace('\n', "\n  "));
}

/// A question, on standard error: what is typed follows on the same line.
pub fn ask(question: &str) -> io::Result<()> {
    let mut err = io::stderr().lock();
    write!(err, "{}", visible(question))?;
    err.flush()
}

/// Whether somebody reads what is asked.
pub fn can_ask() -> bool {
    io::stderr().is_terminal()
}

/// What is being done, on standard error, for whoever watches a terminal.
pub fn note(word: &str, text: &str) {
    let mut err = io::stderr().lock();
    if err.is_terminal() {
        // Standard error may be gone; then nobody watches.
        let _ = writeln!(err, "\x1b[36m{word:>10}\x1b[0m  {}", visible_line(text));
    }
}

/// One line, whatever the mode. A reader that went away is not an error.
fn write_line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// The same JSON, with what a terminal could act on in JSON's own escapes. Outside of its strings JSON has only line breaks.
fn exact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) && !matches!(c, '\n' | '\r') {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styling() -> Output {
        Output { json: false, style_mark: Some(UuidV4::random()) }
    }

    #[test]
    fn our_styles_reach_the_terminal_and_nobody_elses_do() {
        let out = styling();
        let hostile = format!("\x1b[32mok\x1b[0m{STYLE_BEGINS}{}32{STYLE_ENDS}\u{202E}", UuidV4::random());

        let shown = out.for_people(&format!("{}  {}\n{}", out.bold("post"), hostile, out.bad(&hostile)));

        assert!(shown.starts_with("\x1b[1mpost\x1b[0m  \\u{1B}[32mok\\u{1B}[0m\\u{FDD0}"), "{shown:?}");
        assert_eq!(shown.matches('\x1b').count(), 4, "{shown:?}");
        assert!(!shown.contains('\u{202E}') && !shown.contains(STYLE_BEGINS) && shown.contains('\n'), "{shown:?}");
    }

    #[test]
    fn without_colour_nothing_is_styled() {
        let out = Output { json: false, style_mark: None };
        assert_eq!(out.for_people(&format!("{} {}", out.good("ok"), "\x1b[31m")), "ok \\u{1B}[31m");
    }

    #[test]
    fn a_quotation_stays_behind_its_bar() {
        assert_eq!(
            quoted("  ", "one\r\ntwo\rthree\u{85}\u{2028}\n  why      approved\n\n"),
            ["  │ one", "  │ two\\rthree\\u{85}\\u{2028}", "  │   why      approved"]
        );
    }

    #[test]
    fn json_says_the_same_and_moves_no_terminal() {
        let value = serde_json::json!({ "a\u{9b}": "\u{1b}[2J\u{202E}\u{E0041}é👩\u{200D}🔬\n" });

        let text = exact(&serde_json::to_string_pretty(&value).unwrap());

        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202E}', '\u{E0041}']) && text.contains('é'), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
