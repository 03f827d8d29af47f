//! What the core needs from outside, one trait for each thing. Every port says what its implementations must hold to,
//! and has one suite in `testing::suites` that runs against the fake and every real backend. Depends on `domain` and `contracts`.

pub mod access;
pub mod agent_lives;
pub mod agents;
pub mod assets;
pub mod books;
pub mod chain;
pub mod chain_directory;
pub mod claim_reader;
pub mod clock;
pub mod content_check;
pub mod embedder;
pub mod events;
pub mod feed_parser;
pub mod grants;
pub mod held_answers;
pub mod kill_switch;
pub mod ledger;
pub mod media;
pub mod memories;
pub mod model_budget;
pub mod paid_call;
pub mod perception;
pub mod queries;
pub mod readings;
pub mod recorded;
pub mod resources;
pub mod screen;
pub mod sending_wallet;
pub mod signer;
pub mod skill_caller;
pub mod store_error;
pub mod swarm;
pub mod text_model;
pub mod tools;
pub mod trace_sink;
pub mod transfers;
pub mod wallet_book;
#[cfg(any(debug_assertions, feature = "testing"))]
pub mod watched;

pub use store_error::StoreError;
