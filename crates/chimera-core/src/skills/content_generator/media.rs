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
            let words = sentence.split(' ').count();
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
        if chosen.split_whitespace().count() >= HEADLINE_WORDS_MIN {
            break;
        }
    }
    let chosen = if chosen.is_empty() { label.to_owned() } else { chosen };
    chosen.trim().chars().take(HEADLINE_CHARS_MAX).collect()
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
        assert_eq!(headline(&"word ".repeat(200), &[], "AI").0.chars().count(), HEADLINE_CHARS_MAX);
    }

    #[test]
    fn a_source_is_called_by_its_site_or_its_author() {
        assert_eq!(site(&source("", "", "https://www.astro.example/c")).as_deref(), Some("astro.example"));
        assert_eq!(site(&Source { author: Author::parse("Dana"), ..Source::default() }).as_deref(), Some("Dana"));
        assert_eq!(site(&Source::default()), None);
    }
}
