//! What a goal is about, without the words that tell somebody to write about it.

use crate::policy::content::Directive;
use regex::Regex;
use std::sync::LazyLock;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A whole sentence: "The shop opens at nine."
    Statement(String),
    /// A thing: "the new glaze".
    Topic(String),
}

/// A subject longer than this is not one thing.
const SUBJECT_CHARS_MAX: usize = 400;

/// `None` when nothing is left that could be named.
pub fn of_goal(goal: &str) -> Option<Subject> {
    let first = super::sentences::split(goal).into_iter().next()?;
    let first: String = TAIL.replace_all(&first, "").trim().trim_end_matches(['.', '!', ';', ':', ',']).trim().to_owned();
    let told = TELLING.captures(&first).map(|found| found[1].trim().to_owned());
    if let Some(statement) = told.filter(|told| !told.is_empty()) {
        return fitting(&statement).map(|statement| Subject::Statement(format!("{}.", capitalised(statement))));
    }
    let mut rest = first.as_str();
    // "Write a post to announce the sale" has two layers of telling.
    for pattern in [&*MAKING, &*DOING, &*DOING] {
        if let Some(found) = pattern.captures(rest).and_then(|found| found.get(1)) {
            rest = found.as_str().trim();
        }
    }
    fitting(rest).map(|topic| Subject::Topic(topic.to_owned()))
}

/// What a goal asks to leave out: "…, nothing about games".
pub fn left_out(goal: &str) -> Vec<Directive> {
    let named = LEFT_OUT.captures_iter(goal).filter_map(|found| found.get(1));
    named.map(|what| Directive::read(&format!("Never discuss {}", what.as_str().trim()))).collect()
}

fn fitting(text: &str) -> Option<&str> {
    let says_something = text.chars().any(char::is_alphanumeric) && text.chars().count() <= SUBJECT_CHARS_MAX;
    says_something.then_some(text)
}

pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a fixed pattern, compiled by tests"));
    };
}

pattern!(
    LEFT_OUT,
    r"(?i)\b(?:nothing\s+(?:about|on)|not\s+about|but\s+not|leave\s+out|nada\s+(?:de|sobre)|rien\s+sur|nichts\s+(?:über|zu)|niente\s+su|niets\s+over)\s+([^.,;:!?()]+)"
);
pattern!(TELLING, r"(?i)^(?:please\s+)?(?:tell|remind|inform|let|say)\s+(?:[\w']+\s+){0,4}?(?:know\s+)?that\s+(.+)$");
pattern!(
    MAKING,
    r"(?i)^(?:please\s+)?(?:write|create|draft|make|compose|publish|share|generate|prepare|produce|post|tweet)\s+(?:(?:us|me|a|an|one|some|the|short|brief|quick|engaging|friendly|new|fun|daily|punchy|great|nice|linkedin|instagram|twitter|tiktok|social|media)\s+)*(?:(?:posts?|tweets?|threads?|updates?|captions?|messages?|notes?|announcements?|articles?|content|texts?|something)\s+)?(?:(?:about|on|for|regarding|covering|of|to|with|that)\s+)?(.+)$"
);
pattern!(
    DOING,
    r"(?i)^(?:please\s+)?(?:(?:help\s+)?(?:announce|promote|highlight|discuss|explain|introduce|celebrate|summari[sz]e|showcase|spotlight|present|report|cover|comment|talk|tell|inform|remind|react|respond|reply|answer|educate|engage|inspire|invite|encourage|thank|welcome|show|follow|track|monitor|publicise|publicize)|(?:grow|raise|build|increase|drive|boost|create|spark)\s+(?:brand\s+)?(?:awareness|engagement|interest|excitement|buzz|conversation|discussion))\b\s*(?:(?:(?:our|the|their|my|your)\s+)?(?:followers|audience|fans|community|subscribers|readers|customers|people|everyone|them)\s+)?(?:(?:about|on|of|around|for|regarding|with|in|to|over)\s+)?(.+)$"
);
pattern!(
    TAIL,
    r"(?i)\s+(?:(?:for|to|with)\s+(?:our|the|my|your|all|their)\s+(?:\w+\s+)?(?:followers|audience|fans|community|subscribers|readers|customers)|on\s+(?:twitter|x|instagram|tiktok|linkedin|threads|bluesky|mastodon|social\s+media)|(?:using|based\s+on|from)\s+(?:the|these|this|those|our)\s+(?:\w+\s+)?(?:sources?|resources?|news|articles?|feeds?|items?))\b"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_is_taken_off_and_the_subject_stays() {
        let topic = |text: &str| Some(Subject::Topic(text.to_owned()));
        for (goal, expected) in [
            ("Write a short post about the new glaze for our followers.", topic("the new glaze")),
            ("Announce the spring repair café", topic("the spring repair café")),
            ("Promote sustainable fashion on Instagram", topic("sustainable fashion")),
            ("Grow awareness of urban beekeeping", topic("urban beekeeping")),
            ("Create a tweet to celebrate ten years of Fern & Clay", topic("ten years of Fern & Clay")),
            ("Share what the telescope found, using the linked sources", topic("what the telescope found")),
            ("urban cycling", topic("urban cycling")),
            (
                "Tell our followers that the shop opens at 9 on Sunday.",
                Some(Subject::Statement("The shop opens at 9 on Sunday.".to_owned())),
            ),
            ("", None),
            ("...", None),
        ] {
            assert_eq!(of_goal(goal), expected, "{goal}");
        }
    }

    #[test]
    fn what_a_goal_leaves_out_is_forbidden_to_its_text() {
        let is_breached = |goal: &str, text: &str| {
            left_out(goal).iter().any(|left| matches!(left.check_passage(text), crate::policy::content::Verdict::Breached(_)))
        };

        assert!(is_breached("News on phones, nothing about games", "A new game is out."));
        assert!(is_breached("Noticias de Valencia, nada de fútbol", "El fútbol vuelve."));
        assert!(!is_breached("News on phones, nothing about games", "A new phone is out."));
        assert!(left_out("News on phones").is_empty());
    }

    #[test]
    fn a_goal_without_end_has_no_subject() {
        assert_eq!(of_goal(&"x".repeat(4_000)), None);
    }
}
