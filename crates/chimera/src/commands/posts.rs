//! `chimera posts list`: what left, what would have left in a dry run, and what could not.

use super::Context;
use crate::{
    cli::{PostsCommand, PostsFlags},
    config::Misconfigured,
    output::{Output, quoted},
    wiring::Records,
};
use anyhow::{Result, anyhow};
use chimera_core::{
    contracts::views::{Page, campaigns::PostRow},
    ports::{
        queries::{PageOf, PostFilter, Queries},
        swarm::Campaigns,
    },
};
use serde_json::json;
use std::process::ExitCode;

pub async fn run(context: Context, command: PostsCommand) -> Result<ExitCode> {
    let PostsCommand::List(flags) = command;
    let records = Records::open(&context.settings)?;
    let done = list(&context, &records, flags).await;
    records.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn list(context: &Context, records: &Records, flags: PostsFlags) -> Result<()> {
    if let Some(agent) = &flags.agent {
        records.agent(agent.as_str()).await?;
    }
    if let Some(campaign) = &flags.campaign
        && Campaigns::find(&records.store, campaign).await?.is_none()
    {
        return Err(Misconfigured::mark(anyhow!("there is no campaign {campaign}; `chimera campaign list` shows all there are")));
    }
    let filter = PostFilter { campaign_id: flags.campaign, agent: flags.agent };
    let page = Queries::posts(&records.store, &filter, &PageOf::first(flags.limit.into())).await?;
    let Page { items: posts, next } = page;
    context.output.show(&json!({ "posts": posts, "has_more": next.is_some() }), |out| {
        if posts.is_empty() {
            return "nothing was posted yet; `chimera status` says what runs and what waits".to_owned();
        }
        let mut lines: Vec<String> = posts.iter().flat_map(|post| told(out, post)).collect();
        if next.is_some() {
            lines.push(out.dim("there are older ones; ask for more with --limit"));
        }
        lines.join("\n")
    })?;
    Ok(())
}

fn told(out: &Output, post: &PostRow) -> Vec<String> {
    let at = post.at.map(|at| at.to_string()).unwrap_or_default();
    let status = post.status.replace('_', " ");
    let status = match post.status.as_str() {
        "published" => out.good(&status),
        "refused" | "unknown" => out.bad(&status),
        _ => status,
    };
    let mut lines = vec![format!("{}  {} on {}  {status}", out.dim(&at), out.bold(&post.agent_id), post.platform)];
    lines.extend(post.url.iter().map(|url| format!("  {url}")));
    lines.extend(quoted("  ", &post.text));
    lines.extend(post.media_uri.iter().map(|media| format!("  with {media}")));
    lines.extend(post.reason.iter().map(|reason| format!("  {}", out.dim(reason))));
    lines.push(format!("  {}", out.dim(&format!("story: chimera campaign show {} --trace {}", post.campaign_id, post.task_id))));
    lines
}
