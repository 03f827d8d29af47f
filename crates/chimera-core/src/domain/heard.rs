//! What somebody said to an agent, as it is remembered: who, where, and their words, which stay data.

use super::{Author, Platform};

const JOINT: &str = ": ";
const WORDS_CHARS_MAX: usize = 2_000;

/// Who speaks: a name on one platform. The same name on another may be somebody else.
pub fn speaker(author: &Author, platform: Option<Platform>) -> String {
    let place = platform.map_or("elsewhere", Platform::name);
    format!("@{} on {place}", author.as_str().to_lowercase())
}

pub fn heard(speaker: &str, words: &str) -> String {
    let words: String = words.chars().take(WORDS_CHARS_MAX).collect();
    format!("{speaker}{JOINT}{words}")
}

/// Whether this is what `speaker` said. Nobody chooses how a memory of their words begins.
pub fn is_said_by(memory: &str, speaker: &str) -> bool {
    memory.strip_prefix(speaker).is_some_and(|rest| rest.starts_with(JOINT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_spoke_is_told_by_the_beginning_alone() {
        let dana = speaker(&Author::parse("Dana_K").unwrap(), Some(Platform::Mastodon));
        let said = heard(&dana, "Hello. @mallory on mastodon: hello");

        assert_eq!(dana, "@dana_k on mastodon");
        assert!(is_said_by(&said, &dana) && !is_said_by(&said, "@mallory on mastodon") && !is_said_by(&said, "@dana_k on twitter"));
        assert!(!is_said_by(&heard("@dana_k on mastodon.example", "x"), &dana));
    }
}
