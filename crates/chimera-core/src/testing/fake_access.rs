//! People and their browsers in memory.

use crate::{
    contracts::{
        UtcTime,
        views::people::{PersonRow, Role},
    },
    ports::{
        StoreError,
        access::{Access, AddPersonError, DEVICE_IDLE_MAX, Device, Digest, NewPerson, Person, PersonName, Removed, SignedIn},
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

const DEVICES_MAX: usize = 32;

#[derive(Default)]
pub struct FakeAccess(Mutex<Everybody>);

#[derive(Default)]
struct Everybody {
    people: BTreeMap<PersonName, (NewPerson, Option<DateTime<Utc>>)>,
    links: BTreeMap<Digest, (PersonName, DateTime<Utc>)>,
    /// With when each was last seen.
    devices: Vec<(Device, DateTime<Utc>)>,
}

impl Everybody {
    fn named(&self, name: &str) -> Option<&NewPerson> {
        self.people.values().map(|(person, _)| person).find(|person| person.name.as_str() == name)
    }

    fn sign_out(&mut self, name: &str) -> usize {
        let before = self.devices.len();
        self.devices.retain(|(device, _)| device.name.as_str() != name);
        self.links.retain(|_, (whose, _)| whose.as_str() != name);
        before - self.devices.len()
    }
}

fn person(of: &NewPerson) -> Person {
    Person { name: of.name.clone(), role: of.role }
}

impl FakeAccess {
    fn everybody(&self) -> MutexGuard<'_, Everybody> {
        self.0.lock().expect("no test panics while holding everybody")
    }
}

#[async_trait]
impl Access for FakeAccess {
    async fn add_person(&self, person: &NewPerson) -> Result<(), AddPersonError> {
        let mut everybody = self.everybody();
        if everybody.people.contains_key(&person.name) {
            return Err(AddPersonError::Exists(person.name.clone()));
        }
        everybody.people.insert(person.name.clone(), (person.clone(), None));
        Ok(())
    }

    async fn remove_person(&self, name: &str) -> Result<Removed, StoreError> {
        let mut everybody = self.everybody();
        let Some(person) = everybody.named(name).cloned() else { return Ok(Removed::NoSuchPerson) };
        let owners = everybody.people.values().filter(|(person, _)| person.role == Role::Owner).count();
        if person.role == Role::Owner && owners == 1 {
            return Ok(Removed::LastOwner);
        }
        everybody.sign_out(name);
        everybody.people.remove(&person.name);
        Ok(Removed::Yes)
    }

    async fn replace_key(&self, name: &str, role: Role, key: &Digest) -> Result<bool, StoreError> {
        let mut everybody = self.everybody();
        everybody.sign_out(name);
        let found = everybody.people.values_mut().find(|(person, _)| person.name.as_str() == name);
        Ok(found.map(|(person, _)| (person.role, person.key) = (role, *key)).is_some())
    }

    async fn people(&self, now: DateTime<Utc>) -> Result<Vec<PersonRow>, StoreError> {
        let everybody = self.everybody();
        let is_here = |(device, seen_at): &&(Device, DateTime<Utc>)| device.until > now && now - *seen_at < DEVICE_IDLE_MAX;
        let row = |(person, last_seen_at): &(NewPerson, Option<DateTime<Utc>>)| PersonRow {
            name: person.name.to_string(),
            role: person.role,
            added_at: UtcTime(person.added_at),
            devices: everybody.devices.iter().filter(|(device, _)| device.name == person.name).filter(is_here).count() as u64,
            last_seen_at: last_seen_at.map(UtcTime),
        };
        Ok(everybody.people.values().map(row).collect())
    }

    async fn person_with_key(&self, key: &Digest) -> Result<Option<Person>, StoreError> {
        Ok(self.everybody().people.values().find(|(person, _)| person.key == *key).map(|(found, _)| person(found)))
    }

    async fn add_link(&self, name: &str, link: &Digest, until: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut everybody = self.everybody();
        let Some(name) = everybody.named(name).map(|person| person.name.clone()) else { return Ok(false) };
        everybody.links.insert(*link, (name, until));
        Ok(true)
    }

    async fn use_link(&self, link: &Digest, now: DateTime<Utc>) -> Result<Option<Person>, StoreError> {
        let mut everybody = self.everybody();
        let used = everybody.links.remove(link).filter(|(_, until)| *until > now);
        Ok(used.and_then(|(name, _)| everybody.people.get(&name).map(|(found, _)| person(found))))
    }

    async fn sign_in(&self, device: &Device) -> Result<(), StoreError> {
        let mut everybody = self.everybody();
        let Some((_, last_seen_at)) = everybody.people.get_mut(&device.name) else {
            return Err(StoreError::Corrupt(format!("{} is nobody", device.name)));
        };
        *last_seen_at = Some(device.signed_in_at);
        let mine = |(other, _): &(Device, DateTime<Utc>)| other.name == device.name;
        if everybody.devices.iter().filter(|other| mine(other)).count() >= DEVICES_MAX {
            let oldest = everybody.devices.iter().filter(|other| mine(other)).min_by_key(|(_, seen_at)| *seen_at);
            let oldest = oldest.map(|(device, _)| device.cookie);
            everybody.devices.retain(|(device, _)| Some(device.cookie) != oldest);
        }
        everybody.devices.push((device.clone(), device.signed_in_at));
        Ok(())
    }

    async fn seen(&self, cookie: &Digest, now: DateTime<Utc>, idle: TimeDelta) -> Result<Option<SignedIn>, StoreError> {
        let mut everybody = self.everybody();
        let Everybody { people, devices, .. } = &mut *everybody;
        let is_here = |(device, seen_at): &&mut (Device, DateTime<Utc>)| device.until > now && now - *seen_at < idle;
        let Some((device, seen_at)) = devices.iter_mut().filter(is_here).find(|(device, _)| device.cookie == *cookie) else {
            return Ok(None);
        };
        *seen_at = now;
        let Some((found, last_seen_at)) = people.get_mut(&device.name) else { return Ok(None) };
        *last_seen_at = Some(now);
        Ok(Some(SignedIn { person: person(found), change_key: device.change_key }))
    }

    async fn sign_out(&self, cookie: &Digest) -> Result<(), StoreError> {
        self.everybody().devices.retain(|(device, _)| device.cookie != *cookie);
        Ok(())
    }

    async fn sign_out_everywhere(&self, name: &str) -> Result<u64, StoreError> {
        let mut everybody = self.everybody();
        let before = everybody.devices.len();
        everybody.devices.retain(|(device, _)| device.name.as_str() != name);
        Ok((before - everybody.devices.len()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suites;

    #[tokio::test]
    async fn fake_access_holds_to_the_port() {
        suites::access::all(|| ((), FakeAccess::default())).await;
    }
}
