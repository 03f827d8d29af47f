//! Secrets that only the right key opens.

use super::secret::{SECRET_BYTES, Secret};
use alloy_primitives::hex;
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// Long enough that random nonces never meet.
const NONCE_BYTES: usize = 24;

#[derive(Debug, thiserror::Error)]
pub enum SealError {
    #[error("it was sealed with another key, or changed since")]
    NotOpened,
    #[error("it is not sealed bytes")]
    Malformed,
    #[error("the system gave no randomness")]
    NoRandomness,
}

/// XChaCha20-Poly1305 over a secret, bound to a context that must be the same when it is opened.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    cipher: Cipher,
    nonce: String,
    ciphertext: String,
}

#[derive(Debug, Serialize, Deserialize)]
enum Cipher {
    #[serde(rename = "xchacha20-poly1305")]
    XChaCha20Poly1305,
}

impl Sealed {
    pub fn seal(key: &Secret, secret: &Secret, context: &[u8]) -> Result<Self, SealError> {
        let mut nonce = [0u8; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandomness)?;
        let cipher = XChaCha20Poly1305::new(key.bytes().into());
        let payload = Payload { msg: secret.bytes(), aad: context };
        let ciphertext = cipher.encrypt(XNonce::from_slice(&nonce), payload).map_err(|_| SealError::Malformed)?;
        Ok(Self { cipher: Cipher::XChaCha20Poly1305, nonce: hex::encode(nonce), ciphertext: hex::encode(ciphertext) })
    }

    pub fn open(&self, key: &Secret, context: &[u8]) -> Result<Secret, SealError> {
        let nonce = hex::decode(&self.nonce).map_err(|_| SealError::Malformed)?;
        let ciphertext = hex::decode(&self.ciphertext).map_err(|_| SealError::Malformed)?;
        if nonce.len() != NONCE_BYTES {
            return Err(SealError::Malformed);
        }
        let cipher = XChaCha20Poly1305::new(key.bytes().into());
        let payload = Payload { msg: &ciphertext, aad: context };
        let plain = Zeroizing::new(cipher.decrypt(XNonce::from_slice(&nonce), payload).map_err(|_| SealError::NotOpened)?);
        Secret::filled(|bytes| {
            let plain: &[u8; SECRET_BYTES] = plain.as_slice().try_into().map_err(|_| SealError::Malformed)?;
            bytes.copy_from_slice(plain);
            Ok(())
        })
    }
}
