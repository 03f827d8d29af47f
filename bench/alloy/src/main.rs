//! Transfers with alloy's provider and nothing around it: the most that anybody gets out of a node this way. No policy, no budget, no
//! record: what is in flight when this program dies is forgotten.
//!
//!     bench-alloy RPC_URL PRIVATE_KEY RECIPIENT
//!
//! Each line on standard input is a number of transfers; once all of them are confirmed, the seconds they took are said on standard
//! output. Ends with standard input. alloy asks the node for gas and fees, as it does by default.

use alloy::{
    network::{EthereumWallet, TransactionBuilder},
    primitives::{Address, U256},
    providers::{Provider, ProviderBuilder},
    rpc::types::TransactionRequest,
    signers::local::PrivateKeySigner,
};
use futures::{TryStreamExt, stream};
use std::{
    error::Error,
    time::{Duration, Instant},
};
use tokio::io::{AsyncBufReadExt, BufReader};

const AT_ONCE: usize = 256;
const VALUE_WEI: u64 = 1;
const CHAIN_ID: u64 = 8453;
/// Between two looks for a receipt, as the wallet skill waits: it doubles up to the last.
const POLL_FIRST: Duration = Duration::from_millis(25);
const POLL_MAX: Duration = Duration::from_millis(500);

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, key, recipient] = &arguments[..] else { return Err("usage: bench-alloy RPC_URL KEY RECIPIENT".into()) };
    let signer: PrivateKeySigner = key.parse()?;
    let (from, to): (Address, Address) = (signer.address(), recipient.parse()?);
    let builder = ProviderBuilder::new().disable_recommended_fillers().with_gas_estimation().wallet(EthereumWallet::from(signer));
    let provider = builder.connect_http(url.parse()?);
    let mut next_nonce = provider.get_transaction_count(from).await?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let count: u64 = line.trim().parse()?;
        let started = Instant::now();
        // Its own nonces: alloy's managers lose transfers when many are sent at once.
        let transfers = (next_nonce..next_nonce + count).map(|nonce| Ok::<_, Failure>(transfer(&provider, from, to, nonce)));
        stream::iter(transfers).try_buffer_unordered(AT_ONCE).try_collect::<Vec<()>>().await?;
        next_nonce += count;
        println!("{}", started.elapsed().as_secs_f64());
    }
    Ok(())
}

async fn transfer(provider: &impl Provider, from: Address, to: Address, nonce: u64) -> Result<(), Failure> {
    let request =
        TransactionRequest::default().with_from(from).with_to(to).with_value(U256::from(VALUE_WEI)).with_nonce(nonce).with_chain_id(CHAIN_ID);
    let tx_hash = *provider.send_transaction(request).await?.tx_hash();
    let mut wait = POLL_FIRST;
    loop {
        if let Some(receipt) = provider.get_transaction_receipt(tx_hash).await? {
            return if receipt.status() { Ok(()) } else { Err("a transfer reverted".into()) };
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(POLL_MAX);
    }
}
