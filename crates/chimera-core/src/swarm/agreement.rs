//! How often people say what the Judge was inclined to say, agent by agent, and the thresholds that this suggests. It changes none.

use super::judge::Thresholds;
use crate::{contracts::review::ReviewAction, domain::AgentId, ports::swarm::AnsweredReview};
use std::collections::BTreeMap;

/// Fewer answers suggest nothing.
const ANSWERS_MIN: usize = 20;
/// A threshold is suggested where people say the same so often.
const SAME_MIN: f64 = 0.95;

#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    pub agent: AgentId,
    pub approved: usize,
    pub edited: usize,
    pub rejected: usize,
    /// How often the person's answer was what the Judge leaned to.
    pub agreed: usize,
    pub suggestion: Suggestion,
}

impl Agreement {
    pub fn answers(&self) -> usize {
        self.approved + self.edited + self.rejected
    }

    /// 0 to 1.
    pub fn share(&self) -> f64 {
        if self.answers() == 0 { 0.0 } else { self.agreed as f64 / self.answers() as f64 }
    }
}

/// Thresholds that would have asked people less and decided as they did. `None`: nothing better is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Suggestion {
    pub approve_above: Option<f64>,
    pub reject_below: Option<f64>,
}

/// Pure: by agent, in the order of their ids. The Judge leans to yes in the upper half of the range in which it asks people; an edit is
/// a no to what it had.
pub fn agreement(answers: &[AnsweredReview], thresholds: &Thresholds) -> Vec<Agreement> {
    let mut by_agent: BTreeMap<&AgentId, Vec<&AnsweredReview>> = BTreeMap::new();
    for answer in answers {
        by_agent.entry(&answer.agent).or_default().push(answer);
    }
    let of_agent = |(agent, answers): (&AgentId, Vec<&AnsweredReview>)| {
        let count = |action: ReviewAction| answers.iter().filter(|answer| answer.action == action).count();
        let middle = f64::midpoint(thresholds.approve_above, thresholds.reject_below);
        Agreement {
            agent: agent.clone(),
            approved: count(ReviewAction::Approve),
            edited: count(ReviewAction::Edit),
            rejected: count(ReviewAction::Reject),
            agreed: answers.iter().filter(|answer| (answer.confidence >= middle) == is_yes(answer)).count(),
            suggestion: suggestion(&answers, thresholds),
        }
    };
    by_agent.into_iter().map(of_agent).collect()
}

fn is_yes(answer: &AnsweredReview) -> bool {
    answer.action == ReviewAction::Approve
}

/// The lowest bound for approving, and the highest for rejecting, on whose far side people nearly always said the same.
fn suggestion(answers: &[&AnsweredReview], thresholds: &Thresholds) -> Suggestion {
    let mut bounds: Vec<f64> = answers.iter().map(|answer| answer.confidence).collect();
    bounds.sort_by(f64::total_cmp);
    let holds = |beyond: &dyn Fn(f64) -> bool, yes: bool| {
        let there: Vec<_> = answers.iter().filter(|answer| beyond(answer.confidence)).collect();
        let same = there.iter().filter(|answer| is_yes(answer) == yes).count();
        there.len() >= ANSWERS_MIN && same as f64 >= SAME_MIN * there.len() as f64
    };
    // Rounded outwards to the two digits that people write, so that the bound itself is on the safe side.
    let reject = bounds.iter().rev().map(|bound| (bound * 100.0).floor() / 100.0).find(|bound| holds(&|score| score < *bound, false));
    let reject_below = reject.filter(|bound| *bound > thresholds.reject_below);
    let least = reject_below.unwrap_or(thresholds.reject_below);
    let mut approve = bounds.iter().map(|bound| (bound * 100.0).ceil() / 100.0).filter(|bound| *bound >= least);
    let approve_above = approve.find(|bound| holds(&|score| score > *bound, true)).filter(|bound| *bound < thresholds.approve_above);
    Suggestion { approve_above, reject_below }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLDS: Thresholds = Thresholds { approve_above: 0.9, reject_below: 0.7, retries_max: 2, auto_approve_embedded: false };

    fn answers(agent: &str, confidence: f64, action: ReviewAction, times: usize) -> Vec<AnsweredReview> {
        vec![AnsweredReview { agent: agent.parse().unwrap(), confidence, action }; times]
    }

    #[test]
    fn people_agree_who_approve_the_upper_half_and_turn_down_the_lower() {
        let said = [
            answers("selam", 0.85, ReviewAction::Approve, 3),
            answers("selam", 0.85, ReviewAction::Edit, 1),
            answers("selam", 0.75, ReviewAction::Reject, 2),
            answers("selam", 0.75, ReviewAction::Approve, 2),
            answers("tariku", 0.8, ReviewAction::Approve, 1),
        ]
        .concat();

        let found = agreement(&said, &THRESHOLDS);

        let told: Vec<_> = found.iter().map(|one| (one.agent.as_str(), one.approved, one.edited, one.rejected, one.agreed)).collect();
        assert_eq!(told, [("selam", 5, 1, 2, 5), ("tariku", 1, 0, 0, 1)]);
        assert_eq!((found[0].share(), found[1].share()), (0.625, 1.0));
        assert_eq!(found[0].suggestion, Suggestion::default(), "too few have answered");
    }

    #[test]
    fn thresholds_are_suggested_where_enough_people_said_the_same() {
        let yes = |confidence, times| answers("selam", confidence, ReviewAction::Approve, times);
        let no = |confidence, times| answers("selam", confidence, ReviewAction::Reject, times);
        let suggestion = |said: Vec<Vec<AnsweredReview>>| agreement(&said.concat(), &THRESHOLDS)[0].suggestion;

        let both = suggestion(vec![no(0.72, 20), no(0.761, 1), yes(0.8, 5), yes(0.853, 20)]);
        assert_eq!(both, Suggestion { approve_above: Some(0.8), reject_below: Some(0.8) });
        assert_eq!(suggestion(vec![no(0.72, 19), yes(0.853, 19)]), Suggestion::default());
        assert_eq!(suggestion(vec![yes(0.853, 20), no(0.853, 2)]), Suggestion::default(), "two of twenty-two are too many");
        assert_eq!(suggestion(vec![yes(0.95, 40)]), Suggestion::default(), "never above what holds already");
    }
}
