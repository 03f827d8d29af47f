//! One suite per port: the contract that its docs explain.

#![expect(clippy::unwrap_used, reason = "a suite is a test, and fails by panicking")]

pub mod access;
pub mod agent_lives;
pub mod agents;
pub mod assets;
pub mod backlog;
pub mod calendar;
pub mod campaigns;
pub mod claims;
pub mod confidence;
pub mod engagement;
pub mod events;
pub mod held_answers;
pub mod idempotency;
pub mod judgements;
pub mod ledger;
pub mod memories;
pub mod mentions;
pub mod model_budget;
pub mod outbox;
pub mod perception;
pub mod plans;
pub mod queries;
pub mod readings;
pub mod reviews;
mod samples;
pub mod tasks;
pub mod transfers;
pub mod unknown_posts;
