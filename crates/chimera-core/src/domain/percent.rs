//! Percent-encoding in addresses.

use std::fmt::Write;

/// Everything but RFC 3986's unreserved characters, byte by byte.
pub fn encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a string takes any text");
        }
        encoded
    })
}

/// `None` when an escape is broken or the outcome is not UTF-8.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = after;
            continue;
        }
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        bytes.push(u8::try_from(digit(0)? * 16 + digit(1)?).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_to_the_same() {
        for text in ["", "plain-id_1.~", "at://did:plc:a/app.bsky.feed.post/3k", "100% é 🦊", "a b\n\0"] {
            assert_eq!(decoded(&encoded(text)).as_deref(), Some(text));
        }
        assert_eq!(encoded("é/~"), "%C3%A9%2F~");
    }

    #[test]
    fn broken_escapes_are_nothing() {
        for broken in ["%", "%4", "%GG", "%+f", "%é", "%FF"] {
            assert_eq!(decoded(broken), None, "{broken}");
        }
    }
}
