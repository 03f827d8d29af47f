//! Queries that run all the time stay flat as rows grow: each is answered from an index made for it, without sorting.

use super::super::{
    calendar, campaigns, claims, columns, engagement, judgements, ledger, memories, model_budget, outbox, perception, tasks,
};

#[tokio::test]
async fn frequent_queries_are_answered_in_order_from_their_index() {
    let (_folder, store) = super::fresh();
    for (query, index) in [
        (claims::NEXT_READY, "tasks_ready"),
        (claims::NEXT_EXPIRED, "tasks_leased"),
        (claims::IN_PROGRESS, "COVERING INDEX tasks_leased"),
        (tasks::RETURNED, "campaigns_due"),
        (campaigns::DUE, "campaigns_due"),
        (judgements::UNDECIDED, "results_undecided"),
        (judgements::OLDEST, "results_undecided"),
        (judgements::PENDING_REVIEWS, "reviews_pending"),
        (outbox::WAITING, "posts_waiting"),
        (outbox::PUBLISHED_TEXTS, "posts_of_agent"),
        (outbox::ASKED_TEXTS, "reviews_pending_of_agent"),
        (outbox::limits::LATEST_ON_PLATFORM, "COVERING INDEX sends_on_platform"),
        (outbox::limits::LATEST_OF_AGENT, "COVERING INDEX sends_by_time"),
        (outbox::limits::LATEST_OF_ALL, "COVERING INDEX sends_by_time"),
        (engagement::DUE, "posts_unread"),
        (perception::WINDOW, "items_window"),
        (perception::UNSEEN, "COVERING INDEX items_last_seen"),
        (memories::SINCE, "memories_of_agent"),
        (memories::OF_CAMPAIGN, "memories_of_campaign"),
        (memories::LESSONS, "memories_lessons"),
        (model_budget::DAY, "model_calls_of_day"),
        (model_budget::FLEET_DAY, "COVERING INDEX model_calls_of_fleet"),
        (model_budget::OF_TASK, "model_calls_of_task"),
        (calendar::DUE, "calendar_waiting"),
        (calendar::OF_CAMPAIGN, "calendar_of_campaign"),
        (campaigns::ALERTS, "trend_alerts_of_campaign"),
        (ledger::OF_AGENT, "ledger_of_agent"),
        (ledger::PAGE_OF_AGENT, "ledger_of_agent"),
    ] {
        let plan: Vec<String> = store
            .read(move |db| columns::rows(db, &format!("EXPLAIN QUERY PLAN {query}"), nulls(query).as_slice(), |row| row.get(3)))
            .await
            .unwrap();

        assert!(plan[0].contains(index), "{query}: {plan:?}");
        // A subquery's own steps follow its heading.
        let steps: Vec<&String> = plan.iter().filter(|step| !step.ends_with("SCALAR SUBQUERY 1")).collect();
        assert!(steps.iter().all(|step| step.contains(" USING ") && !step.contains("TEMP B-TREE")), "{query}: {plan:?}");
    }
}

fn nulls(query: &str) -> Vec<&'static dyn rusqlite::ToSql> {
    let count = (1..=9).filter(|number| query.contains(&format!("?{number}"))).count();
    vec![&rusqlite::types::Null; count]
}
