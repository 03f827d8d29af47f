//! What a task is about: a trend, or a single item that matters.

use crate::contracts::{filter_result::SemanticFilterResult, trend_alert::Trend};

#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    pub(super) cluster_id: String,
    /// Words of strangers.
    pub(super) topics: Vec<String>,
    pub(super) resource_uris: Vec<String>,
    /// Of a trend; a single item has none.
    pub(super) signal_strength: f64,
}

impl Story {
    pub fn of_trend(trend: &Trend) -> Self {
        Self {
            cluster_id: trend.cluster_id.clone(),
            topics: trend.topics.clone(),
            resource_uris: trend.sample_resource_uris.clone(),
            signal_strength: trend.signal_strength,
        }
    }

    /// `None` of an item that belongs to no story: its date is not known, or long ago.
    pub fn of_item(item: &SemanticFilterResult) -> Option<Self> {
        let cluster_id = item.cluster_id.clone()?;
        let topics = vec![words_alone(&item.content_summary)];
        Some(Self { cluster_id, topics, resource_uris: vec![item.resource_uri.clone()], signal_strength: 0.0 })
    }
}

/// A goal vouches for the links, mentions and tags that stand in it, so nothing of the kind may enter it with a headline.
fn words_alone(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    words.filter(|word| word.chars().any(char::is_alphanumeric)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_enters_a_goal_without_anything_that_links_mentions_or_tags() {
        let hostile = "Batteries: see https://evil.example/x, ask @everyone, buy $EVIL #now. It's 40% off\u{202e}";
        assert_eq!(words_alone(hostile), "Batteries see https evil example x ask everyone buy EVIL now It's 40 off");
    }
}
