//! What the roles need to act among people: their mentions, their reactions, and the pictures that go with a post.

use crate::ports::{
    assets::Assets,
    memories::Memories,
    resources::Resources,
    screen::Screen,
    swarm::{Engagements, Mentions},
};
use chrono::TimeDelta;
use std::{sync::Arc, time::Duration};

pub struct ActingPorts {
    pub resources: Arc<dyn Resources>,
    pub screen: Arc<dyn Screen>,
    pub mentions: Arc<dyn Mentions>,
    pub engagements: Arc<dyn Engagements>,
    pub memories: Arc<dyn Memories>,
    pub assets: Arc<dyn Assets>,
}

#[derive(Debug, Clone)]
pub struct ActingSettings {
    /// Where mentions are read, besides those that a campaign itself watches.
    pub mention_uris: Vec<String>,
    /// How often those are read.
    pub mentions_every: Duration,
    /// How long after publishing a post's engagement is read, first and last.
    pub engagement_after: [TimeDelta; 2],
}
