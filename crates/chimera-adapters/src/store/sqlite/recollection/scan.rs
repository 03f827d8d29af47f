//! Vectors in a quarter of their size, and how far off that can be: a pass over them names everyone who may be among the nearest, and
//! leaves nobody out who is.

/// Rows of whole numbers, each with its scale and with the length of what was rounded away.
#[derive(Default)]
pub struct Rows {
    dimensions: usize,
    numbers: Vec<i64>,
    values: Vec<i8>,
    scales: Vec<f32>,
    /// Of the rounding and of the rounded vector.
    lengths: Vec<(f32, f32)>,
}

/// What adding up floating point may be off by, far above what it is.
const ARITHMETIC_SLACK: f32 = 1e-5;

impl Rows {
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// `vector` has this many dimensions.
    pub fn push(&mut self, number: i64, vector: &[f32]) {
        let (scale, rounded, rounding, length) = rounded(vector);
        self.numbers.push(number);
        self.values.extend(rounded.iter().map(|value| *value as i8));
        self.scales.push(scale);
        self.lengths.push((rounding, length));
    }

    /// The numbers of all rows that may be among the `limit` nearest to `vector`.
    pub fn candidates(&self, vector: &[f32], limit: usize) -> Vec<i64> {
        if limit == 0 || self.dimensions == 0 || vector.len() != self.dimensions {
            return Vec::new();
        }
        let (scale, asked, rounding, _) = rounded(vector);
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let mut bounds: Vec<(f32, f32)> = Vec::with_capacity(self.numbers.len());
        for ((row, row_scale), (row_rounding, row_length)) in self.values.chunks_exact(self.dimensions).zip(&self.scales).zip(&self.lengths)
        {
            let rough = scale * row_scale * dot(row, &asked) as f32;
            // Schwarz: what was rounded off either side is at most as much as its length.
            let off = length * row_rounding + rounding * row_length + ARITHMETIC_SLACK;
            bounds.push((rough - off, rough + off));
        }
        let mut least: Vec<f32> = bounds.iter().map(|(least, _)| *least).collect();
        let place = limit.min(least.len());
        let Some(place) = place.checked_sub(1) else { return Vec::new() };
        let (_, enough, _) = least.select_nth_unstable_by(place, |one, other| other.total_cmp(one));
        let enough = *enough;
        bounds.iter().zip(&self.numbers).filter(|((_, most), _)| *most >= enough).map(|(_, number)| *number).collect()
    }
}

/// Scale, whole numbers from -127 to 127, the length of what was rounded away, and the length of what is left.
fn rounded(vector: &[f32]) -> (f32, Vec<i16>, f32, f32) {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let whole: Vec<i16> = vector.iter().map(|value| (value / scale).round() as i16).collect();
    let off = whole.iter().zip(vector).map(|(whole, value)| (f32::from(*whole) * scale - value).powi(2)).sum::<f32>().sqrt();
    let length = whole.iter().map(|whole| (f32::from(*whole) * scale).powi(2)).sum::<f32>().sqrt();
    (scale, whole, off, length)
}

/// Sixteen at a time, which the compiler turns into the machine's vectors.
fn dot(row: &[i8], asked: &[i16]) -> i32 {
    let (row_blocks, row_rest) = row.as_chunks::<16>();
    let (asked_blocks, asked_rest) = asked.as_chunks::<16>();
    let mut sums = [0_i32; 16];
    for (row, asked) in row_blocks.iter().zip(asked_blocks) {
        for lane in 0..16 {
            sums[lane] += i32::from(i16::from(row[lane])) * i32::from(asked[lane]);
        }
    }
    let rest: i32 = row_rest.iter().zip(asked_rest).map(|(row, asked)| i32::from(*row) * i32::from(*asked)).sum();
    sums.iter().sum::<i32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_candidates_and_the_nearest_always_is() {
        let vector = |angle: f32| [angle.cos(), angle.sin(), 0.0, 0.0];
        let mut rows = Rows::new(4);
        for number in 0..1_000 {
            rows.push(number, &vector(number as f32 / 1_000.0));
        }

        for asked in [0, 137, 500, 999] {
            let candidates = rows.candidates(&vector(asked as f32 / 1_000.0), 1);
            assert!(candidates.contains(&asked) && candidates.len() < 500, "{asked}: {}", candidates.len());
        }
        assert!(rows.candidates(&vector(0.0), 0).is_empty());
        assert!(rows.candidates(&[1.0], 5).is_empty());
        assert!(Rows::new(4).candidates(&vector(0.0), 5).is_empty());
    }
}
