//! The suite's tools that answer at once, that report, and that ask an older client for something.

use super::fixture::{Change, Fixture, PNG, WAV, from_json};
use rmcp::{ErrorData, RoleServer, model::*, service::RequestContext};
use serde_json::{Value, json};
use std::time::Duration;

/// The suite wants to see messages arrive one by one.
const PAUSE: Duration = Duration::from_millis(50);

const WITHOUT_ARGUMENTS: [&str; 24] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_reconnection",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

pub(super) fn list() -> Vec<Tool> {
    let tool = |name: &'static str, schema: Value| Tool::new(name, "A tool of the conformance suite.", from_json::<JsonObject>(schema));
    let one_text = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let mut tools: Vec<Tool> = WITHOUT_ARGUMENTS.iter().map(|name| tool(name, json!({"type": "object", "properties": {}}))).collect();
    tools.push(tool("test_sampling", one_text("prompt")));
    tools.push(tool("test_elicitation", one_text("message")));
    tools
        .push(tool("test_header_parameter", json!({"type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}})));
    tools.push(tool("json_schema_2020_12_tool", rich_schema()));
    tools
}

fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {
            "name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"}, "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

pub(super) async fn call(
    fixture: &Fixture,
    call: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let argument = |name: &str| call.arguments.as_ref().and_then(|given| given.get(name)).and_then(Value::as_str).unwrap_or_default();
    let content = match call.name.as_ref() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => json!([{"type": "image", "data": PNG, "mimeType": "image/png"}]),
        "test_audio_content" => json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => json!([{"type": "resource", "resource": {
            "uri": "test://embedded-resource", "mimeType": "text/plain", "text": "This is an embedded resource content."}}]),
        "test_multiple_content_types" => json!([
            {"type": "text", "text": "Multiple content types test:"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "test://mixed-content-resource", "mimeType": "application/json",
                "text": json!({"test": "data", "value": 123}).to_string()}},
        ]),
        "test_error_handling" => {
            let content = text("This tool intentionally returns an error for testing");
            return Ok(from_json(json!({"resultType": "complete", "isError": true, "content": content})));
        }
        "test_tool_with_logging" => log_three_times(context).await?,
        "test_tool_with_progress" => report_progress(context).await?,
        "test_sampling" => {
            let messages = json!([{"role": "user", "content": {"type": "text", "text": argument("prompt")}}]);
            let answer = ask(context, "sampling/createMessage", json!({"messages": messages, "maxTokens": 100})).await?;
            text(&format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default()))
        }
        "test_elicitation" => {
            let text_field = |about: &str| json!({"type": "string", "description": about});
            let properties = json!({"username": text_field("User's response"), "email": text_field("User's email address")});
            elicit(context, argument("message"), properties, &["username", "email"], "User response:").await?
        }
        "test_elicitation_sep1034_defaults" => elicit(context, "Check the defaults", defaults(), &[], "Elicitation completed:").await?,
        "test_elicitation_sep1330_enums" => elicit(context, "Choose", enums(), &[], "Elicitation completed:").await?,
        "test_missing_capability" => {
            if context.client_capabilities().is_none_or(|capabilities| capabilities.sampling.is_none()) {
                return Err(ErrorData::missing_required_client_capability(from_json(json!({"sampling": {}}))));
            }
            text("The client can sample.")
        }
        "test_trigger_tool_change" => {
            fixture.announce(Change::Tools);
            text("The tools changed.")
        }
        "test_trigger_prompt_change" => {
            fixture.announce(Change::Prompts);
            text("The prompts changed.")
        }
        "test_logging_tool" | "test_reconnection" | "test_header_parameter" | "json_schema_2020_12_tool" => text("Done."),
        _ => return Err(ErrorData::invalid_params("unknown tool", None)),
    };
    Ok(from_json(json!({"resultType": "complete", "content": content})))
}

pub(super) fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

async fn log_three_times(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let params = json!({"level": "info", "data": message});
        let notification = ServerNotification::CustomNotification(CustomNotification::new("notifications/message", Some(params)));
        context.peer.send_notification(notification).await.map_err(gone)?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(text("Logged three times."))
}

async fn report_progress(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            context.peer.notify_progress(ProgressNotificationParam::new(token, done).with_total(100.0)).await.map_err(gone)?;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(text("Progress was reported."))
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    properties: Value,
    required: &[&str],
    says: &str,
) -> Result<Value, ErrorData> {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let answer = ask(context, "elicitation/create", json!({"message": message, "requestedSchema": schema})).await?;
    Ok(text(&format!("{says} action={}, content={}", answer["action"].as_str().unwrap_or_default(), answer["content"])))
}

/// A request to the client, as only the older revisions know it.
async fn ask(context: &RequestContext<RoleServer>, method: &str, params: Value) -> Result<Value, ErrorData> {
    let request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    let answer = context.peer.send_request(request).await.map_err(gone)?;
    Ok(serde_json::to_value(answer).expect("an answer is plain data"))
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    })
}

fn enums() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = |noun: &str| {
        json!([
            {"const": "value1", "title": format!("First {noun}")},
            {"const": "value2", "title": format!("Second {noun}")},
            {"const": "value3", "title": format!("Third {noun}")},
        ])
    };
    json!({
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    })
}

fn gone(error: rmcp::ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
