//! `chimera demo`: the whole loop on embedded defaults, told as it happens and reported as it ended.

mod progress;
mod report;

use super::{Context, serve};
use crate::{
    cli::DemoFlags,
    config::Settings,
    data_folder,
    mcp::McpSkillCaller,
    project::{Project, SOULS},
    shutdown::Shutdown,
    wiring::{App, FolderLock, Role, WalletKey},
};
use anyhow::{Context as _, Result, bail};
use chimera_core::{
    contracts::{UtcTime, campaign::CampaignGoal},
    domain::{
        Platform,
        campaign::{CampaignEvent, Reach},
        money::{Address, U256},
        soul::Soul,
    },
    ports::{
        agents::{AgentRecord, Agents},
        clock::Clock,
        swarm::{CampaignState, Campaigns},
    },
    swarm::{
        publisher::Channels,
        round::{Round, Step},
        runtime::Role as SwarmRole,
    },
};
use progress::Progress;
use report::Report;
use serde_json::json;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;

const GOAL: &str = "Follow open AI language models that run on people's own devices";
/// Nobody's address: play money that arrives there stays there.
const RECIPIENT: &str = "0x00000000000000000000000000000000c0ffee01";
const PAYMENT_UNITS: &str = "1500000";
/// What every demo agent is given to start with, when it has less.
const PLAY_WEI: u128 = 1_000_000_000_000_000_000;
const PLAY_USDC_UNITS: u64 = 25_000_000;

pub async fn run(context: Context, flags: DemoFlags) -> Result<ExitCode> {
    let data_dir = context.settings.data_dir.clone();
    data_folder::prepare(&data_dir)?;
    let _lock = FolderLock::take(&data_dir)?;
    // Found out before the work, not after it.
    let listener = if flags.once { None } else { Some(serve::bind(&context, flags.listen).await?) };
    let run = Run::prepare(&context)?;
    let app = App::open(run.settings.clone(), Role::Serving).await?;
    let shutdown = Shutdown::on_signal()?;
    let outcome = tokio::select! {
        outcome = run.close_loop(&context, &app) => outcome,
        () = shutdown.token.cancelled() => Err(anyhow::anyhow!("stopped before the loop closed; run it again, nothing is lost")),
    };
    let closed = match outcome {
        Ok(report) => {
            context.output.show(&report.to_json(), |out| report.to_lines(out))?;
            report.closed()
        }
        Err(error) => {
            app.close().await;
            return Err(error);
        }
    };
    if let Some(listener) = listener {
        serve::serve(&app, listener, &context.output, &SwarmRole::ALL, shutdown.token.clone()).await?;
    }
    app.close().await;
    Ok(if closed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One run of the demo: its own configuration, feeds and campaign.
struct Run {
    settings: Settings,
    campaign_id: String,
    resource_uris: Vec<String>,
    /// What was set that a person would otherwise set.
    arranged: Vec<String>,
}

impl Run {
    /// Writes the demo's project below the data folder. Each run has a region of its own, so that its news is news.
    fn prepare(context: &Context) -> Result<Self> {
        let clock = crate::clock::SystemClock;
        let stamp = clock.now().format("%Y%m%d-%H%M%S").to_string();
        let region = format!("sample-{stamp}");
        let folder = context.settings.data_dir.join("demo");
        let project = Project {
            heading: "The demo's own configuration, written anew by each run.",
            region: &region,
            auto_approve_embedded: true,
            allow: &[RECIPIENT],
            usdc: chimera_devnet::USDC.to_string(),
        };
        data_folder::make(&folder)?;
        project.write(&folder, clock.now())?;
        data_folder::tighten(&folder)?;
        let config = folder.join("chimera.toml");
        let settings = Settings::load(Some(&config), Some(&context.settings.data_dir), context.settings.environment.clone())?;
        let mut arranged = vec![
            format!("its recipient {RECIPIENT} is on the policy's allow list"),
            "the embedded composer's text may be approved without a person (auto_approve_embedded)".to_owned(),
        ];
        if settings.ensure_demo_passphrase()? {
            arranged.push(format!("a random wallet passphrase in {} (mode 0600)", settings.data_dir.join("passphrase").display()));
        }
        let resource_uris = vec![format!("news://{region}/technology/latest"), "market://crypto/eth/price".to_owned()];
        Ok(Self { settings, campaign_id: format!("demo-{stamp}"), resource_uris, arranged })
    }

    async fn close_loop(&self, context: &Context, app: &App) -> Result<Report> {
        let progress = Progress;
        progress.say("agents", "two sample personas with wallets of their own");
        let souls = self.ensure_agents(app).await?;
        let campaign = self.campaign(app, &souls).await?;
        let store = &app.records.store;
        let server = app.server(CancellationToken::new());
        let skills = McpSkillCaller::in_memory(&server).await?;
        let assets = app.records.assets();
        let round = Round {
            agents: store,
            campaigns: store,
            tasks: store,
            judgements: store,
            outbox: store,
            skills: &skills,
            tools: app.host.as_ref(),
            assets: assets.as_ref(),
            channels: Channels::new(),
            clock: app.records.clock.as_ref(),
            content_check: app.content_check.as_ref(),
            perception: store,
            embedder: app.embedder.as_ref(),
            second_opinion: app.second_opinion.as_deref(),
            thresholds: app.thresholds(),
            resource_uris: self.resource_uris.clone(),
        };
        let mut report = Report::new(self, GOAL, context.settings.data_dir.clone());
        let mut watch = |step: Step<'_>| {
            progress.step(&step);
            report.take(&step);
        };
        let ran = round.run(&campaign, &souls, &mut watch).await;
        skills.close().await;
        ran?;
        report.finish(app).await?;
        Ok(report)
    }

    /// Creates the sample agents that are not there yet, and tops up their play money.
    async fn ensure_agents(&self, app: &App) -> Result<Vec<Soul>> {
        let mut souls = Vec::new();
        for (name, source) in SOULS {
            let soul = Soul::parse(source).with_context(|| format!("the sample {name}"))?;
            let agent = match Agents::find(&app.records.store, &soul.id).await? {
                Some(agent) => agent,
                None => app.records.create_agent(&soul, source.to_owned(), WalletKey::MadeBy(app.wallets.signer.as_ref())).await?,
            };
            self.top_up(app, &agent).await?;
            souls.push(soul);
        }
        Ok(souls)
    }

    async fn top_up(&self, app: &App, agent: &AgentRecord) -> Result<()> {
        let Some(devnet) = app.devnet.clone() else {
            bail!("another process runs this folder's embedded chain; stop it, or use another --data folder")
        };
        let entry = app.chains.get(app.chains.default_chain()).context("the demo's chain is configured")?;
        let usdc = entry.asset("USDC").context("the demo's chain has USDC")?;
        let wei = entry.chain.balance(agent.address, &entry.native).await?;
        let units = entry.chain.balance(agent.address, usdc).await?;
        let address: Address = agent.address;
        tokio::task::spawn_blocking(move || {
            if wei < U256::from(PLAY_WEI / 10) {
                devnet.fund(address, U256::from(PLAY_WEI))?;
            }
            if units < U256::from(PLAY_USDC_UNITS) {
                devnet.mint_usdc(address, U256::from(PLAY_USDC_UNITS))?;
            }
            Ok::<_, chimera_devnet::DevnetError>(())
        })
        .await??;
        Ok(())
    }

    async fn campaign(&self, app: &App, souls: &[Soul]) -> Result<CampaignState> {
        let payment = json!({
            "operation": "token_transfer",
            "params": { "asset": "USDC", "to_address": RECIPIENT, "amount_wei_or_units": PAYMENT_UNITS, "chain_id": "31337" },
        });
        // One platform of each agent: two posts are read, twenty are not.
        let reach = Reach::only(vec![Platform::Twitter, Platform::Linkedin]);
        let goal = CampaignGoal {
            campaign_id: self.campaign_id.clone(),
            goal_description: GOAL.to_owned(),
            operator_id: "demo".to_owned(),
            agent_ids: souls.iter().map(|soul| soul.id.to_string()).collect(),
            budget_constraints: std::iter::once(("payment".to_owned(), payment)).chain(reach.constraint()).collect(),
            created_at: UtcTime(app.records.clock.now()),
        };
        let store = &app.records.store;
        Campaigns::create(store, &goal, &self.resource_uris).await?;
        Ok(store.change(&goal.campaign_id, &CampaignEvent::Start, app.records.clock.now()).await?)
    }
}
