//! Rows in lists, each around a centre: a search looks into the lists whose centres are near to what is asked, and leaves the others.
//! What it leaves may hold one of the nearest; `bench/content` measures how seldom.

use super::scan::{dot, rounded};
use std::{num::NonZero, thread};

pub struct Lists {
    centres: Vec<Centre>,
    /// For each centre its rows, by their place.
    rows: Vec<Vec<u32>>,
    /// Rows that are in lists.
    listed: usize,
    /// Rows there were when the centres were found.
    made_of: usize,
}

struct Centre {
    values: Vec<i16>,
    scale: f32,
}

const CENTRES: usize = 256;
/// Rows that the centres are found from, and how often they are moved into the middle of those around them.
const SAMPLE: usize = 12_288;
const MOVES: usize = 3;
/// Of all rows, the least that is looked at: one in so many.
const LOOKED_AT_ONE_IN: usize = 6;
/// With so many times the rows, the centres are found anew.
const GROWTH_MAX: usize = 4;

impl Lists {
    /// `values` are the rounded rows, one after another.
    pub fn of(values: &[i8], dimensions: usize) -> Self {
        let count = values.len() / dimensions;
        let row = |place: usize| &values[place * dimensions..(place + 1) * dimensions];
        let centres = CENTRES.min(count);
        let mut found: Vec<Centre> =
            (0..centres).map(|place| Centre::at(row(place * count / centres).iter().map(|value| f32::from(*value)))).collect();
        let sample = SAMPLE.min(count);
        let sampled: Vec<i8> = (0..sample).flat_map(|place| row(place * count / sample).iter().copied()).collect();
        for _ in 0..MOVES {
            found = moved(found, &sampled, dimensions);
        }
        let mut lists = Self { rows: vec![Vec::new(); found.len()], centres: found, listed: 0, made_of: count };
        lists.add_from(values, dimensions);
        lists
    }

    pub fn is_good_for(&self, rows: usize) -> bool {
        rows <= self.made_of.saturating_mul(GROWTH_MAX)
    }

    /// Takes up the rows that are not in a list yet.
    pub fn add_from(&mut self, values: &[i8], dimensions: usize) {
        let first = self.listed;
        for (place, centre) in nearest_centres(&self.centres, &values[first * dimensions..], dimensions).into_iter().enumerate() {
            let row = u32::try_from(first + place).expect("nobody has four thousand million memories in one process");
            self.rows[centre].push(row);
        }
        self.listed = values.len() / dimensions;
    }

    /// The rows of the lists nearest to `asked`: a share of all, and `limit` at the least.
    pub fn near(&self, asked: &[i16], limit: usize) -> impl Iterator<Item = usize> {
        let mut order: Vec<(f32, usize)> =
            self.centres.iter().enumerate().map(|(place, centre)| (centre.likeness_to(asked), place)).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0));
        let wanted = limit.max(self.listed / LOOKED_AT_ONE_IN);
        let mut taken = 0;
        let nearest = order.into_iter().take_while(move |(_, place)| {
            let goes_on = taken < wanted;
            taken += self.rows[*place].len();
            goes_on
        });
        nearest.flat_map(|(_, place)| self.rows[place].iter().map(|row| *row as usize))
    }
}

impl Centre {
    /// Only its direction counts.
    fn at(values: impl Iterator<Item = f32>) -> Self {
        let values: Vec<f32> = values.collect();
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        let (scale, values, _, _) = rounded(&values.iter().map(|value| value / length).collect::<Vec<_>>());
        Self { values, scale }
    }

    fn likeness_to(&self, asked: &[i16]) -> f32 {
        let sum: i64 = self.values.iter().zip(asked).map(|(one, other)| i64::from(*one) * i64::from(*other)).sum();
        sum as f32 * self.scale
    }
}

/// Each centre in the middle of the rows that are nearest to it; one without any stays.
fn moved(centres: Vec<Centre>, values: &[i8], dimensions: usize) -> Vec<Centre> {
    let mut sums: Vec<Option<Vec<f32>>> = centres.iter().map(|_| None).collect();
    let nearest = nearest_centres(&centres, values, dimensions);
    for (row, centre) in values.chunks_exact(dimensions).zip(nearest) {
        let sum = sums[centre].get_or_insert_with(|| vec![0.0; dimensions]);
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += f32::from(*value);
        }
    }
    centres.into_iter().zip(sums).map(|(centre, sum)| sum.map_or(centre, |sum| Centre::at(sum.into_iter()))).collect()
}

/// For each row its nearest centre, on all cores.
fn nearest_centres(centres: &[Centre], values: &[i8], dimensions: usize) -> Vec<usize> {
    let rows = values.len() / dimensions;
    let of_row = |row: &[i8]| {
        let likeness = |centre: &Centre| dot(row, &centre.values) as f32 * centre.scale;
        let best = centres.iter().map(likeness).enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
        best.map_or(0, |(place, _)| place)
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let part = rows.div_ceil(cores).max(1) * dimensions;
    thread::scope(|scope| {
        let parts: Vec<_> =
            values.chunks(part).map(|part| scope.spawn(|| part.chunks_exact(dimensions).map(of_row).collect::<Vec<usize>>())).collect();
        parts.into_iter().flat_map(|part| part.join().expect("arithmetic does not panic")).collect()
    })
}
