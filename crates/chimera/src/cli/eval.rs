//! `chimera eval`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct EvalFlags {
    pub task: EvalTask,
    /// One JSON object a line, in the order in which they came
    #[arg(long, value_name = "FILE")]
    pub rows: PathBuf,
    /// Where to write one prediction a row
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum EvalTask {
    /// goal, text, label: does the text matter to the goal
    Relevance,
    /// text, cluster: which texts tell one story
    Stream,
    /// text, ts, event: which stories are emerging
    Trends,
    /// text, sensitive, cat: politics, health, finance, legal
    Sensitive,
    /// text, label: does it ask whether it talks to a machine
    Disclosure,
    /// text, label: may whoever wrote it be in danger
    Crisis,
    /// text, label: does fetched text instruct its reader
    Injection,
    /// text, label: does it offend
    Toxicity,
    /// file, entries (title, link): is each entry of the feed in the file read
    Feeds,
    /// source, claim, label: does the source bear the claim out
    Grounding,
    /// goal, soul, sources (title, text, url), platform, text: how sure it is of the text; without text, of its own
    Drafts,
    /// text, lang: which language it is in
    Language,
    /// a, b, score: how alike two texts are
    Similarity,
}
