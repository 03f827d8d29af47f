//! Planner, Worker and Judge. They reach the world only through the skills, over MCP; nothing leaves without a Judge's decision on record.
//! The Planner decides and queues, a Worker executes one task and keeps no state, only a Judge approves. Depends on `policy`, `ports` and below.

pub mod acting;
pub mod agreement;
mod calendar;
mod engagement;
pub mod estimate;
pub mod fleet_then;
pub mod judge;
mod listening;
pub mod people;
pub mod perceiving;
pub mod planner;
pub mod publisher;
pub mod replying;
pub mod round;
pub mod runtime;
#[cfg(test)]
mod samples;
pub mod spans;
pub mod stuck;
pub mod task_story;
pub mod what_if;
pub mod worker;
