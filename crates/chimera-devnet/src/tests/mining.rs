use super::*;

#[test]
fn a_transfer_is_mined_at_once_and_paid_for() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);

    let tx_hash = send(&devnet, &payer.transfer(0, 7));

    let receipt = receipt(&devnet, &tx_hash);
    let fee_wei = number(&receipt["gasUsed"]) * number(&receipt["effectiveGasPrice"]);
    assert_eq!(receipt["status"], "0x1");
    assert_eq!(number(&receipt["gasUsed"]), 21_000);
    assert_eq!((block_number(&devnet), balance(&devnet, SHOP)), (1, 7));
    assert_eq!(balance(&devnet, payer.address()), 10 * ETHER - 7 - fee_wei);
    assert_eq!(nonce(&devnet, payer.address(), "latest"), 1);
}

#[test]
fn legacy_access_list_and_dynamic_fee_transactions_all_run() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    let raws = [payer.sign(legacy(0)), payer.sign(with_access_list(1)), payer.sign(dynamic(2))];

    for (kind, raw) in raws.iter().enumerate() {
        let tx_hash = send(&devnet, raw);
        let transaction = result(&devnet, "eth_getTransactionByHash", json!([tx_hash]));
        assert_eq!(number(&transaction["type"]), kind as u128);
        assert_eq!(transaction["from"], payer.address().to_string());
        assert_eq!(transaction["hash"], tx_hash);
        assert_eq!(receipt(&devnet, &tx_hash)["type"], transaction["type"]);
        let carries_parity = transaction.get("yParity").is_some();
        assert_eq!(carries_parity, kind > 0, "{transaction}");
    }
}

#[test]
fn a_contract_is_created_at_the_address_in_its_receipt() {
    let devnet = open();
    let author = Signer::with_ether(1, &devnet);
    // Stores and returns ten bytes of code that answer 42.
    let init_code = hex::decode("600a600c600039600a6000f3602a60005260206000f3").unwrap();
    let create = TxEip1559 { to: TxKind::Create, input: init_code.into(), gas_limit: 100_000, ..dynamic(0) };

    let tx_hash = send(&devnet, &author.sign(create));

    let receipt = receipt(&devnet, &tx_hash);
    assert_eq!(receipt["to"], Value::Null);
    let contract = receipt["contractAddress"].as_str().unwrap();
    assert_eq!(result(&devnet, "eth_getCode", json!([contract])), "0x602a60005260206000f3");
    assert_eq!(number(&result(&devnet, "eth_call", json!([{ "to": contract }]))), 42);
}

#[test]
fn blocks_hold_their_transactions_and_time_only_goes_forward() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    let tx_hash = send(&devnet, &payer.transfer(0, 1));
    send(&devnet, &payer.transfer(1, 1));

    let first = result(&devnet, "eth_getBlockByNumber", json!(["0x1", false]));
    let second = result(&devnet, "eth_getBlockByNumber", json!(["latest", true]));

    assert_eq!(first["transactions"], json!([tx_hash]));
    assert_eq!(second["transactions"][0]["blockHash"], second["hash"]);
    assert_eq!(second["parentHash"], first["hash"]);
    assert!(number(&second["timestamp"]) > number(&first["timestamp"]), "the clock stands still");
    assert_eq!(result(&devnet, "eth_getBlockByHash", json!([first["hash"], false])), first);
    for tag in ["safe", "finalized"] {
        assert_eq!(result(&devnet, "eth_getBlockByNumber", json!([tag, true])), second, "{tag}");
    }
    assert_eq!(result(&devnet, "eth_getBlockByNumber", json!(["earliest", false]))["number"], "0x0");
}

#[test]
fn what_is_unknown_is_null() {
    let devnet = open();
    let nothing = format!("0x{}", "ab".repeat(32));

    for (method, params) in [
        ("eth_getTransactionByHash", json!([nothing])),
        ("eth_getTransactionReceipt", json!([nothing])),
        ("eth_getBlockByHash", json!([nothing, false])),
        ("eth_getBlockByNumber", json!(["0x99", false])),
    ] {
        assert_eq!(result(&devnet, method, params), Value::Null, "{method}");
    }
}

#[test]
fn a_gapped_transaction_waits_until_the_gap_is_filled() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);

    let second = send(&devnet, &payer.transfer(1, 20));
    assert_eq!(receipt(&devnet, &second), Value::Null);
    assert_eq!(result(&devnet, "eth_getTransactionByHash", json!([second]))["blockNumber"], Value::Null);
    assert_eq!(nonce(&devnet, payer.address(), "pending"), 0);
    let first = send(&devnet, &payer.transfer(0, 10));

    assert_eq!(receipt(&devnet, &first)["blockNumber"], "0x1");
    assert_eq!(receipt(&devnet, &second)["blockNumber"], "0x2");
    assert_eq!(balance(&devnet, SHOP), 30);
}

#[test]
fn with_a_block_time_transactions_wait_for_the_block() {
    let devnet = open_on_demand();
    let payer = Signer::with_ether(1, &devnet);

    let hashes = [send(&devnet, &payer.transfer(0, 1)), send(&devnet, &payer.transfer(1, 2))];
    assert_eq!((block_number(&devnet), balance(&devnet, SHOP)), (0, 0));
    assert_eq!((nonce(&devnet, payer.address(), "latest"), nonce(&devnet, payer.address(), "pending")), (0, 2));
    let pending = result(&devnet, "eth_getBlockByNumber", json!(["pending", false]));
    assert_eq!((&pending["number"], &pending["transactions"]), (&json!("0x1"), &json!(hashes)));
    assert_eq!(result(&devnet, "devnet_mine", json!([])), "0x1");

    assert_eq!(balance(&devnet, SHOP), 3);
    assert_eq!(receipt(&devnet, &hashes[1])["transactionIndex"], "0x1");
    assert_eq!(number(&receipt(&devnet, &hashes[1])["cumulativeGasUsed"]), 42_000);
    assert_eq!(result(&devnet, "devnet_mine", json!([])), "0x2");
    assert_eq!(result(&devnet, "eth_getBlockByNumber", json!(["0x2", false]))["transactions"], json!([]));
}

#[test]
fn the_better_tip_goes_first_and_each_sender_keeps_its_order() {
    let devnet = open_on_demand();
    let (modest, eager) = (Signer::with_ether(1, &devnet), Signer::with_ether(2, &devnet));
    let tip = |nonce, tip_wei| TxEip1559 { max_priority_fee_per_gas: tip_wei, ..dynamic(nonce) };

    let low = send(&devnet, &modest.sign(tip(0, 1)));
    let first_of_eager = send(&devnet, &eager.sign(tip(0, 5)));
    let second_of_eager = send(&devnet, &eager.sign(tip(1, 900)));
    devnet.mine().unwrap();

    let block = result(&devnet, "eth_getBlockByNumber", json!(["latest", false]));
    assert_eq!(block["transactions"], json!([first_of_eager, second_of_eager, low]));
}

#[test]
fn a_replacement_must_pay_ten_percent_more_on_both_fees() {
    let devnet = open_on_demand();
    let payer = Signer::with_ether(1, &devnet);
    let bid = |max_fee_wei, tip_wei, value: u64| TxEip1559 {
        max_fee_per_gas: max_fee_wei,
        max_priority_fee_per_gas: tip_wei,
        value: U256::from(value),
        ..dynamic(0)
    };
    let first = send(&devnet, &payer.sign(bid(2000 * GWEI, 1000, 1)));

    for (max_fee_wei, tip_wei) in [(2000 * GWEI, 1000), (2199 * GWEI, 1100), (2200 * GWEI, 1099)] {
        let message = refusal(&devnet, &payer.sign(bid(max_fee_wei, tip_wei, 2)));
        assert_eq!(message, "replacement transaction underpriced", "{max_fee_wei} {tip_wei}");
    }
    let better = send(&devnet, &payer.sign(bid(2200 * GWEI, 1100, 3)));
    devnet.mine().unwrap();

    assert_eq!(result(&devnet, "eth_getTransactionByHash", json!([first])), Value::Null);
    assert_eq!(receipt(&devnet, &better)["status"], "0x1");
    assert_eq!(balance(&devnet, SHOP), 3);
}

#[test]
fn the_base_fee_follows_use_and_stops_at_its_floor() {
    let devnet = open();
    let base_fee = || number(&result(&devnet, "eth_getBlockByNumber", json!(["latest", false]))["baseFeePerGas"]);
    let at_start = base_fee();

    devnet.mine().unwrap();
    assert_eq!(base_fee(), at_start - at_start / 8, "an empty block lowers it by an eighth");
    for _ in 0..60 {
        devnet.mine().unwrap();
    }

    assert_eq!(base_fee(), 1_000_000);
    assert_eq!(number(&result(&devnet, "eth_gasPrice", json!([]))), 2_000_000);
}

#[test]
fn fee_history_covers_the_asked_blocks_and_the_next_one() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    send(&devnet, &payer.transfer(0, 1));

    let history = result(&devnet, "eth_feeHistory", json!(["0x5", "latest", [10, 90.5]]));

    assert_eq!(history["oldestBlock"], "0x0");
    assert_eq!(history["baseFeePerGas"].as_array().unwrap().len(), 3);
    assert_eq!(history["gasUsedRatio"], json!([0.0, 0.0007]));
    assert_eq!(history["reward"][0], json!(["0x0", "0x0"]));
    assert_eq!(number(&history["reward"][1][0]), GWEI);
}
