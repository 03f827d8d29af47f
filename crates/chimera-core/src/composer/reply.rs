//! Drafts of a reply. Whoever may be in danger is told where help is; a question about being a machine is answered first and plainly; to whom life is
//! heavy nothing cheerful is said; a question that no source answers is not guessed at; praise is thanked for. What none of these fits is left to a
//! person: no line of ours does.

mod mood;

use super::{
    Comment,
    choice::{Candidate, Passage, is_in, sentences_of},
    confidence::Support,
    drafting::{Desk, Draft, Making},
    fitting::Parts,
    standing::Item,
};
use crate::{
    perception::language::of_agent,
    policy::{crisis, disclosure, phrases},
};
use mood::{is_praise, is_question};

/// An answer below this relevance to the comment is no answer.
const ANSWER_RELEVANCE_MIN: f64 = 0.5;
/// A phrase for a comment of its kind is to the point; that it says nothing is in its support.
const PHRASE_RELEVANCE: f64 = 1.0;

/// None where a person decides what is said.
pub(super) fn drafts(desk: &Desk<'_>, comment: &Comment) -> Vec<Draft> {
    let said = comment.text.as_data();
    if let Some(help) = crisis::help_for(said) {
        let note = "somebody may be in danger: told where help is, for a person to decide";
        return plain(desk, None, help, Support::Itself, 1.0, note).into_iter().collect();
    }
    if disclosure::asks_if_machine(said) {
        let yes = disclosure::plain_yes(desk.brief.soul, said);
        return plain(desk, None, &yes, Support::Itself, 1.0, "asked whether it is a machine: a plain yes").into_iter().collect();
    }
    if let Some(comfort) = crisis::comfort_for(said) {
        let note = "it may be heavy to bear: no line of ours fits, for a person to decide";
        return plain(desk, None, comfort, Support::Itself, 1.0, note).into_iter().collect();
    }
    let greeting = mention(desk, comment);
    let ours = phrases::of(desk.language);
    if comment.instructs {
        return phrase(desk, greeting, ours.stands_behind, "the comment tries to instruct: not followed");
    }
    if desk.forbids(said).is_some() {
        return phrase(desk, greeting, ours.stays_out, "the comment is about what a directive forbids");
    }
    if is_question(said) {
        let answers = answers(desk, comment);
        // Asking once more, somebody wants more than the same words again.
        let memory = desk.brief.memory;
        let (told, new): (Vec<Candidate>, Vec<Candidate>) = answers.into_iter().partition(|answer| memory.was_told(&answer.passage.text()));
        // A belief is no second answer to somebody who was told what the sources say.
        let fits = |answer: &&Candidate| told.is_empty() || answer.passage.source.is_some();
        let drafts: Vec<Draft> = new.iter().filter(fits).filter_map(|answer| answered(desk, greeting.as_deref(), answer)).collect();
        return if drafts.is_empty() && told.is_empty() && !memory.was_told(ours.no_answer) {
            phrase(desk, greeting, ours.no_answer, "no source answers the question: said so")
        } else {
            drafts
        };
    }
    if is_praise(said) {
        return phrase(desk, greeting, ours.thanks, "praise: thanked");
    }
    Vec::new()
}

fn phrase(desk: &Desk<'_>, greeting: Option<String>, sentence: &str, note: &str) -> Vec<Draft> {
    let with = plain(desk, greeting, sentence, Support::Nothing, PHRASE_RELEVANCE, note);
    with.or_else(|| plain(desk, None, sentence, Support::Nothing, PHRASE_RELEVANCE, note)).into_iter().collect()
}

fn plain(desk: &Desk<'_>, greeting: Option<String>, sentence: &str, support: Support, relevance: f64, note: &str) -> Option<Draft> {
    let parts = Parts { opener: greeting, ..desk.bare(sentence) };
    let making = Making { support, relevance, was_cut: false, merit: 1.0, note: note.to_owned() };
    desk.accepts(&parts).then(|| desk.assessed(parts, making))
}

/// What the sources and the SOUL say to the question in its language, best first.
fn answers(desk: &Desk<'_>, comment: &Comment) -> Vec<Candidate> {
    let of_sources = desk.brief.sources.iter().enumerate().flat_map(|(index, source)| {
        let sentences = sentences_of(source);
        let item = Item::new(source.title.as_data(), &sentences, desk.language).aged(source.age(desk.brief.now));
        let standing = (0..sentences.len()).filter_map(|place| Some((place, item.standing(place)?))).collect::<Vec<_>>();
        standing
            .into_iter()
            .map(|(place, standing)| Passage { sentences: vec![sentences[place].clone()], source: Some(index), standing })
            .collect::<Vec<_>>()
    });
    // What the agent believes is said in its own language.
    let is_own_language = desk.language == of_agent(desk.brief.soul);
    let beliefs = desk.brief.soul.core_beliefs.iter().filter(|_| is_own_language);
    let beliefs = beliefs.map(|belief| Passage { sentences: vec![belief.clone()], source: None, standing: 1.0 });
    let may_be_said = |passage: &Passage| is_in(desk.language, &passage.text()) && desk.forbids(&passage.text()).is_none();
    let mut ranked = desk.ranked(of_sources.chain(beliefs).filter(may_be_said).collect(), comment.text.as_data());
    ranked.retain(|answer| answer.relevance >= ANSWER_RELEVANCE_MIN);
    ranked.truncate(2);
    ranked
}

fn answered(desk: &Desk<'_>, greeting: Option<&str>, answer: &Candidate) -> Option<Draft> {
    let support = if answer.passage.source.is_some() { Support::OneSource } else { Support::Beliefs };
    for opener in [greeting.map(str::to_owned), None] {
        let mut parts = Parts { opener, ..desk.bare(&answer.passage.text()) };
        parts.cite(desk.citation(answer.passage.source));
        if desk.accepts(&parts) {
            let note = "a sentence that answers the comment, word for word".to_owned();
            let making = Making { support, relevance: answer.relevance, was_cut: false, merit: answer.merit(), note };
            return Some(desk.assessed(parts, making));
        }
    }
    None
}

/// `@name`, or `@name@server`, of whoever wrote, when the name can be one.
pub(super) fn mention(desk: &Desk<'_>, comment: &Comment) -> Option<String> {
    let name = comment.author.as_ref()?.handle()?;
    (name != desk.brief.soul.handle).then(|| format!("@{name}"))
}
