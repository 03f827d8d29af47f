use super::*;
use sha2::{Digest, Sha256};

const WEIGHTS_SHA256: &str = "d00e509229b0b5552893e24d5228f0d1772302d43d497f430b61e51466ac52b3";

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[test]
fn the_weights_are_the_ones_that_the_readme_describes() {
    let sha256: String = Sha256::digest(WEIGHTS).iter().map(|byte| format!("{byte:02x}")).collect();

    assert_eq!(sha256, WEIGHTS_SHA256);
    assert!(include_str!("../../../data/README.md").contains(WEIGHTS_SHA256));
}

#[test]
fn texts_split_into_the_pieces_of_the_original_tokenizer() {
    let embedder = StaticEmbedder::default();
    let cases: [(&str, &[u32]); 13] = [
        ("", &[]),
        ("a", &[263]),
        ("Hello world", &[15043, 3186]),
        ("Toyota recalls 1.2 million cars", &[29411, 4616, 1162, 4293, 29871, 29896, 29889, 29906, 7284, 18647]),
        ("  two  spaces and   three ", &[259, 1023, 29871, 8162, 322, 259, 2211, 29871]),
        ("naïve café, 50% off!", &[1055, 30085, 345, 274, 28059, 29892, 29871, 29945, 29900, 29995, 1283, 29991]),
        ("東京で地震", &[29871, 30591, 30675, 30499, 30533, 236, 159, 138]),
        ("مرحبا بالعالم", &[29871, 30159, 30156, 30240, 30177, 30112, 29871, 30177, 19233, 30218, 19233, 30159]),
        ("🚀🚀 to the moon", &[29871, 243, 162, 157, 131, 243, 162, 157, 131, 304, 278, 18786]),
        ("tab\tand\nnewline", &[4434, 12, 392, 13, 1482, 1220]),
        ("<0x41> x < y > z", &[529, 29900, 29916, 29946, 29896, 29958, 921, 529, 343, 1405, 503]),
        ("aaaaaaaaaa", &[263, 27137, 27137, 29874]),
        ("antidisestablishmentarianism", &[3677, 333, 275, 342, 370, 1674, 358, 13956, 1608]),
    ];
    for (text, ids) in cases {
        assert_eq!(piece_ids(text, embedder.table()), ids, "{text:?}");
    }
}

#[test]
fn vectors_have_unit_length_and_an_empty_text_has_none() {
    let embedder = StaticEmbedder::default();

    let vectors = embedder.embed(&["Toyota recalls cars", "🚀", ""]);

    assert!((cosine(&vectors[0], &vectors[0]) - 1.0).abs() < 1e-5);
    assert!((cosine(&vectors[1], &vectors[1]) - 1.0).abs() < 1e-5);
    assert!(vectors[2].iter().all(|value| value.abs() < f32::EPSILON));
    assert!(vectors.iter().all(|vector| vector.len() == StaticEmbedder::DIMENSIONS));
}

#[test]
fn a_headline_is_nearer_to_its_own_subject_than_to_another() {
    let embedder = StaticEmbedder::default();

    let vectors = embedder.embed(&["car recall", "Toyota calls back vehicles over brakes", "Chef wins a prize for goat cheese"]);

    assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]) + 0.1);
}

#[test]
fn what_comes_after_the_limit_changes_nothing() {
    let embedder = StaticEmbedder::default();
    let long = "x".repeat(TEXT_CHARS_MAX);
    let longer = format!("{long} and a million more words");

    let vectors = embedder.embed(&[&long, &longer]);

    assert_eq!(vectors[0], vectors[1]);
}
