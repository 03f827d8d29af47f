use super::*;
use crate::chain::scripted_node::{Reply, ScriptedNode, dead_url};

const BASE: ChainId = ChainId(8453);

fn client(urls: Vec<Url>) -> RpcClient {
    RpcClient::new(urls).unwrap().expecting(BASE)
}

async fn balance(client: &RpcClient) -> Result<Value, RpcFailure> {
    client.request("eth_getBalance", json!([]), |_| true).await
}

fn says(balance: &str) -> [(&'static str, Reply); 1] {
    [("eth_getBalance", Reply::Result(json!(balance)))]
}

/// As if the node had failed an hour long, or an hour ago.
fn pass_over(client: &RpcClient, node: usize) {
    client.nodes[node].health().failed(Instant::now() + Duration::from_secs(3600));
}

fn forgive(client: &RpcClient, node: usize) {
    client.nodes[node].health().answered();
}

#[tokio::test]
async fn reads_go_on_to_the_next_node_and_the_failed_one_is_left_alone() {
    let method = "eth_getBalance";
    let table = [
        ("gateway error", (method, Reply::Http(502))),
        ("rate limit by status", (method, Reply::Http(429))),
        ("rate limit by code", (method, Reply::Error(-32005, "limit exceeded"))),
        ("garbage", (method, Reply::Garbage)),
        ("no such method", (method, Reply::Error(-32601, "the method does not exist"))),
        ("broken inside", (method, Reply::Error(-32603, "oops"))),
        ("state it does not have", (method, Reply::Error(-32000, "missing trie node 1f"))),
        ("no chain id", ("eth_chainId", Reply::Garbage)),
        ("another chain", ("eth_chainId", Reply::Result(json!("0x1")))),
    ];
    for (name, fault) in table {
        let (bad, good) = (ScriptedNode::start(&[fault]).await, ScriptedNode::start(&says("0x7")).await);
        let client = client(vec![bad.url.clone(), good.url.clone()]);

        assert_eq!(balance(&client).await, Ok(json!("0x7")), "{name}");

        pass_over(&client, 0);
        let asked = bad.requests();
        assert_eq!(balance(&client).await, Ok(json!("0x7")), "{name}");
        assert_eq!(bad.requests(), asked, "{name}: it is passed over");
    }
    let good = ScriptedNode::start(&says("0x7")).await;
    assert_eq!(balance(&client(vec![dead_url(), good.url.clone()])).await, Ok(json!("0x7")));
}

#[tokio::test]
async fn a_nodes_own_refusal_is_an_answer_and_no_other_node_is_asked() {
    let first = ScriptedNode::start(&[("eth_getBalance", Reply::Error(-32000, "no"))]).await;
    let second = ScriptedNode::start(&says("0x7")).await;
    let client = client(vec![first.url.clone(), second.url.clone()]);

    assert!(matches!(balance(&client).await, Err(RpcFailure::Answered { code: -32000, .. })));

    assert_eq!(second.requests(), 0);
}

#[tokio::test]
async fn a_node_of_another_chain_is_asked_for_its_chain_and_nothing_else() {
    let stranger =
        ScriptedNode::start(&[("eth_chainId", Reply::Result(json!("0x1"))), ("eth_getBalance", Reply::Result(json!("0x9")))]).await;
    let alone = client(vec![stranger.url.clone()]);

    let failure = balance(&alone).await.unwrap_err();

    assert!(matches!(&failure, RpcFailure::NotSent(reason) if reason.contains("serves chain 1")), "{failure:?}");
    assert!(stranger.asked("eth_getBalance").is_empty());
    assert_eq!(alone.chain_id().await, Ok(ChainId(1)), "what it is can be told");
    let ours = ScriptedNode::start(&says("0x7")).await;
    let both = client(vec![stranger.url.clone(), ours.url.clone()]);
    assert_eq!(both.chain_id().await, Ok(BASE), "one node of the right chain is enough");
}

#[tokio::test]
async fn the_chain_is_asked_for_once_and_again_after_the_node_was_down() {
    let node = ScriptedNode::start(&says("0x7")).await;
    let client = client(vec![node.url.clone()]);
    for _ in 0..3 {
        balance(&client).await.unwrap();
    }
    assert_eq!(client.chain_id().await, Ok(BASE));
    assert_eq!(node.asked("eth_chainId").len(), 1);

    node.say("eth_getBalance", Reply::Http(503));
    balance(&client).await.unwrap_err();
    // Another node comes up at the same address.
    node.say("eth_getBalance", Reply::Result(json!("0x9")));
    node.say("eth_chainId", Reply::Result(json!("0x1")));
    forgive(&client, 0);

    assert!(balance(&client).await.is_err(), "an answer of another chain is never used");
    assert_eq!(client.chain_id().await, Ok(ChainId(1)));
}

#[tokio::test]
async fn when_every_node_is_passed_over_they_are_asked_all_the_same() {
    let (first, second) = (ScriptedNode::start(&says("0x1")).await, ScriptedNode::start(&says("0x2")).await);
    let client = client(vec![first.url.clone(), second.url.clone()]);
    pass_over(&client, 0);
    pass_over(&client, 0);
    pass_over(&client, 1);

    assert_eq!(balance(&client).await, Ok(json!("0x2")), "the one that is back sooner");

    assert_eq!(first.requests(), 0);
    assert_eq!(balance(&client).await, Ok(json!("0x2")), "it answered, so it is back");
}

#[tokio::test]
async fn reasons_and_logs_never_hold_a_nodes_address() {
    let failure = balance(&client(vec![dead_url()])).await.unwrap_err();
    assert!(!failure.reason().contains("secret-key"), "{failure:?}");
    assert_eq!(balance(&client(Vec::new())).await, Err(no_node()));
}
