//! A record's key from the caller's idempotency key: the same for the same, without remembering anything.

use sha2::{Digest, Sha256};

/// The digits of a timestamp identifier (TID), which is what Bluesky wants as the key of a post; they sort as they count.
const DIGITS: &[u8; 32] = b"234567abcdefghijklmnopqrstuvwxyz";
/// Microseconds: 2020-01-01 to 2026-01-01. A moment of the future would look like a broken clock.
const MOMENT_FIRST: u64 = 1_577_836_800_000_000;
const MOMENTS: u64 = 1_767_225_600_000_000 - MOMENT_FIRST;
const CLOCK_BITS: u32 = 10;

/// A valid TID. The moment in it is not when the post was made; the record's `createdAt` says that.
pub(super) fn derived_from(idempotency_key: &str) -> String {
    let hash = Sha256::digest(format!("chimera/publish/{idempotency_key}"));
    let number = |range: std::ops::Range<usize>| hash[range].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let moment = MOMENT_FIRST + number(0..8) % MOMENTS;
    let clock = number(8..10) % (1 << CLOCK_BITS);
    let id = moment << CLOCK_BITS | clock;
    (0..13).rev().map(|place| char::from(DIGITS[usize::try_from(id >> (5 * place) & 31).expect("it is below 32")])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_are_valid_identifiers_of_the_past_and_the_same_for_the_same() {
        let mut seen = HashSet::new();
        for number in 0..2_000 {
            let rkey = derived_from(&format!("post-{number}"));
            assert_eq!(rkey.len(), 13);
            assert!(rkey.bytes().all(|digit| DIGITS.contains(&digit)), "{rkey}");
            // The first digits of the range's two ends.
            assert!(("3gv3"..="3mbd").contains(&&rkey[..4]), "{rkey}");
            assert_eq!(rkey, derived_from(&format!("post-{number}")));
            assert!(seen.insert(rkey));
        }
    }
}
