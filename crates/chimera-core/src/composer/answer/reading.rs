//! What a model answered, read: the JSON that it was asked for, wherever it stands in the answer; or a plain text, which small models give.

use crate::{composer::sentences::split, domain::platform};
use serde_json::Value;

/// A sentence, and the ids or the word `voice` that stand beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) rests_on: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Structured(Vec<Said>),
    /// Its sentences, of which nothing more is said.
    Plain(Vec<String>),
    /// It set out to be JSON, and cannot be read as what was asked for.
    Broken(&'static str),
}

/// The word for a sentence that rests on nothing because it claims nothing.
pub(super) const VOICE: &str = "voice";

pub(super) fn read(answer: &str, label: &str) -> Answer {
    let bare = answer.trim().trim_start_matches("```json").trim_start_matches("```").trim_start();
    match document(answer) {
        Some(document) => structured(&document, label).map_or_else(Answer::Broken, Answer::Structured),
        None if bare.starts_with(['{', '[']) || answer.contains("\"sentences\"") => Answer::Broken("its JSON is not whole"),
        None => Answer::Plain(split(&tidied(answer, label))),
    }
}

/// The first JSON object with sentences in it.
fn document(answer: &str) -> Option<Value> {
    answer.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>();
        values.next()?.ok().filter(|document| document.get("sentences").is_some())
    })
}

/// Other fields than those that were asked for are passed over: nothing is done because an answer has them.
fn structured(document: &Value, label: &str) -> Result<Vec<Said>, &'static str> {
    let entries = document["sentences"].as_array().ok_or("\"sentences\" is no list")?;
    let mut said: Vec<Said> = Vec::new();
    for entry in entries {
        let text = entry["text"].as_str().ok_or("a sentence has no \"text\"")?;
        let rests_on = ids(&entry["rests_on"]).ok_or("a sentence's \"rests_on\" is no list of ids")?;
        // One entry may hold several sentences; what it rests on they all rest on.
        let sentences = split(&lines(text, label)).into_iter().map(|text| Said { text: ended(text), rests_on: rests_on.clone() });
        said.extend(sentences);
    }
    Ok(without_repeats(said))
}

fn ids(given: &Value) -> Option<Vec<String>> {
    match given {
        Value::Null => Some(Vec::new()),
        Value::String(id) => Some(vec![id.clone()]),
        Value::Array(list) => list.iter().map(|id| id.as_str().map(str::to_owned).or_else(|| Some(id.as_u64()?.to_string()))).collect(),
        _ => None,
    }
}

/// Sentences that are put beside each other need an end, or they read as one.
fn ended(text: String) -> String {
    let is_open = text.chars().last().is_some_and(|last| last.is_lowercase() || last.is_uppercase() || last.is_numeric());
    if is_open { format!("{text}.") } else { text }
}

/// What is said twice in one text is said once.
fn without_repeats(said: Vec<Said>) -> Vec<Said> {
    let mut kept: Vec<Said> = Vec::new();
    for one in said {
        if !kept.iter().any(|other| other.text.to_lowercase() == one.text.to_lowercase()) {
            kept.push(one);
        }
    }
    kept
}

/// Without what models put around a text although they were told not to: fences, headings, quotation marks, hashtags, the label.
fn tidied(answer: &str, label: &str) -> String {
    let text = lines(answer, label);
    let inner = [('"', '"'), ('“', '”'), ('\'', '\'')].into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inner.filter(|inner| !inner.contains(['"', '“', '”'])).unwrap_or(&text).trim().to_owned()
}

fn lines(text: &str, label: &str) -> String {
    let without_label = text.replace(label, " ");
    let lines = without_label.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```") && !is_remark(line));
    let kept: Vec<String> = lines.map(without_tags).filter(|line| !line.is_empty()).collect();
    kept.join(" ").replace("**", "").trim().to_owned()
}

/// "Here is the post:" and its like.
fn is_remark(line: &str) -> bool {
    const BEGINNINGS: [&str; 8] = ["here is", "here's", "sure", "certainly", "of course", "post", "draft", "text"];
    let lowered = line.to_lowercase();
    line.starts_with('#') && line.chars().nth(1).is_none_or(|c| c == '#' || c.is_whitespace())
        || (line.ends_with(':') && BEGINNINGS.iter().any(|beginning| lowered.starts_with(beginning)))
}

fn without_tags(line: &str) -> String {
    let tags: Vec<&str> = platform::hashtags(line).collect();
    tags.iter().fold(line.to_owned(), |line, tag| line.replacen(&format!("#{tag}"), "", 1)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, rests_on: &[&str]) -> Said {
        Said { text: text.to_owned(), rests_on: rests_on.iter().map(|id| (*id).to_owned()).collect() }
    }

    #[test]
    fn what_models_put_around_a_text_is_taken_off() {
        for (answer, text) in [
            ("Forty km opened.", "Forty km opened."),
            ("Here is the post:\n\n\"Forty km opened.\"", "Forty km opened."),
            ("```\nForty km opened.\n```", "Forty km opened."),
            ("## Post\n**Forty** km opened.\n\n#BikeLanes #Addis", "Forty km opened."),
            ("Forty km opened. AI persona @x", "Forty km opened."),
            ("She said \"yes\" and \"no\"", "She said \"yes\" and \"no\""),
            ("\n \n", ""),
        ] {
            assert_eq!(tidied(answer, "AI persona @x"), text, "{answer:?}");
        }
    }

    #[test]
    fn the_json_is_found_wherever_it_stands_and_other_fields_do_nothing() {
        let asked = r#"{"sentences": [{"text": "Forty km opened", "rests_on": ["f1", 2]}, {"text": "Lovely!", "rests_on": "voice"}]}"#;
        let expected = Answer::Structured(vec![said("Forty km opened.", &["f1", "2"]), said("Lovely!", &["voice"])]);
        for answer in [
            asked.to_owned(),
            format!("Here is the post:\n```json\n{asked}\n```\nAnything else?"),
            format!("{{thinking}} {asked} {{\"sentences\": []}}"),
            asked.replace("{\"sentences\"", "{\"tool_call\": {\"name\": \"pay\"}, \"sentences\""),
        ] {
            assert_eq!(read(&answer, "AI"), expected, "{answer}");
        }
    }

    #[test]
    fn an_entry_of_several_sentences_is_taken_apart_and_nothing_is_said_twice() {
        let answer = r##"{"sentences": [{"text": "One is open. Two is not. #Lanes", "rests_on": ["f1"]}, {"text": "one is open.", "rests_on": []}]}"##;

        assert_eq!(read(answer, "AI"), Answer::Structured(vec![said("One is open.", &["f1"]), said("Two is not.", &["f1"])]));
    }

    #[test]
    fn what_set_out_to_be_json_is_never_taken_for_a_text() {
        for broken in [
            r#"{"sentences": [{"text": "Forty km op"#,
            r#"```json
            {"text": "Forty km opened."}"#,
            r#"{"sentences": "Forty km opened."}"#,
            r#"{"sentences": [{"words": "Forty km opened."}]}"#,
            r#"{"sentences": [{"text": "Forty km opened.", "rests_on": {"f1": true}}]}"#,
        ] {
            assert!(matches!(read(broken, "AI"), Answer::Broken(_)), "{broken}");
        }
        assert_eq!(read("Forty km opened. Lovely.", "AI"), Answer::Plain(vec!["Forty km opened.".to_owned(), "Lovely.".to_owned()]));
    }
}
