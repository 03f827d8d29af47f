//! What kinds of posts a campaign makes, and how many of each, from one key of its `budget_constraints`.

use crate::contracts::content_generator::PostForm;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, str::FromStr};

const MIX_KEY: &str = "mix";
/// A larger part of the whole says nothing more.
const PARTS_MAX: u64 = 1_000;
/// The shares hold over so many posts of one agent on one platform, which is what its readers see.
pub const POSTS_MIXED: usize = 20;

/// Forms with their parts of the whole, such as 60 of news and 20 of opinion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mix {
    parts: BTreeMap<PostForm, u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found} is not a mix; it names forms and their parts, such as news=60,opinion=20, of {} and whole numbers up to {PARTS_MAX}, not all 0",
    PostForm::ALL.map(PostForm::name).join(", ")
)]
pub struct NotAMix {
    found: String,
}

impl Mix {
    /// `None`: everything is news, and nobody asked for it.
    pub fn of(constraints: &Map<String, Value>) -> Result<Option<Self>, NotAMix> {
        let Some(value) = constraints.get(MIX_KEY) else { return Ok(None) };
        let part = |(name, parts): (&String, &Value)| Some((PostForm::of_name(name)?, parts.as_u64()?));
        let parts = value.as_object().and_then(|parts| parts.iter().map(part).collect::<Option<BTreeMap<_, _>>>());
        Self::checked(parts, || value.to_string()).map(Some)
    }

    fn checked(parts: Option<BTreeMap<PostForm, u64>>, found: impl FnOnce() -> String) -> Result<Self, NotAMix> {
        let is_one = |parts: &BTreeMap<_, u64>| parts.values().all(|part| *part <= PARTS_MAX) && parts.values().any(|part| *part > 0);
        parts
            .filter(is_one)
            .map(|parts| Self { parts })
            .ok_or_else(|| NotAMix { found: format!("budget_constraints.{MIX_KEY}: {}", found()) })
    }

    pub fn constraint(&self) -> (String, Value) {
        let parts: Map<String, Value> = self.parts.iter().map(|(form, parts)| (form.name().to_owned(), Value::from(*parts))).collect();
        (MIX_KEY.to_owned(), Value::from(parts))
    }

    /// The form of the next post after `earlier`, oldest first: the one that lags most behind its share of the last posts, among those
    /// that can be had. News can always be had.
    pub fn next(&self, earlier: &[PostForm], can_be_had: impl Fn(PostForm) -> bool) -> PostForm {
        let counted = &earlier[earlier.len().saturating_sub(POSTS_MIXED - 1)..];
        let whole: u64 = self.parts.values().sum();
        let posts = counted.len() as u64 + 1;
        let lag = |form: PostForm, parts: u64| {
            let had = counted.iter().filter(|earlier| **earlier == form).count() as u64;
            i128::from(parts * posts) - i128::from(had * whole)
        };
        let wanted = self.parts.iter().filter(|(form, parts)| **parts > 0 && can_be_had(**form));
        // Of equals the larger share, and then the first.
        let ranked = wanted.max_by_key(|(form, parts)| (lag(**form, **parts), **parts, std::cmp::Reverse(**form)));
        ranked.map_or(PostForm::News, |(form, _)| *form)
    }
}

impl FromStr for Mix {
    type Err = NotAMix;

    /// `news=60,opinion=20`.
    fn from_str(text: &str) -> Result<Self, NotAMix> {
        let part = |part: &str| {
            let (name, parts) = part.split_once('=')?;
            Some((PostForm::of_name(name.trim())?, parts.trim().parse::<u64>().ok()?))
        };
        let listed: Option<Vec<(PostForm, u64)>> = text.split(',').map(part).collect();
        let count = listed.as_ref().map(Vec::len);
        // A form that is named twice has two parts, and nobody knows which counts.
        let parts = listed.map(BTreeMap::from_iter).filter(|parts: &BTreeMap<_, _>| Some(parts.len()) == count);
        Self::checked(parts, || text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PostForm::{News, Opinion, Picture, Question};
    use serde_json::json;

    fn planned(mix: &Mix, count: usize, can_be_had: impl Fn(PostForm) -> bool + Copy) -> Vec<PostForm> {
        let mut forms = Vec::new();
        for _ in 0..count {
            forms.push(mix.next(&forms, can_be_had));
        }
        forms
    }

    #[test]
    fn over_the_last_posts_each_form_has_its_share() {
        let mix: Mix = "news=60,opinion=20,question=10,picture=10".parse().unwrap();
        let forms = planned(&mix, 100, |_| true);
        for last in forms.windows(POSTS_MIXED) {
            let counts = [News, Opinion, Question, Picture].map(|form| last.iter().filter(|other| **other == form).count());
            for (count, share) in counts.into_iter().zip([12_usize, 4, 2, 2]) {
                assert!(count.abs_diff(share) <= 1, "{counts:?}");
            }
        }
        assert_eq!(forms[..3], [News, Opinion, News], "a form does not wait until the others are done");
    }

    #[test]
    fn a_form_that_cannot_be_had_leaves_its_place_to_others_and_catches_up() {
        let mix: Mix = "news=1,picture=1".parse().unwrap();
        assert_eq!(planned(&mix, 3, |form| form != Picture), [News; 3]);
        assert_eq!(mix.next(&[News; 3], |_| true), Picture);
        assert_eq!("picture=1".parse::<Mix>().unwrap().next(&[], |_| false), News);
        assert_eq!("opinion=1,news=0".parse::<Mix>().unwrap().next(&[Opinion; 30], |_| true), Opinion);
    }

    #[test]
    fn it_is_read_back_as_it_was_written_and_what_is_no_mix_is_refused() {
        let mix: Mix = " news = 60, opinion=40".parse().unwrap();
        assert_eq!(Mix::of(&[mix.constraint()].into_iter().collect()), Ok(Some(mix)));
        assert_eq!(Mix::of(&Map::new()), Ok(None));
        for wrong in ["", "news", "news=x", "news=-1", "thread=10", "news=0", "news=1,news=2", "news=1001", "news=60;opinion=40"] {
            let error = wrong.parse::<Mix>().unwrap_err().to_string();
            assert!(error.contains("news, opinion, question, picture"), "{wrong}: {error}");
        }
        for wrong in [json!("news=60"), json!({}), json!({ "news": "60" }), json!({ "repost": 1 }), json!([])] {
            let constraints = json!({ "mix": wrong });
            assert!(Mix::of(constraints.as_object().unwrap()).is_err(), "{wrong}");
        }
    }
}
