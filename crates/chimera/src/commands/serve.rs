//! `chimera serve`: MCP over HTTP, the swarm beside it, and the health of both.

use super::Context;
use crate::{
    cli::{RoleFlag, ServeFlags},
    config::Misconfigured,
    data_folder,
    mcp::{self, Gate, HttpOptions},
    metrics::{self, Metrics},
    mission_control,
    output::Output,
    shutdown::Shutdown,
    wiring::{self, App, FolderLock, Role},
};
use anyhow::{Context as _, Result};
use axum::{Json, Router, http::StatusCode, response::IntoResponse, routing::get};
use chimera_core::{contracts::UtcTime, policy::spending::Rule, ports::swarm::Backlog, swarm::runtime::Role as SwarmRole};
use chimera_dashboard::{Dashboard, access, holding};
use chrono::TimeDelta;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;
use std::{net::SocketAddr, process::ExitCode, sync::Arc};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub async fn run(context: Context, flags: ServeFlags) -> Result<ExitCode> {
    data_folder::prepare(&context.settings.data_dir)?;
    let _lock = FolderLock::take(&context.settings.data_dir)?;
    let listener = bind(&context, flags.listen).await?;
    wiring::ask_at_start(&context.settings).await?;
    let app = App::open(context.settings, Role::Serving).await?;
    let shutdown = Shutdown::on_signal()?;
    let served = serve(&app, listener, &context.output, &roles(&flags.roles), shutdown.token.clone()).await;
    app.close().await;
    served?;
    Ok(ExitCode::SUCCESS)
}

pub async fn bind(context: &Context, flag: Option<SocketAddr>) -> Result<TcpListener> {
    let listen = match flag {
        Some(address) => address,
        None => {
            let text = &context.settings.file.server.listen;
            let parsed = text.parse().with_context(|| format!("server.listen is {text:?}; it must be an address such as 127.0.0.1:8420"));
            parsed.map_err(Misconfigured::mark)?
        }
    };
    TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}; choose another address with --listen"))
}

fn roles(flags: &[RoleFlag]) -> Vec<SwarmRole> {
    let of = |flag: &RoleFlag| match flag {
        RoleFlag::Planner => vec![SwarmRole::Planner],
        RoleFlag::Worker => vec![SwarmRole::Worker],
        RoleFlag::Judge => vec![SwarmRole::Judge, SwarmRole::Publisher],
        RoleFlag::None => Vec::new(),
    };
    flags.iter().flat_map(of).collect()
}

/// Until `cancel`; then finishes what runs.
pub async fn serve(app: &App, listener: TcpListener, output: &Output, roles: &[SwarmRole], cancel: CancellationToken) -> Result<()> {
    raise_descriptors()?;
    let address = listener.local_addr()?;
    let token = app.settings.token()?;
    let public_url = app.settings.file.server.public_address()?;
    if !address.ip().is_loopback() && public_url.as_ref().is_none_or(|url| url.scheme() != "https") {
        tracing::warn!(
            "{address} can be reached from outside without encryption: whoever is on the way reads keys and cookies; docs/access.md says how to put a proxy with HTTPS in front"
        );
    }
    let options = HttpOptions::of_server(address, public_url.as_ref());
    let health = Router::new().route("/healthz", get(|| async { Json(json!({ "ok": true })) })).route("/readyz", get(ready(app)));
    let router = health.merge(mcp::http_router(app.server(cancel.clone()), &options, token.expose(), cancel.clone()));
    let people = chimera_dashboard::Settings { owner_token: token.expose().to_owned(), public_url, port: address.port() };
    let store = Arc::new(app.records.store.clone());
    let assets = access::guard_files(mcp::assets_router(app.records.assets()), store, app.records.clock.clone(), &people);
    let router = router.merge(assets);
    let swarm = app.swarm().await?;
    let dashboard = mission_control::dashboard(app, people, &swarm.swarm, cancel.clone())?;
    let router = router.merge(chimera_dashboard::router(dashboard.clone()));
    // Reading needs the token off loopback, and behind a proxy.
    let metrics = Metrics::start(Arc::new(app.records.store.clone()), app.records.clock.clone()).await?;
    let is_reached_from_outside = !address.ip().is_loopback() || dashboard.settings.public_url.is_some();
    let read_token = is_reached_from_outside.then(|| token.expose().to_owned());
    let router = router.merge(metrics::router(metrics, read_token));
    let gate = Gate::new(&options, Some(token.expose()));
    access::ensure_owner(&app.records.store, token.expose(), app.records.clock.now()).await?;
    show_addresses(app, output, address, &dashboard).await?;
    let telling = app.tell_collector(&cancel);
    let holding = holding::run(dashboard.held.as_ref(), dashboard.operations.as_ref(), dashboard.clock.as_ref(), &cancel);
    let serving = serve_then_stop(router, gate, listener, cancel.clone());
    let (served, (), (), ()) = tokio::join!(serving, swarm.run(roles, &cancel), telling, holding);
    Ok(served?)
}

/// The link signs the owner in, once: whoever reads this terminal has the token too.
async fn show_addresses(app: &App, output: &Output, address: SocketAddr, dashboard: &Dashboard) -> Result<()> {
    let link =
        access::new_link(dashboard.access.as_ref(), access::OWNER, dashboard.clock.now()).await?.context("the owner is on record")?;
    let page = format!("{}/", app.settings.file.server.base_url(address)?);
    let sign_in = format!("{}{}", page.trim_end_matches('/'), link.path);
    let token_file = app.settings.data_dir.join("token");
    let shown = json!({
        "mcp": format!("http://{address}/mcp"), "health": format!("http://{address}/healthz"), "page": page, "sign_in": sign_in,
    });
    output.show(&shown, |out| {
        format!(
            "{} http://{address}/mcp\n  page    {page}\n  sign in {sign_in}\n          once, until {}; another: {}\n  token   {}\n  health  http://{address}/healthz\n  stop    Ctrl-C",
            out.bold("serving MCP at"),
            UtcTime(link.until),
            another_link(app, &page),
            token_file.display()
        )
    })?;
    Ok(())
}

/// The command knows the configured address, and not the one of a `--listen`.
fn another_link(app: &App, page: &str) -> String {
    let configured = format!("http://{}/", app.settings.file.server.listen);
    let is_there = app.settings.file.server.public_url.is_some() || configured == page;
    let note = if is_there { String::new() } else { format!(", with {page} in front") };
    format!("chimera access link owner{note}")
}

/// Most systems give a process few descriptors unless it asks for more. Each is a place for a connection, and the more there are, the longer
/// a slow client may take to say what it wants while strangers come in crowds.
fn raise_descriptors() -> Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let wanted = hard.min(DESCRIPTORS_MAX);
    if soft < wanted {
        setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)?;
    }
    Ok(())
}

/// A listener that fails ends the swarm too.
async fn serve_then_stop(router: Router, gate: Gate, listener: TcpListener, cancel: CancellationToken) -> std::io::Result<()> {
    let served = mcp::serve_http(router, gate, listener, cancel.clone()).await;
    cancel.cancel();
    served
}

/// Four times the places that there are for strangers at most.
const DESCRIPTORS_MAX: u64 = 16_384;
/// A role that was not seen for this long is not at work.
const CONSUMER_SEEN_WITHIN: TimeDelta = TimeDelta::seconds(30);

/// Ready means that the store answers, and that somebody consumes whatever waits.
fn ready(app: &App) -> impl Fn() -> std::pin::Pin<Box<dyn Future<Output = axum::response::Response> + Send>> + Clone + Send + use<> {
    let (store, clock) = (app.records.store.clone(), app.records.clock.clone());
    move || {
        let (store, now) = (store.clone(), clock.now());
        Box::pin(async move {
            match Backlog::unattended(&store, now - CONSUMER_SEEN_WITHIN, now).await {
                Ok(roles) if roles.is_empty() => {
                    let mut ready = json!({ "ready": true });
                    // Whoever asks learns that nothing is paid, and not why: everything else goes on.
                    if !matches!(store.contradiction().await, Ok(None)) {
                        ready["spending"] = json!(Rule::LedgerContradicted.as_str());
                    }
                    Json(ready).into_response()
                }
                Ok(roles) => {
                    let reason = format!("work waits, and nobody consumes it: no {} is at work", roles.join(" and no "));
                    (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "ready": false, "reason": reason, "unattended": roles })))
                        .into_response()
                }
                Err(error) => {
                    tracing::error!("not ready: {error}");
                    (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "ready": false, "reason": "the store does not answer" })))
                        .into_response()
                }
            }
        })
    }
}
