//! Words of a text, for everything that counts or compares them.

/// Runs of letters and digits, as they are written.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Words that carry a subject, lower case, in order, without repeats.
pub fn content_words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(text) {
        let word = word.to_lowercase();
        if !is_function_word(&word) && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Whether the word only holds a sentence together. English; words of other languages count as content.
pub fn is_function_word(lower_case: &str) -> bool {
    FUNCTION_WORDS.binary_search(&lower_case).is_ok()
}

/// Sorted, for the binary search.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "does", "follow", "for", "from", "had", "has", "have", "he", "her", "here", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "latest", "ll", "me", "more", "most", "my", "news", "no", "not", "of", "on", "or", "our", "out", "over", "re", "s",
    "said", "say", "says", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "to", "too", "up", "ve", "via", "was", "we", "were", "what", "when", "where", "which", "while", "who", "will",
    "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(FUNCTION_WORDS.is_sorted());
    }

    #[test]
    fn content_words_leave_out_what_only_holds_a_sentence_together() {
        assert_eq!(content_words("The Toyota recall, and what the recall costs (2026)"), ["toyota", "recall", "costs", "2026"]);
    }
}
