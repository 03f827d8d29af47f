//! Measures perception on labelled lines of JSON, as `docs/perception.md` reports it.
//!
//!     cargo run -p chimera-adapters --example eval_perception -- relevance FILE.jsonl [EVIDENCE.jsonl]
//!     cargo run -p chimera-adapters --example eval_perception -- stream | injection FILE.jsonl
//!
//! Fields: relevance `goal, text, label, kind?`; stream `text, cluster`; injection `text, label, kind`.
#![expect(clippy::print_stdout, reason = "a measuring tool: its output is its purpose")]

mod metrics;

use chimera_adapters::embedder::StaticEmbedder;
use chimera_core::{
    perception::{
        clean::plain_line,
        cluster::{Place, Stories},
        injection::InjectionDetector,
        items::TEXT_CHARS_MAX,
        score::{Background, Goal, ScoredText},
    },
    ports::embedder::Embedder,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, error::Error, fs, io::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["relevance", file] => relevance(&rows(file)?, None),
        ["relevance", file, evidence] => relevance(&rows(file)?, Some(evidence)),
        ["stream", file] => stream(&rows(file)?),
        ["injection", file] => injection(&rows(file)?),
        _ => Err("usage: eval_perception relevance|stream|injection FILE.jsonl".into()),
    }
}

fn rows(file: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    Ok(fs::read_to_string(file)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text_of<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or("")
}

fn is_positive(row: &Value) -> bool {
    row["label"] == 1
}

fn relevance(rows: &[Value], evidence_file: Option<&str>) -> Result<(), Box<dyn Error>> {
    let embedder = StaticEmbedder::new();
    let background = Background::new(&embedder);
    let mut goals = BTreeMap::new();
    let mut evidence_lines = evidence_file.map(fs::File::create).transpose()?;
    let mut judged = Vec::new();
    for row in rows {
        let goal_text = text_of(row, "goal");
        let goal = goals.entry(goal_text).or_insert_with(|| Goal::new(goal_text, &embedder, &background));
        let text = plain_line(text_of(row, "text"), TEXT_CHARS_MAX).into_data();
        let distinctive = background.distinctive(&embedder.embed(&[&text])[0]);
        let item = [ScoredText { text: &text, distinctive: &distinctive }];
        let score = goal.score(&item, &embedder)[0];
        judged.push((score, is_positive(row), text_of(row, "kind")));
        if let (Some(file), Some(evidence)) = (&mut evidence_lines, goal.weigh(&item, &embedder)[0]) {
            let line = json!({"goal": goal_text, "label": row["label"], "kind": row["kind"], "broad": format!("{:?}", goal.breadth()), "z": evidence.z,
                "word_match": evidence.word_match, "log_item_words": evidence.log_item_words});
            writeln!(file, "{line}")?;
        }
    }
    let pairs: Vec<(f64, bool)> = judged.iter().map(|(score, positive, _)| (*score, *positive)).collect();
    let hard: Vec<(f64, bool)> =
        judged.iter().filter(|(_, _, kind)| *kind != "rand_neg").map(|(score, positive, _)| (*score, *positive)).collect();
    let (precision, recall, f1) = metrics::at_threshold(&pairs, 0.75);
    println!(
        "{}",
        json!({"rows": rows.len(), "auc": metrics::auc(&pairs), "auc_hard": metrics::auc(&hard), "f1_at_0.75": f1, "precision": precision,
            "recall": recall, "ece": metrics::calibration_error(&pairs)})
    );
    Ok(())
}

fn stream(rows: &[Value]) -> Result<(), Box<dyn Error>> {
    let embedder = StaticEmbedder::new();
    let background = Background::new(&embedder);
    let mut stories = Stories::default();
    let mut handles = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let text = text_of(row, "text");
        let place = Place::new(text, &background.distinctive(&embedder.embed(&[text])[0]));
        handles.push(stories.place(&place, || number.to_string()));
    }
    stories.merge();
    let found: Vec<&str> = handles.iter().map(|handle| stories.id_of(*handle)).collect();
    let truth: Vec<String> = rows.iter().map(|row| row["cluster"].to_string()).collect();
    let truth: Vec<&str> = truth.iter().map(String::as_str).collect();
    println!(
        "{}",
        json!({"rows": rows.len(), "nmi": metrics::mutual_information(&truth, &found), "ari": metrics::adjusted_rand(&truth, &found),
            "clusters_of_3": metrics::clusters_of(&found, 3), "true_clusters_of_3": metrics::clusters_of(&truth, 3)})
    );
    Ok(())
}

fn injection(rows: &[Value]) -> Result<(), Box<dyn Error>> {
    let detector = InjectionDetector::new();
    let mut by_kind: BTreeMap<(&str, bool), (usize, usize)> = BTreeMap::new();
    let mut pairs = Vec::new();
    for row in rows {
        let flagged = detector.instructs(&plain_line(text_of(row, "text"), TEXT_CHARS_MAX));
        let counts = by_kind.entry((text_of(row, "kind"), is_positive(row))).or_default();
        counts.0 += usize::from(flagged);
        counts.1 += 1;
        pairs.push((if flagged { 1.0 } else { 0.0 }, is_positive(row)));
    }
    let (precision, recall, f1) = metrics::at_threshold(&pairs, 0.5);
    let kinds: Vec<Value> = by_kind
        .iter()
        .map(|((kind, positive), (flagged, all))| json!({"kind": kind, "positive": positive, "flagged": flagged, "of": all}))
        .collect();
    println!("{}", json!({"rows": rows.len(), "f1": f1, "precision": precision, "recall": recall, "kinds": kinds}));
    Ok(())
}
