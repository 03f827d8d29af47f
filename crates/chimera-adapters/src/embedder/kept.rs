//! What was made lately, within a number of bytes. Two halves: what is asked for again moves to the younger one, and when that is full, the older is
//! let go. So what is in use stays, as with a list by last use, and nothing is kept in order.

use std::{borrow::Borrow, collections::HashMap, hash::Hash, mem};

pub(super) struct Kept<Key, Value> {
    young: HashMap<Key, (Value, usize)>,
    old: HashMap<Key, (Value, usize)>,
    young_bytes: usize,
    bytes_max: usize,
}

impl<Key: Eq + Hash, Value: Clone> Kept<Key, Value> {
    pub(super) fn within(bytes_max: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), young_bytes: 0, bytes_max }
    }

    pub(super) fn find<Asked: Eq + Hash + ?Sized>(&mut self, key: &Asked) -> Option<Value>
    where
        Key: Borrow<Asked>,
    {
        if let Some((value, _)) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, (value, bytes)) = self.old.remove_entry(key)?;
        self.keep(key, value.clone(), bytes);
        Some(value)
    }

    /// `bytes`: what the two take, about.
    pub(super) fn keep(&mut self, key: Key, value: Value, bytes: usize) {
        if self.young_bytes + bytes > self.bytes_max / 2 {
            self.old = mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        if let Some((_, replaced)) = self.young.insert(key, (value, bytes)) {
            self.young_bytes -= replaced;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_what_is_not_goes_and_the_bytes_are_bounded() {
        let mut kept: Kept<String, usize> = Kept::within(100);
        kept.keep("asked".to_owned(), 0, 10);
        for number in 1..100 {
            kept.keep(number.to_string(), number, 10);
            assert_eq!(kept.find("asked"), Some(0), "{number}");
            let bytes: usize = kept.young.values().chain(kept.old.values()).map(|(_, bytes)| bytes).sum();
            assert!(bytes <= 100 && kept.young_bytes <= 50, "{bytes}");
        }
        assert_eq!((kept.find("1"), kept.find("99")), (None, Some(99)));
    }

    #[test]
    fn the_same_again_counts_once() {
        let mut kept: Kept<&str, usize> = Kept::within(100);
        for value in 0..50 {
            kept.keep("same", value, 10);
        }
        assert_eq!((kept.find("same"), kept.young_bytes, kept.old.len()), (Some(49), 10, 0));
    }
}
