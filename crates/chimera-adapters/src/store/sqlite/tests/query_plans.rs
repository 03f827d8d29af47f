//! Queries that run all the time stay flat as rows grow: each is answered from an index made for it, without sorting.

use super::super::{
    SqliteStore, calendar, campaigns, claims, columns, engagement, events, judgements, ledger, memories, model_budget, outbox, perception,
    queries::{self, fleet, lists, money, reviews, stories, trends},
    tasks,
};
use chimera_core::{
    contracts::views::reviews::ReviewKind,
    ports::queries::{PostFilter, ReviewFilter},
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
        is_in_order(&store, query, index).await;
    }
}

async fn plan(store: &SqliteStore, query: &str) -> Vec<String> {
    let query = query.to_owned();
    store
        .read(move |db| columns::rows(db, &format!("EXPLAIN QUERY PLAN {query}"), nulls(&query).as_slice(), |row| row.get(3)))
        .await
        .unwrap()
}

async fn is_in_order(store: &SqliteStore, query: &str, index: &str) {
    let plan = plan(store, query).await;
    assert!(plan[0].contains(index), "{query}: {plan:?}");
    // A subquery's own steps follow its heading; what two of them are merged to is read as it comes.
    let headings = ["CO-ROUTINE", "MERGE (UNION ALL)", "LEFT", "RIGHT", "SCAN (subquery"];
    let is_heading = |step: &&String| step.contains("SCALAR SUBQUERY") || headings.iter().any(|heading| step.starts_with(heading));
    let steps: Vec<&String> = plan.iter().filter(|step| !is_heading(step)).collect();
    assert!(steps.iter().all(|step| step.contains(" USING ") && !step.contains("TEMP B-TREE")), "{query}: {plan:?}");
}

#[tokio::test]
async fn what_people_look_at_is_read_in_order_from_its_index() {
    let (_folder, store) = super::fresh();
    let (agent, kind) = (Some("selam".parse().unwrap()), Some(ReviewKind::Money));
    let review = |is_decided, kind, agent| reviews::sql(&ReviewFilter { is_decided, kind, agent });
    let post = |campaign_id: Option<&str>, agent| lists::posts_sql(&PostFilter { campaign_id: campaign_id.map(str::to_owned), agent });
    for (query, index) in [
        (review(false, None, None), "reviews_pending"),
        (review(false, None, agent.clone()), "reviews_pending_by_agent"),
        (review(false, kind, None), "reviews_pending_by_kind"),
        (review(true, None, None), "reviews_closed"),
        (review(true, None, agent.clone()), "reviews_closed_by_agent"),
        (review(true, kind, None), "reviews_closed_by_kind"),
        (queries::campaigns::LIST.to_owned(), "INTEGER PRIMARY KEY"),
        (queries::campaigns::LAST_EVENT.to_owned(), "events_of_campaigns"),
        (lists::TASKS.to_owned(), "tasks_of_campaign"),
        (post(None, None), "INTEGER PRIMARY KEY"),
        (post(Some("spring"), None), "posts_of_campaign"),
        (post(None, agent), "posts_of_agent"),
        (lists::CALENDAR.to_owned(), "calendar_by_time"),
        (lists::CALENDAR_OF_CAMPAIGN.to_owned(), "calendar_of_campaign"),
        (trends::LIST.to_owned(), "INTEGER PRIMARY KEY"),
        (trends::OF_CAMPAIGN.to_owned(), "trend_alerts_by_number"),
        (money::ledger_sql(false), "INTEGER PRIMARY KEY"),
        (money::ledger_sql(true), "ledger_of_agent"),
        (money::transfers_sql(false), "INTEGER PRIMARY KEY"),
        (money::transfers_sql(true), "transfers_of_agent"),
        (events::OF_TASK.to_owned(), "events_of_task"),
        (campaigns::ALERTS_BEFORE.to_owned(), "trend_alerts_of_campaign"),
        (stories::RESULTS.to_owned(), "results_of_task"),
        (stories::DECISIONS.to_owned(), "decisions_of_task"),
        (stories::OTHER_DECISIONS.to_owned(), "decisions_of_other_tasks"),
        (stories::REVIEWS.to_owned(), "reviews_of_task"),
        (stories::TITLES.to_owned(), "items_of_story"),
        (stories::transfer_sql(), "transfers_of_task"),
        (stories::post_sql(), "posts_of_task"),
        (stories::ledger_sql(), "ledger_of_task"),
    ] {
        is_in_order(&store, &query, index).await;
    }
}

/// Grouping what is open sorts it; that is bounded by what is open, and no history is looked at.
#[tokio::test]
async fn the_fleet_is_counted_from_what_is_open() {
    let (_folder, store) = super::fresh();
    for (query, index) in [
        (fleet::AGENTS, "COVERING INDEX agents_at_a_glance"),
        (fleet::OPEN, "INDEX tasks_open"),
        (fleet::IN_PROGRESS, "INDEX tasks_leased"),
        (fleet::IN_REVIEW, "INDEX results_undecided"),
        (fleet::RETURNED, "INDEX tasks_returned"),
        (fleet::REVIEWS, "INDEX reviews_pending"),
        (fleet::CAMPAIGNS, "INDEX campaigns_due"),
        (fleet::BUDGETS, "INDEX budget_days_of_day"),
        (fleet::LAST_POSTS, "INDEX posts_of_agent"),
        (fleet::FAILURES, "INDEX transfers_recent"),
        (fleet::NEXT_DATES, "INDEX calendar_waiting"),
        (queries::campaigns::WAITING, "INDEX reviews_pending"),
        (queries::agents::CAMPAIGNS, "INDEX campaigns_of_agent"),
        (trends::HOURLY, "INDEX items_of_story"),
        (queries::memories::MEMORIES, "COVERING INDEX memories_of_agent"),
    ] {
        let plan = plan(&store, query).await;
        assert!(plan.iter().any(|step| step.contains(index)), "{query}: {plan:?}");
        // One row an agent, and one a campaign.
        let scans = plan.iter().filter(|step| step.starts_with("SCAN ") && !step.contains(" INDEX "));
        let bounded = ["SCAN campaigns", "SCAN failures", "SCAN found VIRTUAL TABLE INDEX 1:"];
        assert!(scans.clone().all(|step| bounded.contains(&step.as_str())), "{query}: {plan:?}");
    }
}

fn nulls(query: &str) -> Vec<&'static dyn rusqlite::ToSql> {
    let count = (1..=9).filter(|number| query.contains(&format!("?{number}"))).count();
    vec![&rusqlite::types::Null; count]
}
