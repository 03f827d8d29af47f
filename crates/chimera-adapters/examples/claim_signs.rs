//! The signs of claims and what of a source stands beside each, for `scripts/fit/claims.py`: rows {source, claim} in, rows {signs, window} out.
use chimera_adapters::embedder::SentenceEmbedder;
use chimera_core::composer::claims::Grounded;
use std::io::{BufRead, Write};

fn main() {
    let embedder = SentenceEmbedder::default();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let row: serde_json::Value = serde_json::from_str(&line.expect("a line")).expect("a row of JSON");
        let (source, claim) = (Grounded::new(row["source"].as_str().unwrap_or(""), &embedder), row["claim"].as_str().unwrap_or(""));
        let made = serde_json::json!({"signs": source.signs(claim), "window": source.window(claim)});
        writeln!(out, "{made}").expect("standard output takes lines");
    }
}
