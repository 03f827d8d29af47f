use super::*;
use crate::{
    contracts::{UuidV4, views::agents::AgentState},
    ports::events::{EventKind, Standing as StandingNow, Tally},
};
use async_trait::async_trait;
use chrono::TimeDelta;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A log in memory, which counts what is read of it.
#[derive(Default)]
struct Log {
    events: Vec<Event>,
    read: AtomicUsize,
}

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + second, 0).unwrap()
}

impl Log {
    fn add(&mut self, kind: EventKind, state: &str, subject: &str, task: Option<&str>, agent: Option<&str>) {
        let number = self.events.len() as u64 + 1;
        self.events.push(Event {
            number,
            at: at(i64::try_from(number).unwrap() * 10),
            kind,
            state: state.to_owned(),
            subject: subject.to_owned(),
            task_id: task.map(|task| UuidV4::named(&[task])),
            campaign_id: None,
            agent_id: agent.map(str::to_owned),
            attempt: None,
        });
    }

    fn task(&mut self, state: &str, task: &str) {
        self.add(EventKind::Task, state, task, Some(task), Some("selam"));
    }
}

#[async_trait]
impl Events for Log {
    async fn events(&self, after: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let found: Vec<Event> = self.events.iter().filter(|event| event.number > after).take(limit).cloned().collect();
        self.read.fetch_add(found.len(), Ordering::Relaxed);
        Ok(found)
    }
    async fn last(&self) -> Result<u64, StoreError> {
        Ok(self.events.len() as u64)
    }
    async fn tally(&self, _: u64) -> Result<Tally, StoreError> {
        Ok(Tally::default())
    }
    async fn standing(&self) -> Result<StandingNow, StoreError> {
        Ok(StandingNow::default())
    }
}

const NOBODY: Known<'static> = Known { agents: &[], stops: &[] };

async fn after(history: &FleetHistory, log: &Log, number: u64) -> FleetThen {
    history.fleet(log, Moment::Event(number), &NOBODY).await.unwrap()
}

#[tokio::test]
async fn the_fleet_stands_as_each_event_left_it() {
    let mut log = Log::default();
    log.task("pending", "a");
    log.task("in_progress", "a");
    log.task("review", "a");
    log.task("awaiting_person", "a");
    log.add(EventKind::Review, "pending", "r", Some("a"), Some("selam"));
    log.add(EventKind::Stop, "paused", "*", None, None);
    log.add(EventKind::Stop, "frozen", "selam", None, Some("selam"));
    log.add(EventKind::Answer, "held", "r", Some("a"), Some("selam"));
    log.add(EventKind::Stop, "unfrozen", "selam", None, Some("selam"));
    log.add(EventKind::Stop, "resumed", "*", None, None);
    log.add(EventKind::Answer, "done", "r", Some("a"), Some("selam"));
    log.add(EventKind::Review, "approved", "r", Some("a"), Some("selam"));
    log.task("complete", "a");
    log.add(EventKind::Agent, "retired", "selam", None, Some("selam"));
    log.add(EventKind::Agent, "reinstated", "selam", None, Some("selam"));
    let history = FleetHistory::default();

    use AgentState::{Frozen, Judging, Paused, Planning, Retired, Sleeping, Waiting, Working};
    let expected = [
        Planning, Working, Judging, Waiting, Waiting, Paused, Frozen, Frozen, Paused, Waiting, Waiting, Waiting, Sleeping, Retired,
        Sleeping,
    ];
    for (number, state) in (1..).zip(expected) {
        let then = after(&history, &log, number).await;
        assert_eq!((then.event, then.agents.len(), then.agents[0].state), (number, 1, state), "after {number}");
    }
    let frozen = after(&history, &log, 8).await;
    assert_eq!(frozen.stops.len(), 2);
    assert_eq!((frozen.held_answers.len(), frozen.held_answers[0].review_id.as_str()), (1, "r"));
    assert!(frozen.agents[0].because.contains("the event log does not keep why"), "{}", frozen.agents[0].because);
    assert_eq!(after(&history, &log, 0).await.agents, []);
    assert_eq!(after(&history, &log, 13).await.held_answers, []);
}

#[tokio::test]
async fn a_time_between_two_events_is_the_earlier_one_and_agents_without_events_are_there_once_made() {
    let mut log = Log::default();
    log.task("pending", "a");
    log.task("in_progress", "a");
    let known = [("tariku".to_owned(), at(15))];
    let known = Known { agents: &known, stops: &[] };
    let history = FleetHistory::default();
    for (second, event, agents) in [(5, 0, 0), (14, 1, 1), (16, 1, 2), (20, 2, 2), (99, 2, 2)] {
        let then = history.fleet(&log, Moment::At(at(second)), &known).await.unwrap();
        assert_eq!((then.event, then.agents.len()), (event, agents), "at {second}");
    }
}

#[tokio::test]
async fn money_that_a_person_is_asked_about_is_told_as_such() {
    let mut log = Log::default();
    log.add(EventKind::Payment, "awaiting_review", "t", Some("p"), Some("selam"));
    log.add(EventKind::Review, "pending", "r", Some("p"), Some("selam"));
    let then = after(&FleetHistory::default(), &log, 2).await;
    assert_eq!(then.agents[0].because, "1 payment waits for an operator");
    assert_eq!((then.agents[0].payments_open, then.agents[0].reviews_pending), (1, 1));
}

#[tokio::test]
async fn a_long_log_is_read_once_and_then_a_stretch_at_a_time() {
    let mut log = Log::default();
    for number in 0..25_000 {
        let task = format!("task {number}");
        for state in ["pending", "in_progress", "review", "complete"] {
            log.task(state, &task);
        }
    }
    log.task("pending", "open");
    let history = FleetHistory::default();
    assert_eq!(after(&history, &log, 100_001).await.agents[0].queue.pending, 1);
    assert_eq!(log.read.load(Ordering::Relaxed), 100_001);

    for number in [1, 50_002, 99_999, 3_999, 100_001] {
        let before = log.read.load(Ordering::Relaxed);
        let then = after(&history, &log, number).await;
        let read = log.read.load(Ordering::Relaxed) - before;
        assert_eq!(then.event, number);
        assert!(read <= 2 * PAGE, "{read} events read for {number}");
    }
    let by_time = history.fleet(&log, Moment::At(at(500_020 + TimeDelta::seconds(5).num_seconds())), &NOBODY).await.unwrap();
    assert_eq!(by_time.event, 50_002);
}
