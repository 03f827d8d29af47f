//! The part of DER that certificates are written in.

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

/// A value with its tag and length.
pub fn value(tag: u8, contents: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match contents.len() {
        length @ 0..=0x7f => out.push(length as u8),
        length => {
            let bytes = length.to_be_bytes();
            let significant = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
            out.push(0x80 | significant.len() as u8);
            out.extend_from_slice(significant);
        }
    }
    out.extend_from_slice(contents);
    out
}

pub fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    value(SEQUENCE, &parts.concat())
}

/// A constructed value with a tag of the surrounding definition's own.
pub fn explicit(number: u8, contents: &[u8]) -> Vec<u8> {
    value(0xa0 | number, contents)
}

/// A positive number, given as big-endian bytes.
pub fn integer(bytes: &[u8]) -> Vec<u8> {
    let mut digits: Vec<u8> = bytes.iter().copied().skip_while(|byte| *byte == 0).collect();
    // The first bit is the sign.
    if digits.first().is_none_or(|first| *first >= 0x80) {
        digits.insert(0, 0);
    }
    value(0x02, &digits)
}

pub fn boolean_true() -> Vec<u8> {
    value(0x01, &[0xff])
}

/// Whole bytes.
pub fn bit_string(bytes: &[u8]) -> Vec<u8> {
    flags(0, bytes)
}

/// Single bits, the last `unused` of which do not count.
pub fn flags(unused: u8, bytes: &[u8]) -> Vec<u8> {
    value(0x03, &[&[unused], bytes].concat())
}

pub fn octets(bytes: &[u8]) -> Vec<u8> {
    value(0x04, bytes)
}

pub fn oid(parts: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    let first = parts[0] * 40 + parts[1];
    for part in std::iter::once(first).chain(parts[2..].iter().copied()) {
        let mut digits = vec![(part & 0x7f) as u8];
        let mut rest = part >> 7;
        while rest > 0 {
            digits.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        out.extend(digits.into_iter().rev());
    }
    value(0x06, &out)
}

/// `YYYYMMDDHHMMSSZ`.
pub fn time(text: &str) -> Vec<u8> {
    // Until 2049 the short form, after it the long one: the standard leaves no choice.
    match text.strip_prefix("20").filter(|rest| *rest < "50") {
        Some(short) => value(0x17, short.as_bytes()),
        None => value(0x18, text.as_bytes()),
    }
}

/// A name of attributes: object identifiers and texts.
pub fn name(attributes: &[(&[u32], &str)]) -> Vec<u8> {
    let sets: Vec<Vec<u8>> =
        attributes.iter().map(|(kind, text)| value(SET, &sequence(&[oid(kind), value(0x0c, text.as_bytes())]))).collect();
    sequence(&sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_standard_says() {
        for (written, expected) in [
            (integer(&[0]), &[0x02, 0x01, 0x00][..]),
            (integer(&[0, 0x7f]), &[0x02, 0x01, 0x7f]),
            (integer(&[0x80]), &[0x02, 0x02, 0x00, 0x80]),
            (oid(&[1, 3, 101, 112]), &[0x06, 0x03, 0x2b, 0x65, 0x70]),
            (oid(&[1, 2, 840, 113_549]), &[0x06, 0x06, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]),
            (flags(7, &[0x80]), &[0x03, 0x02, 0x07, 0x80]),
            (time("20491231235959Z"), b"\x17\x0d491231235959Z"),
            (time("20500101000000Z"), b"\x18\x0f20500101000000Z"),
        ] {
            assert_eq!(written, expected);
        }
        assert_eq!(value(4, &[0; 200])[..3], [4, 0x81, 200]);
        assert_eq!(value(4, &[0; 300])[..4], [4, 0x82, 1, 44]);
    }
}
