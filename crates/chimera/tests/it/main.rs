//! One integration binary: what strangers can do to Chimera from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod agentkit;
mod anvil;
mod bad_input;
mod bad_upstreams;
mod books;
mod conformance;
mod crash;
mod demo;
mod eval;
mod fakes;
mod fault_proxy;
mod full_disk;
mod keys;
mod keys_cast;
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
mod secrets;
mod seed_examples;
mod wallet_anvil;
mod wallet_nodes;
mod wallet_people;
mod wallet_races;
mod wallet_stage;
mod wallet_stuck;
