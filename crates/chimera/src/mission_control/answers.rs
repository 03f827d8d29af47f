//! A person's word on a review, of a post, a payment, a stuck task or a post that may have left: whether it would be taken, and what it did.
//! The command line and the page ask here, and say the same sentences.

use crate::wiring::{App, Records};
use chimera_core::{
    contracts::{
        UuidV4,
        review::{FoundPost, ReviewAction, ReviewAnswer, ReviewItem, ReviewStatus},
    },
    domain::{
        foreign_text,
        transfer::{NewTransfer, TransferState},
    },
    ports::{
        StoreError,
        assets::Assets,
        content_check::ContentCheck,
        swarm::{Judgements, PostWord, ReviewOutcome, Reviews, UnknownPosts},
        transfers::{Answered, Transfers, confirms_address},
    },
    skills::wallet_transaction::WalletTransaction,
    swarm::people::{self, AnswerError, Safeguards},
};
use chimera_dashboard::{Refusal, RefusalKind};
use chrono::TimeDelta;
use serde_json::{Value, json};

/// How long a grant may wait to be used.
pub const GRANT_HOURS: i64 = 24;

/// What answers are carried out with.
#[derive(Clone, Copy)]
pub struct Answers<'a> {
    pub records: &'a Records,
    pub content_check: &'a dyn ContentCheck,
    pub wallet: &'a WalletTransaction,
}

/// What an answer did.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub line: String,
    /// For programs.
    pub shown: Value,
    /// `false`: a payment was approved, and is not made yet.
    pub is_whole: bool,
}

impl Done {
    fn told(review_id: UuidV4, status: &str, line: &str) -> Self {
        Self { line: line.to_owned(), shown: json!({ "review_id": review_id, "status": status }), is_whole: true }
    }
}

impl<'a> Answers<'a> {
    pub fn of(app: &'a App) -> Self {
        Self { records: &app.records, content_check: app.content_check.as_ref(), wallet: app.wallet.as_ref() }
    }

    /// Whether it would be taken as things are now. Changes nothing.
    pub async fn check(&self, answer: &ReviewAnswer) -> Result<(), Refusal> {
        let review = self.open_review(answer).await?;
        let (id, store) = (review.review_id, &self.records.store);
        if store.asked_about(id).await.map_err(unavailable)?.is_some() {
            return word_on_post(answer).map(drop);
        }
        refuse_word_on_post(answer)?;
        if review.transaction.is_none() {
            let assets = self.records.assets();
            let checked = people::check(store, self.safeguards(assets.as_ref()), answer).await;
            return match checked.map_err(|error| not_taken(answer, error))? {
                Some(_) => Ok(()),
                None => Err(nothing_left(id)),
            };
        }
        refuse_edit_of_money(answer)?;
        let record = Transfers::find(store, review.task_id).await.map_err(unavailable)?;
        match record.as_ref().map(|record| (&record.state, &record.transfer)) {
            Some((TransferState::AwaitingReview { rule, .. }, transfer)) if answer.action == ReviewAction::Approve => {
                confirms_address(rule, transfer, answer).map(drop).map_err(|_unconfirmed| unconfirmed(answer))
            }
            Some((TransferState::HandedOver(_), _)) if answer.action == ReviewAction::Approve => Err(nothing_to_approve(id)),
            Some(_) => Ok(()),
            None => Err(nothing_left(id)),
        }
    }

    /// Carries it out, once. The same answer given again is not carried out again, and is no failure either: whoever asked may have died
    /// before they heard.
    pub async fn carry_out(&self, answer: &ReviewAnswer) -> Result<Done, Refusal> {
        let review = self.find(answer.review_id).await?;
        if self.records.store.asked_about(review.review_id).await.map_err(unavailable)?.is_some() {
            return self.settle_post(answer, &word_on_post(answer)?).await;
        }
        refuse_word_on_post(answer)?;
        if review.transaction.is_none() {
            return self.decide_content(&review, answer).await;
        }
        refuse_edit_of_money(answer)?;
        self.decide_payment(answer).await
    }

    /// What a person found of a post that may have left.
    async fn settle_post(&self, answer: &ReviewAnswer, word: &PostWord) -> Result<Done, Refusal> {
        let id = answer.review_id;
        match UnknownPosts::settle(&self.records.store, answer, word).await.map_err(unavailable)? {
            ReviewOutcome::Done => {
                let (status, line) = match word {
                    PostWord::IsThere { .. } => ("published", "on record as published; it is never sent again"),
                    PostWord::SendAgain => ("approved", "it is sent once more with the next pass of the outbox"),
                    PostWord::LeaveIt => ("rejected", "on record as not published; it is never sent again"),
                };
                Ok(Done::told(id, status, line))
            }
            ReviewOutcome::AlreadyDecided { status, .. } => self.decided_before(answer, status).await,
            ReviewOutcome::StateMoved { .. } | ReviewOutcome::CannotTryAgain { .. } | ReviewOutcome::NotFound => Err(asks_of_no_post(id)),
        }
    }

    pub async fn find(&self, id: UuidV4) -> Result<ReviewItem, Refusal> {
        let found = self.records.store.review(id).await.map_err(unavailable)?;
        let next = "`chimera review list` shows those that wait";
        found.ok_or_else(|| refusal(RefusalKind::NotFound, format!("there is no review {id}"), next))
    }

    async fn open_review(&self, answer: &ReviewAnswer) -> Result<ReviewItem, Refusal> {
        let review = self.find(answer.review_id).await?;
        if review.status == ReviewStatus::Pending { Ok(review) } else { Err(self.already_decided(review.review_id, review.status).await) }
    }

    fn safeguards<'s>(&'s self, assets: &'s dyn Assets) -> Safeguards<'s> {
        Safeguards { agents: &self.records.store, content: self.content_check, assets }
    }

    async fn decide_content(&self, review: &ReviewItem, answer: &ReviewAnswer) -> Result<Done, Refusal> {
        let id = review.review_id;
        let assets = self.records.assets();
        let answered = people::answer(&self.records.store, self.safeguards(assets.as_ref()), answer).await;
        match answered.map_err(|error| not_taken(answer, error))? {
            ReviewOutcome::Done => {
                let (status, line) = match answer.action {
                    ReviewAction::Approve if review.artifact.is_none() => ("approved", "tried again with the Planner's next pass"),
                    ReviewAction::Approve => ("approved", "approved; it leaves with the next pass of the outbox"),
                    ReviewAction::Edit => ("approved", "approved as edited; the agent remembers what was changed"),
                    ReviewAction::Reject if answer.give_up || review.artifact.is_none() => {
                        ("rejected", "given up; no further attempt is made")
                    }
                    ReviewAction::Reject => ("rejected", "rejected; the next draft goes by the reason"),
                };
                Ok(Done::told(id, status, line))
            }
            ReviewOutcome::AlreadyDecided { status, .. } => self.decided_before(answer, status).await,
            ReviewOutcome::StateMoved { reason } => {
                let problem = format!("review {id} is no longer open: {reason}");
                Err(refusal(RefusalKind::Conflict, problem, "Nothing was published, and the Planner has the task again"))
            }
            ReviewOutcome::CannotTryAgain { reason } => {
                let next = format!("Review {id} is still open; raise the campaign's budget, or reject it");
                Err(refusal(RefusalKind::Conflict, format!("it cannot be tried again: {reason}"), next))
            }
            ReviewOutcome::NotFound => Err(nothing_left(id)),
        }
    }

    async fn decide_payment(&self, answer: &ReviewAnswer) -> Result<Done, Refusal> {
        let id = answer.review_id;
        let grant_until = answer.reviewed_at.0 + TimeDelta::hours(GRANT_HOURS);
        match self.records.store.answer_review(answer, grant_until).await.map_err(unavailable)? {
            Answered::Granted(record) => Ok(self.pay(&record.transfer).await),
            Answered::Declined(_) => Ok(Done::told(id, "rejected", "rejected; the transfer is never made under this task_id")),
            Answered::GivenUp(_) => Ok(Done::told(id, "given_up", "given up; its budget is free again")),
            Answered::AlreadyDecided(status) => self.decided_before(answer, status).await,
            Answered::AddressNotConfirmed => Err(unconfirmed(answer)),
            Answered::NothingToApprove => Err(nothing_to_approve(id)),
            Answered::NotFound => Err(nothing_left(id)),
        }
    }

    /// The grant is on record; now it is used. A server on the same folder may be faster, and then this tells what that one did.
    async fn pay(&self, transfer: &NewTransfer) -> Done {
        match self.wallet.carry_out(transfer).await {
            Ok(output) => {
                let line = format!("approved and paid: {}", output.result.tx_hash.clone().unwrap_or_default());
                Done { line, shown: serde_json::to_value(output).expect("plain data always serialises"), is_whole: true }
            }
            Err(failure) => Done {
                line: format!(
                    "approved, but not paid yet: {}\nthe grant stands for {GRANT_HOURS} h; a running server tries again",
                    failure.message
                ),
                shown: json!({ "success": false, "error_code": failure.code, "message": failure.message, "details": failure.details }),
                is_whole: false,
            },
        }
    }

    /// Somebody was faster: perhaps this very answer, before the program died.
    async fn decided_before(&self, answer: &ReviewAnswer, status: ReviewStatus) -> Result<Done, Refusal> {
        let id = answer.review_id;
        if self.records.store.answered(id).await.map_err(unavailable)?.as_ref() == Some(answer) {
            return Ok(Done::told(id, word_of(status), "it took effect before"));
        }
        Err(self.already_decided(id, status).await)
    }

    /// Who was faster, and when.
    async fn already_decided(&self, id: UuidV4, status: ReviewStatus) -> Refusal {
        let word = word_of(status);
        let problem = match self.records.store.answered(id).await {
            Ok(Some(ReviewAnswer { reason: Some(reason), .. })) if status == ReviewStatus::Expired => {
                format!("review {id} is no longer open: {reason}")
            }
            _ if status == ReviewStatus::Expired => format!("review {id} is no longer open: what it asked about has ended by itself"),
            Ok(Some(first)) => format!("review {id} was already {word} by {} at {}", first.reviewer_id, first.reviewed_at),
            Ok(None) => format!("review {id} was already {word} by somebody else"),
            Err(error) => return unavailable(error),
        };
        refusal(RefusalKind::Conflict, problem, format!("`chimera review show {id}` shows it as it is now"))
    }
}

fn word_of(status: ReviewStatus) -> &'static str {
    match status {
        ReviewStatus::Approved => "approved",
        ReviewStatus::Rejected | ReviewStatus::Pending | ReviewStatus::Expired => "rejected",
    }
}

/// What a person says of a post that may be there. Approving it could mean both, so without what was found it means neither.
fn word_on_post(answer: &ReviewAnswer) -> Result<PostWord, Refusal> {
    let unclear = |problem: String| Err(refusal(RefusalKind::Invalid, problem, ways(&answer.review_id.to_string())));
    match (answer.action, &answer.found) {
        (ReviewAction::Reject, None) => Ok(PostWord::LeaveIt),
        (ReviewAction::Approve, Some(FoundPost { is_there: true, url: None })) => Ok(PostWord::IsThere { url: None }),
        (ReviewAction::Approve, Some(FoundPost { is_there: true, url: Some(url) })) => match foreign_text::web_address(url) {
            Some(url) => Ok(PostWord::IsThere { url: Some(url) }),
            None => {
                let problem = "its address (--url) is not one of a web page; it begins with https://";
                Err(refusal(RefusalKind::Invalid, problem, "Correct it, or leave it out"))
            }
        },
        (ReviewAction::Approve, Some(FoundPost { is_there: false, url: None })) => Ok(PostWord::SendAgain),
        (ReviewAction::Approve, Some(FoundPost { is_there: false, url: Some(_) })) => {
            unclear("a post that is not there has no address".to_owned())
        }
        (ReviewAction::Approve, None) | (ReviewAction::Reject, Some(_)) | (ReviewAction::Edit, _) => {
            unclear(format!("review {} asks whether a post is there; look, then say it", answer.review_id))
        }
    }
}

fn refuse_word_on_post(answer: &ReviewAnswer) -> Result<(), Refusal> {
    if answer.found.is_none() { Ok(()) } else { Err(asks_of_no_post(answer.review_id)) }
}

fn asks_of_no_post(id: UuidV4) -> Refusal {
    let problem = format!("review {id} does not ask about a post that may be there");
    refusal(RefusalKind::Conflict, problem, format!("`chimera review show {id}` shows what it asks"))
}

/// How a person says what they found of a post that may be there.
pub fn ways(id: &str) -> String {
    format!(
        "It is there: `chimera review published {id}`. It is not, send it again: `chimera review resend {id}`. It is not, leave it: `chimera review reject {id}`"
    )
}

fn refuse_edit_of_money(answer: &ReviewAnswer) -> Result<(), Refusal> {
    if answer.action != ReviewAction::Edit {
        return Ok(());
    }
    let problem = format!("review {} is about money, which is approved or rejected as it is", answer.review_id);
    Err(refusal(RefusalKind::Invalid, problem, "Approve it, or reject it with a reason"))
}

/// The answer was not taken, and the review waits as before: what a person wrote is not lost by it.
fn not_taken(answer: &ReviewAnswer, error: AnswerError) -> Refusal {
    let word = if answer.action == ReviewAction::Edit { "the edit is not taken" } else { "it cannot be approved as it is" };
    let kind = match error {
        AnswerError::Store(error) => return unavailable(error),
        AnswerError::Unchecked(_) => RefusalKind::Unavailable,
        _ => RefusalKind::Invalid,
    };
    refusal(kind, format!("{word}: {error}"), format!("Review {} is still open, and nothing was published", answer.review_id))
}

fn unconfirmed(answer: &ReviewAnswer) -> Refusal {
    let id = answer.review_id;
    let problem = match &answer.confirmed_address {
        Some(typed) => format!("{typed} is not the address that review {id} would pay"),
        None => format!("review {id} would pay an address that looks like a known payee's and is another"),
    };
    let next = format!(
        "Compare both addresses (`chimera review show {id}`): if the one asked for is right, approve and type it whole, at the command line \
         with --confirm-address; if not, reject it. Nothing was sent, and the review is still open"
    );
    refusal(RefusalKind::Invalid, problem, next)
}

fn nothing_to_approve(id: UuidV4) -> Refusal {
    let problem = format!("review {id} asks about a payment that another wallet should have made; it can only be rejected");
    refusal(RefusalKind::Invalid, problem, "Reject it once the payment is certain not to come")
}

fn nothing_left(id: UuidV4) -> Refusal {
    refusal(RefusalKind::NotFound, format!("review {id} has nothing left to decide"), "`chimera review list` shows those that wait")
}

pub(super) fn refusal(kind: RefusalKind, problem: impl Into<String>, next: impl Into<String>) -> Refusal {
    Refusal { kind, problem: problem.into(), next: next.into() }
}

pub(super) fn unavailable(error: StoreError) -> Refusal {
    let told = format!("{:#}", anyhow::Error::from(error));
    tracing::error!("the store does not answer: {told}");
    refusal(RefusalKind::Unavailable, told, "Try again in a moment; nothing is lost")
}
