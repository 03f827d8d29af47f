//! A first look at what a stranger wrote, before anybody decides to answer it.

use crate::domain::Untrusted;

/// Whoever plans sees only what this gives: the words, and whether they try to instruct.
pub trait Screen: Send + Sync {
    fn screen(&self, written: &Untrusted) -> Screened;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screened {
    /// One plain line, without markup and invisible characters.
    pub text: Untrusted,
    /// It speaks to the agent as to a machine that obeys.
    pub instructs: bool,
}
