//! The same language model in Python's onnxruntime.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Larger ones are no faster there.
const TEXTS_PER_BATCH: usize = 32;

pub struct Peer {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
pub struct Scored {
    pub seconds: f64,
    /// Of the first texts.
    pub vectors: Vec<Vec<f32>>,
}

impl Peer {
    pub fn start(python: &str, script: &str, weights: &str) -> Result<Self> {
        let mut child = Command::new(python).args([script, weights]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let asks = child.stdin.take().context("the peer has no input")?;
        let answers = BufReader::new(child.stdout.take().context("the peer has no output")?);
        Ok(Self { child, asks, answers })
    }

    pub fn score(&mut self, goal: &str, texts: &[&str]) -> Result<Scored> {
        writeln!(self.asks, "{}", json!({"goal": goal, "texts": texts, "batch": TEXTS_PER_BATCH}))?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).context("the peer ended; its own words are above")
    }

    pub fn stop(mut self) -> Result<()> {
        drop(self.asks);
        self.child.wait()?;
        Ok(())
    }
}
