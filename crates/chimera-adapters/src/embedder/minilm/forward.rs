//! The network itself: six layers of attention and two dense steps, over the pieces of several texts side by side. Texts are laid end to
//! end without padding, so that a batch costs what its pieces cost.

use super::weights::{Dense, Layer, Norm, Weights};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice, linalg::general_mat_mul};
use std::{ops::Range, sync::LazyLock};

const NORM_EPSILON: f32 = 1e-12;

/// One vector of unit length for each text's pieces; none of them may be empty.
pub(super) fn encode(weights: &Weights, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let spans = spans(texts);
    let piece_count = spans.last().map_or(0, |span| span.end);
    let mut states = Array2::zeros((piece_count, weights.hidden));
    let places = texts.iter().flat_map(|pieces| pieces.iter().enumerate());
    for (mut state, (position, piece)) in states.rows_mut().into_iter().zip(places) {
        state.iter_mut().zip(weights.embedding(*piece, position)).for_each(|(state, value)| *state = value);
    }
    normalise(&mut states, &weights.embedding_norm);
    for layer in &weights.layers {
        run_layer(layer, weights.heads, &spans, &mut states);
    }
    spans.iter().map(|span| mean_direction(states.slice_axis(Axis(0), Slice::from(span.clone())))).collect()
}

fn spans(texts: &[Vec<u32>]) -> Vec<Range<usize>> {
    let mut end = 0;
    let span = |pieces: &Vec<u32>| {
        let start = end;
        end += pieces.len();
        start..end
    };
    texts.iter().map(span).collect()
}

fn run_layer(layer: &Layer, heads: usize, spans: &[Range<usize>], states: &mut Array2<f32>) {
    let attended = attention(&dense(&layer.attention_in, states), heads, spans);
    *states += &dense(&layer.attention_out, &attended);
    normalise(states, &layer.attention_norm);
    let mut widened = dense(&layer.widen, states);
    widened.iter_mut().for_each(|value| *value = GELU.at(*value));
    *states += &dense(&layer.narrow, &widened);
    normalise(states, &layer.output_norm);
}

fn dense(layer: &Dense, input: &Array2<f32>) -> Array2<f32> {
    let mut output = Array2::zeros((input.nrows(), layer.bias.len()));
    for mut row in output.rows_mut() {
        row.iter_mut().zip(&layer.bias).for_each(|(value, bias)| *value = *bias);
    }
    general_mat_mul(1.0, input, &layer.weights, 1.0, &mut output);
    output
}

/// `inputs`: query, key and value of each piece. A piece sees the pieces of its own text.
fn attention(inputs: &Array2<f32>, heads: usize, spans: &[Range<usize>]) -> Array2<f32> {
    let hidden = inputs.ncols() / 3;
    let size = hidden / heads;
    let scale = 1.0 / (size as f32).sqrt();
    let mut attended = Array2::zeros((inputs.nrows(), hidden));
    for span in spans {
        let mut shares = Array2::zeros((span.len(), span.len()));
        for head in 0..heads {
            let own = inputs.slice_axis(Axis(0), Slice::from(span.clone()));
            let part =
                |which: usize| own.slice_axis(Axis(1), Slice::from(which * hidden + head * size..which * hidden + (head + 1) * size));
            general_mat_mul(scale, &part(0), &part(1).t(), 0.0, &mut shares);
            soften(&mut shares.view_mut());
            let mut rows = attended.slice_axis_mut(Axis(0), Slice::from(span.clone()));
            let mut output = rows.slice_axis_mut(Axis(1), Slice::from(head * size..(head + 1) * size));
            general_mat_mul(1.0, &shares, &part(2), 0.0, &mut output);
        }
    }
    attended
}

/// Softmax of each row.
fn soften(rows: &mut ArrayViewMut2<'_, f32>) {
    for mut row in rows.rows_mut() {
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut total = 0.0;
        for value in &mut row {
            *value = (*value - largest).exp();
            total += *value;
        }
        row.iter_mut().for_each(|value| *value /= total);
    }
}

fn normalise(states: &mut Array2<f32>, norm: &Norm) {
    let size = norm.scale.len() as f32;
    for mut row in states.rows_mut() {
        let mean = row.sum() / size;
        let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / size;
        let factor = 1.0 / (variance + NORM_EPSILON).sqrt();
        let fitted = row.iter_mut().zip(norm.scale.iter().zip(&norm.shift));
        fitted.for_each(|(value, (scale, shift))| *value = (*value - mean) * factor * scale + shift);
    }
}

fn mean_direction(states: ArrayView2<'_, f32>) -> Vec<f32> {
    let sum = states.sum_axis(Axis(0));
    let length = sum.dot(&sum).sqrt().max(f32::EPSILON);
    sum.iter().map(|value| value / length).collect()
}

/// The activation x·Φ(x), from a table: it is needed nine thousand times a piece.
static GELU: LazyLock<Gelu> = LazyLock::new(Gelu::new);

struct Gelu(Vec<f32>);

impl Gelu {
    /// Beyond this the function is x, or 0, as far as f32 can tell.
    const END: f32 = 6.0;
    const STEPS_PER_UNIT: f32 = 512.0;

    /// Sums the density of the normal distribution, much finer than the table.
    fn new() -> Self {
        const FINE: u32 = 8;
        let count = (2.0 * Self::END * Self::STEPS_PER_UNIT) as u32 + 2;
        let fine_step = 1.0 / (f64::from(Self::STEPS_PER_UNIT) * f64::from(FINE));
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let mut x = -f64::from(Self::END);
        let mut share = 0.0;
        let mut table = Vec::with_capacity(count as usize);
        for _ in 0..count {
            table.push((x * share) as f32);
            for _ in 0..FINE {
                // Simpson's rule.
                share += fine_step / 6.0 * (density(x) + 4.0 * density(x + fine_step / 2.0) + density(x + fine_step));
                x += fine_step;
            }
        }
        Self(table)
    }

    fn at(&self, x: f32) -> f32 {
        if x >= Self::END {
            return x;
        }
        let place = (x + Self::END).max(0.0) * Self::STEPS_PER_UNIT;
        let index = place as usize;
        let (low, high) = (self.0[index], self.0[index + 1]);
        low + (high - low) * (place - index as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_activation_agrees_with_known_values() {
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_25), (2.5, 2.484_475_8), (-3.0, -0.004_049_694), (9.0, 9.0), (-9.0, 0.0)]
        {
            assert!((GELU.at(x) - expected).abs() < 2e-6, "{x}: {}", GELU.at(x));
        }
    }
}
