//! The life of one campaign as a pure function: a status, an event, the status after it.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CampaignStatus {
    /// Nothing is planned yet.
    Draft,
    Running,
    /// An operator stopped it.
    Paused,
    /// Its budget is used up; an operator may resume it with another.
    Exhausted,
}

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
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a campaign that is {status} cannot {event}")]
pub struct OutOfTurn {
    status: &'static str,
    event: &'static str,
}

impl CampaignStatus {
    pub const ALL: [Self; 4] = [Self::Draft, Self::Running, Self::Paused, Self::Exhausted];

    pub fn next(self, event: &CampaignEvent) -> Result<Self, OutOfTurn> {
        use CampaignEvent as E;
        match (self, event) {
            (Self::Draft, E::Start) | (Self::Paused | Self::Exhausted, E::Resume) => Ok(Self::Running),
            (Self::Running, E::Pause { .. }) => Ok(Self::Paused),
            (Self::Running, E::Exhaust { .. }) => Ok(Self::Exhausted),
            (_, E::ChangeGoal { .. }) => Ok(self),
            (Self::Draft | Self::Running | Self::Paused | Self::Exhausted, _) => {
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
            Self::Pause { .. } | Self::Exhaust { .. } | Self::ChangeGoal { .. } => true,
            Self::Start | Self::Resume => false,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Start => "be started",
            Self::Pause { .. } => "be paused",
            Self::Resume => "be resumed",
            Self::Exhaust { .. } => "run out of budget",
            Self::ChangeGoal { .. } => "get another goal",
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
            ("running", "be paused", "paused"),
            ("running", "run out of budget", "exhausted"),
            ("running", "get another goal", "running"),
            ("paused", "be resumed", "running"),
            ("paused", "get another goal", "paused"),
            ("exhausted", "be resumed", "running"),
            ("exhausted", "get another goal", "exhausted"),
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
