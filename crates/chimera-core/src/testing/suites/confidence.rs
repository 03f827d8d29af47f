//! Does confidence tell good drafts from spoiled ones, with this embedder? The spoiling below knows nothing of the checks: it works on
//! letters and fixed lists.

use crate::{
    composer::{Assignment, Brief, Composed, Feedback, Memory, Source, assess},
    domain::{Soul, Untrusted, WebUrl},
    perception::background::Background,
    policy::content::Directive,
    ports::embedder::Embedder,
    testing::stories::{PERSONAS, Persona, STORIES, Story},
};
use std::collections::BTreeMap;

/// What was done to a good draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spoiling {
    /// By a stranger's, or by one of another story.
    SwappedName,
    /// By one that nobody said.
    ChangedNumber,
    /// By another one of the same story.
    BorrowedNumber,
    Negation,
    ForeignClaim,
    BreachedDirective,
    OtherVoice,
}

impl Spoiling {
    pub fn name(self) -> &'static str {
        match self {
            Self::SwappedName => "a swapped name",
            Self::ChangedNumber => "a changed number",
            Self::BorrowedNumber => "a number that the source says of something else",
            Self::Negation => "a negation",
            Self::ForeignClaim => "a claim from elsewhere",
            Self::BreachedDirective => "a breached directive",
            Self::OtherVoice => "another persona's voice",
        }
    }
}

pub const SPOILINGS: [Spoiling; 7] = [
    Spoiling::SwappedName,
    Spoiling::ChangedNumber,
    Spoiling::BorrowedNumber,
    Spoiling::Negation,
    Spoiling::ForeignClaim,
    Spoiling::BreachedDirective,
    Spoiling::OtherVoice,
];

const STRANGERS: [&str; 6] = ["Marlow Heath", "Kirin Falls", "Vesna Point", "Dunmore", "Alta Serra", "Quill Harbour"];
const CLAIMS: [&str; 6] = [
    "Critics call the whole project a waste of public money.",
    "A leaked report blames poor management for the delays.",
    "Several companies have already copied the idea abroad.",
    "Experts expect the trend to collapse within months.",
    "The organisers were fined for hiding the accounts.",
    "Tickets sold out within minutes of the announcement.",
];
/// How other people talk, one for each persona that is not like that.
const OTHER_VOICES: [&str; 4] = [
    "OMG besties, this is EVERYTHING!!! 🎉🎉🎉",
    "Per the available data, the effect size merits a larger sample.",
    "Dear ones, breathe softly and let your heart be still...",
    "Well, stop the presses, who knew, riveting stuff as ever.",
];

/// `None` when the draft offers nothing to spoil in this way.
fn spoiled(kind: Spoiling, draft: &str, line: &str, index: usize, story: &Story, persona: (usize, &Persona)) -> Option<String> {
    let whole = format!("{draft} {line}");
    let changed = match kind {
        Spoiling::SwappedName => {
            let other = if index.is_multiple_of(2) { STRANGERS[index % 6] } else { STORIES[(index + 3) % 10].name };
            whole.replacen(story.name, other, 1)
        }
        Spoiling::ChangedNumber => {
            let number = numbers(&whole).next()?;
            let value: u64 = number.replace(',', "").parse().ok()?;
            whole.replacen(number, &(value * 2 + 3).to_string(), 1)
        }
        Spoiling::BorrowedNumber => {
            let number = numbers(&whole).next()?;
            let other = numbers(story.text).find(|other| !whole.contains(other))?;
            whole.replacen(number, other, 1)
        }
        Spoiling::Negation => whole.replacen(story.verb, &format!("{} {}", ["never", "hardly ever"][index % 2], story.verb), 1),
        Spoiling::ForeignClaim => format!("{draft} {} {line}", CLAIMS[index % 6]),
        Spoiling::BreachedDirective => format!("{draft} {}", persona.1.breach),
        Spoiling::OtherVoice => format!("{draft} {}", OTHER_VOICES[persona.0]),
    };
    (changed != whole).then_some(changed)
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_ascii_digit() && c != ',');
    runs.map(|run| run.trim_matches(',')).filter(|run| !run.is_empty())
}

fn assessed(story: &Story, persona: &Persona, draft: &str, embedder: &dyn Embedder, background: &Background) -> Composed {
    let soul = Soul::parse(&persona.soul()).unwrap();
    let other = &STORIES[(STORIES.iter().position(|known| known.goal == story.goal).unwrap() + 1) % STORIES.len()];
    let source = |story: &Story| Source {
        resource_uri: "news://x/y".to_owned(),
        title: Untrusted::new(story.title),
        text: Untrusted::new(story.text),
        url: WebUrl::parse("https://news.example/a"),
        author: None,
        published_at: None,
    };
    let brief = Brief {
        now: chrono::DateTime::UNIX_EPOCH,
        seed: draft,
        soul: &soul,
        goal: story.goal,
        directives: &[Directive::read(persona.directive)],
        sources: &[source(story), source(other)],
        platform: None,
        assignment: Assignment::default(),
        memory: &Memory::default(),
        feedback: &Feedback::default(),
        embedder,
        background,
    };
    assess(&brief, None, draft, "a test").unwrap().composed
}

/// How often a good draft is surer than a spoiled one; a tie counts half.
fn auc(good: &[f64], bad: &[f64]) -> f64 {
    let wins: f64 =
        good.iter().flat_map(|good| bad.iter().map(move |bad| if (good - bad).abs() < 1e-9 { 0.5 } else { f64::from(good > bad) })).sum();
    wins / (good.len() * bad.len()) as f64
}

/// How sure it is of good drafts and of spoiled ones.
pub struct Calibration {
    pub good: Vec<f64>,
    pub bad: BTreeMap<Spoiling, Vec<f64>>,
    /// Spoiled drafts that are as sure as they were before.
    pub undetected: Vec<String>,
    /// The good draft that it is least sure of.
    pub least: String,
}

impl Calibration {
    pub fn of(embedder: &dyn Embedder) -> Self {
        let background = Background::new(embedder);
        let mut found = Self { good: Vec::new(), bad: BTreeMap::new(), undetected: Vec::new(), least: String::new() };
        for story in &STORIES {
            for (number, persona) in PERSONAS.iter().enumerate() {
                let quoted = story.text.split_inclusive(". ").next().unwrap().trim();
                for draft in story.drafts.into_iter().chain([quoted]) {
                    let index = found.good.len();
                    let line = persona.lines[index % 3];
                    let composed = assessed(story, persona, &format!("{draft} {line}"), embedder, &background);
                    let sure = composed.confidence;
                    if found.good.iter().all(|other| sure < *other) {
                        found.least = format!("{sure:.3}, {}: {draft} {line}", composed.checks.summary());
                    }
                    found.good.push(sure);
                    for kind in SPOILINGS {
                        let Some(text) = spoiled(kind, draft, line, index, story, (number, persona)) else { continue };
                        let unsure = assessed(story, persona, &text, embedder, &background).confidence;
                        if unsure >= sure {
                            found.undetected.push(format!("{kind:?} {unsure:.3} is not below {sure:.3}: {text}"));
                        }
                        found.bad.entry(kind).or_default().push(unsure);
                    }
                }
            }
        }
        found
    }

    /// How often a good draft is surer than one that was spoiled in this way.
    pub fn auc_of(&self, kind: Spoiling) -> f64 {
        auc(&self.good, &self.bad[&kind])
    }

    pub fn auc(&self) -> f64 {
        auc(&self.good, &self.bad.values().flatten().copied().collect::<Vec<_>>())
    }

    /// For people.
    pub fn told(&self) -> String {
        let per_kind: Vec<String> =
            self.bad.iter().map(|(kind, scores)| format!("{kind:?} {:.3} of {}", self.auc_of(*kind), scores.len())).collect();
        let mean = self.good.iter().sum::<f64>() / self.good.len() as f64;
        format!(
            "{} good, mean {mean:.3}; AUC {:.3}; {}; {} of {} as sure as before\nleast good: {}",
            self.good.len(),
            self.auc(),
            per_kind.join(", "),
            self.undetected.len(),
            self.spoiled(),
            self.least
        )
    }

    /// How many were spoiled.
    pub fn spoiled(&self) -> usize {
        self.bad.values().map(Vec::len).sum()
    }
}

/// What the whole of them, and each kind, must reach.
pub const AUC_MIN: f64 = 0.95;

/// The whole, with this embedder.
pub fn good_drafts_are_surer_than_spoiled_ones_of_every_kind(embedder: &dyn Embedder) {
    let found = Calibration::of(embedder);
    let told = found.told();
    assert_eq!((found.good.len(), found.bad.len()), (120, SPOILINGS.len()));
    assert!(found.auc() >= AUC_MIN, "{told}");
    for kind in SPOILINGS {
        assert!(found.auc_of(kind) >= AUC_MIN, "{kind:?}: {told}");
    }
    // Beside its own good draft, where neither story nor goal differ.
    assert!(found.undetected.len() * 50 <= found.spoiled(), "{told}\n{}", found.undetected.join("\n"));
}
