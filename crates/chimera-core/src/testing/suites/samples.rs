//! Messages to test with: valid, small, and different from each other where it matters.

use crate::contracts::{
    UtcTime, UuidV4,
    campaign::CampaignGoal,
    content_generator::{Artifact, ContentType, VideoTier},
    decision::{JudgeDecision, Verdict},
    result::WorkerResult,
    review::{ReviewItem, ReviewStatus},
    task::{AgentTask, Priority, Risk, TaskAcceptance, TaskContext, TaskEstimate, TaskStatus, TaskType},
    trend_alert::{Trend, TrendAlert, TrendEventType},
};
use crate::domain::campaign::{CampaignEvent, CampaignStatus};
use crate::ports::swarm::{Campaigns, ClaimLimits, Post, PostStatus, Tasks};
use chrono::{DateTime, TimeDelta, Utc};

pub(super) const CAMPAIGN: &str = "spring";
pub(super) const AGENT: &str = "selam";

/// `seconds` after a fixed moment.
pub(super) fn at(seconds: i64) -> DateTime<Utc> {
    let start: DateTime<Utc> = "2026-11-15T08:00:00.125Z".parse().expect("a valid time");
    start + TimeDelta::seconds(seconds)
}

pub(super) fn goal(campaign_id: &str) -> CampaignGoal {
    CampaignGoal {
        campaign_id: campaign_id.to_owned(),
        goal_description: "Tell \"friends\" about the new roast \u{2615}".to_owned(),
        operator_id: "ops".to_owned(),
        agent_ids: vec![AGENT.to_owned()],
        budget_constraints: serde_json::Map::from_iter([("usdc_per_day".to_owned(), "5000000".into())]),
        created_at: UtcTime(at(0)),
    }
}

pub(super) fn alert(campaign_id: &str, seconds: i64) -> TrendAlert {
    TrendAlert {
        event_id: UuidV4::random(),
        event_type: TrendEventType::TrendAlert,
        source: "skill_trend_fetcher".to_owned(),
        created_at: UtcTime(at(seconds)),
        agent_id: AGENT.to_owned(),
        campaign_id: campaign_id.to_owned(),
        trend: Trend {
            topics: vec!["coffee".to_owned()],
            cluster_id: "cluster-1".to_owned(),
            time_window_start: UtcTime(at(seconds - 14_400)),
            time_window_end: UtcTime(at(seconds)),
            signal_strength: 0.5,
            sample_resource_uris: vec!["news://global/food/latest".to_owned()],
            new: Some(true),
            phase: None,
        },
    }
}

/// Pending, of medium priority, in `CAMPAIGN`, planned against its first state.
pub(super) fn task() -> AgentTask {
    AgentTask {
        task_id: UuidV4::random(),
        task_type: TaskType::GenerateContent,
        priority: Priority::Medium,
        status: TaskStatus::Pending,
        created_at: UtcTime(at(0)),
        assigned_worker_id: None,
        state_version: 1,
        depends_on: Vec::new(),
        attempt: 1,
        feedback: None,
        context: TaskContext {
            goal_description: "Say what the roast tastes of".to_owned(),
            persona_constraints: vec!["never promise a cure".to_owned()],
            required_resources: Vec::new(),
            campaign_id: CAMPAIGN.to_owned(),
            agent_id: AGENT.to_owned(),
            telling: None,
            form: None,
            brief: None,
        },
        acceptance_criteria: Some(TaskAcceptance {
            min_confidence: 0.75,
            content_type: ContentType::Text,
            video_tier: None,
            platform: "mastodon".to_owned(),
        }),
        transaction: None,
        estimate: None,
    }
}

pub(super) fn task_after(dependencies: &[&AgentTask]) -> AgentTask {
    AgentTask { depends_on: dependencies.iter().map(|task| task.task_id).collect(), ..task() }
}

/// A video that a tool makes for so much.
pub(super) fn film(media_micro_usd: u64) -> AgentTask {
    let mut task = task();
    if let Some(criteria) = &mut task.acceptance_criteria {
        (criteria.content_type, criteria.video_tier) = (ContentType::Video, Some(VideoTier::Hero));
    }
    AgentTask { estimate: Some(TaskEstimate { text_micro_usd: 0, media_micro_usd, risk: Risk::Low }), ..task }
}

pub(super) fn result(task: &AgentTask) -> WorkerResult {
    WorkerResult {
        result_id: UuidV4::random(),
        task_id: task.task_id,
        worker_id: "worker-1".to_owned(),
        agent_id: AGENT.to_owned(),
        created_at: UtcTime(at(30)),
        confidence_score: 0.875,
        reasoning_trace: "grounded in one source".to_owned(),
        written_by: None,
        doubted: Vec::new(),
        artifact: Some(artifact()),
        transaction: None,
    }
}

pub(super) fn decision(result: &WorkerResult, verdict: Verdict) -> JudgeDecision {
    JudgeDecision {
        decision_id: UuidV4::random(),
        result_id: Some(result.result_id),
        task_id: result.task_id,
        decision: verdict,
        state_version: 1,
        created_at: UtcTime(at(60)),
        reason: "as the rules say".to_owned(),
        hitl_reason: None,
    }
}

pub(super) fn review(result: &WorkerResult) -> ReviewItem {
    ReviewItem {
        review_id: UuidV4::random(),
        result_id: Some(result.result_id),
        task_id: result.task_id,
        agent_id: AGENT.to_owned(),
        escalation_reason: "confidence 0.875 is between 0.70 and 0.90".to_owned(),
        artifact: Some(artifact()),
        transaction: None,
        confidence_score: Some(0.875),
        reasoning_trace: None,
        created_at: UtcTime(at(60)),
        status: ReviewStatus::Pending,
    }
}

pub(super) fn post(result: &WorkerResult) -> Post {
    Post {
        post_id: UuidV4::random(),
        task_id: result.task_id,
        result_id: result.result_id,
        campaign_id: CAMPAIGN.to_owned(),
        agent: AGENT.parse().expect("a valid id"),
        platform: "mastodon".to_owned(),
        text: "It tastes of bergamot.".to_owned(),
        media_uri: None,
        reply_to: None,
        status: PostStatus::Approved,
        begun_at: None,
        url: None,
    }
}

pub(super) const NO_LIMITS: ClaimLimits = ClaimLimits { per_agent_max: usize::MAX, overall_max: usize::MAX };

/// `CAMPAIGN` exists and runs.
pub(super) async fn started(store: &impl Campaigns) {
    store.create(&goal(CAMPAIGN), &[]).await.unwrap();
    if store.find(CAMPAIGN).await.unwrap().unwrap().status == CampaignStatus::Draft {
        store.change(CAMPAIGN, &CampaignEvent::Start, at(0)).await.unwrap();
    }
}

pub(super) fn paused() -> CampaignEvent {
    CampaignEvent::Pause { reason: "the operator wants to think".to_owned() }
}

/// The campaign runs, and each task is in review; their results in order.
pub(super) async fn in_review(store: &(impl Campaigns + Tasks), tasks: &[AgentTask]) -> Vec<WorkerResult> {
    started(store).await;
    store.enqueue(tasks).await.unwrap();
    let mut results = Vec::new();
    while let Some(leased) = store.claim("worker-1", at(10), at(20), &NO_LIMITS).await.unwrap() {
        let result = result(&leased.task);
        store.finish(&leased.lease, &result).await.unwrap();
        results.push(result);
    }
    results
}

fn artifact() -> Artifact {
    Artifact {
        content_type: ContentType::Text,
        payload_text: Some("It tastes of bergamot.".to_owned()),
        payload_media_uri: None,
        platform_target: Some("mastodon".to_owned()),
    }
}
