//! The chat completions of OpenAI, which llama.cpp, vLLM, Ollama and many others speak too.

use super::{
    endpoint::{Endpoint, ModelLimits, ModelPlace},
    reading::{EventError, Heard},
};
use async_trait::async_trait;
use chimera_core::ports::{
    clock::Clock,
    text_model::{ModelError, Prompt, TextModel, Written},
};
use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};
use std::sync::Arc;

pub const OPENAI_URL: &str = "https://api.openai.com/v1";
/// Only the original refuses the old name of this limit, and only the others may not know the new one.
const ORIGINAL_HOST: &str = "api.openai.com";

pub struct OpenAiModel {
    endpoint: Endpoint,
    model: String,
    is_original: bool,
}

impl OpenAiModel {
    pub fn new(place: ModelPlace, limits: ModelLimits, clock: Arc<dyn Clock>) -> Result<Self, reqwest::Error> {
        let is_original = place.url.host_str() == Some(ORIGINAL_HOST);
        let model = place.model.clone();
        let authorisation = place.key.as_ref().map(|key| (AUTHORIZATION, format!("Bearer {}", key.as_str())));
        let endpoint = Endpoint::new("openai", place, authorisation.into_iter().collect(), limits, clock)?;
        Ok(Self { endpoint, model, is_original })
    }

    pub(super) fn request(&self, prompt: &Prompt, with_schema: bool) -> Value {
        let mut body = json!({
            "model": self.model,
            "messages": [{ "role": "system", "content": prompt.system }, { "role": "user", "content": prompt.user }],
            "seed": prompt.seed,
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        // The vendor's own newer models know the limit by another name, and refuse every request that has a temperature.
        if self.is_original {
            body["max_completion_tokens"] = json!(prompt.output_tokens_max);
        } else {
            body["max_tokens"] = json!(prompt.output_tokens_max);
            body["temperature"] = json!(prompt.temperature);
        }
        if let Some(asked) = prompt.answer_schema.as_ref().filter(|_| with_schema) {
            let schema = json!({ "name": asked.name, "strict": true, "schema": asked.schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        body
    }
}

#[async_trait]
impl TextModel for OpenAiModel {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    async fn write(&self, prompt: &Prompt) -> Result<Written, ModelError> {
        let heard =
            self.endpoint.ask_in_form("/chat/completions", prompt, &|with_schema| self.request(prompt, with_schema), read_event).await?;
        Ok(heard.written(prompt.system.len() + prompt.user.len()))
    }

    async fn reach(&self) -> Result<(), ModelError> {
        self.endpoint.look("/models").await
    }
}

/// Adds one event of the stream to what has been heard.
pub fn read_event(heard: &mut Heard, data: &str) -> Result<(), EventError> {
    if data.trim() == "[DONE]" {
        (heard.is_whole, heard.is_over) = (true, true);
        return Ok(());
    }
    let event: Value = serde_json::from_str(data).map_err(|error| EventError::Unreadable(error.to_string()))?;
    if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
        return Err(EventError::GaveUp(error["message"].as_str().unwrap_or("no reason given").to_owned()));
    }
    let choice = &event["choices"][0];
    heard.add(choice["delta"]["content"].as_str().unwrap_or_default());
    if let Some(reason) = choice["finish_reason"].as_str() {
        if reason == "content_filter" {
            return Err(EventError::Declined(reason.to_owned()));
        }
        heard.was_cut = reason == "length";
        heard.is_whole = true;
    }
    let usage = &event["usage"];
    heard.input_tokens = usage["prompt_tokens"].as_u64().or(heard.input_tokens);
    heard.output_tokens = usage["completion_tokens"].as_u64().or(heard.output_tokens);
    Ok(())
}
