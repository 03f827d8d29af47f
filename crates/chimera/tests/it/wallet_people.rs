//! People above the program: reviews, grants and the kill switch, with the real program on a real anvil.

use crate::wallet_stage::{POLICY, RECIPIENT, Stage, eth, usdc, with};
use serde_json::{Value, json};

/// Asks above one USDC.
async fn careful_stage() -> Option<Stage> {
    Stage::set(&POLICY.replace("ask_above = \"50000000\"", "ask_above = \"1000000\"")).await
}

/// The transfer waits for a person; its review's id.
async fn waits(stage: &Stage, input: &Value) -> String {
    let waiting = stage.refused("approval_required", input).await;
    assert_eq!(waiting["details"]["rule"], "ask_above");
    waiting["details"]["review_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_approved_transfer_is_made_once_and_the_same_call_returns_it() {
    let Some(stage) = careful_stage().await else { return };
    let input = usdc(1_500_000);
    let review_id = waits(&stage, &input).await;

    let listed = stage.folder.json(&["review", "list"]).await;
    assert_eq!(listed["reviews"][0]["review_id"], review_id);
    let shown = stage.folder.run(&["review", "show", &review_id]).await;
    assert!(shown.stdout.contains(RECIPIENT) && shown.stdout.contains("pay 1.5 USDC to "), "{shown:?}");
    let beginning = &review_id[..6];
    stage.folder.run(&["review", "approve", beginning]).await.refused(2, &["--reviewer", "CHIMERA_REVIEWER"]);
    stage.folder.run(&["review", "show", "zz"]).await.refused(1, &["none that waits begins so"]);
    let mut approving = stage.folder.command(&["review", "approve", beginning, "--reason", "invoice 12", "--json"]);
    approving.env("CHIMERA_REVIEWER", "hanna");
    let paid: Value = serde_json::from_str(&crate::program::run(approving, b"").await.stdout).unwrap();
    let again = stage.call(&input).await;
    let second_reviewer = stage.folder.run(&["review", "reject", &review_id, "--reviewer", "dawit"]).await;

    assert_eq!((&paid["success"], &paid["result"]["tx_hash"]), (&json!(true), &again["result"]["tx_hash"]), "{paid} {again}");
    second_reviewer.refused(1, &[&review_id, "already approved"]);
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 1_500_000);
    assert_eq!(stage.anvil.transactions_of(&stage.address).await, 1);
    assert_eq!(stage.folder.json(&["review", "list"]).await, json!({"reviews": []}));
    let ledger = stage.folder.run(&["ledger", "list"]).await.stdout;
    assert!(ledger.contains("hanna") && ledger.contains("invoice 12") && ledger.contains("paid 1.5 USDC"), "{ledger}");
}

#[tokio::test]
async fn a_running_server_makes_what_somebody_else_approved_and_a_rejected_one_is_never_made() {
    let Some(stage) = careful_stage().await else { return };
    let (wanted, unwanted) = (usdc(1_500_000), usdc(2_500_000));
    let (wanted_review, unwanted_review) = (waits(&stage, &wanted).await, waits(&stage, &unwanted).await);

    let serving = stage.folder.serve().await;
    let approved = stage.folder.json(&["review", "approve", &wanted_review, "--reviewer", "hanna"]).await;
    let rejected = stage.folder.json(&["review", "reject", &unwanted_review, "--reviewer", "hanna", "--reason", "unknown to us"]).await;
    serving.stop().await.calm();

    assert_eq!((&approved["success"], &rejected["status"]), (&json!(true), &json!("rejected")));
    let never = stage.refused("not_approved", &unwanted).await;
    assert_eq!((&never["details"]["rule"], &never["details"]["reason"]), (&json!("declined"), &json!("unknown to us")));
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 1_500_000);
}

#[tokio::test]
async fn an_approval_is_revoked_while_it_is_unused_and_no_longer() {
    let Some(stage) = careful_stage().await else { return };
    let (revoked, paid) = (usdc(1_500_000), usdc(2_500_000));
    let (review, other) = (waits(&stage, &revoked).await, waits(&stage, &paid).await);
    let revoke = async |id: &str| stage.folder.run(&["review", "revoke", id, "--reviewer", "omar", "--reason", "a wrong invoice"]).await;
    revoke(&review).await.refused(1, &["not approved", "pending"]);
    // So that the approval cannot be used.
    stage.folder.json(&["wallet", "freeze", "--all", "--reason", "odd", "--by", "hanna"]).await;
    let approved = stage.folder.run(&["review", "approve", &review, "--reviewer", "hanna"]).await;
    assert!(approved.stdout.contains("not paid yet"), "{approved:?}");

    let done = revoke(&review).await;

    assert!(done.stdout.contains("never made"), "{done:?}");
    revoke(&review).await.refused(1, &["revoked before"]);
    stage.folder.json(&["wallet", "unfreeze", "--all"]).await;
    let serving = stage.folder.serve().await;
    stage.folder.json(&["review", "approve", &other, "--reviewer", "hanna"]).await;
    serving.stop().await.calm();
    revoke(&other).await.refused(1, &["already used"]);
    let never = stage.refused("not_approved", &revoked).await;
    assert_eq!((&never["details"]["rule"], &never["details"]["reason"]), (&json!("declined"), &json!("revoked by omar: a wrong invoice")));
    assert_eq!(stage.anvil.usdc_of(RECIPIENT).await, 2_500_000);
    let ledger = stage.folder.run(&["ledger", "list"]).await.stdout;
    assert!(ledger.contains("grant revoked") && ledger.contains("omar") && ledger.contains("a wrong invoice"), "{ledger}");
    assert_eq!(stage.folder.json(&["ledger", "verify"]).await["ok"], true);
}

#[tokio::test]
async fn a_freeze_of_the_agent_or_the_fleet_stops_money_and_nothing_else() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    let flags: [&[&str]; 2] = [&["--agent", "selam"], &["--all"]];
    for flags in flags {
        let frozen = stage.folder.json(&[&["wallet", "freeze", "--reason", "odd payments", "--by", "hanna"], flags].concat()).await;
        assert_eq!(frozen["frozen"], true);

        let refused = stage.refused("not_approved", &usdc(1_000)).await;
        assert_eq!((&refused["details"]["rule"], &refused["details"]["frozen_by"]), (&json!("frozen"), &json!("hanna")));
        assert!(refused["message"].as_str().unwrap().contains("odd payments"), "{refused}");
        assert_eq!(stage.call(&crate::wallet_stage::balance("ETH")).await["success"], true);
        assert_eq!(stage.folder.json(&["wallet", "show", "--agent", "selam"]).await["frozen"], true);

        let lifted = stage.folder.json(&[&["wallet", "unfreeze"], flags].concat()).await;
        assert_eq!(lifted["frozen"], false);
        assert_eq!(stage.call(&eth(1_000)).await["success"], true);
    }
    assert_eq!(stage.folder.json(&["ledger", "verify"]).await["ok"], true);
    stage.folder.run(&["wallet", "freeze"]).await.refused(1, &["--agent ID", "--all"]);
}

#[tokio::test]
async fn the_effective_policy_is_the_common_one_tightened() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    stage.folder.write("policies/selam.toml", "transfers_per_hour_max = 3\n");

    let policy = stage.folder.json(&["wallet", "policy", "--agent", "selam"]).await;
    let told = stage.folder.run(&["wallet", "policy", "--agent", "selam"]).await;

    assert_eq!(policy["policy"]["transfers_per_hour_max"], 3);
    assert_eq!(policy["policy"]["limits"][0]["per_day"], "100000000");
    assert!(told.stdout.contains("at most 3") && told.stdout.contains("asks above 50000000"), "{told:?}");
}

#[tokio::test]
async fn a_look_alike_is_refused_and_a_person_who_approves_types_its_whole_address() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    assert_eq!(stage.call(&usdc(1_000)).await["success"], true, "the recipient is known from now on");
    let look_alike = &format!("0x7099{}79c8", "0".repeat(32));
    let (meant, poisoned) =
        (with(usdc(2_000), "/params/to_address", look_alike.as_str()), with(usdc(3_000), "/params/to_address", look_alike.as_str()));
    let refused = stage.refused("not_approved", &meant).await;
    assert_eq!((&refused["details"]["rule"], &refused["details"]["known_payee"]), (&json!("look_alike"), &json!(RECIPIENT)), "{refused}");
    let id = refused["details"]["review_id"].as_str().unwrap();

    let listed = stage.folder.json(&["review", "list"]).await;
    let why = listed["reviews"][0]["escalation_reason"].as_str().unwrap().to_lowercase();
    assert!(why.contains(&RECIPIENT.to_lowercase()) && why.contains(look_alike.as_str()), "both are there, whole: {why}");
    assert!(why.contains("0x7099[797]0[") && why.contains("0x7099[000]0["), "what differs is marked: {why}");
    let approve = async |more: &[&str]| stage.folder.run(&[&["review", "approve", id, "--reviewer", "hanna"], more].concat()).await;
    approve(&[]).await.refused(1, &["looks like a known payee", "--confirm-address", "still open"]);
    approve(&["--confirm-address", RECIPIENT]).await.refused(1, &["is not the address", "still open"]);
    approve(&["--confirm-address", "0x7099"]).await.refused(1, &["--confirm-address"]);
    stage.refused("not_approved", &meant).await;
    assert_eq!((stage.anvil.usdc_of(RECIPIENT).await, stage.anvil.usdc_of(look_alike).await), (1_000, 0));

    let paid = stage.folder.json(&["review", "approve", id, "--reviewer", "hanna", "--confirm-address", look_alike]).await;
    assert_eq!(paid["success"], true, "{paid}");
    assert_eq!(stage.call(&meant).await["result"]["tx_hash"], paid["result"]["tx_hash"]);
    assert_eq!(stage.anvil.usdc_of(look_alike).await, 2_000);
    let ledger = stage.folder.run(&["ledger", "list"]).await.stdout;
    assert!(ledger.contains("refused 0.002 USDC") && ledger.contains("hanna"), "the refusal and the answer: {ledger}");
    assert_eq!(stage.call(&poisoned).await["success"], true, "it is a known payee now");
    assert_eq!(stage.folder.json(&["ledger", "verify"]).await["ok"], true);
}

#[tokio::test]
async fn a_rejected_look_alike_is_never_paid() {
    let Some(stage) = Stage::set(POLICY).await else { return };
    assert_eq!(stage.call(&usdc(1_000)).await["success"], true);
    let look_alike = format!("0x7099{}79c8", "0".repeat(32));
    let input = with(usdc(2_000), "/params/to_address", look_alike.as_str());
    let id = stage.refused("not_approved", &input).await["details"]["review_id"].as_str().unwrap().to_owned();

    stage.folder.json(&["review", "reject", &id, "--reviewer", "hanna", "--reason", "poisoned"]).await;

    let never = stage.refused("not_approved", &input).await;
    assert_eq!((&never["details"]["rule"], &never["details"]["reason"]), (&json!("declined"), &json!("poisoned")));
    assert_eq!(stage.anvil.usdc_of(&look_alike).await, 0);
}

#[tokio::test]
async fn an_agents_own_file_opens_nothing_that_the_common_policy_does_not() {
    let Some(stage) = Stage::set("").await else { return };
    let limit = "[[limits]]\nchain = \"8453\"\nasset = \"USDC\"\nper_transaction = \"25000000\"\nper_day = \"100000000\"\n";
    stage.folder.write("policies/selam.toml", format!("first_seen_recipient = \"allow\"\n{limit}"));

    let refused = stage.refused("not_approved", &usdc(1_000)).await;
    let doctor = stage.folder.run(&["doctor"]).await;
    let policy = stage.folder.json(&["wallet", "policy", "--agent", "selam"]).await;

    assert_eq!(refused["details"]["rule"], "no_policy");
    assert_eq!(policy["policy"], json!(null));
    assert_eq!(stage.call(&crate::wallet_stage::balance("USDC")).await["success"], true, "balances are read all the same");
    let told = doctor.stdout.lines().find(|line| line.contains("selam.toml")).unwrap_or_else(|| panic!("{doctor:?}"));
    assert!(told.contains("MEND") && told.contains("limits for USDC on chain 8453") && told.contains("no [policy]"), "{told}");
    assert_eq!(doctor.code, Some(1));
}

#[tokio::test]
async fn an_agents_own_limit_needs_a_common_one_and_tightens_it_field_by_field() {
    let common = POLICY.split("[[policy.limits]]\nchain = \"8453\"\nasset = \"ETH\"").next().unwrap();
    let Some(stage) = Stage::set(common).await else { return };
    stage.folder.write("policies/selam.toml", "[[limits]]\nchain = \"8453\"\nasset = \"ETH\"\nper_day = \"5\"\n");
    let loosened = stage.folder.run(&["review", "list"]).await;
    loosened.refused(2, &["selam.toml", "limits for ETH on chain 8453", "no limit"]);
    let doctor = stage.folder.run(&["doctor"]).await;
    assert!(doctor.stdout.contains("selam.toml") && doctor.stdout.contains("limits for ETH on chain 8453"), "{doctor:?}");

    stage.folder.write("policies/selam.toml", "[[limits]]\nchain = \"8453\"\nasset = \"USDC\"\nper_transaction = \"1000\"\n");
    let policy = stage.folder.json(&["wallet", "policy", "--agent", "selam"]).await;
    assert_eq!(
        (&policy["policy"]["limits"][0]["per_transaction"], &policy["policy"]["limits"][0]["per_day"]),
        (&json!("1000"), &json!("100000000"))
    );
    stage.refused("budget_exceeded", &usdc(1_001)).await;
    stage.refused("not_approved", &eth(1)).await;
    assert_eq!(stage.call(&usdc(1_000)).await["success"], true);
}
