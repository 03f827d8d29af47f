//! Where settings come from: `chimera.toml`, then environment variables that contain `__`, then flags.
//! The only reader of the environment; everything else takes what it needs as arguments.

mod environment;
pub mod file;
pub mod model;
pub mod secrecy;
mod secrets;
mod server;
mod social;
mod trends;

pub use environment::Environment;
pub use file::ConfigFile;
pub use secrets::{CdpSecrets, Passphrase, Token};

use anyhow::{Context, Result, anyhow, bail};
use chimera_core::swarm::publisher::QuietHours;
use file::WalletKind;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The default file, looked for where the program is started.
const CONFIG_FILE: &str = "chimera.toml";
const DATA_FOLDER: &str = "chimera-data";
/// A configuration is written by a person; anything larger is a mistake.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

/// More tasks at once than this only wait for each other.
const TASKS_MAX: usize = 256;

/// The command line or the configuration is wrong, not the work: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub struct Misconfigured(anyhow::Error);

impl Misconfigured {
    /// For `map_err` where what a person wrote is read.
    pub fn mark(error: anyhow::Error) -> anyhow::Error {
        Self(error).into()
    }
}

/// Everything the program was told.
#[derive(Debug, Clone)]
pub struct Settings {
    pub file: ConfigFile,
    /// The file that was read, if there was one.
    pub config_path: Option<PathBuf>,
    /// Relative paths in the file are relative to this.
    pub base_dir: PathBuf,
    pub data_dir: PathBuf,
    pub environment: Environment,
    /// A person sits at a terminal and is asked for a passphrase that is needed and was not given.
    pub asks_for_passphrases: bool,
}

impl Settings {
    /// `config` and `data` are the flags of the same names.
    pub fn load(config: Option<&Path>, data: Option<&Path>, environment: Environment) -> Result<Self> {
        let config_path = match config {
            Some(path) => Some(path.to_owned()),
            None => Some(PathBuf::from(CONFIG_FILE)).filter(|path| path.exists()),
        };
        let mut table = toml::Table::new();
        if let Some(path) = &config_path {
            let text = read_config(path)?;
            parse_config::<ConfigFile>(&text).map_err(|error| anyhow!("{}:{error}", path.display()))?;
            table = text.parse().with_context(|| format!("{} is not TOML", path.display()))?;
        }
        let file = with_overrides(table, &environment)?;
        check_ranges(&file)?;
        let base_dir = match config_path.as_deref().and_then(Path::parent) {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let data_dir = data.map_or_else(|| PathBuf::from(DATA_FOLDER), Path::to_owned);
        Ok(Self { file, config_path, base_dir, data_dir, environment, asks_for_passphrases: false })
    }

    /// A path from the file, as the program can open it.
    pub fn resolve(&self, path: &str) -> PathBuf {
        self.base_dir.join(path)
    }

    /// Where tests want the program to end, as `wiring::fail_points` reads it.
    #[cfg(debug_assertions)]
    pub fn dies_at(&self) -> Option<&str> {
        self.environment.get("CHIMERA_TEST_DIE_AT")
    }

    /// Where the embedded chain lives.
    pub fn chain_dir(&self) -> PathBuf {
        self.data_dir.join("chain")
    }

    /// The database file that `store.url` names.
    pub fn database_path(&self) -> Result<PathBuf> {
        let url = &self.file.store.url;
        match url.strip_prefix("sqlite:") {
            Some(path) if !path.is_empty() => Ok(self.data_dir.join(path)),
            _ => Err(Misconfigured::mark(anyhow!("store.url is {url:?}; it must be sqlite: and a file name, such as sqlite:chimera.db"))),
        }
    }
}

fn read_config(path: &Path) -> Result<String> {
    let size = std::fs::metadata(path).with_context(|| format!("cannot read the configuration {}", path.display()))?.len();
    if size > CONFIG_BYTES_MAX {
        bail!("{} has {size} bytes; a configuration may have at most {CONFIG_BYTES_MAX}", path.display());
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read the configuration {}", path.display()))
}

/// The error starts with its line, and names the nearest known key for an unknown one.
pub fn parse_config<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("{line}: {}", explained(error.message()))
    })
}

/// Turns serde's "unknown field `x`, expected one of `a`, `b`" into advice.
fn explained(message: &str) -> String {
    let Some(rest) = message.strip_prefix("unknown field ") else { return message.to_owned() };
    let names: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    let Some((unknown, known)) = names.split_first() else { return message.to_owned() };
    let nearest = known.iter().map(|name| (strsim::jaro_winkler(unknown, name), *name)).max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest {
        Some((_, nearest)) => format!("{unknown:?} is not a setting here; the nearest one is {nearest:?} (known: {})", known.join(", ")),
        None => format!("{unknown:?} is not a setting here"),
    }
}

fn with_overrides(mut table: toml::Table, environment: &Environment) -> Result<ConfigFile> {
    let read = |table: &toml::Table| ConfigFile::deserialize_from(table);
    let mut file = read(&table).map_err(|error| anyhow!("{}", explained(&error)))?;
    for (name, path, value) in environment.overrides() {
        // A string where the setting is one, else whatever TOML makes of it: 5, true, ["a"].
        let as_text = toml::Value::String(value.to_owned());
        let as_toml = format!("v = {value}").parse::<toml::Table>().ok().and_then(|mut parsed| parsed.remove("v"));
        let candidates = [Some(as_text), as_toml];
        let mut last_error = String::new();
        let changed = candidates.into_iter().flatten().find_map(|candidate| {
            let mut changed = table.clone();
            set_in(&mut changed, &path, candidate);
            match read(&changed) {
                Ok(read) => Some((changed, read)),
                Err(error) => {
                    last_error = error;
                    None
                }
            }
        });
        (table, file) = changed.ok_or_else(|| anyhow!("environment variable {name}: {}", explained(&last_error)))?;
    }
    Ok(file)
}

impl ConfigFile {
    fn deserialize_from(table: &toml::Table) -> Result<Self, String> {
        table.clone().try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

fn set_in(table: &mut toml::Table, path: &[String], value: toml::Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = table.entry(first.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if !inner.is_table() {
                *inner = toml::Value::Table(toml::Table::new());
            }
            if let toml::Value::Table(inner) = inner {
                set_in(inner, rest, value);
            }
        }
    }
}

fn check_ranges(file: &ConfigFile) -> Result<()> {
    let judge = &file.judge;
    for (name, value) in [("judge.approve_above", judge.approve_above), ("judge.reject_below", judge.reject_below)] {
        if !(0.0..=1.0).contains(&value) {
            bail!("{name} is {value}; it must be between 0 and 1");
        }
    }
    if judge.reject_below > judge.approve_above {
        bail!("judge.reject_below ({}) is above judge.approve_above ({})", judge.reject_below, judge.approve_above);
    }
    file.server.public_address()?;
    file.trends.check()?;
    for id in file.chains.keys().chain([&file.default_chain]) {
        if id.parse::<u64>().is_err() {
            bail!("{id:?} is not a chain id; chains are named by their decimal number, such as 8453");
        }
    }
    for (name, upstream) in &file.upstreams {
        if upstream.command.is_empty() == upstream.url.is_none() {
            bail!("upstreams.{name} needs exactly one of command and url");
        }
    }
    check_swarm(file)?;
    for (name, tool) in [("image", &file.media.image), ("video", &file.media.video)] {
        let Some(tool) = tool else { continue };
        if file.upstreams_file.is_none() && !file.upstreams.contains_key(&tool.upstream) {
            bail!("media.{name}.upstream is {:?}, and there is no [upstreams.{}]", tool.upstream, tool.upstream);
        }
    }
    file.model.models()?;
    file.model.judging()?;
    file.model.planning()?;
    check_wallets(file)
}

fn check_swarm(file: &ConfigFile) -> Result<()> {
    let swarm = &file.swarm;
    for (name, value) in [("swarm.tasks_max", swarm.tasks_max), ("swarm.tasks_per_agent_max", swarm.tasks_per_agent_max)] {
        if !(1..=TASKS_MAX).contains(&value) {
            bail!("{name} is {value}; it must be between 1 and {TASKS_MAX}");
        }
    }
    let intervals = [
        ("swarm.perceive_every_s", swarm.perceive_every_s),
        ("swarm.mentions_every_s", swarm.mentions_every_s),
        ("swarm.lease_s", swarm.lease_s),
    ];
    for (name, value) in intervals {
        if value == 0 {
            bail!("{name} is 0; it must be at least 1");
        }
    }
    for (platform, channel) in &file.publish {
        if let Err(error) = platform.parse::<chimera_core::domain::Platform>() {
            bail!("[publish.{platform}]: {error}");
        }
        let upstream = &channel.upstream;
        if file.upstreams_file.is_none() && !file.upstreams.contains_key(upstream) {
            bail!("publish.{platform}.upstream is {upstream:?}, and there is no [upstreams.{upstream}]");
        }
        if let Some(Err(error)) = channel.quiet_hours.as_ref().map(|hours| hours.parse::<QuietHours>()) {
            bail!("publish.{platform}.quiet_hours: {error}");
        }
    }
    Ok(())
}

fn check_wallets(file: &ConfigFile) -> Result<()> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (agent, section) in &file.agents {
        if let Err(error) = agent.parse::<chimera_core::domain::AgentId>() {
            bail!("[agents.{agent}]: {error}");
        }
        let wallet = &section.wallet;
        let key = format!("agents.{agent}.wallet");
        if wallet.upstream.is_some() != (wallet.kind == WalletKind::Agentkit) {
            bail!("{key}.upstream belongs to the kind \"agentkit\", and only to it: it names the MCP server with AgentKit's actions");
        }
        if wallet.url.is_some() && wallet.kind != WalletKind::Cdp {
            bail!("{key}.url belongs to the kind \"cdp\" only");
        }
        let Some(upstream) = &wallet.upstream else { continue };
        if file.upstreams_file.is_none() && !file.upstreams.contains_key(upstream) {
            bail!("{key}.upstream is {upstream:?}, and there is no [upstreams.{upstream}]");
        }
        // Two agents would take each other's nonces for their own.
        if let Some(other) = owners.insert(upstream, agent) {
            bail!("{key}.upstream is {upstream:?}, which is the wallet of {other} already: an AgentKit's wallet belongs to one agent");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
