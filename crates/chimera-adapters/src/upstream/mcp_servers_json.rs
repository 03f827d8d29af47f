//! The usual `mcpServers` file that desktop hosts and editors share.

use super::config::{UpstreamConfig, UpstreamConfigError, UpstreamTransport};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum McpServersJsonError {
    #[error("not a file in the mcpServers form: {0}")]
    Form(#[from] serde_json::Error),
    #[error("upstream server {name:?} has both a command and a url; it can be reached in one way only")]
    TwoTransports { name: String },
    #[error("upstream server {name:?} is of the type {given:?}, but has {has}; known are \"stdio\" with a command, \"http\" with a url")]
    TypeMismatch { name: String, given: String, has: &'static str },
    #[error("upstream server {name:?} lists {field:?}, which only a server with a {belongs_to} has")]
    Misplaced { name: String, field: &'static str, belongs_to: &'static str },
    #[error(transparent)]
    Config(#[from] UpstreamConfigError),
}

/// `{"mcpServers": {"name": {"command": …, "args": […], "env": {…}} | {"url": …, "headers": {…}}}}`; sorted by name.
/// Unknown fields are errors: a misspelt `env` must not start a server without its key.
pub fn parse_mcp_servers_json(text: &str) -> Result<Vec<UpstreamConfig>, McpServersJsonError> {
    let file: File = serde_json::from_str(text)?;
    let mut found = Vec::with_capacity(file.mcp_servers.len());
    for (name, entry) in file.mcp_servers {
        if entry.disabled {
            continue;
        }
        let schemes = entry.schemes.clone();
        found.push(UpstreamConfig { transport: transport(&name, entry)?, name, schemes });
    }
    UpstreamConfig::check_all(&found)?;
    Ok(found)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "mcpServers")]
    mcp_servers: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    kind: Option<String>,
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    headers: Option<BTreeMap<String, String>>,
    schemes: Option<Vec<String>>,
    #[serde(default)]
    disabled: bool,
}

fn transport(name: &str, entry: Entry) -> Result<UpstreamTransport, McpServersJsonError> {
    let owned = || name.to_owned();
    let misplaced = |field, belongs_to| McpServersJsonError::Misplaced { name: owned(), field, belongs_to };
    let check_kind = |known: &[&str], has| match &entry.kind {
        Some(given) if !known.contains(&given.as_str()) => {
            Err(McpServersJsonError::TypeMismatch { name: owned(), given: given.clone(), has })
        }
        _ => Ok(()),
    };
    match (entry.command, entry.url) {
        (Some(_), Some(_)) => Err(McpServersJsonError::TwoTransports { name: owned() }),
        (None, None) => Err(UpstreamConfigError::NoTransport { name: owned() }.into()),
        (Some(program), None) => {
            check_kind(&["stdio"], "a command")?;
            if entry.headers.is_some() {
                return Err(misplaced("headers", "url"));
            }
            let (args, env) = (entry.args.unwrap_or_default(), entry.env.unwrap_or_default());
            Ok(UpstreamTransport::Command { program, args, env, cwd: entry.cwd })
        }
        (None, Some(url)) => {
            check_kind(&["http", "streamable-http", "streamableHttp"], "a url")?;
            let belongs_to_command = [("args", entry.args.is_some()), ("env", entry.env.is_some()), ("cwd", entry.cwd.is_some())];
            if let Some((field, _)) = belongs_to_command.into_iter().find(|(_, given)| *given) {
                return Err(misplaced(field, "command"));
            }
            Ok(UpstreamTransport::Http { url, headers: entry.headers.unwrap_or_default() })
        }
    }
}
