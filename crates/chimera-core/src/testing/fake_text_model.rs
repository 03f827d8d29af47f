//! A model that says what the test wrote for it, and remembers what it was asked.

use crate::{
    domain::Untrusted,
    ports::text_model::{ModelError, Prompt, TextModel, Usage, Written},
};
use async_trait::async_trait;
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard},
};

pub struct ScriptedTextModel {
    name: String,
    answers: Mutex<VecDeque<Result<String, ModelError>>>,
    prompts: Mutex<Vec<Prompt>>,
}

/// What every scripted answer is said to have taken.
pub const SCRIPTED_USAGE: Usage = Usage { input_tokens: 100, output_tokens: 20, is_estimated: false };

impl ScriptedTextModel {
    /// Says `answers` one after another, and the last one again and again.
    pub fn saying(answers: &[&str]) -> Self {
        Self::answering(answers.iter().map(|text| Ok((*text).to_owned())).collect())
    }

    pub fn answering(answers: Vec<Result<String, ModelError>>) -> Self {
        Self { name: "scripted model".to_owned(), answers: Mutex::new(answers.into()), prompts: Mutex::default() }
    }

    pub fn prompts(&self) -> Vec<Prompt> {
        locked(&self.prompts).clone()
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().expect("no test panics while holding the script")
}

#[async_trait]
impl TextModel for ScriptedTextModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn write(&self, prompt: &Prompt) -> Result<Written, ModelError> {
        locked(&self.prompts).push(prompt.clone());
        let mut answers = locked(&self.answers);
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let text = answer.expect("a script has at least one answer")?;
        Ok(Written { text: Untrusted::new(text), usage: SCRIPTED_USAGE, pieces: 1, was_cut: false })
    }

    async fn reach(&self) -> Result<(), ModelError> {
        Ok(())
    }
}
