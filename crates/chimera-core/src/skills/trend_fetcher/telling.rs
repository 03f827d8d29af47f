//! Which trends are told, and which of them first: what the agent was not told of goes before what it was, however strong that is.

use super::{Request, TrendFetcher, store_failed};
use crate::{
    contracts::{
        SkillFailure, UtcTime, UuidV4,
        trend_alert::{Trend, TrendEventType, TrendPhase},
        trend_fetcher::{MORE_TRENDS_MAX, NAME, OtherTrend, StrongestStory, TrendAlertAnswer},
    },
    perception::{
        judged::{FoundStories, JudgedItem, find_stories, in_steps},
        topics::topics,
        trend::{StoryItem, StoryTrend, TrendRule, Window, is_new, strongest, trends, voice},
    },
};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

const SAMPLE_URIS_MAX: usize = 5;
/// Of a trend that is not the alert's.
const MORE_SAMPLE_URIS_MAX: usize = 2;

/// What the answer tells of trends.
pub(super) struct ToldTrends {
    pub(super) alert: Option<TrendAlertAnswer>,
    pub(super) more: Vec<OtherTrend>,
    /// Where there is no trend.
    pub(super) strongest: Option<StrongestStory>,
    /// Of the window's items whose date is known, by the items' own ids.
    pub(super) story_ids: HashMap<i64, String>,
}

/// A trend, and what it is to the agent.
struct KnownTrend {
    trend: StoryTrend,
    new: bool,
    /// Another story of the same event was told.
    is_told_event: bool,
}

impl TrendFetcher {
    /// Only the trend of the alert counts as told: the others come first in one of the next calls.
    pub(super) async fn tell_trends(
        &self,
        window: &[JudgedItem],
        request: &Request,
        now: DateTime<Utc>,
    ) -> Result<ToldTrends, SkillFailure> {
        let stories = find_stories(window);
        self.ports.perception.assign(&stories.assignments).await.map_err(store_failed)?;
        self.ports.perception.join_stories(stories.joins()).await.map_err(store_failed)?;
        let span = Window { start: now - request.window, end: now };
        let dated: Vec<(&JudgedItem, StoryItem<'_>)> = window
            .iter()
            .zip(&stories.ids)
            .filter(|(item, _)| item.is_relevant(request.threshold))
            .filter_map(|(item, story_id)| Some((item, dated_item(item, story_id.as_deref()?)?)))
            .collect();
        let (current, before): (Vec<_>, Vec<_>) = dated.into_iter().partition(|(_, item)| item.at >= span.start);
        let (current_items, current): (Vec<&JudgedItem>, Vec<StoryItem<'_>>) = current.into_iter().unzip();
        let before: Vec<StoryItem<'_>> = before.into_iter().map(|(_, item)| item).collect();
        let found = trends(&current, &before, span, self.settings.trend_rule);
        let known = self.what_agent_knows(&request.input.agent_id, found, &stories).await?;
        let with_story = window.iter().zip(&stories.ids).filter(|(item, _)| item.stored.dated_at().is_some());
        let story_ids = with_story.filter_map(|(item, story_id)| Some((item.stored.id, story_id.clone()?))).collect();
        let Some(first) = known.first() else {
            let strongest = strongest(&current).map(|(counted, voices)| {
                let counted: Vec<&JudgedItem> = counted.iter().map(|place| current_items[*place]).collect();
                nearly(&counted, voices, &window.iter().map(title).collect::<Vec<_>>(), self.settings.trend_rule)
            });
            return Ok(ToldTrends { alert: None, more: Vec::new(), strongest, story_ids });
        };
        if first.new || first.is_told_event {
            let (story_id, items) = (&first.trend.story_id, first.trend.counted.len() as u64);
            self.ports.perception.record_alert(&request.input.agent_id, story_id, items, now).await.map_err(store_failed)?;
        }
        let describe = |known: &KnownTrend, uris_max: usize| {
            let counted: Vec<&JudgedItem> = known.trend.counted.iter().map(|place| current_items[*place]).collect();
            let in_story = |story_id: &Option<String>| story_id.as_deref() == Some(known.trend.story_id.as_str());
            let others = window.iter().zip(&stories.ids).filter(|(_, story_id)| !in_story(story_id));
            described(known, &counted, &others.map(|(item, _)| title(item)).collect::<Vec<_>>(), span, uris_max)
        };
        let more = known[1..].iter().take(MORE_TRENDS_MAX).map(|known| OtherTrend { trend: describe(known, MORE_SAMPLE_URIS_MAX) });
        let alert = TrendAlertAnswer {
            event_id: UuidV4::random(),
            event_type: TrendEventType::TrendAlert,
            source: NAME.to_owned(),
            agent_id: request.input.agent_id.clone(),
            campaign_id: request.input.campaign_id.clone(),
            trend: describe(first, SAMPLE_URIS_MAX),
        };
        Ok(ToldTrends { alert: Some(alert), more: more.collect(), strongest: None, story_ids })
    }

    /// The trends with what each is to this agent: what is news first, each part the strongest first. Of an event that has broken into several
    /// stories, the one that comes first.
    async fn what_agent_knows(
        &self,
        agent_id: &str,
        found: Vec<StoryTrend>,
        stories: &FoundStories,
    ) -> Result<Vec<KnownTrend>, SkillFailure> {
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let ids: BTreeSet<&String> = stories.ids.iter().flatten().collect();
        let ids: Vec<String> = ids.into_iter().cloned().collect();
        let told: BTreeMap<String, u64> = self.ports.perception.last_alerts(agent_id, &ids).await.map_err(store_failed)?;
        let mut known: Vec<KnownTrend> = found
            .into_iter()
            .map(|trend| {
                let last = told.get(&trend.story_id).copied();
                let is_told_event = last.is_none() && told.keys().any(|other| stories.tell_of_same_event(&trend.story_id, other));
                let new = !is_told_event && trend.phase != TrendPhase::Fading && is_new(trend.counted.len(), last);
                KnownTrend { trend, new, is_told_event }
            })
            .collect();
        known.sort_by_key(|known| !known.new);
        let mut distinct: Vec<KnownTrend> = Vec::new();
        for one in known {
            if !distinct.iter().any(|other| stories.tell_of_same_event(&one.trend.story_id, &other.trend.story_id)) {
                distinct.push(one);
            }
        }
        Ok(distinct)
    }
}

/// As far as trends are concerned; `None` of an item of unknown date, which raises nothing: it may be of last year.
fn dated_item<'a>(item: &'a JudgedItem, story_id: &'a str) -> Option<StoryItem<'a>> {
    let seen = &item.stored.item;
    Some(StoryItem {
        story_id,
        voice: voice(seen.author.as_ref(), seen.url.as_ref(), &seen.resource_uri),
        at: item.stored.dated_at()?,
        relevance: item.relevance,
        place: &item.place,
    })
}

fn described(known: &KnownTrend, counted: &[&JudgedItem], others: &[&str], window: Window, uris_max: usize) -> Trend {
    Trend {
        topics: topics(&counted.iter().map(|item| title(item)).collect::<Vec<_>>(), others),
        cluster_id: known.trend.story_id.clone(),
        time_window_start: UtcTime(window.start),
        time_window_end: UtcTime(window.end),
        signal_strength: in_steps(known.trend.signal_strength),
        sample_resource_uris: sample_uris(counted, uris_max),
        new: Some(known.new),
        phase: Some(known.trend.phase),
    }
}

fn nearly(counted: &[&JudgedItem], voices: usize, all: &[&str], rule: TrendRule) -> StrongestStory {
    let titles: Vec<&str> = counted.iter().map(|item| title(item)).collect();
    let others: Vec<&str> = all.iter().filter(|other| !titles.contains(other)).copied().collect();
    StrongestStory {
        topics: topics(&titles, &others),
        items: counted.len() as u64,
        voices: voices as u64,
        items_needed: rule.items_min as u64,
        voices_needed: rule.voices_min as u64,
    }
}

fn title(item: &JudgedItem) -> &str {
    item.stored.item.title.as_data()
}

/// Where the items that count were found, the most relevant first.
fn sample_uris(counted: &[&JudgedItem], uris_max: usize) -> Vec<String> {
    let mut seen = HashSet::new();
    let uris = counted.iter().map(|item| &item.stored.item.resource_uri);
    uris.filter(|uri| seen.insert(uri.as_str())).take(uris_max).cloned().collect()
}
