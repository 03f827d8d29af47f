//! What is left out because people did not want it, and why nothing could be written.

use super::{Desk, Draft};
use crate::{
    composer::{
        Source, Unmeetable,
        choice::{is_in, sentences_of},
        fitting::Parts,
        sentences::is_usable,
        stories::Beginnings,
    },
    domain::Language,
    perception::language::language_of,
    policy::content::Rule,
};
use std::collections::HashSet;

impl Desk<'_> {
    /// Whether it says what was turned down before, in any of its sentences.
    pub(in crate::composer) fn is_turned_down(&self, draft: &Draft) -> bool {
        draft.parts.sentences.iter().any(|sentence| self.wishes.is_turned_down(sentence))
    }

    /// Those that are as short or long as a person asked, where there are some.
    pub(in crate::composer) fn of_wanted_length(&self, drafts: Vec<Draft>) -> Vec<Draft> {
        let (met, not): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(|draft| self.wishes.is_length_met(&draft.text));
        if met.is_empty() { not } else { met }
    }

    pub(in crate::composer) fn nothing_left(&self) -> Unmeetable {
        let (directive, problem) = self.wishes.nothing_left();
        Unmeetable { directive, problem }
    }

    /// Sources that a person did not want: those of certain texts, or their whole story.
    pub(in crate::composer) fn unwanted_sources(&self) -> HashSet<usize> {
        let mut unwanted = self.told_from(self.wishes.other_source_than());
        unwanted.extend(self.of_stories_told(self.wishes.other_story_than()));
        unwanted
    }

    /// Sources of the stories that texts of ours told.
    pub(in crate::composer) fn of_stories_told(&self, texts: &[String]) -> HashSet<usize> {
        let told = self.told_from(texts);
        if told.is_empty() {
            return told;
        }
        let items = self.items(0..self.brief.sources.len());
        let beginnings = Beginnings::of(items.iter().map(String::as_str), self.brief.embedder);
        (0..items.len()).filter(|index| told.iter().any(|other| index == other || beginnings.are_alike(*index, *other))).collect()
    }

    /// Sources that texts of ours cite or quote.
    fn told_from(&self, texts: &[String]) -> HashSet<usize> {
        let is_of = |source: &Source, text: &String| {
            let is_cited = source.url.as_ref().is_some_and(|url| text.contains(url.as_str()));
            is_cited || sentences_of(source).iter().any(|sentence| is_usable(sentence) && text.contains(sentence.as_str()))
        };
        let sources = self.brief.sources.iter().enumerate();
        sources.filter(|(_, source)| texts.iter().any(|text| is_of(source, text))).map(|(index, _)| index).collect()
    }

    /// Why no draft could be made: a demand that no text meets, or `otherwise`.
    pub(in crate::composer) fn no_draft(&self, otherwise: Unmeetable) -> Unmeetable {
        // The least that a text can say.
        let least = self.bare("A.");
        if self.accepts(&least) { otherwise } else { self.why_not(&least) }
    }

    /// Where the material has nothing that may stand by itself, or there is no material and the goal states nothing.
    pub(in crate::composer) fn nothing_stands(&self) -> Unmeetable {
        let problem = if self.brief.sources.is_empty() {
            "there is no material, and the goal states nothing that could be said: name resources, write what is to be said (\"Say that …\"), or configure a model"
        } else {
            "no sentence of the material can stand alone: add a source, write it by hand, or configure a model"
        };
        Unmeetable { directive: "whole sentences of one item that stand alone, or nothing".to_owned(), problem: problem.to_owned() }
    }

    /// Where the material speaks of other things: a post about one of them would be none for this goal.
    pub(in crate::composer) fn nothing_to_the_goal(&self) -> Unmeetable {
        Unmeetable {
            directive: "what a post says matters to its goal".to_owned(),
            problem: "nothing in the material that could stand alone is about the goal: add a source, or write it by hand".to_owned(),
        }
    }

    /// Whether some of the material is in the language that is written in.
    pub(in crate::composer) fn has_own_language(&self) -> bool {
        self.items(0..self.brief.sources.len()).iter().any(|item| is_in(self.language, item))
    }

    pub(in crate::composer) fn nothing_in_language(&self) -> Unmeetable {
        let mut found: Vec<Language> = self.items(0..self.brief.sources.len()).iter().filter_map(|item| language_of(item)).collect();
        found.sort_unstable();
        found.dedup();
        let found: Vec<&str> = found.into_iter().map(Language::name).collect();
        let found = if found.is_empty() { "a language that it does not know".to_owned() } else { found.join(", ") };
        Unmeetable {
            directive: format!("language: {}", self.language.code()),
            problem: format!(
                "the material is in {found}, none of it in {language}, and the embedded writer does not translate: add a source in {language}, or configure a model",
                language = self.language
            ),
        }
    }

    /// Where no line of ours fits a comment.
    pub(in crate::composer) fn no_reply_fits(&self) -> Unmeetable {
        Unmeetable {
            directive: "a line of ours only where it fits the comment".to_owned(),
            problem: "it asks nothing and is not plain praise, or was answered to this person before: a person decides what is said"
                .to_owned(),
        }
    }

    fn why_not(&self, parts: &Parts) -> Unmeetable {
        let text = parts.text();
        if let Some((directive, problem)) = self.breach(&text, parts) {
            return Unmeetable { directive: directive.text.clone(), problem };
        }
        let longest = self
            .brief
            .directives
            .iter()
            .filter(|directive| matches!(directive.rule, Rule::Always { .. }))
            .max_by_key(|directive| directive.text.len());
        let directive = longest.map(|directive| directive.text.clone()).unwrap_or_default();
        Unmeetable { directive, problem: format!("a text with it has {} of at most {}", self.limits.length(&text), self.limits.length_max) }
    }
}
