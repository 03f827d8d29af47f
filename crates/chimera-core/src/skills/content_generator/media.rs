//! A picture or video for a text that is written: its headline, its source, who draws it, and where it is kept.

use super::{ContentGenerator, not_finished, store_failed};
use crate::{
    composer::{Composed, Source},
    contracts::{
        ErrorCode, SkillFailure,
        content_generator::{ContentGeneratorInput, ContentType},
    },
    domain::{
        AgentId, Author, Soul, WebUrl,
        asset::AssetId,
        platform::{MediaRules, Platform, hashtags, links},
    },
    policy::{
        finished::{self, FinishedText},
        phrases::is_source_line,
    },
    ports::{
        assets::{AssetRecord, AssetStatus},
        media::{MadeMedia, MediaBrief, MediaError, MediaKind, MediaPersona, WordsBy},
    },
};
use unicode_segmentation::UnicodeSegmentation;

/// A finished picture or video, kept and ready to be named in an answer.
pub(super) struct Kept {
    pub(super) uri: String,
    pub(super) trace: String,
}

/// What media is made from, all of it checked before.
pub(super) struct Written<'a> {
    pub(super) soul: &'a Soul,
    pub(super) platform: Option<Platform>,
    pub(super) sources: &'a [Source],
    pub(super) text: &'a FinishedText,
    pub(super) composed: &'a Composed,
    pub(super) words_by: WordsBy,
}

/// `None` for text, which needs no picture.
fn kind(content_type: ContentType) -> Option<MediaKind> {
    match content_type {
        ContentType::Text => None,
        ContentType::Image => Some(MediaKind::Image),
        ContentType::Video => Some(MediaKind::Video),
    }
}

impl ContentGenerator {
    /// `None` when only a text was asked for.
    pub(super) async fn illustrate(
        &self,
        input: &ContentGeneratorInput,
        agent: &AgentId,
        written: &Written<'_>,
    ) -> Result<Option<Kept>, SkillFailure> {
        let content_type = input.acceptance_criteria.content_type;
        let Some(kind) = kind(content_type) else { return Ok(None) };
        let soul = written.soul;
        let (headline, source) = headline(written.text.as_str(), written.sources, &soul.disclosure);
        // A card names no site that its text does not cite.
        let vouched = &written.composed.vouched;
        let source = source.and_then(site).filter(|site| finished::foreign(site, vouched).is_empty());
        let brief = MediaBrief {
            task_id: input.task_id,
            agent: agent.clone(),
            kind,
            tier: input.acceptance_criteria.video_tier,
            platform: written.platform,
            headline,
            source,
            persona: MediaPersona {
                name: soul.name.clone(),
                handle: soul.handle.clone(),
                disclosure: soul.disclosure.clone(),
                brand: soul.brand.clone(),
                character_reference_id: soul.character_reference_id.clone(),
            },
            words_by: written.words_by,
        };
        let made = self.ports.media.make(&brief).await.map_err(|error| provider_failed(&error, content_type))?;
        let alt_text = FinishedText::check(made.alt_text.as_str(), vouched).map_err(|foreign| not_finished(&foreign))?;
        self.keep(input, &brief, written.composed.confidence, MadeMedia { alt_text: alt_text.into(), ..made }).await.map(Some)
    }

    async fn keep(
        &self,
        input: &ContentGeneratorInput,
        brief: &MediaBrief,
        confidence: f64,
        made: MadeMedia,
    ) -> Result<Kept, SkillFailure> {
        let id = AssetId::of(&made.bytes);
        let mut trace = format!(
            "media: {} {}x{}, {} bytes, for the words {:?}",
            made.media_type.mime(),
            made.size.width,
            made.size.height,
            made.bytes.len(),
            brief.headline
        );
        if !made.removed.is_empty() {
            trace.push_str(&format!("\nmedia: taken out of the tool's file before it was signed: {}", made.removed.join(", ")));
        }
        for note in &made.notes {
            trace.push_str(&format!("\nmedia: {note}"));
        }
        let record = AssetRecord {
            id: id.clone(),
            agent: brief.agent.clone(),
            task_id: input.task_id,
            content_type: input.acceptance_criteria.content_type,
            media_type: made.media_type,
            bytes: made.bytes.len() as u64,
            size: made.size,
            platform: brief.platform.map(|platform| platform.name().to_owned()),
            status: AssetStatus::Draft,
            confidence,
            alt_text: made.alt_text,
            ai_label: brief.persona.disclosure.clone(),
            ai_flag: MediaRules::of(brief.platform).ai_flag.map(str::to_owned),
            created_at: self.ports.clock.now(),
            parameters: made.parameters,
            video: made.video,
        };
        self.ports.assets.save(&record, made.bytes).await.map_err(|error| store_failed(&error))?;
        Ok(Kept { uri: id.uri(), trace })
    }
}

fn provider_failed(error: &MediaError, content_type: ContentType) -> SkillFailure {
    SkillFailure::new(ErrorCode::ProviderError, error.to_string()).with("content_type", content_type)
}

/// Fewer words than this say too little to stand alone.
const HEADLINE_WORDS_MIN: usize = 3;
const HEADLINE_CHARS_MAX: usize = 300;

/// The sentence that the text took over from a source, and that source; without one, the first thing that the text says.
/// Only what the text says itself may stand in a picture: it passed every check, and its sources did not.
fn headline<'s>(text: &str, sources: &'s [Source], label: &str) -> (String, Option<&'s Source>) {
    let said = squeezed(text);
    let mut best: Option<(usize, String, &Source)> = None;
    for source in sources {
        for sentence in source.text.as_data().unicode_sentences().chain([source.title.as_data()]).map(squeezed) {
            let words = word_count(&sentence);
            let chars = sentence.chars().count();
            let Some(place) = said.find(&sentence).filter(|_| words >= HEADLINE_WORDS_MIN && chars <= HEADLINE_CHARS_MAX) else { continue };
            // The one that the text says first; of two that begin there, the longer.
            let is_better = best.as_ref().is_none_or(|(at, other, _)| place < *at || (place == *at && sentence.len() > other.len()));
            if is_better {
                best = Some((place, sentence, source));
            }
        }
    }
    match best {
        Some((_, sentence, source)) => (sentence, Some(source)),
        None => (first_said(text, label), sources.first()),
    }
}

/// The first sentence that is more than a greeting, without links, hashtags, sources and the label.
fn first_said(text: &str, label: &str) -> String {
    let addresses = links(text);
    let tags: Vec<&str> = hashtags(text).collect();
    let prose = |line: &&str| *line != label && !is_source_line(line);
    let is_tag = |word: &str| word.starts_with('#') && tags.iter().any(|tag| word.contains(tag));
    let is_word = |word: &&str| !addresses.contains(word) && !is_tag(word);
    let lines: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(prose)
        .map(|line| line.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" "))
        .collect();
    let body = lines.iter().map(|line| line.trim_start_matches("• ")).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let mut chosen = String::new();
    for sentence in body.unicode_sentences() {
        if !chosen.is_empty() && chosen.chars().count() + sentence.chars().count() > HEADLINE_CHARS_MAX {
            break;
        }
        chosen.push_str(sentence);
        if word_count(&chosen) >= HEADLINE_WORDS_MIN {
            break;
        }
    }
    let chosen = if chosen.is_empty() { label.to_owned() } else { chosen };
    cut_at_word(chosen.trim())
}

/// Two Han characters or hiragana, which no spaces part, say about as much as a word.
fn word_count(text: &str) -> usize {
    const CHARS_A_WORD: usize = 2;
    let is_unspaced = |word: &str| word.chars().all(|letter| matches!(letter, '\u{3041}'..='\u{309f}' | '\u{3400}'..='\u{9fff}'));
    let (unspaced, words): (Vec<&str>, Vec<&str>) = text.unicode_words().partition(|word| is_unspaced(word));
    words.len() + unspaced.len() / CHARS_A_WORD
}

/// Whole words and an ellipsis; a word longer than that is cut between two letters.
fn cut_at_word(text: &str) -> String {
    if text.chars().count() <= HEADLINE_CHARS_MAX {
        return text.to_owned();
    }
    let fits = |end: &usize| text[..*end].chars().count() < HEADLINE_CHARS_MAX;
    let last = |ends: &mut dyn Iterator<Item = usize>| ends.take_while(fits).last().filter(|end| *end > 0);
    let ends = |parts: Vec<(usize, &str)>| parts.into_iter().map(|(at, part)| at + part.len()).collect::<Vec<_>>();
    let at_word = last(&mut ends(text.split_word_bound_indices().collect()).into_iter());
    let end = at_word.or_else(|| last(&mut ends(text.grapheme_indices(true).collect()).into_iter())).unwrap_or_default();
    let kept = text[..end].trim_end_matches(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | ':' | '、' | '，' | '،'));
    format!("{kept}…")
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How people call a source: its site, or its author.
fn site(source: &Source) -> Option<String> {
    let name = || source.author.as_ref().and_then(Author::name);
    source.url.as_ref().map(WebUrl::site).or_else(name).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Untrusted;

    fn source(title: &str, text: &str, url: &str) -> Source {
        Source { title: Untrusted::new(title), text: Untrusted::new(text), url: WebUrl::parse(url), ..Source::default() }
    }

    #[test]
    fn the_headline_is_the_sentence_that_the_text_took_over_first() {
        let sources = [
            source("Comets", "A comet was seen. It has a blue tail that nobody expected.", "https://www.astro.example/c"),
            source("Lanes", "Addis Ababa opened 40 km of lanes. Nothing else happened there.", "https://city.example/l"),
        ];
        let text = "Worth noting: Addis Ababa opened 40 km of lanes. Also: It has a blue tail that nobody expected.\n\nSource: https://city.example/l\n#Lanes\nAI";

        let (headline, source) = headline(text, &sources, "AI");

        assert_eq!(headline, "Addis Ababa opened 40 km of lanes.");
        assert_eq!(source.and_then(site).as_deref(), Some("city.example"));
    }

    #[test]
    fn without_a_sentence_of_the_sources_the_text_speaks_for_itself() {
        for (text, expected) in [
            ("Hello! Good tools make people bolder. More below.\n\n#Tools\nAI by @s", "Hello! Good tools make people bolder."),
            ("• One thing to know today\n• Another\nSource: https://a.example/b\nAI by @s", "One thing to know today Another"),
            ("Read https://a.example/b about #Lanes in town today.", "Read about in town today."),
            ("AI by @s", "AI by @s"),
        ] {
            assert_eq!(headline(text, &[], "AI by @s").0, expected, "{text}");
        }
    }

    #[test]
    fn a_headline_that_is_too_long_ends_with_a_whole_word() {
        for (word, kept) in [("many words, ", 299), ("मरम्मत केंद्र ", 299), ("مكتبات الأحياء ", 299)]
        {
            let said = headline(&word.repeat(60), &[], "AI").0;
            let words: Vec<&str> = word.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
            assert!(said.chars().count() <= kept + 1 && words.iter().any(|word| said.ends_with(&format!("{word}…"))), "{said}");
        }
        let endless = headline(&"x".repeat(400), &[], "AI").0;
        assert!(endless.chars().count() == HEADLINE_CHARS_MAX && endless.ends_with("x…"));
    }

    #[test]
    fn a_sentence_without_spaces_is_a_headline_and_a_greeting_is_none() {
        let sources = [source("図書館", "新しい図書館が月曜日に開館しました。", "https://city.example/l")];
        assert_eq!(headline("こんにちは！新しい図書館が月曜日に開館しました。", &sources, "AI").0, "新しい図書館が月曜日に開館しました。");
        assert_eq!(headline("新图书馆周一开馆。更多内容。", &[], "AI").0, "新图书馆周一开馆。");
    }

    #[test]
    fn a_source_is_called_by_its_site_or_its_author() {
        assert_eq!(site(&source("", "", "https://www.astro.example/c")).as_deref(), Some("astro.example"));
        assert_eq!(site(&Source { author: Author::parse("Dana"), ..Source::default() }).as_deref(), Some("Dana"));
        assert_eq!(site(&Source::default()), None);
    }
}
