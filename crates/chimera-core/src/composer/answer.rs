//! What is asked of a model, and from what it answered to a draft that the same checks have seen as every other.

mod reading;

use super::{
    Brief, Comment, Composed, Unmeetable,
    choice::is_in,
    confidence::{Origin, Support},
    drafting::{Desk, Draft, Making, relevance},
    fitting::Parts,
    hashtags,
    material::{Material, Rests},
    prompting, reply,
};
use crate::{contracts::content_generator::PostForm, perception::language::language_of, ports::text_model::Prompt};
use reading::{Answer, Said, VOICE};
use std::collections::HashMap;

/// A model's draft, checked.
#[derive(Debug, Clone)]
pub struct Assessed {
    /// The model's own words, as they were judged.
    pub body: String,
    pub composed: Composed,
    /// Empty when the draft may be used.
    pub violations: Vec<String>,
}

/// One text that models are asked for: a post for the brief, or a reply to a comment. What they are shown and what their answers are read by are the
/// same, and found once.
pub struct Asked<'a> {
    brief: &'a Brief<'a>,
    comment: Option<&'a Comment>,
    material: Material,
}

impl<'a> Asked<'a> {
    pub fn new(brief: &'a Brief<'a>, comment: Option<&'a Comment>) -> Self {
        Self { brief, comment, material: Material::of(brief, comment) }
    }

    /// For one draft of several: each has its own `number`, and so its own seed.
    pub fn prompt(&self, number: u32) -> Prompt {
        prompting::prompt(self.brief, self.comment, &self.material, number)
    }

    /// The same once more, after `draft` broke rules.
    pub fn rewriting(&self, draft: &str, violations: &[String]) -> Prompt {
        prompting::rewriting(self.brief, self.comment, &self.material, draft, violations)
    }

    /// Judges an answer. `written_by` is for the trace.
    pub fn assess(&self, answer: &str, written_by: &str) -> Result<Assessed, Unmeetable> {
        let mut desk = Desk::new(self.brief, self.comment, Origin::Model)?;
        let said = self.said(answer);
        desk.rests = said.rests;
        let (draft, is_fitting) = fitted(&desk, self.comment, said.sentences, written_by);
        let draft = desk.classified(draft);
        let mut violations = said.problems;
        violations.extend(draft.violations());
        let body = draft.body();
        if !is_fitting {
            violations.push("it is empty, or too long for the platform".to_owned());
        }
        if let Some(other) = language_of(&body).filter(|other| *other != desk.language && !is_in(desk.language, &body)) {
            violations.push(format!("it is in {other}, and must be in {}", desk.language));
        }
        violations.extend(desk.wishes.unheeded(&body));
        if self.comment.is_none() && desk.was_said_elsewhere(&body) {
            violations.push("it is word for word what you said of this story on another platform".to_owned());
        }
        if self.comment.is_none() && self.brief.assignment.form == Some(PostForm::Question) && !body.contains(['?', '？', '؟', '፧']) {
            violations.push("it asks no question, and one is wanted".to_owned());
        }
        let mut composed = desk.composed(draft, 1, 1);
        composed.trace.push(said.form);
        Ok(Assessed { body, composed, violations })
    }

    fn said(&self, answer: &str) -> Understood {
        match reading::read(answer, &self.brief.soul.disclosure) {
            Answer::Plain(sentences) => {
                Understood { sentences, form: "answer: a plain text, every sentence a claim".to_owned(), ..Understood::default() }
            }
            Answer::Broken(problem) => Understood {
                problems: vec![format!("the answer is not the JSON that was asked for: {problem}")],
                form: "answer: not to be read".to_owned(),
                ..Understood::default()
            },
            Answer::Structured(said) => self.understood(said),
        }
    }

    fn understood(&self, said: Vec<Said>) -> Understood {
        let mut understood = Understood::default();
        let mut voiced = 0;
        for Said { text, rests_on } in said {
            let (voice, ids): (Vec<String>, Vec<String>) = rests_on.into_iter().partition(|id| id.trim().eq_ignore_ascii_case(VOICE));
            // Whoever names facts claims something, whatever else they say of it.
            let rests = match self.material.rests_on(&ids) {
                Ok(_) if ids.is_empty() && voice.is_empty() => Rests::Unsaid,
                Ok(_) if ids.is_empty() => Rests::Voice,
                Ok(rests) => rests,
                Err(unknown) => {
                    understood.problems.push(format!("it names {}, and there is no such fact, for: {text}", unknown.join(", ")));
                    Rests::Unsaid
                }
            };
            voiced += usize::from(rests == Rests::Voice);
            understood.rests.insert(text.clone(), rests);
            understood.sentences.push(text);
        }
        understood.form = format!("answer: {} sentences with what they rest on, {voiced} of them called voice", understood.sentences.len());
        understood
    }
}

/// An answer as sentences, and what was found out by reading it.
#[derive(Default)]
struct Understood {
    sentences: Vec<String>,
    rests: HashMap<String, Rests>,
    problems: Vec<String>,
    /// For the trace.
    form: String,
}

/// Sources that are cited under a text.
const CITATIONS_MAX: usize = 2;

/// Judges `answer` as a post for the brief, or as a reply to `comment`. `written_by` is for the trace.
pub fn assess(brief: &Brief<'_>, comment: Option<&Comment>, answer: &str, written_by: &str) -> Result<Assessed, Unmeetable> {
    Asked::new(brief, comment).assess(answer, written_by)
}

/// With as many of the sentences as the platform takes, from the first on.
fn fitted(desk: &Desk<'_>, comment: Option<&Comment>, mut sentences: Vec<String>, written_by: &str) -> (Draft, bool) {
    let is_empty = sentences.is_empty();
    let mut was_cut = false;
    loop {
        let parts = whole(desk, comment, &sentences);
        let fits = desk.limits.allows(&parts.text());
        if fits || sentences.len() <= 1 {
            return (assessed(desk, comment, parts, was_cut, written_by), fits && !is_empty);
        }
        sentences.pop();
        was_cut = true;
    }
}

/// The model's sentences with all that must and may stand around them.
fn whole(desk: &Desk<'_>, comment: Option<&Comment>, sentences: &[String]) -> Parts {
    let mut parts = desk.bare("");
    parts.sentences = sentences.to_vec();
    parts.opener = comment.and_then(|comment| reply::mention(desk, comment));
    let used = desk.sources_of(&parts);
    for source in used.iter().take(CITATIONS_MAX) {
        parts.cite(desk.citation(Some(*source)));
    }
    if !desk.limits.allows(&parts.text()) {
        parts.cites_briefly = true;
    }
    if comment.is_some() {
        return parts;
    }
    // The first word of what a model says to its readers looks like a name, and is none.
    let said = sentences.join(" ");
    let tags = hashtags::choose(desk.brief.goal, &said, &desk.items(used), desk.language, desk.hashtags_wanted())
        .into_iter()
        .filter(|tag| desk.knows_tag(tag));
    let template = parts.clone();
    parts.tagged(tags, &|text| desk.allows_text(text, &template))
}

fn assessed(desk: &Desk<'_>, comment: Option<&Comment>, parts: Parts, was_cut: bool, written_by: &str) -> Draft {
    let said = parts.sentences.join(" ");
    let used = desk.sources_of(&parts);
    let support = match used.len() {
        0 if desk.brief.sources.is_empty() => Support::Goal,
        0 => Support::Nothing,
        1 => Support::OneSource,
        _ => Support::SeveralSources,
    };
    let about = comment.map_or(desk.brief.goal, |comment| comment.text.as_data());
    let items = desk.items(used);
    let texts: Vec<&str> = std::iter::once(said.as_str()).chain(items.iter().map(String::as_str)).collect();
    let scores = relevance(&texts, about, desk.brief);
    // A text is about what its sources are about, though it may not say so in their words.
    let of_items = scores.iter().skip(1).copied().fold(0.0, f64::max);
    let own = scores.first().copied().unwrap_or_default();
    let relevance = if desk.brief.sources.is_empty() && comment.is_none() { 1.0 } else { own.max(own.midpoint(of_items)) };
    desk.assessed(
        parts,
        Making { support, relevance, was_cut, merit: 1.0, note: format!("written by {written_by}, checked like any other draft") },
    )
}
