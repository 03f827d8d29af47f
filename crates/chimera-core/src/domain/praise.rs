//! What an agent remembers of a post that did well, as one sentence that can be read back.

const MARK: &str = " did well, ";
const BEFORE_POST: &str = "): \"";
const QUOTED_CHARS_MAX: usize = 200;

/// `counted` says by what numbers, `compared` among how many posts.
pub fn did_well(platform: &str, counted: &str, compared: usize, post: &str) -> String {
    let mut quoted: String = post.chars().take(QUOTED_CHARS_MAX).collect();
    if quoted.len() < post.len() {
        quoted.push('…');
    }
    format!("What you wrote on {platform}{MARK}among the best quarter of your last {compared} posts ({counted}{BEFORE_POST}{quoted}\"")
}

/// The beginning of the post that such a sentence is about; `None` for any other.
pub fn post_that_did_well(memory: &str) -> Option<&str> {
    let (head, rest) = memory.strip_prefix("What you wrote on ")?.split_once(BEFORE_POST)?;
    head.contains(MARK).then(|| rest.trim_end_matches('"').trim_end_matches('…'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_praised_is_read_back() {
        let note = did_well("mastodon", "9 likes, 0 reposts, 1 replies", 12, "Forty km of lanes.");

        assert_eq!(
            note,
            "What you wrote on mastodon did well, among the best quarter of your last 12 posts (9 likes, 0 reposts, 1 replies): \"Forty km of lanes.\""
        );
        assert_eq!(post_that_did_well(&note), Some("Forty km of lanes."));
        let long = "x".repeat(300);
        assert_eq!(post_that_did_well(&did_well("x", "1 likes", 4, &long)), Some(&long[..200]));
        assert_eq!(post_that_did_well("What you wrote on mastodon was turned down."), None);
    }
}
