//! The part of CBOR (RFC 8949) that manifests are written in.

#[derive(Debug, Clone, PartialEq)]
pub enum Cbor {
    Unsigned(u64),
    /// -1 - n.
    Negative(u64),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Cbor>),
    /// In the order of writing.
    Map(Vec<(Cbor, Cbor)>),
    Tagged(u64, Box<Cbor>),
    True,
    Null,
}

impl Cbor {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn map<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Map(fields.into_iter().map(|(name, value)| (Self::text(name), value)).collect())
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Unsigned(number) => head(0, *number, out),
            Self::Negative(number) => head(1, *number, out),
            Self::Bytes(bytes) => {
                head(2, bytes.len() as u64, out);
                out.extend_from_slice(bytes);
            }
            Self::Text(text) => {
                head(3, text.len() as u64, out);
                out.extend_from_slice(text.as_bytes());
            }
            Self::List(items) => {
                head(4, items.len() as u64, out);
                items.iter().for_each(|item| item.write(out));
            }
            Self::Map(fields) => {
                head(5, fields.len() as u64, out);
                for (name, value) in fields {
                    name.write(out);
                    value.write(out);
                }
            }
            Self::Tagged(tag, inner) => {
                head(6, *tag, out);
                inner.write(out);
            }
            Self::True => out.push(0xf5),
            Self::Null => out.push(0xf6),
        }
    }
}

/// A type and its number, as short as it can be.
fn head(major: u8, number: u64, out: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let (code, from) = match number {
        0..=23 => return out.push(major << 5 | bytes[7]),
        24..=0xff => (24, 7),
        0x100..=0xffff => (25, 6),
        0x1_0000..=0xffff_ffff => (26, 4),
        _ => (27, 0),
    };
    out.push(major << 5 | code);
    out.extend_from_slice(&bytes[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From RFC 8949, appendix A.
    #[test]
    fn values_are_written_as_the_standard_shows() {
        for (value, expected) in [
            (Cbor::Unsigned(0), &[0x00][..]),
            (Cbor::Unsigned(23), &[0x17]),
            (Cbor::Unsigned(24), &[0x18, 0x18]),
            (Cbor::Unsigned(1000), &[0x19, 0x03, 0xe8]),
            (Cbor::Unsigned(1_000_000), &[0x1a, 0x00, 0x0f, 0x42, 0x40]),
            (Cbor::Unsigned(1_000_000_000_000), &[0x1b, 0, 0, 0, 0xe8, 0xd4, 0xa5, 0x10, 0]),
            (Cbor::Negative(7), &[0x27]),
            (Cbor::Negative(99), &[0x38, 0x63]),
            (Cbor::Bytes(vec![1, 2, 3, 4]), &[0x44, 1, 2, 3, 4]),
            (Cbor::text("IETF"), &[0x64, 0x49, 0x45, 0x54, 0x46]),
            (Cbor::List(vec![Cbor::Unsigned(1), Cbor::Null]), &[0x82, 0x01, 0xf6]),
            (Cbor::map([("a", Cbor::True)]), &[0xa1, 0x61, 0x61, 0xf5]),
            (Cbor::Tagged(18, Box::new(Cbor::List(Vec::new()))), &[0xd2, 0x80]),
        ] {
            assert_eq!(value.to_bytes(), expected, "{value:?}");
        }
    }
}
