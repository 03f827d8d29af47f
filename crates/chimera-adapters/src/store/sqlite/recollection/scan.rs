//! Vectors in a quarter of their size, and how far off that can be: a pass over them names everyone who may be among the nearest, and
//! leaves nobody out who is. Where there are many of them the pass is over the lists that are near to what is asked.

use super::{lists::Lists, passing};
use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// Rows of whole numbers, each with its scale and with the length of what was rounded away.
#[derive(Default)]
pub struct Rows {
    dimensions: usize,
    numbers: Vec<i64>,
    values: Vec<i8>,
    sizes: Sizes,
    listed_above: usize,
    lists: Option<Lists>,
}

/// Of each row what its likeness depends on beside its values, column by column so that a pass over all of them is quick.
#[derive(Default)]
struct Sizes {
    scales: Vec<f32>,
    /// The lengths of what was rounded away.
    roundings: Vec<f32>,
    /// The lengths of what is left.
    lengths: Vec<f32>,
}

/// Rows are rounded to so many steps on either side of nought, which is a byte.
pub(super) const ROW_STEPS: f32 = 127.0;
/// What is asked for is there once: it can be finer, which halves what rounding hides. Products of both add up in 32 bits for 8,000 dimensions.
const ASKED_STEPS: f32 = 2_047.0;
/// What adding up floating point may be off by, far above what it is.
const ARITHMETIC_SLACK: f32 = 1e-5;

impl Rows {
    /// With more rows than `listed_above` they are put into lists.
    pub fn new(dimensions: usize, listed_above: usize) -> Self {
        Self { dimensions, listed_above, ..Self::default() }
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// `vector` has this many dimensions.
    pub fn push(&mut self, number: i64, vector: &[f32]) {
        let (scale, rounded, rounding, length) = rounded(vector, ROW_STEPS);
        self.numbers.push(number);
        self.values.extend(rounded.iter().map(|value| *value as i8));
        self.sizes.scales.push(scale);
        self.sizes.roundings.push(rounding);
        self.sizes.lengths.push(length);
    }

    /// To be called when rows were pushed: lists are made when there are enough rows for them, and made anew when there are many more.
    pub fn arrange(&mut self) {
        let rows = self.numbers.len();
        if rows <= self.listed_above || self.dimensions == 0 {
            return;
        }
        match &mut self.lists {
            Some(lists) if lists.is_good_for(rows) => lists.add_from(&self.values, self.dimensions),
            _ => self.lists = Some(Lists::of(&self.values, self.dimensions)),
        }
    }

    /// What they take in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(self.values.as_slice()) + self.numbers.len() * (size_of::<i64>() + 3 * size_of::<f32>())
    }

    /// The numbers of all rows that may be among the `limit` nearest to `vector`.
    pub fn candidates(&self, vector: &[f32], limit: usize) -> Vec<i64> {
        if limit == 0 || self.dimensions == 0 || vector.len() != self.dimensions {
            return Vec::new();
        }
        let asked = Asked::new(vector);
        let near = self.lists.as_ref().map(|lists| lists.near(&asked.values, limit));
        let bounds = match &near {
            Some(near) => self.sizes.of(near).bounds(&passing::over_these(&self.values, near, &asked.values), &asked),
            None => self.sizes.bounds(&passing::over_all(&self.values, &asked.values), &asked),
        };
        let number_at = |place: usize| self.numbers[near.as_ref().map_or(place, |near| near[place] as usize)];
        let Some(enough) = nth_largest(bounds.iter().map(|(rough, off)| rough - off), limit) else { return Vec::new() };
        bounds.iter().enumerate().filter(|(_, (rough, off))| rough + off >= enough).map(|(place, _)| number_at(place)).collect()
    }
}

impl Sizes {
    /// Of these rows alone.
    fn of(&self, rows: &[u32]) -> Self {
        let of = |column: &[f32]| rows.iter().map(|row| column[*row as usize]).collect();
        Self { scales: of(&self.scales), roundings: of(&self.roundings), lengths: of(&self.lengths) }
    }

    /// For each row its likeness as rounded, from the sum of its products, and how far that can be off.
    fn bounds(&self, sums: &[i32], asked: &Asked) -> Vec<(f32, f32)> {
        // Schwarz: what was rounded off either side is at most as much as its length.
        let off = |rounding: &f32, length: &f32| asked.length * rounding + asked.rounding * length + ARITHMETIC_SLACK;
        let offs = self.roundings.iter().zip(&self.lengths).map(|(rounding, length)| off(rounding, length));
        sums.iter().zip(&self.scales).zip(offs).map(|((sum, scale), off)| (asked.scale * scale * *sum as f32, off)).collect()
    }
}

/// The `place`-th largest, counted from 1; of fewer values, the smallest.
fn nth_largest(values: impl Iterator<Item = f32>, place: usize) -> Option<f32> {
    let mut largest: BinaryHeap<Reverse<Ordered>> = BinaryHeap::new();
    let mut least = f32::NEG_INFINITY;
    for value in values {
        if largest.len() < place {
            largest.push(Reverse(Ordered(value)));
        } else if value > least {
            largest.pop();
            largest.push(Reverse(Ordered(value)));
        } else {
            continue;
        }
        if largest.len() == place {
            least = largest.peek().map_or(least, |Reverse(Ordered(value))| *value);
        }
    }
    largest.peek().map(|Reverse(Ordered(value))| *value)
}

struct Ordered(f32);

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

/// What is looked for, rounded as the rows are, and finer.
struct Asked {
    values: Vec<i16>,
    scale: f32,
    rounding: f32,
    /// Before it was rounded.
    length: f32,
}

impl Asked {
    fn new(vector: &[f32]) -> Self {
        let (scale, values, rounding, _) = rounded(vector, ASKED_STEPS);
        Self { values, scale, rounding, length: vector.iter().map(|value| value * value).sum::<f32>().sqrt() }
    }
}

/// Scale, whole numbers of at most `steps`, the length of what was rounded away, and the length of what is left.
pub(super) fn rounded(vector: &[f32], steps: f32) -> (f32, Vec<i16>, f32, f32) {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { largest / steps } else { 1.0 };
    let whole: Vec<i16> = vector.iter().map(|value| (value / scale).round() as i16).collect();
    let off = whole.iter().zip(vector).map(|(whole, value)| (f32::from(*whole) * scale - value).powi(2)).sum::<f32>().sqrt();
    let length = whole.iter().map(|whole| (f32::from(*whole) * scale).powi(2)).sum::<f32>().sqrt();
    (scale, whole, off, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_candidates_and_the_nearest_always_is() {
        let vector = |angle: f32| [angle.cos(), angle.sin(), 0.0, 0.0];
        let mut rows = Rows::new(4, 100_000);
        for number in 0..1_000 {
            rows.push(number, &vector(number as f32 / 1_000.0));
        }

        for asked in [0, 137, 500, 999] {
            let candidates = rows.candidates(&vector(asked as f32 / 1_000.0), 1);
            assert!(candidates.contains(&asked) && candidates.len() < 500, "{asked}: {}", candidates.len());
        }
        assert!(rows.candidates(&vector(0.0), 0).is_empty());
        assert!(rows.candidates(&[1.0], 5).is_empty());
        assert!(Rows::new(4, 100_000).candidates(&vector(0.0), 5).is_empty());
    }

    #[test]
    fn with_many_rows_the_lists_near_to_what_is_asked_are_searched_and_later_rows_are_found_too() {
        // Around forty directions, as texts are around subjects.
        let vector = |number: usize| {
            let mut vector = [0.0_f32; 64];
            vector[number % 40] = 1.0;
            vector[40 + number % 24] += 0.2 + (number / 40) as f32 / 1_000.0;
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            vector.map(|value| value / length)
        };
        let (mut listed, mut plain) = (Rows::new(64, 1_000), Rows::new(64, usize::MAX));
        for number in 0..4_000 {
            for rows in [&mut listed, &mut plain] {
                rows.push(number as i64, &vector(number));
                rows.arrange();
            }
        }

        let mut found = 0;
        for asked in (0..4_000).step_by(37) {
            let nearest = plain.candidates(&vector(asked), 1);
            let candidates = listed.candidates(&vector(asked), 1);
            found += usize::from(candidates.contains(&(asked as i64)));
            assert!(candidates.iter().all(|number| nearest.contains(number) || candidates.len() < 400));
        }
        assert!(listed.lists.is_some() && plain.lists.is_none());
        assert_eq!(found, 4_000_usize.div_ceil(37), "each finds itself, whether it came before the lists or after");
        assert_eq!(listed.candidates(&vector(3), 4_000).len(), 4_000, "all, when all are asked for");
    }
}
