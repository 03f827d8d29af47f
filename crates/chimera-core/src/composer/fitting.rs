//! Puts the parts of a text together and keeps it within every limit: what must be there first, then what fits, best first.

use crate::{domain::Language, policy::phrases};

/// What a text is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    /// Whom it answers.
    pub opener: Option<String>,
    pub sentences: Vec<String>,
    /// What directives demand.
    pub demanded: Vec<String>,
    pub citations: Vec<Citation>,
    /// Names instead of links.
    pub cites_briefly: bool,
    pub hashtags: Vec<String>,
    pub label: String,
    /// That the source line is written in.
    pub language: Language,
}

/// How a source is named, with and without its link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    pub full: String,
    pub brief: String,
}

impl Parts {
    pub fn text(&self) -> String {
        let mut tail: Vec<String> = self.demanded.clone();
        tail.extend(self.attribution());
        if !self.hashtags.is_empty() {
            tail.push(self.hashtags.join(" "));
        }
        tail.push(self.label.clone());
        let blocks = [self.body(), tail.join("\n")];
        blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// The source line; `None` when nothing is cited.
    pub fn attribution(&self) -> Option<String> {
        let ours = phrases::of(self.language);
        match self.cited().as_slice() {
            [] => None,
            [one] => Some(format!("{} {one}", ours.source)),
            several => Some(format!("{} {}", ours.sources, several.join(" "))),
        }
    }

    /// How its sources are named.
    pub fn cited(&self) -> Vec<&str> {
        self.citations.iter().map(|citation| if self.cites_briefly { citation.brief.as_str() } else { citation.full.as_str() }).collect()
    }

    /// What is said, behind whom it answers.
    pub fn body(&self) -> String {
        format!("{} {}", self.opener.as_deref().unwrap_or(""), self.sentences.join(" ")).trim().to_owned()
    }

    /// With every hashtag that `accepts` lets in, in order; one that does not fit is passed over, never squeezed in.
    pub fn tagged(mut self, tags: impl IntoIterator<Item = String>, accepts: &dyn Fn(&str) -> bool) -> Self {
        for tag in tags {
            let mut with = self.clone();
            with.hashtags.push(tag);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Parts {
        Parts { sentences: vec!["The bridge opens on Monday.".to_owned()], label: "AI".to_owned(), ..Parts::default() }
    }

    #[test]
    fn parts_are_put_together_in_the_order_of_a_post_and_the_source_line_is_in_its_language() {
        let mut parts = parts();
        parts.opener = Some("@dana".to_owned());
        parts.cite(Some(Citation { full: "https://example.com/a".to_owned(), brief: "example.com".to_owned() }));
        parts.hashtags = vec!["#Bridge".to_owned()];

        assert_eq!(parts.text(), "@dana The bridge opens on Monday.\n\nSource: https://example.com/a\n#Bridge\nAI");

        parts.language = Language::German;
        parts.cites_briefly = true;
        assert_eq!(parts.attribution().as_deref(), Some("Quelle: example.com"));
    }

    #[test]
    fn a_hashtag_that_does_not_fit_is_passed_over() {
        let tags = ["#averylonghashtagthatcannotfit", "#a"].map(str::to_owned);
        let text = parts().tagged(tags, &|text| text.len() < 45).text();

        assert_eq!(text, "The bridge opens on Monday.\n\n#a\nAI");
    }
}
