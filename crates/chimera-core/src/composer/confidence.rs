//! How sure we are, earned check by check. `docs/content.md` has the formula and what each value means.

use std::fmt::Write;

/// Sentences chosen by arithmetic are never approved without a person, unless the Judge is configured to.
pub const EXTRACTIVE_CONFIDENCE_MAX: f64 = 0.89;

/// What a draft rests on, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Support {
    SeveralSources,
    OneSource,
    /// A fact about the agent itself.
    Itself,
    /// The SOUL's own beliefs.
    Beliefs,
    /// The operator's goal, restated.
    Goal,
    /// A phrase that claims nothing.
    Nothing,
}

impl Support {
    /// A plain yes or a thank you is not worse for having been said before.
    pub fn may_repeat(self) -> bool {
        matches!(self, Self::Itself | Self::Nothing)
    }

    fn value(self) -> f64 {
        match self {
            Self::SeveralSources | Self::Itself => 1.0,
            Self::OneSource => 0.95,
            Self::Beliefs => 0.9,
            Self::Goal | Self::Nothing => 0.85,
        }
    }
}

/// Everything that was looked at in one draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Checks {
    pub support: Support,
    /// A sentence had to be cut.
    pub was_cut: bool,
    /// 0 to 1.
    pub relevance: f64,
    /// The share of names and numbers that were found.
    pub grounded_share: f64,
    pub unchecked_directives: usize,
    pub sensitive_topics: usize,
    /// How like the nearest recent text it is, 0 to 1.
    pub likeness: f64,
    pub has_voice: bool,
}

/// One named factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    pub name: &'static str,
    pub value: f64,
}

/// Below this likeness two texts are different; from [`SAME_LIKENESS`] on they are the same.
const DIFFERENT_LIKENESS: f64 = 0.5;
const SAME_LIKENESS: f64 = 0.9;

impl Checks {
    pub fn factors(&self) -> [Factor; 7] {
        let cut = if self.was_cut { 0.9 } else { 1.0 };
        // Something from nowhere is worse than its share: one wrong name spoils a post.
        let grounding = if self.grounded_share < 1.0 { 0.5 * self.grounded_share } else { 1.0 };
        let sameness = ((self.likeness - DIFFERENT_LIKENESS) / (SAME_LIKENESS - DIFFERENT_LIKENESS)).clamp(0.0, 1.0);
        [
            Factor { name: "support", value: self.support.value() * cut },
            Factor { name: "relevance", value: 0.5 + 0.5 * self.relevance.clamp(0.0, 1.0) },
            Factor { name: "grounding", value: grounding },
            Factor { name: "directives", value: if self.unchecked_directives > 0 { 0.95 } else { 1.0 } },
            Factor { name: "safety", value: if self.sensitive_topics > 0 { 0.9 } else { 1.0 } },
            Factor { name: "freshness", value: 1.0 - 0.7 * sameness },
            Factor { name: "voice", value: if self.has_voice { 1.0 } else { 0.95 } },
        ]
    }

    /// Rounded to thousandths: more digits would claim more than was measured.
    pub fn confidence(&self) -> f64 {
        let product: f64 = self.factors().iter().map(|factor| factor.value).product();
        (EXTRACTIVE_CONFIDENCE_MAX * product * 1_000.0).round() / 1_000.0
    }

    /// "support 0.95, relevance 0.91, …".
    pub fn summary(&self) -> String {
        self.factors().iter().fold(String::new(), |mut line, factor| {
            let comma = if line.is_empty() { "" } else { ", " };
            write!(line, "{comma}{} {:.2}", factor.name, factor.value).expect("writing to a string cannot fail");
            line
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best() -> Checks {
        Checks {
            support: Support::SeveralSources,
            was_cut: false,
            relevance: 1.0,
            grounded_share: 1.0,
            unchecked_directives: 0,
            sensitive_topics: 0,
            likeness: 0.0,
            has_voice: true,
        }
    }

    #[test]
    fn the_best_draft_stays_below_auto_approval() {
        assert!(best().confidence() < 0.90 && best().confidence() > 0.88);
    }

    #[test]
    fn every_flaw_lowers_confidence() {
        for worse in [
            Checks { support: Support::OneSource, ..best() },
            Checks { support: Support::Goal, ..best() },
            Checks { was_cut: true, ..best() },
            Checks { relevance: 0.5, ..best() },
            Checks { grounded_share: 0.9, ..best() },
            Checks { unchecked_directives: 1, ..best() },
            Checks { sensitive_topics: 1, ..best() },
            Checks { likeness: 0.95, ..best() },
            Checks { has_voice: false, ..best() },
        ] {
            assert!(worse.confidence() < best().confidence(), "{worse:?}");
        }
        assert!(Checks { grounded_share: 0.9, ..best() }.confidence() < 0.7, "a name from nowhere is rejected");
        assert!(Checks { likeness: 0.95, ..best() }.confidence() < 0.7, "a repeated post is rejected");
    }
}
