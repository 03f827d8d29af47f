//! The network itself: six layers of attention and two dense steps, over the pieces of several texts side by side. Texts are laid end to
//! end without padding, so that a batch costs what its pieces cost.

use super::{
    arithmetic::{gelu, normalise, soften},
    weights::{Dense, Layer, Norm, Weights},
};
use ndarray::{Array2, ArrayView2, Axis, Slice, linalg::general_mat_mul};
use std::ops::Range;

/// One vector of unit length for each text's pieces; none of them may be empty.
pub(super) fn encode(weights: &Weights, texts: &[&[u32]]) -> Vec<Vec<f32>> {
    let spans = spans(texts);
    let piece_count = spans.last().map_or(0, |span| span.end);
    let mut states = Array2::zeros((piece_count, weights.hidden));
    let places = texts.iter().flat_map(|pieces| pieces.iter().enumerate());
    for (mut state, (position, piece)) in states.rows_mut().into_iter().zip(places) {
        state.iter_mut().zip(weights.embedding(*piece, position)).for_each(|(state, value)| *state = value);
    }
    normalise_rows(&mut states, &weights.embedding_norm);
    let mut scratch = Scratch::default();
    for layer in &weights.layers {
        run_layer(layer, weights.heads, &spans, &mut states, &mut scratch);
    }
    spans.iter().map(|span| mean_direction(states.slice_axis(Axis(0), Slice::from(span.clone())))).collect()
}

/// Results between the steps, in memory that every layer uses again.
#[derive(Default)]
pub(super) struct Scratch {
    attention_in: Array2<f32>,
    attended: Array2<f32>,
    widened: Array2<f32>,
    added: Array2<f32>,
}

fn spans(texts: &[&[u32]]) -> Vec<Range<usize>> {
    let mut end = 0;
    let span = |pieces: &&[u32]| {
        let start = end;
        end += pieces.len();
        start..end
    };
    texts.iter().map(span).collect()
}

pub(super) fn run_layer(layer: &Layer, heads: usize, spans: &[Range<usize>], states: &mut Array2<f32>, scratch: &mut Scratch) {
    dense(&layer.attention_in, states, &mut scratch.attention_in);
    attention(&scratch.attention_in, heads, spans, &mut scratch.attended);
    dense(&layer.attention_out, &scratch.attended, &mut scratch.added);
    *states += &scratch.added;
    normalise_rows(states, &layer.attention_norm);
    dense(&layer.widen, states, &mut scratch.widened);
    rows_of(&mut scratch.widened, layer.widen.bias.len()).for_each(gelu);
    dense(&layer.narrow, &scratch.widened, &mut scratch.added);
    *states += &scratch.added;
    normalise_rows(states, &layer.output_norm);
}

fn sized(array: &mut Array2<f32>, rows: usize, columns: usize) {
    if array.dim() != (rows, columns) {
        *array = Array2::zeros((rows, columns));
    }
}

fn dense(layer: &Dense, input: &Array2<f32>, output: &mut Array2<f32>) {
    sized(output, input.nrows(), layer.bias.len());
    for mut row in output.rows_mut() {
        row.iter_mut().zip(&layer.bias).for_each(|(value, bias)| *value = *bias);
    }
    general_mat_mul(1.0, input, &layer.weights, 1.0, output);
}

/// `inputs`: query, key and value of each piece. A piece sees the pieces of its own text.
fn attention(inputs: &Array2<f32>, heads: usize, spans: &[Range<usize>], attended: &mut Array2<f32>) {
    let hidden = inputs.ncols() / 3;
    let size = hidden / heads;
    let scale = 1.0 / (size as f32).sqrt();
    sized(attended, inputs.nrows(), hidden);
    for span in spans {
        let mut shares = Array2::zeros((span.len(), span.len()));
        for head in 0..heads {
            let own = inputs.slice_axis(Axis(0), Slice::from(span.clone()));
            let part =
                |which: usize| own.slice_axis(Axis(1), Slice::from(which * hidden + head * size..which * hidden + (head + 1) * size));
            general_mat_mul(scale, &part(0), &part(1).t(), 0.0, &mut shares);
            rows_of(&mut shares, span.len()).for_each(soften);
            let mut rows = attended.slice_axis_mut(Axis(0), Slice::from(span.clone()));
            let mut output = rows.slice_axis_mut(Axis(1), Slice::from(head * size..(head + 1) * size));
            general_mat_mul(1.0, &shares, &part(2), 0.0, &mut output);
        }
    }
}

/// Runs of `size` numbers, one after the other.
fn rows_of(array: &mut Array2<f32>, size: usize) -> std::slice::ChunksExactMut<'_, f32> {
    array.as_slice_mut().expect("made row by row here").chunks_exact_mut(size)
}

pub(super) fn normalise_rows(states: &mut Array2<f32>, norm: &Norm) {
    rows_of(states, norm.scale.len()).for_each(|row| normalise(row, &norm.scale, &norm.shift));
}

fn mean_direction(states: ArrayView2<'_, f32>) -> Vec<f32> {
    let sum = states.sum_axis(Axis(0));
    let length = sum.dot(&sum).sqrt().max(f32::EPSILON);
    sum.iter().map(|value| value / length).collect()
}
