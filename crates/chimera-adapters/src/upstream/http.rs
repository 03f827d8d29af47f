//! Streamable HTTP with a limit on every answer. rmcp's own client reads a JSON answer whole, however large it is.

use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use rmcp::ServiceError;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::Arc;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION_ID: &str = "mcp-session-id";
const LAST_EVENT_ID: &str = "last-event-id";

/// Cheap to clone; all servers share its connections.
#[derive(Clone)]
pub(super) struct BoundedHttp {
    client: reqwest::Client,
    answer_bytes_max: usize,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum HttpFault {
    #[error("the exchange failed")]
    Exchange(#[source] reqwest::Error),
    #[error("the answer is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
}

type Fault = StreamableHttpError<HttpFault>;

pub(super) fn was_too_large(error: &ServiceError) -> bool {
    let ServiceError::TransportSend(sending) = error else { return false };
    matches!(sending.error.downcast_ref::<Fault>(), Some(Fault::Client(HttpFault::TooLarge { .. })))
}

impl BoundedHttp {
    pub(super) fn new(answer_bytes_max: usize) -> Result<Self, reqwest::Error> {
        // A redirect could carry a header's credential to somebody else. A repeat could do a tool's work twice, whatever a server says
        // of having refused it.
        let client = crate::http_client::builder().redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never()).build()?;
        Ok(Self { client, answer_bytes_max })
    }

    async fn send(&self, request: reqwest::RequestBuilder, about: About) -> Result<Response, Fault> {
        let mut request = request.header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(token) = about.auth_token {
            request = request.bearer_auth(token);
        }
        if let Some(session_id) = about.session_id {
            request = request.header(SESSION_ID, session_id.as_ref());
        }
        for (name, value) in about.headers {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(exchange)?;
        if response.status() == StatusCode::UNAUTHORIZED {
            let challenge = text_of(response.headers(), WWW_AUTHENTICATE.as_str()).unwrap_or_default();
            return Err(Fault::AuthRequired(AuthRequiredError::new(challenge)));
        }
        Ok(response)
    }

    fn chunks(&self, response: Response) -> impl Stream<Item = Result<Vec<u8>, HttpFault>> + Send + 'static {
        let limit_bytes = self.answer_bytes_max;
        let mut seen_bytes = 0_usize;
        response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| HttpFault::Exchange(error.without_url()))?;
            seen_bytes = seen_bytes.saturating_add(chunk.len());
            if seen_bytes > limit_bytes { Err(HttpFault::TooLarge { limit_bytes }) } else { Ok(chunk.to_vec()) }
        })
    }

    async fn body(&self, response: Response) -> Result<Vec<u8>, Fault> {
        let mut body = Vec::new();
        let mut chunks = std::pin::pin!(self.chunks(response));
        while let Some(chunk) = chunks.next().await {
            body.extend_from_slice(&chunk.map_err(Fault::Client)?);
        }
        Ok(body)
    }

    fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        SseStream::from_bytes_stream(self.chunks(response).map(|chunk| chunk.map(std::io::Cursor::new))).boxed()
    }

    async fn refusal(&self, message: &ClientJsonRpcMessage, response: Response) -> Result<StreamableHttpPostResponse, Fault> {
        let status = response.status();
        let session_id = text_of(response.headers(), SESSION_ID);
        let body = self.body(response).await?;
        let said = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(JsonRpcMessage::Error(error)) if status != StatusCode::FORBIDDEN => Some(error),
            _ => None,
        };
        // A server that does not know `server/discover` refuses it in its own way, often without its id: that it is of the
        // older kind is all this says.
        if let Some(id) = discovery_id(message)
            && status.is_client_error()
            && status != StatusCode::FORBIDDEN
        {
            let error = said.map_or_else(|| ErrorData::invalid_request(format!("HTTP {status}"), None), |said| said.error);
            return Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id)), None));
        }
        match said {
            Some(error) => Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session_id)),
            None => Err(Fault::UnexpectedServerResponse(format!("HTTP {status}").into())),
        }
    }
}

struct About {
    session_id: Option<Arc<str>>,
    auth_token: Option<String>,
    headers: HashMap<HeaderName, HeaderValue>,
}

impl StreamableHttpClient for BoundedHttp {
    type Error = HttpFault;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let has_session = session_id.is_some();
        let (wants_answer, is_call) = (matches!(message, JsonRpcMessage::Request(_)), is_tool_call(&message));
        let request = self.client.post(uri.as_ref()).json(&message);
        let response = self.send(request, About { session_id, auth_token, headers }).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        // By this rmcp opens a new session and sends the message again. A call may have had its effect although its session is gone: it
        // is not ours to make twice.
        if status == StatusCode::NOT_FOUND && has_session && !is_call {
            return Err(Fault::SessionExpired);
        }
        if !status.is_success() {
            return self.refusal(&message, response).await;
        }
        let session_id = text_of(response.headers(), SESSION_ID);
        let content_type = text_of(response.headers(), CONTENT_TYPE.as_str());
        match content_type.as_deref() {
            // Some servers answer a notification with an empty or meaningless success.
            _ if !wants_answer => Ok(StreamableHttpPostResponse::Accepted),
            Some(kind) if kind.starts_with(EVENTS) => Ok(StreamableHttpPostResponse::Sse(self.events(response), session_id)),
            Some(kind) if kind.starts_with(JSON) => {
                let answer = serde_json::from_slice(&self.body(response).await?)?;
                Ok(StreamableHttpPostResponse::Json(answer, session_id))
            }
            _ => Err(Fault::UnexpectedContentType(content_type)),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Fault> {
        let request = self.client.delete(uri.as_ref());
        let response = self.send(request, About { session_id: Some(session_id), auth_token, headers }).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Ok(()),
            status if status.is_success() => Ok(()),
            status => Err(Fault::UnexpectedServerResponse(format!("HTTP {status}").into())),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Fault> {
        let mut request = self.client.get(uri.as_ref());
        if let Some(id) = last_event_id {
            request = request.header(LAST_EVENT_ID, id);
        }
        let response = self.send(request, About { session_id, auth_token, headers }).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(Fault::ServerDoesNotSupportSse),
            status if status.is_success() => match text_of(response.headers(), CONTENT_TYPE.as_str()) {
                Some(kind) if kind.starts_with(EVENTS) => Ok(self.events(response)),
                other => Err(Fault::UnexpectedContentType(other)),
            },
            status => Err(Fault::UnexpectedServerResponse(format!("HTTP {status}").into())),
        }
    }
}

fn is_tool_call(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::CallToolRequest(_)))
}

fn discovery_id(message: &ClientJsonRpcMessage) -> Option<rmcp::model::RequestId> {
    match message {
        JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_)) => Some(request.id.clone()),
        _ => None,
    }
}

fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn exchange(error: reqwest::Error) -> Fault {
    Fault::Client(HttpFault::Exchange(error.without_url()))
}
