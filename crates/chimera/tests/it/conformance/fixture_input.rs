//! The suite's tools that need something from the client before they can answer (2026-07-28).

use super::{
    fixture::{Fixture, from_json},
    fixture_tools::text,
};
use rmcp::{ErrorData, RoleServer, model::*, service::RequestContext};
use serde_json::{Value, json};

/// `None` when the tool is not one of these.
pub(super) fn call(
    fixture: &Fixture,
    call: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let given = |key: &str| call.input_responses.as_ref().and_then(|responses| responses.get(key));
    // A state that we did not give out was tampered with, whichever tool it comes back to.
    if let Some(state) = &call.request_state
        && !fixture.knows(state)
    {
        return Err(ErrorData::invalid_params("requestState was changed on its way", None));
    }
    let has_state = call.request_state.is_some();
    let response = match call.name.as_ref() {
        "test_input_required_result_elicitation" => match given("user_name").and_then(|answer| answer["content"]["name"].as_str()) {
            Some(name) => finished(&format!("Hello, {name}!")),
            None => asking(json!({"user_name": name_question("What is your name?", "name")}), None),
        },
        "test_streaming_elicitation" => match given("user_name") {
            Some(_) => finished("Thank you."),
            None => asking(json!({"user_name": name_question("What is your name?", "name")}), None),
        },
        "test_input_required_result_sampling" => match given("capital_question") {
            Some(answer) => finished(answer["content"]["text"].as_str().unwrap_or_default()),
            None => asking(json!({"capital_question": sampling("What is the capital of France?", 100)}), None),
        },
        "test_input_required_result_list_roots" => match given("client_roots") {
            Some(answer) => finished(&format!("Roots: {}", answer["roots"])),
            None => asking(json!({"client_roots": roots()}), None),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => match given("confirm") {
            Some(_) if has_state => finished("state-ok"),
            _ => asking(json!({"confirm": confirmation()}), Some(fixture.new_state())),
        },
        "test_input_required_result_multiple_inputs" => match (given("user_name"), given("greeting"), given("client_roots")) {
            (Some(_), Some(_), Some(_)) if has_state => finished("All three were given."),
            _ => {
                let requests = json!({
                    "user_name": name_question("What is your name?", "name"),
                    "greeting": sampling("Generate a greeting", 50),
                    "client_roots": roots(),
                });
                asking(requests, Some(fixture.new_state()))
            }
        },
        "test_input_required_result_multi_round" => match (given("step1"), given("step2")) {
            (_, Some(_)) if has_state => finished("Both steps were taken."),
            (Some(_), None) if has_state => {
                asking(json!({"step2": name_question("Step 2: What is your favorite color?", "color")}), Some(fixture.new_state()))
            }
            _ => asking(json!({"step1": name_question("Step 1: What is your name?", "name")}), Some(fixture.new_state())),
        },
        "test_input_required_result_capabilities" => within_capabilities(context),
        _ => return Ok(None),
    };
    Ok(Some(response))
}

pub(super) fn asking_for_context() -> InputRequiredResult {
    required(json!({"user_context": name_question("What context should the prompt use?", "context")}), None)
}

/// Asks only for what the client said it can give.
fn within_capabilities(context: &RequestContext<RoleServer>) -> CallToolResponse {
    let capabilities = context.client_capabilities().unwrap_or_default();
    let mut requests = json!({});
    if capabilities.elicitation.is_some() {
        requests["user_name"] = name_question("What is your name?", "name");
    }
    if capabilities.sampling.is_some() {
        requests["greeting"] = sampling("Generate a greeting", 50);
    }
    if capabilities.roots.is_some() {
        requests["client_roots"] = roots();
    }
    asking(requests, None)
}

fn name_question(message: &str, field: &str) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}})
}

fn confirmation() -> Value {
    let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Please confirm", "requestedSchema": schema}})
}

fn sampling(prompt: &str, tokens_max: u32) -> Value {
    let messages = json!([{"role": "user", "content": {"type": "text", "text": prompt}}]);
    json!({"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens_max}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

fn asking(requests: Value, state: Option<String>) -> CallToolResponse {
    required(requests, state).into()
}

fn required(requests: Value, state: Option<String>) -> InputRequiredResult {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    from_json(result)
}

fn finished(says: &str) -> CallToolResponse {
    from_json::<CallToolResult>(json!({"resultType": "complete", "content": text(says)})).into()
}
