//! Content Credentials in an MP4: one box right after the file's type, with every later place in the file's index moved.

use super::{
    ALREADY_SIGNED, NotSignable, Statement,
    cbor::Cbor,
    foreign::{CONTENT_CREDENTIALS, Cleaned, OTHER, XMP},
    identity::Identity,
    manifest::{Binding, manifest_store},
};
use sha2::{Digest, Sha256};
use std::{collections::BTreeSet, ops::Range};

/// What a film is made of. Anything else in the file speaks about it.
const FILM: [&[u8; 4]; 11] = [b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"free", b"skip", b"wide", b"sidx", b"mfra", b"pdin"];
/// Boxes inside the index that hold what somebody says about the film.
const SAYING: [&[u8; 4]; 5] = [b"uuid", b"udta", b"meta", b"jumb", b"xml "];
const XMP_UUID: [u8; 16] = [0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac];

const C2PA_UUID: [u8; 16] = [0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81];
/// Boxes that the hash leaves out, besides the manifest's own.
const UNHASHED: [&[u8; 4]; 2] = [b"ftyp", b"mfra"];
/// Boxes on the way to the tables of places.
const CONTAINERS: [&[u8; 4]; 5] = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];

/// One box of a file.
#[derive(Debug, Clone)]
struct Part {
    kind: [u8; 4],
    /// With its header.
    whole: Range<usize>,
    contents: Range<usize>,
}

pub fn sign(identity: &Identity, statement: &Statement, file: &[u8]) -> Result<Vec<u8>, NotSignable> {
    let parts = parts_of(file, 0..file.len()).ok_or(NotSignable("it is not an MP4 file"))?;
    let Some(first) = parts.first().filter(|part| &part.kind == b"ftyp") else { return Err(NotSignable("it is not an MP4 file")) };
    if parts.iter().any(|part| &part.kind == b"moof") {
        return Err(NotSignable("it is a fragmented MP4"));
    }
    if parts.iter().any(|part| is_manifest(file, part)) {
        return Err(ALREADY_SIGNED);
    }
    let place = first.whole.end;
    let unbound_hash: [u8; 32] = Sha256::digest(file).into();
    let store = |hash: &[u8; 32]| manifest_box(&manifest_store(identity, statement, &unbound_hash, &binding(hash)));
    // Every hash is as long as any other, so the length is known before the hash is.
    let length = store(&[0; 32]).len();
    let mut shifted = file.to_vec();
    shift_places(&mut shifted, &parts, place, length)?;
    let mut hasher = Sha256::new();
    for part in parts.iter().filter(|part| !UNHASHED.contains(&&part.kind)) {
        let offset = part.whole.start + if part.whole.start >= place { length } else { 0 };
        hasher.update((offset as u64).to_be_bytes());
        hasher.update(&shifted[part.whole.clone()]);
    }
    let manifest = store(&hasher.finalize().into());
    shifted.splice(place..place, manifest);
    Ok(shifted)
}

/// The file with every box that speaks about it made into free space: nothing moves, so no place in the index changes.
pub fn without_claims(file: &[u8]) -> Result<Cleaned, NotSignable> {
    let parts = parts_of(file, 0..file.len()).ok_or(NotSignable("it is not an MP4 file"))?;
    let mut cleaned = Cleaned { file: file.to_vec(), removed: BTreeSet::new() };
    for part in &parts {
        if !FILM.contains(&&part.kind) {
            blank(&mut cleaned, part);
        } else if &part.kind == b"moov" {
            blank_inside(&mut cleaned, part)?;
        }
    }
    Ok(cleaned)
}

fn blank_inside(cleaned: &mut Cleaned, container: &Part) -> Result<(), NotSignable> {
    let inner = parts_of(&cleaned.file, container.contents.clone()).ok_or(NotSignable("its index is damaged"))?;
    for part in &inner {
        if SAYING.contains(&&part.kind) {
            blank(cleaned, part);
        } else if CONTAINERS.contains(&&part.kind) {
            blank_inside(cleaned, part)?;
        }
    }
    Ok(())
}

fn blank(cleaned: &mut Cleaned, part: &Part) {
    let contents = &cleaned.file[part.contents.clone()];
    cleaned.removed.insert(match &part.kind {
        b"uuid" if contents.starts_with(&C2PA_UUID) => CONTENT_CREDENTIALS,
        b"uuid" if contents.starts_with(&XMP_UUID) => XMP,
        b"jumb" => CONTENT_CREDENTIALS,
        _ => OTHER,
    });
    cleaned.file[part.contents.clone()].fill(0);
    cleaned.file[part.whole.start + 4..part.whole.start + 8].copy_from_slice(b"free");
}

fn manifest_box(store: &[u8]) -> Vec<u8> {
    // Version and flags, what it is for, and no further proofs elsewhere in the file.
    let contents = [&C2PA_UUID[..], &[0; 4], b"manifest\0", &[0; 8], store].concat();
    let length = contents.len() as u32 + 8;
    [&length.to_be_bytes()[..], b"uuid", &contents].concat()
}

fn binding(hash: &[u8; 32]) -> Binding {
    let own = Cbor::map([
        ("xpath", Cbor::text("/uuid")),
        ("data", Cbor::List(vec![Cbor::map([("offset", Cbor::Unsigned(8)), ("value", Cbor::Bytes(C2PA_UUID.to_vec()))])])),
    ]);
    let left_out = |kind: &[u8; 4]| Cbor::map([("xpath", Cbor::text(format!("/{}", String::from_utf8_lossy(kind))))]);
    let exclusions = [vec![own], UNHASHED.map(left_out).to_vec()].concat();
    let contents = Cbor::map([
        ("exclusions", Cbor::List(exclusions)),
        ("alg", Cbor::text("sha256")),
        ("hash", Cbor::Bytes(hash.to_vec())),
        ("name", Cbor::text("the file without its manifest")),
    ]);
    Binding { label: "c2pa.hash.bmff.v3", contents }
}

fn is_manifest(file: &[u8], part: &Part) -> bool {
    &part.kind == b"uuid" && file[part.contents.clone()].starts_with(&C2PA_UUID)
}

/// The boxes in `range`; `None` when it does not consist of boxes.
fn parts_of(file: &[u8], range: Range<usize>) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let header = file.get(at..at.checked_add(8)?)?;
        let kind = [header[4], header[5], header[6], header[7]];
        let (length, header_length) = match u32::from_be_bytes([header[0], header[1], header[2], header[3]]) {
            0 => (range.end - at, 8),
            1 => (usize::try_from(u64::from_be_bytes(file.get(at + 8..at + 16)?.try_into().ok()?)).ok()?, 16),
            length => (length as usize, 8),
        };
        let end = at.checked_add(length).filter(|end| *end <= range.end && length >= header_length)?;
        parts.push(Part { kind, whole: at..end, contents: at + header_length..end });
        at = end;
    }
    Some(parts)
}

/// Moves every place at or behind `from` by `by`.
fn shift_places(file: &mut [u8], parts: &[Part], from: usize, by: usize) -> Result<(), NotSignable> {
    const DAMAGED: NotSignable = NotSignable("its index is damaged");
    for part in parts {
        if CONTAINERS.contains(&&part.kind) {
            let inner = parts_of(file, part.contents.clone()).ok_or(DAMAGED)?;
            shift_places(file, &inner, from, by)?;
        }
        let width = match &part.kind {
            b"stco" => 4,
            b"co64" => 8,
            _ => continue,
        };
        let table = file.get_mut(part.contents.clone()).and_then(|contents| contents.get_mut(8..)).ok_or(DAMAGED)?;
        for entry in table.chunks_exact_mut(width) {
            let place = entry.iter().fold(0_u64, |place, byte| place << 8 | u64::from(*byte));
            if place < from as u64 {
                continue;
            }
            let moved = place + by as u64;
            if width == 4 && moved > u64::from(u32::MAX) {
                return Err(NotSignable("it is larger than 4 GB"));
            }
            entry.copy_from_slice(&moved.to_be_bytes()[8 - width..]);
        }
    }
    Ok(())
}
