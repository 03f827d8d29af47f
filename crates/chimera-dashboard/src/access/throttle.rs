//! A fixed-window rate limiter: so many a minute for one address or one person.

use chrono::{DateTime, TimeDelta, Utc};
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

const WINDOW: TimeDelta = TimeDelta::minutes(1);
/// Of those who came in the last minute. More are counted at the expense of those who came first.
const KEYS_MAX: usize = 4096;

pub(super) struct Throttle<Key> {
    per_minute: u32,
    windows: Mutex<HashMap<Key, Window>>,
}

struct Window {
    began: DateTime<Utc>,
    count: u32,
}

/// How many seconds are left until it may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany {
    pub retry_after_s: u64,
}

impl<Key: Hash + Eq + Clone> Throttle<Key> {
    pub fn new(per_minute: u32) -> Self {
        Self { per_minute, windows: Mutex::default() }
    }

    /// Counts one, unless there were too many. Counting first and forgiving later lets nobody try many at the same moment.
    pub fn count(&self, key: &Key, now: DateTime<Utc>) -> Result<(), TooMany> {
        let mut windows = self.locked();
        if windows.len() >= KEYS_MAX && !windows.contains_key(key) {
            make_room(&mut windows, now);
        }
        let window = windows.entry(key.clone()).or_insert(Window { began: now, count: 0 });
        if window.is_over(now) {
            *window = Window { began: now, count: 0 };
        }
        if window.count >= self.per_minute {
            let left = (window.began + WINDOW - now).num_milliseconds().max(0);
            return Err(TooMany { retry_after_s: u64::try_from(left).unwrap_or_default().div_ceil(1000).max(1) });
        }
        window.count += 1;
        Ok(())
    }

    /// The last one does not count.
    pub fn forgive(&self, key: &Key) {
        if let Some(window) = self.locked().get_mut(key) {
            window.count = window.count.saturating_sub(1);
        }
    }

    /// What is locked here is whole at any moment.
    fn locked(&self) -> MutexGuard<'_, HashMap<Key, Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Window {
    /// Also when the clock was set back.
    fn is_over(&self, now: DateTime<Utc>) -> bool {
        now < self.began || now - self.began >= WINDOW
    }
}

fn make_room<Key: Hash + Eq + Clone>(windows: &mut HashMap<Key, Window>, now: DateTime<Utc>) {
    windows.retain(|_, window| !window.is_over(now));
    if windows.len() >= KEYS_MAX
        && let Some(oldest) = windows.iter().min_by_key(|(_, window)| window.began).map(|(key, _)| key.clone())
    {
        windows.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
    }

    #[test]
    fn so_many_pass_in_a_minute_and_no_more() {
        let throttle = Throttle::new(2);

        assert_eq!((throttle.count(&"a", at(0)), throttle.count(&"a", at(10))), (Ok(()), Ok(())));
        assert_eq!(throttle.count(&"a", at(20)), Err(TooMany { retry_after_s: 40 }));
        assert_eq!(throttle.count(&"b", at(20)), Ok(()), "each has a count of its own");
        assert_eq!(throttle.count(&"a", at(59)), Err(TooMany { retry_after_s: 1 }));
        assert_eq!(throttle.count(&"a", at(60)), Ok(()));
    }

    #[test]
    fn what_is_forgiven_does_not_count() {
        let throttle = Throttle::new(1);
        for _ in 0..3 {
            assert_eq!(throttle.count(&"a", at(0)), Ok(()));
            throttle.forgive(&"a");
        }
        throttle.count(&"a", at(0)).unwrap();
        assert!(throttle.count(&"a", at(0)).is_err());
    }

    #[test]
    fn a_clock_that_was_set_back_locks_nobody_out() {
        let throttle = Throttle::new(1);
        throttle.count(&"a", at(1000)).unwrap();

        assert_eq!(throttle.count(&"a", at(0)), Ok(()));
    }

    #[test]
    fn there_are_never_more_counts_than_there_is_room_for() {
        let throttle = Throttle::new(1);
        for number in 0..KEYS_MAX + 10 {
            throttle.count(&number, at(i64::try_from(number / 1000).unwrap())).unwrap();
        }
        assert_eq!(throttle.locked().len(), KEYS_MAX);
        assert!(throttle.count(&(KEYS_MAX + 9), at(5)).is_err(), "the newest are counted");
    }
}
