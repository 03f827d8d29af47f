//! One story on several platforms.

use super::*;

const ELSEWHERE: &str =
    "Addis Ababa opened 40 km of protected bike lanes on Monday. The lanes connect Meskel Square with the stations in the east.";

fn told(telling: u32, elsewhere: &[&str], sources: Vec<Source>) -> Composed {
    let memory = Memory { elsewhere: elsewhere.iter().map(|text| (*text).to_owned()).collect(), ..Memory::default() };
    post(&Given { assignment: Assignment { telling, ..Assignment::default() }, memory, sources, ..Given::default() }).unwrap()
}

#[test]
fn what_stands_on_another_platform_is_told_with_another_sentence() {
    let text = told(2, &[ELSEWHERE], vec![lanes(), cargo()]).text;
    assert!(text.contains("22% faster"), "{text}");
}

#[test]
fn where_the_material_has_nothing_else_it_is_said_again_and_that_is_no_repetition() {
    let again = told(2, &[ELSEWHERE], vec![lanes()]);
    assert!(again.text.contains("40 km of protected bike lanes"), "{}", again.text);
    let memory = Memory { recent_texts: vec![ELSEWHERE.to_owned()], ..Memory::default() };
    let repeated = post(&Given { memory, sources: vec![lanes()], ..Given::default() }).unwrap();
    assert_eq!(repeated.text, again.text);
    assert!(repeated.confidence < again.confidence, "on one platform it would be a repetition");
}

#[test]
fn tellings_that_are_written_at_the_same_time_share_no_sentence() {
    let texts = [told(1, &[], vec![lanes(), cargo()]).text, told(2, &[], vec![lanes(), cargo()]).text];
    let is_cargo = texts.each_ref().map(|text| text.contains("22% faster"));
    assert!(is_cargo[0] != is_cargo[1], "{texts:?}");
    assert!(!told(3, &[], vec![lanes(), cargo()]).text.is_empty());
}

#[test]
fn a_model_is_told_what_stands_elsewhere_and_may_not_copy_it() {
    let memory = Memory { elsewhere: vec![ELSEWHERE.to_owned()], ..Memory::default() };
    let given = Given { assignment: Assignment { telling: 2, ..Assignment::default() }, memory, ..Given::default() };
    with(&given, |brief| {
        assert!(Asked::new(brief, None).prompt(0).user.contains("on another platform"));
        let copied = assess(brief, None, ELSEWHERE, "a model").unwrap().violations;
        assert!(copied.iter().any(|violation| violation.contains("on another platform")), "{copied:?}");
        let other = assess(brief, None, "Addis Ababa opened 40 km of protected bike lanes on Monday.", "a model").unwrap().violations;
        assert!(other.iter().any(|violation| violation.contains("on another platform")), "a part of it is the same: {other:?}");
        let new =
            assess(brief, None, "Cargo bike riders in the new lanes were 22% faster than vans, a trial in Addis Ababa found.", "a model");
        assert!(!new.unwrap().violations.iter().any(|violation| violation.contains("on another platform")));
    });
}
