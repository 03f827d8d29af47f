//! What Chimera does: contracts, policy, perception, skills and the swarm. Names no database, chain client, vendor or protocol.

pub mod composer;
pub mod contracts;
pub mod domain;
pub mod perception;
pub mod policy;
pub mod ports;
pub mod skills;
pub mod swarm;
#[cfg(feature = "testing")]
pub mod testing;
