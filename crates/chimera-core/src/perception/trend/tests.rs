use super::*;
use proptest::prelude::*;

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(minute * 60, 0).unwrap()
}

/// Items of one story, from `(voice, text)`.
fn trend_of(said: &[(&str, &str)]) -> Option<StoryTrend> {
    let places: Vec<Place> = said.iter().map(|(_, text)| Place::new(text, &[])).collect();
    let items: Vec<StoryItem<'_>> = said
        .iter()
        .zip(&places)
        .enumerate()
        .map(|(minute, ((voice, _), place))| StoryItem {
            story_id: "story",
            voice: (*voice).to_owned(),
            at: at(minute as i64),
            relevance: 0.9,
            place,
        })
        .collect();
    trends(&items, &[], Window { start: at(0), end: at(240) }, TrendRule::default()).into_iter().next()
}

#[test]
fn three_items_of_two_voices_are_a_trend() {
    let trend = trend_of(&[("a", "bridge closed"), ("b", "cracks found near river"), ("a", "ferry replaces traffic")]).unwrap();

    assert_eq!(trend.counted.len(), 3);
    assert!(trend.signal_strength > 0.3 && trend.signal_strength < 0.9);
}

#[test]
fn too_few_items_or_voices_are_none() {
    for said in [
        &[][..],
        &[("a", "bridge closed"), ("b", "cracks found")],
        &[("a", "bridge closed"), ("a", "cracks found"), ("a", "ferry replaces traffic")],
        &[("a", "bridge closed today"), ("b", "bridge closed today"), ("c", "Bridge closed today!")],
        &[("a", "bridge closed"), ("a", "cracks found"), ("a", "ferry replaces traffic"), ("b", "bridge closed")],
    ] {
        assert_eq!(trend_of(said), None, "{said:?}");
    }
}

#[test]
fn a_voice_that_repeats_itself_adds_nothing_after_its_second_item() {
    let once = trend_of(&[("a", "one"), ("a", "two"), ("b", "three")]).unwrap();
    let often = trend_of(&[("a", "one"), ("a", "two"), ("b", "three"), ("a", "four"), ("a", "five"), ("a", "six")]).unwrap();

    assert_eq!(once.counted.len(), often.counted.len());
    assert!((once.signal_strength - often.signal_strength).abs() < 1e-9);
}

#[test]
fn a_voice_is_the_author_else_the_host_else_the_resource() {
    for (author, url, expected) in [
        (Some("Ada L"), Some("https://a.example/1"), "ada l"),
        (None, Some("https://www.a.example/1"), "a.example"),
        (None, Some("not a link"), "news://x"),
        (None, None, "news://x"),
    ] {
        let (author, url) = (author.and_then(Author::parse), url.and_then(WebUrl::parse));
        assert_eq!(voice(author.as_ref(), url.as_ref(), "news://x"), expected);
    }
}

#[test]
fn a_story_is_new_until_it_was_alerted_and_again_when_it_has_grown_by_half() {
    for (items, last, new) in
        [(3, None, true), (3, Some(3), false), (4, Some(3), false), (5, Some(3), true), (6, Some(4), true), (5, Some(4), false)]
    {
        assert_eq!(is_new(items, last), new, "{items} after {last:?}");
    }
}

#[test]
fn a_phase_follows_from_when_items_came() {
    use TrendPhase::{Fading, Peak, Rising};
    let window = Window { start: at(240), end: at(480) };
    for (minutes, expected) in [
        (&[470][..], Rising),
        (&[250, 260, 400, 410], Peak),
        (&[250, 260, 270, 400], Peak),
        (&[250, 260, 270, 280, 400], Fading),
        (&[250, 260, 270, 280, 400, 410], Peak),
        (&[10, 20, 30, 40, 50, 250, 370, 380], Fading),
        (&[10, 20, 130, 250, 370, 380], Rising),
    ] {
        assert_eq!(phase(minutes.iter().map(|minute| at(*minute)), window), expected, "{minutes:?}");
    }
}

proptest! {
    #[test]
    fn signal_strength_is_a_share_and_monotone_in_each_of_its_parts(
        items in 1_usize..500, voices in 1_usize..500, items_before in 0_usize..500, relevance in 0.0_f64..=1.0, more in 1_usize..50, better in 0.0_f64..=1.0,
    ) {
        let signal = Signal { items, voices, items_before, relevance };
        let strength = signal.strength();
        let larger = Signal { items: items + more, ..signal }.strength();
        let wider = Signal { voices: voices + more, ..signal }.strength();
        let slower = Signal { items_before: items_before + more, ..signal }.strength();
        let nearer = Signal { relevance: relevance.max(better), ..signal }.strength();

        prop_assert!((0.0..=1.0).contains(&strength));
        prop_assert!(larger >= strength);
        prop_assert!(wider >= strength);
        prop_assert!(slower <= strength);
        prop_assert!(nearer >= strength);
    }
}
