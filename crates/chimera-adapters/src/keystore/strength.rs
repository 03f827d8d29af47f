//! The least that a new passphrase must be. Stretching makes every guess dear; a passphrase that is among the first guesses falls all the same.

use chimera_core::ports::signer::SignerError;
use std::collections::BTreeSet;

const CHARS_MIN: usize = 8;
const DIFFERENT_CHARS_MIN: usize = 4;

/// For what something is sealed with from now on. Never repeats the passphrase.
pub fn check(passphrase: &str) -> Result<(), SignerError> {
    let chars = passphrase.trim().chars().count();
    let different = passphrase.trim().chars().collect::<BTreeSet<_>>().len();
    let found = if chars < CHARS_MIN {
        format!("has {chars} {}", if chars == 1 { "character" } else { "characters" })
    } else if different < DIFFERENT_CHARS_MIN {
        format!("has {different} different {}", if different == 1 { "character" } else { "characters" })
    } else {
        return Ok(());
    };
    Err(SignerError::WeakPassphrase {
        reason: format!(
            "the passphrase {found}, and a new one needs at least {CHARS_MIN}, {DIFFERENT_CHARS_MIN} of them different: take a few words that nobody would guess"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_monotonous_passphrases_are_refused_without_being_repeated() {
        for weak in ["", "x", "1234567", "zzzzzzzzzzzzzzzz", "abcabcabc", "       x       ", "\u{e9}\u{e9}\u{e9}\u{e9}"] {
            let error = check(weak).expect_err(weak).to_string();
            assert!(error.contains("at least 8") && error.contains("4 of them different"), "{error}");
            assert!(weak.len() < 2 || !error.contains(weak), "{error}");
        }
        for good in ["12345678", "a few words", "p\u{e4}ssw\u{f6}rd"] {
            check(good).expect(good);
        }
    }
}
