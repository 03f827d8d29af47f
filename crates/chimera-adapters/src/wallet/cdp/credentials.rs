//! The keys of a CDP project, in the forms in which CDP hands them out.

use base64::{Engine, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair},
};
use std::fmt;
use zeroize::Zeroizing;

/// Who we are to CDP. Never shown.
pub struct CdpCredentials {
    api_key_id: String,
    api_key: ApiKey,
    wallet_key: EcdsaKeyPair,
}

pub enum ApiKey {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

/// Names the variable that is wrong, and nothing of what it holds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CdpCredentialsError {
    #[error("CDP_API_KEY_ID is empty, or holds characters that no key id has")]
    ApiKeyId,
    #[error("CDP_API_KEY_SECRET is neither 64 bytes in base64 (Ed25519) nor a PEM with an EC key of the curve P-256 and its public key")]
    ApiKeySecret,
    #[error("CDP_WALLET_SECRET is not a PKCS #8 key of the curve P-256 in base64, with its public key")]
    WalletSecret,
}

impl CdpCredentials {
    pub fn parse(api_key_id: &str, api_key_secret: &str, wallet_secret: &str) -> Result<Self, CdpCredentialsError> {
        if api_key_id.is_empty() || !api_key_id.chars().all(|c| c.is_ascii_graphic()) {
            return Err(CdpCredentialsError::ApiKeyId);
        }
        Ok(Self {
            api_key_id: api_key_id.to_owned(),
            api_key: api_key(api_key_secret).ok_or(CdpCredentialsError::ApiKeySecret)?,
            wallet_key: from_base64(wallet_secret).and_then(|der| p256(&der)).ok_or(CdpCredentialsError::WalletSecret)?,
        })
    }

    pub(super) fn api_key_id(&self) -> &str {
        &self.api_key_id
    }

    pub(super) fn api_key(&self) -> &ApiKey {
        &self.api_key
    }

    pub(super) fn wallet_key(&self) -> &EcdsaKeyPair {
        &self.wallet_key
    }
}

impl fmt::Debug for CdpCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CdpCredentials(masked)")
    }
}

fn api_key(secret: &str) -> Option<ApiKey> {
    // Variables that were set without quotes hold the two characters \n for a line's end.
    let secret = Zeroizing::new(secret.replace("\\n", "\n"));
    if let Some((label, der)) = from_pem(&secret) {
        let pkcs8 = match label {
            "PRIVATE KEY" => der,
            "EC PRIVATE KEY" => as_pkcs8(&der)?,
            _ => return None,
        };
        return p256(&pkcs8).map(ApiKey::P256);
    }
    let bytes = from_base64(&secret).filter(|bytes| bytes.len() == 64)?;
    let (seed, public) = bytes.split_at(32);
    Ed25519KeyPair::from_seed_and_public_key(seed, public).ok().map(ApiKey::Ed25519)
}

fn p256(pkcs8: &[u8]) -> Option<EcdsaKeyPair> {
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, &SystemRandom::new()).ok()
}

fn from_pem(text: &str) -> Option<(&str, Zeroizing<Vec<u8>>)> {
    let rest = text.trim().strip_prefix("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    Some((label, from_base64(body)?))
}

/// Base64 in one line or many.
fn from_base64(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let joined: Zeroizing<String> = Zeroizing::new(text.split_whitespace().collect());
    STANDARD.decode(joined.as_bytes()).ok().map(Zeroizing::new)
}

/// An EC key of the older form (SEC 1), wrapped as PKCS #8, which is the form that ring reads.
fn as_pkcs8(sec1: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    const INTEGER_ZERO: [u8; 3] = [0x02, 0x01, 0x00];
    /// id-ecPublicKey with the named curve prime256v1.
    const P256_ALGORITHM: [u8; 21] =
        [0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
    const OCTET_STRING: u8 = 0x04;
    const SEQUENCE: u8 = 0x30;
    let key = der_value(OCTET_STRING, sec1)?;
    let content = Zeroizing::new([INTEGER_ZERO.as_slice(), &P256_ALGORITHM, &key].concat());
    der_value(SEQUENCE, &content)
}

/// `None` when it is longer than any key.
fn der_value(tag: u8, content: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let length = u8::try_from(content.len()).ok()?;
    let mut value = Zeroizing::new(Vec::with_capacity(content.len() + 3));
    // A length of 128 and more needs a byte that says how many bytes it has.
    if length < 0x80 {
        value.extend([tag, length])
    } else {
        value.extend([tag, 0x81, length])
    }
    value.extend_from_slice(content);
    Some(value)
}
