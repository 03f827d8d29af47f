//! The skills as MCP tools: their listing, made once, and their answers.

use super::errors::{echo, invalid};
use chimera_core::{
    contracts::{ErrorCode, SkillFailure, failure, schema::portable},
    skills::{Answer, SkillInfo, Skills},
};
use rmcp::{
    ErrorData,
    model::{CacheScope, CallToolResult, ContentBlock, JsonObject, ListToolsResult, Tool, ToolAnnotations},
};
use serde_json::Value;
use std::sync::Arc;

/// An answer's JSON may have this many bytes; it travels twice, as structured content and as text.
pub(super) const ANSWER_BYTES_MAX: usize = 2 * 1024 * 1024;

/// The list changes only with the program.
pub(super) const LIST_FRESH_MS: u64 = 300_000;

/// In the order of the skills.
pub(super) fn list(skills: &Skills) -> ListToolsResult {
    let tools = skills.infos().map(tool).collect();
    ListToolsResult { ttl_ms: Some(LIST_FRESH_MS), cache_scope: Some(CacheScope::Public), ..ListToolsResult::with_all_items(tools) }
}

fn tool(info: &'static SkillInfo) -> Tool {
    let hints = ToolAnnotations::with_title(info.title)
        .read_only(info.hints.read_only)
        .destructive(info.hints.destructive)
        .idempotent(info.hints.idempotent)
        .open_world(info.hints.open_world);
    Tool::new(info.name, info.description, object(portable(&(info.input_schema)())))
        .with_title(info.title)
        .with_raw_output_schema(object((info.output_schema)()))
        .with_annotations(hints)
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(object) => Arc::new(object),
        other => unreachable!("every schema has an object at its root, this one is {other}"),
    }
}

/// The contract's JSON twice: as structured content for programs, and the same as text for hosts that show only text.
pub(super) fn result(info: &SkillInfo, input: &Value, answer: Answer) -> CallToolResult {
    let text = json_text(&answer.body);
    if text.len() > ANSWER_BYTES_MAX {
        return finished(too_large(info, input, text.len()));
    }
    shown(answer, text)
}

/// What a caller who went away would have been told.
pub(super) fn cancelled(info: &SkillInfo, input: &Value) -> CallToolResult {
    let failure = SkillFailure::new(ErrorCode::Cancelled, "the call was cancelled; a transfer that was already signed goes on by itself");
    finished(failed(info, input, failure))
}

pub(super) fn unknown(name: &str, skills: &Skills) -> ErrorData {
    let known: Vec<&str> = skills.infos().map(|info| info.name).collect();
    invalid(format!("unknown tool {}; this server has {}", echo(name), known.join(", ")))
}

fn too_large(info: &SkillInfo, input: &Value, bytes: usize) -> Answer {
    let failure = SkillFailure::new(
        ErrorCode::InternalError,
        format!("the answer has {bytes} bytes, and at most {ANSWER_BYTES_MAX} are sent; ask for less"),
    )
    .with("answer_bytes", bytes)
    .with("answer_bytes_max", ANSWER_BYTES_MAX);
    failed(info, input, failure)
}

fn failed(info: &SkillInfo, input: &Value, error: SkillFailure) -> Answer {
    Answer { success: false, body: failure::answer(info.answer_id, info.has_task, input, error) }
}

fn finished(answer: Answer) -> CallToolResult {
    let text = json_text(&answer.body);
    shown(answer, text)
}

/// Faster than `Value`'s own `to_string`, which goes through the formatter.
fn json_text(body: &Value) -> String {
    serde_json::to_string(body).expect("a JSON value always serialises")
}

fn shown(answer: Answer, text: String) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(answer.body);
    result.is_error = Some(!answer.success);
    result
}
