//! What the demo is doing, on standard error, as it does it.

use crate::output::note;
use chimera_core::swarm::{round::Step, worker::Worked};

pub struct Progress;

impl Progress {
    pub fn say(&self, word: &str, text: &str) {
        note(word, text);
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
