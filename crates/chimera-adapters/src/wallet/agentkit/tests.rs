use super::*;
use chimera_core::{
    domain::money::{Address, Asset, ChainId, U256, parse_address, parse_units},
    ports::tools::ToolAnswer,
};
use proptest::prelude::*;
use std::sync::Mutex;

/// What the real AgentKit 0.10.4 answered on anvil; `tests/peers/agentkit/record.mjs` records it.
const RECORDED: &str = include_str!("recorded.json");
const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const RECIPIENT: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const HASH: &str = "0x1234567812345678123456781234567812345678123456781234567812345678";

/// Answers every call with the same, and remembers the calls.
struct ScriptedTools {
    answer: Result<Value, ToolError>,
    calls: Mutex<Vec<(String, String, Value)>>,
}

#[async_trait]
impl Tools for ScriptedTools {
    async fn call(&self, server: &str, tool: &str, arguments: Map<String, Value>, _: Duration) -> Result<ToolAnswer, ToolError> {
        self.calls.lock().unwrap().push((server.to_owned(), tool.to_owned(), Value::Object(arguments)));
        self.answer.clone().map(ToolAnswer::new)
    }
}

fn wallet(answer: Result<Value, ToolError>) -> (AgentKitWallet, Arc<ScriptedTools>) {
    let tools = Arc::new(ScriptedTools { answer, calls: Mutex::default() });
    (AgentKitWallet::new(tools.clone(), "their-wallet".to_owned()), tools)
}

fn saying(text: &str) -> (AgentKitWallet, Arc<ScriptedTools>) {
    wallet(Ok(json!(text)))
}

fn eth(wei: &str) -> SendOrder {
    order(Asset::native("ETH"), wei)
}

fn usdc(units: &str) -> SendOrder {
    order(Asset::token("USDC", parse_address(USDC).unwrap(), 6), units)
}

fn order(asset: Asset, units: &str) -> SendOrder {
    SendOrder { chain: ChainId(8453), asset, to: parse_address(RECIPIENT).unwrap(), amount_units: parse_units(units).unwrap() }
}

/// One recorded exchange, and the text that the host makes of its result.
fn recorded(called: &str) -> (Value, String) {
    let all: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    let exchange = all.into_iter().find(|exchange| exchange["called"] == called).unwrap_or_else(|| panic!("{called:?} is recorded"));
    let text = exchange["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(exchange["result"].get("isError").is_none(), "AgentKit never says that an answer is an error");
    (exchange, text)
}

#[tokio::test]
async fn recorded_transfers_are_asked_for_as_recorded_and_their_hash_is_a_hint() {
    for (called, order) in [
        ("a native transfer", eth("123456789")),
        ("a token transfer", usdc("1500000")),
        // On chain it failed: the words are the same, which is why they are not believed.
        ("a token transfer that reverts", usdc("2250000")),
    ] {
        let (exchange, text) = recorded(called);
        let (wallet, tools) = saying(&text);

        let hash = wallet.send(&order).await.unwrap().unwrap();

        assert!(text.ends_with(&hash.to_string()), "{text}");
        let calls = tools.calls.lock().unwrap();
        let asked = ("their-wallet".to_owned(), exchange["tool"].as_str().unwrap().to_owned(), exchange["arguments"].clone());
        assert_eq!(*calls, [asked], "{called}");
    }
}

#[tokio::test]
async fn recorded_errors_say_nothing_certain() {
    for (called, order) in [
        ("a native transfer of more than there is", eth("1000000000000000000000000")),
        ("a token transfer of more than there is", usdc("1000000000000")),
        ("a native transfer to no address", eth("1000000000000000000")),
        ("a native transfer to a wrong checksum", eth("1000000000000000000")),
        ("a token transfer to a wrong checksum", usdc("1000000")),
        ("a token that is none", usdc("1000000")),
        ("a native transfer without a node", eth("1000000000000000000")),
        ("a token transfer without a node", usdc("1000000")),
    ] {
        let (_, text) = recorded(called);
        let error = saying(&text).0.send(&order).await.unwrap_err();
        let SendingWalletError::Unclear { reason } = &error else { panic!("{called}: {error}") };
        assert!(reason.starts_with("it said \"Error"), "{called}: {reason}");
        assert!(!reason.contains("127.0.0.1"), "{called}: {reason}");
    }
}

#[tokio::test]
async fn the_recorded_details_name_address_and_chain() {
    let (_, text) = recorded("details");
    let details = saying(&text).0.details().await.unwrap();
    assert_eq!(details, WalletDetails { address: parse_address(WALLET).unwrap(), chain: ChainId(8453) });

    let (_, text) = recorded("details without a node");
    assert!(matches!(saying(&text).0.details().await, Err(SendingWalletError::Unclear { .. })), "{text}");
}

#[tokio::test]
async fn a_text_that_is_encoded_once_more_reads_the_same() {
    let (_, text) = recorded("a token transfer");
    let plain = saying(&text).0.send(&usdc("1500000")).await.unwrap();
    let encoded = saying(&json!(text).to_string()).0.send(&usdc("1500000")).await.unwrap();
    assert_eq!(encoded, plain);
}

#[tokio::test]
async fn an_answer_to_another_order_or_in_another_form_is_unclear() {
    let good = format!("Transferred 1.5 of USD Coin ({USDC}) to {RECIPIENT}.\nTransaction hash for the transfer: {HASH}");
    assert_eq!(saying(&good).0.send(&usdc("1500000")).await.unwrap().unwrap().to_string(), HASH);
    for text in [
        String::new(),
        good.replace("1.5", "1.50"),
        good.replace("1.5", "15"),
        good.replace(RECIPIENT, WALLET),
        good.replace(&format!("({USDC})"), &format!("({WALLET})")),
        good.replace("Transferred", "transferred"),
        good.replace("USD Coin", "USD\nCoin"),
        good.replace("USD Coin", &"x".repeat(129)),
        good.replace('\n', " "),
        format!("{good}\n"),
        format!(" {good}"),
        format!("{good}0"),
        good[..good.len() - 1].to_owned(),
        good.replace(HASH, &HASH.to_uppercase()),
        good.replace(HASH, &format!("0x{}", "g".repeat(64))),
        // The name of a token cannot put a hash of its choice at the end.
        good.replace("USD Coin", &format!("X ({USDC}) to {RECIPIENT}.\nTransaction hash for the transfer: {}", HASH.replace('1', "2"))),
        format!("Transferred 1.5 of {USDC} to {RECIPIENT} using gasless transfer.\nTransaction hash: {HASH}"),
        format!("Transferred 1.5 ETH to {RECIPIENT}\nTransaction hash: {HASH}"),
    ] {
        let outcome = saying(&text).0.send(&usdc("1500000")).await;
        assert!(matches!(outcome, Err(SendingWalletError::Unclear { .. })), "{text:?} gave {outcome:?}");
    }
    for answer in [json!(null), json!(7), json!({"hash": HASH}), json!([good])] {
        let outcome = wallet(Ok(answer.clone())).0.send(&usdc("1500000")).await;
        assert!(matches!(outcome, Err(SendingWalletError::Unclear { .. })), "{answer} gave {outcome:?}");
    }
}

#[tokio::test]
async fn malformed_details_and_smart_wallets_are_refused() {
    let (_, good) = recorded("details");
    let smart = good.replace("- Network:", &format!("- Owner Address: {RECIPIENT}\n- Network:"));
    let reason = saying(&smart).0.details().await.unwrap_err().to_string();
    assert!(reason.contains("smart wallet"), "{reason}");
    for text in [
        String::new(),
        "Wallet Details:".to_owned(),
        format!("{good}\n- Address: {RECIPIENT}"),
        good.replace("- Provider: ", "- Provider: x\n- Address: 0x0\n"),
        good.replace(WALLET, "0x1234"),
        good.replace(WALLET, &WALLET.replace("Fd", "fd")),
        good.replace("Chain ID: 8453", "Chain ID: N/A"),
        good.replace("Chain ID: 8453", "Chain ID: +8453"),
        good.replace("Chain ID: 8453", "Chain ID: "),
        good.replace("Family: evm", "Family: svm"),
        good.replace("Wallet Details", "Wallet details"),
    ] {
        let outcome = saying(&text).0.details().await;
        assert!(matches!(outcome, Err(SendingWalletError::Unclear { .. })), "{text:?} gave {outcome:?}");
    }
}

#[tokio::test]
async fn only_a_call_that_never_left_is_certain() {
    let server = || "their-wallet".to_owned();
    let certain = [ToolError::NoServer { server: server() }, ToolError::Unreachable { server: server(), reason: "down".to_owned() }];
    let unclear = [
        ToolError::Refused { server: server(), tool: NATIVE_TOOL.to_owned(), reason: "no".to_owned() },
        ToolError::TimedOut { after_ms: 1 },
        ToolError::TooLarge { limit_bytes: 1 },
        ToolError::Failed { server: server(), reason: "gone".to_owned() },
    ];
    for error in certain {
        let outcome = wallet(Err(error)).0.send(&eth("1")).await;
        assert!(matches!(outcome, Err(SendingWalletError::NotAsked { .. })), "{outcome:?}");
    }
    for error in unclear {
        let outcome = wallet(Err(error)).0.send(&eth("1")).await;
        assert!(matches!(outcome, Err(SendingWalletError::Unclear { .. })), "{outcome:?}");
    }
}

#[test]
fn what_is_repeated_of_its_words_holds_no_address_of_a_node_or_file() {
    for (said, gist) in [
        ("", "it said nothing"),
        ("Error: fetch failed URL: https://node.example/key123 done\nDetails: x", "it said \"Error: fetch failed URL: done\""),
        ("at /home/ada/wallet.json", "it said \"at\""),
        ("a\u{7}b", "it said \"ab\""),
    ] {
        assert_eq!(answers::gist(said), gist, "{said:?}");
    }
    assert!(answers::gist(&"x".repeat(5_000)).len() < 200);
}

proptest! {
    #[test]
    fn an_amount_reaches_it_exactly(limbs in any::<[u64; 4]>(), decimals in 0u8..=77) {
        let amount_units = U256::from_limbs(limbs);
        let asset = Asset::token("T", Address::repeat_byte(1), decimals);
        let (wallet, tools) = saying("whatever");
        let order = SendOrder { chain: ChainId(1), asset, to: Address::repeat_byte(2), amount_units };

        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        prop_assert!(runtime.block_on(wallet.send(&order)).is_err());

        let calls = tools.calls.lock().unwrap();
        let amount = calls[0].2["amount"].as_str().unwrap();
        let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
        let digits = format!("{whole}{fraction:0<width$}", width = usize::from(decimals));
        prop_assert_eq!(parse_units(&digits), Ok(amount_units));
    }

    #[test]
    fn no_answer_makes_the_parsers_panic(text in ".{0,300}") {
        let _ = answers::details(&text);
        let _ = answers::native_transfer(&text, "1", RECIPIENT);
        let _ = answers::token_transfer(&text, "1", USDC, RECIPIENT);
        let _ = answers::gist(&text);
    }
}
