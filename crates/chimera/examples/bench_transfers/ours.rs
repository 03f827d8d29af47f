//! Chimera as it serves, in process: the whole program on a data folder of its own, called through the wallet skill. Policy, budget,
//! signed ledger, synced store and the background's passes are all there.

use super::anvil::CHAIN_ID;
use anyhow::{Context, Result, ensure};
use chimera::{
    config::{Environment, Settings},
    wiring::{App, Role, WalletKey},
};
use chimera_core::{
    domain::soul::Soul,
    skills::{NoProgress, Skill},
};
use futures::{TryStreamExt, stream};
use serde_json::json;
use std::{io::Write, time::Instant};
use tokio::io::{AsyncBufReadExt, BufReader};

const AT_ONCE: usize = 256;
const SOUL: &str = include_str!("../../assets/demo/souls/selam.md");
/// Every rule is on, with limits that let the benchmark through.
const POLICY: &str = r#"
fee_per_transaction_max_wei = "10000000000000000"
fees_per_day_max_wei = "1000000000000000000000"
[policy]
first_seen_recipient = "allow"
deny = ["0x000000000000000000000000000000000000dEaD"]
transfers_per_hour_max = 1000000
[[policy.limits]]
chain = "8453"
asset = "ETH"
per_transaction = "1000000"
per_day = "1000000000"
"#;

pub(crate) async fn pay(url: &str, recipient: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("chimera.toml");
    std::fs::write(&config, format!("[chains.{CHAIN_ID}]\nrpc = [\"{url}\"]\n{POLICY}"))?;
    let settings = Settings::load(Some(&config), Some(&folder.path().join("data")), Environment::default())?;
    settings.keep_passphrase("of the benchmark".to_owned().into());
    let app = App::open(settings, Role::Serving).await?;
    let agent = app.records.create_agent(&Soul::parse(SOUL)?, SOUL.to_owned(), WalletKey::MadeBy(app.wallets.signer.as_ref())).await?;
    give_wei(url, &agent.address.to_string()).await?;

    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let count: usize = line.trim().parse()?;
        let started = Instant::now();
        let transfers = (0..count).map(|_| Ok(transfer(&app, agent.id.as_str(), recipient)));
        stream::iter(transfers).try_buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
        writeln!(std::io::stdout(), "{}", started.elapsed().as_secs_f64())?;
    }
    app.close().await;
    Ok(())
}

async fn transfer(app: &App, agent: &str, recipient: &str) -> Result<()> {
    let input = json!({
        "task_id": uuid::Uuid::new_v4().to_string(),
        "agent_id": agent,
        "operation": "native_transfer",
        "params": {"asset": "ETH", "to_address": recipient, "amount_wei_or_units": "1", "chain_id": CHAIN_ID},
    });
    let output = app.wallet.run(&input, &NoProgress).await.map_err(|failure| anyhow::anyhow!("{failure:?}"))?;
    ensure!(output["result"]["tx_hash"].is_string(), "{output}");
    Ok(())
}

async fn give_wei(url: &str, address: &str) -> Result<()> {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "anvil_setBalance", "params": [address, "0xd3c21bcecceda1000000"]});
    let client = chimera_adapters::http_client::builder().build()?;
    client.post(url).json(&body).send().await?.error_for_status().context("anvil gives the agent no money")?;
    Ok(())
}
