use super::*;
use crate::contracts::{
    content_generator::{Artifact, ContentType},
    task::{Priority, TaskAcceptance, TaskContext, TaskStatus, TaskType},
};
use crate::ports::content_check::ContentSigns;

const THRESHOLDS: Thresholds = Thresholds { approve_above: 0.90, reject_below: 0.70, retries_max: 2, auto_approve_embedded: false };

fn task(attempt: u32) -> AgentTask {
    AgentTask {
        task_id: UuidV4::named(&["task"]),
        task_type: TaskType::GenerateContent,
        priority: Priority::Medium,
        status: TaskStatus::Review,
        created_at: UtcTime(DateTime::UNIX_EPOCH),
        assigned_worker_id: None,
        state_version: 1,
        depends_on: Vec::new(),
        attempt,
        feedback: None,
        context: TaskContext {
            goal_description: "tell people about storage".to_owned(),
            persona_constraints: Vec::new(),
            required_resources: Vec::new(),
            campaign_id: "c".to_owned(),
            agent_id: "selam".to_owned(),
        },
        acceptance_criteria: Some(TaskAcceptance {
            min_confidence: 0.0,
            content_type: ContentType::Text,
            video_tier: None,
            platform: "mastodon".to_owned(),
        }),
        transaction: None,
        estimate: None,
    }
}

fn result(confidence_score: f64, text: &str, platform: &str) -> WorkerResult {
    WorkerResult {
        result_id: UuidV4::named(&["result"]),
        task_id: UuidV4::named(&["task"]),
        worker_id: "w".to_owned(),
        agent_id: "selam".to_owned(),
        created_at: UtcTime(DateTime::UNIX_EPOCH),
        confidence_score,
        reasoning_trace: String::new(),
        artifact: Some(Artifact {
            content_type: ContentType::Text,
            payload_text: Some(text.to_owned()),
            payload_media_uri: None,
            platform_target: Some(platform.to_owned()),
        }),
        transaction: None,
    }
}

const PLAIN: &str = "A new battery lasts twice as long.";

#[test]
fn confidence_decides_on_both_sides_of_each_threshold() {
    use Verdict::{Approve, Escalate, Reject};
    for (score, expected) in [(1.0, Approve), (0.901, Approve), (0.90, Escalate), (0.70, Escalate), (0.699, Reject), (0.0, Reject)] {
        assert_eq!(judge(&task(1), &result(score, PLAIN, "mastodon"), &THRESHOLDS).verdict, expected, "{score}");
    }
}

#[test]
fn auto_approval_lifts_the_middle_and_nothing_else() {
    let auto = Thresholds { auto_approve_embedded: true, ..THRESHOLDS };
    assert_eq!(judge(&task(1), &result(0.80, PLAIN, "mastodon"), &auto).verdict, Verdict::Approve);
    assert_eq!(judge(&task(1), &result(0.60, PLAIN, "mastodon"), &auto).verdict, Verdict::Reject);
    let sensitive = judge(&task(1), &result(0.80, "You should invest your savings in this stock now.", "mastodon"), &auto);
    assert_eq!((sensitive.verdict, sensitive.hitl_reason), (Verdict::Escalate, Some(HitlReason::SensitiveTopic)));
}

#[test]
fn a_rejected_task_is_tried_again_until_its_retries_are_used_up() {
    let weak = result(0.1, PLAIN, "mastodon");
    assert_eq!(judge(&task(2), &weak, &THRESHOLDS).verdict, Verdict::Reject);
    let last = judge(&task(3), &weak, &THRESHOLDS);
    assert_eq!((last.verdict, last.hitl_reason), (Verdict::Escalate, Some(HitlReason::LowConfidence)));
}

#[test]
fn what_is_not_what_was_asked_for_is_never_approved_whatever_the_score() {
    let too_long = "word ".repeat(200);
    let mut empty_handed = result(1.0, PLAIN, "mastodon");
    empty_handed.artifact = None;
    let table = [
        ("another platform", result(1.0, PLAIN, "twitter")),
        ("too long", result(1.0, &too_long, "mastodon")),
        ("empty", result(1.0, "  ", "mastodon")),
        ("neither content nor transaction", empty_handed),
    ];
    for (name, result) in table {
        assert_ne!(judge(&task(1), &result, &THRESHOLDS).verdict, Verdict::Approve, "{name}");
    }
}

fn sees_politics(text: &str) -> ContentSigns {
    ContentSigns { sensitive_topic: text.contains("chancellor").then_some("politics"), is_offensive: text.contains("clowns") }
}

#[test]
fn what_the_words_miss_and_the_meaning_shows_goes_to_a_person() {
    for (text, reason) in [
        ("The chancellor would not say who comes after him.", HitlReason::SensitiveTopic),
        ("Those clowns again.", HitlReason::PolicyViolation),
    ] {
        assert_eq!(sensitive::topics(text), [], "the list alone would miss it: {text}");
        for score in [0.95, 0.80] {
            let result = result(score, text, "mastodon");
            let judgement = with_second_opinion(judge(&task(1), &result, &THRESHOLDS), &result, &sees_politics);

            assert_eq!((judgement.verdict, judgement.hitl_reason), (Verdict::Escalate, Some(reason)), "{text} {score}");
        }
    }
}

#[test]
fn the_second_opinion_changes_nothing_else() {
    for (score, text) in [(0.95, PLAIN), (0.80, PLAIN), (0.1, "The chancellor waits."), (0.95, "The senator faces an election.")] {
        let result = result(score, text, "mastodon");
        let first = judge(&task(1), &result, &THRESHOLDS);

        assert_eq!(with_second_opinion(first.clone(), &result, &sees_politics), first, "{text} {score}");
    }
}
