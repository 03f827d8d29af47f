//! Many decisions in one turn.

use super::{
    super::judgements::{self, Ruling},
    acting::{finish_all, start_spring, task},
    fresh,
};
use crate::store::SqliteStore;
use chimera_core::{
    contracts::{
        UtcTime, UuidV4,
        decision::{JudgeDecision, Verdict},
        result::WorkerResult,
        task::AgentTask,
    },
    domain::campaign::CampaignEvent,
    ports::swarm::{Campaigns, Consequence, DecideError, Judgements, Post, PostStatus, Tasks},
};
use chrono::DateTime;

/// More than are looked up one by one.
const RESULTS: usize = 40;

async fn with_results() -> (tempfile::TempDir, SqliteStore, Vec<(AgentTask, WorkerResult)>) {
    let (folder, store) = fresh();
    start_spring(&store).await;
    let tasks: Vec<AgentTask> = (0..RESULTS).map(|_| task(false)).collect();
    store.enqueue(&tasks).await.unwrap();
    finish_all(&store, "It tastes of bergamot.").await;
    let waiting = store.undecided(RESULTS).await.unwrap();
    assert_eq!(waiting.len(), RESULTS);
    (folder, store, waiting)
}

fn approved(task_id: UuidV4, result_id: UuidV4) -> Ruling {
    let decision = JudgeDecision {
        decision_id: UuidV4::named(&["decision", &result_id.to_string()]),
        result_id: Some(result_id),
        task_id,
        decision: Verdict::Approve,
        state_version: 1,
        created_at: UtcTime(DateTime::UNIX_EPOCH),
        reason: "good".to_owned(),
        hitl_reason: None,
    };
    let post = Post {
        post_id: UuidV4::named(&["post", &result_id.to_string()]),
        task_id,
        result_id,
        campaign_id: "spring".to_owned(),
        agent: "selam".parse().unwrap(),
        platform: "mastodon".to_owned(),
        text: "It tastes of bergamot.".to_owned(),
        media_uri: None,
        reply_to: None,
        status: PostStatus::Approved,
        begun_at: None,
        url: None,
    };
    Ruling::new(&decision, &Consequence::Publish(post))
}

async fn decide(store: &SqliteStore, rulings: Vec<Ruling>) -> Vec<Result<(), DecideError>> {
    let answers = store.write(move |db| judgements::decide_all(db, &rulings)).await.unwrap();
    answers.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn a_result_that_is_decided_twice_in_one_turn_is_published_once_and_a_senseless_one_stays_alone() {
    let (_folder, store, waiting) = with_results().await;
    let mut rulings = Vec::new();
    for (task, result) in &waiting[1..] {
        rulings.push(approved(task.task_id, result.result_id));
        rulings.push(approved(task.task_id, result.result_id));
    }
    // The result of the one under the name of another.
    rulings.push(approved(waiting[1].0.task_id, waiting[0].1.result_id));

    let answers = decide(&store, rulings).await;

    let (senseless, sensible) = answers.split_last().unwrap();
    assert!(matches!(senseless, Err(DecideError::Store(_))), "{senseless:?}");
    assert!(sensible.iter().all(Result::is_ok), "{sensible:?}");
    let record = Judgements::of_campaign(&store, "spring").await.unwrap();
    assert_eq!((record.decisions.len(), record.posts.len()), (RESULTS - 1, RESULTS - 1));
    let left: Vec<UuidV4> = store.undecided(RESULTS).await.unwrap().into_iter().map(|(task, _)| task.task_id).collect();
    assert_eq!(left, [waiting[0].0.task_id]);
}

#[tokio::test]
async fn what_a_paused_campaign_has_made_is_not_published() {
    let (_folder, store, waiting) = with_results().await;
    store.change("spring", &CampaignEvent::Pause { reason: "a person wants to look".to_owned() }, DateTime::UNIX_EPOCH).await.unwrap();

    let answers = decide(&store, waiting.iter().map(|(task, result)| approved(task.task_id, result.result_id)).collect()).await;

    assert!(answers.iter().all(|answer| matches!(answer, Err(DecideError::StateMoved { .. }))), "{answers:?}");
    assert_eq!(Judgements::of_campaign(&store, "spring").await.unwrap().posts.len(), 0);
}
