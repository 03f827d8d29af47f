//! `chimera doctor`: looks at everything that can be wrong, and says what to mend.

use super::Context;
use crate::{
    config::{Misconfigured, Settings},
    wiring::{App, Role, UpstreamState, UpstreamStatus, models, policies},
};
use anyhow::Result;
use chimera_core::{
    domain::{Soul, hidden::visible_line, money::ChainId, soul::SoulError},
    ports::{
        agents::{AgentRecord, Agents},
        kill_switch::KillSwitch,
        ledger::{CONTRADICTED_WAY_ON, Ledger},
        swarm::Pauses,
        text_model::TextModel,
    },
    swarm::publisher,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, net::SocketAddr, process::ExitCode, time::Duration};

const UPSTREAM_WITHIN: Duration = Duration::from_secs(10);

struct Check {
    what: String,
    ok: bool,
    found: String,
}

pub async fn run(context: Context) -> Result<ExitCode> {
    let settings = context.settings.clone();
    let configuration = match &settings.config_path {
        Some(path) => format!("{} is valid", path.display()),
        None => "no chimera.toml here; the defaults are used (`chimera init DIR` makes a project)".to_owned(),
    };
    let mut checks = vec![Check { what: "configuration".to_owned(), ok: true, found: configuration }];
    match App::open(settings.clone(), Role::Visiting).await {
        Ok(app) => {
            checks.extend(check_store(&app).await);
            checks.push(check_keystore(&app).await);
            checks.extend(check_wallets(&app).await);
            checks.extend(check_chains(&app).await);
            checks.extend(check_upstreams(&app).await);
            checks.extend(check_publishing(&app).await);
            checks.extend(check_models(&app).await);
            app.close().await;
        }
        Err(error) => {
            // What a person wrote, or what the machine has.
            let what = if error.is::<Misconfigured>() { "configuration" } else { "data folder" };
            checks.push(Check { what: what.to_owned(), ok: false, found: format!("{error:#}") });
        }
    }
    checks.push(check_listen(&settings));
    checks.extend(check_policies(&settings));
    let healthy = checks.iter().all(|check| check.ok);
    show(&context, &checks, healthy)?;
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(context: &Context, checks: &[Check], healthy: bool) -> Result<()> {
    // The file holds no secrets, but addresses of nodes and upstreams may carry keys.
    let mut effective = serde_json::to_value(&context.settings.file)?;
    mask_addresses(&mut effective);
    let listed: Vec<Value> = checks.iter().map(|check| json!({ "check": check.what, "ok": check.ok, "found": check.found })).collect();
    let shown = json!({ "ok": healthy, "checks": listed, "configuration": effective });
    context.output.show(&shown, |out| {
        let widest = checks.iter().map(|check| check.what.len()).max().unwrap_or_default();
        let line = |check: &Check| {
            let mark = if check.ok { out.good("ok  ") } else { out.bad("MEND") };
            format!("{mark}  {:widest$}  {}", check.what, visible_line(&check.found))
        };
        let lines: Vec<String> = checks.iter().map(line).collect();
        let configuration = toml::to_string(&effective).unwrap_or_default();
        let wanting = checks.iter().filter(|check| !check.ok).count();
        let verdict = match wanting {
            0 => out.good("all is well"),
            1 => out.bad("1 thing to mend: see MEND above"),
            many => out.bad(&format!("{many} things to mend: see MEND above")),
        };
        let heading = out.dim("# effective configuration, secrets masked");
        // What has to be done stands last, where whoever ran this is looking.
        format!("{heading}\n{configuration}\n{}\n\n{verdict}", lines.join("\n"))
    })?;
    Ok(())
}

/// Keeps scheme and host of every URL, and drops what may be a credential.
fn mask_addresses(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Ok(url) = url::Url::parse(text)
                && let Some(host) = url.host_str()
                && matches!(url.scheme(), "http" | "https")
                && (url.path() != "/" || url.query().is_some() || !url.username().is_empty())
            {
                *text = format!("{}://{host}/…", url.scheme());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask_addresses),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if name == "env" {
                    field.as_object_mut().into_iter().flat_map(|env| env.values_mut()).for_each(|secret| *secret = json!("masked"));
                } else {
                    mask_addresses(field);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Where `serve` would listen.
fn check_listen(settings: &Settings) -> Check {
    let (what, text) = ("listen".to_owned(), &settings.file.server.listen);
    match text.parse::<SocketAddr>() {
        Ok(address) => Check { what, ok: true, found: format!("http://{address}") },
        Err(_) => {
            let found = format!("server.listen is {text:?}; it must be an address with a port, such as 127.0.0.1:8420");
            Check { what, ok: false, found }
        }
    }
}

/// Policies of single agents that have nothing to tighten.
fn check_policies(settings: &Settings) -> Vec<Check> {
    let told = |found: String| Check { what: "policy".to_owned(), ok: false, found };
    match policies::without_effect(settings) {
        Ok(without_effect) => without_effect.into_iter().map(told).collect(),
        // It was said above, where the whole configuration was read.
        Err(_) => Vec::new(),
    }
}

async fn check_store(app: &App) -> Vec<Check> {
    let store = &app.records.store;
    let mut checks = match Agents::list(store).await {
        Ok(agents) => {
            let found = format!("answers; {} agents", agents.len());
            let souls = agents.iter().filter_map(|agent| Some((agent, Soul::parse(&agent.soul_source).err()?)));
            let told = |(agent, error): (&AgentRecord, SoulError)| {
                let found = format!("its SOUL cannot be used any more, so it writes nothing: {error}");
                Check { what: format!("agent {}", agent.id), ok: false, found }
            };
            std::iter::once(Check { what: "store".to_owned(), ok: true, found }).chain(souls.map(told)).collect()
        }
        Err(error) => vec![Check { what: "store".to_owned(), ok: false, found: error.to_string() }],
    };
    let ledger = match store.verify().await {
        Ok(verdict) => match verdict.problem {
            None => Check { what: "ledger".to_owned(), ok: true, found: format!("{} entries, all as they were written", verdict.entries) },
            Some(problem) => Check {
                what: "ledger".to_owned(),
                ok: false,
                found: format!("{problem}; keep a copy of the data folder and find out who changed it"),
            },
        },
        Err(error) => Check { what: "ledger".to_owned(), ok: false, found: error.to_string() },
    };
    checks.extend([ledger, check_money(app).await]);
    checks.extend(check_stops(app).await);
    checks
}

/// Whether anything can be paid at all.
async fn check_money(app: &App) -> Check {
    let what = "spending".to_owned();
    match app.records.store.checked_contradiction().await {
        Ok(None) => Check { what, ok: true, found: "ledger.head fits the database".to_owned() },
        Ok(Some(why)) => Check { what, ok: false, found: format!("nothing is paid: {why}; {CONTRADICTED_WAY_ON}") },
        Err(error) => Check { what, ok: false, found: error.to_string() },
    }
}

/// What people stopped. It is as they want it, and easily forgotten.
async fn check_stops(app: &App) -> Vec<Check> {
    let store = &app.records.store;
    let mut checks = Vec::new();
    match (Agents::list(store).await, Pauses::pauses(store).await) {
        (Ok(agents), Ok(pauses)) => {
            let mut stops = BTreeSet::new();
            for agent in agents {
                if let Ok(Some(freeze)) = store.frozen(&agent.id).await {
                    stops.insert(format!("{} is frozen: {}", freeze.scope, freeze.reason));
                }
            }
            stops.extend(pauses.into_iter().map(|pause| format!("{} is paused: {}", pause.scope, pause.reason)));
            checks.extend(stops.into_iter().map(|found| Check { what: "stopped".to_owned(), ok: false, found }));
        }
        (Err(error), _) | (_, Err(error)) => checks.push(Check { what: "stopped".to_owned(), ok: false, found: error.to_string() }),
    }
    checks
}

async fn check_keystore(app: &App) -> Check {
    let what = "keystore".to_owned();
    if !app.records.keystore.has_passphrase() {
        let found =
            "no passphrase: nothing can be signed, and no agent created; set CHIMERA_WALLET_PASSPHRASE or CHIMERA_WALLET_PASSPHRASE_FILE";
        return Check { what, ok: false, found: found.to_owned() };
    }
    match app.records.keystore.unlock().await {
        Ok(()) => Check { what, ok: true, found: "the passphrase opens it".to_owned() },
        Err(error) => Check { what, ok: false, found: error.to_string() },
    }
}

/// Wallets that send by themselves: are they there, and still those that their agents were created with?
async fn check_wallets(app: &App) -> Vec<Check> {
    let mut checks = Vec::new();
    for (agent, wallet) in &app.wallets.sending {
        let what = format!("wallet {agent}");
        let record = Agents::find(&app.records.store, agent).await.ok().flatten();
        let check = match (wallet.details().await, record) {
            (Err(error), _) => Check { what, ok: false, found: error.to_string() },
            (Ok(details), Some(record)) if record.address != details.address => {
                let found = format!("it moves the money of {}, and {agent} was created with {}", details.address, record.address);
                Check { what, ok: false, found }
            }
            (Ok(details), _) => Check { what, ok: true, found: format!("{} on chain {} answers", details.address, details.chain) },
        };
        checks.push(check);
    }
    checks
}

async fn check_chains(app: &App) -> Vec<Check> {
    let mut checks = Vec::new();
    for entry in app.chains.all() {
        let ChainId(id) = entry.id;
        let what = format!("chain {id}");
        if !entry.chain.has_node() {
            // Known and without a node is not a fault, unless calls would go there.
            if entry.id == app.chains.default_chain() {
                let found =
                    format!("{} is the default chain and has no node; add rpc under [chains.{id}], or set default_chain", entry.name);
                checks.push(Check { what, ok: false, found });
            }
            continue;
        }
        let check = match entry.chain.id().await {
            Ok(found) if found == entry.id => Check { what, ok: true, found: format!("{} answers", entry.name) },
            Ok(found) => Check { what, ok: false, found: format!("the node of {} serves chain {found}; mend its rpc address", entry.name) },
            Err(error) => Check { what, ok: false, found: error.to_string() },
        };
        checks.push(check);
    }
    checks
}

async fn check_models(app: &App) -> Vec<Check> {
    let mut checks = Vec::new();
    for model in &app.models {
        checks.push(check_model("model", model.as_ref()).await);
    }
    if checks.is_empty() {
        let found = "the embedded composer writes; it needs none".to_owned();
        checks.push(Check { what: "models".to_owned(), ok: true, found });
    }
    if let Some(second) = &app.second_opinion {
        checks.push(check_model("model of the Judge,", second.model()).await);
    }
    // Named, and asked by nobody while the rules plan alone.
    match models::planner(&app.settings, &app.records) {
        Ok(Some(planner)) => checks.push(check_model("model of the Planner,", planner.model.as_ref()).await),
        Ok(None) => {}
        Err(error) => checks.push(Check { what: "model of the Planner".to_owned(), ok: false, found: format!("{error:#}") }),
    }
    checks
}

async fn check_model(what: &str, model: &dyn TextModel) -> Check {
    let what = format!("{what} {}", model.name());
    match model.reach().await {
        Ok(()) => Check { what, ok: true, found: "answers".to_owned() },
        Err(error) => Check { what, ok: false, found: error.to_string() },
    }
}

async fn check_upstreams(app: &App) -> Vec<Check> {
    let statuses = app.host.status(UPSTREAM_WITHIN).await;
    if statuses.is_empty() {
        return vec![Check {
            what: "upstreams".to_owned(),
            ok: true,
            found: "none: no resource can be read until one is configured".to_owned(),
        }];
    }
    let check = |status: UpstreamStatus| {
        let what = format!("upstream {}", status.name);
        match status.state {
            UpstreamState::Connected { .. } => Check { what, ok: true, found: "answers".to_owned() },
            UpstreamState::Failed { reason } => Check { what, ok: false, found: reason },
        }
    };
    statuses.into_iter().map(check).collect()
}

/// Whether each publishing tool takes what a post is; none is called.
async fn check_publishing(app: &App) -> Vec<Check> {
    let mut checks = Vec::new();
    for (platform, section) in app.settings.file.publish.iter().filter(|(_, section)| !section.dry_run) {
        for server in [Some(&section.upstream), section.spare_upstream.as_ref()].into_iter().flatten() {
            let what = format!("publish {platform}");
            checks.push(match publisher::look_at_tool(app.host.as_ref(), server, &section.tool, platform).await {
                Ok(taken) if taken.takes_key() => {
                    let found = format!("{:?} of {server:?} takes the text and an idempotency key", section.tool);
                    Check { what, ok: true, found }
                }
                Ok(_) => {
                    let found = format!(
                        "{:?} of {server:?} takes the text, and no idempotency key: each post is sent once, and you are asked where its answer is lost",
                        section.tool
                    );
                    Check { what, ok: true, found }
                }
                Err(unusable) => Check { what, ok: false, found: unusable.to_string() },
            });
        }
    }
    checks
}
