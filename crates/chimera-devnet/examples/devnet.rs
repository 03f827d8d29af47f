//! A devnet on a port of its own: `cargo run -p chimera-devnet --example devnet -- [ADDRESS] [FOLDER] [BLOCK_TIME_MS]`.

use std::time::Duration;

use chimera_devnet::{Devnet, DevnetConfig, serve};
use tokio_util::sync::CancellationToken;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "whoever runs it must learn the address")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let path = arguments.next().filter(|folder| !folder.is_empty()).map(Into::into);
    let block_time = arguments.next().map(|text| text.parse().map(Duration::from_millis)).transpose()?;

    let devnet = Devnet::open(DevnetConfig { path, block_time, ..DevnetConfig::default() })?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{} chain {} usdc {}", listener.local_addr()?, devnet.chain_id(), devnet.usdc());

    let shutdown = CancellationToken::new();
    let serving = serve(devnet, listener, shutdown.clone());
    let stopping = async {
        let signalled = tokio::signal::ctrl_c().await;
        shutdown.cancel();
        signalled
    };
    let (served, signalled) = tokio::join!(serving, stopping);
    served?;
    Ok(signalled?)
}
