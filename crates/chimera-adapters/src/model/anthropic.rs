//! The messages of Anthropic.

use super::{
    endpoint::{Endpoint, ModelLimits, ModelPlace},
    reading::{EventError, Heard},
};
use async_trait::async_trait;
use chimera_core::ports::{
    clock::Clock,
    text_model::{ModelError, Prompt, TextModel, Written},
};
use reqwest::header::HeaderName;
use serde_json::{Value, json};
use std::sync::Arc;

pub const ANTHROPIC_URL: &str = "https://api.anthropic.com";
/// The version of the wire format, which has been the same since it began.
const VERSION: &str = "2023-06-01";

pub struct AnthropicModel {
    endpoint: Endpoint,
    model: String,
}

impl AnthropicModel {
    pub fn new(place: ModelPlace, limits: ModelLimits, clock: Arc<dyn Clock>) -> Result<Self, reqwest::Error> {
        let model = place.model.clone();
        let mut headers = vec![(HeaderName::from_static("anthropic-version"), VERSION.to_owned())];
        headers.extend(place.key.as_ref().map(|key| (HeaderName::from_static("x-api-key"), key.as_str().to_owned())));
        let endpoint = Endpoint::new("anthropic", place, headers, limits, clock)?;
        Ok(Self { endpoint, model })
    }

    /// Without a temperature: the models from Opus 4.7 on refuse every request that has one. Drafts differ by the vendor's own.
    fn request(&self, prompt: &Prompt, with_schema: bool) -> Value {
        let mut body = json!({
            "model": self.model,
            "max_tokens": prompt.output_tokens_max,
            "system": prompt.system,
            "messages": [{ "role": "user", "content": prompt.user }],
            "stream": true,
        });
        if let Some(asked) = prompt.answer_schema.as_ref().filter(|_| with_schema) {
            body["output_config"] = json!({ "format": { "type": "json_schema", "schema": asked.schema } });
        }
        body
    }
}

#[async_trait]
impl TextModel for AnthropicModel {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    async fn write(&self, prompt: &Prompt) -> Result<Written, ModelError> {
        let heard = self.endpoint.ask_in_form("/v1/messages", prompt, &|with_schema| self.request(prompt, with_schema), read_event).await?;
        Ok(heard.written(prompt.system.len() + prompt.user.len()))
    }

    async fn reach(&self) -> Result<(), ModelError> {
        self.endpoint.look("/v1/models").await
    }
}

/// Adds one event of the stream to what has been heard.
pub fn read_event(heard: &mut Heard, data: &str) -> Result<(), EventError> {
    let event: Value = serde_json::from_str(data).map_err(|error| EventError::Unreadable(error.to_string()))?;
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => read_usage(heard, &event["message"]["usage"]),
        "content_block_delta" => heard.add(event["delta"]["text"].as_str().unwrap_or_default()),
        "message_delta" => {
            read_usage(heard, &event["usage"]);
            match event["delta"]["stop_reason"].as_str().unwrap_or_default() {
                "max_tokens" | "model_context_window_exceeded" => heard.was_cut = true,
                // What came before it is no answer.
                "refusal" => return Err(EventError::Declined("refusal".to_owned())),
                _ => {}
            }
        }
        "message_stop" => (heard.is_whole, heard.is_over) = (true, true),
        "error" => {
            let error = &event["error"];
            let reason = [&error["type"], &error["message"]].map(|part| part.as_str().unwrap_or_default()).join(": ");
            return Err(EventError::GaveUp(reason));
        }
        // `ping`, the borders of blocks, and whatever is added to the format: readers are asked to pass over it.
        _ => {}
    }
    Ok(())
}

/// The counts are running totals. What comes out of a cache is read too.
fn read_usage(heard: &mut Heard, usage: &Value) {
    if let Some(input) = usage["input_tokens"].as_u64() {
        let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"].map(|name| usage[name].as_u64().unwrap_or_default());
        heard.input_tokens = Some(cached.into_iter().fold(input, u64::saturating_add));
    }
    heard.output_tokens = usage["output_tokens"].as_u64().or(heard.output_tokens);
}
