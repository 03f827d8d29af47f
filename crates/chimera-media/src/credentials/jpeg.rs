//! Content Credentials in a JPEG: one APP11 segment right after the beginning, left out of the hash.

use super::{
    ALREADY_SIGNED, NotSignable, Statement,
    identity::Identity,
    manifest::{binding_without, manifest_store},
};
use sha2::{Digest, Sha256};

const BEGINNING: &[u8; 2] = b"\xff\xd8";
const APP11: u8 = 0xeb;
const START_OF_SCAN: u8 = 0xda;
/// How JPEG's own standard says that a segment holds boxes, and that it is the first of box 1.
const BOX_SEGMENT: &[u8; 8] = b"JP\0\x01\0\0\0\x01";
const SEGMENT_BYTES_MAX: usize = 65_535;

pub fn sign(identity: &Identity, statement: &Statement, file: &[u8]) -> Result<Vec<u8>, NotSignable> {
    if !file.starts_with(BEGINNING) {
        return Err(NotSignable("it is not a JPEG file"));
    }
    if has_boxes(file) {
        return Err(ALREADY_SIGNED);
    }
    let place = BEGINNING.len();
    let hash: [u8; 32] = Sha256::digest(file).into();
    let store = |bytes: usize| manifest_store(identity, statement, &hash, &binding_without(&hash, place, bytes));
    // As in a PNG: the digits of the length are as many at any length that a manifest has.
    let around = 4 + BOX_SEGMENT.len();
    let bytes = around + store(0xffff).len();
    let manifest = store(bytes);
    if manifest.len() + around != bytes || bytes - 2 > SEGMENT_BYTES_MAX {
        return Err(NotSignable("its manifest has an unexpected length"));
    }
    let length = (bytes as u16 - 2).to_be_bytes();
    Ok([&file[..place], &[0xff, APP11], &length, BOX_SEGMENT, &manifest, &file[place..]].concat())
}

/// Whether one of the segments before the picture holds boxes.
fn has_boxes(file: &[u8]) -> bool {
    let mut at = BEGINNING.len();
    while let Some(&[0xff, kind, high, low]) = file.get(at..at + 4) {
        if kind == START_OF_SCAN {
            return false;
        }
        if kind == APP11 && file.get(at + 4..at + 6) == Some(b"JP") {
            return true;
        }
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
    false
}
