//! Reads the weights files that `scripts/make-weights-minilm` and `scripts/fit/languages.py` write. Their formats are described in `data/README.md`.

use super::{
    super::cursor::{Cursor, DamagedWeights, TOO_SHORT},
    word_piece::WordPieces,
};
use ndarray::Array2;

const MAGIC: &[u8] = b"CHIMINLM";
const LANGUAGES_MAGIC: &[u8] = b"CHILANGS";
const VERSION: u32 = 1;

pub(super) struct Weights {
    pub(super) pieces: WordPieces,
    pub(super) hidden: usize,
    pub(super) heads: usize,
    /// A text may have this many pieces.
    pub(super) positions_max: usize,
    english: Rows,
    others: Rows,
    positions: Vec<f32>,
    pub(super) embedding_norm: Norm,
    pub(super) layers: Vec<Layer>,
}

/// Vectors of pieces: a scale for each, and numbers in steps of it.
struct Rows {
    scales: Vec<f32>,
    numbers: &'static [u8],
}

pub(super) struct Layer {
    /// Query, key and value side by side.
    pub(super) attention_in: Dense,
    pub(super) attention_out: Dense,
    pub(super) attention_norm: Norm,
    pub(super) widen: Dense,
    pub(super) narrow: Dense,
    pub(super) output_norm: Norm,
}

pub(super) struct Dense {
    /// Inputs by outputs.
    pub(super) weights: Array2<f32>,
    pub(super) bias: Vec<f32>,
}

pub(super) struct Norm {
    pub(super) scale: Vec<f32>,
    pub(super) shift: Vec<f32>,
}

impl Weights {
    /// Of the network with its English pieces, and of the pieces of other languages.
    pub(super) fn parse(network: &'static [u8], languages: &'static [u8]) -> Result<Self, DamagedWeights> {
        let mut cursor = Cursor(network);
        cursor.begins_as(MAGIC)?;
        let piece_count = cursor.count()?;
        let hidden = cursor.count()?;
        let layer_count = cursor.count()?;
        let heads = cursor.count()?;
        let widened = cursor.count()?;
        let positions_max = cursor.count()?;
        let vocabulary_bytes = cursor.count()?;
        if heads == 0 || !hidden.is_multiple_of(heads) || positions_max < 3 {
            return Err(DamagedWeights("their sizes do not fit each other"));
        }
        let (english_pieces, english) = cursor.pieces(piece_count, vocabulary_bytes, hidden)?;
        let positions = cursor.numbers(product(positions_max, hidden)?)?;
        let embedding_norm = cursor.norm(hidden)?;
        let layers = (0..layer_count).map(|_| cursor.layer(hidden, widened)).collect::<Result<_, _>>()?;
        cursor.ends()?;
        let (other_pieces, others) = parse_languages(languages, hidden)?;
        let pieces = WordPieces::new(&english_pieces, &other_pieces).ok_or(DamagedWeights("a special piece is missing"))?;
        Ok(Self { pieces, hidden, heads, positions_max, english, others, positions, embedding_norm, layers })
    }

    /// The vector of a piece at a position, before any layer.
    pub(super) fn embedding(&self, piece: u32, position: usize) -> impl Iterator<Item = f32> {
        let position = &self.positions[position * self.hidden..(position + 1) * self.hidden];
        self.piece(piece).zip(position).map(|(value, position)| value + position)
    }

    /// The vector of a piece wherever it stands.
    pub(super) fn piece(&self, piece: u32) -> impl Iterator<Item = f32> {
        let piece = piece as usize;
        let (rows, place) = match piece.checked_sub(self.english.scales.len()) {
            None => (&self.english, piece),
            Some(place) => (&self.others, place),
        };
        let scale = rows.scales[place];
        let row = &rows.numbers[place * self.hidden..(place + 1) * self.hidden];
        row.iter().map(move |value| f32::from(value.cast_signed()) * scale)
    }
}

fn parse_languages(bytes: &'static [u8], hidden: usize) -> Result<(Vec<&'static str>, Rows), DamagedWeights> {
    let mut cursor = Cursor(bytes);
    cursor.begins_as(LANGUAGES_MAGIC)?;
    let (piece_count, dimensions, vocabulary_bytes) = (cursor.count()?, cursor.count()?, cursor.count()?);
    if dimensions != hidden {
        return Err(DamagedWeights("their sizes do not fit each other"));
    }
    let found = cursor.pieces(piece_count, vocabulary_bytes, hidden)?;
    cursor.ends()?;
    Ok(found)
}

fn product(left: usize, right: usize) -> Result<usize, DamagedWeights> {
    left.checked_mul(right).ok_or(TOO_SHORT)
}

impl Cursor {
    pub(super) fn begins_as(&mut self, magic: &[u8]) -> Result<(), DamagedWeights> {
        if self.take(magic.len())? != magic {
            return Err(DamagedWeights("they do not start as weights do"));
        }
        if self.number()? != VERSION {
            return Err(DamagedWeights("another version of the format"));
        }
        Ok(())
    }

    pub(super) fn ends(&self) -> Result<(), DamagedWeights> {
        if self.0.is_empty() { Ok(()) } else { Err(DamagedWeights("they go on after their end")) }
    }

    /// Their texts, and their vectors.
    fn pieces(&mut self, count: usize, vocabulary_bytes: usize, hidden: usize) -> Result<(Vec<&'static str>, Rows), DamagedWeights> {
        let mut vocabulary = Cursor(self.take(vocabulary_bytes)?);
        let mut pieces = Vec::with_capacity(count.min(vocabulary_bytes));
        for _ in 0..count {
            let length = vocabulary.take(1)?[0];
            pieces.push(std::str::from_utf8(vocabulary.take(length.into())?).map_err(|_| DamagedWeights("a piece is not UTF-8"))?);
        }
        Ok((pieces, Rows { scales: self.numbers(count)?, numbers: self.take(product(count, hidden)?)? }))
    }

    pub(super) fn count(&mut self) -> Result<usize, DamagedWeights> {
        usize::try_from(self.number()?).map_err(|_| TOO_SHORT)
    }

    pub(super) fn numbers(&mut self, count: usize) -> Result<Vec<f32>, DamagedWeights> {
        let bytes = self.take(product(count, 4)?)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect())
    }

    pub(super) fn norm(&mut self, size: usize) -> Result<Norm, DamagedWeights> {
        Ok(Norm { scale: self.numbers(size)?, shift: self.numbers(size)? })
    }

    /// Rows with a scale each, one after the other.
    pub(super) fn matrix(&mut self, rows: usize, columns: usize) -> Result<Vec<f32>, DamagedWeights> {
        let scales = self.numbers(rows)?;
        let numbers = self.take(product(rows, columns)?)?;
        let scaled = numbers.chunks(columns.max(1)).zip(scales);
        Ok(scaled.flat_map(|(row, scale)| row.iter().map(move |value| f32::from(value.cast_signed()) * scale)).collect())
    }

    fn dense(&mut self, inputs: usize, outputs: usize) -> Result<Dense, DamagedWeights> {
        let scales = self.numbers(outputs)?;
        let rows = self.take(product(inputs, outputs)?)?;
        let weights = Array2::from_shape_fn((inputs, outputs), |(input, output)| {
            f32::from(rows[output * inputs + input].cast_signed()) * scales[output]
        });
        Ok(Dense { weights, bias: self.numbers(outputs)? })
    }

    pub(super) fn layer(&mut self, hidden: usize, widened: usize) -> Result<Layer, DamagedWeights> {
        Ok(Layer {
            attention_in: self.dense(hidden, product(3, hidden)?)?,
            attention_out: self.dense(hidden, hidden)?,
            attention_norm: self.norm(hidden)?,
            widen: self.dense(hidden, widened)?,
            narrow: self.dense(widened, hidden)?,
            output_norm: self.norm(hidden)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_weights_are_refused_and_never_panic() {
        let header = |numbers: [u32; 7]| {
            let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            [MAGIC, &VERSION.to_le_bytes(), &numbers].concat()
        };
        let cases: [(Vec<u8>, &str); 6] = [
            (vec![], "they end too early"),
            (b"CHIWORDS and more".to_vec(), "they do not start as weights do"),
            ([MAGIC, &9_u32.to_le_bytes()].concat(), "another version of the format"),
            (header([1, 10, 1, 3, 4, 8, 0]), "their sizes do not fit each other"),
            (header([u32::MAX, 4, 1, 2, 4, 8, 0]), "they end too early"),
            ([header([1, 4, 1, 2, 4, 8, 2]), vec![1, 0xFF]].concat(), "a piece is not UTF-8"),
        ];
        for (bytes, problem) in cases {
            assert_eq!(Weights::parse(bytes.leak(), b"").err(), Some(DamagedWeights(problem)));
        }
    }

    #[test]
    fn pieces_of_another_size_or_cut_short_are_refused() {
        let header =
            |numbers: [u32; 4]| [LANGUAGES_MAGIC, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()].concat();
        for (bytes, problem) in [
            (header([1, 1, 8, 0]), "their sizes do not fit each other"),
            (header([2, 1, 4, 0]), "another version of the format"),
            (header([1, 1, 4, 0]), "they end too early"),
            ([header([1, 0, 4, 0]), vec![7]].concat(), "they go on after their end"),
        ] {
            assert_eq!(parse_languages(bytes.leak(), 4).err(), Some(DamagedWeights(problem)));
        }
    }
}
