use super::*;

fn person(reason: &str, text: &str) -> AttemptFeedback {
    AttemptFeedback { rejected_text: text.to_owned(), reason: reason.to_owned(), by: FeedbackBy::Person }
}

fn wishes(reason: &str) -> Wishes {
    Wishes::of(&Feedback {
        attempts: vec![person(reason, "Forty kilometres of lanes opened on Monday, says the city. #Lanes")],
        ..Feedback::default()
    })
}

#[test]
fn wishes_are_understood_in_the_words_people_use() {
    for reason in [
        "Too long.",
        "make it shorter please",
        "Demasiado largo",
        "trop long !",
        "Bitte kürzer",
        "太长了",
        "長すぎる",
        "طويل جدا",
        "troppo lungo",
    ] {
        assert!(matches!(wishes(reason).length, Some(Length::Shorter { .. })), "{reason}");
    }
    assert!(matches!(wishes("say more, it is too short").length, Some(Length::Longer { .. })));
    for reason in ["no hashtags!", "drop the hashtag", "sin hashtags", "ohne Hashtags bitte", "ハッシュタグなしで"] {
        assert!(wishes(reason).no_hashtags, "{reason}");
    }
    assert!(wishes("Please don’t ask things. No question at the end").no_questions);
    assert!(wishes("not this story").other_story_than().len() == 1);
    assert!(wishes("use another source").other_source_than().len() == 1);
    assert!(wishes("another angle, this one is boring").other_angle);
    assert_eq!(wishes("write it in Spanish").language, Some(Language::Spanish));
}

#[test]
fn words_inside_other_words_are_no_wish() {
    for reason in ["She was too longing for it", "the flatbed truck is wrong", "belonger"] {
        assert_eq!(wishes(reason).length, None, "{reason}");
        assert!(!wishes(reason).other_angle, "{reason}");
    }
}

#[test]
fn quoted_words_are_avoided_or_wanted_as_the_words_before_them_say() {
    let without = wishes("Please remove \"on Monday\"");
    assert!(!without.allow("The new lanes opened on Monday morning.") && without.allow("The new lanes opened in the city."));
    let with = wishes("mention \"Addis Ababa\"");
    assert!(with.has_wanted("Lanes opened in Addis Ababa.") && !with.has_wanted("Lanes opened."));
    assert!(wishes("\"nice\"").allow("A nice day in the city."));
}

#[test]
fn nothing_that_was_turned_down_comes_again_not_even_with_a_word_changed() {
    let wishes = wishes("no");

    assert!(!wishes.allow("Forty kilometres of lanes opened on Monday, says the city."));
    assert!(!wishes.allow("Forty kilometres of lanes opened on Monday, says city."));
    assert!(wishes.allow("Shopkeepers along the lanes report more customers."));
}

#[test]
fn what_an_edit_took_out_is_not_put_in_again() {
    let written = "Lanes opened. Shops along them sell more. What do you think? #Lanes\n\nAI by @s";
    let lesson = Lesson { written: written.to_owned(), edited: Some("Lanes opened.".to_owned()), reason: None };
    let wishes = Wishes::of(&Feedback { lessons: vec![lesson], ..Feedback::default() });

    assert!(wishes.no_hashtags && wishes.no_questions);
    assert!(!wishes.allow("Shops along them sell more.") && wishes.allow("Lanes opened."));
    assert!(wishes.unheeded("Shops along them sell more.")[0].contains("took out"));
}

#[test]
fn a_reason_about_one_source_is_no_rule_for_the_next_text_and_one_about_length_is() {
    let lesson =
        |reason: &str| Lesson { written: "Lanes opened in the old town today.".to_owned(), edited: None, reason: Some(reason.to_owned()) };
    let taught = |reason: &str| Wishes::of(&Feedback { lessons: vec![lesson(reason)], ..Feedback::default() });

    assert!(taught("another source").other_source_than().is_empty());
    assert!(taught("too long").length.is_some());
    assert!(taught("not this story").other_story_than().len() == 1);
}

#[test]
fn the_trace_says_what_was_heeded_and_what_was_not_understood() {
    let told = |reason: &str| {
        wishes(reason).trace("A quite different text about the lanes in town that goes on and on for a while. #x").join("\n")
    };

    assert!(told("too long").contains("not heeded: nothing shorter"));
    assert!(told("needs more sparkle").contains("not understood, so only another text: \"needs more sparkle\""));
    assert!(told("no hashtags").contains("heeded: \"no hashtags\""));
}
