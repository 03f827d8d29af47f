//! The key and certificate of this data folder, made at first use and then the same for every process.

use super::certificate::issue;
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use ring::{
    rand::{SecureRandom, SystemRandom},
    signature::Ed25519KeyPair,
};
use std::{
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};
use zeroize::Zeroizing;

/// The signer's secret and its chain; for the owner's eyes only.
pub const IDENTITY_FILE: &str = "content-credentials.pem";
/// For verifiers who want to trust this node.
pub const ROOT_FILE: &str = "content-credentials-root.pem";

const SECRET: &str = "CHIMERA ED25519 SEED";
const CERTIFICATE: &str = "CERTIFICATE";

pub struct Identity {
    pub key: Ed25519KeyPair,
    /// DER.
    pub certificate: Vec<u8>,
}

impl Identity {
    /// Reads it, or makes it where there is none. Of several processes that make one at once, the first wins.
    pub fn open(folder: &Path, now: DateTime<Utc>) -> io::Result<Self> {
        let path = folder.join(IDENTITY_FILE);
        match fs::read_to_string(&path) {
            Ok(text) => Self::read(&Zeroizing::new(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make(folder, now)?;
                Self::read(&Zeroizing::new(fs::read_to_string(&path)?))
            }
            Err(error) => Err(error),
        }
    }

    fn read(text: &str) -> io::Result<Self> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, format!("{IDENTITY_FILE} is damaged; delete it to get a new identity"));
        let secret = Zeroizing::new(block(text, SECRET).ok_or_else(invalid)?);
        let key = Ed25519KeyPair::from_seed_unchecked(&secret).map_err(|_| invalid())?;
        Ok(Self { key, certificate: block(text, CERTIFICATE).ok_or_else(invalid)? })
    }
}

fn make(folder: &Path, now: DateTime<Utc>) -> io::Result<()> {
    let random = SystemRandom::new();
    let seed = || -> io::Result<Zeroizing<[u8; 32]>> {
        let mut seed = Zeroizing::new([0; 32]);
        random.fill(seed.as_mut_slice()).map_err(|_| io::Error::other("the system gives no random bytes"))?;
        Ok(seed)
    };
    let key = |seed: &[u8; 32]| Ed25519KeyPair::from_seed_unchecked(seed).expect("any 32 bytes are the seed of a key");
    let (signer, root) = (seed()?, seed()?);
    let chain = issue(&key(&signer), &key(&root), now);
    let root = pem(CERTIFICATE, &chain.root);
    let text = Zeroizing::new([pem(SECRET, signer.as_slice()), pem(CERTIFICATE, &chain.signer), root.clone()].concat());
    fs::create_dir_all(folder)?;
    if write_first(&folder.join(IDENTITY_FILE), text.as_bytes())? {
        write_first(&folder.join(ROOT_FILE), root.as_bytes())?;
    }
    fs::File::open(folder)?.sync_all()
}

/// Whether it was us: what is there already stays. Whole or not at all.
fn write_first(path: &Path, text: &[u8]) -> io::Result<bool> {
    let draft = path.with_extension(format!("{}.draft", std::process::id()));
    let _ = fs::remove_file(&draft);
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all(text)?;
    file.sync_all()?;
    // Unlike a rename a link never takes the place of what is there.
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn pem(kind: &str, bytes: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(bytes);
    let lines: Vec<&str> = text.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", lines.join("\n"))
}

/// The first block of its kind.
fn block(text: &str, kind: &str) -> Option<Vec<u8>> {
    let (_, rest) = text.split_once(&format!("-----BEGIN {kind}-----"))?;
    let (inner, _) = rest.split_once(&format!("-----END {kind}-----"))?;
    BASE64_STANDARD.decode(inner.split_whitespace().collect::<String>()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::KeyPair;
    use std::os::unix::fs::PermissionsExt;

    fn now() -> DateTime<Utc> {
        "2026-11-15T08:00:00Z".parse().unwrap()
    }

    #[test]
    fn an_identity_is_made_once_and_only_its_owner_may_read_it() {
        let folder = tempfile::tempdir().unwrap();

        let first = Identity::open(folder.path(), now()).unwrap();
        let again = Identity::open(folder.path(), now()).unwrap();

        assert_eq!((first.key.public_key().as_ref(), &first.certificate), (again.key.public_key().as_ref(), &again.certificate));
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(IDENTITY_FILE), mode(ROOT_FILE)), (0o600, 0o600));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no draft is left");
        assert!(!fs::read_to_string(folder.path().join(ROOT_FILE)).unwrap().contains("SEED"));
    }

    #[test]
    fn a_damaged_identity_is_refused_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(IDENTITY_FILE);
        for text in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            fs::write(&path, text).unwrap();
            assert_eq!(Identity::open(folder.path(), now()).err().map(|error| error.kind()), Some(io::ErrorKind::InvalidData), "{text:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
