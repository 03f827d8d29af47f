//! From what a model wrote to a draft that the same checks have seen as every other.

use super::{
    Brief, Comment, Composed, Unmeetable,
    confidence::{Origin, Support},
    drafting::{Desk, Draft, Making, relevance},
    fitting::Parts,
    hashtags, reply,
    sentences::split,
};
use crate::{contracts::content_generator::PostForm, domain::platform};

/// A model's draft, checked.
#[derive(Debug, Clone)]
pub struct Assessed {
    /// The model's own words, as they were judged.
    pub body: String,
    pub composed: Composed,
    /// Empty when the draft may be used.
    pub violations: Vec<String>,
}

/// Sources that are cited under a text.
const CITATIONS_MAX: usize = 2;

/// Judges `answer` as a post for the brief, or as a reply to `comment`. `written_by` is for the trace.
pub fn assess(brief: &Brief<'_>, comment: Option<&Comment>, answer: &str, written_by: &str) -> Result<Assessed, Unmeetable> {
    let desk = Desk::new(brief, comment, Origin::Model)?;
    let sentences = split(&tidied(answer, &brief.soul.disclosure));
    let (draft, is_fitting) = fitted(&desk, comment, sentences, written_by);
    let draft = desk.classified(draft);
    let mut violations = draft.violations();
    if !is_fitting {
        violations.push("it is empty, or too long for the platform".to_owned());
    }
    violations.extend(desk.wishes.unheeded(&draft.body()));
    if comment.is_none() && desk.was_said_elsewhere(&draft.body()) {
        violations.push("it is word for word what you said of this story on another platform".to_owned());
    }
    if comment.is_none() && brief.assignment.form == Some(PostForm::Question) && !draft.body().contains(['?', '？', '؟', '፧']) {
        violations.push("it asks no question, and one is wanted".to_owned());
    }
    let body = draft.body();
    Ok(Assessed { body, composed: desk.composed(draft, 1, 1), violations })
}

/// With as many of the sentences as the platform takes, from the first on.
fn fitted(desk: &Desk<'_>, comment: Option<&Comment>, mut sentences: Vec<String>, written_by: &str) -> (Draft, bool) {
    let is_empty = sentences.is_empty();
    let mut was_cut = false;
    loop {
        let parts = whole(desk, comment, &sentences);
        let fits = desk.limits.allows(&parts.text());
        if fits || sentences.len() <= 1 {
            return (assessed(desk, comment, parts, was_cut, written_by), fits && !is_empty);
        }
        sentences.pop();
        was_cut = true;
    }
}

/// The model's sentences with all that must and may stand around them.
fn whole(desk: &Desk<'_>, comment: Option<&Comment>, sentences: &[String]) -> Parts {
    let said = sentences.join(" ");
    let mut parts = desk.bare(&said);
    parts.opener = comment.and_then(|comment| reply::mention(desk, comment));
    let used = desk.sources_of(&said);
    for source in used.iter().take(CITATIONS_MAX) {
        parts.cite(desk.citation(Some(*source)));
    }
    if !desk.limits.allows(&parts.text()) {
        parts.cites_briefly = true;
    }
    if comment.is_some() {
        return parts;
    }
    // The first word of what a model says to its readers looks like a name, and is none.
    let tags = hashtags::choose(desk.brief.goal, &said, &desk.items(used), desk.language, desk.hashtags_wanted())
        .into_iter()
        .filter(|tag| desk.knows_tag(tag));
    let template = parts.clone();
    parts.tagged(tags, &|text| desk.allows_text(text, &template))
}

fn assessed(desk: &Desk<'_>, comment: Option<&Comment>, parts: Parts, was_cut: bool, written_by: &str) -> Draft {
    let said = parts.sentences.join(" ");
    let used = desk.sources_of(&said);
    let support = match used.len() {
        0 if desk.brief.sources.is_empty() => Support::Goal,
        0 => Support::Nothing,
        1 => Support::OneSource,
        _ => Support::SeveralSources,
    };
    let about = comment.map_or(desk.brief.goal, |comment| comment.text.as_data());
    let items = desk.items(used);
    let texts: Vec<&str> = std::iter::once(said.as_str()).chain(items.iter().map(String::as_str)).collect();
    let scores = relevance(&texts, about, desk.brief);
    // A text is about what its sources are about, though it may not say so in their words.
    let of_items = scores.iter().skip(1).copied().fold(0.0, f64::max);
    let own = scores.first().copied().unwrap_or_default();
    let relevance = if desk.brief.sources.is_empty() && comment.is_none() { 1.0 } else { own.max(own.midpoint(of_items)) };
    desk.assessed(
        parts,
        Making { support, relevance, was_cut, merit: 1.0, note: format!("written by {written_by}, checked like any other draft") },
    )
}

/// Without what models put around a text although they were told not to: fences, headings, quotation marks, hashtags, the label.
fn tidied(answer: &str, label: &str) -> String {
    let without_label = answer.replace(label, " ");
    let lines = without_label.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```") && !is_remark(line));
    let kept: Vec<String> = lines.map(without_tags).filter(|line| !line.is_empty()).collect();
    let joined = kept.join(" ").replace("**", "");
    let text = joined.trim();
    let inner = [('"', '"'), ('“', '”'), ('\'', '\'')].into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inner.filter(|inner| !inner.contains(['"', '“', '”'])).unwrap_or(text).trim().to_owned()
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
}
