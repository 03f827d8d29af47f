//! The `Access` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, micros, parsed, rows, time, time_if_any},
};
use async_trait::async_trait;
use chimera_core::{
    contracts::{
        UtcTime,
        views::people::{PersonRow, Role},
    },
    ports::{
        StoreError,
        access::{Access, AddPersonError, DEVICE_IDLE_MAX, Device, Digest, NewPerson, Person, Removed, SignedIn},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};

/// A browser counts as seen no more often than this: else every page would cost a write.
const SEEN_EVERY: TimeDelta = TimeDelta::minutes(1);
/// Of one person. One more signs out the one that was away for longest.
const DEVICES_MAX: i64 = 32;

const PEOPLE: &str = "SELECT name, role, added_at, last_seen_at, \
     (SELECT count(*) FROM devices WHERE devices.name = people.name AND until > ?1 AND seen_at > ?2) FROM people ORDER BY name";
const DEVICE: &str =
    "SELECT name, role, change_key, seen_at FROM devices JOIN people USING (name) WHERE cookie = ?1 AND until > ?2 AND seen_at > ?3";
/// All of a person but the newest and so many that were seen last.
const TOO_MANY_DEVICES: &str = "DELETE FROM devices WHERE name = ?1 AND cookie <> ?2 AND cookie NOT IN \
     (SELECT cookie FROM devices WHERE name = ?1 AND cookie <> ?2 ORDER BY seen_at DESC LIMIT ?3)";

#[async_trait]
impl Access for SqliteStore {
    async fn add_person(&self, person: &NewPerson) -> Result<(), AddPersonError> {
        let person = person.clone();
        self.write(move |db| {
            let insert = "INSERT INTO people (name, role, key, added_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO NOTHING";
            let values = params![person.name.as_str(), person.role.name(), person.key, micros(person.added_at)];
            let added = db.execute(insert, values).or_store_error()?;
            if added == 0 { Err(AddPersonError::Exists(person.name)) } else { Ok(()) }
        })
        .await
    }

    async fn remove_person(&self, name: &str) -> Result<Removed, StoreError> {
        let name = name.to_owned();
        self.write(move |db| remove(db, &name)).await
    }

    async fn replace_key(&self, name: &str, role: Role, key: &Digest) -> Result<bool, StoreError> {
        let (name, key) = (name.to_owned(), *key);
        self.write(move |db| {
            db.execute("DELETE FROM devices WHERE name = ?1", [&name]).or_store_error()?;
            db.execute("DELETE FROM sign_in_links WHERE name = ?1", [&name]).or_store_error()?;
            db.execute(TAKE_BACK_ALL, [&name]).or_store_error()?;
            let update = "UPDATE people SET role = ?2, key = ?3 WHERE name = ?1";
            Ok(db.execute(update, params![name, role.name(), key]).or_store_error()? > 0)
        })
        .await
    }

    async fn people(&self, now: DateTime<Utc>) -> Result<Vec<PersonRow>, StoreError> {
        self.read(move |db| {
            rows(db, PEOPLE, [micros(now), micros(now - DEVICE_IDLE_MAX)], |row| {
                Ok(PersonRow {
                    name: row.get(0)?,
                    role: role(row, 1)?,
                    added_at: UtcTime(time(row, 2)?),
                    last_seen_at: time_if_any(row, 3)?.map(UtcTime),
                    devices: count(row, 4)?,
                })
            })
        })
        .await
    }

    async fn person_with_key(&self, key: &Digest) -> Result<Option<Person>, StoreError> {
        let key = *key;
        self.read(move |db| db.query_row("SELECT name, role FROM people WHERE key = ?1", [key], person).optional().or_store_error()).await
    }

    async fn add_link(&self, name: &str, link: &Digest, until: DateTime<Utc>) -> Result<bool, StoreError> {
        let (name, link) = (name.to_owned(), *link);
        self.write(move |db| {
            let insert = "INSERT INTO sign_in_links (link, name, until) SELECT ?1, name, ?3 FROM people WHERE name = ?2";
            Ok(db.execute(insert, params![link, name, micros(until)]).or_store_error()? > 0)
        })
        .await
    }

    async fn use_link(&self, link: &Digest, now: DateTime<Utc>) -> Result<Option<Person>, StoreError> {
        let link = *link;
        self.write(move |db| {
            db.execute("DELETE FROM sign_in_links WHERE until <= ?1", [micros(now)]).or_store_error()?;
            let find = "SELECT people.name, role FROM sign_in_links JOIN people USING (name) WHERE link = ?1";
            let found = db.query_row(find, [link], person).optional().or_store_error()?;
            db.execute("DELETE FROM sign_in_links WHERE link = ?1", [link]).or_store_error()?;
            Ok(found)
        })
        .await
    }

    async fn sign_in(&self, device: &Device) -> Result<(), StoreError> {
        let device = device.clone();
        self.write(move |db| {
            let (name, at) = (device.name.as_str(), micros(device.signed_in_at));
            db.execute("DELETE FROM devices WHERE until <= ?1", [at]).or_store_error()?;
            let insert = "INSERT INTO devices (cookie, name, change_key, signed_in_at, seen_at, until) VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
            db.execute(insert, params![device.cookie, name, device.change_key, at, micros(device.until)]).or_store_error()?;
            db.execute(TOO_MANY_DEVICES, params![name, device.cookie, DEVICES_MAX - 1]).or_store_error()?;
            db.execute("UPDATE people SET last_seen_at = ?2 WHERE name = ?1", params![name, at]).map(drop).or_store_error()
        })
        .await
    }

    async fn seen(&self, cookie: &Digest, now: DateTime<Utc>, idle: TimeDelta) -> Result<Option<SignedIn>, StoreError> {
        let cookie = *cookie;
        let found = self
            .read(move |db| {
                let values = params![cookie, micros(now), micros(now - idle)];
                let mut find = db.prepare_cached(DEVICE).or_store_error()?;
                find.query_row(values, |row| Ok((signed_in(row)?, time(row, 3)?))).optional().or_store_error()
            })
            .await?;
        let Some((signed_in, seen_at)) = found else { return Ok(None) };
        if now - seen_at >= SEEN_EVERY {
            self.write(move |db| see(db, &cookie, now)).await?;
        }
        Ok(Some(signed_in))
    }

    async fn sign_out(&self, cookie: &Digest) -> Result<(), StoreError> {
        let cookie = *cookie;
        self.write(move |db| db.execute("DELETE FROM devices WHERE cookie = ?1", [cookie]).map(drop).or_store_error()).await
    }

    async fn sign_out_everywhere(&self, name: &str) -> Result<u64, StoreError> {
        let name = name.to_owned();
        self.write(move |db| db.execute("DELETE FROM devices WHERE name = ?1", [name]).map(|gone| gone as u64).or_store_error()).await
    }
}

/// What somebody answered and what has not taken effect yet goes with their key.
const TAKE_BACK_ALL: &str = "UPDATE held_answers SET state = 'taken_back' WHERE by = ?1 AND state IN ('held', 'due') AND state = 'held'";

fn remove(db: &Connection, name: &str) -> Result<Removed, StoreError> {
    let find = "SELECT role, (SELECT count(*) FROM people WHERE role = ?2) FROM people WHERE name = ?1";
    let read = |row: &Row<'_>| Ok((role(row, 0)?, count(row, 1)?));
    let found = db.query_row(find, [name, Role::Owner.name()], read).optional().or_store_error()?;
    match found {
        None => Ok(Removed::NoSuchPerson),
        Some((Role::Owner, 1)) => Ok(Removed::LastOwner),
        Some(_) => {
            db.execute(TAKE_BACK_ALL, [name]).or_store_error()?;
            db.execute("DELETE FROM people WHERE name = ?1", [name]).or_store_error()?;
            Ok(Removed::Yes)
        }
    }
}

fn see(db: &Connection, cookie: &Digest, now: DateTime<Utc>) -> Result<(), StoreError> {
    db.execute("UPDATE devices SET seen_at = max(seen_at, ?2) WHERE cookie = ?1", params![cookie, micros(now)]).or_store_error()?;
    let person = "UPDATE people SET last_seen_at = ?2 WHERE name = (SELECT name FROM devices WHERE cookie = ?1)";
    db.execute(person, params![cookie, micros(now)]).map(drop).or_store_error()
}

fn person(row: &Row<'_>) -> rusqlite::Result<Person> {
    Ok(Person { name: parsed(row, 0)?, role: role(row, 1)? })
}

fn signed_in(row: &Row<'_>) -> rusqlite::Result<SignedIn> {
    Ok(SignedIn { person: person(row)?, change_key: row.get(2)? })
}

fn role(row: &Row<'_>, column: usize) -> rusqlite::Result<Role> {
    let name: String = row.get(column)?;
    Role::of_name(&name).ok_or(rusqlite::Error::InvalidColumnType(column, name, Type::Text))
}
