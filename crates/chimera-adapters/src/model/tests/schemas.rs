//! An answer of a given form: asked for as each vendor's documentation says, and given up where a server knows nothing of it.

use super::*;
use chimera_core::ports::text_model::AnswerSchema;

fn formed() -> Prompt {
    let schema = json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false });
    Prompt { answer_schema: Some(AnswerSchema { name: "post", schema }), ..prompt() }
}

#[tokio::test]
async fn each_vendor_is_asked_for_the_schema_in_its_own_way() {
    let server = FaultServer::start(vec![good()]).await;
    openai(&server).write(&formed()).await.unwrap();
    let schema = formed().answer_schema.unwrap().schema;
    let wanted = json!({ "type": "json_schema", "json_schema": { "name": "post", "strict": true, "schema": schema } });
    assert_eq!(body(&server.requests()[0])["response_format"], wanted);

    let server = FaultServer::start(vec![answer("400 Bad Request", "", "{}")]).await;
    let mut place = server.place();
    place.url.set_path("");
    AnthropicModel::new(place, limits(), clock()).unwrap().write(&formed()).await.unwrap_err();
    assert_eq!(body(&server.requests()[0])["output_config"], json!({ "format": { "type": "json_schema", "schema": schema } }));
    assert_eq!(server.requests().len(), 1, "a refusal that is not about the schema ends it");
}

#[tokio::test]
async fn a_server_that_refuses_the_schema_is_asked_once_without_and_never_with_it_again() {
    for refusal in [
        answer(
            "400 Bad Request",
            "",
            r#"{"error":{"message":"'response_format' of type 'json_schema' is not supported with this model"}}"#,
        ),
        answer("500 Internal Server Error", "", r#"{"error":{"message":"response_format type must be \"text\" or \"json_object\""}}"#),
        answer("422 Unprocessable Entity", "", r#"{"message":"Structured outputs are not available"}"#),
    ] {
        let server = FaultServer::start(vec![refusal, good()]).await;
        let model = openai(&server);

        assert_eq!(model.write(&formed()).await.unwrap().text.as_data(), "Forty kilometres.");
        model.write(&formed()).await.unwrap();

        let asked: Vec<bool> = server.requests().iter().map(|request| body(request).get("response_format").is_some()).collect();
        assert_eq!(asked, [true, false, false]);
    }
}

#[tokio::test]
async fn a_prompt_without_a_schema_is_sent_once_whatever_the_refusal_says() {
    let refusal = answer("400 Bad Request", "", r#"{"error":{"message":"response_format is not supported"}}"#);
    let server = FaultServer::start(vec![refusal]).await;

    let error = openai(&server).write(&prompt()).await.unwrap_err();

    assert!(matches!(error, ModelError::Refused { .. }) && server.requests().len() == 1);
}
