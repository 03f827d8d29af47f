//! What the resources of tasks hold, as perception stored it: one bounded read for everything that is judged at once, and nothing is fetched.

use crate::{
    composer::{Source, without_orders},
    contracts::task::AgentTask,
    domain::Untrusted,
    ports::{
        StoreError,
        perception::{NewItem, Perception, StoredItem},
    },
};
use chrono::DateTime;
use std::collections::{BTreeSet, HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

/// Of all resources together, the newest.
const ITEMS_MAX: usize = 1_000;
/// Resources that one read asks for; of the others nothing is known then.
const RESOURCES_MAX: usize = 64;
/// A text is held against so many items, those that have most of its words.
const SOURCES_MAX: usize = 60;

pub(super) struct Material {
    by_resource: HashMap<String, Vec<Known>>,
    /// Older items were left out.
    is_cut: bool,
}

struct Known {
    item: NewItem,
    words: HashSet<String>,
}

/// What one text may rest on.
pub(super) struct Found {
    /// The likeliest first.
    pub(super) sources: Vec<Source>,
    /// Why there may be more than is known, where there may.
    pub(super) gap: Option<String>,
}

impl Material {
    pub(super) async fn of(perception: &dyn Perception, tasks: impl Iterator<Item = &AgentTask>) -> Result<Self, StoreError> {
        let content = tasks.filter(|task| task.acceptance_criteria.is_some());
        let uris: BTreeSet<&String> = content.flat_map(|task| &task.context.required_resources).collect();
        let uris: Vec<String> = uris.into_iter().take(RESOURCES_MAX).cloned().collect();
        if uris.is_empty() {
            return Ok(Self { by_resource: HashMap::new(), is_cut: false });
        }
        let stored = perception.window(&uris, DateTime::UNIX_EPOCH, ITEMS_MAX).await?;
        let is_cut = stored.len() >= ITEMS_MAX;
        let mut by_resource: HashMap<String, Vec<Known>> = HashMap::new();
        for StoredItem { item, .. } in stored {
            let words = words(item.title.as_data()).chain(words(item.text.as_data())).collect();
            by_resource.entry(item.resource_uri.clone()).or_default().push(Known { item, words });
        }
        Ok(Self { by_resource, is_cut })
    }

    pub(super) fn of_text(&self, task: &AgentTask, text: &str) -> Found {
        let wanted = &task.context.required_resources;
        let missing: Vec<&str> = wanted.iter().filter(|uri| !self.by_resource.contains_key(*uri)).map(String::as_str).collect();
        let known: Vec<&Known> = wanted.iter().filter_map(|uri| self.by_resource.get(uri)).flatten().collect();
        let has_prices = known.iter().any(|known| known.item.price.is_some());
        let own: HashSet<String> = words(text).collect();
        // What tries to instruct is no source of anything.
        let mut ranked: Vec<(usize, &Known)> =
            known.into_iter().filter(|known| !known.item.flagged).map(|known| (known.words.intersection(&own).count(), known)).collect();
        ranked.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
        let sources = ranked.into_iter().take(SOURCES_MAX).filter_map(|(_, known)| source(&known.item)).collect();
        let gap = if !missing.is_empty() {
            Some(format!("nothing of {} is stored", missing.join(", ")))
        } else if has_prices {
            Some("a price may have moved since it was stored".to_owned())
        } else {
            self.is_cut.then(|| "not all that is stored of its resources was read".to_owned())
        };
        Found { sources, gap }
    }
}

/// As whoever writes is given it: without what it orders. `None` when it says nothing else.
fn source(item: &NewItem) -> Option<Source> {
    let plain = |text: &Untrusted| Untrusted::new(without_orders(text.as_data()).unwrap_or_default());
    let (title, text) = (plain(&item.title), plain(&item.text));
    let (resource_uri, url, author, published_at) = (item.resource_uri.clone(), item.url.clone(), item.author.clone(), item.published_at);
    (!title.is_empty() || !text.is_empty()).then_some(Source { resource_uri, title, text, url, author, published_at })
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.unicode_words().map(str::to_lowercase)
}
