use super::*;
use crate::config::Environment;
use chimera_core::domain::money::{AssetKind, U256};

fn settings(text: &str) -> Settings {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.toml");
    std::fs::write(&path, text).unwrap();
    Settings::load(Some(&path), Some(folder.path()), Environment::default()).unwrap()
}

fn directory_of(text: &str) -> Result<ChainDirectory> {
    directory(&settings(text), None)
}

#[test]
fn six_chains_are_known_without_a_word_and_none_has_a_node() {
    let chains = directory_of("").unwrap();

    let told: Vec<_> = chains.all().map(|entry| (entry.id.0, entry.name.as_str(), entry.symbols(), entry.chain.has_node())).collect();
    assert_eq!(
        told,
        [
            (1, "ethereum", vec!["ETH", "USDC"], false),
            (10, "optimism", vec!["ETH", "USDC"], false),
            (137, "polygon", vec!["POL", "USDC"], false),
            (8453, "base", vec!["ETH", "USDC"], false),
            (42161, "arbitrum", vec!["ETH", "USDC"], false),
            (84532, "base-sepolia", vec!["ETH", "USDC"], false),
        ]
    );
    assert_eq!(chains.default_chain(), ChainId(8453));
}

#[test]
fn a_section_changes_a_known_chain_field_by_field() {
    let text = r#"
        [chains.137]
        rpc = ["http://127.0.0.1:9"]
        fees_per_day_max_wei = "7000000000000000000"
        [[chains.137.tokens]]
        symbol = "WETH"
        address = "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619"
        decimals = 18
        [[chains.10.tokens]]
        symbol = "USDC"
        address = "0x7F5c764cBc14f9669B88837ca1490cCa17c31607"
        decimals = 6
    "#;
    let chains = directory_of(text).unwrap();

    let polygon = chains.get(ChainId(137)).unwrap();
    assert_eq!((polygon.name.as_str(), polygon.native.symbol.as_str(), polygon.chain.has_node()), ("polygon", "POL", true));
    assert_eq!(polygon.symbols(), ["POL", "WETH", "USDC"]);
    assert_eq!(polygon.fee_limits.per_transaction_max_wei, U256::from(500_000_000_000_000_000u64));
    assert_eq!(polygon.fee_limits.per_day_max_wei, U256::from(7_000_000_000_000_000_000u64));
    let optimism = chains.get(ChainId(10)).unwrap();
    let bridged = parse_address("0x7F5c764cBc14f9669B88837ca1490cCa17c31607").unwrap();
    assert_eq!(optimism.asset("USDC").unwrap().kind, AssetKind::Token(bridged), "the operator's contract takes the place of the known one");
    assert_eq!(optimism.symbols(), ["ETH", "USDC"]);
}

#[test]
fn any_other_chain_is_what_its_section_says_and_needs_name_and_native() {
    let chains = directory_of("[chains.100]\nname = \"gnosis\"\nnative = \"XDAI\"\nrpc = [\"http://127.0.0.1:9\"]").unwrap();
    let gnosis = chains.get(ChainId(100)).unwrap();
    assert_eq!((gnosis.name.as_str(), gnosis.symbols(), gnosis.chain.has_node()), ("gnosis", vec!["XDAI"], true));
    assert_eq!(gnosis.fee_limits.per_transaction_max_wei, U256::from(2_000_000_000_000_000u64));

    let many = format!("[chains.1]\nrpc = [{}]", "\"http://127.0.0.1:9\",".repeat(9));
    for (text, expected) in [
        ("[chains.100]\nnative = \"XDAI\"", "[chains.100]: name is missing"),
        ("[chains.100]\nname = \"gnosis\"", "[chains.100]: native is missing"),
        ("[chains.1]\nrpc = [\"ws://127.0.0.1:9\"]", "only http and https"),
        ("[chains.1]\nrpc = [\"devnet\"]", "which is not running"),
        ("[chains.1]\nfees_per_day_max_wei = \"-1\"", "fees_per_day_max_wei"),
        ("[chains.1]\nexplorer = \"https://scan.example/tx/\"", "[chains.1]: explorer"),
        (many.as_str(), "at most 8"),
    ] {
        let error = match directory_of(text) {
            Ok(_) => panic!("{text} is taken"),
            Err(error) => format!("{error:#}"),
        };
        assert!(error.contains(expected), "{text:?} gave {error:?}");
    }
}
