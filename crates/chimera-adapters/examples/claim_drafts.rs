//! How many faithful drafts the composer's check refuses and how many spoiled ones it passes: `even` stories, `odd` ones, or both.
use chimera_adapters::embedder::SentenceEmbedder;
use chimera_core::testing::suites::claims::refused;

fn main() {
    let embedder = SentenceEmbedder::default();
    for (name, half) in [("even", 0), ("odd", 1)] {
        let found = refused(&embedder, |number| number % 2 == half);
        let lines: Vec<&String> = found.wrongly.iter().chain(&found.passed).collect();
        let told = serde_json::json!({"half": name, "faithful": found.faithful, "refused": found.wrongly.len(), "spoiled": found.spoiled,
            "passed": found.passed.len(), "which": lines});
        serde_json::to_writer_pretty(std::io::stdout(), &told).expect("standard output takes lines");
    }
}
