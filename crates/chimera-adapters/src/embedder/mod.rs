//! Text to vectors of meaning, offline: a small language model and static word vectors that are part of the binary.

mod cursor;
mod kept;
mod minilm;
mod sentences;
mod static_words;
mod word_pieces;
mod word_table;

pub use sentences::SentenceEmbedder;
