//! The skill over a real store, with resources that are already at hand: everything but the network.

use crate::items::{item, mixed};
use anyhow::{Context, Result, ensure};
use chimera_adapters::{embedder::SentenceEmbedder, store::SqliteStore};
use chimera_core::{
    contracts::trend_fetcher::NAME,
    domain::{Author, Untrusted, money::Address},
    perception::{items::whole, rounded::rounded, vectors::normalise},
    ports::{
        agents::{AgentRecord, Agents},
        clock::Clock,
        embedder::Embedder,
        feed_parser::{FeedParser, ParsedItem},
        perception::{NewItem, Perception},
    },
    skills::{
        NoProgress, Skills,
        trend_fetcher::{TrendFetcher, TrendFetcherPorts, TrendFetcherSettings},
    },
    testing::{
        fake_clock::ManualClock,
        fake_resources::{Scripted, ScriptedResources},
    },
};
use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};
use std::{ops::Range, sync::Arc, time::Instant};
use tempfile::TempDir;

pub const GOAL: &str = "the repair of the harbour bridge in Bardengor";
/// As many as the skill takes of one.
const ITEMS_PER_RESOURCE: usize = 200;
const WRITTEN_AT_ONCE: usize = 5_000;

struct NoFeeds;

impl FeedParser for NoFeeds {
    fn parse(&self, _text: &str) -> Option<Vec<ParsedItem>> {
        None
    }
}

pub struct Perceiver {
    skills: Skills,
    store: SqliteStore,
    resources: Arc<ScriptedResources>,
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

impl Perceiver {
    /// `embedder` must not know the items yet, or they cost nothing.
    pub async fn new(embedder: Arc<SentenceEmbedder>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let store = SqliteStore::open(&folder.path().join("bench.db"))?;
        let selam = AgentRecord {
            id: "selam".parse()?,
            soul_source: String::new(),
            soul_version: String::new(),
            address: Address::ZERO,
            created_at: DateTime::UNIX_EPOCH,
        };
        store.create(&selam).await?;
        let resources = Arc::new(ScriptedResources::default());
        let clock = Arc::new(ManualClock::at("2026-01-02T12:00:00Z"));
        let ports = TrendFetcherPorts {
            agents: Arc::new(store.clone()),
            resources: resources.clone(),
            feeds: Arc::new(NoFeeds),
            perception: Arc::new(store.clone()),
            readings: Arc::new(store.clone()),
            embedder,
            clock: clock.clone(),
        };
        let skills = Skills::new(vec![Arc::new(TrendFetcher::new(ports, TrendFetcherSettings::default()))]);
        Ok(Self { skills, store, resources, clock, _folder: folder })
    }

    /// One call over these items of the stream, and how many seconds it took.
    pub async fn see(&self, numbers: &[usize]) -> Result<f64> {
        self.clock.advance(TimeDelta::seconds(60));
        let mut uris = Vec::new();
        for (place, part) in numbers.chunks(ITEMS_PER_RESOURCE).enumerate() {
            let uri = resource(place);
            let published = |number: &usize| {
                let mut item = item(*number);
                item["published_at"] = json!(self.clock.now().to_rfc3339());
                item
            };
            self.resources.set(&uri, Scripted::Text(part.iter().map(published).collect::<Value>().to_string()));
            uris.push(uri);
        }
        let input = json!({"agent_id": "selam", "campaign_id": "bench", "resource_uris": uris, "goal_context": GOAL});
        let began = Instant::now();
        let answer = self.skills.call(NAME, &input, &NoProgress).await.context("there is no trend fetcher")?;
        let seconds = began.elapsed().as_secs_f64();
        ensure!(answer.success, "the skill failed: {}", answer.body);
        Ok(seconds)
    }

    /// Puts items into the window as if they had been seen: with stories, and with vectors mixed of those in `pool`, since which they are
    /// changes no cost.
    pub async fn fill(&self, numbers: Range<usize>, pool: &[Vec<f32>], embedder: &dyn Embedder) -> Result<()> {
        let now = self.clock.now();
        let numbers: Vec<usize> = numbers.collect();
        for part in numbers.chunks(WRITTEN_AT_ONCE) {
            let new_item = |number: &usize| NewItem {
                resource_uri: resource(0),
                content_key: format!("{number:064x}"),
                title: Untrusted::new(text_of(*number, "title")),
                text: Untrusted::new(text_of(*number, "text")),
                url: None,
                author: Author::parse(&text_of(*number, "author")),
                published_at: Some(now),
                seen_at: now,
                flagged: false,
                price: None,
            };
            let stored = self.store.remember(&part.iter().map(new_item).collect::<Vec<NewItem>>()).await?;
            let vectors: Vec<(i64, Vec<u8>)> =
                stored.iter().zip(part).map(|(stored, number)| (stored.id, rounded(&mix(*number, pool), embedder))).collect();
            self.store.keep_vectors(&vectors).await?;
            let stories: Vec<(i64, String)> =
                stored.iter().zip(part).map(|(stored, number)| (stored.id, format!("story-{}", number / 5))).collect();
            self.store.assign(&stories).await?;
        }
        Ok(())
    }
}

/// The texts that the skill embeds, but for the markup.
pub fn texts(numbers: Range<usize>) -> Vec<String> {
    let plain = |number| {
        let text = chimera_core::perception::clean::plain_line(&text_of(number, "text"), 2_000).into_data();
        whole(&text_of(number, "title"), &text).into_data()
    };
    numbers.map(plain).collect()
}

fn text_of(number: usize, field: &str) -> String {
    item(number)[field].as_str().unwrap_or_default().to_owned()
}

fn resource(place: usize) -> String {
    format!("news://bench/{place}/latest")
}

fn mix(number: usize, pool: &[Vec<f32>]) -> Vec<f32> {
    // Items of a story share what most of them is.
    let (story, own) = (&pool[mixed(number / 5) % pool.len()], &pool[mixed(number) % pool.len()]);
    let mut mix: Vec<f32> = story.iter().zip(own).map(|(story, own)| 2.0 * story + own).collect();
    normalise(&mut mix);
    mix
}
