//! A person's word on a transfer.

use super::{
    super::{judgements, ledger},
    by_id, by_task, misfit, row, settlement,
};
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer, ReviewStatus},
    },
    domain::{
        ledger::answer_entry,
        transfer::{Grant, Settlement, SignedFailure, TransferEvent, TransferState},
    },
    ports::{
        StoreError,
        transfers::{Answered, answer_decision, confirms_address, review_item},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::Connection;

pub(in super::super) fn answer(db: &Connection, answer: &ReviewAnswer, grant_until: DateTime<Utc>) -> Result<Answered, StoreError> {
    let Some(review) = judgements::find_review(db, answer.review_id)? else { return Ok(Answered::NotFound) };
    if review.status != ReviewStatus::Pending {
        return Ok(Answered::AlreadyDecided(review.status));
    }
    let Some(stored) = by_task(db, review.task_id)?.filter(|_| review.transaction.is_some()) else { return Ok(Answered::NotFound) };
    let record = stored.record;
    let reason = answer.reason.clone().unwrap_or_else(|| format!("rejected by {}", answer.reviewer_id));
    let is_approval = answer.action == ReviewAction::Approve;
    let answered = match (&record.state, is_approval) {
        (TransferState::AwaitingReview { review_id, rule }, true) => {
            let address_confirmed = match confirms_address(rule, &record.transfer, answer) {
                Ok(confirmed) => confirmed,
                Err(unconfirmed) => return Ok(unconfirmed),
            };
            let grant = Grant { review_id: *review_id, until: grant_until, address_confirmed };
            let granted = record.after(TransferEvent::Grant(grant)).map_err(misfit)?;
            row::set_state(db, &granted)?;
            Answered::Granted(Box::new(granted))
        }
        (TransferState::AwaitingReview { .. }, false) => {
            let declined = record.after(TransferEvent::Decline { reason }).map_err(misfit)?;
            row::set_state(db, &declined)?;
            Answered::Declined(Box::new(declined))
        }
        (TransferState::HandedOver(_), true) => return Ok(Answered::NothingToApprove),
        (TransferState::HandedOver(_), false) => {
            let settlement = Settlement::Failed(SignedFailure::GivenUp { reason });
            let given_up = settlement::settle(db, record.transfer.transaction_id, &settlement, answer.reviewed_at.0)?;
            Answered::GivenUp(Box::new(given_up))
        }
        _ => {
            judgements::close_review(db, answer.review_id, ReviewStatus::Expired, None)?;
            return Ok(Answered::AlreadyDecided(ReviewStatus::Expired));
        }
    };
    let mut agent = None;
    if let Answered::Granted(record) | Answered::Declined(record) | Answered::GivenUp(record) = &answered {
        ledger::append(db, &answer_entry(answer, &record.transfer))?;
        agent = Some(&record.transfer.request.agent);
    }
    let status = if is_approval { ReviewStatus::Approved } else { ReviewStatus::Rejected };
    judgements::close_review(db, answer.review_id, status, Some(answer))?;
    judgements::record_of(db, &answer_decision(answer, review.task_id), agent)?;
    Ok(answered)
}

pub(super) fn ask_about(db: &Connection, transaction_id: UuidV4, reason: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
    let Some(stored) = by_id(db, transaction_id)? else { return Ok(()) };
    // Derived, so that asking twice is asking once.
    let review_id = UuidV4::named(&["handed_over", &transaction_id.to_string()]);
    let mut review = review_item(&stored.record.transfer, review_id, reason);
    review.created_at = UtcTime(at);
    judgements::add_review(db, &review)
}
