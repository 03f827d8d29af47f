//! The `IdempotencyKeys` port.

use super::{OrStoreError, SqliteStore, columns::micros};
use async_trait::async_trait;
use chimera_core::ports::{
    StoreError,
    held_answers::{IDEMPOTENCY_KEPT_FOR, IdempotencyKey, IdempotencyKeys, Repeated},
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, params};

#[async_trait]
impl IdempotencyKeys for SqliteStore {
    async fn begin(&self, key: &IdempotencyKey, now: DateTime<Utc>) -> Result<Repeated, StoreError> {
        let key = key.clone();
        self.write(move |db| begin(db, &key, now)).await
    }

    async fn finish(&self, key: &IdempotencyKey, status: u16, body: &str) -> Result<(), StoreError> {
        let (key, body) = (key.clone(), body.to_owned());
        self.write(move |db| {
            let finish =
                "UPDATE idempotency_keys SET status = ?4, body = ?5 WHERE person = ?1 AND key = ?2 AND request = ?3 AND status IS NULL";
            db.execute(finish, params![key.person, key.key, key.request, status, body]).map(drop).or_store_error()
        })
        .await
    }

    async fn give_up(&self, key: &IdempotencyKey) -> Result<(), StoreError> {
        let key = key.clone();
        self.write(move |db| {
            let give_up = "DELETE FROM idempotency_keys WHERE person = ?1 AND key = ?2 AND request = ?3 AND status IS NULL";
            db.execute(give_up, params![key.person, key.key, key.request]).map(drop).or_store_error()
        })
        .await
    }
}

fn begin(db: &Connection, key: &IdempotencyKey, now: DateTime<Utc>) -> Result<Repeated, StoreError> {
    db.execute("DELETE FROM idempotency_keys WHERE begun_at <= ?1", [micros(now - IDEMPOTENCY_KEPT_FOR)]).or_store_error()?;
    let insert = "INSERT INTO idempotency_keys (person, key, request, begun_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    if db.execute(insert, params![key.person, key.key, key.request, micros(now)]).or_store_error()? > 0 {
        return Ok(Repeated::New);
    }
    let find = "SELECT request, status, body FROM idempotency_keys WHERE person = ?1 AND key = ?2";
    db.query_row(find, [&key.person, &key.key], |row| repeated(row, &key.request)).or_store_error()
}

fn repeated(row: &Row<'_>, request: &[u8; 32]) -> rusqlite::Result<Repeated> {
    if row.get::<_, [u8; 32]>(0)? != *request {
        return Ok(Repeated::Another);
    }
    match row.get(1)? {
        None => Ok(Repeated::UnderWay),
        Some(status) => Ok(Repeated::Answered { status, body: row.get(2)? }),
    }
}
