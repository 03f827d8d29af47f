//! Does confidence tell good drafts from spoiled ones? The spoiling below knows nothing of the checks: it works on letters and fixed lists.

use super::{
    stories::{PERSONAS, Persona, STORIES, Story},
    *,
};
use std::collections::BTreeMap;

/// What was done to a good draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spoiling {
    SwappedName,
    ChangedNumber,
    Negation,
    ForeignClaim,
    BreachedDirective,
    OtherVoice,
}

const SPOILINGS: [Spoiling; 6] = [
    Spoiling::SwappedName,
    Spoiling::ChangedNumber,
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
            let start = whole.find(|c: char| c.is_ascii_digit())?;
            let length = whole[start..].find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(whole.len() - start);
            let value: u64 = whole[start..start + length].replace(',', "").parse().ok()?;
            format!("{}{}{}", &whole[..start], value * 2 + 3, &whole[start + length..])
        }
        Spoiling::Negation => whole.replacen(story.verb, &format!("{} {}", ["never", "hardly ever"][index % 2], story.verb), 1),
        Spoiling::ForeignClaim => format!("{draft} {} {line}", CLAIMS[index % 6]),
        Spoiling::BreachedDirective => format!("{draft} {}", persona.1.breach),
        Spoiling::OtherVoice => format!("{draft} {}", OTHER_VOICES[persona.0]),
    };
    (changed != whole).then_some(changed)
}

fn confidence(story: &Story, persona: &Persona, draft: &str) -> f64 {
    let soul =
        SOUL.replace("[curious, warm]", persona.traits).replace("  - Never discuss politics", &format!("  - '{}'", persona.directive));
    let soul = Soul::parse(&soul).unwrap();
    let other = &STORIES[(STORIES.iter().position(|known| known.goal == story.goal).unwrap() + 1) % STORIES.len()];
    let source = |story: &Story| source(story.title, story.text, Some("https://news.example/a"));
    let brief = Brief {
        seed: draft,
        soul: &soul,
        goal: story.goal,
        directives: &[Directive::read(persona.directive)],
        sources: &[source(story), source(other)],
        platform: None,
        memory: &Memory::default(),
        embedder: &WordEmbedder,
        background: &BACKGROUND,
    };
    assess(&brief, None, draft, "a test").unwrap().composed.confidence
}

/// How often a good draft is surer than a spoiled one; a tie counts half.
fn auc(good: &[f64], bad: &[f64]) -> f64 {
    let wins: f64 =
        good.iter().flat_map(|good| bad.iter().map(move |bad| if (good - bad).abs() < 1e-9 { 0.5 } else { f64::from(good > bad) })).sum();
    wins / (good.len() * bad.len()) as f64
}

#[test]
fn good_drafts_are_surer_than_spoiled_ones_of_every_kind() {
    let mut good = Vec::new();
    let mut bad: BTreeMap<Spoiling, Vec<f64>> = BTreeMap::new();
    let (mut index, mut pairs, mut undetected) = (0, 0, 0);
    for story in &STORIES {
        for (number, persona) in PERSONAS.iter().enumerate() {
            let quoted = story.text.split_inclusive(". ").next().unwrap().trim();
            for draft in story.drafts.into_iter().chain([quoted]) {
                let line = persona.lines[index % 3];
                let sure = confidence(story, persona, &format!("{draft} {line}"));
                good.push(sure);
                for kind in SPOILINGS {
                    let Some(text) = spoiled(kind, draft, line, index, story, (number, persona)) else { continue };
                    let unsure = confidence(story, persona, &text);
                    pairs += 1;
                    if unsure >= sure {
                        println!("{kind:?} {unsure:.3} is not below {sure:.3}: {text}");
                        undetected += 1;
                    }
                    bad.entry(kind).or_default().push(unsure);
                }
                index += 1;
            }
        }
    }

    let all: Vec<f64> = bad.values().flatten().copied().collect();
    let overall = auc(&good, &all);
    let per_kind: Vec<String> =
        bad.iter().map(|(kind, scores)| format!("{kind:?} {:.3} of {}", auc(&good, scores), scores.len())).collect();
    let mean = good.iter().sum::<f64>() / good.len() as f64;
    println!("{} good, mean {mean:.3}; AUC {overall:.3}; {}", good.len(), per_kind.join(", "));
    assert_eq!((good.len(), bad.len()), (120, 6));
    assert!(overall >= 0.95, "AUC {overall:.3}: {per_kind:?}");
    for (kind, scores) in &bad {
        assert!(auc(&good, scores) >= 0.80, "{kind:?}: {per_kind:?}");
    }
    // Beside its own good draft, where neither story nor goal differ.
    assert!(undetected * 50 <= pairs, "{undetected} of {pairs} spoiled drafts are as sure as before");
}
