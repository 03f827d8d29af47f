//! What signed bytes would do, read without the program's own code: a transaction of type 2 is a list of fields in RLP.

use crate::{anvil::USDC, books::Asset};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) nonce: u128,
    pub(crate) asset: Asset,
    /// Who gets it.
    pub(crate) to: String,
    pub(crate) amount: u128,
}

impl Raw {
    /// Of `0x02` and the fields: chain, nonce, two fees, gas, recipient, value, data, and what does not matter here.
    pub(crate) fn read(hex: &str) -> Self {
        let bytes = bytes_of(hex);
        assert_eq!(bytes[0], 2, "a transaction of type 2");
        let (list, _) = item(&bytes[1..]);
        let mut rest = list;
        let mut fields = Vec::new();
        while fields.len() < 8 {
            let (field, after) = item(rest);
            fields.push(field);
            rest = after;
        }
        let (nonce, to, value, data) = (number(fields[1]), text(fields[5]), number(fields[6]), fields[7]);
        if to == USDC.to_lowercase() {
            return Self { nonce, asset: Asset::Usdc, to: text(&data[16..36]), amount: number(&data[52..68]) };
        }
        Self { nonce, asset: Asset::Eth, to, amount: value }
    }
}

/// The content of the first item, and what comes after it.
fn item(bytes: &[u8]) -> (&[u8], &[u8]) {
    let first = usize::from(bytes[0]);
    let (start, length) = match first {
        0..=0x7f => (0, 1),
        0x80..=0xb7 => (1, first - 0x80),
        0xb8..=0xbf => long(bytes, first - 0xb7),
        0xc0..=0xf7 => (1, first - 0xc0),
        _ => long(bytes, first - 0xf7),
    };
    (&bytes[start..start + length], &bytes[start + length..])
}

fn long(bytes: &[u8], digits: usize) -> (usize, usize) {
    (1 + digits, usize::try_from(number(&bytes[1..=digits])).unwrap())
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}

fn text(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.strip_prefix("0x").unwrap();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn what_signed_bytes_would_do_can_be_read() {
    let ether = "0x02f87482210580843b9aca0084b2d05e00826270940000000000000000000000000000feed00000001880de0b6b3a764000080c001a068ac46da6c71624f867d5b8cd662c6efd6cd8628971d8ea979746ca1cc39f55ba06c997d954e064259b94243a17a39409385b1db153760f8d3d9907f2b0c679fe5";

    let read = Raw::read(ether);

    let to = "0x0000000000000000000000000000feed00000001".to_owned();
    assert_eq!(read, Raw { nonce: 0, asset: Asset::Eth, to, amount: 1_000_000_000_000_000_000 });
}
