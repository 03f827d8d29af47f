//! Whether somebody said something to us, looked at far more often than the world: people wait for an answer.
//!
//! Only an answer with posts that were not in the last one is given to the campaigns; the Planner's pass reads mentions too, so a failure
//! here costs time and no mention.

use super::{
    replying::{heard_posts, mentions_on},
    runtime::Swarm,
};
use crate::{
    domain::{Platform, campaign::CampaignStatus},
    ports::{StoreError, swarm::CampaignState},
};
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio_util::sync::CancellationToken;

/// Campaigns that watch mentions of their own are looked for this often.
const CAMPAIGNS_EVERY: TimeDelta = TimeDelta::seconds(30);
/// X counts and charges what is read.
const X_EVERY: TimeDelta = TimeDelta::seconds(60);
/// A platform that fails is asked again after twice as long each time, up to this.
const AFTER_FAILURES_MAX: TimeDelta = TimeDelta::minutes(5);
const FAILURES_MAX: u32 = 16;
const CAMPAIGNS_AT_ONCE: usize = 16;

/// One list of mentions.
#[derive(Debug, Default)]
struct Heard {
    not_before: DateTime<Utc>,
    failures: u32,
    posts: BTreeSet<String>,
}

/// Every list that is listened to, and what it last held.
#[derive(Debug, Default)]
pub(super) struct Ears {
    lists: BTreeMap<String, Heard>,
    campaigns_not_before: DateTime<Utc>,
}

impl Swarm {
    pub(super) async fn keep_listening(self: Arc<Self>, stop: CancellationToken) {
        let mut ears = Ears::default();
        while stop.run_until_cancelled(tokio::time::sleep(self.settings.acting.mentions_every)).await.is_some() {
            if let Err(error) = self.listen(&mut ears).await {
                tracing::error!("mentions cannot be answered: {error}");
            }
        }
    }

    /// One look at every list whose time has come.
    pub(super) async fn listen(&self, ears: &mut Ears) -> Result<(), StoreError> {
        let now = self.ports.clock.now();
        if now >= ears.campaigns_not_before {
            let named: BTreeSet<String> = self.running().await?.into_iter().flat_map(|campaign| campaign.resource_uris).collect();
            let wanted = named.into_iter().chain(self.settings.acting.mention_uris.iter().cloned());
            let wanted: BTreeSet<String> = wanted.filter(|uri| mentions_on(uri).is_some()).collect();
            ears.lists.retain(|uri, _| wanted.contains(uri));
            for uri in wanted {
                ears.lists.entry(uri).or_default();
            }
            ears.campaigns_not_before = now + CAMPAIGNS_EVERY;
        }
        let due = ears.lists.iter_mut().filter(|(_, list)| now >= list.not_before);
        let read = due.map(|(uri, list)| async move { self.hears_something_new(uri, list, now).await });
        if join_all(read).await.contains(&true) {
            for campaigns in self.running().await?.chunks(CAMPAIGNS_AT_ONCE) {
                join_all(campaigns.iter().map(|campaign| self.answer_mentions(campaign))).await;
            }
            self.bells.workers.notify_one();
        }
        Ok(())
    }

    async fn running(&self) -> Result<Vec<CampaignState>, StoreError> {
        let campaigns = self.ports.campaigns.list().await?;
        Ok(campaigns.into_iter().filter(|campaign| campaign.status == CampaignStatus::Running).collect())
    }

    async fn hears_something_new(&self, uri: &str, list: &mut Heard, now: DateTime<Utc>) -> bool {
        let every = TimeDelta::from_std(self.settings.acting.mentions_every).unwrap_or(AFTER_FAILURES_MAX);
        let every = if mentions_on(uri) == Some(Platform::Twitter) { every.max(X_EVERY) } else { every };
        match self.read_mentions_anew(uri, now).await {
            Ok(parts) => {
                let posts = heard_posts(&parts);
                let is_new = posts.iter().any(|post| !list.posts.contains(post));
                *list = Heard { not_before: now + every, failures: 0, posts };
                is_new
            }
            Err(error) => {
                list.failures = (list.failures + 1).min(FAILURES_MAX);
                let pause = every.checked_mul(1 << list.failures).unwrap_or(AFTER_FAILURES_MAX).min(AFTER_FAILURES_MAX);
                list.not_before = now + pause;
                tracing::info!("{error}; asked again in {} s", pause.num_seconds());
                false
            }
        }
    }
}
