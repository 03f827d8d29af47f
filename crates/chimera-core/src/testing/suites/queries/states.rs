//! What is told of an agent, and of a campaign.

use super::{Everything, agent, asked, entry, word};
use crate::{
    contracts::{
        decision::Verdict,
        review::ReviewAction,
        views::agents::{AgentCard, AgentState, StopKind},
    },
    domain::{
        campaign::{CampaignEvent, Pause},
        freeze::{Freeze, FreezeCause, FreezeScope},
        transfer::{Reconciliation, Settlement},
    },
    ports::{
        kill_switch::KillSwitch,
        queries::PageOf,
        swarm::{Calendar, Consequence, EntryStatus, Judgements, PersonsWord, Replan, TaskFailure},
        transfers::Transfers,
    },
    testing::suites::{
        outbox::is_published,
        samples::{AGENT, CAMPAIGN, NO_LIMITS, at, decision, in_review, paused, post, result, started, task},
        transfers::{mined, new_transfer, sign},
    },
};

async fn card(store: &impl Everything) -> AgentCard {
    let mut agents = store.fleet(at(0)).await.unwrap().agents;
    assert_eq!(agents.len(), 1);
    agents.remove(0)
}

async fn is(store: &impl Everything, state: AgentState, because: &str) {
    let card = card(store).await;
    assert_eq!((card.state, card.because.as_str()), (state, because));
    let detail = store.agent(&AGENT.parse().unwrap(), at(0)).await.unwrap().unwrap();
    assert_eq!(detail.card, card, "the agent's own page says the same");
}

/// One further attempt at most; none when `attempts_max` is 1.
async fn failed(store: &impl Everything, attempts_max: u32, seconds: i64) {
    let leased = store.claim("worker-1", at(10), at(20), &NO_LIMITS).await.unwrap().unwrap();
    let failure =
        TaskFailure { reason: "no source answers".to_owned(), is_refused: false, attempts_max, again_at: at(seconds), now: at(seconds) };
    store.fail(&leased.lease, &failure).await.unwrap();
}

pub(super) async fn an_agents_state_is_the_first_rule_that_holds(store: &impl Everything) {
    let own = agent(store, AGENT).await;
    started(store).await;
    is(store, AgentState::Sleeping, "has nothing to do").await;
    let dated = entry(CAMPAIGN, 3_600);
    store.add(&dated).await.unwrap();
    is(store, AgentState::Sleeping, "has nothing to do until 2026-11-15T09:00:00.125Z, when the calendar has something for it").await;
    Calendar::settle(store, &dated, &EntryStatus::Removed).await.unwrap();

    store.enqueue(&[task(), task()]).await.unwrap();
    is(store, AgentState::Planning, "2 tasks wait for a Worker").await;
    let leased = store.claim("worker-1", at(10), at(20), &NO_LIMITS).await.unwrap().unwrap();
    is(store, AgentState::Working, "1 task is with a Worker").await;
    let made = result(&leased.task);
    store.finish(&leased.lease, &made).await.unwrap();
    is(store, AgentState::Judging, "1 result is before the Judge").await;
    let asked = crate::testing::suites::samples::review(&made);
    store.decide(&decision(&made, Verdict::Escalate), &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();
    is(store, AgentState::Waiting, "1 review waits for a reviewer").await;
    assert_eq!(card(store).await.since.map(|since| since.0), Some(at(60)));
    let queue = card(store).await.queue;
    assert_eq!((queue.pending, queue.awaiting_person, queue.in_progress, queue.review), (1, 1, 0, 0));

    let scope = FreezeScope::Agent(own.id.clone());
    store.pause(&Pause { scope: scope.clone(), reason: "too loud".to_owned(), by: "ops".to_owned(), at: at(70) }).await.unwrap();
    is(store, AgentState::Paused, "paused: too loud").await;
    KillSwitch::hold(store, &own.id, "the book is old", at(80)).await.unwrap();
    is(store, AgentState::Frozen, "its wallet is held: the book is old").await;
    let freeze = Freeze {
        scope: FreezeScope::Fleet,
        reason: "the key may be known".to_owned(),
        by: "ops".to_owned(),
        at: at(90),
        cause: FreezeCause::KillSwitch,
    };
    store.freeze(&freeze).await.unwrap();
    is(store, AgentState::Frozen, "the whole fleet is frozen: the key may be known").await;
    let fleet = store.fleet(at(0)).await.unwrap();
    assert_eq!(
        fleet.stops.iter().map(|stop| (stop.kind, stop.reason.as_str())).collect::<Vec<_>>(),
        [(StopKind::Freeze, "the key may be known")]
    );
    assert_eq!(fleet.last_event, store.last().await.unwrap());
    assert_eq!(store.agent(&own.id, at(0)).await.unwrap().unwrap().stops.len(), 3);

    store.unfreeze(&FreezeScope::Fleet, "ops", at(91)).await.unwrap();
    let reconciled = Reconciliation {
        agent: own.id.clone(),
        wallet: own.address,
        found: Vec::new(),
        next_nonces: Vec::new(),
        is_complete: true,
        by: "ops".to_owned(),
        at: at(92),
    };
    store.reconcile(&reconciled).await.unwrap();
    store.resume(&scope).await.unwrap();
    failed(store, 1, 100).await;
    is(store, AgentState::Error, "no source answers").await;
    let publish = PersonsWord::Publish { post: post(&made), lesson: None };
    store.answer(&word(asked.review_id, ReviewAction::Approve, 110), &publish).await.unwrap();
    assert_eq!(card(store).await.last_error, None, "a later post makes it good");
    is(store, AgentState::Waiting, "1 review waits for a reviewer").await;

    let stuck = Judgements::pending_reviews(store).await.unwrap().remove(0);
    store.answer(&word(stuck.review_id, ReviewAction::Reject, 120), &PersonsWord::GiveUp { lesson: None }).await.unwrap();
    is(store, AgentState::Sleeping, "has nothing to do").await;
    store.enqueue(&[task()]).await.unwrap();
    failed(store, 2, 130).await;
    is(store, AgentState::Planning, "1 task waits for a Worker").await;
    assert_eq!(card(store).await.last_error.as_deref(), Some("no source answers"), "an attempt is left, and it is told all the same");
}

pub(super) async fn what_a_paused_campaign_sent_back_waits_for_it(store: &impl Everything) {
    agent(store, AGENT).await;
    started(store).await;
    let planned = task();
    store.enqueue(std::slice::from_ref(&planned)).await.unwrap();
    store.change(CAMPAIGN, &paused(), at(70)).await.unwrap();
    is(store, AgentState::Sleeping, "1 task waits for a campaign that does not run").await;
    assert_eq!((card(store).await.queue.returned, card(store).await.campaigns), (1, 0));

    store.change(CAMPAIGN, &CampaignEvent::Resume, at(80)).await.unwrap();
    is(store, AgentState::Planning, "1 task is back with the Planner").await;
    store.replan(planned.task_id, &Replan::Rearm, at(90)).await.unwrap();
    is(store, AgentState::Planning, "1 task waits for a Worker").await;
    assert_eq!(card(store).await.campaigns, 1);
}

pub(super) async fn a_card_tells_name_budget_posts_and_campaigns(store: &impl Everything) {
    agent(store, AGENT).await;
    let transfer = new_transfer(5);
    sign(store, &transfer).await;
    Transfers::settle(store, transfer.transaction_id, &Settlement::Confirmed(mined(2)), at(9)).await.unwrap();
    sign(store, &new_transfer(7)).await;
    let made = in_review(store, &[task()]).await.remove(0);
    store.decide(&decision(&made, Verdict::Approve), &Consequence::Publish(post(&made))).await.unwrap();
    assert_eq!(card(store).await.last_post, None, "it has not left");
    store.left(&store.waiting(at(70), 1).await.unwrap()[0], &is_published("1"), at(70)).await.unwrap();

    let card = card(store).await;
    assert_eq!((card.name.as_str(), card.campaigns), ("Selam", 1));
    let [day] = card.budgets.as_slice() else { panic!("{card:?}") };
    assert_eq!((day.spent.units.as_str(), day.reserved_units.as_str()), ("5", "7"));
    assert_eq!((day.spent.asset.as_str(), day.spent.decimals, day.spent.chain_id.as_str()), ("USDC", 6, "8453"));
    let last = card.last_post.unwrap();
    assert_eq!((last.platform.as_str(), last.status.as_str(), last.at.0), ("mastodon", "published", at(70)));
    assert_eq!(store.fleet(at(86_400)).await.unwrap().agents[0].budgets, [], "another day");
    let detail = store.agent(&AGENT.parse().unwrap(), at(0)).await.unwrap().unwrap();
    assert_eq!((detail.posts.len(), detail.campaigns.len(), detail.campaigns[0].status.as_str()), (1, 1, "running"));
    assert!(detail.soul_source.contains("name: Selam"));
    assert_eq!(store.agent(&"nobody".parse().unwrap(), at(0)).await.unwrap(), None);
}

pub(super) async fn campaigns_count_what_became_of_their_tasks(store: &impl Everything) {
    let made = in_review(store, &[task(), task(), task()]).await;
    store.decide(&decision(&made[0], Verdict::Approve), &Consequence::Publish(post(&made[0]))).await.unwrap();
    store.left(&store.waiting(at(70), 1).await.unwrap()[0], &is_published("1"), at(70)).await.unwrap();
    store.decide(&decision(&made[1], Verdict::Reject), &Consequence::Complete).await.unwrap();
    asked(store).await;
    let before = store.campaign(CAMPAIGN).await.unwrap().unwrap();
    let row = &before.row;
    let tasks = row.tasks;
    assert_eq!((tasks.open, tasks.awaiting_person, tasks.complete, tasks.given_up), (2, 1, 1, 1), "one is before the Judge: {tasks:?}");
    assert_eq!((row.posts_published, row.reviews_pending, row.status.as_str()), (1, 1, "running"));
    assert_eq!(store.campaigns(&PageOf::first(1)).await.unwrap().items, std::slice::from_ref(row));

    store.change(CAMPAIGN, &paused(), at(80)).await.unwrap();
    let after = store.campaign(CAMPAIGN).await.unwrap().unwrap();
    assert_eq!((after.row.status.as_str(), after.row.reason.as_deref()), ("paused", Some("the operator wants to think")));
    assert!(after.last_event > before.last_event && after.state_version > before.state_version);
    assert_eq!(store.campaign("autumn").await.unwrap(), None);
}
