//! `chimera review`: what waits for a person, and the person's word on it.

use super::Context;
use crate::{
    cli::{AnswerFlags, ReviewCommand},
    config::Misconfigured,
    mission_control::answers::{self, Answers, Done},
    output::quoted,
    wiring::{App, Role},
};
use anyhow::{Context as _, Result, anyhow, bail};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        content_generator::Artifact,
        review::{FoundPost, ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
        wallet_transaction::WalletParams,
    },
    domain::{
        hidden::visible_line,
        money::{ChainId, U256, format_units, parse_address},
    },
    ports::{
        grants::{Grants, Revocation, Revoked},
        swarm::{Judgements, Post, Reviews, UnknownPosts},
    },
    swarm::agreement::{Agreement, agreement},
};
use chimera_dashboard::Refusal;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

pub async fn run(context: Context, command: ReviewCommand) -> Result<ExitCode> {
    let app = App::open(context.settings.clone(), Role::Visiting).await?;
    let done = match command {
        ReviewCommand::List => list(&context, &app).await,
        ReviewCommand::Show { id } => show(&context, &app, &id).await,
        ReviewCommand::Agreement => show_agreement(&context, &app).await,
        ReviewCommand::Approve { id, answer, confirm_address } => {
            decide(&context, &app, &id, Word { confirm_address, ..Word::new(ReviewAction::Approve, answer) }).await
        }
        ReviewCommand::Reject { id, answer, give_up } => {
            decide(&context, &app, &id, Word { give_up, ..Word::new(ReviewAction::Reject, answer) }).await
        }
        ReviewCommand::Published { id, answer, url } => {
            let found = Some(FoundPost { is_there: true, url });
            decide(&context, &app, &id, Word { found, ..Word::new(ReviewAction::Approve, answer) }).await
        }
        ReviewCommand::Resend { id, answer } => {
            let found = Some(FoundPost { is_there: false, url: None });
            decide(&context, &app, &id, Word { found, ..Word::new(ReviewAction::Approve, answer) }).await
        }
        ReviewCommand::Revoke { id, answer } => revoke(&context, &app, &id, answer).await,
        ReviewCommand::Edit { id, answer, artifact } => {
            decide(&context, &app, &id, Word { artifact: Some(artifact), ..Word::new(ReviewAction::Edit, answer) }).await
        }
    };
    app.close().await;
    done
}

async fn list(context: &Context, app: &App) -> Result<ExitCode> {
    let reviews = app.records.store.pending_reviews().await?;
    let mut posts = Vec::with_capacity(reviews.len());
    for review in &reviews {
        posts.push(post_of(app, review).await?);
    }
    let now = app.records.clock.now();
    context.output.show(&json!({ "reviews": reviews }), |out| {
        if reviews.is_empty() {
            return "nothing waits for a person".to_owned();
        }
        let line = |(review, post): (&ReviewItem, &Option<Post>)| {
            let minutes = (now - review.created_at.0).num_minutes();
            let opening = format!("{}  {}  {}", out.bold(&review.review_id.to_string()), review.agent_id, out.dim(&waiting(minutes)));
            std::iter::once(opening).chain(what(app, review, post.as_ref(), "  ", "  ")).collect::<Vec<_>>().join("\n")
        };
        reviews.iter().zip(&posts).map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn show(context: &Context, app: &App, id: &str) -> Result<ExitCode> {
    let review = find(app, id).await?;
    let post = post_of(app, &review).await?;
    context.output.show(&serde_json::to_value(&review)?, |out| {
        let status = serde_json::to_value(review.status).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default();
        let mut lines = vec![
            format!("review {} ({status})", out.bold(&review.review_id.to_string())),
            format!("  agent    {}", review.agent_id),
            format!("  task     {}", review.task_id),
            format!("  since    {}", review.created_at),
        ];
        lines.extend(what(app, &review, post.as_ref(), "  what     ", "           "));
        lines.push(format!("  why      {}", visible_line(&review.escalation_reason)));
        if let Some(trace) = &review.reasoning_trace {
            lines.extend(trace.lines().map(|line| format!("  trace    {}", visible_line(line))));
        }
        if post.is_some() && review.status == ReviewStatus::Pending {
            lines.push(format!("  say      {}", answers::ways(id)));
        }
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Suggests, and changes nothing: the thresholds are the operator's, in `[judge]`.
async fn show_agreement(context: &Context, app: &App) -> Result<ExitCode> {
    let thresholds = app.thresholds();
    let found = agreement(&app.records.store.answers().await?, &thresholds);
    let shown: Vec<Value> = found.iter().map(agreement_json).collect();
    context.output.show(&json!({ "agents": shown }), |out| {
        if found.is_empty() {
            return "nobody has answered a review of content yet".to_owned();
        }
        let mut lines = Vec::new();
        for one in &found {
            lines.push(format!(
                "{}  agreed {} of {} ({:.0}%): {} approved, {} edited, {} rejected",
                out.bold(one.agent.as_str()),
                one.agreed,
                one.answers(),
                100.0 * one.share(),
                one.approved,
                one.edited,
                one.rejected
            ));
            for (name, suggested, holds) in [
                ("approve_above", one.suggestion.approve_above, thresholds.approve_above),
                ("reject_below", one.suggestion.reject_below, thresholds.reject_below),
            ] {
                lines.extend(suggested.map(|bound| format!("  {name} = {bound:.2} would decide as people did (now {holds:.2})")));
            }
        }
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

fn agreement_json(one: &Agreement) -> Value {
    let mut shown = json!({
        "agent_id": one.agent.as_str(), "answers": one.answers(), "approved": one.approved, "edited": one.edited, "rejected": one.rejected,
        "agreed": one.agreed, "agreement": one.share(),
    });
    for (name, bound) in [("approve_above", one.suggestion.approve_above), ("reject_below", one.suggestion.reject_below)] {
        if let Some(bound) = bound {
            shown["suggested"][name] = json!(bound);
        }
    }
    shown
}

/// What somebody says to a review.
struct Word {
    action: ReviewAction,
    flags: AnswerFlags,
    artifact: Option<PathBuf>,
    confirm_address: Option<String>,
    found: Option<FoundPost>,
    give_up: bool,
}

impl Word {
    fn new(action: ReviewAction, flags: AnswerFlags) -> Self {
        Self { action, flags, artifact: None, confirm_address: None, found: None, give_up: false }
    }
}

async fn decide(context: &Context, app: &App, id: &str, word: Word) -> Result<ExitCode> {
    let review = find(app, id).await?;
    let Word { action, flags, artifact, confirm_address, found, give_up } = word;
    let reviewer_id = reviewer(context, flags.reviewer)?;
    if let Some(typed) = &confirm_address {
        parse_address(typed).with_context(|| format!("--confirm-address {typed:?}"))?;
    }
    let answer = ReviewAnswer {
        review_id: review.review_id,
        action,
        reason: flags.reason,
        edited_artifact: artifact.map(|file| edited(&review, &file)).transpose()?,
        give_up,
        confirmed_address: confirm_address,
        found,
        reviewer_id,
        reviewed_at: UtcTime(app.records.clock.now()),
    };
    tell(context, Answers::of(app).carry_out(&answer).await)
}

async fn revoke(context: &Context, app: &App, id: &str, flags: AnswerFlags) -> Result<ExitCode> {
    let review_id = find(app, id).await?.review_id;
    let by = reviewer(context, flags.reviewer)?;
    let revocation = Revocation { review_id, by, reason: flags.reason, at: app.records.clock.now() };
    match app.records.store.revoke(&revocation).await? {
        Revoked::Done(record) => {
            let shown = json!({ "review_id": review_id, "task_id": record.transfer.task_id, "status": "revoked" });
            context.output.show(&shown, |_| "revoked; the transfer is never made under this task_id".to_owned())?;
            Ok(ExitCode::SUCCESS)
        }
        Revoked::NotDone(problem) => bail!("the approval of review {review_id} was not revoked: {problem}"),
    }
}

fn tell(context: &Context, outcome: Result<Done, Refusal>) -> Result<ExitCode> {
    match outcome {
        Ok(done) => {
            context.output.show(&done.shown, |_| done.line.clone())?;
            Ok(if done.is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(refusal) => bail!("{}. {}", refusal.problem, refusal.next),
    }
}

/// The file's JSON artifact, or the review's artifact with the file's text.
fn edited(review: &ReviewItem, file: &Path) -> Result<Artifact> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    // Whoever writes JSON means an artifact: a slip in it must not be published as a post.
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&text).with_context(|| format!("{} begins like JSON and is not an artifact", file.display()));
    }
    let original = review.artifact.clone().with_context(|| format!("review {} is not about content", review.review_id))?;
    Ok(Artifact { payload_text: Some(text.trim_end().to_owned()), ..original })
}

/// `None` where the review is not about a post that may have left.
async fn post_of(app: &App, review: &ReviewItem) -> Result<Option<Post>> {
    Ok(app.records.store.asked_about(review.review_id).await?)
}

/// By its whole id, or by the beginning of it where only one that waits begins so.
async fn find(app: &App, id: &str) -> Result<ReviewItem> {
    if let Ok(whole) = id.parse::<UuidV4>() {
        let found = app.records.store.review(whole).await?;
        return found.with_context(|| format!("there is no review {id}; `chimera review list` shows those that wait"));
    }
    let beginning = id.to_ascii_lowercase();
    let mut waiting = app.records.store.pending_reviews().await?;
    waiting.retain(|review| !beginning.is_empty() && review.review_id.to_string().starts_with(&beginning));
    match waiting.len() {
        0 => bail!("{id:?} is not a review's id, and none that waits begins so; `chimera review list` shows those that wait"),
        1 => Ok(waiting.remove(0)),
        several => bail!("{several} reviews that wait begin with {id}; give more of the id"),
    }
}

fn reviewer(context: &Context, named: Option<String>) -> Result<String> {
    let named = named.or_else(|| context.settings.environment.get("CHIMERA_REVIEWER").map(str::to_owned));
    let named = named.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    named.ok_or_else(|| {
        Misconfigured::mark(anyhow!("say who decides, for the record: --reviewer NAME, or CHIMERA_REVIEWER in the environment"))
    })
}

fn waiting(minutes: i64) -> String {
    match minutes {
        ..1 => "just now".to_owned(),
        1..120 => format!("waits for {minutes} min"),
        _ => format!("waits for {} h", minutes / 60),
    }
}

/// What would be done, the first line behind `lead` and a post's text behind a bar below `indent`. `post` is the one that may have left,
/// where the review asks about one.
fn what(app: &App, review: &ReviewItem, post: Option<&Post>, lead: &str, indent: &str) -> Vec<String> {
    if let Some(post) = post {
        let opening = format!("{lead}{}", visible_line(&format!("is it on {}?", post.platform)));
        return std::iter::once(opening).chain(quoted(indent, &post.text)).collect();
    }
    if let Some(transaction) = &review.transaction {
        return vec![format!("{lead}{}", visible_line(&payment(app, &transaction.params)))];
    }
    let Some(artifact) = &review.artifact else {
        return vec![format!("{lead}{}", visible_line(&format!("stuck: {}", review.escalation_reason)))];
    };
    let on = artifact.platform_target.as_deref().map(|platform| format!(" on {platform}")).unwrap_or_default();
    let opening = format!("{lead}{}", visible_line(&format!("publish{on}:")));
    std::iter::once(opening).chain(quoted(indent, artifact.payload_text.as_deref().unwrap_or_default())).collect()
}

/// In the asset's own units, where the chain and the asset are known.
fn payment(app: &App, params: &WalletParams) -> String {
    let to = params.to_address.as_deref().unwrap_or("?");
    let units = params.amount_wei_or_units.as_deref().unwrap_or("?");
    let entry = params.chain_id.as_deref().and_then(|chain| chain.parse::<u64>().ok()).and_then(|chain| app.chains.get(ChainId(chain)));
    let asset = entry.and_then(|entry| entry.asset(&params.asset));
    let amount = match (asset, units.parse::<U256>()) {
        (Some(asset), Ok(units)) => format!("{} {}", format_units(units, asset.decimals), asset.symbol),
        _ => format!("{units} of the smallest units of {}", params.asset),
    };
    let chain = entry.map(|entry| entry.name.clone()).or_else(|| params.chain_id.as_ref().map(|chain| format!("chain {chain}")));
    format!("pay {amount} to {to} on {}", chain.as_deref().unwrap_or("?"))
}
