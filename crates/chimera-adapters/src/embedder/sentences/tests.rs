use super::*;
use chimera_core::perception::{
    background::Background,
    score::{Goal, ScoredText},
    seen::Seen,
};

#[test]
fn a_vector_has_two_parts_of_equal_weight_and_is_the_same_the_second_time() {
    let embedder = SentenceEmbedder::default();
    let texts = ["Toyota recalls cars", "", "Toyota recalls cars"];

    let vectors = embedder.embed(&texts);

    let (meaning, words) = vectors[0].split_at(embedder.meaning_dimensions());
    for part in [meaning, words] {
        assert!((part.iter().map(|value| value * value).sum::<f32>() - 0.5).abs() < 1e-4);
    }
    assert!(vectors[1].iter().all(|value| value.abs() < f32::EPSILON));
    assert_eq!(vectors[0], vectors[2]);
    assert_eq!(embedder.embed(&texts), vectors);
}

#[test]
fn relevance_with_these_vectors_separates_what_matters_from_what_does_not() {
    let embedder = SentenceEmbedder::default();
    let background = Background::new(&embedder);
    let cases = [
        ("the Toyota recall", "Toyota recalls 2 million cars over brakes", 0.9..1.0),
        ("the Toyota recall", "Honda sales climb", 0.0..0.8), // the same trade: too high, and known to be
        ("the Toyota recall", "東京で地震が発生しました", 0.0..0.3),
        ("the Toyota recall", "مرحبا بالعالم", 0.0..0.5),
        ("Follow technology news", "Apple unveils new laptop chip", 0.75..1.0),
        ("Follow technology news", "Striker scores twice in the cup final", 0.0..0.25),
        ("Follow technology news", "El gobierno anuncia nuevas medidas", 0.0..0.75),
        ("Follow technology news", "東京で地震が発生しました", 0.0..0.25),
        ("Follow technology news", "qwlekjh zxmcnb asdkjh", 0.0..0.75),
        ("electric cars and batteries", "Startup builds cheaper battery for electric vehicles", 0.9..1.0),
        ("electric cars and batteries", "La policía detiene a dos hombres tras el robo", 0.0..0.4),
    ];
    let others = ["Ford sales fall for a third month", "Carmakers sell more hybrids than ever", "Nissan names a new chief"];
    let mut seen = Seen::new(&background);
    for (other, vector) in others.iter().zip(embedder.embed(&others)) {
        seen.remember(other, &background.distinctive(other, &vector));
    }
    for (goal, item, expected) in cases {
        let distinctive = background.distinctive(item, &embedder.embed(&[item])[0]);
        let score = Goal::new(goal, &embedder, &background).score(&[ScoredText::new(item, &distinctive)], &embedder, &seen)[0];
        assert!(expected.contains(&score), "{goal:?} {item:?}: {score}");
    }
}

#[test]
fn the_vectors_of_the_neutral_items_are_those_that_the_model_gives() {
    let known = background();
    let lines = lines();
    assert!(lines.iter().all(|line| known.contains_key(*line)));
    assert_eq!(BACKGROUND.len(), lines.len() * (4 + MiniLm::DIMENSIONS));

    let sample = [lines[0], lines[lines.len() / 2], lines[lines.len() - 1]];
    for (line, vector) in sample.iter().zip(MiniLm::default().embed(&sample)) {
        let cosine: f32 = vector.iter().zip(&known[*line]).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.999, "{line}: {cosine}");
    }
}
