//! An answer as it comes in, piece by piece, whatever its wire format.

use chimera_core::{
    domain::Untrusted,
    ports::text_model::{Usage, Written},
};

/// What has been heard so far.
#[derive(Debug, Default)]
pub struct Heard {
    pub text: String,
    pub pieces: usize,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub was_cut: bool,
    /// The server said that this is the whole text.
    pub is_whole: bool,
    /// Nothing more comes, not even numbers.
    pub is_over: bool,
}

/// What one event says beyond text and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventError {
    /// It gave up on the way, for its own reasons.
    GaveUp(String),
    /// It will not write this, which is its right and no trouble of the server.
    Declined(String),
    /// It is no event of this wire format.
    Unreadable(String),
}

/// Adds one event's data to what has been heard.
pub type ReadEvent = fn(&mut Heard, &str) -> Result<(), EventError>;

/// About four bytes make a token.
const BYTES_PER_TOKEN: usize = 4;

impl Heard {
    pub fn add(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.text.push_str(piece);
            self.pieces += 1;
        }
    }

    /// `asked_bytes` is the length of the prompt, for servers that do not count.
    pub fn written(self, asked_bytes: usize) -> Written {
        let estimated = |bytes: usize| bytes.div_ceil(BYTES_PER_TOKEN) as u64;
        let usage = Usage {
            input_tokens: self.input_tokens.unwrap_or_else(|| estimated(asked_bytes)),
            output_tokens: self.output_tokens.unwrap_or_else(|| estimated(self.text.len())),
            is_estimated: self.input_tokens.is_none() || self.output_tokens.is_none(),
        };
        Written { usage, text: Untrusted::new(self.text), pieces: self.pieces, was_cut: self.was_cut }
    }
}
