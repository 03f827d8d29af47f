//! One story: where it stands, when it was told, and which items it may still take in.

use super::super::vectors::{add, dot, normalise};
use std::collections::VecDeque;

/// After so many other items, an item of a story counts half.
const RECENT_HALF_LIFE_ITEMS: f32 = 100.0;
/// For so long a story takes in whatever it has the strongest claim on, and may become one with another.
const YOUNG_SECONDS: i64 = 12 * 3_600;
/// Later, an item must also be this near to one of the story's latest items.
const LATEST_COSINE_MIN: f32 = 0.45;
const LATEST_ITEMS: usize = 8;
/// After such a silence a story is over: what comes later is another one.
const SILENT_SECONDS_MAX: i64 = 2 * 24 * 3_600;

pub(super) struct Story {
    pub(super) id: String,
    sum: Vec<f32>,
    pub(super) centre: Vec<f32>,
    pub(super) items: usize,
    /// How many of them were put back: the others are new.
    pub(super) known_items: usize,
    /// Length of the mean of its items' vectors: the nearer they are to each other, the longer.
    pub(super) tightness: f32,
    /// Its items, each by how long ago it came, as of `last_item`.
    recent_items: f32,
    /// Which item of the stream was its last.
    pub(super) last_item: usize,
    opened_at: i64,
    last_at: i64,
    /// Vectors of the items that it took in last.
    latest: VecDeque<Vec<f32>>,
    /// Whether it may no longer become one with another such story.
    pub(super) kept_apart: bool,
    /// The story that this one became part of.
    pub(super) merged_into: Option<usize>,
}

impl Story {
    pub(super) fn new(id: String, dimensions: usize, item: usize, at: i64) -> Self {
        Self {
            id,
            sum: vec![0.0; dimensions],
            centre: Vec::new(),
            items: 0,
            known_items: 0,
            tightness: 0.0,
            recent_items: 0.0,
            last_item: item,
            opened_at: at,
            last_at: at,
            latest: VecDeque::new(),
            kept_apart: false,
            merged_into: None,
        }
    }

    pub(super) fn is_young(&self, at: i64) -> bool {
        at - self.opened_at < YOUNG_SECONDS
    }

    pub(super) fn is_over(&self, at: i64) -> bool {
        at - self.last_at > SILENT_SECONDS_MAX
    }

    pub(super) fn is_over_before(&self, later: &Self) -> bool {
        self.is_over(later.opened_at)
    }

    /// Whether an item is near enough to what the story is about by now.
    pub(super) fn goes_on_with(&self, vector: &[f32], at: i64) -> bool {
        self.is_young(at) || self.latest.iter().any(|latest| dot(latest, vector) >= LATEST_COSINE_MIN)
    }

    pub(super) fn recent_items_at(&self, item: usize) -> f32 {
        self.recent_items * (-((item - self.last_item) as f32) / RECENT_HALF_LIFE_ITEMS).exp2()
    }

    pub(super) fn take_in(&mut self, vector: &[f32], item: usize, at: i64) {
        add(&mut self.sum, vector);
        self.items += 1;
        self.recent_items = self.recent_items_at(item) + 1.0;
        self.last_item = item;
        // Items that come late do not make a story younger or older than it is.
        (self.opened_at, self.last_at) = (self.opened_at.min(at), self.last_at.max(at));
        self.latest.push_back(vector.to_vec());
        self.keep_latest();
        self.recentre();
    }

    /// From now on it is part of the story `kept`, which gets what is answered.
    pub(super) fn merge_into(&mut self, kept: usize) -> Self {
        let gone = Self::new(self.id.clone(), 0, self.last_item, self.last_at);
        let part = std::mem::replace(self, gone);
        self.merged_into = Some(kept);
        part
    }

    pub(super) fn take_over(&mut self, part: Self) {
        let last_item = self.last_item.max(part.last_item);
        self.recent_items = self.recent_items_at(last_item) + part.recent_items_at(last_item);
        self.last_item = last_item;
        (self.opened_at, self.last_at) = (self.opened_at.min(part.opened_at), self.last_at.max(part.last_at));
        add(&mut self.sum, &part.sum);
        self.items += part.items;
        self.known_items += part.known_items;
        self.kept_apart |= part.kept_apart;
        part.latest.into_iter().rev().for_each(|vector| self.latest.push_front(vector));
        self.keep_latest();
        self.recentre();
    }

    /// It takes in nothing any more.
    pub(super) fn fall_asleep(&mut self) {
        (self.sum, self.latest) = (Vec::new(), VecDeque::new());
        // What others are told apart from is still compared.
        if !self.kept_apart {
            self.centre = Vec::new();
        }
    }

    fn keep_latest(&mut self) {
        let surplus = self.latest.len().saturating_sub(LATEST_ITEMS);
        self.latest.drain(..surplus);
    }

    fn recentre(&mut self) {
        self.centre.clone_from(&self.sum);
        normalise(&mut self.centre);
        self.tightness = dot(&self.sum, &self.sum).sqrt() / self.items as f32;
    }
}
