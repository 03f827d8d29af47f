//! The outside world behind Chimera's ports: a folder per port, a file per technology. Adapters never import each other.

pub mod chain;
pub mod embedder;
pub mod feeds;
pub mod http_client;
pub mod keystore;
mod locking;
pub mod model;
mod network_guard;
pub mod social;
mod stdio_server;
pub mod store;
pub mod trace_sink;
mod transaction;
pub mod upstream;
pub mod wallet;
