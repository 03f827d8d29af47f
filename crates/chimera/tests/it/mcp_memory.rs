//! Skills called through MCP in one process, as the swarm calls them.

use crate::fakes::{stage, trend_call};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::{CallError, SkillCaller};
use serde_json::json;

#[tokio::test]
async fn a_skill_answers_through_memory_as_it_answers_itself() {
    let caller = McpSkillCaller::in_memory(&stage().server).await.unwrap();

    let good = caller.call("skill_trend_fetcher", &trend_call("learn")).await.unwrap();
    let wrong = caller.call("skill_wallet_transaction", &json!({"agent_id": "selam"})).await.unwrap();

    assert_eq!((&good["success"], &good["echo"]), (&json!(true), &trend_call("learn")));
    assert_eq!((&wrong["success"], &wrong["error_code"]), (&json!(false), &json!("invalid_input")));
    caller.close().await;
}

#[tokio::test]
async fn input_that_is_no_object_reaches_the_skill_too() {
    let caller = McpSkillCaller::in_memory(&stage().server).await.unwrap();
    for input in [json!(null), json!([1]), json!("text"), json!(7)] {
        let answer = caller.call("skill_content_generator", &input).await.unwrap();
        assert_eq!(answer["error_code"], "invalid_input", "{input}");
    }
}

#[tokio::test]
async fn an_unknown_skill_is_refused() {
    let caller = McpSkillCaller::in_memory(&stage().server).await.unwrap();

    let error = caller.call("skill_nothing", &json!({})).await.unwrap_err();

    assert!(matches!(&error, CallError::Refused(reason) if reason.contains("skill_trend_fetcher")), "{error:?}");
}

#[tokio::test]
async fn dropping_a_call_drops_the_skill() {
    let stage = stage();
    let caller = McpSkillCaller::in_memory(&stage.server).await.unwrap();

    let input = trend_call("wait for ever");
    tokio::select! {
        _ = caller.call("skill_trend_fetcher", &input) => unreachable!("it waits for ever"),
        () = stage.signals.started.notified() => {}
    }

    stage.signals.dropped.notified().await;
}

#[tokio::test]
async fn many_calls_at_once_each_get_their_own_answer() {
    let caller = McpSkillCaller::in_memory(&stage().server).await.unwrap();
    let calls = (0..200).map(|number| {
        let caller = &caller;
        async move {
            let input = trend_call(&format!("goal {number}"));
            assert_eq!(caller.call("skill_trend_fetcher", &input).await.unwrap()["echo"], input);
        }
    });

    futures::future::join_all(calls).await;
}
