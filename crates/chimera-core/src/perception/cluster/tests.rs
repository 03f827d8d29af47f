use super::*;
use crate::{ports::embedder::Embedder, testing::fake_embedder::WordEmbedder};

fn place(text: &str) -> Place {
    Place::new(text, &WordEmbedder.embed(&[text])[0])
}

/// The story of each text, numbered by first appearance.
fn stories_of(texts: &[&str]) -> Vec<String> {
    let mut stories = Stories::default();
    let handles: Vec<usize> =
        texts.iter().enumerate().map(|(number, text)| stories.place(&place(text), || format!("story {number}"))).collect();
    stories.merge();
    handles.iter().map(|handle| stories.id_of(*handle).to_owned()).collect()
}

#[test]
fn items_about_one_thing_share_a_story_and_others_do_not() {
    let stories = stories_of(&[
        "Toyota recalls cars",
        "Parliament votes on pensions",
        "Toyota recalls more cars",
        "Pensions: parliament votes again",
    ]);

    assert_eq!(stories, ["story 0", "story 1", "story 0", "story 1"]);
}

#[test]
fn stories_that_come_close_become_the_older_one() {
    let stories =
        stories_of(&["alpha beta gamma delta", "kappa lambda gamma delta epsilon zeta", "alpha beta gamma delta epsilon zeta kappa"]);

    assert!(stories.iter().all(|story| story == "story 0"), "{stories:?}");
}

#[test]
fn a_restored_story_keeps_its_id_for_new_items() {
    let mut stories = Stories::default();
    stories.restore("known", &place("Toyota recalls cars"));

    let handle = stories.place(&place("Toyota recalls more cars"), || "new".to_owned());

    assert_eq!(stories.id_of(handle), "known");
    assert_eq!(stories.current_id("known"), "known");
    assert_eq!(stories.current_id("never seen"), "never seen");
}

#[test]
fn the_same_words_in_another_order_or_case_are_a_repetition() {
    for (left, right, repeats) in [
        ("Bridge closed after cracks", "bridge CLOSED after cracks!", true),
        ("After cracks, bridge closed", "Bridge closed after cracks", true),
        ("Bridge closed after cracks", "Bridge opened by the queen", false),
        ("", "", false),
    ] {
        assert_eq!(place(left).repeats(&place(right)), repeats, "{left:?} {right:?}");
    }
}

#[test]
fn texts_without_words_never_share_a_story() {
    assert_eq!(stories_of(&["", ""]), ["story 0", "story 1"]);
}
