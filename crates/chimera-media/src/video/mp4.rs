//! The MP4 file (ISO 14496-12 and -15): one video track, its index before its data, so that it plays while it loads.

use super::VideoError;

/// One encoded frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// It needs no other frame.
    pub is_key: bool,
    /// NAL units without start codes.
    pub units: Vec<Vec<u8>>,
}

pub struct Movie {
    pub width: u32,
    pub height: u32,
    pub frames_per_second: u32,
    pub samples: Vec<Sample>,
}

const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;
const ACCESS_UNIT_DELIMITER: u8 = 9;
/// Of the film's clock: one tick is a millisecond.
const TICKS_PER_SECOND: u32 = 1_000;
/// Of the track's clock, for each frame.
const TICKS_PER_FRAME: u32 = 512;
/// No turn, no zoom.
const UNITY_MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];
const LANGUAGE_UNDEFINED: u16 = 0x55c4;

impl Movie {
    pub fn to_bytes(&self) -> Result<Vec<u8>, VideoError> {
        let parameters = |kind: u8, name| self.units(kind).next().ok_or(VideoError::Missing(name));
        let sps = parameters(SEQUENCE_PARAMETERS, "sequence parameters")?;
        let pps = parameters(PICTURE_PARAMETERS, "picture parameters")?;
        let frames: Vec<Vec<u8>> = self.samples.iter().map(frame_data).collect();
        let kinds = boxed(b"ftyp", &[b"isom", &512_u32.to_be_bytes(), b"isomiso2avc1mp41"]);
        // The place of the data depends on the index's length, which does not depend on the place.
        let index_length = self.index(sps, pps, &frames, 0).len();
        let data_at = u32::try_from(kinds.len() + index_length + 8).map_err(|_| VideoError::Missing("file of less than 4 GB"))?;
        let index = self.index(sps, pps, &frames, data_at);
        Ok([kinds, index, boxed(b"mdat", &[&frames.concat()])].concat())
    }

    fn units(&self, kind: u8) -> impl Iterator<Item = &[u8]> {
        self.samples.iter().flat_map(|sample| &sample.units).filter(move |unit| kind_of(unit) == kind).map(Vec::as_slice)
    }

    fn duration_ms(&self) -> u32 {
        self.samples.len() as u32 * TICKS_PER_SECOND / self.frames_per_second
    }

    fn index(&self, sps: &[u8], pps: &[u8], frames: &[Vec<u8>], data_at: u32) -> Vec<u8> {
        let header = numbers(&[0, 0, TICKS_PER_SECOND, self.duration_ms(), 0x1_0000]);
        let movie_header =
            full_box(b"mvhd", 0, 0, &[&header, &[1, 0, 0, 0], &[0; 8], &numbers(&UNITY_MATRIX), &[0; 24], &2_u32.to_be_bytes()]);
        boxed(b"moov", &[&movie_header, &self.track(sps, pps, frames, data_at)])
    }

    fn track(&self, sps: &[u8], pps: &[u8], frames: &[Vec<u8>], data_at: u32) -> Vec<u8> {
        /// Enabled, in the film.
        const VISIBLE: u32 = 3;
        let header = full_box(
            b"tkhd",
            0,
            VISIBLE,
            &[
                &numbers(&[0, 0, 1, 0, self.duration_ms(), 0, 0, 0, 0]),
                &numbers(&UNITY_MATRIX),
                &numbers(&[self.width << 16, self.height << 16]),
            ],
        );
        let clock = numbers(&[0, 0, self.frames_per_second * TICKS_PER_FRAME, frames.len() as u32 * TICKS_PER_FRAME]);
        let media_header = full_box(b"mdhd", 0, 0, &[&clock, &LANGUAGE_UNDEFINED.to_be_bytes(), &[0; 2]]);
        let handler = full_box(b"hdlr", 0, 0, &[&[0; 4], b"vide", &[0; 12], b"VideoHandler\0"]);
        let here = full_box(b"url ", 0, 1, &[]);
        let sources = boxed(b"dinf", &[&full_box(b"dref", 0, 0, &[&1_u32.to_be_bytes(), &here])]);
        let video_header = full_box(b"vmhd", 0, 1, &[&[0; 8]]);
        let information = boxed(b"minf", &[&video_header, &sources, &self.table(sps, pps, frames, data_at)]);
        boxed(b"trak", &[&header, &boxed(b"mdia", &[&media_header, &handler, &information])])
    }

    /// Where each frame is, how long it is shown, and from which a player can begin.
    fn table(&self, sps: &[u8], pps: &[u8], frames: &[Vec<u8>], data_at: u32) -> Vec<u8> {
        let count = frames.len() as u32;
        let keys: Vec<u32> = (1..).zip(&self.samples).filter(|(_, sample)| sample.is_key).map(|(number, _)| number).collect();
        let sizes: Vec<u32> = frames.iter().map(|frame| frame.len() as u32).collect();
        boxed(
            b"stbl",
            &[
                &full_box(b"stsd", 0, 0, &[&1_u32.to_be_bytes(), &self.description(sps, pps)]),
                &full_box(b"stts", 0, 0, &[&numbers(&[1, count, TICKS_PER_FRAME])]),
                &full_box(b"stss", 0, 0, &[&numbers(&[keys.len() as u32]), &numbers(&keys)]),
                &full_box(b"stsc", 0, 0, &[&numbers(&[1, 1, count, 1])]),
                &full_box(b"stsz", 0, 0, &[&numbers(&[0, count]), &numbers(&sizes)]),
                &full_box(b"stco", 0, 0, &[&numbers(&[1, data_at])]),
            ],
        )
    }

    fn description(&self, sps: &[u8], pps: &[u8]) -> Vec<u8> {
        let length = |unit: &[u8]| (unit.len() as u16).to_be_bytes();
        // Version 1, the profile and level of the stream, four-byte lengths, one of each parameter set.
        let configuration = boxed(b"avcC", &[&[1, sps[1], sps[2], sps[3], 0xff, 0xe1], &length(sps), sps, &[1], &length(pps), pps]);
        // BT.709 throughout, limited range.
        let colours = boxed(b"colr", &[b"nclx", &[0, 1, 0, 1, 0, 1, 0]]);
        let square_pixels = boxed(b"pasp", &[&numbers(&[1, 1])]);
        let size = [(self.width as u16).to_be_bytes(), (self.height as u16).to_be_bytes()].concat();
        let per_inch = numbers(&[72 << 16, 72 << 16, 0]);
        let depth = [&1_u16.to_be_bytes()[..], &[0; 32], &24_u16.to_be_bytes(), &[0xff, 0xff]].concat();
        boxed(b"avc1", &[&[0, 0, 0, 0, 0, 0, 0, 1], &[0; 16], &size, &per_inch, &depth, &configuration, &colours, &square_pixels])
    }
}

fn kind_of(unit: &[u8]) -> u8 {
    unit.first().map_or(0, |first| first & 0x1f)
}

/// What is in the index already is left out of the frames.
fn frame_data(sample: &Sample) -> Vec<u8> {
    let mut out = Vec::new();
    let is_picture = |unit: &&Vec<u8>| ![SEQUENCE_PARAMETERS, PICTURE_PARAMETERS, ACCESS_UNIT_DELIMITER].contains(&kind_of(unit));
    for unit in sample.units.iter().filter(is_picture) {
        out.extend_from_slice(&(unit.len() as u32).to_be_bytes());
        out.extend_from_slice(unit);
    }
    out
}

fn boxed(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(&(length as u32).to_be_bytes());
    out.extend_from_slice(kind);
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out
}

fn full_box(kind: &[u8; 4], version: u8, flags: u32, parts: &[&[u8]]) -> Vec<u8> {
    let head = (u32::from(version) << 24 | flags).to_be_bytes();
    boxed(kind, &[&[&head[..]], parts].concat())
}

fn numbers(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}
