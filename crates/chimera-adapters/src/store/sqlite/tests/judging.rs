//! The Judge over the real store: what it reads for itself, whom it asks, and that nobody waits for whom it asks.

use super::{
    acting::{checks, start_spring, task},
    fresh,
};
use crate::store::SqliteStore;
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UuidV4,
        decision::{HitlReason, JudgeDecision, Verdict},
        task::AgentTask,
    },
    domain::Untrusted,
    domain::campaign::CampaignEvent,
    ports::{
        StoreError,
        model_budget::{DayLimits, ModelBudget, ModelPrice},
        paid_call::PricedModel,
        perception::{NewItem, Perception},
        swarm::{Campaigns, ClaimLimits, Judgements, Tasks},
        text_model::{ModelError, Prompt, TextModel, Usage, Written},
    },
    swarm::judge::{Checks, Docket, Personas, SecondOpinion, Thresholds, judge_waiting},
    testing::{fake_clock::ManualClock, fake_text_model::ScriptedTextModel},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

pub(super) const THRESHOLDS: Thresholds =
    Thresholds { approve_above: 0.9, reject_below: 0.7, retries_max: 2, auto_approve_embedded: false };
pub(super) const NEWS: &str = "news://town/things/latest";
pub(super) const GROUNDED: &str = "Addis Ababa opened 40 km of protected bike lanes on Monday.";
pub(super) const INVENTED: &str = "Addis Ababa opened 400 km of protected bike lanes on Monday.";

fn now() -> DateTime<Utc> {
    "2026-11-15T08:00:00Z".parse().unwrap()
}

/// A store in which perception has seen one story, as it is or as an attempt to instruct.
pub(super) async fn with_news(store: &SqliteStore, flagged: bool) {
    start_spring(store).await;
    let item = NewItem {
        resource_uri: NEWS.to_owned(),
        content_key: "lanes".to_owned(),
        title: Untrusted::new("Bike lanes"),
        text: Untrusted::new(GROUNDED),
        url: None,
        author: None,
        published_at: Some(now()),
        seen_at: now(),
        flagged,
        price: None,
    };
    store.remember(&[item]).await.unwrap();
}

pub(super) fn post_about(resources: &[&str], campaign: &str, attempt: u32) -> AgentTask {
    let mut post = serde_json::to_value(task(false)).unwrap();
    post["acceptance_criteria"] = json!({ "min_confidence": 0.0, "content_type": "text", "platform": "mastodon" });
    if !resources.is_empty() {
        post["context"]["required_resources"] = json!(resources);
    }
    post["context"]["campaign_id"] = json!(campaign);
    post["attempt"] = json!(attempt);
    serde_json::from_value(post).unwrap()
}

/// What a skill answers for the task, which is as sure of itself as it likes.
pub(super) async fn finished(store: &SqliteStore, post: &AgentTask, text: &str, confidence: f64) {
    store.enqueue(std::slice::from_ref(post)).await.unwrap();
    let limits = ClaimLimits { per_agent_max: 9, overall_max: 9 };
    let leased = store.claim("w", now(), now() + TimeDelta::minutes(1), &limits).await.unwrap().unwrap();
    assert_eq!(leased.task.task_id, post.task_id);
    let made = json!({
        "result_id": UuidV4::random(), "task_id": post.task_id, "worker_id": "w", "agent_id": "selam",
        "created_at": "2026-11-15T08:00:00.000Z", "confidence_score": confidence, "reasoning_trace": "everything is in the sources",
        "artifact": { "content_type": "text", "payload_text": format!("{text}\nAI"), "platform_target": "mastodon" },
    });
    store.finish(&leased.lease, &serde_json::from_value(made).unwrap()).await.unwrap();
}

async fn judged_once(store: &SqliteStore, post: &AgentTask, text: &str) -> JudgeDecision {
    finished(store, post, text, 0.97).await;
    let decided = judge_waiting(store, checks(store, &Personas::default()), &THRESHOLDS, now()).await.unwrap();
    assert_eq!(decided.len(), 1, "{decided:?}");
    decided.into_iter().next().unwrap()
}

#[tokio::test]
async fn a_skill_that_is_sure_of_an_invented_number_is_not_believed() {
    for (flagged, text, attempt, expected, part) in [
        (false, GROUNDED, 1, Verdict::Approve, "confidence 0.97"),
        (false, INVENTED, 1, Verdict::Reject, "nobody said \"400\""),
        (false, INVENTED, 3, Verdict::Escalate, "nobody said \"400\""),
        (false, "Addis Ababa did not open 40 km of protected bike lanes on Monday.", 1, Verdict::Reject, "the opposite of"),
        (false, "\"Nobody needs these lanes\", people say.", 1, Verdict::Reject, "Nobody needs these lanes"),
        // What tries to instruct is no source of anything.
        (true, GROUNDED, 1, Verdict::Reject, "nobody said"),
    ] {
        let (_folder, store) = fresh();
        with_news(&store, flagged).await;

        let decision = judged_once(&store, &post_about(&[NEWS], "spring", attempt), text).await;

        assert_eq!(decision.decision, expected, "{text}: {}", decision.reason);
        assert!(decision.reason.contains(part), "{text}: {}", decision.reason);
    }
}

#[tokio::test]
async fn what_is_not_known_any_more_lets_through_what_needs_it_not_and_nothing_else() {
    let gone = "news://elsewhere/things/latest";
    for (resources, text, expected) in [
        (&[gone][..], GROUNDED, Verdict::Escalate),
        (&[gone], "Thank you, glad you liked it.", Verdict::Approve),
        // What is known of the others counts.
        (&[gone, NEWS], GROUNDED, Verdict::Approve),
        (&[], GROUNDED, Verdict::Reject),
    ] {
        let (_folder, store) = fresh();
        with_news(&store, false).await;

        let decision = judged_once(&store, &post_about(resources, "spring", 1), text).await;

        assert_eq!(decision.decision, expected, "{resources:?} {text}: {}", decision.reason);
        if expected == Verdict::Escalate {
            assert_eq!(decision.hitl_reason, Some(HitlReason::Anomalous));
            assert!(decision.reason.contains(&format!("nothing of {gone} is stored")), "{}", decision.reason);
        }
    }
}

#[tokio::test]
async fn what_an_agent_is_about_to_say_in_one_campaign_it_does_not_say_in_another() {
    let (_folder, store) = fresh();
    with_news(&store, false).await;
    let goal = json!({
        "campaign_id": "autumn", "goal_description": "h", "operator_id": "o", "agent_ids": ["selam"],
        "budget_constraints": {}, "created_at": "2026-11-15T08:00:00.000Z",
    });
    Campaigns::create(&store, &serde_json::from_value(goal).unwrap(), &[]).await.unwrap();
    store.change("autumn", &CampaignEvent::Start, now()).await.unwrap();

    // The first one is approved and has not left.
    let first = judged_once(&store, &post_about(&[NEWS], "spring", 1), GROUNDED).await;
    let second = judged_once(&store, &post_about(&[NEWS], "autumn", 1), GROUNDED).await;

    assert_eq!(first.decision, Verdict::Approve, "{}", first.reason);
    assert_eq!(second.decision, Verdict::Reject, "{}", second.reason);
    assert!(second.reason.contains("says again"), "{}", second.reason);
}

/// Answers when it is told to.
#[derive(Default)]
struct SlowModel {
    asked: AtomicUsize,
    go_on: Notify,
}

#[async_trait]
impl TextModel for SlowModel {
    fn name(&self) -> &str {
        "slow model"
    }

    async fn write(&self, _: &Prompt) -> Result<Written, ModelError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.go_on.notified().await;
        let text = Untrusted::new(r#"{"verdict": "fine", "rationale": "It is in the material."}"#);
        Ok(Written { text, usage: Usage { input_tokens: 70, output_tokens: 10, is_estimated: false }, pieces: 1, was_cut: false })
    }

    async fn reach(&self) -> Result<(), ModelError> {
        Ok(())
    }
}

fn second_opinion(store: &SqliteStore, model: Arc<dyn TextModel>) -> SecondOpinion {
    let model = PricedModel { model, price: ModelPrice::default() };
    let limits = DayLimits { tokens_max: 1_000_000, micro_usd_max: None, fleet_tokens_max: None };
    SecondOpinion::new(model, Arc::new(store.clone()), limits, Arc::new(ManualClock::at("2026-11-15T08:01:00Z")))
}

fn verdicts(decided: Vec<Result<JudgeDecision, StoreError>>) -> Vec<(UuidV4, Verdict)> {
    decided.into_iter().map(|decided| decided.map(|decision| (decision.task_id, decision.decision)).unwrap()).collect()
}

#[tokio::test]
async fn nobody_waits_for_the_model_that_another_text_is_put_to() {
    let (_folder, store) = fresh();
    with_news(&store, false).await;
    let model = Arc::new(SlowModel::default());
    let second = second_opinion(&store, model.clone());
    let personas = Personas::default();
    let mut docket = Docket::new(&store, Checks { second_opinion: Some(&second), ..checks(&store, &personas) }, THRESHOLDS);
    let [waits, weak, late] = [(); 3].map(|()| post_about(&[NEWS], "spring", 1));
    finished(&store, &waits, GROUNDED, 0.97).await;
    finished(&store, &weak, "Bike lanes!", 0.1).await;

    docket.take(now()).await.unwrap();
    assert_eq!(verdicts(docket.decide_ready().await), [(weak.task_id, Verdict::Reject)]);
    // The rejected one is pending again, and older: it goes first.
    let limits = ClaimLimits { per_agent_max: 9, overall_max: 9 };
    drop(store.claim("other", now(), now() + TimeDelta::minutes(9), &limits).await.unwrap());
    finished(&store, &late, "Lanes.", 0.2).await;
    docket.take(now()).await.unwrap();
    assert_eq!(verdicts(docket.decide_ready().await), [(late.task_id, Verdict::Reject)]);
    model.go_on.notify_one();
    docket.decided_late().await;

    assert_eq!(verdicts(docket.decide_ready().await), [(waits.task_id, Verdict::Approve)]);
    assert_eq!(model.asked.load(Ordering::SeqCst), 1, "asked once, however often was looked");
    let day = store.day(&"selam".parse().unwrap(), now().date_naive()).await.unwrap();
    assert_eq!((day.used_tokens, day.held_tokens), (80, 0), "the agent pays");
    assert_eq!(store.of_task(waits.task_id).await.unwrap().len(), 1, "and it is known for what");
}

#[tokio::test]
async fn no_model_is_asked_about_what_is_decided_already() {
    let model = Arc::new(ScriptedTextModel::saying(&[r#"{"verdict": "fine", "rationale": "Lovely."}"#]));
    for (text, confidence, asked) in [
        (GROUNDED, 0.97, 1),
        (GROUNDED, 0.80, 2),
        (GROUNDED, 0.10, 2),
        (INVENTED, 0.97, 2),
        ("The senator faces an election over bike lanes in Addis Ababa.", 0.97, 2),
    ] {
        let (_folder, store) = fresh();
        with_news(&store, false).await;
        let second = second_opinion(&store, model.clone());
        finished(&store, &post_about(&[NEWS], "spring", 1), text, confidence).await;

        let personas = Personas::default();
        let with_model = Checks { second_opinion: Some(&second), ..checks(&store, &personas) };
        let decided = judge_waiting(&store, with_model, &THRESHOLDS, now()).await.unwrap();

        assert_eq!(model.prompts().len(), asked, "{text} {confidence}: {}", decided[0].reason);
        let reviews = store.pending_reviews().await.unwrap();
        let says_so = |text: &str| text.contains("scripted model finds it fine: Lovely.");
        if confidence > 0.5 && text == GROUNDED {
            assert!(says_so(&decided[0].reason), "{}", decided[0].reason);
            assert!(reviews.iter().all(|review| says_so(&review.escalation_reason)));
        }
    }
}
