use super::*;
use crate::testing::fake_embedder::WordEmbedder;
use proptest::prelude::*;

fn score(goal: &str, item: &str) -> f64 {
    let background = Background::new(&WordEmbedder);
    let distinctive = background.distinctive(item, &WordEmbedder.embed(&[item])[0]);
    Goal::new(goal, &WordEmbedder, &background).score(&[ScoredText::new(item, &distinctive)], &WordEmbedder, &Seen::new(&background))[0]
}

#[test]
fn an_item_that_says_what_the_goal_asks_for_scores_above_one_that_does_not() {
    let about = score("the Toyota recall", "Toyota recall widens to more cars");
    let else_where = score("the Toyota recall", "Chef wins a prize for goat cheese");

    assert!(about > 0.75, "{about}");
    assert!(else_where < 0.25, "{else_where}");
}

#[test]
fn text_that_cannot_be_compared_with_the_goal_never_scores_high() {
    // Of languages that these words carry no meaning in; those that the sentence embedder was taught are tested with it.
    for item in ["", " ", "!!!", "of the and", "12 34", "Привет мир", "🚀🚀🚀"] {
        for goal in ["the Toyota recall", "Follow technology news", "of", "!!!", ""] {
            let score = score(goal, item);
            assert!(score < 0.5, "{goal:?} {item:?}: {score}");
        }
    }
}

#[test]
fn a_score_that_is_needed_is_exact_and_one_that_is_not_stays_below_the_need() {
    let background = Background::new(&WordEmbedder);
    let seen = Seen::new(&background);
    let texts = ["Toyota recall widens to more cars", "Chef wins a prize for goat cheese", "Recall of cars", "", "Toyota opens a plant"];
    let vectors: Vec<Vec<f32>> =
        texts.iter().zip(WordEmbedder.embed(&texts)).map(|(text, vector)| background.distinctive(text, &vector)).collect();
    let items: Vec<ScoredText<'_>> = texts.iter().zip(&vectors).map(|(text, distinctive)| ScoredText::new(text, distinctive)).collect();
    for goal in ["the Toyota recall", "Follow car news"] {
        let goal = Goal::new(goal, &WordEmbedder, &background);
        let exact = goal.score(&items, &WordEmbedder, &seen);
        for needed in [0.0, 0.3, 0.75, 1.0] {
            let found = goal.score_in_reach(&items, &[needed; 5], &WordEmbedder, &seen);
            for (found, exact) in found.iter().zip(&exact) {
                assert!((found - exact).abs() < 1e-9 || (*found < needed && *exact < needed), "{needed}: {found}, {exact}");
            }
        }
    }
}

#[test]
fn a_goal_in_another_script_scores_items_in_that_script() {
    assert!(score("землетрясение Токио", "Токио: сильное землетрясение") > 0.5);
}

#[test]
fn a_goal_is_broad_when_it_lists_aspects_or_asks_for_a_field() {
    for (goal, breadth) in [
        ("Follow technology news", Breadth::Broad),
        ("latest climate stories", Breadth::Broad),
        ("Sports: matches, teams, athletes and results", Breadth::Broad),
        ("chess", Breadth::Broad),
        ("What is new in the world of chess?", Breadth::Broad),
        ("todo lo que pasa en el mundo del ajedrez", Breadth::Broad),
        ("the Toyota recall", Breadth::Narrow),
        ("News about the Toyota recall", Breadth::Narrow),
        ("electric cars and batteries", Breadth::Narrow),
        ("", Breadth::Narrow),
    ] {
        assert_eq!(breadth_of(goal, language_of(goal)), breadth, "{goal:?}");
    }
}

#[test]
fn the_lists_are_sorted_for_their_search() {
    assert!(subject::PURPOSE_WORDS.is_sorted());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_score_is_a_probability(goal in "\\PC{0,60}", item in "\\PC{0,200}") {
        let score = score(&goal, &item);
        prop_assert!((0.0..=1.0).contains(&score));
    }
}
