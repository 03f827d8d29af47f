//! Splits text into the pieces of a word table, as Llama 2's tokenizer does: byte-pair merges, unknown characters as bytes.
//!
//! Ours rather than the `tokenizers` crate, which costs most of a minute of every cold build for what is a hundred lines
//! here. Unlike it, `<s>` in a text is three characters and not the start-of-text marker: fetched text has no say in that.

use super::word_table::WordTable;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Stands for a space inside pieces, and starts every text.
const SPACE: char = '\u{2581}';
/// Ids 3 to 258 are the bytes, in order.
const FIRST_BYTE_ID: u32 = 3;

/// The ids of the pieces of `text`, in order.
pub(super) fn piece_ids(text: &str, table: &WordTable) -> Vec<u32> {
    if text.is_empty() {
        return Vec::new();
    }
    let spaced: String = std::iter::once(SPACE).chain(text.chars().map(|c| if c == ' ' { SPACE } else { c })).collect();
    let mut ids = Vec::with_capacity(text.len() / 3);
    for word in words(&spaced) {
        merge_word(word, table, &mut ids);
    }
    ids
}

/// Cuts before every space that follows another character. No piece spans such a place, so words merge independently.
fn words(spaced: &str) -> impl Iterator<Item = &str> {
    let mut rest = spaced;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let letters_at = rest.find(|c| c != SPACE).unwrap_or(rest.len());
        let end = rest[letters_at..].find(SPACE).map_or(rest.len(), |at| letters_at + at);
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// A stretch of the word, linked to its neighbours by their places in the list.
#[derive(Clone, Copy)]
struct Symbol {
    start: usize,
    end: usize,
    previous: Option<usize>,
    next: Option<usize>,
    merged_away: bool,
}

/// The lowest rank merges first, then the leftmost. `joint_bytes` tells whether the pair is still the one that was meant.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: u16,
    left: usize,
    joint_bytes: usize,
}

fn merge_word(word: &str, table: &WordTable, ids: &mut Vec<u32>) {
    let mut symbols = characters(word);
    let mut queue = BinaryHeap::new();
    for left in 0..symbols.len() {
        queue.extend(candidate(word, table, &symbols, left));
    }
    while let Some(Reverse(Candidate { left, joint_bytes, .. })) = queue.pop() {
        let Some(right) = symbols[left].next.filter(|_| !symbols[left].merged_away) else { continue };
        if symbols[right].end - symbols[left].start != joint_bytes {
            continue;
        }
        let after = symbols[right].next;
        symbols[right].merged_away = true;
        symbols[left].end = symbols[right].end;
        symbols[left].next = after;
        if let Some(after) = after {
            symbols[after].previous = Some(left);
        }
        queue.extend(symbols[left].previous.and_then(|previous| candidate(word, table, &symbols, previous)));
        queue.extend(candidate(word, table, &symbols, left));
    }
    for symbol in symbols.iter().filter(|symbol| !symbol.merged_away) {
        let text = &word[symbol.start..symbol.end];
        match table.piece(text) {
            Some(piece) => ids.push(piece.id),
            None => ids.extend(text.bytes().map(|byte| FIRST_BYTE_ID + u32::from(byte))),
        }
    }
}

fn characters(word: &str) -> Vec<Symbol> {
    let count = word.chars().count();
    word.char_indices()
        .enumerate()
        .map(|(place, (start, c))| Symbol {
            start,
            end: start + c.len_utf8(),
            previous: place.checked_sub(1),
            next: Some(place + 1).filter(|next| *next < count),
            merged_away: false,
        })
        .collect()
}

fn candidate(word: &str, table: &WordTable, symbols: &[Symbol], left: usize) -> Option<Reverse<Candidate>> {
    let right = symbols[left].next?;
    let joint = &word[symbols[left].start..symbols[right].end];
    let piece = table.piece(joint)?;
    Some(Reverse(Candidate { rank: piece.rank, left, joint_bytes: joint.len() }))
}
