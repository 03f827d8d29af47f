//! What every text must keep before it leaves, whoever wrote it and whoever changed it: the platform's limit, the AI label, no claim to
//! be a person, the directives. The Judge asks here, an edit is asked here, and so is the outbox, as the last one.

use super::{
    content::{Directive, Judged, Rule, Verdict},
    disclosure::{self, claims_to_be_human},
    phrases,
};
use crate::domain::{Platform, Soul};

/// What an agent's texts are held to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Persona {
    /// The SOUL's disclosure.
    pub label: String,
    /// The SOUL's, and the task's own.
    pub directives: Vec<Directive>,
}

/// Why a text may not leave.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unpublishable {
    #[error("the text is empty, or only its label")]
    Empty,
    #[error("the text is too long for {platform}: {length} of at most {length_max}")]
    TooLong { platform: &'static str, length: usize, length_max: usize },
    #[error("the text breaks a rule of {platform}")]
    Breaks { platform: &'static str },
    #[error("it holds a character that nobody sees and that changes what others see (U+{0:04X})")]
    Unseen(u32),
    #[error("the AI label {label:?} is not a line of it")]
    NoLabel { label: String },
    #[error("it says that a person speaks ({said:?}), and no agent may say that")]
    ClaimsToBeHuman { said: String },
    #[error("it breaches the directive {directive:?}: {problem}")]
    Breach { directive: String, problem: String },
}

impl Persona {
    pub fn new(soul: &Soul, constraints: &[String]) -> Self {
        let further = constraints.iter().filter(|constraint| !soul.directives.contains(constraint));
        let written = soul.directives.iter().chain(further).filter(|directive| !directive.trim().is_empty());
        Self { label: soul.disclosure.clone(), directives: written.map(|directive| Directive::read(directive)).collect() }
    }

    /// Everything that keeps `text` from leaving. `attribution` is the line that names its sources, where it has any.
    pub fn problems(&self, platform: Option<Platform>, text: &str, attribution: Option<&str>) -> Vec<Unpublishable> {
        let mut problems = Vec::new();
        let said = text.trim().strip_suffix(&self.label).unwrap_or(text).trim();
        problems.extend(said.is_empty().then_some(Unpublishable::Empty));
        problems.extend(platform.and_then(|platform| over_limit(platform, text)));
        problems.extend(text.chars().find(|c| misleads(*c)).map(|c| Unpublishable::Unseen(u32::from(c))));
        problems.extend((!is_labelled(text, &self.label)).then(|| Unpublishable::NoLabel { label: self.label.clone() }));
        problems.extend(claims_to_be_human(text).map(|said| Unpublishable::ClaimsToBeHuman { said }));
        let judged = Judged { text, label: &self.label, attribution };
        problems.extend(self.directives.iter().filter_map(|directive| match directive.check(judged) {
            Verdict::Breached(problem) => Some(Unpublishable::Breach { directive: directive.text.clone(), problem }),
            Verdict::Kept | Verdict::Unchecked => None,
        }));
        problems
    }

    /// Directives that no program can hold a text to.
    pub fn unchecked(&self) -> impl Iterator<Item = &str> {
        let is_unchecked = |directive: &&Directive| {
            matches!(directive.rule, Rule::Unchecked | Rule::Never { open: true, .. } | Rule::NeverSaid { open: true, .. })
        };
        self.directives.iter().filter(is_unchecked).map(|directive| directive.text.as_str())
    }

    /// `text` with the label as its last line, if it is not there already.
    pub fn labelled(&self, text: &str) -> String {
        if is_labelled(text, &self.label) { text.to_owned() } else { format!("{}\n{}", text.trim_end(), self.label) }
    }
}

/// Whether the label stands on a line of its own, where readers see it as one, or ends the text.
fn is_labelled(text: &str, label: &str) -> bool {
    text.trim_end().ends_with(label) || text.lines().any(|line| line.trim() == label)
}

/// For the last gate, which knows no SOUL: whether some line of the text discloses, as every SOUL's label must.
pub fn carries_a_label(text: &str) -> bool {
    // Nearly always it is the last line.
    text.lines().rev().any(|line| {
        // A label may end a line, behind sentences that say whatever they say.
        let tails = line.match_indices(['.', '!', '?']).map(|(end, mark)| &line[end + mark.len()..]);
        std::iter::once(line).chain(tails).any(disclosure::discloses)
    })
}

/// The line of a text that names its sources.
pub fn attribution(text: &str) -> Option<&str> {
    text.lines().find(|line| phrases::is_source_line(line))
}

/// Controls other than line ends and tabs, and what turns the direction of writing.
fn misleads(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn over_limit(platform: Platform, text: &str) -> Option<Unpublishable> {
    let limits = platform.limits();
    if limits.allows(text) {
        return None;
    }
    let (length, length_max) = (limits.length(text), limits.length_max);
    let platform = platform.name();
    Some(if length > length_max { Unpublishable::TooLong { platform, length, length_max } } else { Unpublishable::Breaks { platform } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn persona(directives: &[&str]) -> Persona {
        Persona { label: "AI-generated by @selam".to_owned(), directives: directives.iter().map(|text| Directive::read(text)).collect() }
    }

    const GOOD: &str = "Lamps from old batteries.\n\nAI-generated by @selam";

    #[test]
    fn a_labelled_text_within_its_limits_and_directives_may_leave() {
        let persona = persona(&["Never use hashtags", "Always disclose that you are an AI"]);
        assert_eq!(persona.problems(Some(Platform::Twitter), GOOD, None), []);
        assert_eq!(persona.problems(None, "Short. AI-generated by @selam", None), [], "a label may end the last line");
    }

    #[test]
    fn each_rule_keeps_a_text_back_and_says_so() {
        let persona = persona(&["Never use hashtags", "Always cite your sources"]);
        let long = format!("{}\nAI-generated by @selam", "word ".repeat(100));
        for (text, part) in [
            ("  ", "empty"),
            ("AI-generated by @selam", "empty"),
            (long.as_str(), "too long for twitter"),
            ("Lamps\u{202e} from old batteries.\nAI-generated by @selam", "U+202E"),
            ("Lamps from old batteries.", "AI label"),
            ("This is no AI-generated by @selam text", "AI label"),
            ("I am a real human.\nAI-generated by @selam", "a person speaks"),
            ("Lamps #lamps.\nSource: https://a.example\nAI-generated by @selam", "\"Never use hashtags\""),
            ("Lamps.\nAI-generated by @selam", "\"Always cite your sources\""),
        ] {
            let problems = persona.problems(Some(Platform::Twitter), text, Some("Source: https://a.example"));
            assert!(problems.iter().any(|problem| problem.to_string().contains(part)), "{text:?} {problems:?}");
        }
    }

    #[test]
    fn directives_that_nobody_can_check_are_named() {
        let persona = persona(&["Be kind", "Never use hashtags", "Never mention competitors"]);
        assert_eq!(persona.unchecked().collect::<Vec<_>>(), ["Be kind", "Never mention competitors"]);
    }

    #[test]
    fn a_label_is_put_back_once() {
        let persona = persona(&[]);
        assert_eq!(persona.labelled("Lamps.\n"), "Lamps.\nAI-generated by @selam");
        assert_eq!(persona.labelled(GOOD), GOOD);
    }

    #[test]
    fn the_last_gate_asks_for_a_line_that_discloses() {
        assert!(carries_a_label(GOOD));
        assert!(carries_a_label("It does not need a network. AI-generated by @selam"));
        assert!(!carries_a_label("Lamps from old batteries, made without AI."));
        assert!(!carries_a_label(""));
    }
}
