//! Reads the weights file that `scripts/make-weights` writes. Its format is described in `data/README.md`.

use super::cursor::{Cursor, DamagedWeights, TOO_SHORT};
use std::collections::HashMap;

const MAGIC: &[u8] = b"CHIWORDS";
const VERSION: u32 = 1;
/// A piece that no merge may produce: the specials and the raw bytes.
const NEVER: u16 = 0xFFFF;

/// Pieces of words and one row of numbers for each.
pub(super) struct WordTable {
    dimensions: usize,
    pieces: HashMap<&'static str, Piece>,
    scales: Vec<f32>,
    rows: &'static [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) id: u32,
    /// Lower merges first.
    pub(super) rank: u16,
}

impl WordTable {
    pub(super) fn parse(bytes: &'static [u8]) -> Result<Self, DamagedWeights> {
        let mut cursor = Cursor(bytes);
        if cursor.take(MAGIC.len())? != MAGIC {
            return Err(DamagedWeights("they do not start as weights do"));
        }
        if cursor.number()? != VERSION {
            return Err(DamagedWeights("another version of the format"));
        }
        let piece_count = cursor.number()? as usize;
        let dimensions = cursor.number()? as usize;
        let vocabulary_bytes = cursor.number()? as usize;
        let pieces = parse_pieces(cursor.take(vocabulary_bytes)?, piece_count)?;
        let scale_bytes = cursor.take(piece_count.checked_mul(4).ok_or(TOO_SHORT)?)?;
        let scales = scale_bytes.as_chunks::<4>().0.iter().map(|scale| f32::from_le_bytes(*scale)).collect();
        let rows = cursor.take(piece_count.checked_mul(dimensions).ok_or(TOO_SHORT)?)?;
        if !cursor.0.is_empty() {
            return Err(DamagedWeights("they go on after the last row"));
        }
        Ok(Self { dimensions, pieces, scales, rows })
    }

    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(super) fn piece(&self, text: &str) -> Option<Piece> {
        self.pieces.get(text).copied()
    }

    /// Adds the row of a piece to `sum`.
    pub(super) fn add_row(&self, piece_id: u32, sum: &mut [f32]) {
        let id = piece_id as usize;
        let scale = self.scales[id];
        let row = &self.rows[id * self.dimensions..(id + 1) * self.dimensions];
        for (total, value) in sum.iter_mut().zip(row) {
            *total += f32::from(value.cast_signed()) * scale;
        }
    }
}

fn parse_pieces(vocabulary: &'static [u8], piece_count: usize) -> Result<HashMap<&'static str, Piece>, DamagedWeights> {
    let mut cursor = Cursor(vocabulary);
    let mut pieces = HashMap::with_capacity(piece_count.min(vocabulary.len()));
    for id in 0..piece_count {
        let header: [u8; 3] = cursor.take(3)?.try_into().map_err(|_| TOO_SHORT)?;
        let rank = u16::from_le_bytes([header[0], header[1]]);
        let text = std::str::from_utf8(cursor.take(header[2].into())?).map_err(|_| DamagedWeights("a piece is not UTF-8"))?;
        if rank != NEVER {
            let id = u32::try_from(id).map_err(|_| DamagedWeights("too many pieces"))?;
            pieces.insert(text, Piece { id, rank });
        }
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_weights_are_refused_and_never_panic() {
        let header = |count: u32, dimensions: u32, vocabulary: u32| {
            let numbers = [VERSION, count, dimensions, vocabulary].map(u32::to_le_bytes).concat();
            [MAGIC, &numbers].concat()
        };
        let cases: [(Vec<u8>, &str); 6] = [
            (vec![], "they end too early"),
            (b"NOTWORDS and more".to_vec(), "they do not start as weights do"),
            ([MAGIC, &2_u32.to_le_bytes()].concat(), "another version of the format"),
            (header(u32::MAX, u32::MAX, 0), "they end too early"),
            ([header(1, 1, 4), vec![0, 0, 1, 0xFF]].concat(), "a piece is not UTF-8"),
            ([header(0, 1, 0), vec![7]].concat(), "they go on after the last row"),
        ];
        for (bytes, problem) in cases {
            let error = WordTable::parse(bytes.leak()).err();
            assert_eq!(error, Some(DamagedWeights(problem)));
        }
    }
}
