//! Whoever asks while others are asking is asked for together with everybody who came in the meantime: many questions, one request.

use crate::locking::locked;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::{OnceCell, Semaphore};

pub struct Gathering<Question, Answer> {
    /// One for each request that may be under way.
    turns: Semaphore,
    /// Where those meet whose request has not gone out yet.
    open: Mutex<Option<Arc<Meeting<Question, Answer>>>>,
}

struct Meeting<Question, Answer> {
    questions: Mutex<Vec<Question>>,
    answers: OnceCell<Vec<Answer>>,
    has_gone_out: AtomicBool,
}

/// What is asked for in one.
pub struct Gathered<Question> {
    pub questions: Vec<Question>,
    /// Whoever asked before went away without an answer; his request may have arrived.
    pub is_again: bool,
}

impl<Question: Clone, Answer: Clone> Gathering<Question, Answer> {
    pub fn new(requests_at_once_max: usize) -> Self {
        Self { turns: Semaphore::new(requests_at_once_max), open: Mutex::default() }
    }

    /// `ask` answers all questions, in order. It runs for one of those who met, and for another one should the first go away.
    /// `None` where it left the question out.
    pub async fn answer<Asking>(&self, question: Question, ask: impl FnOnce(Gathered<Question>) -> Asking) -> Option<Answer>
    where
        Asking: Future<Output = Vec<Answer>>,
    {
        let (meeting, place) = self.join(question);
        let asked = meeting.answers.get_or_init(|| async {
            let _turn = self.turns.acquire().await;
            // Whoever comes from now on meets elsewhere.
            locked(&self.open).take_if(|open| Arc::ptr_eq(open, &meeting));
            let questions = locked(&meeting.questions).clone();
            ask(Gathered { questions, is_again: meeting.has_gone_out.swap(true, Ordering::Relaxed) }).await
        });
        asked.await.get(place).cloned()
    }

    fn join(&self, question: Question) -> (Arc<Meeting<Question, Answer>>, usize) {
        let mut open = locked(&self.open);
        let meeting = open.get_or_insert_with(|| {
            Arc::new(Meeting { questions: Mutex::default(), answers: OnceCell::new(), has_gone_out: AtomicBool::new(false) })
        });
        // Under the lock of `open`: a question that came too late for its request would never be answered.
        let mut questions = locked(&meeting.questions);
        questions.push(question);
        (Arc::clone(meeting), questions.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::{FutureExt, future::join_all};

    #[tokio::test]
    async fn those_who_come_while_a_request_is_under_way_are_in_the_next_one_and_each_has_its_own_answer() {
        let (gathering, leave, requests) = (Gathering::<u64, u64>::new(1), Semaphore::new(0), Mutex::new(Vec::new()));
        let ask = |gathered: Gathered<u64>| async {
            requests.lock().unwrap().push(gathered.questions.len());
            leave.acquire().await.unwrap().forget();
            gathered.questions.into_iter().map(|question| question * 2).collect()
        };
        let mut first = Box::pin(gathering.answer(1, ask));
        assert!(first.as_mut().now_or_never().is_none(), "its request is under way");
        let mut others = Box::pin(join_all((2..52).map(|question| gathering.answer(question, ask))));
        assert!(others.as_mut().now_or_never().is_none(), "they wait for their turn");
        leave.add_permits(2);

        let (first, others) = tokio::join!(first, others);

        assert_eq!(first, Some(2));
        assert_eq!(others, (2..52).map(|question| Some(question * 2)).collect::<Vec<_>>());
        assert_eq!(*requests.lock().unwrap(), [1, 50]);
    }

    #[tokio::test]
    async fn who_goes_away_takes_no_answer_with_him_and_the_next_knows_that_he_asked() {
        let (gathering, leave) = (Gathering::<u64, (u64, bool)>::new(1), Semaphore::new(0));
        let leave_soon = &leave;
        let ask = |Gathered { questions, is_again }: Gathered<u64>| async move {
            leave_soon.acquire().await.unwrap().forget();
            questions.into_iter().map(|question| (question, is_again)).collect()
        };
        let mut blocking = Box::pin(gathering.answer(0, ask));
        assert!(blocking.as_mut().now_or_never().is_none());
        let mut asking = Box::pin(gathering.answer(1, ask));
        assert!(asking.as_mut().now_or_never().is_none());
        let mut waiting = Box::pin(gathering.answer(2, ask));
        assert!(waiting.as_mut().now_or_never().is_none());
        leave.add_permits(1);
        assert_eq!(blocking.await, Some((0, false)));
        assert!(asking.as_mut().now_or_never().is_none(), "its request is under way");

        drop(asking);
        leave.add_permits(1);

        assert_eq!(waiting.await, Some((2, true)));
    }

    #[tokio::test]
    async fn what_a_request_leaves_out_has_no_answer() {
        let gathering = Gathering::<u64, u64>::new(1);

        assert_eq!(gathering.answer(1, |_| async { Vec::new() }).await, None);
    }
}
