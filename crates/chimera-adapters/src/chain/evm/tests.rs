use super::*;
use axum::{Json, Router, extract::State, http::StatusCode, response::IntoResponse, routing::post};
use std::{collections::HashMap, sync::Arc};
use tokio::{net::TcpListener, task::JoinSet};
use url::Url;

/// A node that answers each method as told, and has no answer to the rest.
#[derive(Clone)]
struct Script(Arc<HashMap<&'static str, Reply>>);

#[derive(Clone)]
enum Reply {
    Result(Value),
    Error(i64, &'static str),
    Http(u16),
    Garbage,
}

async fn node(State(script): State<Script>, Json(request): Json<Value>) -> axum::response::Response {
    let method = request["method"].as_str().unwrap_or_default();
    match script.0.get(method) {
        Some(Reply::Result(result)) => Json(json!({ "jsonrpc": "2.0", "id": 1, "result": result })).into_response(),
        Some(Reply::Error(code, message)) => {
            Json(json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": code, "message": message } })).into_response()
        }
        Some(Reply::Http(status)) => StatusCode::from_u16(*status).unwrap().into_response(),
        Some(Reply::Garbage) => "<html>".into_response(),
        None => Json(json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32601, "message": "no such method" } })).into_response(),
    }
}

/// The node lives as long as the returned set.
async fn chain_of(replies: &[(&'static str, Reply)]) -> (EvmChain, JoinSet<()>) {
    let (url, servers) = serve(replies).await;
    (chain_at(vec![url]), servers)
}

async fn serve(replies: &[(&'static str, Reply)]) -> (Url, JoinSet<()>) {
    let script = Script(Arc::new(replies.iter().cloned().collect()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/secret-key", listener.local_addr().unwrap()).parse().unwrap();
    let router = Router::new().route("/{*any}", post(node)).with_state(script);
    let mut servers = JoinSet::new();
    servers.spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, servers)
}

fn chain_at(urls: Vec<Url>) -> EvmChain {
    EvmChain::new(ChainId(8453), RpcClient::new(urls).unwrap(), 1)
}

fn dead_url() -> Url {
    "http://127.0.0.1:1/secret-key".parse().unwrap()
}

#[tokio::test]
async fn what_a_node_says_to_a_broadcast_is_classified_once() {
    let hash = B256::repeat_byte(1);
    let known = ("eth_getTransactionByHash", Reply::Result(json!({ "hash": hash.to_string() })));
    let not_known = ("eth_getTransactionByHash", Reply::Result(Value::Null));
    let send = |reply| ("eth_sendRawTransaction", reply);
    type Check = fn(&Result<(), ChainError>) -> bool;
    type Row = (&'static str, Vec<(&'static str, Reply)>, Check);
    let table: [Row; 9] = [
        ("accepted", vec![send(Reply::Result(json!(hash.to_string())))], |r| r.is_ok()),
        ("already there", vec![send(Reply::Error(-32000, "already known"))], |r| r.is_ok()),
        ("our own nonce", vec![send(Reply::Error(-32003, "nonce too low")), known], |r| r.is_ok()),
        ("another's nonce", vec![send(Reply::Error(-32003, "nonce too low")), not_known], |r| *r == Err(ChainError::NonceTaken)),
        ("no funds", vec![send(Reply::Error(-32000, "insufficient funds for gas"))], |r| matches!(r, Err(ChainError::Refused { .. }))),
        ("internal", vec![send(Reply::Error(-32603, "oops"))], |r| matches!(r, Err(ChainError::Unknown { .. }))),
        ("gateway error", vec![send(Reply::Http(502))], |r| matches!(r, Err(ChainError::Unknown { .. }))),
        ("not json", vec![send(Reply::Garbage)], |r| matches!(r, Err(ChainError::Unknown { .. }))),
        ("revert", vec![send(Reply::Error(3, "execution reverted: no"))], |r| matches!(r, Err(ChainError::Refused { .. }))),
    ];
    for (name, replies, check) in table {
        let (chain, _servers) = chain_of(&replies).await;
        let outcome = chain.broadcast(&[1, 2, 3], hash).await;
        assert!(check(&outcome), "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_dead_node_means_nothing_was_sent_and_its_address_is_not_told() {
    let outcome = chain_at(vec![dead_url()]).broadcast(&[1], B256::ZERO).await;
    let Err(ChainError::Unreachable { reason, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(!reason.contains("secret-key"), "{reason}");
}

#[tokio::test]
async fn reads_fail_over_and_a_broadcast_that_may_have_arrived_stays_unknown() {
    let (good, _servers) = serve(&[("eth_chainId", Reply::Result(json!("0x2105")))]).await;
    assert_eq!(chain_at(vec![dead_url(), good]).id().await.unwrap(), ChainId(8453));

    let (silent, _silent_servers) = serve(&[("eth_sendRawTransaction", Reply::Http(500))]).await;
    let outcome = chain_at(vec![silent, dead_url()]).broadcast(&[1], B256::ZERO).await;
    assert!(matches!(outcome, Err(ChainError::Unknown { .. })), "{outcome:?}");
}

#[tokio::test]
async fn nonsense_from_a_node_is_an_error_and_never_a_number() {
    for answer in [json!(null), json!("x"), json!("0xzz"), json!(5), json!(format!("0x{}", "f".repeat(65)))] {
        let (chain, _servers) = chain_of(&[("eth_getBalance", Reply::Result(answer.clone()))]).await;
        let native = Asset { symbol: "ETH".to_owned(), kind: AssetKind::Native, decimals: 18 };
        let outcome = chain.balance(Address::ZERO, &native).await;
        assert!(matches!(outcome, Err(ChainError::Unreachable { .. })), "{answer}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_token_without_a_contract_is_refused_rather_than_zero() {
    let (chain, _servers) = chain_of(&[("eth_call", Reply::Result(json!("0x")))]).await;
    let token = Asset { symbol: "USDC".to_owned(), kind: AssetKind::Token(Address::repeat_byte(2)), decimals: 6 };
    let outcome = chain.balance(Address::ZERO, &token).await;
    assert!(matches!(&outcome, Err(ChainError::Refused { reason, .. }) if reason.contains("no USDC contract")), "{outcome:?}");
}

#[tokio::test]
async fn a_receipt_counts_from_the_configured_number_of_blocks_on() {
    let receipt = json!({ "status": "0x1", "blockNumber": "0xa", "gasUsed": "0x5208", "effectiveGasPrice": "0x2", "l1Fee": "0x1" });
    let replies = [
        ("eth_getTransactionReceipt", Reply::Result(receipt)),
        ("eth_blockNumber", Reply::Result(json!("0xb"))),
        ("eth_getBlockByNumber", Reply::Result(json!({ "timestamp": "0x65000000" }))),
    ];
    let (url, _servers) = serve(&replies).await;
    let with_confirmations = |count| EvmChain::new(ChainId(1), RpcClient::new(vec![url.clone()]).unwrap(), count);

    let two = with_confirmations(2).receipt(B256::ZERO).await.unwrap().unwrap();
    let three = with_confirmations(3).receipt(B256::ZERO).await.unwrap();

    assert_eq!((two.block_number, two.fee_wei, two.succeeded), (10, U256::from(42001), true));
    assert_eq!(three, None);
}
