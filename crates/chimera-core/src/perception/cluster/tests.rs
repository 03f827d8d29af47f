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
fn stories_that_come_close_become_one_under_the_id_that_most_items_have() {
    let (greek, nordic) = ("alpha beta gamma delta", "freya odin thor loki");
    let both = format!("{greek} {nordic}");
    let apart = stories_of(&[greek, nordic, nordic, nordic]);
    let together = stories_of(&[greek, nordic, nordic, nordic, &both, &both, &both, &both]);

    assert_eq!(apart, ["story 0", "story 1", "story 1", "story 1"]);
    assert!(together.iter().all(|story| story == "story 1"), "{together:?}");
}

#[test]
fn stories_that_were_known_and_become_one_are_told_with_the_items_that_were_known() {
    let (greek, nordic) = ("alpha beta gamma delta", "freya odin thor loki");
    let both = format!("{greek} {nordic}");
    let mut stories = Stories::default();
    stories.restore("greek", &place(greek));
    (0..3).for_each(|_| stories.restore("nordic", &place(nordic)));
    assert_eq!(stories.joins(), []);
    for number in 0..4 {
        stories.place(&place(&both), || number.to_string());
    }

    let join = JoinedStories { kept: "nordic".to_owned(), kept_items: 3, gone: "greek".to_owned(), gone_items: 1 };
    assert_eq!(stories.joins(), [join]);
    assert_eq!(stories.centres_cosine_of("greek", "never seen"), None);
}

#[test]
fn a_word_that_the_vector_does_not_know_keeps_a_story_together() {
    let mut stories = Stories::default();
    let first = stories.place(&Place::new("Zarquon", &[]), || "first".to_owned());
    let other = stories.place(&Place::new("Bridge", &[]), || "other".to_owned());
    let again = stories.place(&Place::new("zarquon!", &[]), || "again".to_owned());

    assert_eq!((stories.id_of(first), stories.id_of(other), stories.id_of(again)), ("first", "other", "first"));
}

#[test]
fn a_story_that_many_others_have_followed_is_over() {
    let mut stories = Stories::default();
    for number in 0..AWAKE_STORIES_MAX * 2 {
        stories.restore(&number.to_string(), &Place::new(&format!("w{number}x"), &[]));
    }
    stories.place(&Place::new("another", &[]), || "another".to_owned());
    assert_eq!(stories.awake.len(), AWAKE_STORIES_MAX);

    let recent = stories.place(&Place::new("w1900x", &[]), || "new".to_owned());
    let old = stories.place(&Place::new("w0x", &[]), || "new".to_owned());

    assert_eq!((stories.id_of(recent), stories.id_of(old)), ("1900", "new"));
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
