//! What no editor would let through is not offered: another subject than the goal's, a day that has passed, a dateline, a credit, a label.

use super::*;
use chrono::TimeDelta;

fn of_age(title: &str, text: &str, age: TimeDelta) -> Source {
    Source { published_at: Some(NOW - age), ..source(title, text, Some("https://www.example.com/a")) }
}

#[test]
fn where_the_sources_speak_of_other_things_nothing_is_offered() {
    let eggs = source("Eggs", "Farmers in Corvo found 40 dinosaur eggs in a field behind the school in May.", None);
    let planet = source("Planet", "Astronomers in Lindmoor found a planet that turns around two red stars.", None);
    let given = |goal: &str| Given { goal: goal.to_owned(), sources: vec![eggs.clone(), planet.clone()], ..Given::default() };

    for goal in ["Kind companies: employers who treat people well", "Careers advice for young engineers", "Baking bread at home"] {
        let refused = post(&given(goal)).unwrap_err();

        assert!(refused.problem.contains("is about the goal") && refused.problem.contains("add a source"), "{goal}: {refused}");
    }
    assert!(post(&given("Write about planets and stars")).unwrap().text.starts_with("Astronomers"));
}

#[test]
fn a_day_that_has_passed_is_not_told() {
    let text =
        "The city of Addis Ababa opened 40 km of protected bike lanes yesterday. Addis Ababa paid 12 million birr for its new bike lanes.";
    let told = |age: TimeDelta| {
        post(&Given { sources: vec![of_age("Bike lanes open in Addis Ababa", text, age)], ..Given::default() }).unwrap().text
    };

    assert!(told(TimeDelta::hours(2)).contains("yesterday"));
    assert!(told(TimeDelta::days(2)).starts_with("Addis Ababa paid 12 million birr"), "{}", told(TimeDelta::days(2)));
}

#[test]
fn a_dateline_is_cut_and_its_sentence_kept() {
    for dateline in ["27 June 2012. - ", "Meskel Square, Addis Ababa - ", "ADDIS ABABA, Ethiopia (AP) — "] {
        let text = format!("{dateline}The city of Addis Ababa opened 40 km of protected bike lanes in May.");
        let told = post(&Given { sources: vec![source("Bike lanes", &text, None)], ..Given::default() }).unwrap().text;

        assert!(told.starts_with("The city of Addis Ababa opened"), "{told}");
    }
}

#[test]
fn credits_captions_and_labels_are_no_posts() {
    for (title, text) in [
        ("Bike lanes", "Photo: the new bike lanes of Addis Ababa at dawn, by Ana Lopez."),
        ("Bike lanes", "Riders on the bike lanes of Addis Ababa are seen here in May 2019."),
        ("New bike lanes in Addis Ababa after forty dry years", "Read more."),
    ] {
        let refused = post(&Given { sources: vec![source(title, text, None)], ..Given::default() }).unwrap_err();

        assert!(refused.problem.contains("can stand alone"), "{text}: {refused}");
    }
}
