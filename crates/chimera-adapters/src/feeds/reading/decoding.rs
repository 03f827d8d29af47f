//! From the bytes of a feed to its text, whatever it says of its encoding.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Where an XML declaration says its encoding, if it does.
const DECLARATION_BYTES_MAX: usize = 1_024;

/// `charset` is the one that the server named.
pub(super) fn decode(bytes: &[u8], charset: Option<&str>) -> String {
    if let Some(text) = by_mark(bytes) {
        return text;
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && !is_escaped_otherwise(bytes)
    {
        // What is valid UTF-8 beyond ASCII is so by no chance, whatever else is said of it.
        return text.to_owned();
    }
    let named = declared(bytes).or(charset).and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    match named {
        Some(encoding) if encoding != UTF_8 && encoding != UTF_16LE && encoding != UTF_16BE => {
            encoding.decode_without_bom_handling(bytes).0.into_owned()
        }
        _ => unnamed(bytes),
    }
}

/// Where the most of what is no ASCII is UTF-8, the rest is damage; where it is not, how often signs come tells what it is.
fn unnamed(bytes: &[u8]) -> String {
    let beyond_ascii = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    if invalid * 2 < beyond_ascii {
        return mixed(bytes);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny).decode_without_bom_handling(bytes).0.into_owned()
}

/// By the mark at its beginning, or by how its first sign is written.
fn by_mark(bytes: &[u8]) -> Option<String> {
    let of = |encoding: &'static Encoding, from: usize| Some(encoding.decode_without_bom_handling(&bytes[from..]).0.into_owned());
    match bytes {
        [0x00, 0x00, 0xfe, 0xff, rest @ ..] => Some(wide(rest, u32::from_be_bytes)),
        [0xff, 0xfe, 0x00, 0x00, rest @ ..] => Some(wide(rest, u32::from_le_bytes)),
        [0x00, 0x00, 0x00, b'<', ..] => Some(wide(bytes, u32::from_be_bytes)),
        [b'<', 0x00, 0x00, 0x00, ..] => Some(wide(bytes, u32::from_le_bytes)),
        [0xfe, 0xff, ..] => of(UTF_16BE, 2),
        [0xff, 0xfe, ..] => of(UTF_16LE, 2),
        [0x00, b'<' | b'{', ..] => of(UTF_16BE, 0),
        [b'<' | b'{', 0x00, ..] => of(UTF_16LE, 0),
        [0xef, 0xbb, 0xbf, rest @ ..] => Some(mixed(rest)),
        _ => None,
    }
}

/// Four bytes a sign.
fn wide(bytes: &[u8], read: fn([u8; 4]) -> u32) -> String {
    let (signs, _) = bytes.as_chunks::<4>();
    signs.iter().map(|sign| char::from_u32(read(*sign)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Some encodings of the east are written in ASCII alone.
fn is_escaped_otherwise(bytes: &[u8]) -> bool {
    bytes.contains(&0x1b) && declared(bytes).is_some_and(|label| label.to_ascii_lowercase().starts_with("iso-2022"))
}

fn declared(bytes: &[u8]) -> Option<&str> {
    let start = &bytes[..bytes.len().min(DECLARATION_BYTES_MAX)];
    let end = start.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(&start[..end]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Some(value[1..].split(quote).next()?.trim())
}

/// What is no UTF-8 in the middle of UTF-8 is the code page of Windows: a stray byte costs no more than itself.
fn mixed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    text
}

/// UTF-8 that somebody took for the code page of Windows and encoded once more: "cafÃ©" is "café".
pub(super) fn repaired(text: String) -> String {
    if !text.contains(['Ã', 'Â', 'â', 'Ð', 'Ñ', 'Å', 'Ä', 'ã', 'ä', 'å', 'æ', 'ç', 'è', 'é', 'ð', 'Ø', 'Ù']) {
        return text;
    }
    let (bytes, _, has_others) = WINDOWS_1252.encode(&text);
    match std::str::from_utf8(&bytes) {
        Ok(once) if !has_others => once.to_owned(),
        _ => text,
    }
}
