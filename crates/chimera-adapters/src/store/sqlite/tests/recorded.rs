//! Decisions of the real Judge and of the CFO's rules on the real store, made again from their record.

use super::{
    acting::checks,
    fresh,
    judging::{GROUNDED, INVENTED, NEWS, THRESHOLDS, finished, post_about, with_news},
};
use chimera_core::{
    contracts::{
        ErrorCode, SkillFailure, UtcTime, UuidV4,
        review::{ReviewAction, ReviewAnswer},
        views::hindsight::{Outcomes, Said},
        wallet_transaction::WalletOperation,
    },
    domain::{
        money::{Address, Asset, ChainId, U256},
        transfer::{NewTransfer, TransferRequest, Verdict},
    },
    policy::spending::SpendingPolicies,
    ports::{
        recorded::{PaymentDecided, RecordedDecisions},
        swarm::{Judgements, PersonsWord, Reviews},
        transfers::{Judge, Transfers},
    },
    swarm::{
        judge::{Personas, judge_waiting},
        what_if::{Asked, Record, Rules},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;

fn now() -> DateTime<Utc> {
    "2026-11-15T08:00:00Z".parse().unwrap()
}

#[tokio::test]
async fn the_judges_decisions_come_out_as_recorded_and_a_lower_bar_lets_through_what_a_person_turned_down() {
    let (_folder, store) = fresh();
    with_news(&store, false).await;
    for (text, confidence) in [(GROUNDED, 0.97), ("Thank you, glad you liked it.", 0.8), (INVENTED, 0.97)] {
        finished(&store, &post_about(&[NEWS], "spring", 1), text, confidence).await;
        judge_waiting(&store, checks(&store, &Personas::default()), &THRESHOLDS, now()).await.unwrap();
    }
    let asked = store.pending_reviews().await.unwrap().pop().unwrap();
    let answer = ReviewAnswer {
        found: None,
        review_id: asked.review_id,
        action: ReviewAction::Reject,
        reason: None,
        edited_artifact: None,
        give_up: true,
        confirmed_address: None,
        reviewer_id: "lena".to_owned(),
        reviewed_at: UtcTime(now()),
    };
    store.answer(&answer, &PersonsWord::GiveUp { lesson: None }).await.unwrap();

    let records = store.judgements(now() - TimeDelta::days(1), 100).await.unwrap();
    assert_eq!(
        records.iter().map(|record| (record.attempt, record.said)).collect::<Vec<_>>(),
        [(Some(1), Said::Nothing), (Some(1), Said::Rejected), (Some(1), Said::Nothing)]
    );
    assert_eq!(store.judgements(now() - TimeDelta::days(1), 1).await.unwrap(), records[2..]);
    assert_eq!(store.judgements(now() + TimeDelta::days(1), 100).await.unwrap(), []);

    let rules = Rules { thresholds: THRESHOLDS, spending: SpendingPolicies::default() };
    let record = Record::read(&store, &store, now() + TimeDelta::days(1)).await.unwrap();
    let same = record.what_if(&rules, &Asked::default()).content;
    assert_eq!(same.recorded, Outcomes { alone: 1, person: 1, refused: 1 });
    assert_eq!((same.today, same.then, same.changed, same.differing), (same.recorded, same.recorded, 0, 0), "{same:?}");
    let lower = record.what_if(&rules, &Asked { approve_above_percent: Some(75), ..Asked::default() }).content;
    assert_eq!(lower.then, Outcomes { alone: 2, person: 0, refused: 1 }, "what nobody said stays out");
    assert_eq!((lower.loosened.rejected, lower.changes[0].task_id), (1, asked.task_id));
}

fn transfer(minute: i64, units: u64) -> NewTransfer {
    let reserved_at = now() + TimeDelta::minutes(minute);
    NewTransfer {
        transaction_id: UuidV4::random(),
        task_id: UuidV4::random(),
        request: TransferRequest {
            agent: "selam".parse().unwrap(),
            wallet: Address::repeat_byte(1),
            operation: WalletOperation::TokenTransfer,
            chain: ChainId(8453),
            asset: Asset::token("USDC", Address::repeat_byte(2), 6),
            to: Address::repeat_byte(3),
            amount_units: U256::from(units),
        },
        requested_limit: None,
        reserved_at,
        lease_until: reserved_at,
    }
}

#[tokio::test]
async fn payments_are_on_record_whether_they_were_made_asked_about_or_refused() {
    let (_folder, store) = fresh();
    let (made, asked, refused, failed) = (transfer(0, 5), transfer(1, 6), transfer(2, 7), transfer(3, 8));
    let ask: Judge = Arc::new(|_| Verdict::Ask { rule: "ask_above".to_owned(), reason: "much".to_owned() });
    let over = || SkillFailure::new(ErrorCode::BudgetExceeded, "over").with("counter", "per_day");
    store.reserve(&made, Arc::new(|_| Verdict::Approve)).await.unwrap();
    store.reserve(&asked, ask).await.unwrap();
    store.reserve(&refused, Arc::new(move |_| Verdict::Refuse(over()))).await.unwrap();
    store.reserve(&failed, Arc::new(|_| Verdict::Approve)).await.unwrap();
    // Given up for another reason than the CFO's: its refusal on the ledger is no further request.
    store.release(failed.transaction_id, &SkillFailure::new(ErrorCode::RpcError, "no node"), now()).await.unwrap();

    let found = store.payments(now() - TimeDelta::hours(8), 100).await.unwrap();

    let told: Vec<_> =
        found.requests.iter().map(|request| (request.task_id, request.decided.clone(), request.spent_on.is_some())).collect();
    assert_eq!(
        told,
        [
            (made.task_id, PaymentDecided::Allowed, true),
            (asked.task_id, PaymentDecided::Asked("ask_above".to_owned()), false),
            (refused.task_id, PaymentDecided::Refused("per_day".to_owned()), false),
            (failed.task_id, PaymentDecided::Allowed, false),
        ]
    );
    assert_eq!((found.requests[0].request.clone(), found.requests[1].said), (made.request, Said::Waiting));
    assert_eq!((found.requests[2].request.amount_units, found.requests[2].at), (U256::from(7), refused.reserved_at));
    assert!(!found.is_cut);
    let newest = store.payments(now() - TimeDelta::hours(8), 2).await.unwrap();
    assert_eq!((newest.requests.len(), newest.is_cut, newest.requests[0].task_id), (2, true, refused.task_id));
}
