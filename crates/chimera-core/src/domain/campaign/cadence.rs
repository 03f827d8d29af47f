//! How often an agent posts for a campaign, from two keys of its `budget_constraints`.

use super::budget::{NotABudget, number};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value};

const PER_DAY_KEY: &str = "posts_per_day";
const PER_WEEK_KEY: &str = "posts_per_week";

/// Absent is no pace: every trend is told as it comes, and nothing else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cadence {
    pub per_day: Option<u64>,
    pub per_week: Option<u64>,
}

impl Cadence {
    pub fn of(constraints: &Map<String, Value>) -> Result<Self, NotABudget> {
        Ok(Self { per_day: number(constraints, PER_DAY_KEY)?, per_week: number(constraints, PER_WEEK_KEY)? })
    }

    pub fn constraints(&self) -> impl Iterator<Item = (String, Value)> {
        let limits = [(PER_DAY_KEY, self.per_day), (PER_WEEK_KEY, self.per_week)];
        limits.into_iter().filter_map(|(key, limit)| Some((key.to_owned(), Value::from(limit?))))
    }

    pub fn is_kept(&self) -> bool {
        *self != Self::default()
    }

    fn limits(&self) -> impl Iterator<Item = (u64, TimeDelta, &'static str)> {
        let limits = [(self.per_day, TimeDelta::days(1), "24 hours"), (self.per_week, TimeDelta::days(7), "7 days")];
        limits.into_iter().filter_map(|(limit, span, name)| Some((limit?, span, name)))
    }

    /// Why there is no room for another post now, after those planned at these times.
    pub fn full(&self, planned: &[DateTime<Utc>], now: DateTime<Utc>) -> Option<String> {
        self.limits().find_map(|(limit, span, name)| {
            let lately = planned.iter().filter(|at| **at > now - span).count() as u64;
            (lately >= limit).then(|| format!("{lately} of {limit} posts of the last {name} are planned"))
        })
    }

    /// How many more may be planned now, after those planned at these times. `None`: as many as there are.
    pub fn room(&self, planned: &[DateTime<Utc>], now: DateTime<Utc>) -> Option<u64> {
        let lately = |span: TimeDelta| planned.iter().filter(|at| **at > now - span).count() as u64;
        self.limits().map(|(limit, span, _)| limit.saturating_sub(lately(span))).min()
    }

    /// When a post that can wait has its turn: evenly over the day and the week. `None`: at once. A story that was told on several
    /// platforms at once took the time of as many posts.
    pub fn next_turn(&self, planned: &[DateTime<Utc>]) -> Option<DateTime<Utc>> {
        let last = planned.iter().max()?;
        let at_once = i32::try_from(planned.iter().filter(|at| *at == last).count()).unwrap_or(i32::MAX);
        let pause = self.limits().filter_map(|(limit, span, _)| span.checked_div(i32::try_from(limit).unwrap_or(i32::MAX))).max()?;
        Some(*last + pause * at_once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hours(hours: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(30) + TimeDelta::hours(hours)
    }

    #[test]
    fn a_day_and_a_week_are_full_with_what_was_planned_in_them_and_no_longer() {
        let cadence = Cadence { per_day: Some(2), per_week: Some(3) };
        assert_eq!(cadence.full(&[hours(0)], hours(1)), None);
        assert_eq!(cadence.full(&[hours(0), hours(1)], hours(2)).as_deref(), Some("2 of 2 posts of the last 24 hours are planned"));
        assert_eq!(cadence.full(&[hours(0), hours(1)], hours(24)), None);
        let room = |planned: &[DateTime<Utc>], at| cadence.room(planned, hours(at));
        assert_eq!((room(&[], 1), room(&[hours(0)], 1), room(&[hours(0), hours(1)], 1)), (Some(2), Some(1), Some(0)));
        assert_eq!(room(&[hours(0), hours(1)], 40), Some(1), "of the week");
        assert_eq!(Cadence::default().room(&[hours(0)], hours(0)), None);
        let three = [hours(0), hours(1), hours(30)];
        assert_eq!(cadence.full(&three, hours(60)).as_deref(), Some("3 of 3 posts of the last 7 days are planned"));
        assert_eq!(cadence.full(&three, hours(7 * 24)), None);
        assert_eq!(Cadence::default().full(&three, hours(31)), None);
    }

    #[test]
    fn what_can_wait_is_spread_over_the_day_and_the_week() {
        let cadence = |per_day, per_week| Cadence { per_day, per_week };
        assert_eq!(cadence(Some(4), None).next_turn(&[]), None);
        assert_eq!(cadence(Some(4), None).next_turn(&[hours(2), hours(0)]), Some(hours(8)));
        assert_eq!(cadence(Some(4), Some(7)).next_turn(&[hours(0)]), Some(hours(24)));
        assert_eq!(cadence(Some(4), None).next_turn(&[hours(0), hours(2), hours(2)]), Some(hours(14)), "two at once");
        assert_eq!(cadence(Some(0), None).next_turn(&[hours(0)]), None);
        assert!(cadence(Some(0), None).full(&[], hours(0)).is_some());
    }

    #[test]
    fn it_is_read_back_as_it_was_written_and_what_is_no_number_is_refused() {
        let cadence = Cadence { per_day: Some(4), per_week: Some(20) };
        assert_eq!(Cadence::of(&cadence.constraints().collect()), Ok(cadence));
        assert_eq!(Cadence::of(&Map::new()), Ok(Cadence::default()));
        let wrong = json!({ "posts_per_day": "often" });
        assert!(Cadence::of(wrong.as_object().unwrap()).unwrap_err().to_string().contains("posts_per_day"));
    }
}
