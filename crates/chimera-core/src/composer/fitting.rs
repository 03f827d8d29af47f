//! Puts the parts of a text together and keeps it within every limit: what must be there first, then what fits, best first.

use unicode_segmentation::UnicodeSegmentation;

/// What a text is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    pub opener: Option<String>,
    pub sentences: Vec<String>,
    pub closer: Option<String>,
    /// What directives demand.
    pub demanded: Vec<String>,
    pub citations: Vec<Citation>,
    /// Names instead of links.
    pub cites_briefly: bool,
    pub hashtags: Vec<String>,
    pub label: String,
}

/// How a source is named, with and without its link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    pub full: String,
    pub brief: String,
}

/// Something that makes a text better where there is room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extra {
    Opener(String),
    Closer(String),
    Sentence(String, Option<Citation>),
    Hashtag(String),
}

/// Three sentences or more read better as a list.
const LIST_SENTENCES_MIN: usize = 3;
/// Fewer whole words than this are no sentence.
const CUT_WORDS_MIN: usize = 4;
/// How much of a sentence is looked at when it must be cut.
const CUT_CHARS_MAX: usize = 1_200;

impl Parts {
    pub fn text(&self) -> String {
        let mut tail: Vec<String> = self.demanded.clone();
        tail.extend(self.attribution());
        if !self.hashtags.is_empty() {
            tail.push(self.hashtags.join(" "));
        }
        tail.push(self.label.clone());
        let blocks = [self.body(), self.closer.clone().unwrap_or_default(), tail.join("\n")];
        blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// The source line; `None` when nothing is cited.
    pub fn attribution(&self) -> Option<String> {
        let names: Vec<&str> = self
            .citations
            .iter()
            .map(|citation| if self.cites_briefly { citation.brief.as_str() } else { citation.full.as_str() })
            .collect();
        match names.as_slice() {
            [] => None,
            [one] => Some(format!("Source: {one}")),
            several => Some(format!("Sources: {}", several.join(" "))),
        }
    }

    /// What is said, between what must stand before and after it.
    pub fn body(&self) -> String {
        let opener = self.opener.as_deref().unwrap_or("");
        if self.sentences.len() >= LIST_SENTENCES_MIN {
            let list = self.sentences.iter().map(|sentence| format!("• {sentence}")).collect::<Vec<_>>().join("\n");
            return if opener.is_empty() { list } else { format!("{opener}\n{list}") };
        }
        let said = self.sentences.join(" ");
        format!("{opener} {said}").trim().to_owned()
    }

    /// With every extra that `accepts` lets in, in order; one that does not fit is passed over, never squeezed in.
    pub fn filled(mut self, extras: &[Extra], accepts: &dyn Fn(&str) -> bool) -> Self {
        for extra in extras {
            let mut with = self.clone();
            match extra {
                Extra::Opener(opener) => with.opener = Some(opener.clone()),
                Extra::Closer(closer) => with.closer = Some(closer.clone()),
                Extra::Sentence(sentence, citation) => {
                    with.sentences.push(sentence.clone());
                    with.cite(citation.clone());
                }
                Extra::Hashtag(tag) => with.hashtags.push(tag.clone()),
            }
            if accepts(&with.text()) {
                self = with;
            }
        }
        self
    }

    pub fn cite(&mut self, citation: Option<Citation>) {
        if let Some(citation) = citation.filter(|citation| !self.citations.contains(citation)) {
            self.citations.push(citation);
        }
    }
}

/// The longest beginning of `sentence` in whole words, with an ellipsis, that `accepts` takes.
pub fn cut(sentence: &str, accepts: &dyn Fn(&str) -> bool) -> Option<String> {
    let head: String = sentence.chars().take(CUT_CHARS_MAX).collect();
    let ends: Vec<usize> = head.unicode_word_indices().map(|(start, word)| start + word.len()).collect();
    // The last word of a head that was cut by characters may be half a word.
    let whole = if head.len() < sentence.len() { ends.len().saturating_sub(1) } else { ends.len() };
    let shortened = |words: usize| format!("{}…", &head[..ends[words - 1]]);
    let (mut fits, mut fails) = (CUT_WORDS_MIN - 1, whole + 1);
    while fits + 1 < fails {
        let middle = fits.midpoint(fails);
        if accepts(&shortened(middle)) { fits = middle } else { fails = middle }
    }
    (fits >= CUT_WORDS_MIN).then(|| shortened(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Parts {
        Parts { sentences: vec!["The bridge opens on Monday.".to_owned()], label: "AI".to_owned(), ..Parts::default() }
    }

    #[test]
    fn parts_are_put_together_in_the_order_of_a_post() {
        let mut parts = parts();
        parts.opener = Some("Worth noting:".to_owned());
        parts.closer = Some("Thoughts?".to_owned());
        parts.cite(Some(Citation { full: "https://example.com/a".to_owned(), brief: "example.com".to_owned() }));
        parts.hashtags = vec!["#Bridge".to_owned()];

        assert_eq!(parts.text(), "Worth noting: The bridge opens on Monday.\n\nThoughts?\n\nSource: https://example.com/a\n#Bridge\nAI");
    }

    #[test]
    fn an_extra_that_does_not_fit_is_passed_over() {
        let extras = [Extra::Sentence("A very long second sentence that cannot fit.".to_owned(), None), Extra::Hashtag("#a".to_owned())];
        let text = parts().filled(&extras, &|text| text.len() < 45).text();

        assert_eq!(text, "The bridge opens on Monday.\n\n#a\nAI");
    }

    #[test]
    fn a_cut_ends_between_words_and_is_no_stump() {
        let sentence = "One two three four five sixth";

        assert_eq!(cut(sentence, &|text| text.chars().count() <= 20).as_deref(), Some("One two three four…"));
        assert_eq!(cut(sentence, &|text| text.chars().count() <= 12), None);
        assert_eq!(cut(&"x".repeat(100_000), &|_| true), None);
        assert_eq!(cut("", &|_| true), None);
    }
}
