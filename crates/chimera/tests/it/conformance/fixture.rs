//! The server that the conformance suite examines: its tools, resources and prompts are the ones the suite asks for,
//! everything below them (transports, router, limits) is Chimera's own.

use super::{fixture_input, fixture_tools};
use rmcp::{ErrorData, RoleServer, ServerHandler, model::*, service::RequestContext, service::SubscriptionContext};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// One red pixel.
pub(super) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No sound at all.
pub(super) const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

#[derive(Clone, Copy)]
pub(super) enum Change {
    Tools,
    Prompts,
}

#[derive(Clone)]
pub(super) struct Fixture(Arc<State>);

struct State {
    changes: broadcast::Sender<Change>,
    /// The request states that were given out: any other was tampered with.
    states: Mutex<HashSet<String>>,
    shutdown: CancellationToken,
}

impl Fixture {
    pub(super) fn new(shutdown: CancellationToken) -> Self {
        Self(Arc::new(State { changes: broadcast::channel(16).0, states: Mutex::default(), shutdown }))
    }

    pub(super) fn announce(&self, change: Change) {
        // Nobody may be listening.
        let _ = self.0.changes.send(change);
    }

    pub(super) fn new_state(&self) -> String {
        let state = uuid::Uuid::new_v4().to_string();
        self.0.states.lock().unwrap().insert(state.clone());
        state
    }

    pub(super) fn knows(&self, state: &str) -> bool {
        self.0.states.lock().unwrap().contains(state)
    }
}

pub(super) fn from_json<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the fixture writes what the protocol says")
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "tools": {"listChanged": true}, "prompts": {"listChanged": true}, "resources": {"subscribe": true},
            "completions": {}, "logging": {},
        });
        ServerConfig::new(from_json(capabilities)).with_server_info(Implementation::new("conformance-fixture", "1.0.0"))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(fixture_tools::list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        fixture_tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(&self, call: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        if let Some(response) = fixture_input::call(self, &call, &context)? {
            return Ok(response);
        }
        fixture_tools::call(self, &call, &context).await.map(Into::into)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |uri: &str, name: &str| Resource::new(uri, name).with_description("A resource of the conformance suite.");
        Ok(ListResourcesResult::with_all_items(vec![
            resource("test://static-text", "static-text").with_mime_type("text/plain"),
            resource("test://static-binary", "static-binary").with_mime_type("image/png"),
            resource("test://watched-resource", "watched-resource").with_mime_type("text/plain"),
        ]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("test://template/{id}/data", "template")
            .with_description("A template of the conformance suite.")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let contents = match uri {
            "test://static-text" => ResourceContents::text("This is the content of the static text resource.", uri),
            "test://watched-resource" => ResourceContents::text("Nothing happens here.", uri),
            "test://static-binary" => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
            _ => {
                let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
                let Some(id) = id else {
                    return Err(ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri}))));
                };
                let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string();
                ResourceContents::text(text, uri).with_mime_type("application/json")
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListPromptsResult, ErrorData> {
        let prompt = |name: &str, arguments: &[&str]| {
            let argument = |name: &&str| PromptArgument::new(*name).with_description("An argument.").with_required(true);
            Prompt::new(name, Some("A prompt of the conformance suite."), Some(arguments.iter().map(argument).collect()))
        };
        Ok(ListPromptsResult::with_all_items(vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
            prompt("test_input_required_result_prompt", &[]),
        ]))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: RequestContext<RoleServer>) -> Result<GetPromptResponse, ErrorData> {
        let argument =
            |name: &str| request.arguments.as_ref().and_then(|given| given.get(name)).and_then(Value::as_str).unwrap_or_default();
        let user_text = |text: String| json!({"role": "user", "content": {"type": "text", "text": text}});
        let messages = match request.name.as_str() {
            "test_simple_prompt" => json!([user_text("This is a simple prompt for testing.".to_owned())]),
            "test_prompt_with_arguments" => {
                json!([user_text(format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))])
            }
            "test_prompt_with_embedded_resource" => json!([
                {"role": "user", "content": {"type": "resource", "resource": {
                    "uri": argument("resourceUri"), "mimeType": "text/plain", "text": "Embedded resource content for testing."}}},
                user_text("Please process the embedded resource above.".to_owned()),
            ]),
            "test_prompt_with_image" => json!([
                {"role": "user", "content": {"type": "image", "data": PNG, "mimeType": "image/png"}},
                user_text("Please analyze the image above.".to_owned()),
            ]),
            "test_input_required_result_prompt" => match request.input_responses.as_ref().and_then(|given| given.get("user_context")) {
                None => return Ok(fixture_input::asking_for_context().into()),
                Some(given) => json!([user_text(format!("With context: {given}"))]),
            },
            _ => return Err(ErrorData::invalid_params("unknown prompt", None)),
        };
        Ok(from_json::<GetPromptResult>(json!({"resultType": "complete", "messages": messages})).into())
    }

    async fn complete(&self, _: CompleteRequestParams, _: RequestContext<RoleServer>) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::new(from_json(json!({"values": ["paris", "park", "party"], "total": 3, "hasMore": false}))))
    }

    #[expect(deprecated, reason = "clients of 2025-11-25 set a log level")]
    async fn set_level(&self, _: SetLevelRequestParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.changes.subscribe();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.0.shutdown.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // The sink lets through only what was asked for.
            let _ = match change {
                Ok(Change::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }
}
