//! Data on standard output: one JSON document, or lines for a person.

use serde_json::Value;
use std::io::{self, IsTerminal, Write};

/// How a command prints what it found.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub json: bool,
    colour: bool,
}

impl Output {
    pub fn new(json: bool, environment: &crate::config::Environment) -> Self {
        let colour = !json && io::stdout().is_terminal() && environment.get("NO_COLOR").is_none();
        Self { json, colour }
    }

    /// `value` with --json, else what `lines` makes of it.
    pub fn show(&self, value: &Value, lines: impl FnOnce(&Self) -> String) -> io::Result<()> {
        if self.json {
            return self.line(&serde_json::to_string_pretty(value)?);
        }
        self.line(lines(self).trim_end())
    }

    /// One line, whatever the mode. A reader that went away is not an error.
    pub fn line(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    /// A part of a longer document, as it is. `false` when the reader went away, and the rest need not be made.
    pub fn part(&self, text: &str) -> io::Result<bool> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
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
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
