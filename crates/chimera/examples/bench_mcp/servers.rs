//! Our side of the comparison: the bare rmcp echo, and Chimera's own server with its token, its checks and its SQLite store.

use anyhow::Result;
use axum::Router;
use chimera::mcp::{ChimeraServer, Gate, HttpOptions, SurfaceData, http_router, serve_http};
use chimera_adapters::store::{AssetFolder, SqliteStore};
use chimera_core::{
    domain::{
        AgentId,
        money::{Asset, ChainId, U256},
        transfer::FeeLimits,
    },
    policy::spending::SpendingPolicies,
    ports::{
        agents::{AgentRecord, Agents},
        chain_directory::{ChainDirectory, ChainEntry},
        clock::Clock,
    },
    skills::{
        Skills,
        wallet_transaction::{Permits, TransferSettings, Wallet, WalletTransaction},
    },
    testing::{fake_chain::FakeChain, fake_clock::ManualClock, fake_signer::FakeSigner, fake_transfers::FakeTransfers},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig},
    service::RequestContext,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
};
use std::{
    io::{Read, Write},
    net::Ipv4Addr,
    sync::Arc,
};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) const AGENT: &str = "selam";
pub(crate) const TOKEN: &str = "the-token-of-the-benchmark";
const NOW: &str = "2026-01-01T00:00:00Z";

/// A server's routes, and what must outlive them.
pub(crate) struct Served {
    router: Router,
    _folder: Option<tempfile::TempDir>,
}

/// Says its port on standard output and serves until standard input ends, so that it never outlives who started it.
pub(crate) fn run<F: Future<Output = Result<Served>>>(make: impl FnOnce(CancellationToken) -> F) -> Result<()> {
    let shutdown = CancellationToken::new();
    let at_end = shutdown.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        at_end.cancel();
    });
    tokio::runtime::Runtime::new()?.block_on(async {
        let served = make(shutdown.clone()).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
        serve_http(served.router, Gate::new(&HttpOptions::default(), Some(TOKEN)), listener, shutdown).await?;
        Ok(())
    })
}

/// rmcp in its fastest mode, with nothing around it.
pub(crate) async fn echo(shutdown: CancellationToken) -> Result<Served> {
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true).with_cancellation_token(shutdown);
    let service = StreamableHttpService::new(|| Ok(Echo), Arc::new(LocalSessionManager::default()), config);
    Ok(Served { router: Router::new().route_service("/mcp", service), _folder: None })
}

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(&self, call: CallToolRequestParams, _: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let message = call.arguments.as_ref().and_then(|arguments| arguments.get("message"));
        let message = message.ok_or_else(|| ErrorData::invalid_params("message is required", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(message.to_string())]).into())
    }
}

/// As the program serves it, but for the chain, which answers at once.
pub(crate) async fn chimera(shutdown: CancellationToken) -> Result<Served> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::open(&folder.path().join("chimera.db"))?);
    let wallet = wallet(&store).await?;
    let skills = Skills::new(vec![Arc::new(WalletTransaction::new(wallet, TaskTracker::new()))]);
    let assets = Arc::new(AssetFolder::new(store.as_ref().clone(), folder.path().join("assets")));
    let data = SurfaceData {
        agents: store.clone(),
        campaigns: store.clone(),
        tasks: store.clone(),
        judgements: store.clone(),
        ledger: store,
        assets,
    };
    let server = ChimeraServer::new(skills, data, shutdown.clone());
    Ok(Served { router: http_router(server, &HttpOptions::default(), TOKEN, shutdown), _folder: Some(folder) })
}

async fn wallet(store: &Arc<SqliteStore>) -> Result<Wallet> {
    let clock = Arc::new(ManualClock::at(NOW));
    let id: AgentId = AGENT.parse()?;
    let address = FakeSigner::address_of(&id);
    let agent = AgentRecord { id, soul_source: String::new(), soul_version: "0".repeat(64), address, created_at: clock.now() };
    Agents::create(store.as_ref(), &agent).await?;

    let (chain_id, eth) = (ChainId(8453), Asset::native("ETH"));
    let chain = FakeChain::new(chain_id, NOW);
    chain.fund(address, &eth, U256::from(10).pow(U256::from(18)));
    let entry = ChainEntry {
        id: chain_id,
        name: "stub".to_owned(),
        native: eth,
        tokens: Vec::new(),
        fee_limits: FeeLimits { per_transaction_max_wei: U256::ZERO, per_day_max_wei: U256::ZERO },
        chain: Arc::new(chain),
    };
    let transfers = Arc::new(FakeTransfers::default());
    Ok(Wallet {
        agents: store.clone(),
        transfers: transfers.clone(),
        permits: Permits::new(transfers.clone()),
        book: transfers,
        signer: Arc::new(FakeSigner::default()),
        sending: Default::default(),
        chains: ChainDirectory::new(chain_id, vec![entry]),
        policies: SpendingPolicies::default(),
        watching_since: clock.now(),
        clock,
        settings: TransferSettings::default(),
    })
}
