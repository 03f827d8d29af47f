//! What people and the Judge said of earlier texts, and of the next one before it is written, and what it makes of it. A model reads their words; the composer heeds the wishes that it
//! understands, and the trace says which it did not.

mod wishes;

use super::aim::Named;
use crate::{
    contracts::{
        content_generator::{AttemptFeedback, FeedbackBy},
        lesson::Lesson,
    },
    perception::language::Language,
    policy::wording::stems,
};
use std::collections::HashSet;
use wishes::{Wish, languages_named, quoted_phrases, wishes_of};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feedback {
    /// What the operator says of this very text before it is written.
    pub brief: Option<String>,
    /// On earlier attempts at this very text, oldest first.
    pub attempts: Vec<AttemptFeedback>,
    /// What people taught with like work, oldest first.
    pub lessons: Vec<Lesson>,
}

/// How long the next text is to be, measured on the one that was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Shorter { than: usize },
    Longer { than: usize },
}

impl Length {
    /// So much of the old length counts as shorter, and so much as longer, in hundredths.
    const SHORTER: usize = 85;
    const LONGER: usize = 110;
    /// Longer than any text is.
    const OF_ANY_TEXT: usize = 1_000_000;

    fn is_met(self, chars: usize) -> bool {
        match self {
            Self::Shorter { than } => chars * 100 <= than * Self::SHORTER,
            Self::Longer { than } => chars * 100 >= than * Self::LONGER,
        }
    }
}

/// What is asked of the next text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Wishes {
    pub(super) length: Option<Length>,
    pub(super) no_hashtags: bool,
    pub(super) no_questions: bool,
    pub(super) no_links: bool,
    pub(super) other_angle: bool,
    pub(super) language: Option<Language>,
    /// Texts whose sources, or whose story, are not wanted again.
    other_source_than: Vec<String>,
    other_story_than: Vec<String>,
    /// The operator's words, and what they name.
    brief: Option<(String, Named)>,
    /// Words that must not be in it, or must.
    avoided: Vec<String>,
    wanted: Vec<String>,
    /// What was turned down: none of it comes again.
    turned_down: Vec<String>,
    /// Sentences that people took out.
    taken_out: Vec<String>,
    heeded: Vec<String>,
    not_understood: Vec<String>,
    last_reason: Option<String>,
}

/// Sentences of two texts that share so much of their words say the same, in hundredths.
const SAME_SENTENCE: usize = 80;
/// Shorter ones are no sentence that could be told apart.
const SENTENCE_WORDS_MIN: usize = 4;

impl Wishes {
    pub(super) fn of(feedback: &Feedback) -> Self {
        let mut wishes = Self::default();
        if let Some(brief) = &feedback.brief {
            wishes.take_brief(brief);
        }
        for lesson in &feedback.lessons {
            wishes.learn(lesson);
        }
        for attempt in &feedback.attempts {
            wishes.turned_down.push(attempt.rejected_text.clone());
            // The Judge's reasons are about what it measured: whatever was said, the next text is another one.
            if attempt.by == FeedbackBy::Person {
                wishes.read(&attempt.reason, &attempt.rejected_text, Reach::ThisText);
                wishes.last_reason = Some(attempt.reason.clone()).filter(|reason| !reason.trim().is_empty());
            }
        }
        wishes
    }

    /// There is no earlier text that it could be about: whatever is short or long will do.
    fn take_brief(&mut self, brief: &str) {
        for wish in wishes_of(brief) {
            match wish {
                Wish::NoHashtags => self.no_hashtags = true,
                Wish::NoQuestions => self.no_questions = true,
                Wish::NoLinks => self.no_links = true,
                Wish::Shorter => self.length = Some(Length::Shorter { than: Length::OF_ANY_TEXT }),
                Wish::Longer => self.length = Some(Length::Longer { than: 0 }),
                Wish::OtherStory | Wish::OtherSource | Wish::OtherAngle => {}
            }
        }
        self.language = languages_named(brief).into_iter().last();
        let phrases = quoted_phrases(brief);
        self.avoided.extend(phrases.avoided);
        self.wanted.extend(phrases.wanted);
        self.brief = Some((brief.trim().to_owned(), Named::by(brief)));
    }

    /// How much of what the brief names a text says, of 1; nothing without a brief.
    pub(super) fn of_brief(&self, text: &str) -> f64 {
        self.brief.as_ref().map_or(0.0, |(_, named)| named.share_in(text))
    }

    fn learn(&mut self, lesson: &Lesson) {
        match &lesson.edited {
            None => self.turned_down.push(lesson.written.clone()),
            Some(edited) => self.learn_from_edit(&lesson.written, edited),
        }
        if let Some(reason) = &lesson.reason {
            self.read(reason, &lesson.written, Reach::LikeWork);
        }
    }

    /// What a person took out of one text is not put into the next.
    fn learn_from_edit(&mut self, written: &str, edited: &str) {
        let is_said = |sentence: &String| sentence.split_whitespace().count() > 1 && sentence.chars().any(char::is_alphabetic);
        let gone: Vec<String> =
            sentences(body_of(written)).into_iter().filter(|sentence| is_said(sentence) && !edited.contains(sentence.as_str())).collect();
        if !gone.is_empty() {
            self.heed("never again a sentence that a person took out".to_owned());
            self.taken_out.extend(gone);
        }
        if written.contains('#') && !edited.contains('#') {
            self.no_hashtags = true;
            self.heed("no hashtags, as a person took them out".to_owned());
        }
        if written.contains(QUESTION_MARKS) && !edited.contains(QUESTION_MARKS) {
            self.no_questions = true;
            self.heed("no question, as a person took it out".to_owned());
        }
    }

    fn read(&mut self, reason: &str, text: &str, reach: Reach) {
        if reason.trim().is_empty() {
            return;
        }
        let mut understood = false;
        for wish in wishes_of(reason) {
            understood |= self.take(wish, text, reach);
        }
        for language in languages_named(reason) {
            self.language = Some(language);
            understood = true;
        }
        let phrases = quoted_phrases(reason);
        understood |= !phrases.avoided.is_empty() || !phrases.wanted.is_empty();
        self.avoided.extend(phrases.avoided);
        self.wanted.extend(phrases.wanted.into_iter().filter(|_| reach == Reach::ThisText));
        if understood {
            self.heed(format!("{:?}", reason.trim()));
        } else if reach == Reach::ThisText {
            self.not_understood.push(reason.trim().to_owned());
        }
    }

    /// Whether it matters for a text so far from the one it was said of.
    fn take(&mut self, wish: Wish, text: &str, reach: Reach) -> bool {
        let than = text.chars().count();
        match wish {
            Wish::NoHashtags => self.no_hashtags = true,
            Wish::NoQuestions => self.no_questions = true,
            Wish::NoLinks => self.no_links = true,
            Wish::Shorter => self.length = Some(Length::Shorter { than }),
            Wish::Longer => self.length = Some(Length::Longer { than }),
            // What was wrong with one text's source says nothing about the next one's, but for the story nobody wants.
            Wish::OtherStory => self.other_story_than.push(text.to_owned()),
            Wish::OtherSource if reach == Reach::ThisText => self.other_source_than.push(text.to_owned()),
            Wish::OtherAngle if reach == Reach::ThisText => self.other_angle = true,
            Wish::OtherSource | Wish::OtherAngle => return false,
        }
        true
    }

    fn heed(&mut self, told: String) {
        if !self.heeded.contains(&told) {
            self.heeded.push(told);
        }
    }

    /// Texts that must not come again, in any of their sentences.
    pub(super) fn turned_down(&self) -> &[String] {
        &self.turned_down
    }

    pub(super) fn other_source_than(&self) -> &[String] {
        &self.other_source_than
    }

    pub(super) fn other_story_than(&self) -> &[String] {
        &self.other_story_than
    }

    /// Whether a sentence of a source may be used.
    pub(super) fn allow(&self, sentence: &str) -> bool {
        let lowered = sentence.to_lowercase();
        let is_avoided = self.avoided.iter().any(|phrase| lowered.contains(phrase)) || self.taken_out.iter().any(|gone| gone == sentence);
        !is_avoided && !self.is_unwanted_question(sentence) && !self.is_turned_down(sentence)
    }

    /// Whether it has what a person asked for by name; always, where they named nothing.
    pub(super) fn has_wanted(&self, sentence: &str) -> bool {
        let lowered = sentence.to_lowercase();
        self.wanted.iter().all(|phrase| lowered.contains(phrase))
    }

    /// Word for word, or nearly.
    pub(super) fn is_turned_down(&self, sentence: &str) -> bool {
        let words: HashSet<String> = stems(sentence).into_iter().collect();
        self.turned_down.iter().any(|text| {
            text.contains(sentence)
                || (words.len() >= SENTENCE_WORDS_MIN
                    && sentences(text).iter().any(|known| {
                        let known: HashSet<String> = stems(known).into_iter().collect();
                        let shared = words.intersection(&known).count();
                        shared * 100 >= words.len().max(known.len()) * SAME_SENTENCE
                    }))
        })
    }

    fn is_unwanted_question(&self, passage: &str) -> bool {
        self.no_questions && passage.contains(QUESTION_MARKS)
    }

    pub(super) fn is_length_met(&self, text: &str) -> bool {
        self.length.is_none_or(|length| length.is_met(text.chars().count()))
    }

    /// What a model's own words do not keep of what people asked for.
    pub(super) fn unheeded(&self, body: &str) -> Vec<String> {
        let mut found = Vec::new();
        let lowered = body.to_lowercase();
        if self.no_questions && body.contains(QUESTION_MARKS) {
            found.push("it asks a question, which a person asked not to".to_owned());
        }
        let avoided = self.avoided.iter().filter(|phrase| lowered.contains(phrase.as_str()));
        found.extend(avoided.map(|phrase| format!("it says {phrase:?}, which a person asked not to")));
        if self.taken_out.iter().any(|gone| body.contains(gone.as_str())) {
            found.push("it has a sentence that a person took out before".to_owned());
        }
        if let Some(Length::Shorter { than }) = self.length
            && body.chars().count() * 100 > than * Length::SHORTER
        {
            found.push("it is not shorter than what a person found too long".to_owned());
        }
        found
    }

    /// Why nothing can be written that was not turned down.
    pub(super) fn nothing_left(&self) -> (String, String) {
        let asked = self.last_reason.clone().unwrap_or_else(|| "what was turned down does not come again".to_owned());
        (asked, "the sources have nothing else that says it: add a source, write it by hand, or give it up".to_owned())
    }

    /// For the trace of a text that was written by them.
    pub(super) fn trace(&self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((brief, _)) = &self.brief {
            let told = if self.of_brief(text) > 0.0 {
                "heeded: it speaks of what the brief names"
            } else {
                "not heeded: nothing that may be said speaks of what the brief names"
            };
            lines.extend([format!("brief: {brief:?}"), told.to_owned()]);
        }
        if !self.turned_down.is_empty() {
            lines.push(format!("feedback: {} earlier texts were turned down; none of their sentences comes again", self.turned_down.len()));
        }
        lines.extend(self.heeded.iter().map(|wish| format!("heeded: {wish}")));
        match self.length {
            Some(Length::Shorter { .. }) if !self.is_length_met(text) => {
                lines.push("not heeded: nothing shorter could be found".to_owned())
            }
            Some(Length::Longer { .. }) if !self.is_length_met(text) => lines.push("not heeded: nothing longer could be found".to_owned()),
            _ => {}
        }
        if !self.has_wanted(text) {
            lines.push(format!("not heeded: no sentence has {}", self.wanted.join(", ")));
        }
        lines.extend(self.not_understood.iter().map(|reason| format!("not understood, so only another text: {reason:?}")));
        lines
    }
}

fn sentences(text: &str) -> Vec<String> {
    super::sentences::split(text)
}

/// What a text says, without source line, hashtags and label.
fn body_of(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or(text)
}

/// How far from the text that it was said of a wish is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    ThisText,
    LikeWork,
}

pub(super) const QUESTION_MARKS: [char; 4] = ['?', '？', '؟', '፧'];

#[cfg(test)]
mod tests;
