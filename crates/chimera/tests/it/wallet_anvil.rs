//! The wallet against a real anvil: the contract's successes, and each of its error codes.

use crate::{
    anvil::USDC,
    program::Folder,
    wallet_stage::{DENIED, POLICY, RECIPIENT, Stage, UNITS_AT_START, WALLET, WEI_AT_START, balance, config, eth, new_task, usdc, with},
};
use serde_json::{Value, json};

#[tokio::test]
async fn balances_are_read_in_units_and_formatted() {
    let Some(stage) = Stage::set(POLICY).await else { return };

    let wei = stage.call(&balance("ETH")).await;
    let units = stage.call(&balance("USDC")).await;

    assert_eq!(wei["result"]["balance_wei_or_units"], WEI_AT_START.to_string());
    assert_eq!(wei["result"]["balance_formatted"], "1");
    assert_eq!(units["result"]["balance_wei_or_units"], UNITS_AT_START.to_string());
    assert_eq!(units["result"]["balance_formatted"], "1000");
    for answer in [wei, units] {
        assert_eq!(answer["operation"], "get_balance");
        assert!(answer["result"].get("tx_hash").is_none() && answer["result"].get("block_number").is_none(), "{answer}");
    }
}

#[tokio::test]
async fn a_token_transfer_is_paid_once_however_often_its_task_is_called() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let input = usdc(1_500_000);

    let first = stage.call(&input).await;
    let second = stage.call(&input).await;
    let another = stage.refused("invalid_input", &with(input.clone(), "/params/amount_wei_or_units", "1500001")).await;

    confirmed_on_chain(&stage, &first).await;
    assert_eq!(first["result"]["balance_wei_or_units"], (UNITS_AT_START - 1_500_000).to_string());
    assert_eq!((&second["transaction_id"], &second["result"]["tx_hash"]), (&first["transaction_id"], &first["result"]["tx_hash"]));
    assert_eq!(another["details"]["violations"][0]["path"], "/task_id");
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 1_500_000);
    assert_eq!(stage.anvil.usdc_of(&stage.address).await, UNITS_AT_START - 1_500_000);
    assert_eq!(stage.anvil.transactions_of(&stage.address).await, 1);
}

#[tokio::test]
async fn a_native_transfer_moves_the_chains_own_asset() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let before = stage.anvil.wei_of(RECIPIENT).await;

    let answer = stage.call(&with(eth(123_456_789), "/params/chain_id", "8453")).await;

    let receipt = confirmed_on_chain(&stage, &answer).await;
    assert_eq!(stage.anvil.wei_of(RECIPIENT).await, before + 123_456_789);
    let fee = crate::anvil::number(&receipt["gasUsed"]) * crate::anvil::number(&receipt["effectiveGasPrice"]);
    assert_eq!(answer["result"]["balance_wei_or_units"], (WEI_AT_START - 123_456_789 - fee).to_string());
}

/// The answer's hash, block and time are the chain's; gives the receipt.
async fn confirmed_on_chain(stage: &Stage, answer: &Value) -> Value {
    assert_eq!(answer["success"], true, "{answer}");
    let receipt = stage.anvil.rpc("eth_getTransactionReceipt", json!([answer["result"]["tx_hash"]])).await;
    assert_eq!(receipt["status"], "0x1");
    let block = stage.anvil.rpc("eth_getBlockByNumber", json!([receipt["blockNumber"], false])).await;
    assert_eq!(answer["result"]["block_number"], crate::anvil::number(&receipt["blockNumber"]).to_string());
    let mined_at = chrono::DateTime::from_timestamp(crate::anvil::number(&block["timestamp"]).try_into().unwrap(), 0).unwrap();
    let told_at = answer["result"]["executed_at"].as_str().unwrap();
    assert!(told_at.ends_with(".000Z"), "{told_at}");
    assert_eq!(chrono::DateTime::parse_from_rfc3339(told_at).unwrap(), mined_at);
    receipt
}

#[tokio::test]
async fn every_limit_answers_budget_exceeded_with_decimal_figures() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    assert_eq!(stage.call(&usdc(20_000_000)).await["success"], true);

    let own = json!({"max_daily_limit_units": "20000001"});
    let named = json!({"daily_spend_key": "campaign:one", "max_daily_limit_units": "4999999"});
    for (input, counter, limit, spent, asked) in [
        (usdc(25_000_001), "per_transaction", "25000000", "0", "25000001"),
        (with(usdc(2), "/budget_check", own), "per_day", "20000001", "20000000", "2"),
        (with(usdc(5_000_000), "/budget_check", named), "campaign:one", "4999999", "0", "5000000"),
    ] {
        let details = stage.refused("budget_exceeded", &input).await["details"].clone();
        let expected = json!({
            "counter": counter, "limit_units": limit, "spent_units": spent, "reserved_units": "0", "asked_units": asked,
        });
        assert_eq!(details, expected);
    }
}

#[tokio::test]
async fn a_balance_that_does_not_cover_amount_and_fee_is_told() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    stage.anvil.give_usdc(&stage.address, 999).await;

    let tokens = stage.refused("insufficient_balance", &usdc(1_000)).await;
    let no_fee_left = stage.refused("insufficient_balance", &eth(WEI_AT_START)).await;
    stage.anvil.give_wei(&stage.address, 1_000).await;
    let no_gas = stage.refused("insufficient_balance", &usdc(999)).await;

    assert_eq!((&tokens["details"]["asset"], &tokens["details"]["available_units"]), (&json!("USDC"), &json!("999")));
    let needed: u128 = no_fee_left["details"]["needed_units"].as_str().unwrap().parse().unwrap();
    assert!(needed > WEI_AT_START, "{no_fee_left}");
    assert_eq!((&no_gas["details"]["asset"], &no_gas["details"]["available_units"]), (&json!("ETH"), &json!("1000")));
}

#[tokio::test]
async fn recipients_that_lose_money_are_invalid_addresses() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    for to in [
        "0x70997970c51812dc3A010C7d01b50e0d17dc79C8", // one letter in the wrong case
        "0x0000000000000000000000000000000000000000",
        "0x1234",
        "somebody.eth",
        "",
        USDC,
        &stage.address,
    ] {
        let answer = stage.refused("invalid_address", &with(usdc(1), "/params/to_address", to)).await;
        assert_eq!(answer["details"]["violations"][0]["path"], "/params/to_address", "{answer}");
    }
}

#[tokio::test]
async fn a_revert_is_told_with_its_reason_before_and_after_it_is_mined() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let serving = stage.folder.serve().await;
    let caller = chimera::mcp::McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    stage.anvil.rpc("evm_setAutomine", json!([false])).await;
    let input = usdc(1_000_000);

    let robbed = async {
        stage.anvil.pending().await;
        stage.anvil.give_usdc(&stage.address, 0).await;
        stage.anvil.rpc("evm_mine", json!([])).await;
    };
    let (answer, ()) = tokio::join!(chimera_core::ports::skill_caller::SkillCaller::call(&caller, WALLET, &input), robbed);

    let answer = answer.unwrap();
    assert_eq!((&answer["error_code"], &answer["details"]["state"]), (&json!("rpc_error"), &json!("reverted")), "{answer}");
    assert_eq!(answer["details"]["reason"], "ERC20: transfer amount exceeds balance", "{answer}");
    let receipt = stage.anvil.rpc("eth_getTransactionReceipt", json!([answer["details"]["tx_hash"]])).await;
    assert_eq!(receipt["status"], "0x0");
    assert_eq!(answer["details"]["block_number"], crate::anvil::number(&receipt["blockNumber"]).to_string());
    caller.close().await;
    serving.stop().await.calm();
    let repeated = stage.refused("rpc_error", &input).await;
    assert_eq!(repeated["transaction_id"], answer["transaction_id"]);
}

#[tokio::test]
async fn a_dead_node_and_a_node_of_another_chain_pay_nothing() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let input = usdc(1);

    stage.folder.write("chimera.toml", config("http://127.0.0.1:9", POLICY));
    let dead = stage.refused("rpc_error", &input).await;
    let no_balance = stage.call(&balance("ETH")).await;
    let wrong = config(&stage.anvil.url, &POLICY.replace("8453", "8454")).replace("chains.8453", "chains.8454");
    stage.folder.write("chimera.toml", wrong);
    let mismatch = stage.refused("not_approved", &with(eth(1), "/params/chain_id", "8454")).await;
    stage.folder.write("chimera.toml", config(&stage.anvil.url, POLICY));

    assert_eq!(dead["details"]["state"], "unreachable", "{dead}");
    assert!(!dead.to_string().contains("127.0.0.1"), "{dead}");
    assert_eq!(no_balance["error_code"], "rpc_error");
    assert_eq!(mismatch["details"]["rule"], "chain_id_mismatch", "{mismatch}");
    assert_eq!(stage.call(&input).await["success"], true, "a refusal binds nothing");
}

#[tokio::test]
async fn chains_and_assets_that_are_not_configured_are_named() {
    let Some(stage) = Stage::set(POLICY).await else { return };

    let chain = stage.refused("unsupported_chain", &with(usdc(1), "/params/chain_id", "1")).await;
    for input in [
        with(usdc(1), "/params/asset", "DOGE"),
        with(usdc(1), "/params/asset", "usdc"),
        with(usdc(1), "/operation", "native_transfer"),
        with(eth(1), "/operation", "token_transfer"),
        with(balance("ETH"), "/params/asset", "WBTC"),
    ] {
        let asset = stage.refused("unsupported_asset", &input).await;
        assert_eq!(asset["details"]["known_assets"], json!(["ETH", "USDC"]), "{asset}");
    }

    assert_eq!(chain["details"]["known_chains"], json!(["8453"]));
}

#[tokio::test]
async fn the_cfo_refuses_by_rule_and_asks_a_person() {
    let Some(stage) = Stage::set(POLICY).await else { return };

    let denied = stage.refused("not_approved", &with(usdc(1), "/params/to_address", DENIED)).await;
    assert_eq!(denied["details"]["rule"], "deny");

    let asking = POLICY.replace("first_seen_recipient = \"allow\"", "first_seen_recipient = \"ask\"");
    stage.folder.write("chimera.toml", config(&stage.anvil.url, &asking));
    let input = usdc(7);
    let review = stage.refused("approval_required", &input).await;
    let repeated = stage.refused("approval_required", &input).await;
    assert!(review["details"]["review_id"].as_str().unwrap().parse::<uuid::Uuid>().is_ok(), "{review}");
    assert_eq!((&repeated["details"], &repeated["transaction_id"]), (&review["details"], &review["transaction_id"]));
    stage.refused("invalid_input", &with(input, "/params/amount_wei_or_units", "8")).await;

    let (policy_without_eth, _) = POLICY.rsplit_once("[[policy.limits]]").unwrap();
    stage.folder.write("chimera.toml", config(&stage.anvil.url, policy_without_eth));
    let unlimited = stage.refused("not_approved", &eth(1)).await;
    assert_eq!(unlimited["details"]["rule"], "asset_without_limit");

    stage.folder.write("chimera.toml", config(&stage.anvil.url, ""));
    let lawless = stage.refused("not_approved", &usdc(1)).await;
    assert_eq!(lawless["details"]["rule"], "no_policy");
    assert_eq!(stage.call(&balance("USDC")).await["success"], true, "balances need no policy");
}

#[tokio::test]
async fn above_the_days_unapproved_sum_a_person_is_asked() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    for _ in 0..2 {
        assert_eq!(stage.call(&usdc(25_000_000)).await["success"], true);
    }

    let review = stage.refused("approval_required", &usdc(1)).await;

    assert_eq!(review["details"]["rule"], "ask_above");
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 50_000_000);
}

#[tokio::test]
async fn an_unknown_agent_and_every_violation_are_told() {
    // Neither needs a chain.
    let folder = Folder::with_config(&config("http://127.0.0.1:9", POLICY));
    let everything_wrong = json!({
        "task_id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", // version 1
        "agent_id": 7,
        "operation": "steal",
        "params": {"to_address": "0x1", "amount_wei_or_units": "-1", "chain_id": "base", "memo": "hello"},
        "budget_check": {"daily_spend_key": "Not Allowed"},
        "extra": null,
    });

    let unknown = folder.call(WALLET, &usdc(1)).await;
    let wrong = folder.call(WALLET, &everything_wrong).await;
    let transfer_without = folder
        .call(
            WALLET,
            &json!({
                "task_id": new_task(), "agent_id": "selam", "operation": "token_transfer", "params": {"asset": "USDC"},
            }),
        )
        .await;

    assert_eq!(unknown["error_code"], "unknown_agent");
    assert_eq!((&wrong["error_code"], wrong.get("agent_id")), (&json!("invalid_input"), None));
    assert_eq!(
        paths(&wrong),
        [
            "/agent_id",
            "/budget_check/daily_spend_key",
            "/budget_check/max_daily_limit_units",
            "/extra",
            "/operation",
            "/params/asset",
            "/params/chain_id",
            "/params/memo",
            "/task_id",
        ]
    );
    assert_eq!(paths(&transfer_without), ["/params/amount_wei_or_units", "/params/to_address"]);
}

#[tokio::test]
async fn amounts_that_are_no_positive_integers_are_refused() {
    let folder = Folder::with_config(&config("http://127.0.0.1:9", POLICY));
    let too_large = format!("1{}", "0".repeat(78));
    for amount in ["", "0", "-1", "+7", "1.5", "1e18", " 7", "0x10", "٣", &too_large] {
        let answer = folder.call(WALLET, &with(usdc(1), "/params/amount_wei_or_units", amount)).await;
        assert_eq!(answer["error_code"], "invalid_input", "{amount:?}");
        assert_eq!(paths(&answer), ["/params/amount_wei_or_units"], "{amount:?}");
    }
}

fn paths(answer: &Value) -> Vec<&str> {
    let mut paths: Vec<&str> =
        answer["details"]["violations"].as_array().unwrap().iter().map(|violation| violation["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    paths
}
