//! Secrets: from the environment or from files it names, never from the TOML, never in a log.

use super::Settings;
use anyhow::{Context, Result, bail};
use std::{fmt, fs, io::Write, os::unix::fs::OpenOptionsExt, path::Path};
use zeroize::Zeroizing;

/// Opens the keystore.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(masked)")
    }
}

/// Guards the server.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl Token {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(masked)")
    }
}

const PASSPHRASE: &str = "CHIMERA_WALLET_PASSPHRASE";
const TOKEN: &str = "CHIMERA_TOKEN";
/// Made by `demo`, and used by any command on that data folder when the environment names no passphrase.
const DEMO_PASSPHRASE_FILE: &str = "passphrase";

impl Settings {
    /// `None` when nobody gave one: balances can still be read, nothing can be signed.
    pub fn passphrase(&self) -> Result<Option<Passphrase>> {
        let given = match self.secret(PASSPHRASE)? {
            Some(given) => Some(given),
            None => read_secret_if_there(&self.data_dir.join(DEMO_PASSPHRASE_FILE))?,
        };
        Ok(given.map(Passphrase))
    }

    /// Makes a random passphrase file, mode 0600, unless there is a passphrase already. Says whether it did.
    pub fn ensure_demo_passphrase(&self) -> Result<bool> {
        if self.passphrase()?.is_some() {
            return Ok(false);
        }
        write_secret(&self.data_dir.join(DEMO_PASSPHRASE_FILE), &random_hex()?)?;
        Ok(true)
    }

    /// From the environment, else from the data folder, where it is made at first start.
    pub fn token(&self) -> Result<Token> {
        if let Some(given) = self.secret(TOKEN)? {
            return Ok(Token(given));
        }
        let path = self.data_dir.join("token");
        if let Some(kept) = read_secret_if_there(&path)? {
            return Ok(Token(kept));
        }
        write_secret(&path, &random_hex()?)?;
        let kept = read_secret_if_there(&path)?.with_context(|| format!("{} vanished while it was made", path.display()))?;
        Ok(Token(kept))
    }

    fn secret(&self, name: &str) -> Result<Option<Zeroizing<String>>> {
        if let Some(value) = self.environment.get(name) {
            return Ok(Some(Zeroizing::new(value.to_owned())));
        }
        let file_name = format!("{name}_FILE");
        match self.environment.get(&file_name) {
            None => Ok(None),
            Some(path) => match read_secret_if_there(Path::new(path))? {
                Some(secret) => Ok(Some(secret)),
                None => bail!("{file_name} names {path}, which does not exist"),
            },
        }
    }
}

fn read_secret_if_there(path: &Path) -> Result<Option<Zeroizing<String>>> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let text = Zeroizing::new(text);
            let secret = text.trim_end_matches(['\r', '\n']);
            if secret.is_empty() {
                bail!("{} is empty; it must hold a secret", path.display());
            }
            Ok(Some(Zeroizing::new(secret.to_owned())))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Keeps a file that another process made first: both must read the same secret afterwards.
fn write_secret(path: &Path, secret: &str) -> Result<()> {
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)
        .with_context(|| format!("cannot write {}", draft.display()))?;
    file.write_all(secret.as_bytes()).and_then(|()| file.sync_all()).with_context(|| format!("cannot write {}", draft.display()))?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft).with_context(|| format!("cannot remove {}", draft.display()))?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("cannot write {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn random_hex() -> Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new([0u8; 32]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|error| anyhow::anyhow!("the system gave no randomness: {error}"))?;
    Ok(Zeroizing::new(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
}
