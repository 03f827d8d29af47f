//! A person's word on a post that may have left: it is there, it shall be sent again, or it shall be left.

use super::super::Context;
use crate::wiring::App;
use anyhow::{Context as _, Result, bail};
use chimera_core::{
    contracts::review::{ReviewAction, ReviewAnswer, ReviewItem},
    domain::foreign_text,
    ports::swarm::{Post, PostWord, ReviewOutcome, UnknownPosts},
};
use std::process::ExitCode;

/// `None` where the review is not about such a post.
pub(super) async fn post_of(app: &App, review: &ReviewItem) -> Result<Option<Post>> {
    Ok(app.records.store.asked_about(review.review_id).await?)
}

/// What an answer that was meant for a draft says of a post that may be there. Approving it could mean both, so it means neither.
pub(super) fn word_of(action: ReviewAction, review: &ReviewItem) -> Result<PostWord> {
    match action {
        ReviewAction::Reject => Ok(PostWord::LeaveIt),
        ReviewAction::Approve | ReviewAction::Edit => {
            let id = review.review_id;
            bail!("review {id} asks whether a post is there; look, then say it. {}", ways(&id.to_string()))
        }
    }
}

pub(super) fn ways(id: &str) -> String {
    format!(
        "It is there: `chimera review published {id}`. It is not, send it again: `chimera review resend {id}`. It is not, leave it: `chimera review reject {id}`"
    )
}

pub(super) fn web_address(text: &str) -> Result<String> {
    foreign_text::web_address(text).context("--url is not an address of a web page; it begins with https://")
}

pub(super) async fn settle(context: &Context, app: &App, review: &ReviewItem, answer: &ReviewAnswer, word: PostWord) -> Result<ExitCode> {
    let id = review.review_id;
    match app.records.store.settle(answer, &word).await? {
        ReviewOutcome::Done => {
            let (status, line) = match word {
                PostWord::IsThere { .. } => ("published", "on record as published; it is never sent again"),
                PostWord::SendAgain => ("approved", "it is sent once more with the next pass of the outbox"),
                PostWord::LeaveIt => ("rejected", "on record as not published; it is never sent again"),
            };
            super::told(context, review, status, line)?;
            Ok(ExitCode::SUCCESS)
        }
        ReviewOutcome::AlreadyDecided { status, .. } => bail!("{}", super::already_decided(app, id, status).await?),
        ReviewOutcome::StateMoved { .. } | ReviewOutcome::CannotTryAgain { .. } | ReviewOutcome::NotFound => {
            bail!("review {id} does not ask about a post that may be there; `chimera review show {id}` shows what it asks")
        }
    }
}
