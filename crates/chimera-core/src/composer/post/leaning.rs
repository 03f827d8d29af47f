//! What memory makes of the choice of a story: none that the agent told within the hour while there is another to the point, rather one like those that
//! people liked, and rather none like those that were turned down.

use crate::composer::{choice::Candidate, drafting::Desk};
use std::collections::HashSet;

/// Another story must matter this much for the goal to be told instead of one of the last hour.
const FRESH_RELEVANCE_MIN: f64 = 0.5;
/// What nearness to what people liked can add to a passage's worth.
const LIKED_WEIGHT: f64 = 0.15;
/// What is left of a passage's worth when its story was turned down before.
const TURNED_DOWN: f64 = 0.85;

pub(super) struct Leaning {
    /// Sources whose story was told within the hour.
    recent: HashSet<usize>,
    /// Sources whose story a person turned down.
    turned_down: HashSet<usize>,
    /// What people liked, and who the agent is to be for this text, by their meaning.
    liked: Vec<Vec<f32>>,
}

impl Leaning {
    pub(super) fn of(desk: &Desk<'_>) -> Self {
        let memory = desk.brief.memory;
        let liked: Vec<&str> = memory.did_well.iter().chain(&memory.persona).map(String::as_str).collect();
        let lessons = desk.brief.feedback.lessons.iter().filter(|lesson| lesson.edited.is_none());
        Self {
            recent: desk.of_stories_told(&memory.own_last_hour()),
            turned_down: desk.of_stories_told(&lessons.map(|lesson| lesson.written.clone()).collect::<Vec<_>>()),
            liked: if liked.is_empty() { Vec::new() } else { desk.brief.embedder.embed(&liked) },
        }
    }

    pub(super) fn is_fresh(&self, lead: &Candidate) -> bool {
        self.recent.is_empty() || lead.relevance >= FRESH_RELEVANCE_MIN && !self.has(&self.recent, lead)
    }

    /// At most 1.
    pub(super) fn factor(&self, lead: &Candidate) -> f64 {
        let liked = if self.liked.is_empty() { 1.0 } else { 1.0 - LIKED_WEIGHT + LIKED_WEIGHT * self.likeness(lead) };
        liked * if self.has(&self.turned_down, lead) { TURNED_DOWN } else { 1.0 }
    }

    /// For the trace; empty where memory had no say.
    pub(super) fn told(&self, lead: &Candidate) -> String {
        let mut told = String::new();
        if !self.recent.is_empty() {
            let again = if self.has(&self.recent, lead) { ", this one too, for want of another to the point" } else { "" };
            told.push_str(&format!("; the stories of {} items were told within the hour{again}", self.recent.len()));
        }
        if !self.liked.is_empty() {
            told.push_str(&format!("; {:.2} like what people liked or the given persona, which has no other say", self.likeness(lead)));
        }
        if self.has(&self.turned_down, lead) {
            told.push_str("; a text of its story was turned down before");
        }
        told
    }

    fn likeness(&self, lead: &Candidate) -> f64 {
        self.liked.iter().map(|vector| lead.likeness_to(vector)).fold(0.0, f64::max).clamp(0.0, 1.0)
    }

    fn has(&self, sources: &HashSet<usize>, lead: &Candidate) -> bool {
        lead.passage.source.is_some_and(|source| sources.contains(&source))
    }
}
