//! Secrets: from the environment or from files it names, never from the TOML, never in a log.

use super::{Misconfigured, Settings, model::ModelUse, social};
use crate::terminal;
use anyhow::{Context, Result, anyhow, bail};
use std::{
    fmt, fs,
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};
use zeroize::Zeroizing;

/// Opens the keystore, or a key file.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// For whoever keeps it, and wipes it in the end.
    pub fn into_text(self) -> Zeroizing<String> {
        self.0
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

/// The keys of a CDP project.
#[derive(Clone)]
pub struct CdpSecrets {
    pub api_key_id: Zeroizing<String>,
    pub api_key_secret: Zeroizing<String>,
    pub wallet_secret: Zeroizing<String>,
}

impl fmt::Debug for CdpSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CdpSecrets(masked)")
    }
}

const PASSPHRASE: &str = "CHIMERA_WALLET_PASSPHRASE";
const NEW_PASSPHRASE: &str = "CHIMERA_NEW_WALLET_PASSPHRASE";
const IMPORT_PASSPHRASE: &str = "CHIMERA_IMPORT_PASSPHRASE";
const EXPORT_PASSPHRASE: &str = "CHIMERA_EXPORT_PASSPHRASE";
const MODEL_KEY: &str = "CHIMERA_MODEL_KEY";
const MODEL_FALLBACK_KEY: &str = "CHIMERA_MODEL_FALLBACK_KEY";
const JUDGE_MODEL_KEY: &str = "CHIMERA_JUDGE_MODEL_KEY";
const PLANNER_MODEL_KEY: &str = "CHIMERA_PLANNER_MODEL_KEY";
const TOKEN: &str = "CHIMERA_TOKEN";
const CDP: [&str; 3] = ["CDP_API_KEY_ID", "CDP_API_KEY_SECRET", "CDP_WALLET_SECRET"];
/// Every variable that is a secret: each is taken out of the process's environment at the start.
pub(super) const SECRETS: [&str; 19] = [
    PASSPHRASE,
    NEW_PASSPHRASE,
    IMPORT_PASSPHRASE,
    EXPORT_PASSPHRASE,
    MODEL_KEY,
    MODEL_FALLBACK_KEY,
    JUDGE_MODEL_KEY,
    PLANNER_MODEL_KEY,
    TOKEN,
    CDP[0],
    CDP[1],
    CDP[2],
    social::MASTODON_TOKEN,
    social::BLUESKY_APP_PASSWORD,
    social::X_BEARER_TOKEN,
    social::X_KEYS[0],
    social::X_KEYS[1],
    social::X_KEYS[2],
    social::X_KEYS[3],
];

/// How often a person is asked for a passphrase: what opens something shows a slip of the hand, what seals something does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Once,
    Twice,
}

/// Nobody types more than this.
const SECRET_BYTES_MAX: u64 = 4096;
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

    /// The same, for whoever keeps it from now on: here it is gone.
    pub fn take_passphrase(&self) -> Result<Option<Passphrase>> {
        let given = self.passphrase()?;
        self.environment.drop_secret(PASSPHRASE);
        Ok(given)
    }

    /// As if the environment had given it.
    pub fn keep_passphrase(&self, asked: Zeroizing<String>) {
        self.environment.keep_secret(PASSPHRASE, asked);
    }

    /// The one that the environment or a person gives, and not the file that `demo` made.
    pub fn ensure_given_passphrase(&self) -> Result<()> {
        let given = self.required(PASSPHRASE, "the passphrase that opens the keystore now", Asked::Once)?;
        self.keep_passphrase(given.into_text());
        Ok(())
    }

    pub fn new_passphrase(&self) -> Result<Passphrase> {
        self.required(NEW_PASSPHRASE, "the passphrase that is to open the keystore from now on", Asked::Twice)
    }

    pub fn import_passphrase(&self) -> Result<Passphrase> {
        self.required(IMPORT_PASSPHRASE, "the passphrase of the file that is imported", Asked::Once)
    }

    pub fn export_passphrase(&self) -> Result<Passphrase> {
        self.required(EXPORT_PASSPHRASE, "the passphrase that the exported file gets", Asked::Twice)
    }

    fn required(&self, name: &str, what: &str, asked: Asked) -> Result<Passphrase> {
        if let Some(given) = self.secret(name)? {
            return Ok(Passphrase(given));
        }
        if self.asks_for_passphrases {
            let answer = match asked {
                Asked::Once => terminal::ask_secret(what)?,
                Asked::Twice => terminal::ask_new_secret(what)?,
            };
            return Ok(Passphrase(answer));
        }
        Err(Misconfigured::mark(anyhow!(
            "{name} is not set, and there is no terminal to ask at; it, or the file that {name}_FILE names, is {what}"
        )))
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

    /// All three, or an error that names the one that is missing.
    pub fn cdp_secrets(&self) -> Result<CdpSecrets> {
        let given = |name: &str| {
            self.secret(name)?
                .with_context(|| format!("a wallet of the kind \"cdp\" needs {name}: set it, or {name}_FILE, in the environment"))
        };
        Ok(CdpSecrets { api_key_id: given(CDP[0])?, api_key_secret: given(CDP[1])?, wallet_secret: given(CDP[2])? })
    }

    /// Opens the model that is used so. `None` for a server that asks for none.
    pub fn model_key(&self, used_for: ModelUse) -> Result<Option<Zeroizing<String>>> {
        self.secret(match used_for {
            ModelUse::Writing => MODEL_KEY,
            ModelUse::WritingInstead => MODEL_FALLBACK_KEY,
            ModelUse::Judging => JUDGE_MODEL_KEY,
            ModelUse::Planning => PLANNER_MODEL_KEY,
        })
    }

    pub(super) fn secret(&self, name: &str) -> Result<Option<Zeroizing<String>>> {
        debug_assert!(SECRETS.contains(&name), "{name} would stay in the environment");
        if let Some(value) = self.environment.secret(name) {
            return Ok(Some(value));
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

pub(super) fn read_secret_if_there(path: &Path) -> Result<Option<Zeroizing<String>>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    // Large enough at once: a buffer that grows leaves unwiped copies behind.
    let mut text = Zeroizing::new(String::with_capacity(2 * usize::try_from(SECRET_BYTES_MAX)?));
    file.take(SECRET_BYTES_MAX + 1).read_to_string(&mut text).with_context(|| format!("cannot read {}", path.display()))?;
    if text.len() as u64 > SECRET_BYTES_MAX {
        bail!("{} has more than {SECRET_BYTES_MAX} bytes, which is too long for a secret", path.display());
    }
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        bail!("{} is empty; it must hold a secret", path.display());
    }
    Ok(Some(Zeroizing::new(secret.to_owned())))
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
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut bytes = Zeroizing::new([0u8; 32]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|error| anyhow!("the system gave no randomness: {error}"))?;
    let mut text = Zeroizing::new(String::with_capacity(2 * bytes.len()));
    for byte in bytes.iter() {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 0x0f)]));
    }
    Ok(text)
}
