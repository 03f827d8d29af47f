//! A first look at what a stranger wrote, before anybody decides to answer it.

/// Whoever plans sees only what this gives: the words, and whether they try to instruct.
pub trait Screen: Send + Sync {
    fn screen(&self, written: &str) -> Screened;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screened {
    /// One plain line, without markup and invisible characters.
    pub text: String,
    /// It speaks to the agent as to a machine that obeys.
    pub instructs: bool,
}
