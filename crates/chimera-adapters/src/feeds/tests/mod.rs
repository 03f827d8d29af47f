//! Feeds by table, over HTTP servers that misbehave on demand, and through the MCP server itself.

mod fetching;
mod parsing;
mod samples;
mod serving;
mod wild;
