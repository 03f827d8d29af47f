//! `chimera campaign schedule` and `unschedule`: what is posted on a day that is named before.

use super::{super::Context, find};
use crate::{
    cli::{ContentTypeFlag, ScheduleFlags},
    wiring::Records,
};
use anyhow::{Context as _, Result, bail};
use chimera_core::{
    contracts::{UtcTime, UuidV4, content_generator::ContentType},
    domain::{Platform, Soul, hidden::visible_line},
    ports::swarm::{Calendar, CalendarEntry, CampaignState, EntryStatus},
    swarm::{planner::media, publisher::QuietHours},
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub(super) async fn schedule(context: &Context, records: &Records, flags: ScheduleFlags) -> Result<()> {
    let campaign = find(records, &flags.id).await?;
    let at = flags.at.0;
    if at < records.clock.now() {
        bail!("{} is past; name a time to come", flags.at);
    }
    for uri in &flags.source {
        uri.parse::<url::Url>()
            .with_context(|| format!("--source {uri:?} is not an absolute URI, such as news://global/technology/latest"))?;
    }
    let content_type = content_type(flags.content_type);
    let platform = platform_of(records, &campaign, &flags).await?;
    if !media::is_taken(platform, content_type) {
        bail!("{platform} takes no {}; leave --content-type out", word(content_type));
    }
    let entry = CalendarEntry {
        entry_id: UuidV4::random(),
        campaign_id: campaign.goal.campaign_id,
        at,
        about: flags.about.map(|about| about.trim().to_owned()).filter(|about| !about.is_empty()),
        agent: flags.agent.map(|id| id.parse()).transpose()?,
        platform: flags.platform,
        content_type,
        resource_uris: flags.source,
    };
    records.store.add(&entry).await?;
    let mut shown = self::entry(&entry, &EntryStatus::Waiting);
    let quiet_until = quiet_until(context, platform, at)?;
    if let Some(until) = quiet_until {
        shown["quiet_until"] = json!(UtcTime(until));
    }
    context.output.show(&shown, |out| {
        let mut lines = vec![format!("{} is on the calendar", out.bold(&line(&entry, &EntryStatus::Waiting)))];
        lines.extend(quiet_until.map(|until| format!("  {platform} is quiet then: the post leaves at {}", UtcTime(until))));
        lines.join("\n")
    })?;
    Ok(())
}

pub(super) async fn unschedule(context: &Context, records: &Records, campaign_id: &str, entry_id: &str) -> Result<()> {
    let entries = Calendar::of_campaign(&records.store, &find(records, campaign_id).await?.goal.campaign_id).await?;
    let Some((entry, _)) = entries.iter().find(|(entry, _)| entry.entry_id.to_string() == entry_id) else {
        bail!("there is no entry {entry_id} on the calendar of campaign {campaign_id}; `chimera campaign show {campaign_id}` lists them");
    };
    let status = records.store.settle(entry, &EntryStatus::Removed).await?;
    if status != EntryStatus::Removed {
        bail!("entry {entry_id} is {} and cannot be taken off the calendar", status.name());
    }
    context.output.show(&self::entry(entry, &status), |_| format!("entry {entry_id} is off the calendar"))?;
    Ok(())
}

/// Where it would be posted; refused where nobody of the campaign is.
async fn platform_of(records: &Records, campaign: &CampaignState, flags: &ScheduleFlags) -> Result<Platform> {
    let id = &campaign.goal.campaign_id;
    if let Some(agent) = flags.agent.as_ref().filter(|agent| !campaign.goal.agent_ids.contains(agent)) {
        bail!("{agent} is no agent of campaign {id}; it has {}", campaign.goal.agent_ids.join(", "));
    }
    for agent in campaign.goal.agent_ids.iter().filter(|id| flags.agent.as_ref().is_none_or(|wanted| wanted == *id)) {
        let soul = Soul::parse(&records.agent(agent).await?.soul_source)?;
        match flags.platform {
            None => return soul.platforms.first().copied().with_context(|| format!("{agent} is on no platform; name some in its SOUL")),
            Some(platform) if soul.platforms.contains(&platform) => return Ok(platform),
            Some(_) => {}
        }
    }
    let who = flags.agent.clone().unwrap_or_else(|| format!("no agent of campaign {id}"));
    match (flags.platform, &flags.agent) {
        (Some(platform), Some(_)) => bail!("{who} is not on {platform}; see `chimera agent show {who}`"),
        (Some(platform), None) => bail!("{who} is on {platform}"),
        (None, _) => bail!("campaign {id} has no agents"),
    }
}

/// When the platform's quiet hours end, where it has them at that time.
fn quiet_until(context: &Context, platform: Platform, at: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let hours = context.settings.file.publish.get(platform.name()).and_then(|section| section.quiet_hours.as_ref());
    let hours: Option<QuietHours> =
        hours.map(|hours| hours.parse()).transpose().with_context(|| format!("publish.{platform}.quiet_hours"))?;
    Ok(hours.and_then(|hours| hours.ends_after(at)))
}

fn content_type(flag: ContentTypeFlag) -> ContentType {
    match flag {
        ContentTypeFlag::Text => ContentType::Text,
        ContentTypeFlag::Image => ContentType::Image,
        ContentTypeFlag::Video => ContentType::Video,
    }
}

fn word(content_type: ContentType) -> &'static str {
    match content_type {
        ContentType::Text => "text",
        ContentType::Image => "image",
        ContentType::Video => "video",
    }
}

pub(super) fn entry(entry: &CalendarEntry, status: &EntryStatus) -> Value {
    let mut shown = json!({
        "entry_id": entry.entry_id,
        "at": UtcTime(entry.at),
        "content_type": entry.content_type,
        "status": status.name(),
    });
    let agent = entry.agent.as_ref().map(ToString::to_string);
    let platform = entry.platform.map(|platform| platform.name().to_owned());
    let facts =
        [("about", entry.about.clone()), ("agent_id", agent), ("platform", platform), ("reason", status.reason().map(str::to_owned))];
    for (name, value) in facts {
        if let Some(value) = value {
            shown[name] = json!(value);
        }
    }
    if !entry.resource_uris.is_empty() {
        shown["resource_uris"] = json!(entry.resource_uris);
    }
    if *status == EntryStatus::Planned {
        shown["task_id"] = json!(entry.task_id());
    }
    shown
}

pub(super) fn line(entry: &CalendarEntry, status: &EntryStatus) -> String {
    let about = entry.about.as_ref().map(|about| format!(": {}", visible_line(about))).unwrap_or_default();
    let why = status.reason().map(|reason| format!(" ({})", visible_line(reason))).unwrap_or_default();
    format!("{}  {} {} {}{why}{about}", entry.entry_id, UtcTime(entry.at), word(entry.content_type), status.name())
}
