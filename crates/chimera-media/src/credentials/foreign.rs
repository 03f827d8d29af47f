//! What a file of somebody else says about itself, taken out before we sign. We cannot check it, and our signature over the whole file
//! would vouch for it: that a camera took the picture, that somebody else made it, that no model did.
//!
//! By what is kept and not by what is known to be a claim: what a file needs to be shown stays, and everything else goes.

use super::{NotSignable, bmff};
use chimera_core::ports::media::MediaType;
use std::collections::BTreeSet;

/// A file without claims, and the kinds of things that were taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    pub file: Vec<u8>,
    pub removed: BTreeSet<&'static str>,
}

pub const CONTENT_CREDENTIALS: &str = "Content Credentials";
pub const XMP: &str = "XMP";
pub const EXIF: &str = "EXIF";
const TEXT: &str = "text";
pub const OTHER: &str = "other data";

pub fn without_claims(kind: MediaType, file: &[u8]) -> Result<Cleaned, NotSignable> {
    match kind {
        MediaType::Png => png(file).ok_or(NotSignable("it is not a whole PNG file")),
        MediaType::Jpeg => jpeg(file).ok_or(NotSignable("it is not a whole JPEG file")),
        MediaType::Mp4 => bmff::without_claims(file),
    }
}

/// Chunks beside those that are critical: transparency, colours, resolution, and frames of a picture that moves.
const PNG_KEPT: [&[u8; 4]; 15] =
    [b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"cICP", b"mDCV", b"cLLI", b"sBIT", b"pHYs", b"bKGD", b"hIST", b"acTL", b"fcTL", b"fdAT"];
const PNG_SIGNATURE_BYTES: usize = 8;
/// Length, kind and checksum.
const PNG_AROUND_BYTES: usize = 12;

fn png(file: &[u8]) -> Option<Cleaned> {
    let mut kept = file.get(..PNG_SIGNATURE_BYTES)?.to_vec();
    let mut removed = BTreeSet::new();
    let mut at = PNG_SIGNATURE_BYTES;
    loop {
        let header = file.get(at..at.checked_add(8)?)?;
        let length = u32::from_be_bytes([header[0], header[1], header[2], header[3]]) as usize;
        let kind = &header[4..8];
        let end = at.checked_add(length)?.checked_add(PNG_AROUND_BYTES)?;
        let chunk = file.get(at..end)?;
        let is_critical = kind[0].is_ascii_uppercase();
        if is_critical || PNG_KEPT.iter().any(|known| kind == *known) {
            kept.extend_from_slice(chunk);
        } else {
            removed.insert(match kind {
                b"caBX" => CONTENT_CREDENTIALS,
                b"eXIf" => EXIF,
                b"iTXt" | b"tEXt" | b"zTXt" if chunk[8..].starts_with(b"XML:com.adobe.xmp\0") => XMP,
                b"iTXt" | b"tEXt" | b"zTXt" => TEXT,
                _ => OTHER,
            });
        }
        at = end;
        if kind == b"IEND" {
            break;
        }
    }
    // Nobody shows what stands behind the end, and some read it.
    if at < file.len() {
        removed.insert(OTHER);
    }
    Some(Cleaned { file: kept, removed })
}

fn jpeg(file: &[u8]) -> Option<Cleaned> {
    const START_OF_SCAN: u8 = 0xda;
    const END: u8 = 0xd9;
    let mut kept = file.get(..2)?.to_vec();
    let mut removed = BTreeSet::new();
    let mut at = 2;
    loop {
        // A marker may have any number of fill bytes before it.
        if *file.get(at)? != 0xff {
            return None;
        }
        while *file.get(at + 1)? == 0xff {
            at += 1;
        }
        let kind = file[at + 1];
        if kind == END {
            kept.extend_from_slice(&[0xff, END]);
            at += 2;
            break;
        }
        if matches!(kind, 0x01 | 0xd0..=0xd8) {
            kept.extend_from_slice(&[0xff, kind]);
            at += 2;
            continue;
        }
        let length = usize::from(u16::from_be_bytes([*file.get(at + 2)?, *file.get(at + 3)?]));
        let mut end = at.checked_add(2)?.checked_add(length)?;
        let contents = file.get(at + 4..end)?;
        if kind == START_OF_SCAN {
            end = end_of_scan(file, end)?;
        }
        match what_a_segment_is(kind, contents) {
            None => kept.extend_from_slice(file.get(at..end)?),
            Some(claim) => drop(removed.insert(claim)),
        }
        at = end;
    }
    if at < file.len() {
        removed.insert(OTHER);
    }
    Some(Cleaned { file: kept, removed })
}

/// The next marker that is no part of the picture's data.
fn end_of_scan(file: &[u8], from: usize) -> Option<usize> {
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7 | 0xff);
    file.get(from..)?.windows(2).position(is_marker).map(|found| from + found)
}

/// `None` is what the picture needs: tables, frames, scans, its colours.
fn what_a_segment_is(kind: u8, contents: &[u8]) -> Option<&'static str> {
    let is_needed = match kind {
        0xe0 => contents.starts_with(b"JFIF\0"),
        0xe2 => contents.starts_with(b"ICC_PROFILE\0"),
        0xee => contents.starts_with(b"Adobe"),
        0xe1 | 0xe3..=0xef | 0xf0..=0xfe => false,
        _ => true,
    };
    if is_needed {
        return None;
    }
    Some(match kind {
        0xeb => CONTENT_CREDENTIALS,
        0xe1 if contents.starts_with(b"http://ns.adobe.com/") => XMP,
        0xe1 if contents.starts_with(b"Exif\0") => EXIF,
        0xfe => TEXT,
        _ => OTHER,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: &[u8; 4], contents: &[u8]) -> Vec<u8> {
        [&(contents.len() as u32).to_be_bytes()[..], kind, contents, &[0; 4]].concat()
    }

    fn png_of(chunks: &[Vec<u8>]) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n".to_vec(), chunks.concat()].concat()
    }

    #[test]
    fn a_png_keeps_what_is_shown_and_loses_what_is_said() {
        let (header, colours, data, end) = (chunk(b"IHDR", &[0; 13]), chunk(b"gAMA", &[1; 4]), chunk(b"IDAT", b"x"), chunk(b"IEND", b""));
        let said = [
            chunk(b"caBX", b"jumb"),
            chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x/>"),
            chunk(b"tEXt", b"Software\0camera"),
            chunk(b"eXIf", b"MM"),
            chunk(b"vpAg", b"?"),
        ]
        .concat();
        let mut file = png_of(&[header.clone(), said.clone(), colours.clone(), data.clone(), chunk(b"caBX", b"again"), end.clone()]);
        file.extend_from_slice(b"jumb behind the end");

        let cleaned = without_claims(MediaType::Png, &file).unwrap();

        assert_eq!(cleaned.file, png_of(&[header, colours, data, end]));
        assert_eq!(cleaned.removed, BTreeSet::from([CONTENT_CREDENTIALS, EXIF, OTHER, TEXT, XMP]));
        let again = without_claims(MediaType::Png, &cleaned.file).unwrap();
        assert_eq!((again.file, again.removed), (cleaned.file, BTreeSet::new()), "nothing is left to take out");
    }

    fn segment(kind: u8, contents: &[u8]) -> Vec<u8> {
        [&[0xff, kind][..], &(contents.len() as u16 + 2).to_be_bytes(), contents].concat()
    }

    #[test]
    fn a_jpeg_loses_claims_before_between_and_behind_its_scans() {
        let scan = |data: &[u8]| [segment(0xda, &[1, 1, 0, 0, 63, 0]), data.to_vec()].concat();
        let kept = [
            segment(0xe0, b"JFIF\0\x01\x01"),
            segment(0xe2, b"ICC_PROFILE\0\x01\x01"),
            segment(0xdb, &[0; 65]),
            segment(0xc2, &[8, 0, 1, 0, 2, 1, 1, 17, 0]),
            scan(b"ab\xff\x00c\xff\xd0d"),
            segment(0xc4, &[0; 20]),
            scan(b"ef"),
        ];
        let said = [
            segment(0xeb, b"JP\0\x01\0\0\0\x01jumb"),
            segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0<x/>"),
            segment(0xe1, b"Exif\0\0MM"),
            segment(0xed, b"Photoshop 3.0\0"),
            segment(0xfe, b"made by a camera"),
        ];
        let end = b"\xff\xd9".to_vec();
        let whole = [b"\xff\xd8".to_vec(), kept.concat(), end.clone()].concat();
        let mut spoken = b"\xff\xd8".to_vec();
        for (index, part) in kept.iter().enumerate() {
            spoken.extend(said[index % said.len()].clone());
            spoken.extend(part);
        }
        spoken.extend([said.concat(), vec![0xff, 0xff], end[1..].to_vec(), b"trailer".to_vec()].concat());

        let cleaned = without_claims(MediaType::Jpeg, &spoken).unwrap();

        assert_eq!(cleaned.file, whole);
        assert_eq!(cleaned.removed, BTreeSet::from([CONTENT_CREDENTIALS, EXIF, OTHER, TEXT, XMP]));
    }

    #[test]
    fn a_damaged_file_is_refused_and_never_read_past_its_end() {
        let whole = png_of(&[chunk(b"IHDR", &[0; 13]), chunk(b"IEND", b"")]);
        for length in 0..whole.len() {
            assert!(without_claims(MediaType::Png, &whole[..length]).is_err(), "{length}");
        }
        let mut huge = whole.clone();
        huge[8..12].fill(0xff);
        assert!(without_claims(MediaType::Png, &huge).is_err());
        for file in [&b""[..], b"\xff\xd8", b"\xff\xd8\xff", b"\xff\xd8\xff\xe1\0\x01", b"\xff\xd8\xff\xda\0\x02abc", b"\xff\xd8ab\xff\xd9"]
        {
            assert!(without_claims(MediaType::Jpeg, file).is_err(), "{file:?}");
        }
        assert!(without_claims(MediaType::Mp4, b"\0\0\0\x08ftyp\0\0\0\xffmoov").is_err());
    }
}
