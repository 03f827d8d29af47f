//! Reads a claim beside a passage: the layers of the language model, fitted anew for this by `scripts/fit/claims.py`, over its own table of word
//! pieces. The format is described in `data/README.md`.

use super::{
    super::cursor::{Cursor, DamagedWeights},
    forward::{Scratch, normalise_rows, run_layer},
    weights::{Layer, Norm, Weights},
    word_piece::Vocabulary,
};
use ndarray::{Array2, ArrayView1, Axis, Slice};
use std::sync::OnceLock;

pub(super) static READER: &[u8] = include_bytes!("../../../data/claims-int8.bin");
const MAGIC: &[u8] = b"CHICLAIM";
/// A longer claim is cut, so that something of the passage is left to be read.
const CLAIM_PIECES_MAX: usize = 74;

#[derive(Default)]
pub(super) struct Reader(OnceLock<ReaderWeights>);

pub(super) struct ReaderWeights {
    heads: usize,
    hidden: usize,
    positions: Vec<f32>,
    positions_max: usize,
    /// What is added to the pieces of the passage.
    second: Vec<f32>,
    first_norm: Norm,
    layers: Vec<Layer>,
    head: Vec<f32>,
    bias: f32,
}

impl Reader {
    pub(super) fn read(&self, weights: &Weights, claim: &str, passage: &str) -> f64 {
        self.0
            .get_or_init(|| ReaderWeights::parse(READER).expect("the weights are part of the binary, and a test reads them"))
            .read(weights, claim, passage)
    }
}

impl ReaderWeights {
    pub(super) fn parse(bytes: &'static [u8]) -> Result<Self, DamagedWeights> {
        let mut cursor = Cursor(bytes);
        cursor.begins_as(MAGIC)?;
        let (hidden, layer_count, heads, widened, positions_max) =
            (cursor.count()?, cursor.count()?, cursor.count()?, cursor.count()?, cursor.count()?);
        if heads == 0 || !hidden.is_multiple_of(heads) || positions_max <= CLAIM_PIECES_MAX + 1 {
            return Err(DamagedWeights("their sizes do not fit each other"));
        }
        let positions = cursor.matrix(positions_max, hidden)?;
        let second = cursor.numbers(hidden)?;
        let first_norm = cursor.norm(hidden)?;
        let layers = (0..layer_count).map(|_| cursor.layer(hidden, widened)).collect::<Result<_, _>>()?;
        let head = cursor.numbers(2 * hidden)?;
        let bias = cursor.numbers(1)?[0];
        cursor.ends()?;
        Ok(Self { heads, hidden, positions, positions_max, second, first_norm, layers, head, bias })
    }

    fn read(&self, weights: &Weights, claim: &str, passage: &str) -> f64 {
        let claim = weights.pieces.ids(claim, Vocabulary::English, CLAIM_PIECES_MAX);
        // Without the mark of beginning, which the claim has.
        let passage = weights.pieces.ids(passage, Vocabulary::English, self.positions_max - claim.len() + 1);
        if claim.is_empty() || passage.is_empty() {
            return 0.0;
        }
        let pieces: Vec<u32> = claim.iter().chain(&passage[1..]).copied().collect();
        let mut states = Array2::zeros((pieces.len(), self.hidden));
        for (place, (mut state, piece)) in states.rows_mut().into_iter().zip(&pieces).enumerate() {
            let position = &self.positions[place * self.hidden..(place + 1) * self.hidden];
            let second = if place < claim.len() { 0.0 } else { 1.0 };
            let values = weights.piece(*piece).zip(position).zip(&self.second);
            state.iter_mut().zip(values).for_each(|(state, ((value, position), other))| *state = value + position + second * other);
        }
        normalise_rows(&mut states, &self.first_norm);
        let whole = 0..pieces.len();
        let (mut scratch, spans) = (Scratch::default(), std::slice::from_ref(&whole));
        for layer in &self.layers {
            run_layer(layer, self.heads, spans, &mut states, &mut scratch);
        }
        let own = states.slice_axis(Axis(0), Slice::from(0..claim.len()));
        let mean = own.sum_axis(Axis(0)) / claim.len() as f32;
        let (of_first, of_mean) = self.head.split_at(self.hidden);
        f64::from(states.row(0).dot(&ArrayView1::from(of_first)) + mean.dot(&ArrayView1::from(of_mean)) + self.bias)
    }
}
