//! Every output of the contracts' own document, its placeholders filled in, is valid by a validator that is not ours and reads into our types.
//! (Its inputs are the starting point of the tables beside the checker.)

use super::properties::output_validator;
use chimera_core::{
    contracts::{
        content_generator::ContentGeneratorOutput, trend_fetcher::TrendFetcherOutput, wallet_transaction::WalletTransactionOutput,
    },
    skills::{CONTENT_GENERATOR, SkillInfo, TREND_FETCHER, WALLET_TRANSACTION},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const ID: &str = "2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f";
const TIME: &str = "2026-11-15T04:00:00.000Z";

fn is_valid(info: &'static SkillInfo, answer: &Value) {
    let (schemas, index) = output_validator(info);
    if let Err(error) = schemas.validate(answer, index) {
        panic!("{}: {error}\n{answer}", info.name);
    }
}

fn is_valid_and_reads<T: DeserializeOwned>(info: &'static SkillInfo, answer: Value) {
    is_valid(info, &answer);
    serde_json::from_value::<T>(answer).unwrap_or_else(|error| panic!("{}: {error}", info.name));
}

#[test]
fn the_success_objects_are_valid_and_read_into_their_types() {
    let trend = json!({
        "topics": ["string"], "cluster_id": "string", "time_window_start": TIME, "time_window_end": TIME,
        "signal_strength": 0.0, "sample_resource_uris": ["string"]
    });
    let alert = json!({
        "event_id": ID, "event_type": "trend_alert", "source": "skill_trend_fetcher", "agent_id": "string", "campaign_id": "string", "trend": trend
    });
    let item = json!({
        "filter_result_id": ID, "resource_uri": "string", "content_summary": "string", "relevance_score": 0.0, "above_threshold": true
    });
    for alert in [alert, Value::Null] {
        let found = json!({ "success": true, "request_id": ID, "fetched_at": TIME, "trend_alert": alert, "filter_results": [item] });
        is_valid_and_reads::<TrendFetcherOutput>(&TREND_FETCHER, found);
    }
    for content_type in ["text", "image", "video"] {
        let artifact = json!({
            "content_type": content_type, "payload_text": "string", "payload_media_uri": "string", "platform_target": "string"
        });
        let made = json!({
            "success": true, "result_id": ID, "task_id": ID, "agent_id": "string", "created_at": TIME,
            "artifact": artifact, "confidence_score": 0.0, "reasoning_trace": "string"
        });
        is_valid_and_reads::<ContentGeneratorOutput>(&CONTENT_GENERATOR, made);
    }
    for operation in ["get_balance", "native_transfer", "token_transfer"] {
        let result = json!({ "balance_wei_or_units": "string", "tx_hash": "string", "block_number": "string", "executed_at": TIME });
        let done =
            json!({ "success": true, "transaction_id": ID, "task_id": ID, "agent_id": "string", "operation": operation, "result": result });
        is_valid_and_reads::<WalletTransactionOutput>(&WALLET_TRANSACTION, done);
    }
}

#[test]
fn the_error_objects_are_valid() {
    let error = |mut ids: Value, code: &str| {
        ids["success"] = json!(false);
        ids["error_code"] = json!(code);
        ids["message"] = json!("string");
        ids["details"] = json!({});
        ids
    };
    is_valid(&TREND_FETCHER, &error(json!({ "request_id": ID }), "resource_unavailable"));
    is_valid(&CONTENT_GENERATOR, &error(json!({ "result_id": ID, "task_id": ID }), "provider_error"));
    for code in ["budget_exceeded", "insufficient_balance", "invalid_address", "rpc_error"] {
        is_valid(&WALLET_TRANSACTION, &error(json!({ "transaction_id": ID, "task_id": ID }), code));
    }
}
