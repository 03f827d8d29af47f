//! The key with which a node signs what it wrote. Made at first use, and then the same for every process of the data folder.

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
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

/// An Ed25519 key: signing is done for every entry of the ledger, and must cost next to nothing beside the sync that follows.
pub struct NodeKey {
    secret: Zeroizing<[u8; 32]>,
    key: Ed25519KeyPair,
}

impl NodeKey {
    pub fn generate() -> io::Result<Self> {
        let mut secret = Zeroizing::new([0_u8; 32]);
        getrandom::fill(secret.as_mut_slice()).map_err(io::Error::other)?;
        Ok(Self::of(secret))
    }

    fn of(secret: Zeroizing<[u8; 32]>) -> Self {
        let key = Ed25519KeyPair::from_seed_unchecked(secret.as_slice()).expect("any 32 bytes are the seed of a key");
        Self { secret, key }
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
        if digits.len() != SECRET_HEX_CHARS || alloy_primitives::hex::decode_to_slice(digits, secret.as_mut_slice()).is_err() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not 64 hex digits"));
        }
        Ok(Some(Self::of(secret)))
    }

    /// Durable when it returns, and for the owner's eyes only. Call it where nobody else makes one.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let digits = Zeroizing::new(alloy_primitives::hex::encode(self.secret.as_slice()));
        let text = Zeroizing::new(format!("{}\n", digits.as_str()));
        write_whole(&folder.join(PUBLIC_KEY_FILE), format!("{}\n", self.public()).as_bytes(), 0o600)?;
        write_whole(&folder.join(KEY_FILE), text.as_bytes(), 0o600)?;
        fs::File::open(folder)?.sync_all()
    }

    /// In hex.
    pub fn public(&self) -> String {
        alloy_primitives::hex::encode(self.key.public_key())
    }

    /// In hex, and always the same for one digest.
    pub fn sign(&self, digest: &[u8; 32]) -> String {
        alloy_primitives::hex::encode(self.key.sign(digest))
    }

    /// Whether `signature` is one that `sign` made. There is one way to write it only, without capitals.
    pub fn has_signed(&self, digest: &[u8; 32], signature: &[u8]) -> bool {
        let is_plain = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let mut bytes = [0_u8; SIGNATURE_HEX_CHARS / 2];
        signature.len() == SIGNATURE_HEX_CHARS
            && signature.iter().all(is_plain)
            && alloy_primitives::hex::decode_to_slice(signature, &mut bytes).is_ok()
            && UnparsedPublicKey::new(&ED25519, self.key.public_key()).verify(digest, &bytes).is_ok()
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
        for text in ["", "key", &"g".repeat(64), &"1".repeat(63), &"1".repeat(65), &format!("0x{}", "1".repeat(62))] {
            fs::write(folder.path().join(KEY_FILE), text).unwrap();
            let refused = NodeKey::read(folder.path()).err().map(|error| error.kind());
            assert_eq!(refused, Some(io::ErrorKind::InvalidData), "{text:?}");
        }
    }

    /// The second half, plus the order of the curve's group: equal in the group, and another number.
    fn plus_order(signature: &[u8]) -> Vec<u8> {
        let order = alloy_primitives::hex!("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
        let mut carry = 0;
        let mut sum = signature.to_vec();
        for (byte, added) in sum[32..].iter_mut().zip(order) {
            let total = u16::from(*byte) + u16::from(added) + carry;
            *byte = total as u8;
            carry = total >> 8;
        }
        sum
    }

    #[test]
    fn only_the_signature_of_this_key_over_this_digest_in_its_one_form_counts() {
        let (key, other) = (NodeKey::generate().unwrap(), NodeKey::generate().unwrap());
        let digest = [7; 32];
        let signature = key.sign(&digest);
        let bytes = alloy_primitives::hex::decode(&signature).unwrap();
        let mut one_bit = bytes.clone();
        one_bit[63] ^= 1;

        assert!(key.has_signed(&digest, signature.as_bytes()));
        assert_eq!(key.sign(&digest), signature);
        for (what, forged) in [
            ("another key's", other.sign(&digest)),
            ("of another digest", key.sign(&[8; 32])),
            ("one bit", alloy_primitives::hex::encode(&one_bit)),
            ("the same modulo the order", alloy_primitives::hex::encode(plus_order(&bytes))),
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
