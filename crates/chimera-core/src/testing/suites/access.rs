//! What every `Access` holds to.

use super::samples::at;
use crate::{
    contracts::{UtcTime, views::people::Role},
    ports::access::{Access, AddPersonError, DEVICE_GOOD_FOR, DEVICE_IDLE_MAX, Device, Digest, NewPerson, Person, Removed},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Access>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_person_is_found_by_the_key_and_by_nothing_else(&store).await;
    let (_guard, store) = fresh();
    a_name_is_given_once(&store).await;
    let (_guard, store) = fresh();
    the_last_owner_stays(&store).await;
    let (_guard, store) = fresh();
    whoever_is_removed_is_signed_out(&store).await;
    let (_guard, store) = fresh();
    another_key_ends_what_the_old_one_began(&store).await;
    let (_guard, store) = fresh();
    a_link_signs_in_once_and_not_for_long(&store).await;
    let (_guard, store) = fresh();
    of_many_who_use_one_link_one_gets_in(&store).await;
    let (_guard, store) = fresh();
    a_browser_is_signed_in_until_it_was_away_for_too_long_or_time_is_up(&store).await;
    let (_guard, store) = fresh();
    a_person_has_only_so_many_browsers(&store).await;
}

fn digest(of: u8) -> Digest {
    [of; 32]
}

async fn add(store: &impl Access, name: &str, role: Role, key: u8) -> Person {
    let person = Person { name: name.parse().unwrap(), role };
    store.add_person(&NewPerson { name: person.name.clone(), role, key: digest(key), added_at: at(0) }).await.unwrap();
    person
}

fn device(of: &Person, cookie: u8, seconds: i64) -> Device {
    Device {
        name: of.name.clone(),
        cookie: digest(cookie),
        change_key: digest(cookie + 100),
        signed_in_at: at(seconds),
        until: at(seconds) + DEVICE_GOOD_FOR,
    }
}

async fn is_signed_in(store: &impl Access, cookie: u8, seconds: i64) -> bool {
    store.seen(&digest(cookie), at(seconds), DEVICE_IDLE_MAX).await.unwrap().is_some()
}

async fn a_person_is_found_by_the_key_and_by_nothing_else(store: &impl Access) {
    let (ada, ben) = (add(store, "ben", Role::Viewer, 2).await, add(store, "ada", Role::Operator, 1).await);

    assert_eq!(store.person_with_key(&digest(2)).await.unwrap(), Some(ada));
    assert_eq!(store.person_with_key(&digest(1)).await.unwrap(), Some(ben));
    assert_eq!(store.person_with_key(&digest(3)).await.unwrap(), None);
    let people = store.people(at(1)).await.unwrap();
    assert_eq!(
        people.iter().map(|person| (person.name.as_str(), person.role)).collect::<Vec<_>>(),
        [("ada", Role::Operator), ("ben", Role::Viewer)]
    );
    assert!(people.iter().all(|person| person.added_at == UtcTime(at(0)) && person.devices == 0 && person.last_seen_at.is_none()));
}

async fn a_name_is_given_once(store: &impl Access) {
    let ada = add(store, "ada", Role::Viewer, 1).await;

    let again = store.add_person(&NewPerson { name: ada.name.clone(), role: Role::Owner, key: digest(2), added_at: at(5) }).await;

    assert!(matches!(again, Err(AddPersonError::Exists(name)) if name == ada.name));
    assert_eq!(store.person_with_key(&digest(1)).await.unwrap(), Some(ada), "the first one is as before");
    assert_eq!(store.person_with_key(&digest(2)).await.unwrap(), None);
}

async fn the_last_owner_stays(store: &impl Access) {
    add(store, "ada", Role::Owner, 1).await;
    add(store, "ben", Role::Owner, 2).await;
    add(store, "cem", Role::Operator, 3).await;

    assert_eq!(store.remove_person("nobody").await.unwrap(), Removed::NoSuchPerson);
    // At once: of two who remove each other, one stays.
    let (first, second) = futures::join!(store.remove_person("ada"), store.remove_person("ben"));
    assert_eq!([first.unwrap(), second.unwrap()].iter().filter(|removed| **removed == Removed::Yes).count(), 1);
    assert_eq!(store.remove_person("cem").await.unwrap(), Removed::Yes);
    let left = store.people(at(1)).await.unwrap();
    assert_eq!(left.iter().map(|person| person.role).collect::<Vec<_>>(), [Role::Owner]);
    assert_eq!(store.remove_person(&left[0].name).await.unwrap(), Removed::LastOwner);
}

async fn whoever_is_removed_is_signed_out(store: &impl Access) {
    let (ada, ben) = (add(store, "ada", Role::Owner, 1).await, add(store, "ben", Role::Operator, 2).await);
    store.sign_in(&device(&ada, 10, 0)).await.unwrap();
    store.sign_in(&device(&ben, 11, 0)).await.unwrap();
    assert!(store.add_link("ben", &digest(20), at(600)).await.unwrap());

    assert_eq!(store.remove_person("ben").await.unwrap(), Removed::Yes);

    assert!(is_signed_in(store, 10, 1).await && !is_signed_in(store, 11, 1).await);
    assert_eq!(store.use_link(&digest(20), at(1)).await.unwrap(), None);
    assert_eq!(store.person_with_key(&digest(2)).await.unwrap(), None);
    add(store, "ben", Role::Operator, 3).await;
    assert!(!is_signed_in(store, 11, 1).await, "whoever has the name next begins anew");
    assert!(store.sign_in(&device(&Person { name: "nobody".parse().unwrap(), role: Role::Owner }, 12, 0)).await.is_err());
    assert!(!is_signed_in(store, 12, 1).await);
}

async fn another_key_ends_what_the_old_one_began(store: &impl Access) {
    let ada = add(store, "ada", Role::Viewer, 1).await;
    store.sign_in(&device(&ada, 10, 0)).await.unwrap();
    store.add_link("ada", &digest(20), at(600)).await.unwrap();

    assert!(store.replace_key("ada", Role::Owner, &digest(2)).await.unwrap());

    assert!(!is_signed_in(store, 10, 1).await);
    assert_eq!(store.use_link(&digest(20), at(1)).await.unwrap(), None);
    assert_eq!(store.person_with_key(&digest(1)).await.unwrap(), None);
    assert_eq!(store.person_with_key(&digest(2)).await.unwrap(), Some(Person { role: Role::Owner, ..ada }));
    assert!(!store.replace_key("nobody", Role::Owner, &digest(3)).await.unwrap());
    assert_eq!(store.person_with_key(&digest(3)).await.unwrap(), None);
}

async fn a_link_signs_in_once_and_not_for_long(store: &impl Access) {
    let ada = add(store, "ada", Role::Reviewer, 1).await;
    assert!(!store.add_link("nobody", &digest(19), at(600)).await.unwrap());
    for link in [20, 21] {
        assert!(store.add_link("ada", &digest(link), at(600)).await.unwrap());
    }

    assert_eq!(store.use_link(&digest(19), at(1)).await.unwrap(), None);
    assert_eq!(store.use_link(&digest(20), at(599)).await.unwrap(), Some(ada));
    assert_eq!(store.use_link(&digest(20), at(599)).await.unwrap(), None, "it is used up");
    assert_eq!(store.use_link(&digest(21), at(600)).await.unwrap(), None, "it is too old");
}

async fn of_many_who_use_one_link_one_gets_in(store: &impl Access) {
    let ada = add(store, "ada", Role::Reviewer, 1).await;
    store.add_link("ada", &digest(20), at(600)).await.unwrap();
    let link = digest(20);

    let used = futures::future::join_all((0..8).map(|_| store.use_link(&link, at(1)))).await;

    let in_by_it: Vec<Person> = used.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(in_by_it, [ada]);
}

async fn a_browser_is_signed_in_until_it_was_away_for_too_long_or_time_is_up(store: &impl Access) {
    const HOUR: i64 = 3600;
    let ada = add(store, "ada", Role::Reviewer, 1).await;
    for cookie in [10, 11, 12] {
        store.sign_in(&device(&ada, cookie, 0)).await.unwrap();
    }

    let signed_in = store.seen(&digest(10), at(30), DEVICE_IDLE_MAX).await.unwrap().unwrap();
    assert_eq!((&signed_in.person, signed_in.change_key), (&ada, digest(110)));
    assert!(!is_signed_in(store, 13, 1).await, "a cookie of nobody");
    store.sign_out(&digest(11)).await.unwrap();
    assert!(!is_signed_in(store, 11, 31).await);
    // Seen every eleven hours it stays; not seen for twelve it does not.
    for hours in (11..30 * 24).step_by(11) {
        assert!(is_signed_in(store, 10, hours * HOUR).await, "{hours} h");
    }
    assert!(!is_signed_in(store, 12, 12 * HOUR).await);
    let ended = 30 * 24 * HOUR;
    assert!(!is_signed_in(store, 10, ended).await, "whatever it does");
    let ada_row = store.people(at(ended - HOUR)).await.unwrap().remove(0);
    assert_eq!((ada_row.devices, ada_row.last_seen_at), (1, Some(UtcTime(at(715 * HOUR)))));
    store.sign_in(&device(&ada, 14, ended)).await.unwrap();
    assert_eq!(store.people(at(ended)).await.unwrap()[0].devices, 1);
    store.sign_in(&device(&ada, 15, ended)).await.unwrap();
    assert!(store.sign_out_everywhere("ada").await.unwrap() >= 2);
    assert_eq!(store.sign_out_everywhere("ada").await.unwrap(), 0);
    assert!(!is_signed_in(store, 14, ended + 1).await);
}

async fn a_person_has_only_so_many_browsers(store: &impl Access) {
    let ada = add(store, "ada", Role::Reviewer, 1).await;
    for cookie in 0..40 {
        store.sign_in(&device(&ada, cookie, i64::from(cookie))).await.unwrap();
    }

    assert_eq!(store.people(at(50)).await.unwrap()[0].devices, 32);
    assert!(!is_signed_in(store, 7, 50).await && is_signed_in(store, 8, 50).await && is_signed_in(store, 39, 50).await);
}
