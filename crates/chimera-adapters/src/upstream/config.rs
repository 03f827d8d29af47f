//! Which upstream servers there are, and how each is reached.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamConfig {
    /// `mcp://{name}/…` and the configuration of tools speak of it by this name.
    pub name: String,
    pub transport: UpstreamTransport,
    /// URI schemes to route here; `None` means those of the resources and templates that the server lists.
    pub schemes: Option<Vec<String>>,
}

#[derive(Clone, PartialEq, Eq)]
pub enum UpstreamTransport {
    /// A child process that speaks MCP over its standard input and output. `env` is its whole environment.
    Command {
        program: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<PathBuf>,
    },
    Http {
        url: String,
        headers: BTreeMap<String, String>,
    },
}

/// Values of `env` and `headers` are credentials more often than not.
impl std::fmt::Debug for UpstreamTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Command { program, args, env, cwd } => {
                let env: Vec<_> = env.keys().collect();
                f.debug_struct("Command").field("program", program).field("args", args).field("env", &env).field("cwd", cwd).finish()
            }
            Self::Http { url, headers } => {
                let headers: Vec<_> = headers.keys().collect();
                f.debug_struct("Http").field("url", &super::reasons::scrubbed(url)).field("headers", &headers).finish()
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamConfigError {
    #[error("an upstream server's name is {name:?}; use letters, digits, '-', '_' and '.'")]
    BadName { name: String },
    #[error("two upstream servers are named {name:?}")]
    Twice { name: String },
    #[error("upstream server {name:?} has no command and no url; give it one of them")]
    NoTransport { name: String },
    #[error("upstream server {name:?} has the url {url:?}; it must be http:// or https:// with a host")]
    BadUrl { name: String, url: String },
    #[error("upstream server {name:?} lists the header {header:?}, which HTTP cannot carry")]
    BadHeader { name: String, header: String },
    #[error("upstream server {name:?} lists the environment variable {variable:?}, which no process can have")]
    BadVariable { name: String, variable: String },
    #[error("upstream server {name:?} lists {variable:?}: Chimera's own secrets never go to an upstream server; remove it")]
    SecretVariable { name: String, variable: String },
    #[error("upstream server {name:?} lists the scheme {scheme:?}; write it as in \"news\", without \"://\"")]
    BadScheme { name: String, scheme: String },
}

impl UpstreamConfig {
    /// Checks all of them, so that nothing starts when one is wrong.
    pub fn check_all(all: &[Self]) -> Result<(), UpstreamConfigError> {
        let mut names = std::collections::HashSet::new();
        for one in all {
            one.check()?;
            if !names.insert(one.name.to_ascii_lowercase()) {
                return Err(UpstreamConfigError::Twice { name: one.name.clone() });
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), UpstreamConfigError> {
        let name = self.name.clone();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            return Err(UpstreamConfigError::BadName { name });
        }
        for scheme in self.schemes.iter().flatten() {
            let fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
                && !scheme.eq_ignore_ascii_case("mcp");
            if !fits {
                return Err(UpstreamConfigError::BadScheme { name, scheme: scheme.clone() });
            }
        }
        match &self.transport {
            UpstreamTransport::Command { program, env, .. } => {
                if program.is_empty() {
                    return Err(UpstreamConfigError::NoTransport { name });
                }
                env.keys().try_for_each(|variable| check_variable(&self.name, variable))
            }
            UpstreamTransport::Http { url, headers } => {
                let fits = url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
                if !fits {
                    return Err(UpstreamConfigError::BadUrl { name, url: super::reasons::scrubbed(url) });
                }
                headers.iter().try_for_each(|(header, value)| check_header(&self.name, header, value))
            }
        }
    }
}

fn check_variable(name: &str, variable: &str) -> Result<(), UpstreamConfigError> {
    let (name, variable) = (name.to_owned(), variable.to_owned());
    if variable.is_empty() || variable.contains(['=', '\0']) {
        return Err(UpstreamConfigError::BadVariable { name, variable });
    }
    // Settings have a double underscore in their name; what has none is a secret.
    if variable.starts_with("CHIMERA_") && !variable.contains("__") {
        return Err(UpstreamConfigError::SecretVariable { name, variable });
    }
    Ok(())
}

fn check_header(name: &str, header: &str, value: &str) -> Result<(), UpstreamConfigError> {
    use reqwest::header::{HeaderName, HeaderValue};
    // These belong to the protocol; a value of ours would break the session.
    let reserved = ["accept", "content-type", "content-length", "host", "mcp-session-id", "mcp-protocol-version", "last-event-id"];
    let fits = header.parse::<HeaderName>().is_ok() && value.parse::<HeaderValue>().is_ok();
    if fits && !reserved.contains(&header.to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    Err(UpstreamConfigError::BadHeader { name: name.to_owned(), header: header.to_owned() })
}
