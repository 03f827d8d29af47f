//! The upstream MCP servers of the configuration.

use crate::config::{Settings, file::UpstreamSection};
use anyhow::{Context, Result};
use chimera_adapters::upstream::{Host, HostLimits, UpstreamConfig, UpstreamTransport, parse_mcp_servers_json};
use std::{collections::BTreeMap, fs, path::Path};

/// As the first word of a command: this very program.
const OURSELVES: &str = "chimera";

pub fn host(settings: &Settings) -> Result<Host> {
    let mut upstreams = Vec::new();
    for (name, section) in &settings.file.upstreams {
        upstreams.push(UpstreamConfig { name: name.clone(), transport: transport(settings, section)?, schemes: section.schemes.clone() });
    }
    if let Some(file) = &settings.file.upstreams_file {
        let path = settings.resolve(file);
        let text = fs::read_to_string(&path).with_context(|| format!("upstreams_file {}", path.display()))?;
        upstreams.extend(parse_mcp_servers_json(&text).with_context(|| format!("upstreams_file {}", path.display()))?);
    }
    let search_path = settings.environment.get("PATH").map(Into::into);
    Ok(Host::start(upstreams, search_path, HostLimits::default())?)
}

fn transport(settings: &Settings, section: &UpstreamSection) -> Result<UpstreamTransport> {
    let Some((program, args)) = section.command.split_first() else {
        let url = section.url.clone().unwrap_or_default();
        return Ok(UpstreamTransport::Http { url, headers: BTreeMap::new() });
    };
    let mut args = args.to_vec();
    let program = if program == OURSELVES {
        if let Some(config) = &settings.config_path {
            args.extend(["--config".to_owned(), absolute(config)?]);
        }
        let executable = std::env::current_exe().context("cannot find this program's own file")?;
        executable.to_str().context("this program's own path is not text")?.to_owned()
    } else {
        program.clone()
    };
    Ok(UpstreamTransport::Command { program, args, env: section.env.clone(), cwd: Some(settings.base_dir.clone()) })
}

fn absolute(path: &Path) -> Result<String> {
    let path = std::path::absolute(path)?;
    path.to_str().map(str::to_owned).with_context(|| format!("{} is not text", path.display()))
}
