//! What mission control asks of the program, because only the program has the wallets, the swarm and the configuration. What the command
//! line does as well is done here once, for both.

pub mod answers;
pub mod obstacles;
pub mod planning;
pub mod play_money;
pub mod wallets;

use crate::{
    config::Misconfigured,
    wiring::{App, Records, WalletKey, explorers, policies},
};
use answers::{Answers, refusal, unavailable};
use anyhow::Result;
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        review::ReviewAnswer,
        views::{Money, agents::BudgetDay, reviews::PublishPreview},
    },
    domain::{AgentId, Soul},
    policy::{publication::Persona, spending::SpendingPolicies},
    ports::{
        agents::{Agents, CreateAgentError},
        chain_directory::ChainDirectory,
        content_check::ContentCheck,
        signer::{Signer, SignerError},
        swarm::Campaigns,
        tools::PublishTools,
    },
    skills::wallet_transaction::WalletTransaction,
    swarm::{
        fleet_then::FleetHistory,
        publisher::{Channels, Preview, preview},
        runtime::Swarm,
        what_if::Rules,
    },
};
use chimera_dashboard::{Dashboard, Explorers, Hindsight, Operations, Refusal, RefusalKind};
use futures::future::join_all;
use serde_json::Value;
use std::sync::{Arc, Weak};
use tokio_util::sync::CancellationToken;

/// Mission control over the program's own parts. `settings` say who owns it and how people reach it; its streams end with `shutdown`.
pub fn dashboard(
    app: &App,
    settings: chimera_dashboard::Settings,
    swarm: &Arc<Swarm>,
    shutdown: CancellationToken,
) -> Result<Arc<Dashboard>> {
    let policies = policies::policies(&app.settings).map_err(Misconfigured::mark)?;
    let store = Arc::new(app.records.store.clone());
    Ok(Arc::new(Dashboard {
        queries: store.clone(),
        access: store.clone(),
        held: store.clone(),
        idempotency: store.clone(),
        agents: store.clone(),
        lives: store.clone(),
        play_money: app.devnet_url.clone().map(|chain| {
            Arc::new(play_money::EmbeddedChainMoney { agents: store.clone(), chain }) as Arc<dyn chimera_dashboard::PlayMoney>
        }),
        assets: app.records.assets(),
        campaigns: store.clone(),
        calendar: store.clone(),
        plans: store.clone(),
        events: store.clone(),
        pauses: store.clone(),
        books: store.clone(),
        explorers: Explorers::new(explorers::explorers(&app.settings).map_err(Misconfigured::mark)?),
        grants: store.clone(),
        kill_switch: store.clone(),
        memories: store.clone(),
        ledger: store.clone(),
        hindsight: Hindsight {
            records: store,
            rules: Rules { thresholds: app.thresholds(), spending: policies.clone() },
            fleet: FleetHistory::default(),
        },
        operations: Arc::new(ProgramOperations::new(app, policies, swarm)),
        wallets: Arc::new(wallets::Wallets::of(app)),
        clock: app.records.clock.clone(),
        settings,
        shutdown,
    }))
}

struct ProgramOperations {
    records: Records,
    content_check: Arc<dyn ContentCheck>,
    wallet: Arc<WalletTransaction>,
    signer: Arc<dyn Signer>,
    chains: ChainDirectory,
    policies: SpendingPolicies,
    tools: Arc<dyn PublishTools>,
    channels: Channels,
    /// The swarm ends before the pages do, and is not kept by them.
    swarm: Weak<Swarm>,
}

impl ProgramOperations {
    fn new(app: &App, policies: SpendingPolicies, swarm: &Arc<Swarm>) -> Self {
        Self {
            records: app.records.clone(),
            content_check: app.content_check.clone(),
            wallet: app.wallet.clone(),
            signer: app.wallets.signer.clone(),
            chains: app.chains.clone(),
            policies,
            tools: app.host.clone(),
            channels: swarm.settings.channels.clone(),
            swarm: Arc::downgrade(swarm),
        }
    }

    async fn planned(&self, campaign_id: &str) -> Result<Value, Refusal> {
        let campaign = Campaigns::find(&self.records.store, campaign_id).await.map_err(unavailable)?.ok_or_else(|| {
            refusal(RefusalKind::NotFound, format!("there is no campaign {campaign_id}"), "The list of campaigns has all there are")
        })?;
        let stopping = || refusal(RefusalKind::Unavailable, "the server is stopping", "Ask again once it is back");
        let swarm = self.swarm.upgrade().ok_or_else(stopping)?;
        match planning::plan(&self.records, &swarm, &campaign).await {
            Ok(plan) => Ok(plan.told()),
            Err(error) => {
                let problem = format!("campaign {campaign_id} cannot be planned: {error:#}");
                Err(refusal(RefusalKind::Conflict, problem, "Nothing was queued; mend what it names, and plan again"))
            }
        }
    }

    fn answers(&self) -> Answers<'_> {
        Answers { records: &self.records, content_check: self.content_check.as_ref(), wallet: self.wallet.as_ref() }
    }
}

#[async_trait]
impl Operations for ProgramOperations {
    async fn check_answer(&self, answer: &ReviewAnswer) -> Result<(), Refusal> {
        self.answers().check(answer).await.map_err(in_sentences)
    }

    async fn carry_out(&self, answer: &ReviewAnswer) -> Result<String, Refusal> {
        self.answers().carry_out(answer).await.map(|done| done.line).map_err(in_sentences)
    }

    async fn create_agent(&self, soul_source: &str) -> Result<String, Refusal> {
        let soul = Soul::parse(soul_source).map_err(|error| {
            refusal(RefusalKind::Invalid, format!("this is no SOUL: {error}"), "Correct that line; docs/soul.md explains every field")
        })?;
        let made = self.records.create_agent(&soul, soul_source.to_owned(), WalletKey::MadeBy(self.signer.as_ref())).await;
        made.map(|agent| agent.id.to_string()).map_err(|error| in_sentences(not_created(error)))
    }

    async fn plan(&self, campaign_id: &str) -> Result<Value, Refusal> {
        self.planned(campaign_id).await.map_err(in_sentences)
    }

    fn limits(&self, agent: &AgentId) -> Vec<BudgetDay> {
        let limits = self.policies.of(agent).map(|policy| policy.limits.as_slice()).unwrap_or_default();
        let day = |limit: &chimera_core::policy::spending::SpendingLimit| {
            let known = self.chains.get(limit.chain).and_then(|entry| entry.asset(&limit.asset));
            BudgetDay {
                spent: Money {
                    units: "0".to_owned(),
                    asset: limit.asset.clone(),
                    decimals: known.map_or(0, |asset| asset.decimals),
                    chain_id: limit.chain.to_string(),
                },
                reserved_units: "0".to_owned(),
                limit_units: Some(limit.per_day_units.to_string()),
                ask_above_units: limit.ask_above_units.map(|units| units.to_string()),
            }
        };
        limits.iter().map(day).collect()
    }

    async fn balances(&self, agent: &AgentId) -> Vec<Money> {
        let Ok(Some(agent)) = Agents::find(&self.records.store, agent).await else { return Vec::new() };
        let entries = self.chains.all().filter(|entry| entry.chain.has_node());
        let assets = entries.flat_map(|entry| std::iter::once(&entry.native).chain(&entry.tokens).map(move |asset| (entry, asset)));
        let balances = assets.map(async |(entry, asset)| {
            let units = entry.chain.balance(agent.address, asset).await;
            let units =
                units.inspect_err(|error| tracing::warn!("the balance of {} on chain {} is not known: {error}", agent.id, entry.id));
            Some(Money {
                units: units.ok()?.to_string(),
                asset: asset.symbol.clone(),
                decimals: asset.decimals,
                chain_id: entry.id.to_string(),
            })
        });
        join_all(balances).await.into_iter().flatten().collect()
    }

    async fn publish_preview(
        &self,
        agent: &AgentId,
        platform: &str,
        text: &str,
        media_uri: Option<&str>,
        reply_to: Option<&str>,
    ) -> Option<PublishPreview> {
        let platform = platform.parse().ok()?;
        let agent = Agents::find(&self.records.store, agent).await.ok()??;
        let persona = Persona::new(&Soul::parse(&agent.soul_source).ok()?, &[]);
        let assets = self.records.assets();
        let asked = Preview { agent: &agent.id, platform, text: &persona.labelled(text), media_uri, reply_to };
        preview(self.tools.as_ref(), assets.as_ref(), &self.channels, asked).await.ok()?
    }
}

/// The command line says it in its own way, the page as sentences.
fn in_sentences(refusal: Refusal) -> Refusal {
    Refusal { kind: refusal.kind, problem: sentence(&refusal.problem), next: sentence(&refusal.next) }
}

fn sentence(told: &str) -> String {
    let mut chars = told.chars();
    let opening: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if told.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{opening}{}{end}", chars.as_str())
}

fn not_created(error: anyhow::Error) -> Refusal {
    if let Some(CreateAgentError::Exists(id)) = error.downcast_ref() {
        return refusal(RefusalKind::Conflict, format!("there is an agent {id} already"), "Give the SOUL another id");
    }
    match error.downcast_ref() {
        Some(SignerError::Locked | SignerError::WrongPassphrase | SignerError::WeakPassphrase { .. }) => refusal(
            RefusalKind::Unavailable,
            format!("no wallet can be made for it: {error:#}"),
            "Start the server with CHIMERA_WALLET_PASSPHRASE or CHIMERA_WALLET_PASSPHRASE_FILE set, or make the agent with `chimera agent create`",
        ),
        Some(SignerError::NoKey(_) | SignerError::Remote { .. } | SignerError::RateLimited { .. } | SignerError::Failed(_)) | None => {
            tracing::error!("an agent could not be made: {error:#}");
            refusal(RefusalKind::Unavailable, format!("it could not be made: {error:#}"), "Try again; the server's log says more")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_command_line_says_becomes_sentences_on_the_page() {
        for (told, expected) in [("the edit is not taken: too long", "The edit is not taken: too long."), ("Wait.", "Wait.")] {
            assert_eq!(sentence(told), expected);
        }
    }
}
