//! What several tables hold together: a post and its picture, a campaign and what it used up.

use super::{
    super::{OrStoreError, outbox},
    fresh,
};
use crate::store::{AssetFolder, SqliteStore};
use chimera_core::{
    contracts::{UuidV4, campaign::CampaignGoal, decision::Verdict, task::AgentTask},
    domain::{
        campaign::{CampaignEvent, Used},
        money::{Address, U256},
    },
    ports::{
        agents::{AgentRecord, Agents},
        assets::{AssetRecord, AssetStatus, Assets},
        content_check::ContentSigns,
        model_budget::{DayLimits, Holding, ModelBudget, ModelCall},
        swarm::{Campaigns, ClaimLimits, Judgements, Left, Outbox, Post, PostStatus, Tasks},
        text_model::Usage,
    },
    swarm::judge::{Checks, Personas, Thresholds, judge_waiting},
    testing::{fake_embedder::WordEmbedder, suites},
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

fn now() -> DateTime<Utc> {
    "2026-11-15T08:00:00Z".parse().unwrap()
}

/// What the Judge compares with, where the classifiers find nothing.
pub(super) fn checks<'a>(store: &'a SqliteStore, personas: &'a Personas) -> Checks<'a> {
    Checks { agents: store, personas, content: &no_signs, perception: store, embedder: &WordEmbedder, outbox: store, second_opinion: None }
}

fn no_signs(_: &str) -> ContentSigns {
    ContentSigns::default()
}

#[tokio::test]
async fn a_picture_is_approved_and_published_with_its_post() {
    let (folder, store) = fresh();
    start_spring(&store).await;
    let planned = task(false);
    store.enqueue(std::slice::from_ref(&planned)).await.unwrap();
    finish_all(&store, "Look.").await;
    let find = "SELECT result_id FROM results";
    let result_id: String = store.read(move |db| db.query_row(find, [], |row| row.get(0)).or_store_error()).await.unwrap();
    let assets = AssetFolder::new(store.clone(), folder.path().join("assets"));
    let picture = AssetRecord { task_id: planned.task_id, ..suites::assets::image(b"picture") };
    assets.save(&picture, b"picture".to_vec()).await.unwrap();
    let status = async || assets.find(&picture.id).await.unwrap().unwrap().status;
    let post = Post {
        post_id: UuidV4::random(),
        task_id: picture.task_id,
        result_id: result_id.parse().unwrap(),
        campaign_id: "spring".to_owned(),
        agent: picture.agent.clone(),
        platform: "mastodon".to_owned(),
        text: "Look.".to_owned(),
        media_uri: Some(picture.id.uri()),
        reply_to: None,
        status: PostStatus::Approved,
        begun_at: None,
        url: None,
    };

    store.write(move |db| outbox::add(db, &mut *db.prepare_cached(outbox::ADD).or_store_error()?, 1, &post)).await.unwrap();
    assert_eq!(status().await, AssetStatus::Approved);
    let waiting = store.waiting(now(), 1).await.unwrap();
    store.left(&waiting[0], &Left::Published { remote_id: Some("1".to_owned()), url: None, remark: None }, now()).await.unwrap();
    assert_eq!(status().await, AssetStatus::Published);
}

pub(super) fn task(transaction: bool) -> AgentTask {
    let mut task = json!({
        "task_id": UuidV4::random(), "task_type": "generate_content", "priority": "medium", "status": "pending",
        "created_at": "2026-11-15T08:00:00.000Z", "state_version": 1, "attempt": 1,
        "context": { "goal_description": "g", "campaign_id": "spring", "agent_id": "selam" },
    });
    if transaction {
        task["task_type"] = json!("execute_transaction");
        let params = json!({ "asset": "USDC", "to_address": "0x0000000000000000000000000000000000000001", "amount_wei_or_units": "25" });
        task["transaction"] = json!({ "operation": "token_transfer", "params": params });
    }
    serde_json::from_value(task).unwrap()
}

fn media_task(content_type: &str, media_micro_usd: u64, attempt: u32) -> AgentTask {
    let mut media = serde_json::to_value(task(false)).unwrap();
    media["attempt"] = json!(attempt);
    media["acceptance_criteria"] = json!({ "min_confidence": 0.7, "content_type": content_type, "platform": "mastodon" });
    media["estimate"] = json!({ "text_micro_usd": 9, "media_micro_usd": media_micro_usd, "risk": "low" });
    serde_json::from_value(media).unwrap()
}

#[tokio::test]
async fn a_campaign_has_used_what_its_tasks_models_took_and_what_its_payments_come_to() {
    let (_folder, store) = fresh();
    let goal = json!({
        "campaign_id": "spring", "goal_description": "g", "operator_id": "o", "agent_ids": ["selam"],
        "budget_constraints": {}, "created_at": "2026-11-15T08:00:00.000Z",
    });
    let goal: CampaignGoal = serde_json::from_value(goal).unwrap();
    Campaigns::create(&store, &goal, &[]).await.unwrap();
    store.change("spring", &CampaignEvent::Start, now()).await.unwrap();
    let tasks = [task(false), task(true), task(true)];
    store.enqueue(&tasks).await.unwrap();
    let call = |task_id: Option<UuidV4>, tokens_held| ModelCall {
        call_id: UuidV4::random(),
        agent: "selam".parse().unwrap(),
        task_id,
        model: "m".to_owned(),
        tokens_held,
        micro_usd_held: 0,
        at: now(),
    };
    let settled = call(Some(tasks[0].task_id), 60);
    for call in [&settled, &call(Some(tasks[0].task_id), 40), &call(None, 7), &call(Some(UuidV4::random()), 7)] {
        assert_eq!(
            store.hold(call, DayLimits { tokens_max: 1_000, micro_usd_max: None, fleet_tokens_max: None }).await.unwrap(),
            Holding::Held
        );
    }
    store.settle(settled.call_id, Usage { input_tokens: 30, output_tokens: 20, is_estimated: false }, 0).await.unwrap();

    let spent = Used { spend_units: U256::from(50), tokens: 90, ..Used::default() };
    assert_eq!(store.used("spring").await.unwrap(), spent);
    store.enqueue(&[media_task("image", 40, 1), media_task("image", 40, 2), media_task("video", 500, 1)]).await.unwrap();
    let drawn = Used { images: 2, videos: 1, media_micro_usd: 40 + 2 * 40 + 500, ..spent };
    assert_eq!(store.used("spring").await.unwrap(), drawn, "a second attempt is drawn again");
    assert_eq!(store.used("autumn").await.unwrap(), Used::default());
}

pub(super) async fn start_spring(store: &SqliteStore) {
    start_spring_with(store, json!({})).await;
}

async fn start_spring_with(store: &SqliteStore, budget: Value) {
    let soul_source = "---\nname: Selam\nid: selam\nhandle: selam\nvoice_traits: [calm]\ndirectives: [never promise returns]\n\
         core_beliefs: [people first]\nplatforms: [mastodon]\ndisclosure: AI\n---\nA persona.\n"
        .to_owned();
    let id = "selam".parse().unwrap();
    let agent = AgentRecord { id, soul_source, soul_version: String::new(), address: Address::ZERO, created_at: now() };
    Agents::create(store, &agent).await.unwrap();
    let goal = json!({
        "campaign_id": "spring", "goal_description": "g", "operator_id": "o", "agent_ids": ["selam"],
        "budget_constraints": budget, "created_at": "2026-11-15T08:00:00.000Z",
    });
    Campaigns::create(store, &serde_json::from_value(goal).unwrap(), &[]).await.unwrap();
    store.change("spring", &CampaignEvent::Start, now()).await.unwrap();
}

/// A finished result of each task, with the same words.
pub(super) async fn finish_all(store: &SqliteStore, text: &str) {
    let limits = ClaimLimits { per_agent_max: 9, overall_max: 9 };
    while let Some(leased) = store.claim("w", now(), now() + chrono::TimeDelta::minutes(1), &limits).await.unwrap() {
        let made = json!({
            "result_id": UuidV4::random(), "task_id": leased.task.task_id, "worker_id": "w", "agent_id": leased.task.context.agent_id,
            "created_at": "2026-11-15T08:00:00.000Z", "confidence_score": 0.95, "reasoning_trace": "t",
            "artifact": { "content_type": "text", "payload_text": format!("{text}\nAI"), "platform_target": "mastodon" },
        });
        store.finish(&leased.lease, &serde_json::from_value(made).unwrap()).await.unwrap();
    }
}

#[tokio::test]
async fn what_an_agent_said_already_is_rejected_with_the_reason_and_a_reply_is_not() {
    let (_folder, store) = fresh();
    start_spring(&store).await;
    let criteria = json!({ "min_confidence": 0.5, "content_type": "text", "platform": "mastodon" });
    let tasks = ["generate_content", "generate_content", "reply_comment"].map(|kind| {
        let mut task = serde_json::to_value(task(false)).unwrap();
        task["task_type"] = json!(kind);
        task["acceptance_criteria"] = criteria.clone();
        // Read by a reply alone: the post that it answers.
        task["context"]["required_resources"] = json!(["mastodon://posts/7"]);
        serde_json::from_value::<AgentTask>(task).unwrap()
    });
    store.enqueue(&tasks).await.unwrap();
    finish_all(&store, "A battery from salt lasts ten years in the cold.").await;

    let thresholds = Thresholds { approve_above: 0.9, reject_below: 0.7, retries_max: 2, auto_approve_embedded: false };
    let decisions = judge_waiting(&store, checks(&store, &Personas::default()), &thresholds, now()).await.unwrap();

    let of = |task: &AgentTask| decisions.iter().find(|decision| decision.task_id == task.task_id).unwrap();
    let mut posts: Vec<Verdict> = tasks[..2].iter().map(|task| of(task).decision).collect();
    posts.sort_by_key(|verdict| *verdict == Verdict::Reject);
    assert_eq!(posts, [Verdict::Approve, Verdict::Reject]);
    assert_eq!(of(&tasks[2]).decision, Verdict::Approve);
    let rejected = decisions.iter().find(|decision| decision.decision == Verdict::Reject).unwrap();
    assert!(rejected.reason.contains("says again") && rejected.reason.contains("A battery from salt"), "{}", rejected.reason);
}

/// Its result is text, where a picture was asked for.
#[tokio::test]
async fn a_picture_that_cannot_be_paid_again_is_a_persons_to_decide() {
    for (media_micro_usd_max, expected) in [(80, Verdict::Reject), (79, Verdict::Escalate)] {
        let (_folder, store) = fresh();
        start_spring_with(&store, json!({ "media_micro_usd_max": media_micro_usd_max })).await;
        store.enqueue(&[media_task("image", 40, 1)]).await.unwrap();
        finish_all(&store, "A battery from salt.").await;

        let thresholds = Thresholds { approve_above: 0.9, reject_below: 0.7, retries_max: 2, auto_approve_embedded: false };
        let decisions = judge_waiting(&store, checks(&store, &Personas::default()), &thresholds, now()).await.unwrap();

        assert_eq!(decisions[0].decision, expected, "{}", decisions[0].reason);
        let is_asked = !store.pending_reviews().await.unwrap().is_empty();
        assert_eq!(is_asked, expected == Verdict::Escalate);
        assert_eq!(decisions[0].reason.contains("40 of 79 micro-USD"), is_asked, "{}", decisions[0].reason);
    }
}

#[tokio::test]
async fn a_task_has_one_post() {
    let (_folder, store) = fresh();
    let post = |post_id: &'static str| {
        store.write(move |db| {
            let add = "INSERT INTO posts (task_number, post_id, task_id, result_id, campaign_id, agent_id, platform, text, status) \
                 VALUES (1, ?1, 't', 'r', 'c', 'a', 'mastodon', 'x', 'approved')";
            db.execute(add, [post_id]).or_store_error()
        })
    };
    assert_eq!(post("first").await.unwrap(), 1);
    let error: chimera_core::ports::StoreError = post("second").await.unwrap_err();
    assert!(format!("{error:?}").contains("posts.task_number"), "{error:?}");
}
