//! Secret bytes that are in one place, and wiped there; and how passphrases become them.

use std::fmt;
use zeroize::Zeroizing;

pub const SECRET_BYTES: usize = 32;

/// A key. On the heap: moving it moves a pointer, where an array would leave its bytes behind.
pub struct Secret(Box<Zeroizing<[u8; SECRET_BYTES]>>);

impl Secret {
    /// Filled where it stays.
    pub fn filled<E>(fill: impl FnOnce(&mut [u8; SECRET_BYTES]) -> Result<(), E>) -> Result<Self, E> {
        let mut secret = Self(Box::new(Zeroizing::new([0; SECRET_BYTES])));
        fill(&mut secret.0)?;
        Ok(secret)
    }

    pub fn random() -> Result<Self, getrandom::Error> {
        Self::filled(|bytes| getrandom::fill(bytes))
    }

    pub fn bytes(&self) -> &[u8; SECRET_BYTES] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(masked)")
    }
}

/// What scrypt costs: `2^log_n * r * 128` bytes, `p` times over.
#[derive(Debug, Clone, Copy)]
pub struct ScryptCost {
    pub log_n: u8,
    pub r: u32,
    pub p: u32,
}

/// n = 262144, as geth stretches its passphrases: 256 MiB, and about a second.
pub const SCRYPT_STANDARD: ScryptCost = ScryptCost { log_n: 18, r: 8, p: 1 };

pub fn scrypt(passphrase: &str, salt: &[u8], cost: ScryptCost) -> Result<Secret, scrypt::errors::InvalidParams> {
    let params = scrypt::Params::new(cost.log_n, cost.r, cost.p)?;
    Secret::filled(|bytes| {
        scrypt::scrypt(passphrase.as_bytes(), salt, &params, bytes).expect("32 bytes are a length that scrypt gives");
        Ok(())
    })
}

pub fn pbkdf2_sha256(passphrase: &str, salt: &[u8], rounds: u32) -> Secret {
    let filled = Secret::filled(|bytes| {
        pbkdf2::pbkdf2_hmac::<pbkdf2::sha2::Sha256>(passphrase.as_bytes(), salt, rounds, bytes);
        Ok::<(), std::convert::Infallible>(())
    });
    match filled {
        Ok(secret) => secret,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroize::ZeroizeOnDrop;

    /// Does not compile for a type that keeps what it held.
    fn is_wiped<T: ZeroizeOnDrop>() {}

    #[test]
    fn every_type_that_holds_a_key_wipes_it_when_dropped() {
        is_wiped::<Zeroizing<[u8; SECRET_BYTES]>>();
        is_wiped::<Zeroizing<String>>();
        is_wiped::<Zeroizing<k256::NonZeroScalar>>();
        is_wiped::<chacha20poly1305::XChaCha20Poly1305>();
        is_wiped::<aes::Aes128>();
    }

    #[test]
    fn a_secret_does_not_print_itself() {
        let secret = Secret::filled(|bytes| {
            bytes.fill(7);
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(masked)");
        assert_eq!(secret.bytes(), &[7; SECRET_BYTES]);
    }
}
