//! The calendar: what was to be posted on a day that was named becomes a task when that day comes, once.

use super::{
    planner::{
        self,
        media::{self, Costs},
    },
    replying::{BACKGROUND_MAX, mentions_on},
    runtime::Swarm,
};
use crate::{
    contracts::task::{AgentTask, Priority, TaskType},
    domain::{
        Soul,
        campaign::{Budget, CampaignStatus, MediaLeft, Reach},
    },
    ports::{
        StoreError,
        swarm::{CalendarEntry, CampaignState, EnqueueError, EntryStatus},
    },
};
use chrono::{DateTime, TimeDelta, Utc};

const ENTRIES_PER_PASS_MAX: usize = 64;

impl Swarm {
    /// Answers how many entries were planned or missed.
    pub(super) async fn keep_calendar(&self) -> Result<usize, StoreError> {
        let now = self.ports.clock.now();
        let due = self.ports.calendar.due(now, now - self.settings.calendar_grace, ENTRIES_PER_PASS_MAX).await?;
        let mut settled = 0;
        for entry in &due {
            let status = match self.keep_date(entry, now).await {
                Ok(status) => status,
                // The campaign has just changed: the entry still waits, and is looked at again.
                Err(EnqueueError::StateMoved { .. }) => continue,
                Err(EnqueueError::Store(error)) => return Err(error),
            };
            let CalendarEntry { entry_id, campaign_id, at, .. } = entry;
            match self.ports.calendar.settle(entry, &status).await? {
                EntryStatus::Missed { reason } => {
                    tracing::warn!(goal.id = campaign_id, "campaign {campaign_id}: the entry {entry_id} for {at} is missed: {reason}");
                }
                status => {
                    tracing::info!(goal.id = campaign_id, "campaign {campaign_id}: the entry {entry_id} for {at} is {}", status.name())
                }
            }
            settled += 1;
        }
        Ok(settled)
    }

    /// What becomes of an entry whose time has come.
    async fn keep_date(&self, entry: &CalendarEntry, now: DateTime<Utc>) -> Result<EntryStatus, EnqueueError> {
        let missed = |reason: String| Ok(EntryStatus::Missed { reason });
        let Some(campaign) = self.ports.campaigns.find(&entry.campaign_id).await? else {
            return missed("there is no such campaign".to_owned());
        };
        if let Some(reason) = too_late(entry, campaign.status, self.settings.calendar_grace, now) {
            return missed(reason);
        }
        if let Some(reason) = self.posts_gone(&entry.campaign_id).await? {
            return missed(reason);
        }
        let souls = self.souls(&campaign).await?;
        let sources = self.sources_of(entry, &campaign).await?;
        let left = self.media_left(&campaign).await?;
        let terms = Dated { costs: &self.settings.costs, left, now };
        match task_of(entry, &campaign, &souls, sources, &terms) {
            Ok(task) => {
                self.ports.tasks.enqueue(&[self.weighed(&campaign, task)]).await?;
                Ok(EntryStatus::Planned)
            }
            Err(reason) => missed(reason),
        }
    }

    async fn media_left(&self, campaign: &CampaignState) -> Result<MediaLeft, StoreError> {
        // A budget that cannot be read was refused when the campaign was created.
        let budget = Budget::of(&campaign.goal.budget_constraints).unwrap_or_default();
        Ok(budget.media_left(&self.ports.campaigns.used(&campaign.goal.campaign_id).await?))
    }

    /// What the entry names. One that says nothing of its own tells what the campaign last found out, or watches.
    async fn sources_of(&self, entry: &CalendarEntry, campaign: &CampaignState) -> Result<Vec<String>, StoreError> {
        if !entry.resource_uris.is_empty() || entry.about.is_some() {
            return Ok(entry.resource_uris.clone());
        }
        self.sources_now(campaign).await
    }

    /// What the campaign last found out, or else watches.
    pub(super) async fn sources_now(&self, campaign: &CampaignState) -> Result<Vec<String>, StoreError> {
        let found = self.background(campaign).await?;
        if !found.is_empty() {
            return Ok(found);
        }
        let looked_at = if campaign.resource_uris.is_empty() { &self.settings.resource_uris } else { &campaign.resource_uris };
        Ok(looked_at.iter().filter(|uri| mentions_on(uri).is_none()).take(BACKGROUND_MAX).cloned().collect())
    }
}

/// What a dated task is made by.
struct Dated<'a> {
    costs: &'a Costs,
    left: MediaLeft,
    now: DateTime<Utc>,
}

/// Why an entry is no longer worth planning.
fn too_late(entry: &CalendarEntry, status: CampaignStatus, grace: TimeDelta, now: DateTime<Utc>) -> Option<String> {
    let late = now - entry.at;
    (late > grace).then(|| {
        let (late, grace, status) = (late.num_seconds(), grace.num_seconds(), status.name());
        format!("it was first looked at {late} s after its time, and {grace} s are allowed; the campaign is {status}")
    })
}

/// The entry's task, or why there is none.
fn task_of(
    entry: &CalendarEntry,
    campaign: &CampaignState,
    souls: &[Soul],
    sources: Vec<String>,
    dated: &Dated<'_>,
) -> Result<AgentTask, String> {
    let is_wanted = |soul: &&Soul| {
        entry.agent.as_ref().is_none_or(|agent| soul.id == *agent)
            && entry.platform.is_none_or(|platform| soul.platforms.contains(&platform))
    };
    let soul = souls.iter().find(is_wanted).ok_or("no agent of the campaign is who and where the entry wants it to be")?;
    // A reach that cannot be read was refused when the campaign was created.
    let reach = Reach::of(&campaign.goal.budget_constraints).map_err(|error| error.to_string())?;
    let first = || reach.of_soul(soul).next();
    let platform = entry.platform.or_else(first).ok_or_else(|| format!("{} is on none of the campaign's platforms", soul.id))?;
    if !media::is_taken(platform, entry.content_type) {
        return Err(format!("{platform} does not take it"));
    }
    let mut task = planner::new_task(campaign, soul, entry.task_id(), TaskType::GenerateContent, dated.now);
    // A date that was promised comes before what merely could be said.
    task.priority = Priority::High;
    let chosen = media::afford(entry.content_type, task.priority, dated.costs, &dated.left)?;
    if let Some(about) = &entry.about {
        task.context.goal_description.clone_from(about);
    }
    task.context.required_resources = sources;
    let mut criteria = planner::text_on(platform.name());
    criteria.content_type = entry.content_type;
    criteria.video_tier = chosen.video_tier;
    task.acceptance_criteria = Some(criteria);
    Ok(task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        contracts::{UuidV4, content_generator::ContentType},
        domain::Platform,
        swarm::samples::{campaign, soul},
    };

    fn entry() -> CalendarEntry {
        CalendarEntry {
            entry_id: UuidV4::random(),
            campaign_id: "spring".to_owned(),
            at: DateTime::UNIX_EPOCH,
            about: None,
            agent: None,
            platform: None,
            content_type: ContentType::Text,
            resource_uris: Vec::new(),
        }
    }

    fn planned(entry: &CalendarEntry) -> Result<AgentTask, String> {
        let souls = [soul("selam", "mastodon, bluesky"), soul("tariku", "bluesky, twitter")];
        let dated = Dated { costs: &Costs::default(), left: MediaLeft::default(), now: DateTime::UNIX_EPOCH };
        task_of(entry, &campaign(), &souls, vec!["news://global/food/latest".to_owned()], &dated)
    }

    #[test]
    fn an_entry_becomes_an_urgent_task_of_who_it_names_or_of_the_first_on_its_platform() {
        let of = |agent: Option<&str>, platform: Option<Platform>| {
            let task = planned(&CalendarEntry { agent: agent.map(|id| id.parse().unwrap()), platform, ..entry() }).unwrap();
            (task.context.agent_id, task.acceptance_criteria.unwrap().platform)
        };
        let expected = |agent: &str, platform: &str| (agent.to_owned(), platform.to_owned());
        assert_eq!(of(None, None), expected("selam", "mastodon"));
        assert_eq!(of(Some("tariku"), None), expected("tariku", "bluesky"));
        assert_eq!(of(None, Some(Platform::Twitter)), expected("tariku", "twitter"));
        assert_eq!(of(Some("selam"), Some(Platform::Bluesky)), expected("selam", "bluesky"));

        let entry = CalendarEntry { about: Some("The open day".to_owned()), content_type: ContentType::Video, ..entry() };
        let task = planned(&entry).unwrap();
        assert_eq!((task.task_id, task.priority, task.state_version), (entry.task_id(), Priority::High, 3));
        assert_eq!(task.context.goal_description, "The open day");
        assert_eq!(task.acceptance_criteria.unwrap().video_tier, Some(crate::contracts::content_generator::VideoTier::Daily));
        assert_eq!(planned(&entry).unwrap().task_id, task.task_id, "planning it again is planning the same");
    }

    #[test]
    fn what_nobody_can_post_is_told() {
        let nowhere = CalendarEntry { platform: Some(Platform::Tiktok), ..entry() };
        let elsewhere = CalendarEntry { agent: Some("tariku".parse().unwrap()), platform: Some(Platform::Mastodon), ..entry() };
        let untaken = CalendarEntry { platform: Some(Platform::Twitter), content_type: ContentType::Image, ..entry() };
        for (entry, part) in [(nowhere, "no agent"), (elsewhere, "no agent"), (untaken, "twitter does not take it")] {
            let reason = planned(&entry).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }
    }

    #[test]
    fn an_entry_is_worth_planning_until_its_grace_is_over() {
        let grace = TimeDelta::seconds(60);
        let late = |seconds| too_late(&entry(), CampaignStatus::Paused, grace, DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds));
        assert_eq!((late(0), late(60)), (None, None));
        let reason = late(61).unwrap();
        assert!(reason.contains("61 s after") && reason.contains("60 s are allowed") && reason.contains("paused"), "{reason}");
    }
}
