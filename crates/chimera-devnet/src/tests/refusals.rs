use super::*;
use alloy_consensus::{TxEip4844, TxEip7702};
use alloy_eips::eip4844::DATA_GAS_PER_BLOB;

use crate::pool::TRANSACTIONS_PER_SENDER_MAX;

/// Each is refused with a message that starts with these words, and nothing is mined or kept.
fn assert_refused(devnet: &Devnet, sender: &Signer, cases: Vec<(Vec<u8>, &str)>) {
    let before = (block_number(devnet), nonce(devnet, sender.address(), "pending"));
    for (raw, words) in cases {
        let message = refusal(devnet, &raw);
        assert!(message.starts_with(words), "{message:?} does not start with {words:?}");
    }
    assert_eq!((block_number(devnet), nonce(devnet, sender.address(), "pending")), before);
}

#[test]
fn nonces_funds_gas_and_fees_are_refused_in_the_words_that_clients_match_on() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    send(&devnet, &payer.transfer(0, 1));
    let dynamic = |change: fn(TxEip1559) -> TxEip1559| payer.sign(change(dynamic(1)));

    let cases = vec![
        (payer.transfer(0, 1), "nonce too low: next nonce 1, tx nonce 0"),
        (payer.transfer(u64::MAX, 1), "nonce has max value"),
        (Signer::new(9).transfer(0, 1), "insufficient funds for gas * price + value: balance 0, tx cost 42000000000001"),
        (payer.transfer(1, 10 * ETHER), "insufficient funds for gas * price + value: balance"),
        (dynamic(|it| TxEip1559 { gas_limit: 20_999, ..it }), "intrinsic gas too low: gas 20999, minimum needed 21000"),
        (
            dynamic(|it| TxEip1559 { input: vec![1; 100].into(), gas_limit: 23_000, ..it }),
            "insufficient gas for floor data gas cost: gas 23000, minimum needed 25000",
        ),
        (dynamic(|it| TxEip1559 { gas_limit: 16_777_217, ..it }), "transaction gas limit too high (cap: 16777216, tx: 16777217)"),
        (
            dynamic(|it| TxEip1559 { max_fee_per_gas: 1, max_priority_fee_per_gas: 1, ..it }),
            "max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: ",
        ),
        (payer.sign(TxLegacy { gas_price: 1, ..legacy(1) }), "max fee per gas less than block base fee"),
        (dynamic(|it| TxEip1559 { max_priority_fee_per_gas: 3 * GWEI, ..it }), "max priority fee per gas higher than max fee per gas"),
    ];

    assert_refused(&devnet, &payer, cases);
}

#[test]
fn other_chains_other_types_and_other_bytes_are_refused() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    let blob = TxEip4844 { chain_id: CHAIN_ID, gas_limit: DATA_GAS_PER_BLOB, ..Default::default() };
    let delegation = TxEip7702 { chain_id: CHAIN_ID, gas_limit: 50_000, ..Default::default() };
    let init_code = Bytes::from(vec![1; 2 * 24_576 + 1]);
    let create = TxEip1559 { to: TxKind::Create, input: init_code, gas_limit: 9_000_000, ..dynamic(0) };
    let huge = TxEip1559 { input: vec![1; 131_072].into(), ..dynamic(0) };

    let cases = vec![
        (payer.sign(TxEip1559 { chain_id: 8453, ..dynamic(0) }), "invalid chain id for signer: have 8453 want 31337"),
        (payer.sign(TxLegacy { chain_id: Some(1), ..legacy(0) }), "invalid chain id for signer: have 1 want 31337"),
        (payer.sign(TxLegacy { chain_id: None, ..legacy(0) }), "only replay-protected (EIP-155) transactions allowed over RPC"),
        (payer.sign(create), "max initcode size exceeded"),
        (payer.sign(huge), "oversized data: transaction size 131"),
        (payer.sign(blob), "transaction type not supported"),
        (payer.sign(delegation), "transaction type not supported"),
        (vec![0x05, 0xc0], "transaction type not supported"),
        (vec![0x00, 0xc0], "transaction type not supported"),
        (vec![], "rlp: the transaction is empty"),
        (vec![0x02, 0xc0], "rlp: "),
        (vec![0x80], "rlp: "),
        (vec![0xff; 40], "rlp: "),
        ([payer.transfer(0, 1), vec![0]].concat(), "rlp: "),
    ];

    assert_refused(&devnet, &payer, cases);
}

#[test]
fn a_signature_in_the_upper_half_is_an_invalid_sender() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet);
    let transaction = dynamic(0);
    let (signature, recovery) = payer.key.sign_prehash_recoverable(transaction.signature_hash().as_slice()).unwrap();
    let low = Signature::from((signature, recovery));
    // The same signature mirrored: also valid ECDSA, but a second hash for one transaction (EIP-2).
    let order = U256::from_be_slice(&hex!("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"));
    let high = Signature::new(low.r(), order - low.s(), !low.v());

    let raw = TxEnvelope::from(transaction.into_signed(high)).encoded_2718();

    assert_eq!(refusal(&devnet, &raw), "invalid sender");
}

#[test]
fn the_same_waiting_transaction_is_already_known() {
    let devnet = open_on_demand();
    let payer = Signer::with_ether(1, &devnet);
    let raw = payer.transfer(0, 1);
    send(&devnet, &raw);

    assert_eq!(refusal(&devnet, &raw), "already known");
}

#[test]
fn everything_that_waits_must_be_payable_together() {
    let devnet = open_on_demand();
    let payer = Signer::with_ether(1, &devnet);
    send(&devnet, &payer.transfer(0, 6 * ETHER));

    let message = refusal(&devnet, &payer.transfer(1, 6 * ETHER));

    assert!(message.starts_with("insufficient funds for gas * price + value: balance"), "{message}");
    assert!(message.contains("queued cost"), "{message}");
    assert_eq!(nonce(&devnet, payer.address(), "pending"), 1);
}

#[test]
fn one_sender_cannot_fill_the_pool() {
    let devnet = open_on_demand();
    let payer = Signer::with_ether(1, &devnet);
    for nonce in 0..TRANSACTIONS_PER_SENDER_MAX as u64 {
        send(&devnet, &payer.transfer(nonce, 0));
    }

    let message = refusal(&devnet, &payer.transfer(TRANSACTIONS_PER_SENDER_MAX as u64, 0));

    assert_eq!(message, "txpool is full: 1024 transactions wait");
    send(&devnet, &Signer::with_ether(2, &devnet).transfer(0, 0));
}

#[test]
fn calls_are_refused_in_the_same_words() {
    let devnet = open();
    let payer = Signer::with_ether(1, &devnet).address().to_string();
    let shop = SHOP.to_string();
    let cases = [
        ("eth_call", json!({ "to": shop, "value": "0x1" }), "insufficient funds for gas * price + value"),
        ("eth_call", json!({ "to": shop, "gas": "0x5207" }), "intrinsic gas too low: gas 20999, minimum needed 21000"),
        ("eth_call", json!({ "from": payer, "to": shop, "gas": "0x5208", "gasPrice": "0x1" }), "max fee per gas less than block base fee"),
        ("eth_call", json!({ "from": devnet.usdc().to_string(), "to": shop }), "sender not an eoa"),
        ("eth_call", json!({ "data": "0x5b600056" }), "out of gas"),
        ("eth_call", json!({ "data": "0xfe" }), "invalid 0xFE opcode"),
        ("eth_estimateGas", json!({ "data": "0x5b600056" }), "gas required exceeds allowance (16777216)"),
        ("eth_estimateGas", json!({ "from": shop, "to": shop, "gasPrice": "0x77359400" }), "gas required exceeds allowance (0)"),
        ("eth_estimateGas", json!({ "from": shop, "to": shop, "value": "0x1", "gasPrice": "0x1" }), "insufficient funds"),
    ];
    for (method, call, words) in cases {
        let (code, message) = error(&devnet, method, json!([call]));
        assert_eq!(code, -32000, "{message}");
        assert!(message.starts_with(words), "{message:?} does not start with {words:?}");
    }
}

#[test]
fn ids_of_public_chains_and_a_zero_block_time_are_refused() {
    for chain_id in [0, 1, 10, 137, 8453, 42161, 84532, 11_155_111] {
        let error = Devnet::open(DevnetConfig { chain_id, ..config() }).err().unwrap();
        assert!(error.to_string().starts_with(&format!("chain id {chain_id} ")), "{error}");
    }
    let block_time = Some(std::time::Duration::ZERO);
    let error = Devnet::open(DevnetConfig { block_time, ..config() }).err().unwrap();
    assert!(error.to_string().starts_with("the block time is zero"), "{error}");
    assert!(Devnet::open(DevnetConfig { chain_id: 8454, ..config() }).is_ok());
}
