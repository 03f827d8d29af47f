//! What a post becomes where the plan asks for an opinion or a question.

use super::*;
use crate::contracts::content_generator::PostForm;

const OPINION: &str = "Bike lanes make Addis Ababa a better city.";
const QUESTION: &str = "Where should Addis Ababa build its next bike lanes?";

/// By an agent with these beliefs.
fn told(form: Option<PostForm>, beliefs: &[&str], given: Given) -> Composed {
    let given = Given { assignment: Assignment { form, ..Assignment::default() }, ..given };
    let beliefs: String = beliefs.iter().map(|belief| format!("\n  - {belief}")).collect();
    let (before, after) = SOUL.split_once("core_beliefs:").unwrap();
    let after = after.split_once("platforms:").unwrap().1;
    let soul = format!("{before}core_beliefs:{beliefs}\nplatforms:{after}");
    with_soul(&given, &soul, compose_post).unwrap()
}

fn trace(composed: &Composed) -> String {
    composed.trace.join("\n")
}

#[test]
fn an_opinion_is_a_belief_of_the_soul_after_what_happened_and_news_has_none() {
    let beliefs = [OPINION, QUESTION];
    let (news, opinion) = (told(None, &beliefs, Given::default()), told(Some(PostForm::Opinion), &beliefs, Given::default()));
    assert!(!news.text.contains(OPINION) && !trace(&news).contains("form wanted"), "{}", news.text);
    assert!(opinion.text.contains(OPINION) && !opinion.text.contains(QUESTION), "{}\n{}", opinion.text, trace(&opinion));
    assert!(trace(&opinion).contains("form wanted: opinion") && trace(&opinion).contains("a belief of the SOUL"), "{}", trace(&opinion));
    let first = |composed: &Composed| composed.text.split(". ").next().unwrap().to_owned();
    assert_eq!(first(&opinion), first(&news), "what happened comes first");
}

#[test]
fn a_question_is_one_that_the_soul_states() {
    let asked = told(Some(PostForm::Question), &[OPINION, QUESTION], Given::default());
    assert!(asked.text.contains(QUESTION) && !asked.text.contains(OPINION), "{}\n{}", asked.text, trace(&asked));
}

#[test]
fn what_the_soul_does_not_state_is_not_made_up_and_the_trace_says_so() {
    let news = told(None, &[OPINION], Given::default()).text;
    let asked = told(Some(PostForm::Question), &[OPINION], Given::default());
    assert_eq!(asked.text, news);
    assert!(trace(&asked).contains("told as news: the SOUL states no question"), "{}", trace(&asked));
    let beside = told(Some(PostForm::Opinion), &["Slow bread tastes better."], Given::default());
    assert!(trace(&beside).contains("told as news: no belief of the SOUL is to the point"), "{}", trace(&beside));
    let memory = Memory { recent_texts: vec![format!("Lanes are good. {OPINION}")], ..Memory::default() };
    let again = told(Some(PostForm::Opinion), &[OPINION], Given { memory, ..Given::default() });
    assert!(!again.text.contains(OPINION) && trace(&again).contains("not said yet"), "{}", again.text);
}

#[test]
fn a_model_is_asked_for_the_form_and_a_question_must_ask_something() {
    let given = |form| Given { assignment: Assignment { form: Some(form), ..Assignment::default() }, ..Given::default() };
    let asked = |form| with(&given(form), |brief| Asked::new(brief, None).prompt(0).user);
    assert!(asked(PostForm::Opinion).contains("Form: an opinion") && asked(PostForm::Question).contains("Form: a question"));
    assert!(!asked(PostForm::News).contains("Form:") && !asked(PostForm::Picture).contains("Form:"));
    let violations = |text: &str| with(&given(PostForm::Question), |brief| assess(brief, None, text, "a model").unwrap().violations);
    let is_missing = |text: &str| violations(text).iter().any(|violation| violation.contains("asks no question"));
    assert!(is_missing("Addis Ababa opened 40 km of protected bike lanes on Monday."));
    assert!(!is_missing("Addis Ababa opened 40 km of protected bike lanes on Monday. Will you ride there?"));
}
