//! The MCP server: the skills as tools, the records as resources, and three prompts, over stdio, HTTP and memory, in every
//! protocol revision from 2024-11-05 to 2026-07-28. The only place that serves MCP. Depends on the core,
//! and on mission control for its mark on the answers to those it knows.

mod assets;
mod changes;
mod client;
mod connections;
mod errors;
mod gate;
mod http;
mod progress;
mod prompts;
mod resource_uri;
mod resources;
mod server;
mod stdio;
mod strangers;
mod tools;

pub use assets::assets_router;
pub use client::McpSkillCaller;
pub use connections::serve_http;
pub use gate::{Gate, HttpOptions, refusal_without};
pub use http::{http_router, http_routes};
pub use resources::SurfaceData;
pub(crate) use resources::post;
pub use server::ChimeraServer;
pub use stdio::{serve_lines, serve_stdio};
