//! `chimera eval`: how good the classifiers are, on labelled rows of your own. One row of JSON a line; metrics go to standard output,
//! predictions to a file. A prediction depends on its own row, the rows before it and what is part of the program.

mod drafts;
mod feeds;
mod grounding;
mod interval;
mod judging;
mod languages;
mod metrics;
mod relevance;
mod stories;
mod tellings;

use super::Context;
use crate::{
    cli::{EvalFlags, EvalTask},
    config::Misconfigured,
    wiring,
};
use anyhow::{Context as _, Result};
use chimera_core::ports::embedder::Embedder;
use serde_json::Value;
use std::{
    fs::File,
    io::{BufRead, BufReader, BufWriter, Write},
    path::Path,
    process::ExitCode,
};

/// Texts embedded at a time: enough for every core, few enough to forget.
const TEXTS_PER_STEP: usize = 512;

/// What a task found.
struct Evaluated {
    metrics: Value,
    /// One a row, in order.
    predictions: Vec<Value>,
}

pub fn run(context: &Context, flags: &EvalFlags) -> Result<ExitCode> {
    let rows = read_rows(&flags.rows).map_err(Misconfigured::mark)?;
    let embedder = wiring::embedder();
    let evaluated = match flags.task {
        EvalTask::Relevance => relevance::evaluate(&rows, embedder.as_ref()),
        EvalTask::Stream => stories::stream(&rows, embedder.as_ref()),
        EvalTask::Trends => stories::trends(&rows, embedder.as_ref()),
        EvalTask::Sensitive => judging::sensitive(&rows, embedder.as_ref()),
        EvalTask::Disclosure => judging::disclosure(&rows),
        EvalTask::Crisis => judging::crisis(&rows),
        EvalTask::Injection => judging::injection(&rows),
        EvalTask::Toxicity => judging::offence(&rows, embedder.as_ref()),
        EvalTask::Feeds => feeds::evaluate(&rows, &flags.rows),
        EvalTask::Grounding => grounding::evaluate(&rows, embedder.as_ref()),
        EvalTask::Drafts => drafts::evaluate(&rows, embedder.as_ref()),
        EvalTask::Language => languages::evaluate(&rows),
        EvalTask::Similarity => judging::similarity(&rows, embedder.as_ref()),
    }
    .map_err(Misconfigured::mark)?;
    if let Some(file) = &flags.predictions {
        write_lines(file, &evaluated.predictions).with_context(|| format!("cannot write {}", file.display()))?;
    }
    context.output.json_line(&evaluated.metrics)?;
    Ok(ExitCode::SUCCESS)
}

fn read_rows(file: &Path) -> Result<Vec<Value>> {
    let reader = BufReader::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?);
    let mut rows = Vec::new();
    for (number, line) in reader.lines().enumerate() {
        let line = line.with_context(|| format!("{}: line {} cannot be read", file.display(), number + 1))?;
        if line.trim().is_empty() {
            continue;
        }
        rows.push(serde_json::from_str(&line).with_context(|| format!("{}: line {} is not JSON", file.display(), number + 1))?);
    }
    anyhow::ensure!(!rows.is_empty(), "{} has no rows", file.display());
    Ok(rows)
}

/// One vector a text; a vector depends on its own text alone, and many at a time are faster.
fn embed_all(texts: &[&str], embedder: &dyn Embedder) -> Vec<Vec<f32>> {
    texts.chunks(TEXTS_PER_STEP).flat_map(|step| embedder.embed(step)).collect()
}

fn write_lines(file: &Path, lines: &[Value]) -> Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(())
}

fn text_field<'a>(row: &'a Value, number: usize, field: &str) -> Result<&'a str> {
    row[field].as_str().with_context(|| format!("row {}: `{field}` must be a text", number + 1))
}

/// A label as the sets write it: 0 and 1, or false and true. Rows to predict need none.
fn is_positive(row: &Value, field: &str) -> bool {
    row[field].as_bool().unwrap_or_else(|| row[field].as_f64().is_some_and(|label| label > 0.5))
}
