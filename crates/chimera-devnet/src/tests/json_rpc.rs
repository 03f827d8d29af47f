use super::*;

#[test]
fn requests_that_are_not_json_rpc_are_refused_by_code() {
    let devnet = open();
    let cases = [
        (json!(null), -32600, json!(null)),
        (json!(7), -32600, json!(null)),
        (json!("eth_chainId"), -32600, json!(null)),
        (json!({}), -32600, json!(null)),
        (json!([]), -32600, json!(null)),
        (json!({ "id": 1, "method": "eth_chainId" }), -32600, json!(1)),
        (json!({ "jsonrpc": "1.0", "id": 1, "method": "eth_chainId" }), -32600, json!(1)),
        (json!({ "jsonrpc": "2.0", "id": 1 }), -32600, json!(1)),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": 5 }), -32600, json!(1)),
        (json!({ "jsonrpc": "2.0", "id": [], "method": "eth_chainId" }), -32600, json!(null)),
        (json!({ "jsonrpc": "2.0", "id": "a", "method": "eth_chainId", "params": {} }), -32602, json!("a")),
        (json!({ "jsonrpc": "2.0", "id": "a", "method": "eth_chainId", "params": 1 }), -32602, json!("a")),
        (json!({ "jsonrpc": "2.0", "id": 2, "method": "eth_sign", "params": [] }), -32601, json!(2)),
        (json!({ "jsonrpc": "2.0", "id": 2, "method": "" }), -32601, json!(2)),
        (json!({ "jsonrpc": "2.0", "id": 2, "method": "devnet_\u{0}\u{202e}" }), -32601, json!(2)),
    ];
    for (request, code, id) in cases {
        let answer = devnet.rpc(request.clone());
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{request}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
}

fn assert_invalid_params(cases: &[(&str, Value)]) {
    let devnet = open();
    for (method, params) in cases {
        let (code, message) = error(&devnet, method, params.clone());
        assert_eq!(code, -32602, "{method} {params}: {message}");
    }
    assert_eq!((block_number(&devnet), balance(&devnet, SHOP)), (0, 0));
}

#[test]
fn malformed_addresses_hashes_and_block_tags_are_refused() {
    let who = SHOP.to_string();
    let hash = format!("0x{}", "00".repeat(32));
    assert_invalid_params(&[
        ("eth_getBalance", json!([])),
        ("eth_getBalance", json!([null])),
        ("eth_getBalance", json!([5])),
        ("eth_getBalance", json!(["0x1234"])),
        ("eth_getBalance", json!([who.trim_start_matches("0x")])),
        ("eth_getBalance", json!([format!("{who}00")])),
        ("eth_getBalance", json!([who.replace("51A9", "51Ag")])),
        ("eth_getBalance", json!([who, "newest"])),
        ("eth_getBalance", json!([who, true])),
        ("eth_getBalance", json!([who, {}])),
        ("eth_getBalance", json!([who, { "blockHash": "0x12" }])),
        ("eth_getBalance", json!([who, "latest", "more"])),
        ("eth_getTransactionReceipt", json!(["0x12"])),
        ("eth_getBlockByNumber", json!(["0x"])),
        ("eth_getBlockByNumber", json!(["0x1_0", false])),
        ("eth_getBlockByNumber", json!([format!("0x1{}", "0".repeat(16)), false])),
        ("eth_getBlockByNumber", json!(["latest", "yes"])),
        ("eth_getBlockByHash", json!([hash, 1])),
        ("eth_sendRawTransaction", json!(["0x123"])),
        ("eth_sendRawTransaction", json!(["zz"])),
    ]);
}

#[test]
fn malformed_calls_filters_and_amounts_are_refused() {
    let who = SHOP.to_string();
    let hash = format!("0x{}", "00".repeat(32));
    assert_invalid_params(&[
        ("eth_call", json!([])),
        ("eth_call", json!(["0x"])),
        ("eth_call", json!([{ "to": "0x1" }])),
        ("eth_call", json!([{ "value": "-0x1" }])),
        ("eth_call", json!([{ "value": format!("0x1{}", "0".repeat(64)) }])),
        ("eth_call", json!([{ "gas": format!("0x1{}", "0".repeat(16)) }])),
        ("eth_call", json!([{ "data": "0x01", "input": "0x02" }])),
        ("eth_call", json!([{ "gasPrice": "0x1", "maxFeePerGas": "0x1" }])),
        ("eth_call", json!([{ "chainId": "0x1" }])),
        ("eth_call", json!([{ "accessList": [{ "address": who }] }])),
        ("eth_call", json!([{ "authorizationList": [{}] }])),
        ("eth_call", json!([{ "to": who }, "latest", { who.as_str(): { "balance": "0x1" } }])),
        ("eth_getStorageAt", json!([who])),
        ("eth_getLogs", json!([])),
        ("eth_getLogs", json!([{ "address": "0x1" }])),
        ("eth_getLogs", json!([{ "topics": "0x1" }])),
        ("eth_getLogs", json!([{ "topics": [null, null, null, null, null] }])),
        ("eth_getLogs", json!([{ "blockHash": hash, "fromBlock": "0x0" }])),
        ("eth_getLogs", json!([{ "fromBlock": "0x5", "toBlock": "0x2" }])),
        ("eth_feeHistory", json!(["0x1", "latest", [101]])),
        ("eth_feeHistory", json!(["0x1", "latest", [50, 10]])),
        ("eth_feeHistory", json!(["0x1", "latest", ["a"]])),
        ("eth_blockNumber", json!([1])),
        ("devnet_fund", json!([who])),
        ("devnet_fund", json!([who, "12"])),
        ("devnet_fund", json!([who, -5])),
        ("devnet_fund", json!([who, 1.5])),
        ("devnet_mine", json!([2])),
    ]);
}

#[test]
fn a_batch_is_answered_in_order_and_one_failure_spares_the_rest() {
    let devnet = open();

    let answers = devnet.rpc(json!([
        { "jsonrpc": "2.0", "id": 1, "method": "eth_chainId" },
        { "jsonrpc": "2.0", "method": "devnet_mine" },
        { "jsonrpc": "2.0", "id": "b", "method": "eth_nothing" },
        5,
        { "jsonrpc": "2.0", "id": null, "method": "eth_blockNumber" },
    ]));

    assert_eq!(answers[0], json!({ "jsonrpc": "2.0", "id": 1, "result": "0x7a69" }));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!("b"), &json!(-32601)));
    assert_eq!(answers[2]["error"]["code"], -32600);
    assert_eq!(answers[3], json!({ "jsonrpc": "2.0", "id": null, "result": "0x1" }));
    assert_eq!(answers.as_array().unwrap().len(), 4, "the notification is carried out and not answered");
}

#[test]
fn a_batch_above_the_limit_is_refused_whole() {
    let devnet = open();
    let mine = json!({ "jsonrpc": "2.0", "id": 1, "method": "devnet_mine" });

    let answer = devnet.rpc(Value::Array(vec![mine; crate::rpc::BATCH_MAX + 1]));

    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(block_number(&devnet), 0);
}

#[test]
fn notifications_are_carried_out_without_an_answer() {
    let devnet = open();
    let mine = json!({ "jsonrpc": "2.0", "method": "devnet_mine" });

    assert_eq!(devnet.rpc(mine.clone()), Value::Null);
    assert_eq!(devnet.rpc(json!([mine])), Value::Null);

    assert_eq!(block_number(&devnet), 2);
}

#[test]
fn the_node_says_what_it_is() {
    let devnet = open();
    let version = concat!("chimera-devnet/", env!("CARGO_PKG_VERSION"));

    for (method, expected) in [
        ("eth_chainId", json!("0x7a69")),
        ("net_version", json!("31337")),
        ("web3_clientVersion", json!(version)),
        ("eth_syncing", json!(false)),
        ("eth_accounts", json!([])),
        ("eth_blockNumber", json!("0x0")),
        ("eth_maxPriorityFeePerGas", json!("0xf4240")),
    ] {
        assert_eq!(result(&devnet, method, json!([])), expected, "{method}");
    }
}

#[test]
fn state_of_an_older_block_is_refused_rather_than_answered_wrongly() {
    let devnet = open();
    devnet.mine().unwrap();
    let genesis_hash = result(&devnet, "eth_getBlockByNumber", json!(["0x0", false]))["hash"].clone();
    let latest_hash = result(&devnet, "eth_getBlockByNumber", json!(["0x1", false]))["hash"].clone();
    let who = SHOP.to_string();
    let old = "state of block 0 is not kept: this chain answers for the latest block, 1, only";

    for tag in [json!("0x0"), json!("earliest"), json!({ "blockNumber": "0x0" }), json!({ "blockHash": genesis_hash })] {
        for (method, params) in [
            ("eth_getBalance", json!([who, tag])),
            ("eth_getTransactionCount", json!([who, tag])),
            ("eth_getCode", json!([who, tag])),
            ("eth_getStorageAt", json!([who, "0x0", tag])),
            ("eth_call", json!([{ "to": who }, tag])),
            ("eth_estimateGas", json!([{ "to": who }, tag])),
        ] {
            assert_eq!(error(&devnet, method, params), (-32000, old.to_owned()), "{method} {tag}");
        }
    }
    for tag in [json!("0x1"), json!("latest"), json!("pending"), json!("safe"), json!({ "blockHash": latest_hash })] {
        assert_eq!(result(&devnet, "eth_getBalance", json!([who, tag])), "0x0", "{tag}");
    }
    assert_eq!(error(&devnet, "eth_getBalance", json!([who, "0x9"])), (-32000, "header not found".to_owned()));
}

#[test]
fn logs_are_found_by_address_topics_and_range() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    devnet.mint_usdc(payer.address(), U256::from(10)).unwrap();
    for (nonce, to) in [(0, SHOP), (1, Address::repeat_byte(7))] {
        let data = calldata([0xa9, 0x05, 0x9c, 0xbb], &[word(to), U256::from(1)]);
        send(&devnet, &payer.call(nonce, devnet.usdc(), data));
    }
    let usdc = devnet.usdc().to_string();
    let (from, shop) = (payer.address().into_word().to_string(), SHOP.into_word().to_string());
    let seven = Address::repeat_byte(7).into_word().to_string();

    for (filter, count) in [
        (json!({}), 1),
        (json!({ "fromBlock": "earliest" }), 2),
        (json!({ "fromBlock": "0x1", "toBlock": "0x1" }), 1),
        (json!({ "fromBlock": "0x0", "toBlock": "0xffff" }), 2),
        (json!({ "fromBlock": "0x99" }), 0),
        (json!({ "fromBlock": "0x0", "address": usdc }), 2),
        (json!({ "fromBlock": "0x0", "address": [SHOP.to_string(), usdc] }), 2),
        (json!({ "fromBlock": "0x0", "address": SHOP.to_string() }), 0),
        (json!({ "fromBlock": "0x0", "topics": [null, from] }), 2),
        (json!({ "fromBlock": "0x0", "topics": [null, null, shop] }), 1),
        (json!({ "fromBlock": "0x0", "topics": [null, null, [shop, seven]] }), 2),
        (json!({ "fromBlock": "0x0", "topics": [null, shop] }), 0),
        (json!({ "fromBlock": "0x0", "topics": [null, null, null, null] }), 0),
    ] {
        let found = result(&devnet, "eth_getLogs", json!([filter]));
        assert_eq!(found.as_array().unwrap().len(), count, "{filter}");
    }
}
