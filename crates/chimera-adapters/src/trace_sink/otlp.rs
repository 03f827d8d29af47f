//! OpenTelemetry's OTLP over HTTP, as JSON: one request for many spans.

use crate::http_client;
use async_trait::async_trait;
use chimera_core::ports::trace_sink::{NotExported, Span, TraceSink};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use std::time::Duration;

const EXPORT_MAX: Duration = Duration::from_secs(10);
/// What OTLP calls a span that is neither a request nor an answer.
const KIND_INTERNAL: u32 = 1;
const STATUS_UNSET: u32 = 0;
const STATUS_ERROR: u32 = 2;

pub struct OtlpSink {
    client: reqwest::Client,
    url: reqwest::Url,
}

#[derive(Debug, thiserror::Error)]
pub enum NotACollector {
    #[error("{0:?} is not the address of a collector, such as http://127.0.0.1:4318")]
    Address(String),
    #[error("no HTTP client can be made")]
    Client(#[source] reqwest::Error),
}

impl OtlpSink {
    /// `base` as exporters everywhere take it: without the path of the signal.
    pub fn new(base: &str) -> Result<Self, NotACollector> {
        let wrong = || NotACollector::Address(base.to_owned());
        let mut url: reqwest::Url = base.parse().map_err(|_| wrong())?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(wrong());
        }
        let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let client = http_client::builder().timeout(EXPORT_MAX).build().map_err(NotACollector::Client)?;
        Ok(Self { client, url })
    }
}

#[async_trait]
impl TraceSink for OtlpSink {
    async fn export(&self, spans: &[Span]) -> Result<(), NotExported> {
        if spans.is_empty() {
            return Ok(());
        }
        let lost = |reason: String| NotExported { spans: spans.len(), reason };
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json").body(body(spans).to_string());
        let answer = request.send().await.map_err(|error| lost(http_client::reason(error)))?;
        if answer.status().is_success() { Ok(()) } else { Err(lost(format!("it answered {}", answer.status()))) }
    }
}

fn body(spans: &[Span]) -> Value {
    let attribute = |name: &str, value: &str| json!({ "key": name, "value": { "stringValue": value } });
    let resource = [attribute("service.name", "chimera"), attribute("service.version", env!("CARGO_PKG_VERSION"))];
    let spans: Vec<Value> = spans
        .iter()
        .map(|span| {
            let attributes: Vec<Value> = span.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
            let mut told = json!({
                "traceId": span.trace_id,
                "spanId": span.span_id,
                "name": span.name,
                "kind": KIND_INTERNAL,
                // Sixty-four bits are text in OTLP's JSON.
                "startTimeUnixNano": nanos(span.begun_at),
                "endTimeUnixNano": nanos(span.ended_at),
                "attributes": attributes,
                "status": { "code": if span.has_failed { STATUS_ERROR } else { STATUS_UNSET } },
            });
            if let Some(parent) = &span.parent_id {
                told["parentSpanId"] = json!(parent);
            }
            told
        })
        .collect();
    json!({ "resourceSpans": [{ "resource": { "attributes": resource }, "scopeSpans": [{ "scope": { "name": "chimera.swarm" }, "spans": spans }] }] })
}

fn nanos(at: chrono::DateTime<chrono::Utc>) -> String {
    (i128::from(at.timestamp_micros()) * 1000).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    fn span() -> Span {
        Span {
            trace_id: "0123456789abcdef0123456789abcdef".to_owned(),
            span_id: "0123456789abcdef".to_owned(),
            parent_id: Some("fedcba9876543210".to_owned()),
            name: "work",
            begun_at: DateTime::from_timestamp_micros(1_700_000_000_000_001).unwrap(),
            ended_at: DateTime::from_timestamp_micros(1_700_000_001_000_002).unwrap(),
            has_failed: true,
            attributes: vec![("chimera.attempt", "2".to_owned())],
        }
    }

    /// Takes one request, and answers it with this status line.
    async fn collector(status: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let taking = async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !String::from_utf8_lossy(&request).ends_with("]}]}]}") {
                assert!(stream.read_buf(&mut request).await.unwrap() > 0, "{}", String::from_utf8_lossy(&request));
            }
            stream.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes()).await.unwrap();
            String::from_utf8(request).unwrap()
        };
        #[expect(clippy::disallowed_methods, reason = "the test awaits it")]
        let handle = tokio::spawn(taking);
        (url, handle)
    }

    #[tokio::test]
    async fn spans_arrive_in_the_form_that_collectors_know() {
        let (url, taken) = collector("200 OK").await;

        OtlpSink::new(&url).unwrap().export(&[span()]).await.unwrap();

        let request = taken.await.unwrap();
        assert!(request.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{request}");
        assert!(request.contains("content-type: application/json"), "{request}");
        let body: Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        let sent = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(sent["traceId"], "0123456789abcdef0123456789abcdef");
        assert_eq!(sent["parentSpanId"], "fedcba9876543210");
        assert_eq!((&sent["startTimeUnixNano"], &sent["endTimeUnixNano"]), (&json!("1700000000000001000"), &json!("1700000001000002000")));
        assert_eq!(sent["status"]["code"], 2);
        assert_eq!(sent["attributes"][0], json!({ "key": "chimera.attempt", "value": { "stringValue": "2" } }));
        assert_eq!(body["resourceSpans"][0]["resource"]["attributes"][0]["value"]["stringValue"], "chimera");
    }

    #[tokio::test]
    async fn a_collector_that_refuses_is_told_of() {
        let (url, taken) = collector("503 Service Unavailable").await;

        let error = OtlpSink::new(&url).unwrap().export(&[span()]).await.unwrap_err();

        taken.await.unwrap();
        assert_eq!((error.spans, error.reason.as_str()), (1, "it answered 503 Service Unavailable"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in ["", "127.0.0.1:4318", "ftp://127.0.0.1", "http://", "collector"] {
            assert!(matches!(OtlpSink::new(wrong), Err(NotACollector::Address(_))), "{wrong:?}");
        }
    }
}
