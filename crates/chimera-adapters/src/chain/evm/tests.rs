use super::*;
use crate::chain::{
    node::LIST_MAX,
    scripted_node::{Reply, ScriptedNode, dead_url},
};
use chimera_core::testing::fake_chain::always_allowed;
use url::Url;

const HASH: B256 = B256::repeat_byte(1);

async fn chain_of(replies: &[(&'static str, Reply)]) -> (EvmChain, ScriptedNode) {
    let node = ScriptedNode::start(replies).await;
    (chain_at(vec![node.url.clone()]), node)
}

fn chain_at(urls: Vec<Url>) -> EvmChain {
    EvmChain::new(ChainId(8453), RpcClient::new(urls).unwrap(), 1)
}

fn send(reply: Reply) -> (&'static str, Reply) {
    ("eth_sendRawTransaction", reply)
}

fn result(value: Value) -> Reply {
    Reply::Result(value)
}

/// What a verdict is, without its words.
fn kind(outcome: &Result<(), ChainError>) -> &'static str {
    match outcome {
        Ok(()) => "accepted",
        Err(ChainError::Unreachable { .. }) => "unreachable",
        Err(ChainError::Refused { .. }) => "refused",
        Err(ChainError::Reverted { .. }) => "reverted",
        Err(ChainError::Unknown { .. }) => "unknown",
        Err(ChainError::NonceTaken) => "nonce taken",
    }
}

#[tokio::test]
async fn what_a_node_says_to_a_broadcast_is_classified_once() {
    let known = ("eth_getTransactionByHash", result(json!({ "hash": HASH.to_string() })));
    let not_known = ("eth_getTransactionByHash", result(Value::Null));
    let not_told = ("eth_getTransactionByHash", Reply::Http(500));
    let too_low = send(Reply::Error(-32003, "nonce too low"));
    let table = [
        ("taken", vec![send(result(json!(HASH.to_string())))], "accepted"),
        ("already there", vec![send(Reply::Error(-32000, "already known"))], "accepted"),
        ("our own nonce", vec![too_low.clone(), known], "accepted"),
        ("another's nonce", vec![too_low.clone(), not_known], "nonce taken"),
        ("nobody knows whose nonce", vec![too_low, not_told], "unknown"),
        ("no funds", vec![send(Reply::Error(-32000, "insufficient funds for gas"))], "refused"),
        ("a full pool", vec![send(Reply::Error(-32000, "txpool is full"))], "unreachable"),
        ("internal", vec![send(Reply::Error(-32603, "oops"))], "unknown"),
        ("a limit", vec![send(Reply::Error(-32005, "limit exceeded"))], "unknown"),
        ("too many requests", vec![send(Reply::Http(429))], "unknown"),
        ("gateway error", vec![send(Reply::Http(502))], "unknown"),
        ("not json", vec![send(Reply::Garbage)], "unknown"),
        ("revert", vec![send(Reply::Error(3, "execution reverted: no"))], "refused"),
        ("another chain", vec![("eth_chainId", result(json!("0x1"))), send(result(json!("0x")))], "unreachable"),
    ];
    for (name, replies, expected) in table {
        let (chain, _node) = chain_of(&replies).await;
        let outcome = chain.broadcast(&[1, 2, 3], HASH, always_allowed()).await;
        assert_eq!(kind(&outcome), expected, "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_dead_node_means_nothing_was_sent_and_its_address_is_not_told() {
    let outcome = chain_at(vec![dead_url()]).broadcast(&[1], B256::ZERO, always_allowed()).await;
    let Err(ChainError::Unreachable { reason, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(!reason.contains("secret-key"), "{reason}");
}

#[tokio::test]
async fn what_several_nodes_say_to_a_broadcast_comes_to_one_verdict() {
    let taken = || send(result(json!("0x1")));
    let silent = || send(Reply::Http(500));
    let refused = || send(Reply::Error(-32000, "insufficient funds"));
    let too_low = || send(Reply::Error(-32000, "nonce too low"));
    let strange = || ("eth_chainId", result(json!("0x1")));
    let table = [
        ("the first takes it", taken(), refused(), "accepted", 0),
        ("the second takes it", silent(), taken(), "accepted", 1),
        ("a refusal is not the last word", refused(), taken(), "accepted", 1),
        ("a stranger is passed over", strange(), taken(), "accepted", 1),
        ("it may have arrived", silent(), refused(), "unknown", 1),
        ("it may have arrived, the other way", refused(), silent(), "unknown", 1),
        ("it may have arrived, nonce or no", silent(), too_low(), "unknown", 1),
        ("both refuse", refused(), refused(), "refused", 1),
        ("a stranger takes nothing from a refusal", refused(), strange(), "refused", 0),
        ("nor before it", strange(), refused(), "refused", 1),
        ("no node is ours", strange(), strange(), "unreachable", 0),
    ];
    for (name, first, second, expected, sent_to_second) in table {
        let not_known = ("eth_getTransactionByHash", result(Value::Null));
        let (one, two) = (ScriptedNode::start(&[first, not_known.clone()]).await, ScriptedNode::start(&[second, not_known]).await);
        let outcome = chain_at(vec![one.url.clone(), two.url.clone()]).broadcast(&[0xab, 0xcd], HASH, always_allowed()).await;
        assert_eq!(kind(&outcome), expected, "{name}: {outcome:?}");
        assert_eq!(two.asked("eth_sendRawTransaction").len(), sent_to_second, "{name}");
        for node in [one, two] {
            assert!(node.asked("eth_sendRawTransaction").iter().all(|sent| *sent == json!(["0xabcd"])), "{name}: always the same bytes");
        }
    }
}

/// Given so often, and then no more.
struct LeaveFor(std::sync::atomic::AtomicI64);

#[async_trait]
impl SendPermit for LeaveFor {
    async fn may_send(&self) -> bool {
        self.0.fetch_sub(1, Ordering::SeqCst) > 0
    }
}

#[tokio::test]
async fn leave_is_asked_for_before_every_single_node_and_without_it_nothing_goes_out() {
    for (leave, expected) in [(0, [0, 0]), (1, [1, 0]), (2, [1, 1])] {
        let silent = || send(Reply::Http(500));
        let (one, two) = (ScriptedNode::start(&[silent()]).await, ScriptedNode::start(&[silent()]).await);
        let chain = chain_at(vec![one.url.clone(), two.url.clone()]);

        let outcome = chain.broadcast(&[0xab], HASH, Arc::new(LeaveFor(leave.into()))).await;

        let sent = [&one, &two].map(|node| node.asked("eth_sendRawTransaction").len());
        assert_eq!(sent, expected, "leave for {leave}: {outcome:?}");
        assert_eq!(kind(&outcome), if leave == 0 { "unreachable" } else { "unknown" });
    }
}

#[tokio::test]
async fn only_a_transfer_event_says_that_a_token_moved() {
    let word = |address: u8| format!("0x{:0>64}", alloy_primitives::hex::encode([address; 20]));
    let transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    let approval = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
    let log = |topics: Value| json!({ "address": Address::repeat_byte(9).to_string(), "topics": topics, "data": format!("{:#066x}", 500) });
    let logs = json!([
        log(json!([approval, word(1), word(2)])),
        log(json!([transfer, word(1)])),
        log(json!([transfer, word(1), word(2)])),
        "nonsense",
    ]);
    let receipt = json!({ "status": "0x1", "blockNumber": "0xa", "gasUsed": "0x1", "effectiveGasPrice": "0x2", "logs": logs });
    let block = ("eth_getBlockByNumber", result(json!({ "timestamp": "0x65000000" })));
    let (chain, _node) = chain_of(&[("eth_getTransactionReceipt", result(receipt)), block]).await;

    let movements = chain.receipt(HASH).await.unwrap().unwrap().token_movements;

    let [moved] = movements.as_slice() else { panic!("{movements:?}") };
    assert_eq!((moved.token, moved.from, moved.to), (Address::repeat_byte(9), Address::repeat_byte(1), Address::repeat_byte(2)));
    assert_eq!(moved.units, U256::from(500));
}

#[tokio::test]
async fn a_lagging_node_hides_no_receipt_and_frees_no_nonce() {
    let receipt = json!({ "status": "0x1", "blockNumber": "0xa", "gasUsed": "0x1", "effectiveGasPrice": "0x2" });
    let block = ("eth_getBlockByNumber", result(json!({ "timestamp": "0x65000000" })));
    let no_block = ("eth_getBlockByNumber", result(Value::Null));
    let count = |number: &str| ("eth_getTransactionCount", result(json!(number)));
    let behind = ScriptedNode::start(&[("eth_getTransactionReceipt", result(Value::Null)), no_block, count("0x5")]).await;
    let ahead = ScriptedNode::start(&[("eth_getTransactionReceipt", result(receipt)), block, count("0x6")]).await;
    for urls in [vec![behind.url.clone(), ahead.url.clone()], vec![ahead.url.clone(), behind.url.clone()]] {
        let chain = chain_at(urls);
        assert_eq!(chain.receipt(HASH).await.unwrap().unwrap().block_number, 10);
        assert_eq!(chain.confirmed_nonce(Address::ZERO).await, Ok(5), "used for good only where every node says so");
    }
    let alone = chain_at(vec![behind.url.clone(), dead_url()]);
    assert_eq!(alone.receipt(HASH).await, Ok(None), "not yet known");
    assert_eq!(alone.confirmed_nonce(Address::ZERO).await, Ok(5));
    assert!(matches!(chain_at(vec![dead_url()]).confirmed_nonce(Address::ZERO).await, Err(ChainError::Unreachable { .. })));
}

#[tokio::test]
async fn a_nonce_that_one_node_calls_too_low_is_looked_up_there() {
    let known = ("eth_getTransactionByHash", result(json!({ "hash": HASH.to_string() })));
    let behind = ScriptedNode::start(&[send(Reply::Http(500)), ("eth_getTransactionByHash", result(Value::Null))]).await;
    let ahead = ScriptedNode::start(&[send(Reply::Error(-32000, "nonce too low")), known]).await;

    let outcome = chain_at(vec![behind.url.clone(), ahead.url.clone()]).broadcast(&[1], HASH, always_allowed()).await;

    assert_eq!(outcome, Ok(()), "it is ours, whatever the node says that lags");
}

#[tokio::test]
async fn an_answer_that_is_no_number_is_asked_of_the_next_node() {
    let odd = ScriptedNode::start(&[("eth_getBalance", result(json!("x")))]).await;
    let good = ScriptedNode::start(&[("eth_getBalance", result(json!("0x7")))]).await;
    let chain = chain_at(vec![odd.url.clone(), good.url.clone()]);
    assert_eq!(chain.balance(Address::ZERO, &Asset::native("ETH")).await, Ok(U256::from(7)));
}

fn preparing(oracle: Reply) -> Vec<(&'static str, Reply)> {
    vec![
        ("eth_estimateGas", result(json!("0x5208"))),
        ("eth_getBlockByNumber", result(json!({ "baseFeePerGas": "0xa" }))),
        ("eth_maxPriorityFeePerGas", result(json!("0x1"))),
        ("eth_getTransactionCount", result(json!("0x3"))),
        ("eth_call", oracle),
    ]
}

#[tokio::test]
async fn a_rollups_data_fee_is_bounded_before_anything_is_signed() {
    let call = Call { to: Address::repeat_byte(2), value_wei: U256::ZERO, data: vec![0; 68] };
    let (chain, node) = chain_of(&preparing(result(json!(format!("{:#066x}", 1000))))).await;

    let prepared = chain.prepare(Address::repeat_byte(1), &call).await.unwrap();

    let expected = Prepared {
        next_nonce: 3,
        gas_limit: 25_200,
        max_fee_per_gas_wei: 21,
        max_priority_fee_per_gas_wei: 1,
        l1_fee_max_wei: U256::from(2000),
    };
    assert_eq!(prepared, expected);
    let asked = &node.asked("eth_call")[0][0];
    assert_eq!(asked["to"], "0x420000000000000000000000000000000000000F");
    assert_eq!(asked["data"], format!("0xf1c7a58b{:064x}", 68 + 128));
}

#[tokio::test]
async fn a_chain_without_the_oracle_has_no_data_fee_and_is_asked_once() {
    let call = Call { to: Address::repeat_byte(2), value_wei: U256::ZERO, data: Vec::new() };
    let (chain, node) = chain_of(&preparing(result(json!("0x")))).await;
    for _ in 0..3 {
        assert_eq!(chain.prepare(Address::repeat_byte(1), &call).await.unwrap().l1_fee_max_wei, U256::ZERO);
    }
    assert_eq!(node.asked("eth_call").len(), 1);
}

#[tokio::test]
async fn a_data_fee_without_a_bound_and_a_revert_stop_the_preparation() {
    let call = Call { to: Address::repeat_byte(2), value_wei: U256::ZERO, data: Vec::new() };
    for (oracle, expected) in [
        (Reply::Error(3, "execution reverted"), "refused"),
        (result(json!("0x01")), "unreachable"),
        (result(json!(format!("0x{}", "f".repeat(64)))), "unreachable"),
        (Reply::Http(500), "unreachable"),
    ] {
        let (chain, _node) = chain_of(&preparing(oracle)).await;
        let outcome = chain.prepare(Address::repeat_byte(1), &call).await.map(|_| ());
        assert_eq!(kind(&outcome), expected, "{outcome:?}");
    }
    let (chain, node) = chain_of(&preparing(Reply::Http(500))).await;
    node.say("eth_estimateGas", Reply::Error(3, "execution reverted: no"));
    let outcome = chain.prepare(Address::repeat_byte(1), &call).await;
    assert_eq!(
        outcome,
        Err(ChainError::Reverted { reason: "execution reverted: no".to_owned() }),
        "the revert is told, whatever else fails"
    );
}

#[tokio::test]
async fn nonsense_from_a_node_is_an_error_and_never_a_number() {
    for answer in [json!(null), json!("x"), json!("0xzz"), json!(5), json!(format!("0x{}", "f".repeat(65)))] {
        let (chain, _node) = chain_of(&[("eth_getBalance", Reply::Result(answer.clone()))]).await;
        let native = Asset { symbol: "ETH".to_owned(), kind: AssetKind::Native, decimals: 18 };
        let outcome = chain.balance(Address::ZERO, &native).await;
        assert!(matches!(outcome, Err(ChainError::Unreachable { .. })), "{answer}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_token_without_a_contract_is_refused_rather_than_zero() {
    let (chain, _node) = chain_of(&[("eth_call", Reply::Result(json!("0x")))]).await;
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
    let node = ScriptedNode::start(&replies).await;
    let with_confirmations = |count| EvmChain::new(ChainId(8453), RpcClient::new(vec![node.url.clone()]).unwrap(), count);

    let two = with_confirmations(2).receipt(B256::ZERO).await.unwrap().unwrap();
    let three = with_confirmations(3).receipt(B256::ZERO).await.unwrap();

    assert_eq!((two.block_number, two.fee_wei, two.succeeded), (10, U256::from(42001), true));
    assert_eq!(three, None);
}

#[tokio::test]
async fn transfers_made_at_once_share_one_look_at_the_fees() {
    let call = Call { to: Address::repeat_byte(2), value_wei: U256::ZERO, data: Vec::new() };
    let (chain, node) = chain_of(&preparing(result(json!("0x")))).await;
    let prepare = || chain.prepare(Address::repeat_byte(1), &call);

    let prepared = futures::future::join_all((0..8).map(|_| prepare())).await;

    assert!(prepared.iter().all(|prepared| prepared.as_ref().is_ok_and(|prepared| prepared.max_fee_per_gas_wei == 21)), "{prepared:?}");
    assert_eq!(node.asked("eth_maxPriorityFeePerGas").len(), 1);
    assert_eq!(node.asked("eth_estimateGas").len(), 2, "the first, and one for all who came while it was under way");

    node.say("eth_getBlockByNumber", result(json!({ "baseFeePerGas": "0x14" })));
    if let Some((asked_at, _)) = chain.fees.lock().await.as_mut() {
        *asked_at -= FEES_SHARED_FOR;
    }
    assert_eq!(prepare().await.unwrap().max_fee_per_gas_wei, 41, "no older than that");
}

#[tokio::test]
async fn a_failed_look_at_the_fees_is_not_shared() {
    let call = Call { to: Address::repeat_byte(2), value_wei: U256::ZERO, data: Vec::new() };
    let (chain, node) = chain_of(&preparing(result(json!("0x")))).await;
    node.say("eth_maxPriorityFeePerGas", result(json!("0x1ffffffffffffffffffffffffffffffffffff")));
    chain.prepare(Address::repeat_byte(1), &call).await.unwrap_err();
    node.say("eth_maxPriorityFeePerGas", result(json!("0x1")));
    assert_eq!(chain.prepare(Address::repeat_byte(1), &call).await.unwrap().max_fee_per_gas_wei, 21);
}

#[tokio::test]
async fn a_blocks_time_is_asked_for_once_and_again_when_another_block_takes_its_number() {
    let receipt = |block_hash: B256| {
        let block_hash = block_hash.to_string();
        json!({ "status": "0x1", "blockNumber": "0xa", "blockHash": block_hash, "gasUsed": "0x1", "effectiveGasPrice": "0x2" })
    };
    let block = |hash: B256, seconds: u64| result(json!({ "hash": hash.to_string(), "timestamp": format!("{seconds:#x}") }));
    let (first, second) = (B256::repeat_byte(7), B256::repeat_byte(8));
    let replies = [("eth_getTransactionReceipt", result(receipt(first))), ("eth_getBlockByNumber", block(first, 1_700_000_000))];
    let (chain, node) = chain_of(&replies).await;
    let time = || async { chain.receipt(HASH).await.unwrap().unwrap().block_time.timestamp() };

    assert_eq!((time().await, time().await), (1_700_000_000, 1_700_000_000));
    assert_eq!(node.asked("eth_getBlockByNumber").len(), 1);

    node.say("eth_getTransactionReceipt", result(receipt(second)));
    node.say("eth_getBlockByNumber", block(second, 1_700_000_012));
    assert_eq!(time().await, 1_700_000_012);
}

#[tokio::test]
async fn a_blocks_time_that_stands_in_the_receipt_is_not_asked_for() {
    for told in [json!("0x6553f100"), json!(1_700_000_000)] {
        let receipt =
            json!({ "status": "0x1", "blockNumber": "0xa", "gasUsed": "0x1", "effectiveGasPrice": "0x2", "blockTimestamp": told });
        let (chain, node) = chain_of(&[("eth_getTransactionReceipt", result(receipt))]).await;

        assert_eq!(chain.receipt(HASH).await.unwrap().unwrap().block_time.timestamp(), 1_700_000_000);
        assert!(node.asked("eth_getBlockByNumber").is_empty());
    }
}

#[tokio::test]
async fn those_who_ask_for_one_balance_at_the_same_time_share_the_answer() {
    let (chain, node) = chain_of(&[("eth_getBalance", result(json!("0x7")))]).await;
    let owner = Address::repeat_byte(1);

    let native = Asset::native("ETH");
    let asking = (0..40).map(|_| chain.balance(owner, &native));
    let told = futures::future::join_all(asking).await;

    assert!(told.iter().all(|told| *told == Ok(U256::from(7))), "{told:?}");
    assert_eq!(node.asked("eth_getBalance").len(), 2, "the first, and one for all who came while it was under way");
    chain.balance(owner, &native).await.unwrap();
    assert_eq!(node.asked("eth_getBalance").len(), 3, "a later one hears nothing old");
}

#[tokio::test]
async fn what_is_asked_for_at_the_same_time_goes_out_in_few_requests_and_each_has_its_own_answer() {
    let receipt = result(json!({ "blockNumber": "0xa" }));
    let (chain, node) = chain_of(&[("eth_getTransactionReceipt", receipt), send(result(json!("0x1")))]).await;
    let hashes: Vec<B256> = (0..=255).map(B256::repeat_byte).collect();

    assert_eq!(chain.blocks_of(&hashes).await, Ok(vec![Some(10); 256]));

    let asked = node.asked("eth_getTransactionReceipt");
    assert!(asked.len() == 256 && hashes.iter().all(|hash| asked.contains(&json!([hash.to_string()]))));
    let lists = node.asked("list");
    assert!(lists.len() <= 12 && lists.iter().all(|length| length.as_u64() <= Some(LIST_MAX as u64)), "{lists:?}");

    node.say("eth_sendRawTransaction", Reply::Error(-32000, "insufficient funds"));
    let sent = futures::future::join_all((0..40).map(|byte| broadcast(&chain, byte))).await;
    assert!(sent.iter().all(|sent| kind(sent) == "refused"), "{sent:?}");
    node.say("eth_sendRawTransaction", Reply::Garbage);
    let sent = futures::future::join_all((0..40).map(|byte| broadcast(&chain, byte))).await;
    assert!(sent.iter().all(|sent| kind(sent) == "unknown"), "left out of the answer, it may have arrived: {sent:?}");
}

async fn broadcast(chain: &EvmChain, byte: u8) -> Result<(), ChainError> {
    chain.broadcast(&[byte], HASH, always_allowed()).await
}

#[tokio::test]
async fn a_node_that_takes_no_lists_is_asked_one_by_one_from_then_on() {
    let (chain, node) = chain_of(&[("eth_getTransactionReceipt", result(json!({ "blockNumber": "0xa" })))]).await;
    node.say("list", Reply::Error(-32600, "batch requests are not supported"));
    let hashes: Vec<B256> = (0..100).map(B256::repeat_byte).collect();

    for _ in 0..2 {
        assert_eq!(chain.blocks_of(&hashes).await, Ok(vec![Some(10); 100]));
    }

    assert!(node.asked("list").len() <= 2, "{:?}", node.asked("list"));
}
