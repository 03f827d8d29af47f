//! Remembered items with what perception thinks of them: how relevant, and where they stand among the others.

use super::{
    cluster::{Place, Stories},
    items::whole,
    score::{Background, Goal, ScoredText},
    seen::Seen,
    untrusted::Untrusted,
};
use crate::ports::{embedder::Embedder, perception::StoredItem};

/// Embedded and scored at a time; between two such steps other work of the process gets its turn.
const ITEMS_PER_STEP: usize = 128;

/// A score as it is told: more digits would claim more than is known, and what is not quite certain is not told as certain.
pub fn in_steps(score: f64) -> f64 {
    const STEPS: f64 = 10_000.0;
    (score * STEPS).floor() / STEPS
}

pub struct JudgedItem {
    pub stored: StoredItem,
    /// Title and text.
    pub whole: Untrusted,
    pub relevance: f64,
    pub place: Place,
}

impl JudgedItem {
    /// What tries to instruct is never relevant, whatever it is about.
    pub fn is_relevant(&self, threshold: f64) -> bool {
        !self.stored.item.flagged && self.relevance >= threshold
    }
}

/// What the window holds, so that items are judged in the company of what else was told.
pub async fn see(items: &[StoredItem], embedder: &dyn Embedder, background: &Background) -> Seen {
    let mut seen = Seen::new(background);
    for step in items.chunks(ITEMS_PER_STEP) {
        let wholes: Vec<Untrusted> = step.iter().map(|stored| whole(&stored.item.title, &stored.item.text)).collect();
        let texts: Vec<&str> = wholes.iter().map(Untrusted::as_data).collect();
        embedder.embed(&texts).iter().for_each(|vector| seen.remember(&background.distinctive(vector)));
        tokio::task::yield_now().await;
    }
    seen
}

/// In the order given.
pub async fn judge(items: Vec<StoredItem>, goal: &Goal, embedder: &dyn Embedder, background: &Background, seen: &Seen) -> Vec<JudgedItem> {
    let mut judged = Vec::with_capacity(items.len());
    let mut items = items.into_iter().peekable();
    while items.peek().is_some() {
        let step: Vec<StoredItem> = items.by_ref().take(ITEMS_PER_STEP).collect();
        judged.extend(judge_step(step, goal, embedder, background, seen));
        tokio::task::yield_now().await;
    }
    judged
}

fn judge_step(items: Vec<StoredItem>, goal: &Goal, embedder: &dyn Embedder, background: &Background, seen: &Seen) -> Vec<JudgedItem> {
    let wholes: Vec<Untrusted> = items.iter().map(|stored| whole(&stored.item.title, &stored.item.text)).collect();
    let texts: Vec<&str> = wholes.iter().map(Untrusted::as_data).collect();
    let vectors = embedder.embed(&texts);
    let distinctive: Vec<Vec<f32>> = vectors.iter().map(|vector| background.distinctive(vector)).collect();
    let to_score: Vec<ScoredText<'_>> =
        texts.iter().zip(&distinctive).map(|(text, distinctive)| ScoredText { text, distinctive }).collect();
    let scores = goal.score(&to_score, embedder, seen);
    let places: Vec<Place> = texts.iter().zip(&vectors).map(|(text, vector)| Place::new(text, vector)).collect();
    let judged = items.into_iter().zip(wholes).zip(scores).zip(places);
    judged.map(|(((stored, whole), score), place)| JudgedItem { stored, whole, relevance: in_steps(score), place }).collect()
}

/// Finds the story of every item, oldest item first. Answers each item's story, in order, and which assignments are new.
/// An item that tries to instruct belongs to none.
pub fn find_stories(items: &[JudgedItem]) -> (Vec<Option<String>>, Vec<(i64, String)>) {
    let mut stories = Stories::default();
    for item in items.iter().filter(|item| !item.stored.item.flagged) {
        if let Some(story_id) = &item.stored.cluster_id {
            stories.restore(story_id, &item.place);
        }
    }
    let handles: Vec<Option<usize>> = items
        .iter()
        .map(|item| {
            let is_new = item.stored.cluster_id.is_none() && !item.stored.item.flagged;
            is_new.then(|| stories.place(&item.place, || new_story_id(&item.stored)))
        })
        .collect();
    let story_of = |(item, handle): (&JudgedItem, &Option<usize>)| match (handle, &item.stored.cluster_id) {
        _ if item.stored.item.flagged => None,
        (Some(handle), _) => Some(stories.id_of(*handle).to_owned()),
        (None, known) => known.as_deref().map(|story_id| stories.current_id(story_id).to_owned()),
    };
    let found: Vec<Option<String>> = items.iter().zip(&handles).map(story_of).collect();
    let changed = items.iter().zip(&found).filter(|(item, story_id)| item.stored.cluster_id != **story_id);
    let assignments = changed.filter_map(|(item, story_id)| Some((item.stored.id, story_id.clone()?))).collect();
    (found, assignments)
}

/// Named after the item that opens it, so that two processes that see the same item first name the same story alike.
fn new_story_id(opened_by: &StoredItem) -> String {
    let key: String = opened_by.item.content_key.chars().take(16).collect();
    format!("story-{key}")
}
