//! What a publishing tool's answer says of the post. A tool that is done, without an error, has sent it, whatever else it says: taking its
//! prose for a failure is how one post goes out twenty times.

use crate::{
    domain::foreign_text::{one_line, web_address},
    ports::{
        swarm::Left,
        tools::{ToolAnswer, ToolError},
    },
};
use chrono::{DateTime, Utc};
use serde_json::Value;

const SAID_CHARS_MAX: usize = 200;
const NAME_CHARS_MAX: usize = 512;

/// What is known of the post after one send.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// It was sent, or is refused for good.
    Ended(Left),
    /// It is certainly not there, and may go later, not before the time that was named.
    NotThere { reason: String, not_before: Option<DateTime<Utc>> },
    /// It may be there; the same key finds it.
    Unclear(String),
    /// It may be there, and no key finds it.
    Lost(String),
}

/// `knows_key`: the tool takes an idempotency key, and so speaks our contract, in which an error begins with its code. The errors of
/// others say nothing of what they have done before.
pub(super) fn outcome(answer: Result<ToolAnswer, ToolError>, knows_key: bool) -> Outcome {
    let error = match answer {
        Ok(answer) => return Outcome::Ended(sent(&answer)),
        Err(error) => error,
    };
    let told = error.to_string();
    match error {
        ToolError::NoServer { .. } | ToolError::Unreachable { .. } => Outcome::NotThere { reason: told, not_before: None },
        ToolError::DoneTooLarge { .. } => Outcome::Ended(nameless(&told)),
        ToolError::Refused { reason, .. } if knows_key => coded(reason),
        ToolError::Refused { .. } | ToolError::TimedOut { .. } | ToolError::TooLarge { .. } | ToolError::Failed { .. } => {
            if knows_key {
                Outcome::Unclear(told)
            } else {
                Outcome::Lost(told)
            }
        }
    }
}

fn coded(reason: String) -> Outcome {
    match reason.split(':').next().unwrap_or_default() {
        "rate_limited" | "not_configured" | "unauthorized" | "not_found" => {
            let not_before = reason.rsplit_once("try again at ").and_then(|(_, time)| time.trim().parse().ok());
            Outcome::NotThere { reason, not_before }
        }
        "refused" | "invalid_input" | "unsupported" => Outcome::Ended(Left::Refused { reason }),
        "outcome_unknown" | "duplicate" => Outcome::Lost(reason),
        _ => Outcome::Unclear(reason),
    }
}

fn sent(answer: &ToolAnswer) -> Left {
    let found = answer.content();
    let remote_id = match &found["post_id"] {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    };
    let remote_id = remote_id.filter(|id| is_name(id));
    let url = found["url"].as_str().and_then(web_address);
    match (&remote_id, &url) {
        (None, None) => nameless(answer.said().as_data()),
        _ => Left::Published { remote_id, url, remark: None },
    }
}

fn nameless(said: &str) -> Left {
    let said = one_line(said, SAID_CHARS_MAX);
    let remark = match said.is_empty() {
        true => "the publishing tool named no post, and said nothing".to_owned(),
        false => format!("the publishing tool named no post; it said: {said}"),
    };
    Left::Published { remote_id: None, url: None, remark: Some(remark) }
}

fn is_name(id: &str) -> bool {
    !id.is_empty() && id.chars().count() <= NAME_CHARS_MAX && !id.chars().any(|c| c.is_control() || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn published(answer: Value) -> (Option<String>, Option<String>, Option<String>) {
        for knows_key in [false, true] {
            let Outcome::Ended(Left::Published { .. }) = outcome(Ok(ToolAnswer::new(answer.clone())), knows_key) else {
                panic!("{answer} was sent")
            };
        }
        match outcome(Ok(ToolAnswer::new(answer)), false) {
            Outcome::Ended(Left::Published { remote_id, url, remark }) => (remote_id, url, remark),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_tool_that_is_done_has_sent_the_post_whatever_it_says() {
        let some = |text: &str| Some(text.to_owned());
        for (answer, expected) in [
            (json!({ "post_id": "17", "url": "https://social.example/17" }), (some("17"), some("https://social.example/17"), None)),
            (json!("{\"post_id\": \"17\", \"url\": \"https://social.example/17\"}"), (some("17"), some("https://social.example/17"), None)),
            (json!({ "post_id": 17 }), (some("17"), None, None)),
            (json!({ "url": "https://social.example/a b" }), (None, some("https://social.example/a%20b"), None)),
        ] {
            assert_eq!(published(answer.clone()), expected, "{answer}");
        }
        for (answer, said) in [
            (json!("Your post is live!"), "it said: Your post is live!"),
            (json!("\u{1b}[2Jgone\u{202e}"), "it said: [2Jgone"),
            (json!(""), "said nothing"),
            (json!("null"), "it said: null"),
            (json!({ "success": false, "error": "no" }), "it said: {\"error\":\"no\",\"success\":false}"),
            (json!([1, 2]), "it said: [1,2]"),
            (json!({ "post_id": "a\nb", "url": "javascript:alert(1)" }), "named no post"),
            (json!({ "post_id": "", "url": "" }), "named no post"),
            (Value::Null, "named no post"),
        ] {
            let (remote_id, url, remark) = published(answer.clone());
            assert_eq!((remote_id, url), (None, None), "{answer}");
            assert!(remark.as_ref().is_some_and(|remark| remark.contains(said)), "{answer}: {remark:?}");
        }
    }

    #[test]
    fn only_a_call_that_never_left_says_that_a_strangers_tool_sent_nothing() {
        let (server, tool) = (|| "s".to_owned(), || "t".to_owned());
        let refused = |reason: &str| ToolError::Refused { server: server(), tool: tool(), reason: reason.to_owned() };
        for error in [ToolError::NoServer { server: server() }, ToolError::Unreachable { server: server(), reason: "down".to_owned() }] {
            assert!(matches!(outcome(Err(error), false), Outcome::NotThere { .. }));
        }
        for error in [
            refused("refused: no"),
            refused("rate_limited: wait"),
            refused("something odd"),
            ToolError::TimedOut { after_ms: 1 },
            ToolError::TooLarge { limit_bytes: 1 },
            ToolError::Failed { server: server(), reason: "gone".to_owned() },
        ] {
            let expected = error.to_string();
            assert_eq!(outcome(Err(error), false), Outcome::Lost(expected));
        }
        let done = outcome(Err(ToolError::DoneTooLarge { limit_bytes: 1 }), false);
        assert!(matches!(done, Outcome::Ended(Left::Published { .. })), "{done:?}");
    }

    #[test]
    fn a_tool_with_a_key_is_believed_what_its_codes_say() {
        let refused = |reason: &str| ToolError::Refused { server: "s".to_owned(), tool: "t".to_owned(), reason: reason.to_owned() };
        let after = |reason: &str| outcome(Err(refused(reason)), true);
        assert_eq!(after("refused: too long"), Outcome::Ended(Left::Refused { reason: "refused: too long".to_owned() }));
        assert_eq!(after("duplicate: it is there"), Outcome::Lost("duplicate: it is there".to_owned()));
        assert_eq!(after("unavailable: late"), Outcome::Unclear("unavailable: late".to_owned()));
        assert_eq!(after("something odd"), Outcome::Unclear("something odd".to_owned()));
        for (reason, expected) in [
            ("rate_limited: no more; try again at 2026-11-15T13:00:00Z", Some("2026-11-15T13:00:00Z".parse().unwrap())),
            ("rate_limited: no more; try again at noon", None),
            ("unauthorized: mend it", None),
        ] {
            assert_eq!(after(reason), Outcome::NotThere { reason: reason.to_owned(), not_before: expected });
        }
    }
}
