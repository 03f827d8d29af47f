//! Puts the program together. The only place that names concrete adapters.

mod chains;
mod devnet;
pub mod explorers;
#[cfg(debug_assertions)]
mod fail_points;
mod keys;
mod known_chains;
mod media;
pub mod models;
pub mod policies;
mod swarm;
mod traces;
mod upstreams;
mod wallets;

pub use chains::native_symbols;
pub use chimera_adapters::{
    store::{
        FolderLock,
        backup::{back_up, restore},
    },
    upstream::{UpstreamState, UpstreamStatus},
};
pub use devnet::give as give_play_money;
pub use keys::{WalletKey, ask_at_start, open_key_file};
pub use swarm::{RunningSwarm, configured_resources};
pub use wallets::Wallets;

use crate::{
    clock::SystemClock,
    config::{Misconfigured, Settings},
    data_folder,
    mcp::{ChimeraServer, McpSkillCaller, SurfaceData},
};
use anyhow::{Context, Result};
use chimera_adapters::{
    embedder::SentenceEmbedder,
    feeds::{FeedTextParser, Sent, parse_feed},
    keystore::Keystore,
    store::{AssetFolder, SqliteStore},
    upstream::Host,
};
use chimera_core::{
    contracts::UtcTime,
    domain::{AgentId, soul::Soul},
    perception::content_classifier::ContentClassifier,
    ports::{
        agents::{AgentRecord, Agents, CreateAgentError},
        assets::Assets,
        chain_directory::ChainDirectory,
        clock::Clock,
        content_check::ContentCheck,
        embedder::Embedder,
        feed_parser::ParsedItem,
        ledger::CONTRADICTED_WAY_ON,
        skill_caller::{CallError, SkillCaller},
        text_model::TextModel,
    },
    skills::{
        Skills,
        content_generator::{ContentGenerator, ContentGeneratorPorts, ContentGeneratorSettings, Writers},
        trend_fetcher::{TrendFetcher, TrendFetcherPorts, TrendFetcherSettings},
        wallet_transaction::{Permits, TransferSettings, Unsigned, Wallet, WalletTransaction},
    },
    swarm::judge::{SecondOpinion, Thresholds},
};
use chimera_devnet::Devnet;
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

/// Of the database that this version makes.
pub const STORE_SCHEMA_VERSION: usize = SqliteStore::SCHEMA_VERSION;

/// `/agents/new` makes one, and `/api/freezes/fleet` is about all of them.
const RESERVED_IDS: [&str; 2] = ["fleet", "new"];

/// Whether somebody serves the data folder now.
pub fn is_served(settings: &Settings) -> Result<bool> {
    Ok(FolderLock::is_taken(&settings.data_dir)?)
}

/// The parts that need neither network nor chain: enough to create and show agents. Clones share them.
#[derive(Clone)]
pub struct Records {
    pub store: SqliteStore,
    pub keystore: Arc<Keystore>,
    pub clock: Arc<dyn Clock>,
    assets: Arc<AssetFolder>,
}

impl Records {
    pub fn open(settings: &Settings) -> Result<Self> {
        let folder = &settings.data_dir;
        data_folder::prepare(folder)?;
        let store = SqliteStore::open(&settings.database_path()?)?;
        let assets = Arc::new(AssetFolder::new(store.clone(), folder.join("assets")));
        let keystore = Arc::new(keys::keystore(settings)?);
        Ok(Self { store, keystore, clock: Arc::new(SystemClock), assets })
    }

    /// The wallet first: an agent on record always has its key.
    pub async fn create_agent(&self, soul: &Soul, source: String, key: WalletKey<'_>) -> Result<AgentRecord> {
        if RESERVED_IDS.contains(&soul.id.as_str()) {
            anyhow::bail!("{:?} is a word of mission control's addresses; give the agent another id", soul.id.as_str());
        }
        if Agents::find(&self.store, &soul.id).await?.is_some() {
            return Err(CreateAgentError::Exists(soul.id.clone()).into());
        }
        let agent = AgentRecord {
            id: soul.id.clone(),
            soul_source: source,
            soul_version: soul.version().to_owned(),
            address: self.wallet_of(&soul.id, &key).await?,
            created_at: self.clock.now(),
        };
        Agents::create(&self.store, &agent).await?;
        tracing::info!(agent = %agent.id, "agent {} created at {}", agent.id, UtcTime(agent.created_at));
        Ok(agent)
    }

    /// The same for a program that has opened nothing else: the wallet may be kept by an upstream server.
    pub async fn create_agent_alone(&self, settings: &Settings, soul: &Soul, source: String) -> Result<AgentRecord> {
        let host = Arc::new(upstreams::host(settings).map_err(Misconfigured::mark)?);
        let wallets = wallets::open(settings, self, host.clone()).map_err(Misconfigured::mark)?;
        let created = self.create_agent(soul, source, WalletKey::MadeBy(wallets.signer.as_ref())).await;
        host.close().await;
        created
    }

    pub async fn agent(&self, id: &str) -> Result<AgentRecord> {
        let parsed: AgentId = id.parse()?;
        Agents::find(&self.store, &parsed).await?.with_context(|| format!("there is no agent {id}; `chimera agent list` shows all"))
    }

    /// One that can be given work.
    pub async fn active_agent(&self, id: &str) -> Result<AgentRecord> {
        let agent = self.agent(id).await?;
        match Agents::retirement(&self.store, &agent.id).await? {
            Some(retirement) => {
                anyhow::bail!("{id} is retired ({}); leave it out, or run `chimera agent reinstate {id}`", retirement.reason)
            }
            None => Ok(agent),
        }
    }

    /// The pictures and videos of this data folder.
    pub fn assets(&self) -> Arc<dyn Assets> {
        self.assets.clone()
    }

    pub async fn close(self) {
        self.store.close().await;
    }
}

/// What the Judge goes by.
pub fn thresholds(settings: &Settings) -> Thresholds {
    let judge = &settings.file.judge;
    Thresholds {
        approve_above: judge.approve_above,
        reject_below: judge.reject_below,
        retries_max: judge.retries_max,
        auto_approve_embedded: judge.auto_approve_embedded,
    }
}

/// What the process is to its data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The one process that serves it, and settles what earlier ones left open.
    Serving,
    /// One of many that come and go.
    Visiting,
}

/// The whole program on one data folder.
pub struct App {
    pub settings: Settings,
    pub records: Records,
    pub chains: ChainDirectory,
    pub host: Arc<Host>,
    pub wallets: Wallets,
    pub wallet: Arc<WalletTransaction>,
    /// The language models, in the order in which they are asked.
    pub models: Vec<Arc<dyn TextModel>>,
    /// What the Judge asks about a text's meaning.
    pub content_check: Arc<dyn ContentCheck>,
    /// A language model that the Judge asks what it thinks.
    pub second_opinion: Option<Arc<SecondOpinion>>,
    /// Text to vectors, for whoever reads texts.
    pub embedder: Arc<dyn Embedder>,
    /// The embedded chain, when this process runs it.
    pub devnet: Option<Devnet>,
    /// Where the embedded chain answers, whichever process runs it.
    pub devnet_url: Option<Url>,
    skills: Skills,
    /// Transfers under way.
    transfers: TaskTracker,
    /// Everything else that runs in the background, until `stop`.
    background: TaskTracker,
    stop: CancellationToken,
}

/// How long a transfer may still take once the program is asked to stop. What is not done then is resumed at the next start.
const TRANSFERS_FINISH_WITHIN: Duration = Duration::from_secs(20);
const BACKGROUND_STOP_WITHIN: Duration = Duration::from_secs(10);
const SETTLE_EVERY: Duration = Duration::from_secs(5);
const CARRY_OUT_EVERY: Duration = Duration::from_secs(2);

impl App {
    pub async fn open(settings: Settings, role: Role) -> Result<Self> {
        let records = Records::open(&settings)?;
        let (background, transfers, stop) = (TaskTracker::new(), TaskTracker::new(), CancellationToken::new());
        let chain = match chains::devnet_chain_id(&settings).map_err(Misconfigured::mark)? {
            Some(id) => Some(devnet::start(&settings.chain_dir(), id, &background, stop.clone()).await?),
            None => None,
        };
        let chains = chains::directory(&settings, chain.as_ref().map(|chain| &chain.url)).map_err(Misconfigured::mark)?;
        let host = Arc::new(upstreams::host(&settings).map_err(Misconfigured::mark)?);
        let wallets = wallets::open(&settings, &records, host.clone()).map_err(Misconfigured::mark)?;
        let wallet = Wallet {
            agents: Arc::new(records.store.clone()),
            transfers: Arc::new(records.store.clone()),
            permits: Permits::new(Arc::new(records.store.clone())),
            book: Arc::new(records.store.clone()),
            signer: wallets.signer.clone(),
            sending: wallets.sending.clone(),
            chains: chains.clone(),
            policies: policies::policies(&settings).map_err(Misconfigured::mark)?,
            clock: records.clock.clone(),
            watching_since: records.clock.now(),
            settings: TransferSettings::default(),
        };
        #[cfg(debug_assertions)]
        let wallet = fail_points::in_wallet(wallet, &settings)?;
        let wallet = Arc::new(WalletTransaction::new(wallet, transfers.clone()));
        if role == Role::Serving {
            if let Some(why) = records.store.checked_contradiction().await? {
                tracing::error!("nothing is paid: {why}; {CONTRADICTED_WAY_ON}");
            }
            let recovered = wallet.settle_open(Unsigned::ReleaseAll).await?;
            tracing::info!(
                "open transfers: {} released, {} settled, {} still open",
                recovered.released,
                recovered.settled,
                recovered.still_open
            );
            background.spawn(keep_settling(wallet.clone(), stop.clone()));
            background.spawn(keep_carrying_out(wallet.clone(), stop.clone()));
        }
        let writers = models::writers(&settings, &records)?;
        let models = writers.models.iter().map(|priced| priced.model.clone()).collect();
        let second_opinion = models::second_opinion(&settings, &records)?.map(Arc::new);
        let embedder = embedder();
        let skills = skills(&settings, &records, &host, writers, wallet.clone(), embedder.clone());
        Ok(Self {
            settings,
            records,
            chains,
            host,
            wallets,
            wallet,
            models,
            content_check: Arc::new(ContentClassifier(embedder.clone())),
            second_opinion,
            embedder,
            devnet_url: chain.as_ref().map(|chain| chain.url.clone()),
            devnet: chain.and_then(|chain| chain.devnet),
            skills,
            transfers,
            background,
            stop,
        })
    }

    /// The MCP server over this program's skills and records.
    pub fn server(&self, shutdown: CancellationToken) -> ChimeraServer {
        let store = Arc::new(self.records.store.clone());
        let data = SurfaceData {
            agents: store.clone(),
            campaigns: store.clone(),
            tasks: store.clone(),
            judgements: store.clone(),
            ledger: store,
            assets: self.records.assets(),
        };
        ChimeraServer::new(self.skills.clone(), data, shutdown)
    }

    /// One skill call through MCP, in this process.
    pub async fn call(&self, skill: &str, input: &Value) -> Result<Value, CallError> {
        let caller = McpSkillCaller::in_memory(&self.server(self.stop.clone())).await?;
        let answer = caller.call(skill, input).await;
        caller.close().await;
        answer
    }

    pub fn thresholds(&self) -> Thresholds {
        thresholds(&self.settings)
    }

    /// Finishes what runs, then stops the parts in the order in which they need each other.
    pub async fn close(self) {
        self.transfers.close();
        if timeout(TRANSFERS_FINISH_WITHIN, self.transfers.wait()).await.is_err() {
            tracing::warn!("a transfer is still under way; the next start resumes it");
        }
        self.host.close().await;
        self.stop.cancel();
        self.background.close();
        if timeout(BACKGROUND_STOP_WITHIN, self.background.wait()).await.is_err() {
            tracing::warn!("something in the background did not stop in time");
        }
        self.records.close().await;
    }
}

/// Text to vectors, by the weights that are part of the program.
pub fn embedder() -> Arc<dyn Embedder> {
    Arc::new(SentenceEmbedder::default())
}

/// The items of a feed, as it was saved; or why there are none.
pub fn saved_feed(bytes: &[u8]) -> Result<Vec<ParsedItem>, String> {
    parse_feed(bytes, Sent::default()).map(|feed| feed.items).map_err(|error| error.to_string())
}

fn skills(
    settings: &Settings,
    records: &Records,
    host: &Arc<Host>,
    writers: Writers,
    wallet: Arc<WalletTransaction>,
    embedder: Arc<dyn Embedder>,
) -> Skills {
    let store = &records.store;
    let trend_fetcher = TrendFetcher::new(
        TrendFetcherPorts {
            agents: Arc::new(store.clone()),
            resources: host.clone(),
            feeds: Arc::new(FeedTextParser),
            perception: Arc::new(store.clone()),
            readings: Arc::new(store.clone()),
            embedder: embedder.clone(),
            clock: records.clock.clone(),
        },
        TrendFetcherSettings { trend_rule: settings.file.trends.rule(), ..TrendFetcherSettings::default() },
    )
    .with_scorer(models::scorer(settings, records, &writers));
    let content_generator = ContentGenerator::new(
        ContentGeneratorPorts {
            agents: Arc::new(store.clone()),
            memories: Arc::new(store.clone()),
            recollection: Arc::new(store.clone()),
            resources: host.clone(),
            feeds: Arc::new(FeedTextParser),
            perception: Arc::new(store.clone()),
            readings: Arc::new(store.clone()),
            embedder,
            writers,
            media: media::maker(settings, host, records.clock.clone()),
            assets: records.assets(),
            clock: records.clock.clone(),
        },
        ContentGeneratorSettings::default(),
    );
    Skills::new(vec![Arc::new(trend_fetcher), Arc::new(content_generator), wallet])
}

async fn keep_settling(wallet: Arc<WalletTransaction>, stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(SETTLE_EVERY)).await.is_some() {
        let settled = wallet.settle_open(Unsigned::ReleaseExpired).await.map(drop);
        if let Err(error) = settled.and(wallet.watch_blocks().await) {
            tracing::error!("open transfers could not be looked at: {error}");
        }
    }
}

/// Apart from settling: a granted transfer may wait a minute for its receipt, and others must not wait for it.
async fn keep_carrying_out(wallet: Arc<WalletTransaction>, stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(CARRY_OUT_EVERY)).await.is_some() {
        if let Err(error) = wallet.carry_out_granted().await {
            tracing::error!("granted transfers could not be looked at: {error}");
        }
    }
}
