use super::*;

const TRANSFER: [u8; 4] = [0xa9, 0x05, 0x9c, 0xbb];
const APPROVE: [u8; 4] = [0x09, 0x5e, 0xa7, 0xb3];
const TRANSFER_FROM: [u8; 4] = [0x23, 0xb8, 0x72, 0xdd];
const BALANCE_OF: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
const TOTAL_SUPPLY: [u8; 4] = [0x18, 0x16, 0x0d, 0xdd];
const TRANSFER_EVENT: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

fn read(devnet: &Devnet, data: Vec<u8>) -> String {
    let call = json!({ "to": devnet.usdc().to_string(), "data": hex::encode_prefixed(data) });
    result(devnet, "eth_call", json!([call, "latest"])).as_str().unwrap().to_owned()
}

fn units(devnet: &Devnet, owner: Address) -> u128 {
    number(&json!(read(devnet, calldata(BALANCE_OF, &[word(owner)]))))
}

#[test]
fn it_is_named_as_test_money_with_six_decimals() {
    let devnet = open();
    let text = |selector: [u8; 4]| {
        let answer = hex::decode(read(&devnet, selector.to_vec())).unwrap();
        let length = usize::from(answer[63]);
        String::from_utf8(answer[64..64 + length].to_vec()).unwrap()
    };

    assert_eq!(text([0x06, 0xfd, 0xde, 0x03]), "Devnet USD Coin (test)");
    assert_eq!(text([0x95, 0xd8, 0x9b, 0x41]), "USDC");
    assert_eq!(number(&json!(read(&devnet, vec![0x31, 0x3c, 0xe5, 0x67]))), 6);
    assert_eq!(number(&json!(read(&devnet, TOTAL_SUPPLY.to_vec()))), 0);
}

#[test]
fn a_transfer_moves_units_and_leaves_a_receipt_with_its_event() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    devnet.mint_usdc(payer.address(), U256::from(5_000_000)).unwrap();

    let data = calldata(TRANSFER, &[word(SHOP), U256::from(1_500_000)]);
    let tx_hash = send(&devnet, &payer.call(0, devnet.usdc(), data));

    assert_eq!((units(&devnet, payer.address()), units(&devnet, SHOP)), (3_500_000, 1_500_000));
    assert_eq!(number(&json!(read(&devnet, TOTAL_SUPPLY.to_vec()))), 5_000_000);
    let receipt = receipt(&devnet, &tx_hash);
    assert_eq!(receipt["status"], "0x1");
    assert_eq!(receipt["contractAddress"], Value::Null);
    let log = &receipt["logs"][0];
    assert_eq!(log["address"], devnet.usdc().to_string());
    assert_eq!(log["topics"][0], TRANSFER_EVENT);
    assert_eq!(log["topics"][1], payer.address().into_word().to_string());
    assert_eq!(log["topics"][2], SHOP.into_word().to_string());
    assert_eq!(number(&log["data"]), 1_500_000);
    assert_eq!(log["blockHash"], receipt["blockHash"]);

    let filter = json!({ "fromBlock": "0x0", "address": devnet.usdc().to_string(), "topics": [TRANSFER_EVENT] });
    assert_eq!(result(&devnet, "eth_getLogs", json!([filter])), receipt["logs"]);
}

#[test]
fn a_spender_can_move_what_was_approved_and_no_more() {
    let devnet = open();
    let owner = Signer::with_ether(1, &devnet);
    let spender = Signer::with_ether(2, &devnet);
    devnet.mint_usdc(owner.address(), U256::from(100)).unwrap();
    let take = |amount: u64| calldata(TRANSFER_FROM, &[word(owner.address()), word(SHOP), U256::from(amount)]);

    send(&devnet, &owner.call(0, devnet.usdc(), calldata(APPROVE, &[word(spender.address()), U256::from(60)])));
    let first = send(&devnet, &spender.call(0, devnet.usdc(), take(60)));
    let second = send(&devnet, &spender.call(1, devnet.usdc(), take(1)));

    assert_eq!(receipt(&devnet, &first)["status"], "0x1");
    assert_eq!(receipt(&devnet, &second)["status"], "0x0");
    assert_eq!(receipt(&devnet, &second)["logs"], json!([]));
    assert_eq!((units(&devnet, owner.address()), units(&devnet, SHOP)), (40, 60));
}

#[test]
fn a_revert_answers_code_3_with_its_reason_and_data() {
    let devnet = open();
    let poor = Signer::with_ether(1, &devnet).address();
    let cases: [(Vec<u8>, &str); 4] = [
        (calldata(TRANSFER, &[word(SHOP), U256::from(1)]), "ERC20: transfer amount exceeds balance"),
        (calldata(TRANSFER, &[U256::ZERO, U256::from(1)]), "ERC20: transfer to the zero address"),
        (calldata(APPROVE, &[U256::ZERO, U256::from(1)]), "ERC20: approve to the zero address"),
        (calldata(TRANSFER_FROM, &[word(SHOP), word(poor), U256::from(1)]), "ERC20: insufficient allowance"),
    ];

    for (data, reason) in cases {
        let call = json!({ "from": poor.to_string(), "to": devnet.usdc().to_string(), "data": hex::encode_prefixed(data) });
        for method in ["eth_call", "eth_estimateGas"] {
            let answer = ask(&devnet, method, json!([call]));
            assert_eq!(answer["error"]["code"], 3, "{method} {reason}");
            assert_eq!(answer["error"]["message"], format!("execution reverted: {reason}"), "{method}");
            assert!(answer["error"]["data"].as_str().unwrap().starts_with("0x08c379a0"), "{method} {reason}");
        }
    }
}

#[test]
fn a_call_to_an_unknown_function_reverts_without_a_reason() {
    let devnet = open();
    let call = json!({ "to": devnet.usdc().to_string(), "data": "0xdeadbeef" });

    assert_eq!(error(&devnet, "eth_call", json!([call])), (3, "execution reverted".to_owned()));
}

#[test]
fn nobody_can_mint_by_transaction() {
    let devnet = open();
    let thief = Signer::with_ether(1, &devnet);
    // mint(address,uint256), mint(uint256), and ether sent to the contract
    for (nonce, selector) in [[0x40, 0xc1, 0x0f, 0x19], [0xa0, 0x71, 0x2d, 0x68], [0, 0, 0, 0]].into_iter().enumerate() {
        let data = calldata(selector, &[word(thief.address()), U256::from(7)]);
        let tx_hash = send(&devnet, &thief.call(nonce as u64, devnet.usdc(), data));
        assert_eq!(receipt(&devnet, &tx_hash)["status"], "0x0", "{selector:?}");
    }

    assert_eq!(units(&devnet, thief.address()), 0);
    assert_eq!(number(&json!(read(&devnet, TOTAL_SUPPLY.to_vec()))), 0);
}

#[test]
fn minting_more_than_fits_is_refused_and_changes_nothing() {
    let devnet = open();
    devnet.mint_usdc(SHOP, U256::from(1)).unwrap();

    let minted = devnet.mint_usdc(Address::ZERO, U256::MAX).unwrap_err();
    let funded = devnet.fund(SHOP, U256::MAX).and_then(|()| devnet.fund(SHOP, U256::from(1))).unwrap_err();

    assert!(minted.to_string().contains("does not fit"), "{minted}");
    assert!(funded.to_string().contains("does not fit"), "{funded}");
    assert_eq!((units(&devnet, SHOP), units(&devnet, Address::ZERO)), (1, 0));
}

#[test]
fn an_estimate_is_just_enough_gas() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    devnet.mint_usdc(payer.address(), U256::from(5)).unwrap();
    let data = calldata(TRANSFER, &[word(SHOP), U256::from(5)]);
    let call = json!({
        "from": payer.address().to_string(), "to": devnet.usdc().to_string(), "data": hex::encode_prefixed(&data),
        "maxFeePerGas": "0x77359400", "maxPriorityFeePerGas": "0x1",
    });

    let estimate = number(&result(&devnet, "eth_estimateGas", json!([call]))) as u64;

    let token = TxKind::Call(devnet.usdc());
    let transfer = |nonce, gas_limit| TxEip1559 { to: token, input: data.clone().into(), gas_limit, ..dynamic(nonce) };
    let too_little = send(&devnet, &payer.sign(transfer(0, estimate - 1)));
    let enough = send(&devnet, &payer.sign(transfer(1, estimate)));
    assert_eq!(receipt(&devnet, &too_little)["status"], "0x0");
    assert_eq!(receipt(&devnet, &enough)["status"], "0x1");
}
