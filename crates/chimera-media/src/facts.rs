//! What a file of somebody else is: its kind, its size and, of a video, its length and codec.

use chimera_core::{domain::platform::PixelSize, ports::media::MediaType};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub media_type: MediaType,
    pub size: PixelSize,
    /// Of a video.
    pub duration_ms: Option<u64>,
    pub codec: Option<String>,
}

/// `None` when it is no PNG, JPEG or MP4 that we can read.
pub fn facts_of(file: &[u8]) -> Option<Facts> {
    let picture = |media_type, (width, height)| Facts { media_type, size: PixelSize { width, height }, duration_ms: None, codec: None };
    if file.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(picture(MediaType::Png, (number(file, 16)?, number(file, 20)?)));
    }
    if file.starts_with(b"\xff\xd8\xff") {
        return Some(picture(MediaType::Jpeg, jpeg_size(file)?));
    }
    (file.get(4..8)? == b"ftyp").then(|| mp4_facts(file)).flatten()
}

fn number(file: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(file.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// From the frame header, which comes before the picture.
fn jpeg_size(file: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let &[0xff, kind, high, low] = file.get(at..at + 4)? else { return None };
        let is_frame = matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            let side = |at: usize| Some(u32::from(u16::from_be_bytes(file.get(at..at + 2)?.try_into().ok()?)));
            return Some((side(at + 7)?, side(at + 5)?));
        }
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
}

/// The contents of the first box of a kind among `boxes`.
fn first<'b>(mut boxes: &'b [u8], kind: &[u8; 4]) -> Option<&'b [u8]> {
    loop {
        let length = number(boxes, 0)? as usize;
        let whole = if length == 0 { boxes } else { boxes.get(..length)? };
        if boxes.get(4..8)? == kind {
            return whole.get(8..);
        }
        boxes = boxes.get(whole.len().max(8)..)?;
    }
}

/// All tracks of a film, one after another.
fn tracks(mut boxes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let Some(length) = number(boxes, 0).map(|length| length as usize).filter(|length| *length >= 8) {
        let Some(whole) = boxes.get(..length) else { break };
        if &whole[4..8] == b"trak" {
            found.push(&whole[8..]);
        }
        boxes = &boxes[length..];
    }
    found
}

fn mp4_facts(file: &[u8]) -> Option<Facts> {
    let film = first(file, b"moov")?;
    let header = first(film, b"mvhd")?;
    // Version 1 has 64-bit times.
    let (ticks_per_second, ticks) = match header.first()? {
        0 => (number(header, 12)?, u64::from(number(header, 16)?)),
        _ => (number(header, 20)?, u64::from(number(header, 24)?) << 32 | u64::from(number(header, 28)?)),
    };
    for track in tracks(film) {
        let media = first(track, b"mdia")?;
        if first(media, b"hdlr")?.get(8..12)? != b"vide" {
            continue;
        }
        let track_header = first(track, b"tkhd")?;
        let end = track_header.len();
        let side = |from_end: usize| number(track_header, end.checked_sub(from_end)?).map(|fixed| fixed >> 16);
        let table = first(first(media, b"minf")?, b"stbl")?;
        let codec = String::from_utf8_lossy(first(table, b"stsd")?.get(12..16)?).into_owned();
        return Some(Facts {
            media_type: MediaType::Mp4,
            size: PixelSize { width: side(8)?, height: side(4)? },
            duration_ms: Some(ticks.checked_mul(1_000)? / u64::from(ticks_per_second.max(1))),
            codec: Some(if codec.starts_with("avc") { "h264".to_owned() } else { codec }),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        card::{Content, Layout, Size, card_in, paint},
        png_file::encode_png,
        video::film,
    };

    fn card() -> crate::card::Card {
        let content = Content {
            headline: "Good tools".to_owned(),
            source: None,
            name: "Selam".to_owned(),
            handle: "selam".to_owned(),
            label: "AI".to_owned(),
            brand: Vec::new(),
            logo: None,
            seed: String::new(),
        };
        card_in(&content, Size { width: 320, height: 480 }, Layout::Frame).unwrap()
    }

    #[test]
    fn our_own_files_are_what_they_are() {
        let size = PixelSize { width: 320, height: 480 };
        let png = facts_of(&encode_png(&paint(&card())).unwrap()).unwrap();
        assert_eq!((png.media_type, png.size, png.duration_ms), (MediaType::Png, size, None));
        let film = facts_of(&film(&card(), 6_000).unwrap()).unwrap();
        assert_eq!(
            (film.media_type, film.size, film.duration_ms, film.codec.as_deref()),
            (MediaType::Mp4, size, Some(6_000), Some("h264"))
        );
    }

    #[test]
    fn a_jpegs_size_is_in_its_frame_header() {
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\x01\x02\x03\x04\x01\x01\x11\0";
        assert_eq!(facts_of(jpeg).map(|facts| facts.size), Some(PixelSize { width: 0x304, height: 0x102 }));
    }

    #[test]
    fn what_is_broken_or_something_else_is_nothing() {
        let whole = film(&card(), 6_000).unwrap();
        for file in [&b""[..], b"GIF89a", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"<html>", &whole[..40], b"\0\0\0\x08ftyp\0\0\0\0moov"] {
            assert_eq!(facts_of(file), None, "{file:?}");
        }
    }
}
