//! A finished text with all that was found out about it, and what is told of it: to whoever may write it anew, and in the trace.

use super::Desk;
use crate::{
    composer::{
        Composed,
        confidence::{Checks, SAME_LIKENESS, Support},
        fitting::Parts,
        grounding::Grounding,
        saying::Saying,
    },
    domain::Platform,
    policy::{
        finished::{Foreign, Vouched},
        sensitive::Topic,
    },
};

/// A finished text with what was found out about it.
#[derive(Debug, Clone)]
pub(in crate::composer) struct Draft {
    pub(super) parts: Parts,
    pub(super) text: String,
    pub(super) checks: Checks,
    pub(super) grounding: Grounding,
    pub(super) saying: Saying,
    pub(super) breaches: Vec<String>,
    pub(super) unchecked: Vec<String>,
    pub(super) topics: Vec<Topic>,
    pub(super) vouched: Vouched,
    /// What in the text nobody vouches for.
    pub(super) foreign: Vec<Foreign>,
    pub(super) note: String,
    pub(super) merit: f64,
}

/// What the parts of a draft cannot tell about themselves.
#[derive(Debug, Clone)]
pub(in crate::composer) struct Making {
    pub(in crate::composer) support: Support,
    pub(in crate::composer) relevance: f64,
    pub(in crate::composer) was_cut: bool,
    /// What it is worth to a reader beside other drafts of the same writer, 0 to 1.
    pub(in crate::composer) merit: f64,
    /// For the trace: what kind of text this is.
    pub(in crate::composer) note: String,
}

impl Desk<'_> {
    pub(in crate::composer) fn composed(&self, draft: Draft, number: usize, of: usize) -> Composed {
        let confidence = draft.checks.confidence();
        let platform = self.brief.platform.map_or("no platform", Platform::name);
        let mut trace = vec![
            format!("{}: {}; draft {number} of {of}", self.origin.name(), draft.note),
            format!("length: {} of {} on {platform}", self.limits.length(&draft.text), self.limits.length_max),
        ];
        trace.extend(self.brief.assignment.form.map(|form| format!("form wanted: {}", form.name())));
        trace.push(format!("language: {}", self.language));
        trace.extend(self.wishes.trace(&draft.text));
        let cited = draft.parts.cited();
        if !cited.is_empty() {
            trace.push(format!("cited {}: {}", if cited.len() > 1 { "sources" } else { "source" }, cited.join(" ")));
        }
        let found = draft.grounding.checked - draft.grounding.missing.len();
        trace.push(format!("grounding: {found} of {} names, numbers and links found in sources, goal or SOUL", draft.grounding.checked));
        if !draft.grounding.missing.is_empty() {
            trace.push(format!("not found: {}", draft.grounding.missing.join("; ")));
        }
        trace.push(format!(
            "saying: {} sentences claim something; the weakest has {:.2} of its words from what may be said",
            draft.saying.claims, draft.saying.weakest
        ));
        if draft.saying.voiced > 0 {
            trace.push(format!("voice: {} sentences are opinion, question, greeting or call, and claim nothing", draft.saying.voiced));
        }
        trace.extend(draft.saying.misnamed.iter().map(|sentence| format!("names other facts than those that say it: {sentence}")));
        trace.extend(draft.saying.doubted.iter().map(|sentence| format!("doubted, so a person decides: {sentence}")));
        let kept = self.brief.directives.len() - draft.unchecked.len() - draft.breaches.len();
        trace.push(format!("directives: {kept} checked and kept, {} unchecked", draft.unchecked.len()));
        trace.extend(draft.unchecked.iter().map(|text| format!("unchecked directive: {text}")));
        if !self.voice.unknown_traits.is_empty() {
            trace.push(format!("voice: no phrases for {}", self.voice.unknown_traits.join(", ")));
        }
        let names: Vec<&str> = draft.topics.iter().map(|topic| topic.name()).collect();
        let offence = if draft.checks.is_toxic { "; offensive" } else { "" };
        trace.push(format!("sensitive topics: {}{offence}", if names.is_empty() { "none".to_owned() } else { names.join(", ") }));
        trace.push(format!("checks: {}", draft.checks.summary()));
        trace.push(format!("confidence: {confidence:.3}, {}, at most {}", self.origin.name(), self.origin.confidence_max()));
        Composed {
            text: draft.text,
            confidence,
            checks: draft.checks,
            doubted: draft.saying.doubted,
            sensitive_topics: draft.topics,
            vouched: draft.vouched,
            trace,
        }
    }
}

impl Draft {
    /// What must not stay as it is, for whoever may write it anew.
    pub(in crate::composer) fn violations(&self) -> Vec<String> {
        let mut found: Vec<String> = self.breaches.iter().map(|breach| format!("it breaks the rule {breach}")).collect();
        found.extend(self.foreign.iter().map(|foreign| format!("it has {foreign}")));
        found.extend(self.grounding.missing.iter().map(|claim| format!("nobody said {claim:?}")));
        found.extend(self.saying.foreign.iter().map(|sentence| format!("nothing given says: {sentence}")));
        found.extend(self.saying.denials.iter().map(|sentence| format!("the material says the opposite of: {sentence}")));
        found.extend(self.saying.misplaced.iter().map(|mark| format!("{mark:?} is said of something else in the material")));
        if self.checks.is_toxic {
            found.push("it is offensive".to_owned());
        }
        if self.checks.likeness >= SAME_LIKENESS {
            found.push("it repeats an earlier text".to_owned());
        }
        found
    }

    pub(in crate::composer) fn body(&self) -> String {
        self.parts.sentences.join(" ")
    }

    /// Whether it holds what nobody vouches for.
    pub(in crate::composer) fn is_foreign(&self) -> bool {
        !self.foreign.is_empty()
    }

    pub(in crate::composer) fn is_toxic(&self) -> bool {
        self.checks.is_toxic
    }

    /// What it is worth to a reader, as far as it may be trusted.
    pub(in crate::composer) fn worth(&self) -> f64 {
        self.merit * self.checks.confidence()
    }
}
