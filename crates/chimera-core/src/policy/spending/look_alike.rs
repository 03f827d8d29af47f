//! Two addresses side by side for a person who must tell them apart.

use crate::domain::money::{Address, checksummed};

/// Both addresses whole, and once more with what differs in brackets.
pub fn compared(known: Address, asked: Address) -> String {
    let (known, asked) = (checksummed(&known), checksummed(&asked));
    let (marked_known, marked_asked) = (marked(&known, &asked), marked(&asked, &known));
    format!("known payee {known}, asked for {asked}; they differ where brackets stand: {marked_known}, {marked_asked}")
}

/// `address` with brackets around every run of digits that the other has otherwise; capitals are the checksum's and make no difference.
fn marked(address: &str, other: &str) -> String {
    let mut shown = String::new();
    let mut is_open = false;
    for (digit, its) in address.chars().zip(other.chars()) {
        let differs = !digit.eq_ignore_ascii_case(&its);
        if differs != is_open {
            shown.push(if differs { '[' } else { ']' });
            is_open = differs;
        }
        shown.push(digit);
    }
    if is_open { format!("{shown}]") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_addresses_stand_there_whole_and_what_differs_is_marked() {
        let known = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8".parse().unwrap();
        let asked = "0x70997970c51812dc3a110c7d01b50e0d17dc79c8".parse().unwrap();

        let shown = compared(known, asked);

        assert!(shown.contains(&checksummed(&known)) && shown.contains(&checksummed(&asked)), "{shown}");
        assert_eq!(shown.to_lowercase().matches("3a[0]10c").count(), 1, "{shown}");
        assert_eq!(shown.to_lowercase().matches("3a[1]10c").count(), 1, "{shown}");
        assert_eq!(marked("0xab12", "0xAB12"), "0xab12", "capitals make no difference");
        assert_eq!(marked("0xab12", "0xabff"), "0xab[12]");
    }
}
