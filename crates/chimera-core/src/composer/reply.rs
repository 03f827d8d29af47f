//! Drafts of a reply. Whoever may be in danger is told where help is; a question about being a machine is answered first and plainly; to whom life is
//! heavy nothing cheerful is said; a question that no source answers is not guessed at.

use super::{
    Comment,
    choice::{Candidate, sentences_of},
    confidence::Support,
    drafting::{Desk, Draft, Making},
    fitting::Parts,
};
use crate::policy::{crisis, disclosure, wording::stems};

/// An answer below this relevance to the comment is no answer.
const ANSWER_RELEVANCE_MIN: f64 = 0.5;
/// A phrase for a comment of its kind is to the point; that it says nothing is in its support.
const PHRASE_RELEVANCE: f64 = 1.0;

pub(super) fn drafts(desk: &Desk<'_>, comment: &Comment) -> Vec<Draft> {
    if let Some(help) = crisis::help_for(comment.text.as_data()) {
        let note = "somebody may be in danger: told where help is, for a person to decide";
        return plain(desk, None, help, Support::Itself, 1.0, note).into_iter().collect();
    }
    if disclosure::asks_if_machine(comment.text.as_data()) {
        let yes = disclosure::plain_yes(desk.brief.soul, comment.text.as_data());
        return plain(desk, None, &yes, Support::Itself, 1.0, "asked whether it is a machine: a plain yes").into_iter().collect();
    }
    if let Some(comfort) = crisis::comfort_for(comment.text.as_data()) {
        let note = "it may be heavy to bear: no line of ours fits, for a person to decide";
        return plain(desk, None, comfort, Support::Itself, 1.0, note).into_iter().collect();
    }
    let greeting = mention(desk, comment);
    if comment.instructs {
        let note = "the comment tries to instruct: not followed";
        return phrase(desk, greeting, "I only say what I can stand behind.", note);
    }
    if desk.forbids(comment.text.as_data()).is_some() {
        return phrase(
            desk,
            greeting,
            "That is a topic I stay out of. Thank you for understanding.",
            "the comment is about what a directive forbids",
        );
    }
    let answers = answers(desk, comment);
    if !answers.is_empty() {
        return answers.iter().filter_map(|answer| answered(desk, greeting.as_deref(), comment, answer)).collect();
    }
    if is_question(comment.text.as_data()) {
        let honest = "Thanks for asking. I do not have a sourced answer to that yet, so I will not guess.";
        return phrase(desk, greeting, honest, "no source answers the question: said so");
    }
    let (sentence, note) = match mood(comment.text.as_data()) {
        Mood::Praise => ("Thank you, glad it was useful.".to_owned(), "praise: thanked"),
        Mood::Complaint => ("Sorry to hear that. What should be better?".to_owned(), "a complaint: asked what should be better"),
        Mood::Neither => {
            let thanks = desk.pick(&desk.voice.thanks(), 3).first().copied().unwrap_or("Thanks for the comment.");
            (format!("{thanks} What would you like to see next?"), "a remark: thanked and asked back")
        }
    };
    phrase(desk, greeting, &sentence, note)
}

fn phrase(desk: &Desk<'_>, greeting: Option<String>, sentence: &str, note: &str) -> Vec<Draft> {
    let with = plain(desk, greeting, sentence, Support::Nothing, PHRASE_RELEVANCE, note);
    with.or_else(|| plain(desk, None, sentence, Support::Nothing, PHRASE_RELEVANCE, note)).into_iter().collect()
}

fn plain(desk: &Desk<'_>, greeting: Option<String>, sentence: &str, support: Support, relevance: f64, note: &str) -> Option<Draft> {
    let parts = Parts { opener: greeting, ..desk.bare(sentence) };
    desk.accepts(&parts).then(|| desk.assessed(parts, Making { support, relevance, was_cut: false, note: note.to_owned() }))
}

/// What the sources and the SOUL say to the comment, best first.
fn answers(desk: &Desk<'_>, comment: &Comment) -> Vec<Candidate> {
    let from_sources = desk
        .brief
        .sources
        .iter()
        .enumerate()
        .flat_map(|(index, source)| sentences_of(source).into_iter().map(move |text| (text, Some(index))));
    let beliefs = desk.brief.soul.core_beliefs.iter().map(|belief| (belief.clone(), None));
    let texts: Vec<(String, Option<usize>)> = from_sources.chain(beliefs).filter(|(text, _)| desk.forbids(text).is_none()).collect();
    let mut ranked = desk.ranked(texts, comment.text.as_data());
    ranked.retain(|answer| answer.relevance >= ANSWER_RELEVANCE_MIN && answer.can_lead());
    ranked.truncate(2);
    ranked
}

fn answered(desk: &Desk<'_>, greeting: Option<&str>, comment: &Comment, answer: &Candidate) -> Option<Draft> {
    let thanks = if is_question(comment.text.as_data()) {
        "Thanks for asking.".to_owned()
    } else {
        desk.pick(&desk.voice.thanks(), 3).first().copied().unwrap_or("Thanks for the comment.").to_owned()
    };
    let opener = greeting.map_or_else(|| thanks.clone(), |greeting| format!("{greeting} {thanks}"));
    let support = if answer.source.is_some() { Support::OneSource } else { Support::Beliefs };
    for opener in [Some(opener), Some(thanks), None] {
        let mut parts = Parts { opener, ..desk.bare(&answer.text) };
        parts.cite(desk.citation(answer.source));
        if desk.accepts(&parts) {
            let note = "a sentence that answers the comment, word for word".to_owned();
            return Some(desk.assessed(parts, Making { support, relevance: answer.relevance, was_cut: false, note }));
        }
    }
    None
}

/// `@name`, or `@name@server`, of whoever wrote, when the name can be one.
pub(super) fn mention(desk: &Desk<'_>, comment: &Comment) -> Option<String> {
    let name = comment.author.as_ref()?.handle()?;
    (name != desk.brief.soul.handle).then(|| format!("@{name}"))
}

fn is_question(text: &str) -> bool {
    const ASKING: [&str; 17] = [
        "what", "when", "where", "who", "why", "how", "which", "is", "are", "do", "does", "can", "could", "will", "would", "did", "should",
    ];
    let first = text.split_whitespace().next().unwrap_or("").to_lowercase();
    text.contains(['?', '？', '؟']) || ASKING.contains(&first.trim_matches(|c: char| !c.is_alphanumeric()))
}

enum Mood {
    Praise,
    Complaint,
    Neither,
}

fn mood(text: &str) -> Mood {
    const GOOD: &str = "love great awesome thanks thank beautiful amazing good nice wonderful excellent cool fantastic brilliant helpful useful congratulations";
    const BAD: &str =
        "terrible bad hate worst wrong disappointed disappointing awful broken useless annoying boring scam poor sad angry not never";
    let words = stems(text);
    let count = |list: &str| stems(list).iter().filter(|word| words.contains(word)).count();
    match (count(GOOD), count(BAD)) {
        (_, bad) if bad > 0 => Mood::Complaint,
        (good, _) if good > 0 || text.contains(['❤', '😍', '👏', '🔥', '🙌']) => Mood::Praise,
        _ => Mood::Neither,
    }
}
