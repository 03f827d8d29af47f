//! How a stranger would look at a post: counts letters, and asks of every number and name where it is from. Shares no code with the program.

use std::collections::HashSet;

/// Words, numbers, links and tags that are not from nowhere.
pub(crate) struct Known {
    /// As they are written.
    words: HashSet<String>,
    lowered: HashSet<String>,
    numbers: HashSet<String>,
    /// Letters and digits alone, in lower case.
    run_together: String,
    text: String,
}

/// Words that begin a sentence of ours and are no names.
const ORDINARY: &str = "a agree also appreciate better corrections could discuss drumroll fair filed glad go good got heard hello here hey hot how i in \
    just let no not noted okay one pass politely put quietly rate reactions read save saved say sharing small something source sources stop straight \
    take tell thank thanks the this thoughts useful warm well what where which who worth you your";

impl Known {
    pub(crate) fn of(texts: &[&str]) -> Self {
        let text = texts.join("\n");
        let words: HashSet<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        Self {
            lowered: words.iter().map(|word| word.to_lowercase()).collect(),
            words,
            numbers: numbers(&text).into_iter().collect(),
            run_together: text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase(),
            text,
        }
    }

    /// Numbers, names, links, tags and mentions of `text` that are nowhere in what is known. So is a word that opens a sentence, unless
    /// it is one of ours.
    pub(crate) fn strange(&self, text: &str) -> Vec<String> {
        self.strange_tokens(text, |word| ORDINARY.split_whitespace().any(|known| known == word))
    }

    /// The same of a text by anybody, who may open sentences with any word.
    pub(crate) fn strange_of_anybody(&self, text: &str) -> Vec<String> {
        self.strange_tokens(text, |_| true)
    }

    fn strange_tokens(&self, text: &str, may_open: impl Fn(&str) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        for line in text.lines() {
            let mut at_start = true;
            for token in line.split_whitespace() {
                if let Some(problem) = self.strange_token(token, |word| at_start && (self.lowered.contains(word) || may_open(word))) {
                    found.push(problem);
                }
                let opens = token.chars().any(char::is_alphanumeric);
                at_start = token.ends_with(['.', ':', '?', '!']) || (at_start && !opens);
            }
        }
        found
    }

    /// Whether all that a token found strange elsewhere stands for is in what is known.
    pub(crate) fn has(&self, token: &str) -> bool {
        self.strange_token(token, |_| false).is_none()
    }

    fn strange_token(&self, token: &str, is_ordinary: impl Fn(&str) -> bool) -> Option<String> {
        if token.contains("://") {
            let link = token.trim_end_matches(['.', ',', ':', ';', '?', '!', ')', '"']);
            return (!self.text.contains(link)).then(|| link.to_owned());
        }
        if let Some(tag) = token.strip_prefix('#') {
            return (!self.run_together.contains(&tag.to_lowercase())).then(|| token.to_owned());
        }
        if let Some(number) = numbers(token).into_iter().find(|number| !self.numbers.contains(number)) {
            return Some(number);
        }
        let names = token.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with(char::is_uppercase));
        let mut strange =
            names.filter(|word| !self.words.contains(*word) && !is_ordinary(&word.to_lowercase()) && *word != "AI" && *word != "I");
        strange.next().map(str::to_owned)
    }
}

/// Digits with what stands between them.
fn numbers(text: &str) -> Vec<String> {
    let runs = text.split(|c: char| !c.is_ascii_digit() && c != ',' && c != '.');
    runs.map(|run| run.trim_matches(['.', ',']).to_owned()).filter(|run| !run.is_empty()).collect()
}

/// How long a text is for a platform, never less than the platform would say, and how long it may be.
pub(super) fn length(platform: &str, text: &str) -> (usize, usize) {
    let with_links = |weight: fn(char) -> usize| -> usize {
        let of_token = |token: &str| if token.contains("://") { 23 } else { token.chars().map(weight).sum::<usize>() };
        text.split_inclusive(char::is_whitespace)
            .map(|token| if token.contains("://") { of_token(token) + 1 } else { of_token(token) })
            .sum()
    };
    match platform {
        "twitter" => (with_links(|c| if u32::from(c) < 0x1100 || matches!(c, '\u{2010}'..='\u{201f}') { 1 } else { 2 }), 280),
        "mastodon" => (with_links(|_| 1), 500),
        "bluesky" => (text.chars().count(), 300),
        "threads" => (text.chars().map(|c| if u32::from(c) > 0xffff { c.len_utf8() } else { 1 }).sum(), 500),
        "linkedin" => (text.encode_utf16().count(), 3_000),
        _ => (text.encode_utf16().count(), 2_200),
    }
}

/// Width and height, and how long an alt text may be.
pub(super) fn media_rules(platform: &str, content_type: &str) -> ((u32, u32), usize) {
    let size = match (platform, content_type) {
        ("twitter" | "mastodon" | "bluesky", "image") => (1600, 900),
        ("linkedin", "image") => (1200, 1200),
        ("instagram", "image") => (1080, 1350),
        ("twitter" | "mastodon" | "bluesky" | "linkedin", _) => (1080, 1080),
        (_, _) => (1080, 1920),
    };
    let alt_max = match platform {
        "mastodon" => 1_500,
        "bluesky" => 2_000,
        _ => 1_000,
    };
    (size, alt_max)
}

/// Runs of three words, without links, tags and the last line, which is the same in every text of a persona.
pub(super) fn shingles(text: &str) -> HashSet<String> {
    let lines: Vec<&str> = text.lines().collect();
    let body = lines[..lines.len().saturating_sub(1)].join(" ").to_lowercase();
    let words: Vec<&str> = body.split_whitespace().filter(|word| !word.contains("://") && !word.starts_with('#')).collect();
    words.windows(3).map(|words| words.join(" ")).collect()
}

/// The share of runs that two texts have in common.
pub(super) fn likeness(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    one.intersection(other).count() as f64 / one.union(other).count().max(1) as f64
}
