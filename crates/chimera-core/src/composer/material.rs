//! The material as a model is shown it: the items that matter most, story by story, each as facts with ids that an answer can name.

use super::{Brief, Comment, Source, drafting::relevance, sentences::split, stories::Beginnings};
use crate::domain::{Untrusted, untrusted::Fetched};
use std::collections::BTreeMap;

/// Items that a model is shown, the most relevant first.
const SOURCES_MAX: usize = 6;
/// Of all items together: the most relevant stand whole, and the others as far as there is room.
const MATERIAL_CHARS_MAX: usize = 8_000;
/// A shorter piece is no fact by itself, and stands with the one before it.
const FACT_CHARS_MIN: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Material {
    stories: Vec<Vec<Fact>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact {
    /// Counted from 1 over all stories.
    number: usize,
    /// Index into the brief's sources.
    source: usize,
    text: String,
}

/// What an answer says that one of its sentences rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Rests {
    /// Nothing was said about it: a claim like any other.
    #[default]
    Unsaid,
    /// Said to be an opinion, a greeting, a question or a call.
    Voice,
    /// The sources of the facts that it names, those of one story together.
    On(Vec<Vec<usize>>),
}

impl Material {
    pub(super) fn of(brief: &Brief<'_>, comment: Option<&Comment>) -> Self {
        let chosen = chosen(brief, comment);
        let texts: Vec<String> = chosen.iter().map(|index| whole(&brief.sources[*index])).collect();
        let beginnings = Beginnings::of(texts.iter().map(String::as_str), brief.embedder);
        let mut told_with: Vec<Vec<usize>> = Vec::new();
        for place in 0..chosen.len() {
            match told_with.iter_mut().find(|story| story.iter().any(|other| beginnings.are_alike(place, *other))) {
                Some(story) => story.push(place),
                None => told_with.push(vec![place]),
            }
        }
        let mut left = MATERIAL_CHARS_MAX;
        let rooms: Vec<usize> = texts
            .iter()
            .map(|text| {
                let room = text.chars().count().min(left);
                left -= room;
                room
            })
            .collect();
        let mut number = 0;
        let mut numbered = |source: usize, room: usize| {
            let facts = facts_of(&brief.sources[source], room).into_iter();
            facts
                .map(|text| {
                    number += 1;
                    Fact { number, source, text }
                })
                .collect::<Vec<_>>()
        };
        let stories = told_with
            .into_iter()
            .map(|story| story.into_iter().flat_map(|place| numbered(chosen[place], rooms[place])).collect())
            .collect();
        Self { stories }
    }

    /// Each story inside a fence that its text cannot close, a line for each fact.
    pub(super) fn quoted(&self) -> Vec<String> {
        let stories = self.stories.iter().enumerate().filter(|(_, facts)| !facts.is_empty());
        stories
            .map(|(place, facts)| {
                let lines: Vec<String> = facts.iter().map(|fact| format!("[f{}] {}", fact.number, fact.text)).collect();
                format!("Story {}:\n{}", place + 1, Untrusted::<Fetched>::new(lines.join("\n")).quoted())
            })
            .collect()
    }

    /// What a sentence rests on that names these ids; `Err` names those that stand for no fact.
    pub(super) fn rests_on(&self, ids: &[String]) -> Result<Rests, Vec<String>> {
        let mut sources: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut unknown = Vec::new();
        for id in ids {
            match self.find(id) {
                Some((story, source)) => {
                    let of_story = sources.entry(story).or_default();
                    if !of_story.contains(&source) {
                        of_story.push(source);
                    }
                }
                None => unknown.push(id.chars().take(ID_CHARS_TOLD_MAX).collect()),
            }
        }
        if unknown.is_empty() { Ok(Rests::On(sources.into_values().collect())) } else { Err(unknown) }
    }

    /// The story and the source of a fact. `f7`, `[f7]`, `F7` and `7` are one.
    fn find(&self, id: &str) -> Option<(usize, usize)> {
        let number: usize = id.trim().trim_matches(['[', ']']).trim_start_matches(['f', 'F']).parse().ok()?;
        let stories = self.stories.iter().enumerate();
        stories
            .flat_map(|(story, facts)| facts.iter().map(move |fact| (story, fact)))
            .find_map(|(story, fact)| (fact.number == number).then_some((story, fact.source)))
    }
}

const ID_CHARS_TOLD_MAX: usize = 16;

/// The sources that matter most for the goal or the comment, by their place.
fn chosen(brief: &Brief<'_>, comment: Option<&Comment>) -> Vec<usize> {
    let about = comment.map_or(brief.goal, |comment| comment.text.as_data());
    let texts: Vec<String> = brief.sources.iter().map(whole).collect();
    let scores = relevance(&texts.iter().map(String::as_str).collect::<Vec<_>>(), about, brief);
    let mut ranked: Vec<(usize, f64)> = scores.into_iter().enumerate().collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    ranked.into_iter().take(SOURCES_MAX).map(|(index, _)| index).collect()
}

fn whole(source: &Source) -> String {
    [source.title.as_data(), source.text.as_data()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Title and sentences, each on one line, as many as a prompt has room for.
fn facts_of(source: &Source, room: usize) -> Vec<String> {
    let title = split(source.title.as_data()).join(" ");
    let mut facts: Vec<String> = Vec::new();
    let mut left = room;
    for sentence in [title].into_iter().chain(split(source.text.as_data())).filter(|text| !text.is_empty()) {
        // Half a sentence may say something else than the whole; only a first one that is longer than all the room is cut.
        if left == 0 || (sentence.chars().count() > left && !facts.is_empty()) {
            break;
        }
        let text: String = sentence.chars().take(left).collect();
        left -= text.chars().count();
        if facts.contains(&text) {
            continue;
        }
        match facts.last_mut().filter(|_| text.chars().count() < FACT_CHARS_MIN) {
            Some(before) => *before = format!("{before} {text}"),
            None => facts.push(text),
        }
    }
    facts
}
