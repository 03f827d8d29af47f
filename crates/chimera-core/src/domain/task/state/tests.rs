use super::*;

const EVENTS: [TaskEvent; 9] = [
    TaskEvent::Lease,
    TaskEvent::Finish,
    TaskEvent::Retry,
    TaskEvent::Approve,
    TaskEvent::Ask,
    TaskEvent::Return,
    TaskEvent::Rearm,
    TaskEvent::GiveUp,
    TaskEvent::PutBack,
];

/// Every pair that is not listed is refused.
#[test]
fn only_these_steps_lead_on() {
    const STEPS: [(&str, &str, &str); 20] = [
        ("pending", "be leased", "in_progress"),
        ("pending", "go back to the Planner", "returned"),
        ("pending", "be given up", "given_up"),
        ("in_progress", "be leased", "in_progress"),
        ("in_progress", "be finished", "review"),
        ("in_progress", "be tried again", "pending"),
        ("in_progress", "be asked about", "awaiting_person"),
        ("in_progress", "go back to the Planner", "returned"),
        ("in_progress", "be given up", "given_up"),
        ("review", "be tried again", "pending"),
        ("review", "be approved", "complete"),
        ("review", "be asked about", "awaiting_person"),
        ("review", "go back to the Planner", "returned"),
        ("review", "be given up", "given_up"),
        ("awaiting_person", "be approved", "complete"),
        ("awaiting_person", "go back to the Planner", "returned"),
        ("awaiting_person", "be given up", "given_up"),
        ("returned", "be armed again", "pending"),
        ("returned", "be given up", "given_up"),
        ("given_up", "be put back", "returned"),
    ];
    let mut taken = Vec::new();
    for state in TaskState::ALL {
        for event in EVENTS {
            match state.next(event) {
                Ok(after) => taken.push((state.name(), event.name(), after.name())),
                Err(error) => assert_eq!(error.to_string(), format!("a task that is {} cannot {}", state.name(), event.name())),
            }
        }
    }
    taken.sort_unstable();
    let mut expected = STEPS.to_vec();
    expected.sort_unstable();
    assert_eq!(taken, expected);
}

#[test]
fn what_has_ended_stays_ended_unless_a_person_puts_it_back() {
    for state in TaskState::ALL {
        let leads_on = |event: &TaskEvent| state.next(*event).is_ok();
        assert_eq!(state.is_ended(), !EVENTS.iter().filter(|event| **event != TaskEvent::PutBack).any(leads_on), "{state:?}");
    }
}

#[test]
fn nothing_is_complete_without_having_been_approved() {
    for state in TaskState::ALL {
        for event in EVENTS {
            if state.next(event) == Ok(TaskState::Complete) {
                assert_eq!(event, TaskEvent::Approve);
            }
        }
    }
}

#[test]
fn every_name_leads_back_to_its_state() {
    for state in TaskState::ALL {
        assert_eq!(TaskState::of_name(state.name()), Some(state));
    }
    assert_eq!(TaskState::of_name("done"), None);
}
