//! One entry of the list of routes: all that is known of a request before it comes.

use super::request::Call;
use crate::{Dashboard, Problem};
use axum::{http::StatusCode, response::Response, routing::MethodFilter};
use chimera_core::contracts::{Checker, schema, views::people::Role};
use futures::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use std::sync::Arc;

pub(super) type Handler = Arc<dyn Fn(Arc<Dashboard>, Call) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync>;

pub(super) struct Route {
    pub method: Method,
    pub path: &'static str,
    /// The operation's name in the document.
    pub operation: &'static str,
    /// What it does, in one sentence.
    pub sentence: &'static str,
    /// Who may; each role may what those below it may.
    pub role: Role,
    pub query: Option<Input>,
    pub body: Option<Input>,
    pub answer: Answer,
    /// With what statuses it refuses, beside those that any route may answer.
    pub problems: &'static [u16],
    /// Whether it honours `Idempotency-Key`.
    pub is_repeatable: bool,
    /// Whether it gives an `ETag`, or honours `If-Match`.
    pub has_tag: bool,
    pub handler: Handler,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    pub(super) fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Delete => MethodFilter::DELETE,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// A body or a query: the schema that is shown, and the check made of it.
pub(super) struct Input {
    pub schema: Value,
    pub checker: Checker,
}

impl Input {
    fn of<T: JsonSchema>() -> Self {
        let mut schema = schema::of::<T>();
        let checker = Checker::new(schema.clone());
        if let Value::Object(object) = &mut schema {
            object.remove("$schema");
        }
        Self { schema, checker }
    }
}

/// What is answered when all goes well.
pub(super) struct Answer {
    pub status: StatusCode,
    pub media_type: &'static str,
    pub schema: Option<fn(&mut SchemaGenerator) -> Schema>,
}

impl Route {
    pub(super) fn new<F, Done>(
        (method, path): (Method, &'static str),
        operation: &'static str,
        role: Role,
        sentence: &'static str,
        handler: F,
    ) -> Self
    where
        F: Fn(Arc<Dashboard>, Call) -> Done + Send + Sync + 'static,
        Done: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Self {
            method,
            path,
            operation,
            sentence,
            role,
            query: None,
            body: None,
            answer: Answer { status: StatusCode::NO_CONTENT, media_type: "application/json", schema: None },
            problems: &[],
            is_repeatable: false,
            has_tag: false,
            handler: Arc::new(move |dashboard, call| Box::pin(handler(dashboard, call))),
        }
    }

    pub(super) fn query<T: JsonSchema>(self) -> Self {
        Self { query: Some(Input::of::<T>()), ..self }
    }

    pub(super) fn body<T: JsonSchema>(self) -> Self {
        Self { body: Some(Input::of::<T>()), ..self }
    }

    /// Without it a route answers 204, with no body.
    pub(super) fn answers<T: JsonSchema>(self, status: StatusCode) -> Self {
        let answer = Answer { status, media_type: "application/json", schema: Some(|generator| generator.subschema_for::<T>()) };
        Self { answer, ..self }
    }

    pub(super) fn answers_with(self, media_type: &'static str) -> Self {
        Self { answer: Answer { status: StatusCode::OK, media_type, schema: None }, ..self }
    }

    pub(super) fn refuses(self, problems: &'static [u16]) -> Self {
        Self { problems, ..self }
    }

    pub(super) fn repeatable(self) -> Self {
        Self { is_repeatable: true, ..self }
    }

    pub(super) fn tagged(self) -> Self {
        Self { has_tag: true, ..self }
    }

    /// The names between braces in the path.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}
