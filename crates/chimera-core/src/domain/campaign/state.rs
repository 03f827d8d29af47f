//! The life of one campaign as a pure function: a status, an event, the status after it.

use super::Budget;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CampaignStatus {
    /// Nothing is planned yet.
    Draft,
    Running,
    /// An operator stopped it.
    Paused,
    /// Its budget is used up; an operator may resume it with another.
    Exhausted,
    /// An operator deleted it: nothing more is done for it, and what it did stays on record.
    Deleted,
}

/// What a person who deletes a campaign is told.
pub const STAYS: &str = "it does nothing more and is on no list; its tasks, drafts and dates that waited have ended. What was published stays where it is, \
     and posts, payments, decisions, the ledger and events stay on record";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignEvent {
    Start,
    Pause {
        reason: String,
    },
    Resume,
    /// Its budget has ended.
    Exhaust {
        reason: String,
    },
    /// The operator wants something else now.
    ChangeGoal {
        goal_description: String,
    },
    /// All of it, each limit anew: one that is absent is lifted.
    ChangeBudget {
        budget: Budget,
    },
    /// Who works for it from now on, at least one.
    ChangeAgents {
        agent_ids: Vec<String>,
    },
    Delete,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a campaign that is {status} cannot {event}")]
pub struct OutOfTurn {
    status: &'static str,
    event: &'static str,
}

impl CampaignStatus {
    pub const ALL: [Self; 5] = [Self::Draft, Self::Running, Self::Paused, Self::Exhausted, Self::Deleted];

    pub fn next(self, event: &CampaignEvent) -> Result<Self, OutOfTurn> {
        use CampaignEvent as E;
        match (self, event) {
            (Self::Draft, E::Start) | (Self::Paused | Self::Exhausted, E::Resume) => Ok(Self::Running),
            (Self::Running, E::Pause { .. }) => Ok(Self::Paused),
            (Self::Running, E::Exhaust { .. }) => Ok(Self::Exhausted),
            (
                Self::Draft | Self::Running | Self::Paused | Self::Exhausted,
                E::ChangeGoal { .. } | E::ChangeBudget { .. } | E::ChangeAgents { .. },
            ) => Ok(self),
            (Self::Draft | Self::Running | Self::Paused | Self::Exhausted, E::Delete) => Ok(Self::Deleted),
            (Self::Draft | Self::Running | Self::Paused | Self::Exhausted | Self::Deleted, _) => {
                Err(OutOfTurn { status: self.name(), event: event.name() })
            }
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Exhausted => "exhausted",
            Self::Deleted => "deleted",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl CampaignEvent {
    /// Whether work planned before it is stale after it. Starting and resuming make nothing stale that was not so already.
    pub fn moves_state(&self) -> bool {
        match self {
            Self::Pause { .. } | Self::Exhaust { .. } | Self::ChangeGoal { .. } | Self::Delete => true,
            // What was begun keeps what it was begun with.
            Self::Start | Self::Resume | Self::ChangeBudget { .. } | Self::ChangeAgents { .. } => false,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Start => "be started",
            Self::Pause { .. } => "be paused",
            Self::Resume => "be resumed",
            Self::Exhaust { .. } => "run out of budget",
            Self::ChangeGoal { .. } => "get another goal",
            Self::ChangeBudget { .. } => "get another budget",
            Self::ChangeAgents { .. } => "get other agents",
            Self::Delete => "be deleted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair that is not listed is refused.
    #[test]
    fn only_these_steps_lead_on() {
        let reason = || "because".to_owned();
        let events = [
            CampaignEvent::Start,
            CampaignEvent::Pause { reason: reason() },
            CampaignEvent::Resume,
            CampaignEvent::Exhaust { reason: reason() },
            CampaignEvent::ChangeGoal { goal_description: reason() },
            CampaignEvent::ChangeBudget { budget: Budget::default() },
            CampaignEvent::ChangeAgents { agent_ids: vec![reason()] },
            CampaignEvent::Delete,
        ];
        let mut taken = Vec::new();
        for status in CampaignStatus::ALL {
            for event in &events {
                match status.next(event) {
                    Ok(after) => taken.push((status.name(), event.name(), after.name())),
                    Err(error) => assert_eq!(error.to_string(), format!("a campaign that is {} cannot {}", status.name(), event.name())),
                }
            }
        }
        let expected = [
            ("draft", "be started", "running"),
            ("draft", "get another goal", "draft"),
            ("draft", "get another budget", "draft"),
            ("draft", "get other agents", "draft"),
            ("draft", "be deleted", "deleted"),
            ("running", "be paused", "paused"),
            ("running", "run out of budget", "exhausted"),
            ("running", "get another goal", "running"),
            ("running", "get another budget", "running"),
            ("running", "get other agents", "running"),
            ("running", "be deleted", "deleted"),
            ("paused", "be resumed", "running"),
            ("paused", "get another goal", "paused"),
            ("paused", "get another budget", "paused"),
            ("paused", "get other agents", "paused"),
            ("paused", "be deleted", "deleted"),
            ("exhausted", "be resumed", "running"),
            ("exhausted", "get another goal", "exhausted"),
            ("exhausted", "get another budget", "exhausted"),
            ("exhausted", "get other agents", "exhausted"),
            ("exhausted", "be deleted", "deleted"),
        ];
        assert_eq!(taken, expected);
    }

    #[test]
    fn every_name_leads_back_to_its_status() {
        for status in CampaignStatus::ALL {
            assert_eq!(CampaignStatus::of_name(status.name()), Some(status));
        }
        assert_eq!(CampaignStatus::of_name("over"), None);
    }
}
