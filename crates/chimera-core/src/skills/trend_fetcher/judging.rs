//! Items of the call and of the window, each embedded and scored once.

use super::{Request, TrendFetcher, model_scorer::EMBEDDED_MIN, store_failed};
use crate::{
    contracts::SkillFailure,
    perception::{
        judged::{JudgedItem, embed, judge, see},
        score::Goal,
    },
    ports::perception::StoredItem,
};
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};

/// Every item once, although most are both of the call and of the window.
pub(super) struct Judged {
    /// Those of the window come first.
    items: Vec<JudgedItem>,
    window_items: usize,
    /// Places of those that this call read.
    call: Vec<usize>,
}

impl Judged {
    /// Items of this window and the one before it, oldest first.
    pub(super) fn window(&self) -> &[JudgedItem] {
        &self.items[..self.window_items]
    }

    pub(super) fn items_mut(&mut self) -> &mut [JudgedItem] {
        &mut self.items
    }

    pub(super) fn call(&self) -> impl Iterator<Item = &JudgedItem> {
        self.call.iter().map(|place| &self.items[*place])
    }
}

impl TrendFetcher {
    /// The items of this call, and those of this window and the one before it.
    pub(super) async fn judge_all(
        &self,
        call_items: Vec<StoredItem>,
        request: &Request,
        goal: &Goal,
        now: DateTime<Utc>,
    ) -> Result<Judged, SkillFailure> {
        let mut items = self.window(request, now - request.window * 2).await?;
        let window_items = items.len();
        let in_window: HashMap<i64, usize> = items.iter().enumerate().map(|(place, item)| (item.id, place)).collect();
        let mut call = Vec::with_capacity(call_items.len());
        for item in call_items {
            let place = in_window.get(&item.id).copied().unwrap_or(items.len());
            call.push(place);
            // Older than the window, or more than it may hold.
            if place == items.len() {
                items.push(item);
            }
        }
        let embedder = self.ports.embedder.as_ref();
        let (embedded, made) = embed(items, embedder, self.background()).await;
        self.ports.perception.keep_vectors(&made).await.map_err(store_failed)?;
        let seen = see(&embedded[..window_items], self.background());
        let shown: HashSet<i64> = call.iter().map(|place| embedded[*place].id()).filter(|_| request.include_below_threshold).collect();
        // A model may lift what the embedded scorer holds to be below the threshold.
        let told_from = if self.scorer.is_some() { request.threshold.min(EMBEDDED_MIN) } else { request.threshold };
        let needed = |item: &StoredItem| if shown.contains(&item.id) { 0.0 } else { told_from };
        let items = judge(embedded, goal, embedder, &seen, needed).await;
        Ok(Judged { items, window_items, call })
    }
}
