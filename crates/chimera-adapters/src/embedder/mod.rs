//! Text to vectors of meaning, offline: static word vectors that are part of the binary.

mod static_words;
mod word_pieces;
mod word_table;

pub use static_words::StaticEmbedder;
