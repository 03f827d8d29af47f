//! What a campaign may use up, from the known keys of its `budget_constraints`. Keys that are not known here are somebody else's.

use crate::domain::money::{U256, parse_units};
use serde_json::{Map, Value};

/// Posts that may be approved for publishing.
const POSTS_MAX_KEY: &str = "posts_max";
/// Payments that may be planned.
const PAYMENTS_MAX_KEY: &str = "payments_max";
/// What its payments may come to, in their asset's smallest unit: a decimal string, as every amount.
const SPEND_MAX_KEY: &str = "spend_max_units";
/// Tokens that language models may take for it.
const TOKENS_MAX_KEY: &str = "tokens_max";
/// Pictures and videos that the Planner may choose by itself.
const IMAGES_MAX_KEY: &str = "images_max";
const VIDEOS_MAX_KEY: &str = "videos_max";
/// What image and video tools may cost, in millionths of a US dollar.
const MEDIA_MAX_KEY: &str = "media_micro_usd_max";

/// Absent is unlimited: the agents' policies and the platforms' limits hold all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    pub posts_max: Option<u64>,
    pub payments_max: Option<u64>,
    pub spend_max_units: Option<U256>,
    pub tokens_max: Option<u64>,
    /// Of these two, absent is none by the Planner's own choice; a calendar may ask for them all the same.
    pub images_max: Option<u64>,
    pub videos_max: Option<u64>,
    /// Absent is nothing.
    pub media_micro_usd_max: Option<u64>,
}

/// What a campaign has used up, or may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Approved, and not refused by their platform.
    pub posts: u64,
    /// Of payments that were planned and not given up.
    pub spend_units: U256,
    pub tokens: u64,
    /// Planned, whatever became of them: what was drawn and thrown away was drawn.
    pub images: u64,
    pub videos: u64,
    /// As estimated, for each attempt.
    pub media_micro_usd: u64,
}

/// What a campaign has left for pictures and videos.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MediaLeft {
    /// `None` without a limit.
    pub images: Option<u64>,
    pub videos: Option<u64>,
    pub micro_usd: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("budget_constraints.{key} is {found}; it must be a whole number, 0 or more")]
pub struct NotABudget {
    key: &'static str,
    found: String,
}

pub(super) fn number(constraints: &Map<String, Value>, key: &'static str) -> Result<Option<u64>, NotABudget> {
    let Some(value) = constraints.get(key) else { return Ok(None) };
    value.as_u64().map(Some).ok_or_else(|| NotABudget { key, found: value.to_string() })
}

impl Budget {
    pub fn of(constraints: &Map<String, Value>) -> Result<Self, NotABudget> {
        let number = |key: &'static str| number(constraints, key);
        let units = match constraints.get(SPEND_MAX_KEY) {
            None => None,
            Some(value) => {
                let parsed = value.as_str().and_then(|text| parse_units(text).ok());
                Some(parsed.ok_or_else(|| NotABudget { key: SPEND_MAX_KEY, found: value.to_string() })?)
            }
        };
        Ok(Self {
            posts_max: number(POSTS_MAX_KEY)?,
            payments_max: number(PAYMENTS_MAX_KEY)?,
            spend_max_units: units,
            tokens_max: number(TOKENS_MAX_KEY)?,
            images_max: number(IMAGES_MAX_KEY)?,
            videos_max: number(VIDEOS_MAX_KEY)?,
            media_micro_usd_max: number(MEDIA_MAX_KEY)?,
        })
    }

    pub fn constraints(&self) -> Map<String, Value> {
        let numbers = [
            (POSTS_MAX_KEY, self.posts_max),
            (PAYMENTS_MAX_KEY, self.payments_max),
            (TOKENS_MAX_KEY, self.tokens_max),
            (IMAGES_MAX_KEY, self.images_max),
            (VIDEOS_MAX_KEY, self.videos_max),
            (MEDIA_MAX_KEY, self.media_micro_usd_max),
        ];
        let units = self.spend_max_units.map(|units| (SPEND_MAX_KEY, Value::from(units.to_string())));
        let numbers = numbers.into_iter().filter_map(|(key, limit)| limit.map(|limit| (key, Value::from(limit))));
        numbers.chain(units).map(|(key, limit)| (key.to_owned(), limit)).collect()
    }

    /// In the place of whatever limits stood there; other keys stay.
    pub fn put_into(&self, constraints: &mut Map<String, Value>) {
        for key in [POSTS_MAX_KEY, PAYMENTS_MAX_KEY, SPEND_MAX_KEY, TOKENS_MAX_KEY, IMAGES_MAX_KEY, VIDEOS_MAX_KEY, MEDIA_MAX_KEY] {
            constraints.remove(key);
        }
        constraints.extend(self.constraints());
    }

    /// Why the campaign has come to its end, when so much is used up.
    pub fn gone(&self, used: &Used) -> Option<String> {
        let Used { spend_units, tokens, .. } = used;
        let spend = self.spend_max_units.filter(|max| spend_units >= max);
        let tokens_max = self.tokens_max.filter(|max| tokens >= max);
        self.posts_gone(used.posts)
            .or_else(|| spend.map(|max| format!("{spend_units} of {max} units of money are used up")))
            .or_else(|| tokens_max.map(|max| format!("{tokens} of {max} tokens are used up")))
    }

    /// What ends, when so much is used up: for whoever has just given the campaign this budget.
    pub fn stops(&self, used: &Used) -> Option<String> {
        self.gone(used).map(|reason| format!("{reason}: nothing more is begun for it, and what is begun keeps what it was begun with"))
    }

    /// Why a payment of so much is more than what is left.
    pub fn cannot_pay(&self, used: &Used, amount_units: U256) -> Option<String> {
        let max = self.spend_max_units?;
        let fits = used.spend_units.checked_add(amount_units).is_some_and(|sum| sum <= max);
        (!fits).then(|| format!("{} of {max} units of money are used up, and the next payment takes {amount_units}", used.spend_units))
    }

    /// Whether the Planner may choose pictures or videos by itself.
    pub fn has_media(&self) -> bool {
        self.images_max.is_some() || self.videos_max.is_some()
    }

    pub fn media_left(&self, used: &Used) -> MediaLeft {
        MediaLeft {
            images: self.images_max.map(|max| max.saturating_sub(used.images)),
            videos: self.videos_max.map(|max| max.saturating_sub(used.videos)),
            micro_usd: self.media_micro_usd_max.unwrap_or(0).saturating_sub(used.media_micro_usd),
        }
    }

    /// Why a picture or video of this price is more than what is left. One that costs nothing can always be had.
    pub fn cannot_draw(&self, used_micro_usd: u64, price_micro_usd: u64) -> Option<String> {
        let max = self.media_micro_usd_max.unwrap_or(0);
        let fits = price_micro_usd == 0 || used_micro_usd.checked_add(price_micro_usd).is_some_and(|sum| sum <= max);
        (!fits).then(|| format!("{used_micro_usd} of {max} micro-USD for media are used up, and another attempt takes {price_micro_usd}"))
    }

    /// Why no further post may be approved, when so many are.
    pub fn posts_gone(&self, posts: u64) -> Option<String> {
        self.posts_max.filter(|max| posts >= *max).map(|max| format!("{posts} of {max} posts are used up"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(constraints: Value) -> Result<Budget, NotABudget> {
        Budget::of(constraints.as_object().unwrap())
    }

    #[test]
    fn known_keys_are_read_back_as_they_were_written_and_unknown_ones_are_left_alone() {
        let spend_max_units = Some(U256::from(5_000_000_u64));
        let media = Budget { images_max: Some(2), videos_max: Some(1), media_micro_usd_max: Some(70), ..Budget::default() };
        let budget = Budget { posts_max: Some(3), spend_max_units, tokens_max: Some(9), ..media };
        assert_eq!(Budget::of(&budget.constraints()), Ok(budget));
        assert_eq!(of(json!({ "usdc_per_day": "5" })), Ok(Budget::default()));
        assert_eq!(budget.posts_gone(2), None);
        assert_eq!(budget.posts_gone(3).as_deref(), Some("3 of 3 posts are used up"));
    }

    #[test]
    fn what_is_left_for_media_never_falls_below_nothing_and_does_not_end_the_campaign() {
        let budget = Budget { images_max: Some(2), media_micro_usd_max: Some(70), ..Budget::default() };
        let used = Used { images: 3, videos: 5, media_micro_usd: 60, ..Used::default() };
        assert_eq!(budget.media_left(&used), MediaLeft { images: Some(0), videos: None, micro_usd: 10 });
        assert_eq!(Budget::default().media_left(&used), MediaLeft { images: None, videos: None, micro_usd: 0 });
        assert_eq!(budget.gone(&used), None);
        assert!(budget.has_media() && !Budget::default().has_media());
        for (used, price, is_affordable) in [(60, 10, true), (60, 11, false), (80, 0, true), (80, 1, false), (u64::MAX, 1, false)] {
            assert_eq!(budget.cannot_draw(used, price).is_none(), is_affordable, "{price} after {used}");
        }
        assert_eq!(Budget::default().cannot_draw(0, 1).unwrap(), "0 of 0 micro-USD for media are used up, and another attempt takes 1");
    }

    #[test]
    fn a_limit_that_is_no_number_is_refused() {
        for wrong in [json!("3"), json!(-1), json!(1.5), json!(null)] {
            let error = of(json!({ "posts_max": wrong })).unwrap_err();
            assert!(error.to_string().contains("posts_max"), "{error}");
        }
        for wrong in [json!(3), json!("-1"), json!("1.5"), json!("0x3"), json!("+3"), json!("")] {
            let error = of(json!({ "spend_max_units": wrong })).unwrap_err();
            assert!(error.to_string().contains("spend_max_units"), "{error}");
        }
    }

    #[test]
    fn a_campaign_ends_with_the_first_budget_that_does() {
        let units = |number: u64| U256::from(number);
        let budget = Budget { posts_max: Some(3), spend_max_units: Some(units(10)), tokens_max: Some(100), ..Budget::default() };
        let used = |posts, spend, tokens| Used { posts, spend_units: units(spend), tokens, ..Used::default() };
        assert_eq!(budget.gone(&used(2, 9, 99)), None);
        assert_eq!(budget.gone(&used(3, 0, 0)).as_deref(), Some("3 of 3 posts are used up"));
        assert_eq!(budget.gone(&used(2, 10, 0)).as_deref(), Some("10 of 10 units of money are used up"));
        assert_eq!(budget.gone(&used(2, 9, 100)).as_deref(), Some("100 of 100 tokens are used up"));
        assert_eq!(budget.cannot_pay(&used(0, 6, 0), units(4)), None);
        assert!(budget.cannot_pay(&used(0, 6, 0), units(5)).is_some());
        assert_eq!(Budget::default().gone(&used(u64::MAX, u64::MAX, u64::MAX)), None);
    }
}
