//! How sure we are, earned check by check: of a model's post about sources what a fit on editors' grades makes of its parts, of every other text the
//! product of hand-made factors. `docs/content.md` has both and what each value means.

mod fitted;

use super::worth::Worth;
use std::fmt::Write;

/// Sentences chosen by arithmetic are never approved without a person, unless the Judge is configured to.
pub const EXTRACTIVE_CONFIDENCE_MAX: f64 = 0.89;
/// Our checks see words, not meaning: no text of a model is certain.
pub const MODEL_CONFIDENCE_MAX: f64 = 0.97;

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

/// Who made a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The embedded composer, from sentences of the sources.
    Extractive,
    /// A language model, in words of its own.
    Model,
}

impl Origin {
    pub fn confidence_max(self) -> f64 {
        match self {
            Self::Extractive => EXTRACTIVE_CONFIDENCE_MAX,
            Self::Model => MODEL_CONFIDENCE_MAX,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Model => "by a model",
        }
    }
}

/// Everything that was looked at in one draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Checks {
    pub origin: Origin,
    pub support: Support,
    /// A sentence had to be cut.
    pub was_cut: bool,
    /// 0 to 1.
    pub relevance: f64,
    /// The share of names and numbers that were found.
    pub grounded_share: f64,
    /// The least that one of its sentences has in common with what may be said, 0 to 1.
    pub said_share: f64,
    /// Sentences that say what nobody said.
    pub foreign: usize,
    /// Sentences that deny what a source affirms.
    pub denials: usize,
    /// Names and numbers that a source says of something else.
    pub misplaced: usize,
    /// Sentences that words speak against, or that only their writer calls voice: a person decides.
    pub doubted: usize,
    pub breached_directives: usize,
    pub unchecked_directives: usize,
    pub sensitive_topics: usize,
    pub is_toxic: bool,
    /// How like the nearest earlier text it is, 0 to 1.
    pub likeness: f64,
    /// How much it sounds like its persona, 0 to 1.
    pub voice: f64,
    /// The least and the mean of how far its claims are supported, where somebody read them.
    pub read: Option<(f64, f64)>,
    /// What a reader gets from it; `None` for what is no post about sources whose claims were read.
    pub worth: Option<Worth>,
}

/// One named factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    pub name: &'static str,
    pub value: f64,
}

/// Below this likeness two texts are different; from [`SAME_LIKENESS`] on they are the same.
const DIFFERENT_LIKENESS: f64 = 0.5;
pub(super) const SAME_LIKENESS: f64 = 0.9;

/// What is left of a draft that says something from nowhere, however little that is.
const FROM_NOWHERE: f64 = 0.25;
/// What is left of a draft with a name or number that a source says of something else.
const OUT_OF_PLACE: f64 = 0.35;

const BREACHED: f64 = 0.2;
const TOXIC: f64 = 0.3;
/// A sentence had to be left out.
const CUT: f64 = 0.9;

/// A sentence with this much in common with its source says what the source says.
const SAID_MIN: f64 = 0.75;

/// What is left of a model's post that one of the checks of its words found fault with, where a reading beside its sources does not say the same:
/// always less than a person is asked about. The checks see no meaning and err often, so that a heavier fault would drown what else is known.
const FAULTY: f64 = 0.69;
/// Where the reading says so too.
const SURELY_FAULTY: f64 = 0.25;
/// Where it claims nothing that could be read, the words are all there is.
const FAULTY_UNREAD: f64 = 0.1;
/// A claim that is read as supported less than this is refused.
const READ_MIN: f64 = 0.2;
/// A voice that is somebody else's.
const OTHER_VOICE_MAX: f64 = 0.8;
/// A text with a directive that nobody checked is never as sure as one that needs no person.
const UNCHECKED_MAX: f64 = 0.89;

impl Checks {
    pub fn factors(&self) -> Vec<Factor> {
        match (&self.worth, self.origin) {
            (Some(worth), Origin::Model) => fitted::parts(self, worth).into_iter().chain(self.penalties()).collect(),
            _ => self.product().to_vec(),
        }
    }

    /// What lowers a model's post beside its worth.
    fn penalties(&self) -> [Factor; 4] {
        let words = match self.read {
            None => FAULTY_UNREAD,
            Some((least, _)) if least < READ_MIN => SURELY_FAULTY,
            Some(_) => FAULTY,
        };
        let directives = if self.breached_directives > 0 { BREACHED } else { 1.0 };
        let toxic = if self.is_toxic { TOXIC } else { 1.0 };
        [
            Factor { name: "faultless", value: if self.is_faulty() { words } else { 1.0 } },
            Factor { name: "directives", value: directives },
            Factor { name: "safety", value: toxic },
            Factor { name: "freshness", value: self.freshness() * if self.was_cut { CUT } else { 1.0 } },
        ]
    }

    /// Whether something in it is from nowhere, denied, out of its place or in somebody else's voice.
    fn is_faulty(&self) -> bool {
        let is_from_nowhere = self.grounded_share < 1.0 || self.foreign > 0;
        is_from_nowhere || self.denials > 0 || self.misplaced > 0 || self.voice <= OTHER_VOICE_MAX
    }

    fn freshness(&self) -> f64 {
        1.0 - 0.7 * ((self.likeness - DIFFERENT_LIKENESS) / (SAME_LIKENESS - DIFFERENT_LIKENESS)).clamp(0.0, 1.0)
    }

    fn product(&self) -> [Factor; 8] {
        let cut = if self.was_cut { CUT } else { 1.0 };
        // Something from nowhere is worse than its share: one wrong name spoils a post. It must cost more than relevance can, or a false post on
        // the right subject would look better than a true one that is less to the point.
        let grounding = if self.grounded_share < 1.0 { FROM_NOWHERE * self.grounded_share } else { 1.0 };
        let directives = match (self.breached_directives, self.unchecked_directives) {
            (0, 0) => 1.0,
            (0, _) => 0.95,
            (_, _) => BREACHED,
        };
        let sensitive = if self.sensitive_topics > 0 { 0.9 } else { 1.0 };
        let toxic = if self.is_toxic { TOXIC } else { 1.0 };
        [
            Factor { name: "support", value: self.support.value() * cut },
            Factor { name: "relevance", value: 0.5 + 0.5 * self.relevance.clamp(0.0, 1.0) },
            Factor { name: "grounding", value: grounding },
            Factor { name: "saying", value: self.saying() },
            Factor { name: "directives", value: directives },
            Factor { name: "safety", value: sensitive * toxic },
            Factor { name: "freshness", value: self.freshness() },
            Factor { name: "voice", value: self.voice },
        ]
    }

    fn saying(&self) -> f64 {
        let said = if self.said_share >= SAID_MIN { 1.0 } else { 0.3 + 0.6 * self.said_share / SAID_MIN };
        let denied = if self.denials > 0 { 0.4 } else { 1.0 };
        let misplaced = if self.misplaced > 0 { OUT_OF_PLACE } else { 1.0 };
        said * denied * misplaced
    }

    /// Rounded to thousandths: more digits would claim more than was measured.
    pub fn confidence(&self) -> f64 {
        let sure: f64 = match (&self.worth, self.origin) {
            (Some(worth), Origin::Model) => {
                let penalty: f64 = self.penalties().iter().map(|factor| factor.value).product();
                let most = if self.unchecked_directives > 0 || self.doubted > 0 { UNCHECKED_MAX } else { 1.0 };
                (MODEL_CONFIDENCE_MAX * fitted::worth(&fitted::parts(self, worth)) * penalty).min(most)
            }
            _ => {
                let most = if self.doubted > 0 { UNCHECKED_MAX } else { 1.0 };
                (self.origin.confidence_max() * self.product().iter().map(|factor| factor.value).product::<f64>()).min(most)
            }
        };
        (sure * 1_000.0).round() / 1_000.0
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
            origin: Origin::Extractive,
            support: Support::SeveralSources,
            was_cut: false,
            relevance: 1.0,
            grounded_share: 1.0,
            said_share: 1.0,
            denials: 0,
            misplaced: 0,
            doubted: 0,
            breached_directives: 0,
            unchecked_directives: 0,
            sensitive_topics: 0,
            is_toxic: false,
            likeness: 0.0,
            voice: 1.0,
            read: None,
            worth: None,
            foreign: 0,
        }
    }

    #[test]
    fn the_best_draft_stays_below_auto_approval() {
        assert!(best().confidence() < 0.90 && best().confidence() > 0.88);
        let by_model = Checks { origin: Origin::Model, ..best() };
        assert!(by_model.confidence() > 0.90 && by_model.confidence() < 1.0, "only a model's may be approved without a person");
        for wrong in [
            Checks { denials: 1, ..by_model.clone() },
            Checks { misplaced: 1, ..by_model.clone() },
            Checks { breached_directives: 1, ..by_model.clone() },
            Checks { is_toxic: true, ..by_model.clone() },
        ] {
            assert!(wrong.confidence() < 0.7, "{wrong:?}");
        }
    }

    /// A post of two plain sentences about its source.
    fn post() -> Checks {
        let worth = Worth { words: 34.0, sentences: 3.0, ..Worth::default() };
        Checks { origin: Origin::Model, worth: Some(worth), read: Some((0.5, 0.6)), relevance: 0.8, ..best() }
    }

    #[test]
    fn a_models_post_is_worth_what_a_reader_gets_from_it() {
        let of = |change: fn(&mut Worth)| {
            let mut checks = post();
            change(checks.worth.as_mut().unwrap());
            checks.confidence()
        };
        assert!(post().confidence() >= 0.7, "{}: {}", post().confidence(), post().summary());
        assert!(of(|worth| (worth.words, worth.sentences) = (9.0, 1.0)) < 0.7, "it says next to nothing");
        assert!(of(|worth| worth.loud = 4.0) < 0.7, "it shouts");
        assert!(of(|worth| worth.of_goal = 0.6) < 0.7, "it is the goal said again");
        assert!(of(|worth| worth.broken = 2.0) < 0.7, "it is broken");
        assert!(of(|worth| worth.stock = 1.0) < post().confidence());
    }

    #[test]
    fn no_worth_outweighs_a_fault() {
        let worth = Worth { words: 80.0, sentences: 5.0, addresses: 3.0, ..Worth::default() };
        let best = Checks { worth: Some(worth), relevance: 1.0, read: Some((1.0, 1.0)), ..post() };
        assert!(best.confidence() > 0.9, "{}", best.summary());
        for wrong in [
            Checks { grounded_share: 0.9, ..best.clone() },
            Checks { foreign: 1, ..best.clone() },
            Checks { denials: 1, ..best.clone() },
            Checks { misplaced: 1, ..best.clone() },
            Checks { breached_directives: 1, ..best.clone() },
            Checks { is_toxic: true, ..best.clone() },
            Checks { likeness: 0.95, ..best.clone() },
            Checks { voice: 0.7, ..best.clone() },
        ] {
            assert!(wrong.confidence() < 0.7, "{}", wrong.summary());
            let unread = Checks { read: None, ..wrong.clone() };
            assert!(unread.confidence() <= wrong.confidence(), "nobody read it: {}", unread.summary());
        }
        assert!(Checks { unchecked_directives: 1, ..best }.confidence() < 0.9, "a person decides");
    }

    #[test]
    fn what_is_doubted_is_never_approved_without_a_person() {
        let by_model = Checks { origin: Origin::Model, ..best() };
        assert!(by_model.confidence() > 0.90);
        assert!(Checks { doubted: 1, ..by_model }.confidence() <= UNCHECKED_MAX);
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
            Checks { voice: 0.8, ..best() },
            Checks { said_share: 0.5, ..best() },
            Checks { denials: 1, ..best() },
            Checks { misplaced: 1, ..best() },
            Checks { breached_directives: 1, ..best() },
            Checks { is_toxic: true, ..best() },
        ] {
            assert!(worse.confidence() < best().confidence(), "{worse:?}");
        }
        assert!(Checks { grounded_share: 0.9, ..best() }.confidence() < 0.7, "a name from nowhere is rejected");
        assert!(Checks { likeness: 0.95, ..best() }.confidence() < 0.7, "a repeated post is rejected");
    }
}
