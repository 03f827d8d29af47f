//! Answers that take effect in a moment. They are held by the store and not by a page: a laptop that is closed loses none and doubles none.
//! One loop carries out what is due. An answer stays due until its outcome is on record, so one that a crash interrupts is carried out
//! after the restart; the review, which is decided once, keeps it from being carried out twice.

use crate::Operations;
use chimera_core::{
    contracts::{UuidV4, review::ReviewAnswer},
    ports::{StoreError, clock::Clock, held_answers::HeldAnswers},
};
use chrono::TimeDelta;
use futures::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use std::{collections::HashSet, time::Duration};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Between a person's answer and its effect: time to take it back.
pub const HOLD_FOR: TimeDelta = TimeDelta::seconds(8);

/// At least so often it is looked for what is due. Less than [`HOLD_FOR`], so that what is held after a look is never late for it.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Carried out at one time: a payment that takes long keeps no post waiting.
const AT_ONCE_MAX: usize = 16;
/// How long what runs may take once the program is asked to stop. What is not done then is due again at the next start.
const FINISH_WITHIN: Duration = Duration::from_secs(10);

/// Carries out what is due, until `shutdown`; then finishes what runs, within a deadline.
pub async fn run(held: &dyn HeldAnswers, operations: &dyn Operations, clock: &dyn Clock, shutdown: &CancellationToken) {
    let mut carrier = Carrier::new(held, operations, clock);
    let mut has_complained = false;
    while !shutdown.is_cancelled() {
        let wait = match carrier.look().await {
            Ok(wait) => {
                has_complained = false;
                wait
            }
            Err(error) => {
                complain(&mut has_complained, &error);
                LOOK_EVERY
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = carrier.one_is_done(), if !carrier.running.is_empty() => {}
            () = sleep(wait) => {}
        }
    }
    let finished = async {
        while !carrier.running.is_empty() {
            carrier.one_is_done().await;
        }
    };
    if timeout(FINISH_WITHIN, finished).await.is_err() {
        let seconds = FINISH_WITHIN.as_secs();
        tracing::warn!("held answers were still being carried out {seconds} s after the shutdown began and are due at the next start");
    }
}

struct Carrier<'a> {
    held: &'a dyn HeldAnswers,
    operations: &'a dyn Operations,
    clock: &'a dyn Clock,
    running: FuturesUnordered<BoxFuture<'a, UuidV4>>,
    /// Of those that run.
    ids: HashSet<UuidV4>,
}

impl<'a> Carrier<'a> {
    fn new(held: &'a dyn HeldAnswers, operations: &'a dyn Operations, clock: &'a dyn Clock) -> Self {
        Self { held, operations, clock, running: FuturesUnordered::new(), ids: HashSet::new() }
    }

    /// Begins with what is due; how long until the next look.
    async fn look(&mut self) -> Result<Duration, StoreError> {
        // Those that run are due still, and may all stand in front.
        for answer in self.held.due(self.clock.now(), AT_ONCE_MAX + self.running.len()).await? {
            if self.running.len() < AT_ONCE_MAX && self.ids.insert(answer.review_id) {
                self.running.push(Box::pin(carry_out(self.held, self.operations, answer)));
            }
        }
        let next = self.held.next_due().await?.and_then(|next| (next - self.clock.now()).to_std().ok());
        Ok(next.filter(|wait| !wait.is_zero()).map_or(LOOK_EVERY, |wait| wait.min(LOOK_EVERY)))
    }

    async fn one_is_done(&mut self) {
        if let Some(id) = self.running.next().await {
            self.ids.remove(&id);
        }
    }
}

/// What fails is on record with its reason, and the review waits as before; whoever looks at it is told.
async fn carry_out(held: &dyn HeldAnswers, operations: &dyn Operations, answer: ReviewAnswer) -> UuidV4 {
    let (review_id, by) = (answer.review_id, &answer.reviewer_id);
    let failure = match operations.carry_out(&answer).await {
        Ok(done) => {
            tracing::info!(review = %review_id, "the answer of {by} to review {review_id} was carried out: {done}");
            None
        }
        Err(refusal) => {
            tracing::warn!(review = %review_id, "the answer of {by} to review {review_id} was not carried out: {refusal}");
            Some(format!("{} {}", refusal.problem, refusal.next))
        }
    };
    if let Err(error) = held.done(review_id, failure.as_deref()).await {
        tracing::error!(review = %review_id, error = ?error, "what became of the held answer to review {review_id} cannot be written down: {error}");
        // It is due still, and would be tried again at once.
        sleep(LOOK_EVERY).await;
    }
    review_id
}

/// Once, until it works again.
fn complain(has_complained: &mut bool, error: &StoreError) {
    if !std::mem::replace(has_complained, true) {
        tracing::error!(error = ?error, "held answers cannot be read: {error}; trying again");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Refusal, RefusalKind};
    use async_trait::async_trait;
    use chimera_core::{
        contracts::{
            UtcTime,
            review::ReviewAction,
            views::{Money, agents::BudgetDay, reviews::PublishPreview},
        },
        domain::AgentId,
        ports::held_answers::{Holding, TakenBack},
        testing::{fake_clock::ManualClock, fake_held_answers::FakeHeldAnswers},
    };
    use futures::FutureExt;
    use serde_json::Value;
    use std::sync::Mutex;

    /// Decides reviews, and remembers in which order.
    #[derive(Default)]
    struct Deciding<'a> {
        store: Option<&'a FakeHeldAnswers>,
        carried_out: Mutex<Vec<UuidV4>>,
        /// Never ends with this one.
        hangs_at: Option<UuidV4>,
        refuses: Option<UuidV4>,
    }

    fn unasked() -> Refusal {
        Refusal { kind: RefusalKind::Unavailable, problem: "Nobody asks for this here.".to_owned(), next: String::new() }
    }

    #[async_trait]
    impl Operations for Deciding<'_> {
        async fn carry_out(&self, answer: &ReviewAnswer) -> Result<String, Refusal> {
            self.carried_out.lock().unwrap().push(answer.review_id);
            if self.hangs_at == Some(answer.review_id) {
                std::future::pending::<()>().await;
            }
            if self.refuses == Some(answer.review_id) {
                let (problem, next) = ("The campaign has ended.".to_owned(), "Reject it.".to_owned());
                return Err(Refusal { kind: RefusalKind::Conflict, problem, next });
            }
            if let Some(store) = self.store {
                store.decide(answer);
            }
            Ok("rejected".to_owned())
        }
        async fn check_answer(&self, _answer: &ReviewAnswer) -> Result<(), Refusal> {
            Ok(())
        }
        async fn create_agent(&self, _soul_source: &str) -> Result<String, Refusal> {
            Err(unasked())
        }
        async fn plan(&self, _campaign_id: &str) -> Result<Value, Refusal> {
            Err(unasked())
        }
        fn limits(&self, _agent: &AgentId) -> Vec<BudgetDay> {
            Vec::new()
        }
        async fn balances(&self, _agent: &AgentId) -> Vec<Money> {
            Vec::new()
        }
        async fn publish_preview(
            &self,
            _agent: &AgentId,
            _platform: &str,
            _text: &str,
            _media_uri: Option<&str>,
            _reply_to: Option<&str>,
        ) -> Option<PublishPreview> {
            None
        }
    }

    struct Stage {
        held: FakeHeldAnswers,
        clock: ManualClock,
    }

    impl Stage {
        fn new() -> Self {
            Self { held: FakeHeldAnswers::default(), clock: ManualClock::at("2026-11-19T08:00:00Z") }
        }

        async fn hold(&self) -> UuidV4 {
            let review_id = self.held.ask();
            let answer = ReviewAnswer {
                review_id,
                action: ReviewAction::Reject,
                reason: None,
                edited_artifact: None,
                give_up: false,
                confirmed_address: None,
                found: None,
                reviewer_id: "ada".to_owned(),
                reviewed_at: UtcTime(self.clock.now()),
            };
            assert_eq!(self.held.hold(&answer, self.clock.now() + HOLD_FOR).await.unwrap(), Holding::Held);
            review_id
        }

        /// Second by second, with a look in each.
        async fn pass(&self, carrier: &mut Carrier<'_>, seconds: i64) {
            for _ in 0..seconds {
                self.clock.advance(TimeDelta::seconds(1));
                carrier.look().await.unwrap();
                // Until only those are left that never end.
                while !carrier.running.is_empty() && carrier.one_is_done().now_or_never().is_some() {}
            }
        }
    }

    #[tokio::test]
    async fn an_answer_takes_effect_after_eight_seconds_and_once() {
        let stage = Stage::new();
        let deciding = Deciding { store: Some(&stage.held), ..Deciding::default() };
        let mut carrier = Carrier::new(&stage.held, &deciding, &stage.clock);
        let review_id = stage.hold().await;

        stage.pass(&mut carrier, 7).await;
        assert_eq!(*deciding.carried_out.lock().unwrap(), []);
        stage.pass(&mut carrier, 20).await;

        assert_eq!(*deciding.carried_out.lock().unwrap(), [review_id]);
        assert_eq!(stage.held.failure(review_id).await.unwrap(), None);
    }

    #[tokio::test]
    async fn what_is_taken_back_has_no_effect() {
        let stage = Stage::new();
        let deciding = Deciding { store: Some(&stage.held), ..Deciding::default() };
        let mut carrier = Carrier::new(&stage.held, &deciding, &stage.clock);
        let review_id = stage.hold().await;

        stage.pass(&mut carrier, 7).await;
        assert_eq!(stage.held.take_back(review_id, "ada", stage.clock.now()).await.unwrap(), TakenBack::Yes);
        stage.pass(&mut carrier, 20).await;

        assert_eq!(*deciding.carried_out.lock().unwrap(), []);
    }

    #[tokio::test]
    async fn what_cannot_be_done_says_why_and_what_takes_long_keeps_nothing_waiting() {
        let stage = Stage::new();
        let (refused, slow, last) = (stage.hold().await, stage.hold().await, stage.hold().await);
        let deciding = Deciding { store: Some(&stage.held), refuses: Some(refused), hangs_at: Some(slow), ..Deciding::default() };
        let mut carrier = Carrier::new(&stage.held, &deciding, &stage.clock);

        stage.pass(&mut carrier, 20).await;

        let (mut carried_out, mut all) = (deciding.carried_out.lock().unwrap().clone(), vec![refused, slow, last]);
        carried_out.sort();
        all.sort();
        assert_eq!(carried_out, all, "each once, also the one that is still running");
        assert_eq!(stage.held.failure(refused).await.unwrap().as_deref(), Some("The campaign has ended. Reject it."));
        assert_eq!(stage.held.due(stage.clock.now(), 9).await.unwrap().len(), 1, "the slow one is not done");
    }

    #[tokio::test]
    async fn what_a_crash_interrupted_is_carried_out_after_the_restart_and_counts_once() {
        let stage = Stage::new();
        let (untouched, interrupted) = (stage.hold().await, stage.hold().await);
        stage.clock.advance(TimeDelta::hours(1));
        // The review was decided, and the program died before it could write down so.
        let due = stage.held.due(stage.clock.now(), 9).await.unwrap();
        stage.held.decide(due.iter().find(|due| due.review_id == interrupted).unwrap());
        let deciding = Deciding { store: Some(&stage.held), refuses: Some(interrupted), ..Deciding::default() };

        stage.pass(&mut Carrier::new(&stage.held, &deciding, &stage.clock), 3).await;

        assert_eq!(deciding.carried_out.lock().unwrap().len(), 2);
        for review_id in [untouched, interrupted] {
            assert_eq!(stage.held.failure(review_id).await.unwrap(), None);
        }
        assert_eq!(stage.held.next_due().await.unwrap(), None);
    }

    #[tokio::test]
    async fn the_loop_ends_with_the_program() {
        let stage = Stage::new();
        let review_id = stage.hold().await;
        stage.clock.advance(HOLD_FOR);
        let deciding = Deciding { store: Some(&stage.held), ..Deciding::default() };
        let shutdown = CancellationToken::new();

        let ending = async {
            while stage.held.next_due().await.unwrap().is_some() {
                tokio::task::yield_now().await;
            }
            shutdown.cancel();
        };
        tokio::join!(run(&stage.held, &deciding, &stage.clock, &shutdown), ending);

        assert_eq!(*deciding.carried_out.lock().unwrap(), [review_id]);
    }
}
