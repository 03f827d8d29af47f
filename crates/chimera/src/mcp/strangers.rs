//! Connections that have shown neither a key nor a browser's cookie. There is room for so many, for each address and in all; who comes when it is full takes the place
//! of the one that has asked nothing for longest, so that nobody has to wait for those who only hold theirs.

use std::{
    collections::{BTreeMap, HashMap},
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio_util::sync::CancellationToken;

/// How many strangers there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub in_all: usize,
    pub per_address: usize,
}

impl Room {
    const IN_ALL_MIN: usize = 16;
    const IN_ALL_MAX: usize = 4096;

    /// A quarter of the files that the process may have open: strangers never leave it without one.
    pub fn of_descriptors(descriptors_max: u64) -> Self {
        let quarter = usize::try_from(descriptors_max / 4).unwrap_or(usize::MAX);
        let in_all = quarter.clamp(Self::IN_ALL_MIN, Self::IN_ALL_MAX);
        Self { in_all, per_address: in_all / 2 }
    }
}

pub struct Strangers {
    room: Room,
    present: Mutex<Present>,
}

#[derive(Default)]
struct Present {
    next_number: u64,
    in_all: usize,
    /// Those whose answer is under way. They make room for nobody, and there are never more of them than there is room for strangers.
    answering: usize,
    /// Of each address, by the number that each got when it came.
    by_address: HashMap<IpAddr, BTreeMap<u64, CancellationToken>>,
}

/// One connection, from the moment when it was accepted.
pub struct Visit {
    strangers: Arc<Strangers>,
    address: IpAddr,
    standing: Mutex<Standing>,
    /// Cancelled when it has to make room for another.
    pub turned_out: CancellationToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// With its number.
    Stranger(u64),
    /// It showed no key, and a whole request of it is being answered.
    Answered,
    /// It showed the key.
    LetIn,
}

impl Strangers {
    pub fn new(room: Room) -> Arc<Self> {
        Arc::new(Self { room, present: Mutex::default() })
    }

    /// There is always room for one more, at the expense of the address that takes most.
    pub fn arrive(self: &Arc<Self>, address: IpAddr) -> Visit {
        let address = neighbourhood(address);
        let turned_out = CancellationToken::new();
        let mut present = locked(&self.present);
        let number = present.add(address, turned_out.clone());
        if present.by_address.get(&address).is_some_and(|there| there.len() > self.room.per_address) {
            present.turn_out_oldest_of(address);
        }
        if present.in_all > self.room.in_all {
            present.make_room();
        }
        drop(present);
        Visit { strangers: Arc::clone(self), address, standing: Mutex::new(Standing::Stranger(number)), turned_out }
    }

    /// When the process has no descriptor left for whoever comes next.
    pub fn make_room(&self) {
        locked(&self.present).make_room();
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        locked(&self.present).in_all
    }
}

impl Visit {
    /// A whole request arrived: it gets its answer, within the time that a stranger has.
    pub fn asked(&self) {
        let mut standing = locked(&self.standing);
        let mut present = locked(&self.strangers.present);
        if let Standing::Stranger(number) = *standing
            && present.answering < self.strangers.room.in_all
        {
            present.remove(self.address, number);
            present.answering += 1;
            *standing = Standing::Answered;
        }
    }

    /// It showed a key: from now on it takes nobody's place and makes room for nobody.
    pub fn let_in(&self) {
        let mut standing = locked(&self.standing);
        let mut present = locked(&self.strangers.present);
        match *standing {
            Standing::Stranger(number) => drop(present.remove(self.address, number)),
            Standing::Answered => present.answering -= 1,
            Standing::LetIn => {}
        }
        *standing = Standing::LetIn;
    }

    pub fn is_let_in(&self) -> bool {
        *locked(&self.standing) == Standing::LetIn
    }

    /// Whether it may be made to leave for another.
    pub fn may_be_turned_out(&self) -> bool {
        matches!(*locked(&self.standing), Standing::Stranger(_))
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.let_in();
    }
}

impl Present {
    fn add(&mut self, address: IpAddr, turned_out: CancellationToken) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.in_all += 1;
        self.by_address.entry(address).or_default().insert(number, turned_out);
        number
    }

    fn remove(&mut self, address: IpAddr, number: u64) -> Option<CancellationToken> {
        let there = self.by_address.get_mut(&address)?;
        let removed = there.remove(&number)?;
        if there.is_empty() {
            self.by_address.remove(&address);
        }
        self.in_all -= 1;
        Some(removed)
    }

    fn turn_out_oldest_of(&mut self, address: IpAddr) {
        let oldest = self.by_address.get(&address).and_then(|there| there.first_key_value()).map(|(number, _)| *number);
        if let Some(turned_out) = oldest.and_then(|number| self.remove(address, number)) {
            turned_out.cancel();
        }
    }

    /// Of the address with the most; of several such, the one whose oldest is oldest.
    fn make_room(&mut self) {
        let weight =
            |there: &BTreeMap<u64, CancellationToken>| (there.len(), std::cmp::Reverse(there.first_key_value().map(|(number, _)| *number)));
        let heaviest = self.by_address.iter().max_by_key(|(_, there)| weight(there)).map(|(address, _)| *address);
        if let Some(address) = heaviest {
            self.turn_out_oldest_of(address);
        }
    }
}

/// Whoever has one IPv6 address has the whole /64.
fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        v4 => v4,
    }
}

/// What is locked here is whole at any moment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { in_all: 6, per_address: 4 };

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn arrive(strangers: &Arc<Strangers>, from: &str, count: usize) -> Vec<Visit> {
        (0..count).map(|_| strangers.arrive(address(from))).collect()
    }

    fn turned_out(visits: &[Visit]) -> Vec<usize> {
        (0..visits.len()).filter(|at| visits[*at].turned_out.is_cancelled()).collect()
    }

    #[test]
    fn whoever_comes_takes_the_place_of_the_oldest_of_its_own_address() {
        let strangers = Strangers::new(ROOM);
        let other = arrive(&strangers, "192.0.2.9", 1);

        let many = arrive(&strangers, "192.0.2.1", 7);

        assert_eq!(turned_out(&many), [0, 1, 2]);
        assert_eq!(turned_out(&other), [0; 0]);
        assert_eq!(strangers.count(), 5);
        drop(many);
        drop(other);
        assert_eq!(strangers.count(), 0);
        assert!(locked(&strangers.present).by_address.is_empty());
    }

    #[test]
    fn when_all_places_are_taken_the_address_with_the_most_makes_room() {
        let strangers = Strangers::new(ROOM);
        let few = arrive(&strangers, "192.0.2.1", 2);
        let many = arrive(&strangers, "192.0.2.2", 4);

        let new = arrive(&strangers, "192.0.2.3", 1);

        assert_eq!((turned_out(&few), turned_out(&many), turned_out(&new)), (vec![], vec![0], vec![]));
    }

    #[test]
    fn who_showed_a_key_is_never_turned_out_and_takes_no_place() {
        let strangers = Strangers::new(ROOM);
        let known = arrive(&strangers, "192.0.2.1", 3);
        known.iter().for_each(Visit::let_in);

        let many = arrive(&strangers, "192.0.2.1", 9);

        assert_eq!(turned_out(&known), [0; 0]);
        assert_eq!(turned_out(&many), [0, 1, 2, 3, 4]);
        drop(known);
        assert_eq!(strangers.count(), 4);
    }

    #[test]
    fn who_asked_something_outlives_those_who_say_nothing() {
        let strangers = Strangers::new(ROOM);
        let visits = arrive(&strangers, "192.0.2.1", 4);
        visits[0].asked();

        let more = arrive(&strangers, "192.0.2.1", 9);

        assert_eq!(turned_out(&visits), [1, 2, 3]);
        assert!(!visits[0].may_be_turned_out() && !visits[0].is_let_in());
        more.iter().for_each(Visit::asked);
        assert_eq!(locked(&strangers.present).answering, ROOM.in_all, "no more of them than there is room for");
        drop((visits, more));
        assert_eq!((strangers.count(), locked(&strangers.present).answering), (0, 0));
    }

    #[test]
    fn one_household_counts_once() {
        let same = |a: &str, b: &str| neighbourhood(address(a)) == neighbourhood(address(b));
        assert!(same("2001:db8::1", "2001:db8::ffff:1") && !same("2001:db8::1", "2001:db8:0:1::1"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1") && !same("192.0.2.1", "192.0.2.2"));
    }

    #[test]
    fn there_is_room_for_a_quarter_of_the_descriptors() {
        for (descriptors, in_all) in [(0, 16), (64, 16), (1024, 256), (20_000, 4096), (u64::MAX, 4096)] {
            assert_eq!(Room::of_descriptors(descriptors), Room { in_all, per_address: in_all / 2 });
        }
    }
}
