//! Fakes with state, and one suite per port that every implementation must pass. Only with the feature `testing`.

pub mod fake_access;
pub mod fake_agents;
pub mod fake_assets;
pub mod fake_chain;
pub mod fake_clock;
pub mod fake_embedder;
pub mod fake_held_answers;
pub mod fake_memories;
pub mod fake_model_budget;
pub mod fake_perception;
pub mod fake_recorded;
pub mod fake_resources;
pub mod fake_signer;
pub mod fake_text_model;
pub mod fake_transfers;
pub mod mortal;
pub mod stories;
pub mod suites;
