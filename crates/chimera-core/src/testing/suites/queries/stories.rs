//! The story of a post and of a payment.

use super::{Everything, asked, word};
use crate::{contracts::task::TaskType, ports::swarm::Campaigns};
use crate::{
    contracts::{
        UuidV4,
        decision::Verdict,
        review::ReviewAction,
        task::AgentTask,
        views::stories::{StepKind, TaskStory},
    },
    domain::transfer::{self, Settlement},
    ports::{
        swarm::{Consequence, PersonsWord},
        transfers::Transfers,
    },
    swarm::planner::task_id,
    testing::suites::{
        outbox::is_published,
        samples::{AGENT, CAMPAIGN, alert, at, decision, in_review, post, review, started, task},
        transfers::{mined, new_transfer, sign},
    },
};
use std::sync::Arc;

fn kinds(story: &TaskStory) -> Vec<(StepKind, &str)> {
    story.steps.iter().map(|step| (step.kind, step.state.as_str())).collect()
}

fn has(story: &TaskStory, kind: StepKind, state: &str, told: &str) {
    let found = story.steps.iter().find(|step| step.kind == kind && step.state == state && step.told == told);
    assert!(found.is_some(), "{kind:?} {state}: {told:?} is not in {:#?}", story.steps);
}

pub(super) async fn the_story_of_a_post_names_each_step(store: &impl Everything) {
    started(store).await;
    let found = alert(CAMPAIGN, -10);
    Campaigns::record_alert(store, &found).await.unwrap();
    let id = task_id(CAMPAIGN, 1, &found.trend.cluster_id, AGENT, TaskType::GenerateContent);
    let planned = AgentTask { task_id: id, ..task() };
    let made = in_review(store, std::slice::from_ref(&planned)).await.remove(0);
    let asked = review(&made);
    store.decide(&decision(&made, Verdict::Escalate), &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();
    let publish = PersonsWord::Publish { post: post(&made), lesson: None };
    store.answer(&word(asked.review_id, ReviewAction::Approve, 100), &publish).await.unwrap();
    store.left(&store.waiting(at(110), 1).await.unwrap()[0], &is_published("9"), at(110)).await.unwrap();

    let story = store.story(id).await.unwrap().unwrap();

    assert_eq!((story.campaign_id.as_deref(), story.agent_id.as_deref()), (Some(CAMPAIGN), Some(AGENT)));
    assert_eq!((story.what.as_str(), story.goal.is_some()), ("text for mastodon", true));
    has(&story, StepKind::Trend, "found", "a trend was found: coffee, signal 0.50");
    has(&story, StepKind::Task, "pending", "planned: text for mastodon by selam");
    has(&story, StepKind::Task, "in_progress", "a Worker took it, attempt 1");
    has(&story, StepKind::Result, "made", "a draft, confidence 0.88");
    has(&story, StepKind::Decision, "escalate", "put before a person: as the rules say");
    has(&story, StepKind::Review, "pending", "a person is asked: confidence 0.875 is between 0.70 and 0.90");
    has(&story, StepKind::Answer, "approve", "approved by hanna: as I see it");
    has(&story, StepKind::Post, "approved", "may be posted on mastodon");
    has(&story, StepKind::Post, "published", "published on mastodon");
    has(&story, StepKind::Task, "complete", "done");
    assert!(story.steps.iter().any(|step| step.kind == StepKind::Ledger && step.told.contains("published on mastodon")));
    assert!(story.steps.windows(2).all(|pair| pair[0].at <= pair[1].at), "oldest first");
    let published = story.steps.iter().find(|step| step.state == "published").unwrap();
    assert!(published.details.contains(&"https://social.example/9".to_owned()), "{published:?}");
    for step in &story.steps {
        let has_event = matches!(step.kind, StepKind::Task | StepKind::Decision | StepKind::Review | StepKind::Answer | StepKind::Post);
        // The person's decision is the answer once more, and has an event of its own.
        assert_eq!(step.event.is_some(), has_event, "{step:?}");
    }
    assert_eq!(store.story(UuidV4::random()).await.unwrap(), None);
    let (other, _) = asked_about(store).await;
    assert!(kinds(&store.story(other).await.unwrap().unwrap()).iter().all(|(kind, _)| *kind != StepKind::Trend), "it has no trend");
}

async fn asked_about(store: &impl Everything) -> (UuidV4, UuidV4) {
    let (made, asked) = asked(store).await;
    (made.task_id, asked.review_id)
}

pub(super) async fn the_story_of_a_payment_names_each_step(store: &impl Everything) {
    // A wallet call from outside: its task is not ours.
    let transfer = new_transfer(150);
    sign(store, &transfer).await;
    Transfers::settle(store, transfer.transaction_id, &Settlement::Confirmed(mined(2)), at(9)).await.unwrap();
    let declined = new_transfer(7);
    let judge = Arc::new(|_: &transfer::History| transfer::Verdict::Ask { rule: "ask_above".to_owned(), reason: "much".to_owned() });
    store.reserve(&declined, judge).await.unwrap();

    let story = store.story(transfer.task_id).await.unwrap().unwrap();
    assert_eq!((story.campaign_id.as_deref(), story.agent_id.as_deref(), story.what.as_str()), (None, Some(AGENT), "payment"));
    has(&story, StepKind::Decision, "approve", "approved: the transfer is within the agent's policy and budget");
    let moved = "0.00015 USDC to 0x0202020202020202020202020202020202020202";
    has(&story, StepKind::Payment, "confirmed", &format!("{moved}: confirmed"));
    let paid = story.steps.iter().find(|step| step.kind == StepKind::Payment).unwrap();
    assert!(paid.details.contains(&"block 42".to_owned()), "{paid:?}");
    assert!(story.steps.iter().any(|step| step.kind == StepKind::Ledger && step.told.contains(&format!("paid {moved}"))));

    let story = store.story(declined.task_id).await.unwrap().unwrap();
    assert_eq!(story.agent_id.as_deref(), Some(AGENT));
    has(&story, StepKind::Review, "pending", "a person is asked: much");
    has(&story, StepKind::Payment, "awaiting_review", "0.000007 USDC to 0x0202020202020202020202020202020202020202 waits for a person");
}
