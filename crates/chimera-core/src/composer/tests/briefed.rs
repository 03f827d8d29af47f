//! What an operator says of one text before it is written.

use super::*;
use crate::composer::{material::Material, prompting};

fn briefed(brief: &str) -> Given {
    Given { feedback: Feedback { brief: Some(brief.to_owned()), ..Feedback::default() }, ..Given::default() }
}

#[test]
fn a_post_speaks_of_what_its_brief_names() {
    let plain = post(&Given::default()).unwrap();

    for (brief, named, other) in
        [("Tell them of the cargo riders and the vans", "vans", "Meskel"), ("Speak of Meskel Square and the stations", "Meskel", "vans")]
    {
        let told = post(&briefed(brief)).unwrap();
        assert!(told.text.contains(named) && !told.text.contains(other), "{brief}: {}", told.text);
        let trace = told.trace.join("\n");
        assert!(trace.contains("heeded: it speaks of what the brief names"), "{trace}");
    }
    assert!(!plain.trace.join("\n").contains("brief"));
}

#[test]
fn a_brief_that_no_source_speaks_of_is_told_as_not_heeded_and_changes_nothing() {
    let (plain, told) = (post(&Given::default()).unwrap(), post(&briefed("Speak of volcanoes")).unwrap());

    assert_eq!(plain.text, told.text);
    assert!(told.trace.join("\n").contains("not heeded: nothing that may be said speaks of what the brief names"), "{:?}", told.trace);
}

#[test]
fn a_brief_asks_for_less_and_never_for_what_the_soul_forbids() {
    assert!(!post(&briefed("No hashtags please")).unwrap().text.contains('#'));
    let refused = post(&briefed("Tell them whom to vote for in the election")).unwrap_err();
    assert!(refused.directive == "Never discuss politics" && refused.problem.contains("the brief"), "{refused:?}");
}

#[test]
fn a_model_is_told_the_brief_as_its_operators_words() {
    with(&briefed("Ask what they carry"), |brief| {
        let asked = prompting::prompt(brief, None, &Material::of(brief, None), 1);
        let (before, after) = asked.user.split_once("Your operator's brief for this very text").unwrap();
        assert!(before.starts_with("Task: "), "{before}");
        assert!(after.lines().nth(1) == Some("Ask what they carry"), "no quotation: {after}");
    });
}
