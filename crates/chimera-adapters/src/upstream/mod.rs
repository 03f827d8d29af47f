//! The MCP host: the client side that reads resources and calls tools on upstream servers, over stdio and HTTP.
//! Implements the core's `Resources`, `Tools` and `MediaFiles` ports; depends on nothing else of ours.

mod catalog;
mod child;
mod config;
mod connection;
mod host;
mod http;
mod mcp_servers_json;
mod media_files;
mod output_guard;
mod reasons;
mod supervisor;
mod tool_listing;

pub use config::{UpstreamConfig, UpstreamConfigError, UpstreamTransport};
pub use host::{Host, HostError, HostLimits, UpstreamState, UpstreamStatus};
pub use mcp_servers_json::{McpServersJsonError, parse_mcp_servers_json};

#[cfg(test)]
mod tests;
