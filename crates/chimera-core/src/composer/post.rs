//! Drafts of a post: a passage of one item where there is material, else what the goal states or the SOUL believes. Nothing is put around it that the SOUL
//! does not demand, and where nothing can stand alone nothing is written.

mod leaning;

use super::{
    Unmeetable,
    aim::Aim,
    choice::{Candidate, Passage, is_in, passages_of},
    confidence::Support,
    drafting::{Desk, Draft, Making},
    feedback::Length,
    fitting::Parts,
    form::{self, OwnWords},
    hashtags,
    sentences::is_grave,
    subject::{self, Subject},
};
use leaning::Leaning;

/// Different passages that are tried.
const LEADS_MAX: usize = 6;
/// Two passages that are more alike than this look at a story from the same side.
const LIKENESS_MAX: f64 = 0.75;
/// What matters less than this for the goal is about something else, and no post for it.
const OFF_GOAL_MAX: f64 = 0.2;
/// A passage that says this share of the most that any says of a brief says as much.
const AS_MUCH: f64 = 0.75;
/// A belief that is nearer to the goal than this is to the point.
const BELIEF_RELEVANCE_MIN: f64 = 0.5;

pub(super) fn drafts(desk: &Desk<'_>) -> Result<Vec<Draft>, Unmeetable> {
    if let Some((directive, problem)) = desk.forbids(desk.brief.goal) {
        return Err(Unmeetable { directive: directive.text.clone(), problem: format!("the goal itself is about {problem}") });
    }
    if let Some((brief, (directive, problem))) = desk.brief.feedback.brief.as_deref().and_then(|brief| Some((brief, desk.forbids(brief)?)))
    {
        return Err(Unmeetable { directive: directive.text.clone(), problem: format!("the brief {brief:?} is about {problem}") });
    }
    if desk.brief.sources.is_empty() {
        return Ok(from_goal(desk));
    }
    from_sources(desk)
}

fn from_sources(desk: &Desk<'_>) -> Result<Vec<Draft>, Unmeetable> {
    let sentences_max = match desk.wishes.length {
        Some(Length::Shorter { .. }) => 1,
        Some(Length::Longer { .. }) => desk.limits.sentences_wanted + 2,
        None => desk.limits.sentences_wanted,
    };
    let sources = desk.brief.sources.iter().enumerate();
    let told: Vec<Passage> =
        sources.flat_map(|(index, source)| passages_of(index, source, desk.brief.now, desk.language, sentences_max)).collect();
    if told.is_empty() {
        return Err(if desk.has_own_language() { desk.nothing_stands() } else { desk.nothing_in_language() });
    }
    let mut forbidden = None;
    let told: Vec<Passage> = told
        .into_iter()
        .filter_map(|passage| {
            until(passage, |sentence| match desk.forbids(sentence).or_else(|| desk.leaves_out(sentence)) {
                Some((directive, problem)) => {
                    let problem = format!("everything the sources say is about {problem}");
                    forbidden.get_or_insert(Unmeetable { directive: directive.text.clone(), problem });
                    false
                }
                None => true,
            })
        })
        .collect();
    if let Some(forbidden) = forbidden.filter(|_| told.is_empty()) {
        return Err(forbidden);
    }
    let mut candidates = desk.ranked(as_wished(desk, told)?, desk.brief.goal);
    // Once a person has spoken, what they ask for counts before what the scores say.
    if desk.brief.feedback.attempts.is_empty() {
        candidates.retain(|candidate| candidate.relevance >= OFF_GOAL_MAX);
        candidates = Aim::of(desk).met_by(desk, candidates);
    }
    if candidates.is_empty() {
        return Err(desk.nothing_to_the_goal());
    }
    let candidates = of_brief(desk, candidates);
    // What a person asked for first; and what was quoted before only where there is nothing else.
    let mut leads: Vec<&Candidate> = candidates.iter().collect();
    let same_angle = angles(desk);
    let is_same_angle = |lead: &Candidate| same_angle.iter().any(|vector| lead.likeness_to(vector) > LIKENESS_MAX);
    leads.sort_by_key(|lead| {
        let text = lead.passage.text();
        let chars = if matches!(desk.wishes.length, Some(Length::Shorter { .. })) { text.chars().count() } else { 0 };
        let was_said = lead.passage.sentences.iter().any(|sentence| desk.was_said(sentence));
        (!desk.wishes.has_wanted(&text), was_said, is_same_angle(lead), chars)
    });
    let (leaning, own) = (Leaning::of(desk), OwnWords::of(desk));
    let told = |leads: Vec<&Candidate>| -> Vec<Draft> {
        leads.into_iter().filter_map(|lead| told_by(desk, lead, &leaning, &own)).take(LEADS_MAX).collect()
    };
    let (fresh, _): (Vec<&Candidate>, Vec<&Candidate>) = leads.iter().copied().partition(|lead| leaning.is_fresh(lead));
    let drafts = told(fresh);
    Ok(if drafts.is_empty() { told(leads) } else { drafts })
}

/// The passage up to the first sentence that may not be said; `None` when that is its first.
fn until(mut passage: Passage, mut may_be_said: impl FnMut(&str) -> bool) -> Option<Passage> {
    let kept = passage.sentences.iter().take_while(|sentence| may_be_said(sentence)).count();
    passage.sentences.truncate(kept);
    (kept > 0).then_some(passage)
}

/// Those that say most of what the operator's brief names; all of them where none says anything of it.
fn of_brief(desk: &Desk<'_>, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let said: Vec<f64> = candidates.iter().map(|candidate| desk.wishes.of_brief(&candidate.passage.text())).collect();
    let most = said.iter().copied().fold(0.0, f64::max);
    let mut said = said.into_iter();
    candidates.retain(|_| said.next().is_some_and(|share| share >= most * AS_MUCH));
    candidates
}

/// Without what was turned down, and what people asked not to see.
fn as_wished(desk: &Desk<'_>, told: Vec<Passage>) -> Result<Vec<Passage>, Unmeetable> {
    let unwanted = desk.unwanted_sources();
    let wanted = told.into_iter().filter(|passage| passage.source.is_none_or(|source| !unwanted.contains(&source)));
    let left: Vec<Passage> = wanted.filter_map(|passage| until(passage, |sentence| desk.wishes.allow(sentence))).collect();
    if left.is_empty() { Err(desk.nothing_left()) } else { Ok(left) }
}

/// Where the texts look from that a person wants to be looked at from elsewhere.
fn angles(desk: &Desk<'_>) -> Vec<Vec<f32>> {
    if !desk.wishes.other_angle {
        return Vec::new();
    }
    desk.brief.embedder.embed(&desk.wishes.turned_down().iter().map(String::as_str).collect::<Vec<_>>())
}

/// The passage, as much of it as fits whole; `None` when not even its first sentence does.
fn told_by(desk: &Desk<'_>, lead: &Candidate, leaning: &Leaning, own: &OwnWords) -> Option<Draft> {
    let sentences = &lead.passage.sentences;
    // What was said before may be said on with, but not again.
    let new = sentences.iter().skip(1).take_while(|sentence| !desk.was_said(sentence)).count() + 1;
    let items = desk.items(lead.passage.source);
    let is_grave = items.iter().any(|item| is_grave(item));
    let with_own = own.sentence.as_deref().filter(|_| !is_grave);
    let whole = with_own.and_then(|sentence| (1..=new).rev().find_map(|count| fitting(desk, lead, count, Some(sentence))));
    let note = own.note(whole.is_some(), is_grave);
    let own_said = usize::from(whole.is_some());
    let base = whole.or_else(|| (1..=new).rev().find_map(|count| fitting(desk, lead, count, None)))?;
    let said = base.sentences.len() - own_said;
    let wanted = if is_grave { 0 } else { desk.hashtags_wanted() };
    let tags = hashtags::choose(desk.brief.goal, &base.sentences.join(" "), &items, desk.language, wanted);
    let template = base.clone();
    let parts = base.tagged(tags, &|text| desk.allows_text(text, &template));
    let count = desk.brief.sources.len();
    let note = format!("{said} neighbouring sentences of 1 of {count} items, word for word{note}{}", leaning.told(lead));
    let merit = lead.merit() * leaning.factor(lead);
    let making = Making { support: Support::OneSource, relevance: lead.relevance, was_cut: false, merit, note };
    Some(desk.assessed(parts, making))
}

/// The first `count` sentences and what the agent says of its own, with their source, named by its link or, where that is too long, by its name.
fn fitting(desk: &Desk<'_>, lead: &Candidate, count: usize, own: Option<&str>) -> Option<Parts> {
    let mut parts = desk.bare("");
    parts.sentences = lead.passage.sentences[..count].iter().map(String::as_str).chain(own).map(str::to_owned).collect();
    parts.cite(desk.citation(lead.passage.source));
    if !desk.accepts(&parts) {
        parts.cites_briefly = true;
    }
    desk.accepts(&parts).then_some(parts)
}

/// Without material: what the goal states, or a belief that is to the point. A topic alone is no post.
fn from_goal(desk: &Desk<'_>) -> Vec<Draft> {
    let (said, relevance, support) = match subject::of_goal(desk.brief.goal) {
        Some(Subject::Statement(statement)) if is_in(desk.language, &statement) => (statement, 1.0, Support::Goal),
        _ => match belief(desk, |_| true) {
            Some(belief) => (belief.passage.text(), belief.relevance, Support::Beliefs),
            None => return Vec::new(),
        },
    };
    let base = desk.bare(&said);
    if !desk.accepts(&base) {
        return Vec::new();
    }
    let tags = hashtags::choose(desk.brief.goal, &said, &[], desk.language, desk.hashtags_wanted());
    let template = base.clone();
    let parts = base.tagged(tags, &|text| desk.allows_text(text, &template));
    let note = format!("no sources: what the goal states, or the SOUL believes{}", form::without_material(desk.brief.assignment.form));
    vec![desk.assessed(parts, Making { support, relevance, was_cut: false, merit: relevance, note })]
}

/// A belief of this kind that is to the point, and was not said yet.
pub(super) fn belief(desk: &Desk<'_>, is_wanted: impl Fn(&str) -> bool) -> Option<Candidate> {
    let may_be_said = |belief: &&String| is_wanted(belief) && desk.forbids(belief).is_none() && is_in(desk.language, belief);
    let beliefs = desk.brief.soul.core_beliefs.iter().filter(may_be_said);
    let beliefs = beliefs.map(|belief| Passage { sentences: vec![belief.clone()], source: None, standing: 1.0 }).collect();
    let ranked = desk.ranked(beliefs, desk.brief.goal);
    let is_new = |belief: &Candidate| !desk.was_said(&belief.passage.text());
    ranked.into_iter().find(|belief| belief.relevance >= BELIEF_RELEVANCE_MIN && is_new(belief))
}
