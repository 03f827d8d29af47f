//! Content Credentials in a PNG: one chunk before the picture's data, left out of the hash.

use super::{
    ALREADY_SIGNED, NotSignable, Statement,
    identity::Identity,
    manifest::{binding_without, manifest_store},
};
use sha2::{Digest, Sha256};

const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";
/// After the signature and the header chunk, which must be the first.
const AFTER_HEADER: usize = 8 + 25;
const CHUNK: &[u8; 4] = b"caBX";

pub fn sign(identity: &Identity, statement: &Statement, png: &[u8]) -> Result<Vec<u8>, NotSignable> {
    if png.len() < AFTER_HEADER || !png.starts_with(SIGNATURE) || &png[12..16] != b"IHDR" {
        return Err(NotSignable("it is not a PNG file"));
    }
    if has_chunk(png, CHUNK) {
        return Err(ALREADY_SIGNED);
    }
    let hash: [u8; 32] = Sha256::digest(png).into();
    let store = |chunk_bytes: usize| manifest_store(identity, statement, &hash, &binding_without(&hash, AFTER_HEADER, chunk_bytes));
    // The manifest says how long its own chunk is, so the length is found first; its digits are as many at any length we have.
    let chunk_bytes = 12 + store(0xffff).len();
    let manifest = store(chunk_bytes);
    if manifest.len() + 12 != chunk_bytes {
        return Err(NotSignable("its manifest has an unexpected length"));
    }
    let mut out = Vec::with_capacity(png.len() + chunk_bytes);
    out.extend_from_slice(&png[..AFTER_HEADER]);
    out.extend_from_slice(&(manifest.len() as u32).to_be_bytes());
    out.extend_from_slice(CHUNK);
    out.extend_from_slice(&manifest);
    out.extend_from_slice(&crc32(&[CHUNK, &manifest]).to_be_bytes());
    out.extend_from_slice(&png[AFTER_HEADER..]);
    Ok(out)
}

fn has_chunk(png: &[u8], kind: &[u8; 4]) -> bool {
    let mut at = 8;
    while let Some(header) = png.get(at..at + 8) {
        if &header[4..] == kind {
            return true;
        }
        let length = u32::from_be_bytes([header[0], header[1], header[2], header[3]]) as usize;
        at = at.saturating_add(length).saturating_add(12);
    }
    false
}

fn crc32(parts: &[&[u8]]) -> u32 {
    let mut crc = u32::MAX;
    for byte in parts.iter().copied().flatten() {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_pngs() {
        assert_eq!(crc32(&[b"IEND"]), 0xae42_6082);
        assert_eq!(crc32(&[b"123", b"456789"]), 0xcbf4_3926);
    }
}
