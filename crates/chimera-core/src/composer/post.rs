//! Drafts of a post: from the sources where there are some, else from the goal and the SOUL's beliefs.

use crate::{perception::language::language_of, policy::wording::stems};
use std::collections::HashSet;

use super::{
    Unmeetable,
    choice::{Candidate, likeness, sentences_of},
    confidence::Support,
    drafting::{Desk, Draft, Making},
    feedback::Length,
    fitting::{Extra, cut},
    hashtags,
    sentences::{is_grave, is_inert, is_order, split},
    subject::{self, Subject},
};

/// Different sentences that get to open a draft.
const LEADS_MAX: usize = 3;
/// A second sentence must matter too, at least this much and this much of what the first does.
const EXTRA_RELEVANCE_MIN: f64 = 0.3;
const EXTRA_RELEVANCE_SHARE: f64 = 0.6;
/// How much of a post's relevance its first sentence is: the rest of it adds detail.
const LEAD_SHARE: f64 = 0.75;
/// Two sentences that are more alike than this say the same.
const LIKENESS_MAX: f64 = 0.75;

pub(super) fn drafts(desk: &Desk<'_>) -> Result<Vec<Draft>, Unmeetable> {
    if let Some((directive, problem)) = desk.forbids(desk.brief.goal) {
        return Err(Unmeetable { directive: directive.text.clone(), problem: format!("the goal itself is about {problem}") });
    }
    if desk.brief.sources.is_empty() {
        return Ok(from_goal(desk));
    }
    from_sources(desk)
}

fn from_sources(desk: &Desk<'_>) -> Result<Vec<Draft>, Unmeetable> {
    let mut said: Vec<(String, Option<usize>)> = Vec::new();
    let mut forbidden = None;
    for (index, source) in desk.brief.sources.iter().enumerate() {
        for sentence in sentences_of(source) {
            match desk.forbids(&sentence) {
                Some((directive, problem)) => {
                    let problem = format!("everything the sources say is about {problem}");
                    forbidden.get_or_insert(Unmeetable { directive: directive.text.clone(), problem });
                }
                None if said.iter().any(|(known, _)| *known == sentence) => {}
                None => said.push((sentence, Some(index))),
            }
        }
    }
    if said.is_empty() {
        return forbidden.map_or_else(|| Ok(from_long_sentences(desk)), Err);
    }
    let said = as_wished(desk, said)?;
    let candidates = desk.ranked(said, desk.brief.goal);
    let mut drafts = Vec::new();
    // What a person asked for first, then what can stand alone; and what was quoted before only where there is nothing else.
    let mut leads: Vec<&Candidate> = candidates.iter().collect();
    let same_angle = angles(desk);
    let is_same_angle = |lead: &Candidate| same_angle.iter().any(|vector| lead.likeness_to(vector) > LIKENESS_MAX);
    leads.sort_by_key(|lead| {
        let chars = if matches!(desk.wishes.length, Some(Length::Shorter { .. })) { lead.text.chars().count() } else { 0 };
        (!desk.wishes.has_wanted(&lead.text), desk.was_said(&lead.text), !lead.can_lead(), is_same_angle(lead), chars)
    });
    for lead in leads {
        if drafts.len() >= 2 * LEADS_MAX {
            break;
        }
        drafts.extend(led_by(desk, lead, &candidates));
    }
    if drafts.is_empty() { Ok(candidates.first().and_then(|lead| cut_short(desk, lead)).into_iter().collect()) } else { Ok(drafts) }
}

/// Without what was turned down, and what people asked not to see.
fn as_wished(desk: &Desk<'_>, said: Vec<(String, Option<usize>)>) -> Result<Vec<(String, Option<usize>)>, Unmeetable> {
    let unwanted = desk.unwanted_sources();
    let is_wished = |(sentence, source): &(String, Option<usize>)| {
        let is_in_language = desk.wishes.language.is_none_or(|language| language_of(sentence) == Some(language));
        is_in_language && source.is_none_or(|source| !unwanted.contains(&source)) && desk.wishes.allow(sentence)
    };
    let left: Vec<_> = said.into_iter().filter(is_wished).collect();
    if left.is_empty() { Err(desk.nothing_left()) } else { Ok(left) }
}

/// Where the texts look from that a person wants to be looked at from elsewhere.
fn angles(desk: &Desk<'_>) -> Vec<Vec<f32>> {
    if !desk.wishes.other_angle {
        return Vec::new();
    }
    desk.brief.embedder.embed(&desk.wishes.turned_down().iter().map(String::as_str).collect::<Vec<_>>())
}

/// Two drafts that begin with `lead`, with and without an opener; none when it does not fit by itself.
fn led_by(desk: &Desk<'_>, lead: &Candidate, candidates: &[Candidate]) -> Vec<Draft> {
    let mut base = desk.bare(&lead.text);
    base.cite(desk.citation(lead.source));
    if !desk.accepts(&base) {
        base.cites_briefly = true;
    }
    if !desk.accepts(&base) {
        return Vec::new();
    }
    let extras = extras(desk, lead, candidates);
    let mut drafts = Vec::new();
    for with_opener in [true, false] {
        let wanted: Vec<Extra> = extras.iter().filter(|extra| with_opener || !matches!(extra, Extra::Opener(_))).cloned().collect();
        let template = base.clone();
        let parts = base.clone().filled(&wanted, &|text| desk.allows_text(text, &template));
        // The source line grew with the sentences: what rules say about it is judged on the whole.
        if !desk.accepts(&parts) {
            continue;
        }
        let used: Vec<&Candidate> = candidates.iter().filter(|candidate| parts.sentences.contains(&candidate.text)).collect();
        let mean = used.iter().map(|candidate| candidate.relevance).sum::<f64>() / used.len().max(1) as f64;
        let relevance = LEAD_SHARE * lead.relevance + (1.0 - LEAD_SHARE) * mean;
        let mut origins: Vec<_> = used.iter().map(|candidate| candidate.source).collect();
        origins.sort_unstable();
        origins.dedup();
        let note =
            format!("{} sentences from {} of {} items, word for word", parts.sentences.len(), origins.len(), desk.brief.sources.len());
        let support = if origins.len() > 1 { Support::SeveralSources } else { Support::OneSource };
        drafts.push(desk.assessed(parts, Making { support, relevance, was_cut: false, note }));
    }
    drafts
}

fn extras(desk: &Desk<'_>, lead: &Candidate, candidates: &[Candidate]) -> Vec<Extra> {
    let sentences_max = match desk.wishes.length {
        Some(Length::Shorter { .. }) => 1,
        Some(Length::Longer { .. }) => desk.limits.sentences_wanted + 2,
        None => desk.limits.sentences_wanted,
    };
    let mut chosen = vec![lead.clone()];
    for candidate in candidates {
        let is_worth_it = candidate.can_lead() && !desk.was_said(&candidate.text);
        let matters = candidate.relevance >= EXTRA_RELEVANCE_MIN.max(EXTRA_RELEVANCE_SHARE * lead.relevance);
        let is_new = likeness(candidate, &chosen) < LIKENESS_MAX && !chosen.iter().any(|other| repeats(&candidate.text, &other.text));
        if matters && is_worth_it && is_new && chosen.len() < sentences_max {
            chosen.push(candidate.clone());
        }
    }
    let texts: Vec<&str> = chosen.iter().map(|candidate| candidate.text.as_str()).collect();
    let tags = hashtags::choose(desk.brief.goal, &lead.text, &desk.items(lead.source), desk.hashtags_wanted());
    let is_grave = texts.iter().any(|text| is_grave(text));
    let mut extras = Vec::new();
    if !is_grave {
        extras.extend(desk.pick(&desk.voice.openers(), 1).first().map(|opener| Extra::Opener((*opener).to_owned())));
    }
    extras.extend(tags.first().cloned().map(Extra::Hashtag));
    let mut more = chosen[1..].iter().map(|candidate| Extra::Sentence(candidate.text.clone(), desk.citation(candidate.source)));
    extras.extend(more.next());
    if !is_grave {
        extras.extend(desk.pick(&desk.voice.closers(), 2).into_iter().take(3).map(|closer| Extra::Closer(closer.to_owned())).next());
    }
    extras.extend(more);
    extras.extend(tags.into_iter().skip(1).map(Extra::Hashtag));
    extras
}

/// Whether the shorter of two sentences has little that is not in the longer: a headline and the sentence below it.
fn repeats(one: &str, other: &str) -> bool {
    let telling = |text: &str| stems(text).into_iter().filter(|word| word.chars().count() > 3).collect::<HashSet<String>>();
    let (one, other) = (telling(one), telling(other));
    let shared = one.intersection(&other).count();
    shared * 2 > one.len().min(other.len())
}

/// The beginning of the best sentence, where none fits whole.
fn cut_short(desk: &Desk<'_>, lead: &Candidate) -> Option<Draft> {
    let mut base = desk.bare(&lead.text);
    base.cite(desk.citation(lead.source));
    base.cites_briefly = true;
    let with = |sentence: &str| super::fitting::Parts { sentences: vec![sentence.to_owned()], ..base.clone() };
    let shortened = cut(&lead.text, &|sentence| desk.accepts(&with(sentence)))?;
    let making =
        Making { support: Support::OneSource, relevance: lead.relevance, was_cut: true, note: "the beginning of one sentence".to_owned() };
    Some(desk.assessed(with(&shortened), making))
}

/// Sources that hold no quotable sentence: whatever they begin with, cut to fit.
fn from_long_sentences(desk: &Desk<'_>) -> Vec<Draft> {
    let beginnings = desk.brief.sources.iter().enumerate().filter_map(|(index, source)| {
        let text = if source.text.is_empty() { &source.title } else { &source.text };
        split(text.as_data())
            .into_iter()
            .find(|sentence| desk.forbids(sentence).is_none() && !is_order(sentence) && is_inert(sentence))
            .map(|sentence| (sentence, Some(index)))
    });
    let candidates = desk.ranked(beginnings.collect(), desk.brief.goal);
    candidates.iter().find_map(|lead| whole_or_cut(desk, lead)).into_iter().collect()
}

fn whole_or_cut(desk: &Desk<'_>, lead: &Candidate) -> Option<Draft> {
    let mut whole = desk.bare(&lead.text);
    whole.cite(desk.citation(lead.source));
    if desk.accepts(&whole) {
        let note = "a fragment, for want of a whole sentence".to_owned();
        return Some(desk.assessed(whole, Making { support: Support::OneSource, relevance: lead.relevance, was_cut: true, note }));
    }
    cut_short(desk, lead)
}

fn from_goal(desk: &Desk<'_>) -> Vec<Draft> {
    let beliefs: Vec<(String, Option<usize>)> = desk.brief.soul.core_beliefs.iter().map(|belief| (belief.clone(), None)).collect();
    let beliefs: Vec<Candidate> =
        desk.ranked(beliefs, desk.brief.goal).into_iter().filter(|belief| desk.forbids(&belief.text).is_none()).collect();
    let opener = desk.pick(&desk.voice.openers(), 1).first().map(|opener| (*opener).to_owned());
    let (lead, opener, support) = match subject::of_goal(desk.brief.goal) {
        Some(Subject::Statement(statement)) => (statement, None, Support::Goal),
        Some(Subject::Topic(topic)) => (format!("{topic}."), opener, Support::Goal),
        None => match beliefs.first() {
            Some(belief) => (belief.text.clone(), None, Support::Beliefs),
            None => return Vec::new(),
        },
    };
    let mut base = desk.bare(&lead);
    base.opener = opener;
    if !desk.accepts(&base) {
        return Vec::new();
    }
    let mut extras: Vec<Extra> =
        beliefs.iter().filter(|belief| belief.text != lead).take(1).map(|belief| Extra::Sentence(belief.text.clone(), None)).collect();
    extras.extend(desk.pick(&desk.voice.closers(), 2).first().map(|closer| Extra::Closer((*closer).to_owned())));
    extras.extend(hashtags::choose(desk.brief.goal, &lead, &[], desk.hashtags_wanted()).into_iter().map(Extra::Hashtag));
    let template = base.clone();
    let parts = base.filled(&extras, &|text| desk.allows_text(text, &template));
    let note = "no sources: the goal restated with the SOUL's beliefs".to_owned();
    vec![desk.assessed(parts, Making { support, relevance: 1.0, was_cut: false, note })]
}
