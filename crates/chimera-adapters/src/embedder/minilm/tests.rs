use super::*;
use sha2::{Digest, Sha256};

const WEIGHTS_SHA256: &str = "93fdd9db00c8e87d6f1177ee991b5abdd125241a7ac876b1e554d4d3cf1bae37";
const TEXTS: [&str; 3] = [
    "Toyota recalls two million cars over faulty brakes",
    "Carmaker calls back vehicles because of a brake defect",
    "The chef won a prize for her goat cheese",
];

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[test]
fn the_weights_are_the_ones_that_the_readme_describes() {
    let sha256: String = Sha256::digest(NETWORK).iter().map(|byte| format!("{byte:02x}")).collect();

    assert_eq!(sha256, WEIGHTS_SHA256);
    assert!(include_str!("../../../data/README.md").contains(WEIGHTS_SHA256));
}

/// The expected cosines are those of the original weights, computed by another implementation.
#[test]
fn sentences_stand_to_each_other_as_in_the_original_model() {
    let vectors = MiniLm::default().embed(&TEXTS);

    assert!((cosine(&vectors[0], &vectors[1]) - 0.510).abs() < 0.01, "{}", cosine(&vectors[0], &vectors[1]));
    assert!((cosine(&vectors[0], &vectors[2]) - 0.041).abs() < 0.01, "{}", cosine(&vectors[0], &vectors[2]));
}

#[test]
fn a_vector_does_not_depend_on_the_company_and_a_text_without_words_has_none() {
    let model = MiniLm::default();
    let long = "flood ".repeat(500);

    let together = model.embed(&[TEXTS[0], "", &long, TEXTS[1]]);
    let alone = model.embed(&[TEXTS[1]]);

    assert!((cosine(&together[3], &alone[0]) - 1.0).abs() < 1e-5);
    assert!(together[1].iter().all(|value| value.abs() < f32::EPSILON));
    assert!((cosine(&together[2], &together[2]) - 1.0).abs() < 1e-4);
}
