//! Amounts, addresses and assets. Integers only: an amount is a count of the asset's smallest unit.

pub use alloy_primitives::{Address, B256, U256};
use std::{cell::RefCell, collections::VecDeque, fmt};

/// An EVM chain's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId(pub u64);

impl fmt::Display for ChainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Something that can be held and sent on one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Case-sensitive, as configured.
    pub symbol: String,
    pub kind: AssetKind,
    pub decimals: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetKind {
    Native,
    /// An ERC-20 contract.
    Token(Address),
}

impl Asset {
    pub fn native(symbol: &str) -> Self {
        Self { symbol: symbol.to_owned(), kind: AssetKind::Native, decimals: NATIVE_DECIMALS }
    }

    pub fn token(symbol: &str, contract: Address, decimals: u8) -> Self {
        Self { symbol: symbol.to_owned(), kind: AssetKind::Token(contract), decimals }
    }
}

/// Every EVM chain counts its native asset in wei.
pub const NATIVE_DECIMALS: u8 = 18;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotUnits {
    #[error("must be a decimal integer in the asset's smallest unit: digits only, no sign, dot, exponent or hex")]
    NotDecimal,
    #[error("is above the largest uint256")]
    TooLarge,
}

/// Reads a count of smallest units. Leading zeros change nothing and are accepted.
pub fn parse_units(text: &str) -> Result<U256, NotUnits> {
    // `U256::from_str` would also read hex, octal, binary and underscores.
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NotUnits::NotDecimal);
    }
    U256::from_str_radix(text, 10).map_err(|_| NotUnits::TooLarge)
}

/// Whole units with as many decimals as are not zero: 1500000 with 6 decimals is `1.5`.
pub fn format_units(amount_units: U256, decimals: u8) -> String {
    let digits = format!("{amount_units:0>width$}", amount_units = amount_units.to_string(), width = usize::from(decimals) + 1);
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(decimals));
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAddress {
    #[error("must be 0x and 40 hex digits")]
    NotHex,
    #[error("has mixed case that does not match its EIP-55 checksum; a character may be wrong")]
    WrongChecksum,
}

/// Reads an address; mixed case must be its EIP-55 checksum, one case alone carries none.
pub fn parse_address(text: &str) -> Result<Address, NotAddress> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 40).ok_or(NotAddress::NotHex)?;
    let address: Address = digits.parse().map_err(|_| NotAddress::NotHex)?;
    let is_mixed = digits.bytes().any(|byte| byte.is_ascii_lowercase()) && digits.bytes().any(|byte| byte.is_ascii_uppercase());
    if is_mixed && address.to_checksum(None) != text {
        return Err(NotAddress::WrongChecksum);
    }
    Ok(address)
}

/// Addresses whose text a thread remembers. Few wallets and payees make up nearly all transfers, and each transfer writes theirs two dozen
/// times.
const TEXTS_KEPT: usize = 8;

/// The address as it is written everywhere, with its EIP-55 checksum.
pub fn checksummed(address: &Address) -> String {
    thread_local! {
        static KEPT: RefCell<VecDeque<(Address, String)>> = const { RefCell::new(VecDeque::new()) };
    }
    KEPT.with_borrow_mut(|kept| {
        if let Some((_, text)) = kept.iter().find(|(known, _)| known == address) {
            return text.clone();
        }
        let text = address.to_checksum(None);
        kept.truncate(TEXTS_KEPT - 1);
        kept.push_front((*address, text.clone()));
        text
    })
}

/// What people see of an address that is shortened in the middle: its first and last two bytes. Whoever wants to be taken for a known
/// payee makes an address with the same ones.
pub fn look_alike_key(address: Address) -> [u8; 4] {
    [address[0], address[1], address[18], address[19]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_is_written_with_its_checksum_however_many_were_written_before() {
        for round in 0..3u8 {
            for last in 0..20u8 {
                let address = Address::with_last_byte(last.wrapping_mul(round + 1));
                assert_eq!(checksummed(&address), address.to_checksum(None));
            }
        }
    }

    #[test]
    fn digits_up_to_uint256_are_amounts() {
        let largest = U256::MAX.to_string();
        for (text, units) in [("0", U256::ZERO), ("7", U256::from(7)), ("007", U256::from(7)), (largest.as_str(), U256::MAX)] {
            assert_eq!(parse_units(text), Ok(units), "{text}");
        }
    }

    #[test]
    fn anything_but_digits_is_no_amount() {
        for text in ["", " 7", "7 ", "+7", "-7", "1.5", "1e18", "0x10", "0b1", "1_000", "١", "7\0", "NaN"] {
            assert_eq!(parse_units(text), Err(NotUnits::NotDecimal), "{text:?}");
        }
    }

    #[test]
    fn one_more_than_uint256_is_no_amount() {
        let above = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        assert_eq!(parse_units(above), Err(NotUnits::TooLarge));
        assert_eq!(parse_units(&"9".repeat(128)), Err(NotUnits::TooLarge));
    }

    #[test]
    fn amounts_are_shown_in_whole_units() {
        for (units, decimals, shown) in
            [(0, 6, "0"), (1, 6, "0.000001"), (1_500_000, 6, "1.5"), (25_000_000, 6, "25"), (7, 0, "7"), (10, 18, "0.00000000000000001")]
        {
            assert_eq!(format_units(U256::from(units), decimals), shown);
        }
    }

    #[test]
    fn the_addresses_of_eip_55_are_read_in_every_case() {
        for text in ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"] {
            let address = parse_address(text).unwrap();
            assert_eq!(address.to_checksum(None), text);
            assert_eq!(parse_address(&text.to_lowercase()), Ok(address));
            assert_eq!(parse_address(&format!("0x{}", text[2..].to_uppercase())), Ok(address));
        }
    }

    #[test]
    fn malformed_addresses_are_refused() {
        let good = "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
        for text in [
            "",
            "0x",
            good,
            &format!("0X{good}"),
            &format!("0x{good}0"),
            &format!("0x{}g", &good[1..]),
            &format!(" 0x{}", &good[1..]),
            "vitalik.eth",
            "0x５aaeb6053f3e94c9b9a09f33669435e7ef1b",
        ] {
            assert_eq!(parse_address(text), Err(NotAddress::NotHex), "{text:?}");
        }
        assert_eq!(parse_address("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), Err(NotAddress::WrongChecksum));
    }

    proptest! {
        #[test]
        fn any_amount_is_read_back_as_it_was_written(limbs in any::<[u64; 4]>()) {
            let amount = U256::from_limbs(limbs);
            prop_assert_eq!(parse_units(&amount.to_string()), Ok(amount));
        }

        #[test]
        fn no_text_makes_the_parsers_panic(text in ".{0,140}") {
            let _ = parse_units(&text);
            let _ = parse_address(&text);
        }

        #[test]
        fn a_shown_amount_loses_nothing(limbs in any::<[u64; 4]>(), decimals in 0u8..=77) {
            let amount = U256::from_limbs(limbs);
            let shown = format_units(amount, decimals);
            let (whole, fraction) = shown.split_once('.').unwrap_or((&shown, ""));
            let digits = format!("{whole}{fraction:0<width$}", width = usize::from(decimals));
            prop_assert_eq!(parse_units(&digits), Ok(amount));
        }
    }
}
