//! What people sign in with: keys, one-time links, cookies. Each is random text; the store has its sha-256 alone.

use chimera_core::ports::{
    StoreError,
    access::{Access, Digest},
};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

/// Says what it is, to people and to programs that look for secrets in the wrong places.
const KEY_PREFIX: &str = "chm_";
const KEY_BYTES: usize = 20;
const TOKEN_BYTES: usize = 32;
const LINK_GOOD_FOR: TimeDelta = TimeDelta::minutes(10);

/// A person's key, to be shown once.
pub fn new_key() -> String {
    format!("{KEY_PREFIX}{}", random_text::<KEY_BYTES>())
}

/// A cookie's value, or what a change brings along beside it.
pub(super) fn new_token() -> String {
    random_text::<TOKEN_BYTES>()
}

/// What the store has of a key, link or cookie.
pub fn digest_of(secret: &str) -> Digest {
    Sha256::digest(secret.as_bytes()).into()
}

/// Signs one person in, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInLink {
    /// Behind the server's address. What follows the `#` is in no log and no referrer: browsers keep it to themselves.
    pub path: String,
    pub until: DateTime<Utc>,
}

/// `None`: there is nobody of that name.
pub async fn new_link(access: &dyn Access, name: &str, now: DateTime<Utc>) -> Result<Option<SignInLink>, StoreError> {
    let secret = new_token();
    let until = now + LINK_GOOD_FOR;
    let is_added = access.add_link(name, &digest_of(&secret), until).await?;
    Ok(is_added.then(|| SignInLink { path: format!("/login#once={secret}"), until }))
}

/// Takes as long for what is nearly right as for what is all wrong.
pub(super) fn same(one: &Digest, other: &Digest) -> bool {
    one.iter().zip(other).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

/// Base32 of RFC 4648, small and without padding: a double click takes all of it.
fn random_text<const BYTES: usize>() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).expect("the system has randomness, or no key of this program could be made");
    let (mut held, mut held_bits, mut text) = (0_u32, 0_u32, String::with_capacity(BYTES * 8 / 5 + 1));
    for byte in bytes {
        held = (held << 8) | u32::from(byte);
        held_bits += 8;
        while held_bits >= 5 {
            held_bits -= 5;
            text.push(char::from(LETTERS[((held >> held_bits) & 31) as usize]));
        }
        held &= (1 << held_bits) - 1;
    }
    if held_bits > 0 {
        text.push(char::from(LETTERS[((held << (5 - held_bits)) & 31) as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_have_all_their_bits_and_are_easy_to_copy() {
        let (key, token) = (new_key(), new_token());

        assert_eq!((key.len(), token.len()), (4 + 160 / 5, 256_usize.div_ceil(5)));
        assert!(key.starts_with("chm_") && key[4..].chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{key}");
        assert_ne!(key, new_key());
        let letters: std::collections::BTreeSet<char> = (0..200).flat_map(|_| new_token().chars().collect::<Vec<_>>()).collect();
        assert_eq!(letters.len(), 32, "every letter occurs: {letters:?}");
    }
}
