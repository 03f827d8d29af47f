//! Web3 Secret Storage, version 3: one key under a passphrase of its own, as geth and foundry read and write it.
//! What is read comes from strangers: it decides how much work opening it takes, within the limits here.

use super::secret::{self, SCRYPT_STANDARD, SECRET_BYTES, ScryptCost, Secret};
use aes::Aes128;
use alloy_primitives::{Address, B256, Keccak256, hex};
use ctr::{
    Ctr128BE,
    cipher::{KeyIvInit, StreamCipher},
};
use serde::{Deserialize, Serialize};

const VERSION: u64 = 3;
const CIPHER: &str = "aes-128-ctr";
const SCRYPT: &str = "scrypt";
const PBKDF2: &str = "pbkdf2";
const PRF: &str = "hmac-sha256";
/// The first half of the stretched passphrase is the cipher's key, the second half the checksum's.
const CIPHER_KEY_BYTES: usize = 16;
const IV_BYTES: usize = 16;
const SALT_BYTES: usize = 32;
const MAC_BYTES: usize = 32;
const SALT_BYTES_MAX: usize = 1024;
/// The longest stretched key; whatever its length, its first 32 bytes are the same.
const DKLEN_MAX: u64 = 64;
/// Twice what geth's standard takes.
const SCRYPT_MEMORY_BYTES_MAX: u64 = 512 << 20;
/// n * r * p: eight times geth's standard, which is about ten seconds.
const SCRYPT_WORK_MAX: u64 = 1 << 24;
/// Geth's standard is 262144; this is about ten seconds.
const PBKDF2_ROUNDS_MAX: u64 = 10_000_000;
const SHOWN_CHARS_MAX: usize = 32;

/// What is wrong with a file. Never repeats what could be a key: people name the wrong file.
#[derive(Debug, thiserror::Error)]
pub enum Web3Error {
    #[error("it is not a Web3 Secret Storage file (line {line}, column {column})")]
    Malformed { line: usize, column: usize },
    #[error("its version is {0}; only version 3 can be read")]
    Version(u64),
    #[error("its {field} is {found:?}; it must be {known}")]
    Unsupported { field: &'static str, found: String, known: &'static str },
    #[error("its {0} is missing, not hexadecimal, or of the wrong length")]
    Field(&'static str),
    #[error(
        "opening it would take {asked} of {what}, and at most {limit} is spent on a stranger's file; re-encrypt it with geth's standard parameters"
    )]
    TooCostly { what: &'static str, asked: u128, limit: u64 },
    #[error("the passphrase does not open it, or it was changed")]
    NotOpened,
    #[error("what it holds is not a private key")]
    NotKey,
    #[error("it says that it is of {said}, and holds the key of another address")]
    OtherAddress { said: String },
    #[error("the system gave no randomness")]
    NoRandomness,
}

#[derive(Serialize, Deserialize)]
struct Web3File {
    /// Hexadecimal without 0x; some programs leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(alias = "Crypto")]
    crypto: Crypto,
    #[serde(default)]
    id: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct Crypto {
    cipher: String,
    cipherparams: CipherParams,
    ciphertext: String,
    kdf: String,
    kdfparams: KdfParams,
    mac: String,
}

#[derive(Serialize, Deserialize)]
struct CipherParams {
    iv: String,
}

/// Of scrypt (n, r, p) or of PBKDF2 (c, prf).
#[derive(Default, Serialize, Deserialize)]
struct KdfParams {
    dklen: u64,
    salt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    r: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    p: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prf: Option<String>,
}

/// The file's text. `address` is what `key` signs for.
pub fn seal(key: &Secret, address: Address, passphrase: &str) -> Result<String, Web3Error> {
    let (mut salt, mut iv) = ([0u8; SALT_BYTES], [0u8; IV_BYTES]);
    getrandom::fill(&mut salt).and_then(|()| getrandom::fill(&mut iv)).map_err(|_| Web3Error::NoRandomness)?;
    let cost = SCRYPT_STANDARD;
    let stretched = secret::scrypt(passphrase, &salt, cost).expect("geth's standard parameters are valid");
    let mut ciphertext = *key.bytes();
    apply_cipher(&stretched, &iv, &mut ciphertext)?;
    let file = Web3File {
        address: Some(hex::encode(address)),
        id: uuid::Uuid::new_v4().to_string(),
        version: VERSION,
        crypto: Crypto {
            cipher: CIPHER.to_owned(),
            cipherparams: CipherParams { iv: hex::encode(iv) },
            ciphertext: hex::encode(ciphertext),
            kdf: SCRYPT.to_owned(),
            kdfparams: KdfParams {
                dklen: SECRET_BYTES as u64,
                salt: hex::encode(salt),
                n: Some(1 << cost.log_n),
                r: Some(cost.r.into()),
                p: Some(cost.p.into()),
                ..KdfParams::default()
            },
            mac: hex::encode(mac(&stretched, &ciphertext)),
        },
    };
    Ok(serde_json::to_string_pretty(&file).expect("strings and numbers are JSON"))
}

/// The key in a file's text, with the address that it signs for.
pub fn open(text: &str, passphrase: &str) -> Result<(Secret, Address), Web3Error> {
    // Only where it went wrong: the message would repeat what stands there.
    let file: Web3File = serde_json::from_str(text).map_err(|error| Web3Error::Malformed { line: error.line(), column: error.column() })?;
    if file.version != VERSION {
        return Err(Web3Error::Version(file.version));
    }
    let crypto = &file.crypto;
    is_known("cipher", &crypto.cipher, CIPHER)?;
    let iv = from_hex("cipherparams.iv", &crypto.cipherparams.iv, IV_BYTES..=IV_BYTES)?;
    // Programs that drop leading zeros write shorter keys.
    let ciphertext = from_hex("ciphertext", &crypto.ciphertext, 1..=SECRET_BYTES)?;
    let expected_mac = from_hex("mac", &crypto.mac, MAC_BYTES..=MAC_BYTES)?;
    let stretched = stretch(crypto, passphrase)?;
    if mac(&stretched, &ciphertext).as_slice() != expected_mac {
        return Err(Web3Error::NotOpened);
    }
    let key = Secret::filled(|bytes| {
        let tail = &mut bytes[SECRET_BYTES - ciphertext.len()..];
        tail.copy_from_slice(&ciphertext);
        apply_cipher(&stretched, &iv, tail)
    })?;
    let address = super::address_of(&key).ok_or(Web3Error::NotKey)?;
    match file.address.as_deref().filter(|said| !said.is_empty()) {
        Some(said) if hex::decode(said).ok().as_deref() != Some(address.as_slice()) => Err(Web3Error::OtherAddress { said: shown(said) }),
        _ => Ok((key, address)),
    }
}

fn stretch(crypto: &Crypto, passphrase: &str) -> Result<Secret, Web3Error> {
    let params = &crypto.kdfparams;
    let salt = from_hex("kdfparams.salt", &params.salt, 0..=SALT_BYTES_MAX)?;
    if !(SECRET_BYTES as u64..=DKLEN_MAX).contains(&params.dklen) {
        return Err(Web3Error::Unsupported { field: "kdfparams.dklen", found: params.dklen.to_string(), known: "between 32 and 64" });
    }
    match crypto.kdf.as_str() {
        SCRYPT => {
            let cost = scrypt_cost(params)?;
            secret::scrypt(passphrase, &salt, cost).map_err(|_| Web3Error::Field("kdfparams"))
        }
        PBKDF2 => {
            is_known("kdfparams.prf", params.prf.as_deref().unwrap_or_default(), PRF)?;
            let rounds = params.c.filter(|rounds| *rounds > 0).ok_or(Web3Error::Field("kdfparams.c"))?;
            within("PBKDF2's rounds", rounds.into(), PBKDF2_ROUNDS_MAX)?;
            let rounds = u32::try_from(rounds).expect("the limit is below 2^32");
            Ok(secret::pbkdf2_sha256(passphrase, &salt, rounds))
        }
        other => Err(Web3Error::Unsupported { field: "kdf", found: shown(other), known: "scrypt or pbkdf2" }),
    }
}

fn scrypt_cost(params: &KdfParams) -> Result<ScryptCost, Web3Error> {
    let positive = |value: Option<u64>, name| value.filter(|value| *value > 0).ok_or(Web3Error::Field(name));
    let n = positive(params.n, "kdfparams.n")?;
    let r = positive(params.r, "kdfparams.r")?;
    let p = positive(params.p, "kdfparams.p")?;
    if n < 2 || !n.is_power_of_two() {
        return Err(Web3Error::Unsupported { field: "kdfparams.n", found: n.to_string(), known: "a power of two" });
    }
    // In u128, where the product of these cannot overflow until it is far above every limit.
    let (wide_n, wide_r, wide_p) = (u128::from(n), u128::from(r), u128::from(p));
    within("scrypt's memory in bytes", wide_r.saturating_mul(wide_n + wide_p).saturating_mul(128), SCRYPT_MEMORY_BYTES_MAX)?;
    within("scrypt's work (n * r * p)", wide_n.saturating_mul(wide_r).saturating_mul(wide_p), SCRYPT_WORK_MAX)?;
    let small = |value: u64, name| u32::try_from(value).map_err(|_| Web3Error::Field(name));
    Ok(ScryptCost {
        log_n: u8::try_from(n.trailing_zeros()).expect("a u64 has fewer than 256 bits"),
        r: small(r, "kdfparams.r")?,
        p: small(p, "kdfparams.p")?,
    })
}

fn within(what: &'static str, asked: u128, limit: u64) -> Result<(), Web3Error> {
    if asked > u128::from(limit) { Err(Web3Error::TooCostly { what, asked, limit }) } else { Ok(()) }
}

fn apply_cipher(stretched: &Secret, iv: &[u8], bytes: &mut [u8]) -> Result<(), Web3Error> {
    let key = &stretched.bytes()[..CIPHER_KEY_BYTES];
    let mut cipher = Ctr128BE::<Aes128>::new_from_slices(key, iv).map_err(|_| Web3Error::Field("cipherparams.iv"))?;
    cipher.apply_keystream(bytes);
    Ok(())
}

fn mac(stretched: &Secret, ciphertext: &[u8]) -> B256 {
    let mut hasher = Keccak256::new();
    hasher.update(&stretched.bytes()[CIPHER_KEY_BYTES..]);
    hasher.update(ciphertext);
    hasher.finalize()
}

fn is_known(field: &'static str, found: &str, known: &'static str) -> Result<(), Web3Error> {
    if found == known { Ok(()) } else { Err(Web3Error::Unsupported { field, found: shown(found), known }) }
}

fn from_hex(field: &'static str, text: &str, lengths: std::ops::RangeInclusive<usize>) -> Result<Vec<u8>, Web3Error> {
    match hex::decode(text) {
        Ok(bytes) if lengths.contains(&bytes.len()) => Ok(bytes),
        Ok(_) | Err(_) => Err(Web3Error::Field(field)),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests;
