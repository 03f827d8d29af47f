use super::*;
use crate::{ports::embedder::Embedder, testing::fake_embedder::WordEmbedder};

fn place(text: &str) -> Place {
    Place::new(text, &WordEmbedder.embed(&[text])[0])
}

/// The story of each text, numbered by first appearance.
fn stories_of(texts: &[&str]) -> Vec<String> {
    let mut stories = Stories::default();
    let handles: Vec<usize> =
        texts.iter().enumerate().map(|(number, text)| stories.place(&place(text), 0, || format!("story {number}"))).collect();
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
    let together = stories_of(&[greek, nordic, nordic, nordic, &both, &both, &both, &both, &both, &both]);

    assert_eq!(apart, ["story 0", "story 1", "story 1", "story 1"]);
    assert!(together.iter().all(|story| story == "story 1"), "{together:?}");
}

#[test]
fn stories_that_were_known_and_become_one_are_told_with_the_items_that_were_known() {
    let (greek, nordic) = ("alpha beta gamma delta", "freya odin thor loki");
    let both = format!("{greek} {nordic}");
    let mut stories = Stories::default();
    stories.restore("greek", &place(greek), 0);
    (0..3).for_each(|_| stories.restore("nordic", &place(nordic), 0));
    assert_eq!(stories.joins(), []);
    for number in 0..6 {
        stories.place(&place(&both), 0, || number.to_string());
    }

    let join = JoinedStories { kept: "nordic".to_owned(), kept_items: 3, gone: "greek".to_owned(), gone_items: 1 };
    assert_eq!(stories.joins(), [join]);
    assert_eq!(stories.centres_cosine_of("greek", "never seen"), None);
}

#[test]
fn a_word_that_the_vector_does_not_know_keeps_a_story_together() {
    let mut stories = Stories::default();
    let first = stories.place(&Place::new("Zarquon", &[]), 0, || "first".to_owned());
    let other = stories.place(&Place::new("Bridge", &[]), 0, || "other".to_owned());
    let again = stories.place(&Place::new("zarquon!", &[]), 0, || "again".to_owned());

    assert_eq!((stories.id_of(first), stories.id_of(other), stories.id_of(again)), ("first", "other", "first"));
}

#[test]
fn a_story_that_many_others_have_followed_is_over() {
    let mut stories = Stories::default();
    for number in 0..AWAKE_STORIES_MAX * 2 {
        stories.restore(&number.to_string(), &Place::new(&format!("w{number}x"), &[]), 0);
    }
    stories.place(&Place::new("another", &[]), 0, || "another".to_owned());
    assert_eq!(stories.awake.len(), AWAKE_STORIES_MAX);

    let recent = stories.place(&Place::new("w1900x", &[]), 0, || "new".to_owned());
    let old = stories.place(&Place::new("w0x", &[]), 0, || "new".to_owned());

    assert_eq!((stories.id_of(recent), stories.id_of(old)), ("1900", "new"));
}

#[test]
fn a_restored_story_keeps_its_id_for_new_items() {
    let mut stories = Stories::default();
    stories.restore("known", &place("Toyota recalls cars"), 0);

    let handle = stories.place(&place("Toyota recalls more cars"), 0, || "new".to_owned());

    assert_eq!(stories.id_of(handle), "known");
    assert_eq!(stories.current_id("known"), "known");
    assert_eq!(stories.current_id("never seen"), "never seen");
}

const HOUR: i64 = 3_600;

/// The story of each text, which came so many hours after the first.
fn stories_over_time(items: &[(i64, &str)]) -> Vec<usize> {
    let mut stories = Stories::default();
    let handles: Vec<usize> = items.iter().map(|(hour, text)| stories.place(&place(text), hour * HOUR, String::new)).collect();
    handles.iter().map(|handle| stories.current(*handle)).collect()
}

#[test]
fn a_story_is_over_after_a_silence() {
    let text = "Toyota recalls cars";

    assert_eq!(stories_over_time(&[(0, text), (47, text), (94, text)]), [0, 0, 0]);
    assert_eq!(stories_over_time(&[(0, text), (49, text), (50, text)]), [0, 1, 1]);
    let mut stories = Stories::default();
    for (id, hour) in [("first", 0), ("soon", 40), ("late", 90)] {
        stories.restore(id, &place(text), hour * HOUR);
    }
    assert!(stories.centres_cosine_of("first", "soon").is_some() && stories.centres_cosine_of("late", "first").is_none());
}

#[test]
fn a_theme_does_not_gather_what_is_far_from_its_latest_items() {
    let theme = [(0, "war talks in geneva"), (1, "war talks in geneva fail"), (2, "war ship sinks"), (3, "war talks go on in geneva")];
    let event = "war prisoners freed from camp";
    let late: Vec<(i64, &str)> = [&theme[..], &[(11, "war talks in geneva again"), (20, event), (21, event)]].concat();

    let stories = stories_over_time(&late);

    assert_ne!(stories[5], stories[0], "{stories:?}");
    assert_eq!(stories[6], stories[5]);
}

#[test]
fn only_young_stories_become_one() {
    let (greek, nordic) = ("alpha beta gamma delta", "freya odin thor loki");
    let both = "alpha beta gamma delta freya odin thor loki";
    for (hour, one) in [(1, true), (20, false)] {
        let stories = stories_over_time(&[(0, greek), (0, nordic), (0, nordic), (hour, both), (hour, both), (hour, both), (hour, both)]);
        assert_eq!(stories[0] == stories[1], one, "{hour}: {stories:?}");
    }
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
