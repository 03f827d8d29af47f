//! The program: commands, configuration, wiring and the MCP server. A library so that its tests and benches can reach it.

pub mod cli;
mod clock;
pub mod commands;
pub mod config;
mod data_folder;
pub mod mcp;
mod metrics;
pub mod mission_control;
pub mod output;
mod project;
mod shutdown;
pub mod telemetry;
mod terminal;
pub mod trends;
pub mod wiring;

/// Of the program, and of the tests and benches that link it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
