//! A card in motion: frames of a card over time, encoded as H.264 and put into an MP4 file. Each group of frames is drawn and
//! encoded by itself, so that all cores work and the same card always gives the same bytes.

mod h264;
mod motion;
mod mp4;
mod yuv;

pub use motion::{Film, duration_ms};

use crate::card::Card;
use h264::GroupEncoder;
use mp4::{Movie, Sample};
use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};
use yuv::Planes;

pub const FRAMES_PER_SECOND: u32 = 24;
/// A player can jump to the first frame of a group.
const GROUP_FRAMES: u32 = 48;
/// More threads than this would make one video starve the rest of the program.
const THREADS_MAX: usize = 4;

#[derive(Debug, thiserror::Error)]
pub enum VideoError {
    #[error("the video encoder failed: {0}")]
    Encoder(#[from] openh264::Error),
    #[error("the video encoder gave no {0}")]
    Missing(&'static str),
}

/// The card as an MP4 file of `duration_ms`. Blocks, and uses up to four cores.
pub fn film(card: &Card, duration_ms: u64) -> Result<Vec<u8>, VideoError> {
    let film = Film::new(card, duration_ms);
    let frames = film.frames();
    let groups = frames.div_ceil(GROUP_FRAMES) as usize;
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let work = || {
        let mut done = Vec::new();
        loop {
            let group = next.fetch_add(1, Ordering::Relaxed);
            if group >= groups {
                return done;
            }
            done.push((group, encode_group(&film, group as u32 * GROUP_FRAMES, frames)));
        }
    };
    let mut encoded: Vec<(usize, Result<Vec<Sample>, VideoError>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(THREADS_MAX).min(groups)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("an encoder's panic is this thread's panic")).collect()
    });
    encoded.sort_by_key(|(group, _)| *group);
    let mut samples = Vec::with_capacity(frames as usize);
    for (_, group) in encoded {
        samples.extend(group?);
    }
    Movie { width: card.size.width, height: card.size.height, frames_per_second: FRAMES_PER_SECOND, samples }.to_bytes()
}

fn encode_group(film: &Film<'_>, first: u32, frames: u32) -> Result<Vec<Sample>, VideoError> {
    let mut encoder = GroupEncoder::new(FRAMES_PER_SECOND, GROUP_FRAMES)?;
    let mut planes = Planes::new(film.width(), film.height());
    let mut painter = film.painter();
    let mut samples = Vec::with_capacity(GROUP_FRAMES as usize);
    for frame in first..frames.min(first + GROUP_FRAMES) {
        planes.fill(painter.frame(frame));
        samples.push(encoder.encode(&planes)?);
    }
    Ok(samples)
}

#[cfg(test)]
mod tests;
