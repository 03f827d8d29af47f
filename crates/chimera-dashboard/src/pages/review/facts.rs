//! What a review rests on: its sources, how sure the skill was and of what, and the trace of how it was made.

use crate::pages::components::why::{Why, why};
use crate::pages::components::{definitions, outside, outside_line, percent, text::WebLink};
use chimera_core::contracts::views::reviews::{ConfidencePart, ReviewDetail};
use maud::{Markup, html};

pub(super) fn facts(detail: &ReviewDetail) -> Markup {
    html! {
        (confidence(detail))
        (sources(&detail.trace))
        section {
            h3 { "About" }
            (definitions(&about(detail)))
        }
    }
}

fn about(detail: &ReviewDetail) -> Vec<(&'static str, Markup)> {
    let mut pairs = vec![
        ("Attempt", html! { (detail.attempt) }),
        ("Task", html! { a.mono href={ "/stories/" (detail.row.task_id) } { (detail.row.task_id) } }),
    ];
    pairs.extend(detail.written_by.as_deref().map(|written_by| ("Written by", outside_line(written_by))));
    pairs
}

fn confidence(detail: &ReviewDetail) -> Markup {
    html! {
        @if detail.row.confidence.is_some() || !detail.confidence_parts.is_empty() {
            section #confidence {
                h3 { "Confidence" @if let Some(confidence) = detail.row.confidence { strong { (percent(confidence)) } " " (why(Why::Confidence)) } }
                @for part in &detail.confidence_parts { (part_bar(part)) }
            }
        }
    }
}

fn part_bar(part: &ConfidencePart) -> Markup {
    // Whole thousandths: the width of a bar.
    let width = format!("{:.0}", part.share.clamp(0.0, 1.0) * 1_000.0);
    html! {
        div.part {
            span { (outside_line(&part.name)) }
            svg.bar viewBox="0 0 1000 6" preserveAspectRatio="none" width="100%" height="6" aria-hidden="true" {
                rect.bar-left width="1000" height="6" {}
                rect.bar-spent width=(width) height="6" {}
            }
            span.number { (format!("{:.2}", part.share)) }
        }
    }
}

fn sources(trace: &[String]) -> Markup {
    let cited = trace.iter().filter_map(|line| line.strip_prefix("cited sources: ").or_else(|| line.strip_prefix("cited source: ")));
    let cited: Vec<&str> = cited.flat_map(str::split_whitespace).collect();
    html! {
        @if !cited.is_empty() {
            section.sources {
                h3 { "Sources" }
                ul { @for one in cited { li { (source(one)) } } }
            }
        }
    }
}

fn source(address: &str) -> Markup {
    html! {
        @match WebLink::of(address) {
            Some(link) => { strong { (link.host()) } (link.shown(None)) },
            None => (outside_line(address)),
        }
    }
}

/// Beginnings of the skill's lines, and what they are about.
const GROUPS: [(&str, &[&str]); 5] = [
    ("What it rests on", &["cited source", "grounding", "not found", "saying", "names other facts", "source"]),
    ("What it remembers", &["memory", "remembered", "lesson", "conversation"]),
    ("Rules", &["directives", "unchecked directive", "disclosure", "sensitive topics", "policy"]),
    ("Form", &["length", "form wanted", "language", "voice", "wish", "feedback"]),
    ("Judgement", &["checks", "confidence", "second opinion", "judge"]),
];

pub(super) fn trace(trace: &[String]) -> Markup {
    let group_of = |line: &str| GROUPS.iter().position(|(_, beginnings)| beginnings.iter().any(|beginning| line.starts_with(beginning)));
    let in_group = |group: Option<usize>| trace.iter().filter(move |line| group_of(line) == group).collect::<Vec<_>>();
    html! {
        @if !trace.is_empty() {
            details.trace #trace {
                summary { "How it was made" span.muted { " " (trace.len()) " lines" } }
                (group("The writer", &in_group(None)))
                @for (index, (name, _)) in GROUPS.iter().enumerate() { (group(name, &in_group(Some(index)))) }
            }
        }
    }
}

fn group(name: &str, lines: &[&String]) -> Markup {
    html! { @if !lines.is_empty() { section { h3 { (name) } ul { @for line in lines { li { (outside(line)) } } } } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_trace_is_shown_once_and_in_its_group() {
        let lines = [
            "extractive: a post",
            "grounding: 3 of 3",
            "memory: nothing",
            "directives: 2 checked",
            "length: 20 of 300",
            "checks: a 1.00",
            "<img src=x>",
        ];
        let shown = trace(&lines.map(str::to_owned)).into_string();

        for line in &lines[..6] {
            assert_eq!(shown.matches(line).count(), 1, "{line}");
        }
        assert!(shown.contains("&lt;img src=x&gt;") && shown.find("memory: nothing") > shown.find("What it remembers"));
    }

    #[test]
    fn a_source_is_a_link_only_on_the_web() {
        let shown = sources(&["cited sources: https://a.example/x javascript:alert(1)".to_owned()]).into_string();
        assert!(shown.contains("href=\"https://a.example/x\"") && !shown.contains("href=\"javascript"), "{shown}");
    }
}
