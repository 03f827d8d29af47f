//! Rows in lists, each around a centre: a search looks into the lists whose centres are near to what is asked, and leaves the others.
//! What it leaves may hold one of the nearest; `bench/content` measures how seldom.

use super::{
    passing::{Centre, nearest_of},
    scan::{ROW_STEPS, rounded},
};

pub struct Lists {
    centres: Vec<Centre>,
    /// For each centre its rows, by their place.
    rows: Vec<Vec<u32>>,
    /// Rows that are in lists.
    listed: usize,
    /// Rows there were when the centres were found.
    made_of: usize,
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
            (0..centres).map(|place| centre_at(row(place * count / centres).iter().map(|value| f32::from(*value)))).collect();
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
        for (place, centre) in nearest_of(&self.centres, &values[first * dimensions..], dimensions).into_iter().enumerate() {
            let row = u32::try_from(first + place).expect("nobody has four thousand million memories in one process");
            self.rows[centre].push(row);
        }
        self.listed = values.len() / dimensions;
    }

    /// The rows of the lists nearest to `asked`: a share of all, and `limit` at the least.
    pub fn near(&self, asked: &[i16], limit: usize) -> Vec<u32> {
        let mut order: Vec<(f32, usize)> =
            self.centres.iter().enumerate().map(|(place, centre)| (likeness(centre, asked), place)).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0));
        let wanted = limit.max(self.listed / LOOKED_AT_ONE_IN);
        let mut rows = Vec::with_capacity(wanted);
        for (_, place) in order {
            if rows.len() >= wanted {
                break;
            }
            rows.extend_from_slice(&self.rows[place]);
        }
        rows
    }
}

/// Only its direction counts.
fn centre_at(values: impl Iterator<Item = f32>) -> Centre {
    let values: Vec<f32> = values.collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    let (scale, values, _, _) = rounded(&values.iter().map(|value| value / length).collect::<Vec<_>>(), ROW_STEPS);
    Centre { values, scale }
}

fn likeness(centre: &Centre, asked: &[i16]) -> f32 {
    let sum: i64 = centre.values.iter().zip(asked).map(|(one, other)| i64::from(*one) * i64::from(*other)).sum();
    sum as f32 * centre.scale
}

/// Each centre in the middle of the rows that are nearest to it; one without any stays.
fn moved(centres: Vec<Centre>, values: &[i8], dimensions: usize) -> Vec<Centre> {
    let mut sums: Vec<Option<Vec<f32>>> = centres.iter().map(|_| None).collect();
    let nearest = nearest_of(&centres, values, dimensions);
    for (row, centre) in values.chunks_exact(dimensions).zip(nearest) {
        let sum = sums[centre].get_or_insert_with(|| vec![0.0; dimensions]);
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += f32::from(*value);
        }
    }
    centres.into_iter().zip(sums).map(|(centre, sum)| sum.map_or(centre, |sum| centre_at(sum.into_iter()))).collect()
}
