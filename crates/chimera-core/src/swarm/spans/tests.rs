use super::*;

fn task_id() -> UuidV4 {
    UuidV4::named(&["a task"])
}

fn event(second: i64, kind: EventKind, state: &str) -> Event {
    Event {
        number: 0,
        at: DateTime::from_timestamp(second, 0).unwrap(),
        kind,
        state: state.to_owned(),
        subject: "subject".to_owned(),
        task_id: Some(task_id()),
        campaign_id: Some("campaign".to_owned()),
        agent_id: Some("selam".to_owned()),
        attempt: (kind == EventKind::Task).then_some(1),
    }
}

/// Name, begin and end of every span, in the order in which they ended.
fn spans(events: &[(i64, EventKind, &str)]) -> Vec<Span> {
    let mut maker = SpanMaker::default();
    let made = events.iter().flat_map(|(second, kind, state)| maker.follow(&event(*second, *kind, state))).collect();
    assert!(maker.tasks.is_empty(), "nothing is followed for ever");
    made
}

fn told(spans: &[Span]) -> Vec<(&str, i64, i64, bool)> {
    spans.iter().map(|span| (span.name, span.begun_at.timestamp(), span.ended_at.timestamp(), span.has_failed)).collect()
}

use EventKind::{Decision, Payment, Post, Task};

#[test]
fn a_post_is_one_trace_from_plan_to_act() {
    let made = spans(&[
        (1, Task, "pending"),
        (2, Task, "in_progress"),
        (4, Task, "review"),
        (5, Decision, "escalate"),
        (5, Task, "awaiting_person"),
        (60, Decision, "approve"),
        (60, Post, "approved"),
        (60, Task, "complete"),
        (61, Post, "sending"),
        (62, Post, "published"),
    ]);

    assert_eq!(
        told(&made),
        [
            ("plan", 1, 2, false),
            ("work", 2, 4, false),
            ("judge", 4, 5, false),
            ("review", 5, 60, false),
            ("act", 60, 62, false),
            ("task", 1, 62, false)
        ]
    );
    assert!(made.iter().all(|span| span.trace_id == task_id().to_string().replace('-', "")), "one trace");
    assert!(made[2].attributes.contains(&("chimera.decision", "escalate".to_owned())));
    assert!(made[3].attributes.contains(&("chimera.decision", "approve".to_owned())));
    let whole = made.iter().find(|span| span.parent_id.is_none()).unwrap();
    assert!(made.iter().filter(|span| span.parent_id.is_some()).all(|span| span.parent_id.as_ref() == Some(&whole.span_id)));
}

#[test]
fn a_payment_is_made_while_its_task_is_worked_on() {
    let made = spans(&[
        (1, Task, "pending"),
        (2, Task, "in_progress"),
        (3, Payment, "reserved"),
        (4, Payment, "signed"),
        (6, Payment, "confirmed"),
        (7, Task, "review"),
        (8, Decision, "approve"),
        (8, Task, "complete"),
    ]);

    assert_eq!(
        told(&made),
        [("plan", 1, 2, false), ("act", 3, 6, false), ("work", 2, 7, false), ("judge", 7, 8, false), ("task", 1, 8, false)]
    );
}

#[test]
fn a_task_that_fails_and_is_given_up_says_so() {
    let made =
        spans(&[(1, Task, "pending"), (2, Task, "in_progress"), (3, Task, "pending"), (4, Task, "in_progress"), (5, Task, "given_up")]);

    assert_eq!(
        told(&made),
        [("plan", 1, 2, false), ("work", 2, 3, true), ("plan", 3, 4, false), ("work", 4, 5, true), ("task", 1, 5, true)]
    );
    let ids: std::collections::BTreeSet<&String> = made.iter().map(|span| &span.span_id).collect();
    assert_eq!(ids.len(), made.len(), "each has an id of its own");
}

#[test]
fn what_began_before_it_was_watched_is_left_out() {
    assert_eq!(spans(&[(2, Task, "in_progress"), (4, Task, "review"), (5, Task, "complete")]), []);
}
