//! The key with which a node signs what it wrote. Made at first use, and then the same for every process of the data folder.

use k256::ecdsa::{
    Signature, SigningKey,
    signature::hazmat::{PrehashSigner, PrehashVerifier},
};
use std::{
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};
use zeroize::Zeroizing;

pub const KEY_FILE: &str = "node.key";
pub const PUBLIC_KEY_FILE: &str = "node.pub";

const SECRET_HEX_CHARS: usize = 64;
const SIGNATURE_HEX_CHARS: usize = 128;

/// A secp256k1 key; it is wiped from memory with this value.
pub struct NodeKey {
    key: SigningKey,
}

impl NodeKey {
    pub fn generate() -> io::Result<Self> {
        loop {
            let mut secret = Zeroizing::new([0_u8; 32]);
            getrandom::fill(secret.as_mut_slice()).map_err(io::Error::other)?;
            // All but one in 2^128 strings of 32 bytes are keys.
            if let Ok(key) = SigningKey::from_slice(secret.as_slice()) {
                return Ok(Self { key });
            }
        }
    }

    /// `None` when the folder has none. A file that holds no key is `InvalidData`.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let text = match fs::read(folder.join(KEY_FILE)) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let digits = text.trim_ascii();
        let mut secret = Zeroizing::new([0_u8; 32]);
        let decoded = digits.len() == SECRET_HEX_CHARS && alloy_primitives::hex::decode_to_slice(digits, secret.as_mut_slice()).is_ok();
        let key = decoded.then(|| SigningKey::from_slice(secret.as_slice()).ok()).flatten();
        key.map(|key| Some(Self { key })).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is not 64 hex digits of a key"))
    }

    /// Durable when it returns, and for the owner's eyes only. Call it where nobody else makes one.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let secret = Zeroizing::new(self.key.to_bytes());
        let text = Zeroizing::new(format!("{}\n", Zeroizing::new(alloy_primitives::hex::encode(secret.as_slice())).as_str()));
        write_whole(&folder.join(PUBLIC_KEY_FILE), format!("{}\n", self.public()).as_bytes(), 0o644)?;
        write_whole(&folder.join(KEY_FILE), text.as_bytes(), 0o600)?;
        fs::File::open(folder)?.sync_all()
    }

    /// The compressed point, in hex.
    pub fn public(&self) -> String {
        alloy_primitives::hex::encode(self.key.verifying_key().to_encoded_point(true).as_bytes())
    }

    /// In hex, and always the same for one digest.
    pub fn sign(&self, digest: &[u8; 32]) -> String {
        let signature: Signature = self.key.sign_prehash(digest).expect("a digest of 32 bytes can always be signed");
        alloy_primitives::hex::encode(signature.to_bytes())
    }

    /// Whether `signature` is one that `sign` made. There is one way to write it only: no capitals, and the lower of the two halves.
    pub fn has_signed(&self, digest: &[u8; 32], signature: &[u8]) -> bool {
        let is_plain = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let mut bytes = [0_u8; SIGNATURE_HEX_CHARS / 2];
        signature.len() == SIGNATURE_HEX_CHARS
            && signature.iter().all(is_plain)
            && alloy_primitives::hex::decode_to_slice(signature, &mut bytes).is_ok()
            && Signature::from_slice(&bytes).is_ok_and(|signature| self.key.verifying_key().verify_prehash(digest, &signature).is_ok())
    }
}

/// The file is there whole or as it was. Durable once its folder is synced.
pub fn write_whole(path: &Path, text: &[u8], mode: u32) -> io::Result<()> {
    let draft = path.with_extension("draft");
    // What a process left that was killed here may have other permissions.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&draft)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_is_read_back_as_it_was_written_and_only_its_owner_may_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let made = NodeKey::generate().unwrap();
        assert!(NodeKey::read(folder.path()).unwrap().is_none());

        made.write(folder.path()).unwrap();

        let read = NodeKey::read(folder.path()).unwrap().unwrap();
        assert_eq!(read.public(), made.public());
        assert_eq!(fs::read_to_string(folder.path().join(PUBLIC_KEY_FILE)).unwrap().trim(), made.public());
        assert_eq!(fs::metadata(folder.path().join(KEY_FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_holds_no_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "key", &"0".repeat(64), &"f".repeat(64), &"g".repeat(64), &"1".repeat(63), &"1".repeat(65)] {
            fs::write(folder.path().join(KEY_FILE), text).unwrap();
            let refused = NodeKey::read(folder.path()).err().map(|error| error.kind());
            assert_eq!(refused, Some(io::ErrorKind::InvalidData), "{text:?}");
        }
    }

    #[test]
    fn only_the_signature_of_this_key_over_this_digest_in_its_one_form_counts() {
        let (key, other) = (NodeKey::generate().unwrap(), NodeKey::generate().unwrap());
        let digest = [7; 32];
        let signature = key.sign(&digest);
        let mut bytes = alloy_primitives::hex::decode(&signature).unwrap();
        let signed = Signature::from_slice(&bytes).unwrap();
        // The same point with the other half: valid mathematically, and not ours.
        let high = Signature::from_scalars(signed.r(), -*signed.s()).unwrap();
        bytes[63] ^= 1;

        assert!(key.has_signed(&digest, signature.as_bytes()));
        assert_eq!(key.sign(&digest), signature);
        for (what, forged) in [
            ("another key's", other.sign(&digest)),
            ("of another digest", key.sign(&[8; 32])),
            ("one bit", alloy_primitives::hex::encode(&bytes)),
            ("the other half", alloy_primitives::hex::encode(high.to_bytes())),
            ("in capitals", signature.to_uppercase()),
            ("with 0x", format!("0x{}", &signature[2..])),
            ("longer", format!("{signature}00")),
            ("zeros", "0".repeat(128)),
            ("nothing", String::new()),
        ] {
            assert!(!key.has_signed(&digest, forged.as_bytes()), "{what}");
        }
    }
}
