//! Remembered items with what perception thinks of them: how relevant, and where they stand among the others.

use super::{
    background::Background,
    cluster::{Place, Stories},
    emerging::is_same_event,
    items::whole,
    language::{Language, language_of},
    rounded::{restored, rounded},
    score::{Goal, ScoredText},
    seen::Seen,
};
use crate::{
    domain::Untrusted,
    ports::{
        embedder::Embedder,
        perception::{JoinedStories, StoredItem},
    },
};

/// Embedded and scored at a time; between two such steps other work of the process gets its turn.
const ITEMS_PER_STEP: usize = 128;

/// A score as it is told: more digits would claim more than is known, and what is not quite certain is not told as certain.
pub fn in_steps(score: f64) -> f64 {
    const STEPS: f64 = 10_000.0;
    (score * STEPS).floor() / STEPS
}

/// An item with its vector.
pub struct EmbeddedItem {
    stored: StoredItem,
    /// Title and text.
    whole: Untrusted,
    language: Option<Language>,
    /// As it is kept, also where it was made just now: an item scores the same in every call.
    vector: Vec<f32>,
    /// From [`Background::distinctive`].
    distinctive: Vec<f32>,
}

impl EmbeddedItem {
    pub fn id(&self) -> i64 {
        self.stored.id
    }
}

/// In the order given; and the vectors that had to be made, to be kept for the next time.
pub async fn embed(items: Vec<StoredItem>, embedder: &dyn Embedder, background: &Background) -> (Vec<EmbeddedItem>, Vec<(i64, Vec<u8>)>) {
    let wholes: Vec<Untrusted> = items.iter().map(|stored| whole(stored.item.title.as_data(), stored.item.text.as_data())).collect();
    let mut vectors: Vec<Option<Vec<f32>>> =
        items.iter().map(|stored| stored.vector.as_deref().and_then(|kept| restored(kept, embedder))).collect();
    let missing: Vec<usize> = (0..items.len()).filter(|place| vectors[*place].is_none()).collect();
    let mut made = Vec::with_capacity(missing.len());
    for step in missing.chunks(ITEMS_PER_STEP) {
        let texts: Vec<&str> = step.iter().map(|place| wholes[*place].as_data()).collect();
        for (place, vector) in step.iter().zip(embedder.embed(&texts)) {
            let kept = rounded(&vector, embedder);
            vectors[*place] = restored(&kept, embedder);
            made.push((items[*place].id, kept));
        }
        tokio::task::yield_now().await;
    }
    let parts = items.into_iter().zip(wholes).zip(vectors.into_iter().map(Option::unwrap_or_default));
    let embedded = parts.map(|((stored, whole), vector)| {
        let distinctive = background.distinctive(whole.as_data(), &vector);
        EmbeddedItem { stored, language: language_of(whole.as_data()), whole, vector, distinctive }
    });
    (embedded.collect(), made)
}

/// What the window holds, so that items are judged in the company of what else was told.
pub fn see<'a>(items: &[EmbeddedItem], background: &'a Background) -> Seen<'a> {
    let mut seen = Seen::new(background);
    // What tries to instruct must not move what the field looks like.
    items.iter().filter(|item| !item.stored.item.flagged).for_each(|item| seen.remember(item.whole.as_data(), &item.distinctive));
    seen
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

/// In the order given. An item whose relevance is below what `needed` says of it gets any number below that.
pub async fn judge(
    items: Vec<EmbeddedItem>,
    goal: &Goal,
    embedder: &dyn Embedder,
    seen: &Seen<'_>,
    needed: impl Fn(&StoredItem) -> f64,
) -> Vec<JudgedItem> {
    let mut scores = Vec::with_capacity(items.len());
    for step in items.chunks(ITEMS_PER_STEP) {
        let texts: Vec<ScoredText<'_>> = step
            .iter()
            .map(|item| ScoredText { text: item.whole.as_data(), language: item.language, distinctive: &item.distinctive })
            .collect();
        let needed: Vec<f64> = step.iter().map(|item| needed(&item.stored)).collect();
        scores.extend(goal.score_in_reach(&texts, &needed, embedder, seen));
        tokio::task::yield_now().await;
    }
    let judged = |(item, score): (EmbeddedItem, f64)| {
        let place = Place::new(item.whole.as_data(), &item.vector);
        JudgedItem { stored: item.stored, whole: item.whole, relevance: in_steps(score), place }
    };
    items.into_iter().zip(scores).map(judged).collect()
}

/// The items' stories.
pub struct FoundStories {
    /// One an item, in order; an item that tries to instruct belongs to none.
    pub ids: Vec<Option<String>>,
    /// Those that are not yet known of their item.
    pub assignments: Vec<(i64, String)>,
    stories: Stories,
}

impl FoundStories {
    /// Stories that were known before, and have become one.
    pub fn joins(&self) -> &[JoinedStories] {
        self.stories.joins()
    }

    /// Whether two stories tell of the same event, although they are not one.
    pub fn tell_of_same_event(&self, left_id: &str, right_id: &str) -> bool {
        self.stories.centres_cosine_of(left_id, right_id).is_some_and(is_same_event)
    }
}

/// Finds the story of every item, oldest item first.
pub fn find_stories(items: &[JudgedItem]) -> FoundStories {
    let mut stories = Stories::default();
    for item in items.iter().filter(|item| !item.stored.item.flagged) {
        if let Some(story_id) = &item.stored.cluster_id {
            stories.restore(story_id, &item.place, item.stored.at.timestamp());
        }
    }
    let handles: Vec<Option<usize>> = items
        .iter()
        .map(|item| {
            let is_new = item.stored.cluster_id.is_none() && !item.stored.item.flagged;
            is_new.then(|| stories.place(&item.place, item.stored.at.timestamp(), || new_story_id(&item.stored)))
        })
        .collect();
    let story_of = |(item, handle): (&JudgedItem, &Option<usize>)| match (handle, &item.stored.cluster_id) {
        _ if item.stored.item.flagged => None,
        (Some(handle), _) => Some(stories.id_of(*handle).to_owned()),
        (None, known) => known.as_deref().map(|story_id| stories.current_id(story_id).to_owned()),
    };
    let ids: Vec<Option<String>> = items.iter().zip(&handles).map(story_of).collect();
    let changed = items.iter().zip(&ids).filter(|(item, story_id)| item.stored.cluster_id != **story_id);
    let assignments = changed.filter_map(|(item, story_id)| Some((item.stored.id, story_id.clone()?))).collect();
    FoundStories { ids, assignments, stories }
}

/// Named after the item that opens it, so that two processes that see the same item first name the same story alike.
fn new_story_id(opened_by: &StoredItem) -> String {
    let key: String = opened_by.item.content_key.chars().take(16).collect();
    format!("story-{key}")
}
