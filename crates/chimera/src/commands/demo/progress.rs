//! What the demo is doing, on standard error, as it does it.

use chimera_core::swarm::{round::Step, worker::Worked};
use std::io::{self, IsTerminal, Write};

pub struct Progress {
    shown: bool,
}

impl Progress {
    pub fn new() -> Self {
        Self { shown: io::stderr().is_terminal() }
    }

    pub fn say(&self, word: &str, text: &str) {
        if self.shown {
            // Standard error may be gone; then nobody watches.
            let _ = writeln!(io::stderr(), "\x1b[36m{word:>10}\x1b[0m  {text}");
        }
    }

    pub fn step(&self, step: &Step<'_>) {
        match step {
            Step::Perceived(perceived) => match &perceived.alert {
                Some(alert) => {
                    self.say("perceive", &format!("{} relevant items; trend: {}", perceived.items.len(), alert.trend.topics.join(", ")))
                }
                None => self.say("perceive", &format!("{} relevant items, no trend", perceived.items.len())),
            },
            Step::Planned(tasks) => self.say("plan", &format!("{} tasks", tasks.len())),
            Step::Worked(Worked::Finished(result)) => {
                self.say("work", &format!("{} finished a task, confidence {:.2}", result.agent_id, result.confidence_score))
            }
            Step::Worked(Worked::Failed { reason, .. }) => self.say("work", &format!("a task failed: {reason}")),
            Step::Worked(Worked::Dropped { task_id }) => self.say("work", &format!("task {task_id} went to somebody else")),
            Step::Judged(decisions) => {
                for decision in *decisions {
                    self.say("judge", &format!("{:?}: {}", decision.decision, decision.reason));
                }
            }
            Step::Published(posts) => self.say("act", &format!("{} posts, dry run: nothing left this machine", posts.len())),
        }
    }
}
