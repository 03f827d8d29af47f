use super::*;
use crate::config::Environment;
use chimera_core::{
    domain::money::{B256, ChainId, U256},
    ports::{
        sending_wallet::{SendOrder, SendingWalletError, WalletDetails},
        tools::{ToolAnswer, ToolError},
    },
    testing::fake_signer::FakeSigner,
};
use serde_json::{Map, Value};
use std::time::Duration;

/// An upstream that is never there.
struct NoTools;

#[async_trait]
impl Tools for NoTools {
    async fn call(&self, server: &str, _: &str, _: Map<String, Value>, _: Duration) -> Result<ToolAnswer, ToolError> {
        Err(ToolError::Unreachable { server: server.to_owned(), reason: "it is down".to_owned() })
    }
}

struct WalletElsewhere;

#[async_trait]
impl SendingWallet for WalletElsewhere {
    async fn details(&self) -> Result<WalletDetails, SendingWalletError> {
        Ok(WalletDetails { address: Address::repeat_byte(0xaa), chain: ChainId(8453) })
    }
    async fn send(&self, _: &SendOrder) -> Result<Option<B256>, SendingWalletError> {
        Err(SendingWalletError::NotAsked { reason: "not in this test".to_owned() })
    }
}

/// Its address is the same for every agent.
struct RemoteSigner;

#[async_trait]
impl Signer for RemoteSigner {
    async fn create(&self, _: &AgentId) -> Result<Address, SignerError> {
        Ok(Address::repeat_byte(0xbb))
    }
    async fn sign(&self, _: &AgentId, _: &UnsignedTransaction) -> Result<SignedTransaction, SignerError> {
        Ok(SignedTransaction { tx_hash: B256::repeat_byte(0xbb), raw: Vec::new() })
    }
}

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

fn transaction() -> UnsignedTransaction {
    UnsignedTransaction {
        chain: ChainId(8453),
        nonce: 0,
        to: Address::repeat_byte(1),
        value_wei: U256::ZERO,
        data: Vec::new(),
        gas_limit: 21_000,
        max_fee_per_gas_wei: 1,
        max_priority_fee_per_gas_wei: 1,
    }
}

#[tokio::test]
async fn each_agent_is_signed_for_by_whoever_keeps_its_key_and_by_nobody_else() {
    let keystore = Arc::new(FakeSigner::default());
    let signer = SignerByAgent {
        keystore: keystore.clone(),
        remote: [(agent("far"), Arc::new(RemoteSigner) as Arc<dyn Signer>)].into(),
        sending: [(agent("alone"), Arc::new(WalletElsewhere) as Arc<dyn SendingWallet>)].into(),
    };

    assert_eq!(signer.create(&agent("near")).await.unwrap(), FakeSigner::address_of(&agent("near")));
    assert_eq!(signer.create(&agent("far")).await.unwrap(), Address::repeat_byte(0xbb));
    assert_eq!(signer.create(&agent("alone")).await.unwrap(), Address::repeat_byte(0xaa));
    assert_eq!(signer.sign(&agent("far"), &transaction()).await.unwrap().tx_hash, B256::repeat_byte(0xbb));
    let refused = signer.sign(&agent("alone"), &transaction()).await.unwrap_err().to_string();
    assert!(refused.contains("signs and sends by itself"), "{refused}");
    assert_eq!(keystore.signed(), [], "the keystore signed for nobody else's agent");
    signer.sign(&agent("near"), &transaction()).await.unwrap();
    assert_eq!(keystore.signed(), [transaction()]);
}

async fn opened(config: &str, environment: &[(&str, &str)]) -> Result<Wallets> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chimera.toml");
    std::fs::write(&path, config).unwrap();
    let settings = Settings::load(Some(&path), Some(&folder.path().join("data")), Environment::of(environment))?;
    let records = Records::open(&settings)?;
    let wallets = open(&settings, &records, Arc::new(NoTools));
    records.close().await;
    wallets
}

const AGENTKIT: &str = "[upstreams.kit]\ncommand = ['node']\n[agents.selam.wallet]\nkind = 'agentkit'\nupstream = 'kit'\n";

#[tokio::test]
async fn an_agentkit_wallet_is_one_that_sends_and_a_keystore_wallet_is_not() {
    let wallets = opened(&format!("{AGENTKIT}[agents.tariku.wallet]\nkind = 'keystore'\n[agents.plain]\n"), &[]).await.unwrap();

    assert_eq!(wallets.sending.keys().collect::<Vec<_>>(), [&agent("selam")]);
    let down = wallets.signer.create(&agent("selam")).await.unwrap_err().to_string();
    assert!(down.contains("\"kit\" cannot be reached: it is down"), "{down}");
}

#[tokio::test]
async fn a_cdp_wallet_without_its_keys_is_refused_by_the_variables_name() {
    let config = "[agents.selam.wallet]\nkind = 'cdp'\n";
    let all = [("CDP_API_KEY_ID", "id"), ("CDP_API_KEY_SECRET", "secret-words"), ("CDP_WALLET_SECRET", "other-words")];
    for (name, rest) in [("CDP_API_KEY_ID", &all[1..]), ("CDP_API_KEY_SECRET", &all[..1]), ("CDP_WALLET_SECRET", &all[..2])] {
        let error = format!("{:#}", opened(config, rest).await.err().unwrap());
        assert!(error.contains(&format!("needs {name}")) && error.contains("[agents.selam.wallet]"), "{error}");
    }
    let error = format!("{:#}", opened(config, &all).await.err().unwrap());
    assert!(error.contains("CDP_API_KEY_SECRET is neither") && !error.contains("words"), "{error}");
}

#[test]
fn tokens_go_over_tls_or_stay_on_this_machine() {
    for good in [CDP_URL, "https://gateway.example/cdp", "http://127.0.0.1:8080/platform", "http://[::1]:1", "http://localhost:1/x"] {
        assert!(cdp_url(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "x",
        "http://gateway.example",
        "ftp://127.0.0.1",
        "https://a.example?key=1",
        "https://u:p@a.example",
        "http://127.0.0.1.example",
    ] {
        assert!(cdp_url(bad).is_err(), "{bad}");
    }
}
