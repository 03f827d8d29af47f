//! The `Readings` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{micros, time},
    perception,
};
use async_trait::async_trait;
use chimera_core::ports::{
    StoreError,
    perception::NewItem,
    readings::{KeptReading, ReadItem, Reading, Readings},
};
use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, params};

const KEEP: &str = "INSERT INTO readings (resource_uri, read_at, items) VALUES (?1, ?2, ?3) \
     ON CONFLICT DO UPDATE SET read_at = excluded.read_at, items = excluded.items";
const DROP_OLD: &str = "DELETE FROM readings WHERE read_at < ?1";
/// Nobody asks for an older one, and resources that are no longer read would stay for ever.
const KEPT: TimeDelta = TimeDelta::days(1);

/// An id, and whether it instructs.
const ITEM_BYTES: usize = 8 + 1;

#[async_trait]
impl Readings for SqliteStore {
    async fn keep(&self, readings: &[Reading]) -> Result<(), StoreError> {
        let Some(newest) = readings.iter().map(|reading| reading.read_at).max() else { return Ok(()) };
        let rows: Vec<(String, i64, Vec<u8>)> =
            readings.iter().map(|reading| (reading.resource_uri.clone(), micros(reading.read_at), to_bytes(&reading.items))).collect();
        self.write(move |db| {
            let mut keep = db.prepare_cached(KEEP).or_store_error()?;
            for (uri, read_at, items) in rows {
                keep.execute(params![uri, read_at, items]).or_store_error()?;
            }
            db.execute(DROP_OLD, [micros(newest - KEPT)]).map(drop).or_store_error()
        })
        .await
    }

    async fn last(&self, resource_uri: &str, since: DateTime<Utc>) -> Result<Option<KeptReading>, StoreError> {
        let resource_uri = resource_uri.to_owned();
        self.read(move |db| {
            let mut find =
                db.prepare_cached("SELECT read_at, items FROM readings WHERE resource_uri = ?1 AND read_at >= ?2").or_store_error()?;
            let found = find
                .query_row(params![resource_uri, micros(since)], |row| Ok((time(row, 0)?, row.get::<_, Vec<u8>>(1)?)))
                .optional()
                .or_store_error()?;
            let Some((read_at, items)) = found else { return Ok(None) };
            let items = stored(db, &from_bytes(&items)).or_store_error()?;
            Ok(items.map(|items| KeptReading { read_at, items }))
        })
        .await
    }
}

/// `None` when one of them is gone.
fn stored(db: &Connection, read: &[ReadItem]) -> rusqlite::Result<Option<Vec<NewItem>>> {
    let mut find = db.prepare_cached(perception::BY_ID)?;
    let mut items = Vec::with_capacity(read.len());
    for ReadItem { id, flagged } in read {
        match find.query_row([id], perception::item).optional()? {
            Some(stored) => items.push(NewItem { flagged: *flagged, ..stored.item }),
            None => return Ok(None),
        }
    }
    Ok(Some(items))
}

fn to_bytes(items: &[ReadItem]) -> Vec<u8> {
    items.iter().flat_map(|item| item.id.to_le_bytes().into_iter().chain([u8::from(item.flagged)])).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<ReadItem> {
    let items = bytes.as_chunks::<ITEM_BYTES>().0.iter();
    items
        .map(|[a, b, c, d, e, f, g, h, flagged]| ReadItem {
            id: i64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
            flagged: *flagged != 0,
        })
        .collect()
}
