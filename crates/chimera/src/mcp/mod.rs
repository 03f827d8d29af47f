//! The MCP server: the skills as tools, the records as resources, and three prompts, over stdio, HTTP and memory, in every
//! protocol revision from 2024-11-05 to 2026-07-28. The only place that serves MCP. Depends on the core alone.

mod assets;
mod changes;
mod client;
mod errors;
mod http;
mod progress;
mod prompts;
mod resource_uri;
mod resources;
mod server;
mod stdio;
mod tools;

pub use assets::assets_router;
pub use client::McpSkillCaller;
pub use http::{HttpOptions, http_router, http_routes, may_read, serve_http};
pub use resources::SurfaceData;
pub(crate) use resources::post;
pub use server::ChimeraServer;
pub use stdio::{serve_lines, serve_stdio};
