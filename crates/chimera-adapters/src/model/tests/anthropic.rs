//! The wire format of Anthropic's messages, as its documentation has it: what is sent, what is read, and how it can end.

use super::*;

/// An exchange with the messages API, as it goes over the wire.
const ANTHROPIC_STREAM: &str = include_str!("anthropic_stream.txt");

fn anthropic(server: &FaultServer) -> AnthropicModel {
    let mut place = server.place();
    place.url.set_path("");
    AnthropicModel::new(place, limits(), clock()).unwrap()
}

#[tokio::test]
async fn an_anthropic_exchange_is_sent_and_read_as_its_wire_format_says() {
    let server = FaultServer::start(vec![Act::Say(format!("{STREAM_HEAD}\r\n{ANTHROPIC_STREAM}"))]).await;

    let written = anthropic(&server).write(&prompt()).await.unwrap();

    assert_eq!(written.text.as_data(), "Addis Ababa opened 40 km of bike lanes on Monday.");
    assert_eq!(written.usage, Usage { input_tokens: 472, output_tokens: 17, is_estimated: false });
    assert_eq!((written.pieces, written.was_cut), (3, false));
    let request = &server.requests()[0];
    assert!(request.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{request}");
    for header in ["anthropic-version: 2023-06-01\r\n", &format!("x-api-key: {KEY}\r\n"), "content-type: application/json\r\n"] {
        assert!(request.contains(header), "{header}: {request}");
    }
    assert!(!request.to_lowercase().contains("authorization:"));
    let expected = json!({
        "model": "small", "max_tokens": 120, "stream": true,
        "system": "You are Selam.", "messages": [{ "role": "user", "content": "Write a post." }],
    });
    assert_eq!(body(request), expected);
}

#[tokio::test]
async fn an_anthropic_stream_can_fail_on_its_way_and_be_overloaded_before_it() {
    let overloaded = answer("529 ", "", r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let fails =
        Act::Say(format!("{STREAM_HEAD}\r\n{}{error}", &ANTHROPIC_STREAM[..ANTHROPIC_STREAM.find("event: content_block_stop").unwrap()]));
    let server = FaultServer::start(vec![overloaded, fails]).await;

    let error = anthropic(&server).write(&prompt()).await.unwrap_err();

    assert!(matches!(&error, ModelError::Lost { reason, .. } if reason.contains("overloaded_error")), "{error}");
    assert_eq!(server.requests().len(), 2, "overloaded before it began is asked again, lost on the way is not");
}

/// The recorded stream with its end changed.
fn stream_with(from: &str, to: &str) -> Act {
    assert!(ANTHROPIC_STREAM.contains(from));
    Act::Say(format!("{STREAM_HEAD}\r\n{}", ANTHROPIC_STREAM.replace(from, to)))
}

#[tokio::test]
async fn anthropics_reasons_to_stop_are_told_apart() {
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        let server = FaultServer::start(vec![stream_with("end_turn", reason)]).await;
        assert!(anthropic(&server).write(&prompt()).await.unwrap().was_cut, "{reason}");
    }
    let server = FaultServer::start(vec![stream_with("end_turn", "refusal")]).await;
    let model = anthropic(&server);
    for _ in 0..4 {
        let error = model.write(&prompt()).await.unwrap_err();
        assert!(matches!(&error, ModelError::Nonsense { problem, .. } if problem.contains("declined")) && error.may_have_cost(), "{error}");
    }
    assert_eq!(server.requests().len(), 4, "a server that declines is not in trouble");
}

#[tokio::test]
async fn what_an_anthropic_model_thinks_and_whatever_is_added_to_the_format_is_no_text() {
    let thought = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}\n\n\
         event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"EqQB\"}}\n\n\
         event: something_new\ndata: {\"type\":\"something_new\",\"text\":\"no\"}\n\nevent: ping";
    let server = FaultServer::start(vec![stream_with("event: ping", thought)]).await;

    assert_eq!(anthropic(&server).write(&prompt()).await.unwrap().text.as_data(), "Addis Ababa opened 40 km of bike lanes on Monday.");
}

#[tokio::test]
async fn anthropics_limits_are_waited_for_or_told_and_its_refusals_are_final() {
    let limited = r#"{"type":"error","error":{"type":"rate_limit_error","message":"Number of requests has exceeded your rate limit"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}"#;
    let again = Act::Say(format!("{STREAM_HEAD}\r\n{ANTHROPIC_STREAM}"));
    let short = FaultServer::start(vec![answer("429 Too Many Requests", "retry-after: 0\r\n", limited), again]).await;
    assert!(anthropic(&short).write(&prompt()).await.is_ok());
    assert_eq!(short.requests().len(), 2, "a short wait is waited for");

    let long = FaultServer::start(vec![answer("429 Too Many Requests", "retry-after: 40\r\n", limited)]).await;
    let error = anthropic(&long).write(&prompt()).await.unwrap_err();
    assert!(matches!(error, ModelError::RateLimited { retry_after, .. } if retry_after == Duration::from_secs(40)), "{error}");
    assert_eq!(long.requests().len(), 1);

    for (status, kind) in [
        ("400 Bad Request", "invalid_request_error"),
        ("401 Unauthorized", "authentication_error"),
        ("403 Forbidden", "permission_error"),
        ("404 Not Found", "not_found_error"),
        ("413 Payload Too Large", "request_too_large"),
    ] {
        let body = format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"the reason why"}}}}"#);
        let server = FaultServer::start(vec![answer(status, "", &body)]).await;
        let error = anthropic(&server).write(&prompt()).await.unwrap_err();
        assert!(matches!(&error, ModelError::Refused { reason, .. } if reason.contains("the reason why")), "{status}: {error}");
        assert!(!error.may_have_cost() && server.requests().len() == 1, "{status}");
    }
}

#[tokio::test]
async fn an_anthropic_stream_that_is_cut_anywhere_before_its_end_is_lost() {
    let end = ANTHROPIC_STREAM.find("event: message_stop").unwrap();
    for place in [0, 40, ANTHROPIC_STREAM.find("event: content_block_delta").unwrap(), end / 2, end] {
        let server = FaultServer::start(vec![Act::Say(format!("{STREAM_HEAD}\r\n{}", &ANTHROPIC_STREAM[..place]))]).await;
        let error = anthropic(&server).write(&prompt()).await.unwrap_err();
        assert!(matches!(&error, ModelError::Lost { .. }) && error.may_have_cost(), "{place}: {error}");
        assert_eq!(server.requests().len(), 1, "{place}");
    }
}
