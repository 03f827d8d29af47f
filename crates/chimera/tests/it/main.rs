//! One integration binary: what strangers can do to Chimera from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod anvil;
mod bad_input;
mod bad_upstreams;
mod conformance;
mod demo;
mod fakes;
mod ledger;
mod mcp_http;
mod mcp_inspector;
mod mcp_memory;
mod mcp_peers;
mod mcp_records;
mod mcp_stdio;
mod parsers;
mod peers;
mod program;
mod properties;
mod seed_examples;
mod wallet_anvil;
mod wallet_races;
mod wallet_stage;
