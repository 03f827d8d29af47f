//! Whoever asks the same at the same time shares one answer, and never an old one: a question goes out only after everybody who shares
//! its answer has asked it. While one is under way, those who come wait for the next.

use crate::locking::locked;
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex},
};
use tokio::sync::OnceCell;

pub struct Sharing<Question, Answer> {
    groups: Mutex<Groups<Question, Answer>>,
}

struct Groups<Question, Answer> {
    of: HashMap<Question, Arc<Group<Answer>>>,
    /// With so many it is time to forget those that nobody is in. Grows and shrinks with their number, so that a question pays for a few of
    /// them and never for all.
    swept_at: usize,
}

const SWEPT_AT_LEAST: usize = 16;

struct Group<Answer> {
    /// Held by the one question that is under way.
    turn: tokio::sync::Mutex<()>,
    /// Where those meet whose question has not gone out yet.
    gathering: Mutex<Option<Arc<OnceCell<Answer>>>>,
}

impl<Question, Answer> Default for Sharing<Question, Answer> {
    fn default() -> Self {
        Self { groups: Mutex::new(Groups { of: HashMap::new(), swept_at: SWEPT_AT_LEAST }) }
    }
}

impl<Question: Eq + Hash, Answer: Clone> Sharing<Question, Answer> {
    /// `ask` runs for one of those who share, and for another one should the first go away.
    pub async fn answer<Asking: Future<Output = Answer>>(&self, question: Question, ask: impl FnOnce() -> Asking) -> Answer {
        let group = self.group(question);
        let met = Arc::clone(locked(&group.gathering).get_or_insert_with(Arc::default));
        let asked = met.get_or_init(|| async {
            let _turn = group.turn.lock().await;
            // Whoever comes from now on has not asked before the question went out.
            locked(&group.gathering).take_if(|gathering| Arc::ptr_eq(gathering, &met));
            ask().await
        });
        asked.await.clone()
    }

    fn group(&self, question: Question) -> Arc<Group<Answer>> {
        let mut groups = locked(&self.groups);
        if groups.of.len() >= groups.swept_at {
            // Those that only the list still knows: whoever was in them has his answer or went away.
            groups.of.retain(|_, group| Arc::strong_count(group) > 1);
            groups.swept_at = SWEPT_AT_LEAST.max(2 * groups.of.len());
        }
        Arc::clone(groups.of.entry(question).or_insert_with(|| Arc::new(Group::new())))
    }
}

impl<Answer> Group<Answer> {
    fn new() -> Self {
        Self { turn: tokio::sync::Mutex::default(), gathering: Mutex::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{FutureExt, future::join_all};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Semaphore;

    /// Answers with how many were asked before, as soon as it is let.
    struct Oracle {
        asked: AtomicUsize,
        leave: Semaphore,
    }

    impl Oracle {
        fn new() -> Self {
            Self { asked: AtomicUsize::new(0), leave: Semaphore::new(0) }
        }

        async fn ask(&self) -> usize {
            let number = self.asked.fetch_add(1, Ordering::SeqCst);
            self.leave.acquire().await.unwrap().forget();
            number
        }
    }

    #[tokio::test]
    async fn those_who_come_while_a_question_is_under_way_share_the_next() {
        let (sharing, oracle) = (Sharing::<&str, usize>::default(), Oracle::new());
        let ask = || sharing.answer("balance", || oracle.ask());
        let mut first = Box::pin(ask());
        assert!(first.as_mut().now_or_never().is_none(), "its question is under way");
        let mut others = Box::pin(join_all((0..50).map(|_| ask())));
        assert!(others.as_mut().now_or_never().is_none(), "they wait for their turn");
        oracle.leave.add_permits(2);

        let (first, others) = tokio::join!(first, others);

        assert_eq!(first, 0);
        assert!(others.iter().all(|number| *number == 1), "{others:?}");
        assert_eq!(sharing.answer("nonce", || async { 7 }).await, 7);
    }

    #[tokio::test]
    async fn what_was_answered_is_forgotten() {
        let sharing = Sharing::<usize, usize>::default();
        for question in 0..1_000 {
            assert_eq!(sharing.answer(question, || async move { question }).await, question);
        }
        assert!(sharing.groups.lock().unwrap().of.len() <= SWEPT_AT_LEAST);
    }

    #[tokio::test]
    async fn different_questions_do_not_wait_for_each_other() {
        let (sharing, oracle) = (Sharing::<&str, usize>::default(), Oracle::new());
        let mut stuck = Box::pin(sharing.answer("balance", || oracle.ask()));
        assert!(stuck.as_mut().now_or_never().is_none());

        assert_eq!(sharing.answer("nonce", || async { 7 }).await, 7);
    }

    #[tokio::test]
    async fn who_goes_away_takes_no_answer_with_him() {
        let (sharing, oracle) = (Sharing::<&str, usize>::default(), Oracle::new());
        let mut asking = Box::pin(sharing.answer("balance", || oracle.ask()));
        assert!(asking.as_mut().now_or_never().is_none());
        let mut waiting = Box::pin(sharing.answer("balance", || oracle.ask()));
        assert!(waiting.as_mut().now_or_never().is_none());

        drop(asking);
        oracle.leave.add_permits(1);

        assert_eq!(waiting.await, 1);
    }
}
