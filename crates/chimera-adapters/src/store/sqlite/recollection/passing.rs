//! Passes over many rows of whole numbers, with the widest vectors that this machine has and on all its cores.

use fearless_simd::{Level, dispatch};
use std::{num::NonZero, sync::LazyLock, thread};

/// A core is not woken for fewer rows than this.
const ROWS_A_CORE_MIN: usize = 4_096;

/// Asked for once: to know it, files are read.
static CORES: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));

/// The sums of products of `asked` and each row of `values`.
pub fn over_all(values: &[i8], asked: &[i16]) -> Vec<i32> {
    let mut sums = vec![0; values.len() / asked.len().max(1)];
    let rows = rows_a_core(sums.len());
    let parts = values.chunks((rows * asked.len()).max(1)).zip(sums.chunks_mut(rows));
    on_all_cores(parts, |(values, sums)| dispatch!(Level::new(), _ => add_up_all(values, asked, sums)));
    sums
}

/// As `over_all`, of the rows at these places alone.
pub fn over_these(values: &[i8], rows: &[u32], asked: &[i16]) -> Vec<i32> {
    let mut sums = vec![0; rows.len()];
    let parts = rows.chunks(rows_a_core(rows.len())).zip(sums.chunks_mut(rows_a_core(rows.len())));
    on_all_cores(parts, |(rows, sums)| dispatch!(Level::new(), _ => add_up_these(values, rows, asked, sums)));
    sums
}

/// The middle of a list of rows, in whole numbers of `scale`.
pub struct Centre {
    pub values: Vec<i16>,
    pub scale: f32,
}

/// For each row of `values` the place of the centre with the largest product.
pub fn nearest_of(centres: &[Centre], values: &[i8], dimensions: usize) -> Vec<usize> {
    let mut places = vec![0; values.len() / dimensions.max(1)];
    let rows = rows_a_core(places.len());
    let parts = values.chunks((rows * dimensions).max(1)).zip(places.chunks_mut(rows));
    on_all_cores(parts, |(values, places)| dispatch!(Level::new(), _ => find_nearest(centres, values, dimensions, places)));
    places
}

fn rows_a_core(rows: usize) -> usize {
    rows.div_ceil(*CORES).max(ROWS_A_CORE_MIN)
}

/// The first part on this thread.
fn on_all_cores<Part: Send>(mut parts: impl Iterator<Item = Part>, work: impl Fn(Part) + Sync) {
    let work = &work;
    thread::scope(|scope| {
        let own = parts.next();
        for part in parts {
            scope.spawn(move || work(part));
        }
        own.into_iter().for_each(work);
    });
}

// These are compiled once for each kind of machine, and so is all that is inlined into them; what is not, is for the oldest kind.

#[inline(always)]
fn add_up_all(values: &[i8], asked: &[i16], sums: &mut [i32]) {
    for (sum, row) in sums.iter_mut().zip(values.chunks_exact(asked.len())) {
        *sum = dot(row, asked);
    }
}

#[inline(always)]
fn add_up_these(values: &[i8], rows: &[u32], asked: &[i16], sums: &mut [i32]) {
    for (sum, row) in sums.iter_mut().zip(rows) {
        let first = *row as usize * asked.len();
        *sum = dot(&values[first..first + asked.len()], asked);
    }
}

#[inline(always)]
fn find_nearest(centres: &[Centre], values: &[i8], dimensions: usize, places: &mut [usize]) {
    for (best, row) in places.iter_mut().zip(values.chunks_exact(dimensions)) {
        let mut most = f32::MIN;
        for (place, centre) in centres.iter().enumerate() {
            let likeness = dot(row, &centre.values) as f32 * centre.scale;
            if likeness > most {
                (most, *best) = (likeness, place);
            }
        }
    }
}

#[inline(always)]
fn dot(row: &[i8], asked: &[i16]) -> i32 {
    row.iter().zip(asked).map(|(row, asked)| i32::from(*row) * i32::from(*asked)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_on_several_cores_give_what_one_by_one_gives() {
        let (dimensions, rows) = (37, 3 * ROWS_A_CORE_MIN + 5);
        let values: Vec<i8> = (0..rows * dimensions).map(|place| ((place * 7_919) % 255) as u8 as i8).collect();
        let asked: Vec<i16> = (0..dimensions).map(|place| (place as i16 * 397) % 2_047).collect();
        let one_by_one: Vec<i32> = values.chunks_exact(dimensions).map(|row| dot(row, &asked)).collect();
        let backwards: Vec<u32> = (0..rows as u32).rev().collect();
        let mirrored: Vec<i16> = asked.iter().map(|value| -value).collect();
        let signs: Vec<usize> = one_by_one.iter().map(|sum| usize::from(*sum < 0)).collect();

        assert_eq!(over_all(&values, &asked), one_by_one);
        assert_eq!(over_these(&values, &backwards, &asked), one_by_one.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!(nearest_of(&[asked.clone(), mirrored].map(|values| Centre { values, scale: 1.0 }), &values, dimensions), signs);
        assert_eq!(over_all(&[], &asked), [] as [i32; 0]);
        assert_eq!(over_these(&values, &[], &asked), [] as [i32; 0]);
    }
}
