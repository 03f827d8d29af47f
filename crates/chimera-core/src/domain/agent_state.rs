//! What an agent does now, and why: the first rule that holds. A store brings what it has of the agent; nothing else is asked.

use crate::contracts::{
    UtcTime,
    views::agents::{AgentState, Queue, Stop, StopKind},
};
use chrono::{DateTime, Utc};

/// All that the rules look at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Situation {
    pub queue: Queue,
    /// Of the returned tasks, those of campaigns that do not run: no Planner looks at them.
    pub returned_idle: u64,
    /// Reviews that wait, of money and of everything else.
    pub money_reviews: u64,
    pub other_reviews: u64,
    pub oldest_review_at: Option<DateTime<Utc>>,
    /// What stops it, its own and the fleet's.
    pub stops: Vec<Stop>,
    pub failure: Option<Failure>,
    /// When the calendar has something for it.
    pub next_date: Option<DateTime<Utc>>,
}

/// The newest failure of the agent's Workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub at: DateTime<Utc>,
    pub reason: String,
    /// No attempt was left to the task.
    pub is_final: bool,
    /// The task was done after all, or the agent posted or paid since.
    pub is_made_good: bool,
}

/// A state, why, and since when where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    pub state: AgentState,
    pub because: String,
    pub since: Option<DateTime<Utc>>,
}

impl Situation {
    /// The failure that nothing has made good.
    pub fn last_error(&self) -> Option<&Failure> {
        self.failure.as_ref().filter(|failure| !failure.is_made_good)
    }

    pub fn state(&self) -> Explained {
        self.stopped(AgentState::Retired, |kind| kind == StopKind::Retired)
            .or_else(|| self.error())
            .or_else(|| self.stopped(AgentState::Frozen, |kind| matches!(kind, StopKind::Freeze | StopKind::Hold)))
            .or_else(|| self.stopped(AgentState::Paused, |kind| kind == StopKind::Pause))
            .or_else(|| self.waiting())
            .unwrap_or_else(|| self.at_work())
    }

    fn error(&self) -> Option<Explained> {
        let works = self.queue.in_progress > 0 || self.queue.review > 0;
        let failure = self.last_error().filter(|failure| failure.is_final && !works)?;
        Some(Explained { state: AgentState::Error, because: failure.reason.clone(), since: Some(failure.at) })
    }

    /// The fleet's stop before the agent's own: it is the one to lift first.
    fn stopped(&self, state: AgentState, is_meant: impl Fn(StopKind) -> bool) -> Option<Explained> {
        let stop = self.stops.iter().filter(|stop| is_meant(stop.kind)).min_by_key(|stop| stop.agent_id.is_some())?;
        let what = match (stop.kind, stop.agent_id.is_some()) {
            (StopKind::Freeze, true) => "frozen",
            (StopKind::Freeze, false) => "the whole fleet is frozen",
            (StopKind::Hold, _) => "its wallet is held",
            (StopKind::Retired, _) => "retired",
            (StopKind::Pause, true) => "paused",
            (StopKind::Pause, false) => "the whole fleet is paused",
        };
        Some(Explained { state, because: format!("{what}: {}", stop.reason), since: Some(stop.since.0) })
    }

    fn waiting(&self) -> Option<Explained> {
        let because = match (self.money_reviews, self.other_reviews) {
            // A review of another kind may be gone before its task has moved.
            (0, 0) if self.queue.awaiting_person == 0 => return None,
            (0, 0) => counted(self.queue.awaiting_person, "task waits for a person", "tasks wait for a person"),
            (0, others) => counted(others, "review waits for a reviewer", "reviews wait for a reviewer"),
            (money, 0) => counted(money, "payment waits for an operator", "payments wait for an operator"),
            (money, others) => format!(
                "{} and {}",
                counted(money, "payment waits for an operator", "payments wait for an operator"),
                counted(others, "review for a reviewer", "reviews for a reviewer")
            ),
        };
        Some(Explained { state: AgentState::Waiting, because, since: self.oldest_review_at })
    }

    fn at_work(&self) -> Explained {
        let queue = &self.queue;
        let replanned = queue.returned.saturating_sub(self.returned_idle);
        let (state, because) = if queue.in_progress > 0 {
            (AgentState::Working, counted(queue.in_progress, "task is with a Worker", "tasks are with Workers"))
        } else if queue.review > 0 {
            (AgentState::Judging, counted(queue.review, "result is before the Judge", "results are before the Judge"))
        } else if queue.pending > 0 {
            (AgentState::Planning, counted(queue.pending, "task waits for a Worker", "tasks wait for a Worker"))
        } else if replanned > 0 {
            (AgentState::Planning, counted(replanned, "task is back with the Planner", "tasks are back with the Planner"))
        } else {
            (AgentState::Sleeping, self.asleep())
        };
        Explained { state, because, since: None }
    }

    fn asleep(&self) -> String {
        match self.next_date {
            Some(at) => format!("has nothing to do until {}, when the calendar has something for it", UtcTime(at)),
            None if self.returned_idle > 0 => {
                counted(self.returned_idle, "task waits for a campaign that does not run", "tasks wait for campaigns that do not run")
            }
            None => "has nothing to do".to_owned(),
        }
    }
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(kind: StopKind, agent: Option<&str>) -> Stop {
        let since = UtcTime(DateTime::UNIX_EPOCH);
        Stop { kind, agent_id: agent.map(str::to_owned), reason: "the key may be known".to_owned(), by: "ops".to_owned(), since }
    }

    fn failed(is_final: bool) -> Option<Failure> {
        Some(Failure { at: DateTime::UNIX_EPOCH, reason: "no source answers".to_owned(), is_final, is_made_good: false })
    }

    /// Everything holds at once; each step takes away what the rule before it held by.
    #[test]
    fn the_first_rule_that_holds_is_the_state() {
        let mut agent = Situation {
            queue: Queue { pending: 2, in_progress: 0, review: 0, awaiting_person: 0, returned: 3 },
            returned_idle: 0,
            money_reviews: 1,
            other_reviews: 2,
            oldest_review_at: DateTime::from_timestamp(60, 0),
            stops: vec![stop(StopKind::Pause, Some("selam")), stop(StopKind::Hold, Some("selam")), stop(StopKind::Freeze, None)],
            failure: failed(true),
            next_date: DateTime::from_timestamp(3_600, 0),
        };
        let told = |agent: &Situation, state: AgentState, because: &str| {
            let told = agent.state();
            assert_eq!((told.state, told.because.as_str()), (state, because));
        };

        agent.stops.push(stop(StopKind::Retired, Some("selam")));
        told(&agent, AgentState::Retired, "retired: the key may be known");
        agent.stops.pop();
        told(&agent, AgentState::Error, "no source answers");
        agent.failure = failed(false);
        told(&agent, AgentState::Frozen, "the whole fleet is frozen: the key may be known");
        agent.stops.pop();
        told(&agent, AgentState::Frozen, "its wallet is held: the key may be known");
        agent.stops.pop();
        told(&agent, AgentState::Paused, "paused: the key may be known");
        agent.stops.pop();
        told(&agent, AgentState::Waiting, "1 payment waits for an operator and 2 reviews for a reviewer");
        assert_eq!(agent.state().since, DateTime::from_timestamp(60, 0));
        agent.money_reviews = 0;
        told(&agent, AgentState::Waiting, "2 reviews wait for a reviewer");
        (agent.other_reviews, agent.queue.in_progress, agent.queue.review) = (0, 1, 2);
        told(&agent, AgentState::Working, "1 task is with a Worker");
        agent.queue.in_progress = 0;
        told(&agent, AgentState::Judging, "2 results are before the Judge");
        agent.queue.review = 0;
        told(&agent, AgentState::Planning, "2 tasks wait for a Worker");
        agent.queue.pending = 0;
        told(&agent, AgentState::Planning, "3 tasks are back with the Planner");
        agent.returned_idle = 3;
        told(&agent, AgentState::Sleeping, "has nothing to do until 1970-01-01T01:00:00.000Z, when the calendar has something for it");
        agent.next_date = None;
        told(&agent, AgentState::Sleeping, "3 tasks wait for campaigns that do not run");
        told(&Situation::default(), AgentState::Sleeping, "has nothing to do");
    }

    #[test]
    fn a_failure_is_no_error_while_the_agent_works_or_once_it_is_made_good() {
        let working = Situation { queue: Queue { in_progress: 1, ..Queue::default() }, failure: failed(true), ..Situation::default() };
        assert_eq!(working.state().state, AgentState::Working);
        assert!(working.last_error().is_some(), "it is told all the same");

        let made_good = failed(true).map(|failure| Failure { is_made_good: true, ..failure });
        let well = Situation { failure: made_good, ..Situation::default() };
        assert_eq!((well.state().state, well.last_error()), (AgentState::Sleeping, None));
    }
}
