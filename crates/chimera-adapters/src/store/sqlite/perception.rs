//! The `Perception` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit, micros, rows, time, time_if_any},
};
use async_trait::async_trait;
use chimera_core::ports::{
    StoreError,
    perception::{NewItem, Perception, StoredItem},
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::BTreeSet;

pub(super) const WINDOW: &str = "SELECT id, resource_uri, content_key, title, text, url, author, published_at, seen_at, flagged, price, at, cluster_id \
     FROM items WHERE resource_uri = ?1 AND at >= ?2 ORDER BY at DESC, id DESC LIMIT ?3";
const KNOWN: &str = "SELECT id, resource_uri, content_key, title, text, url, author, published_at, seen_at, flagged, price, at, cluster_id \
     FROM items WHERE resource_uri = ?1 AND content_key = ?2";

#[async_trait]
impl Perception for SqliteStore {
    async fn remember(&self, items: &[NewItem]) -> Result<Vec<StoredItem>, StoreError> {
        let items = items.to_vec();
        self.write(move |db| items.iter().map(|item| remember(db, item).or_store_error()).collect()).await
    }

    async fn window(&self, resource_uris: &[String], since: DateTime<Utc>, limit: usize) -> Result<Vec<StoredItem>, StoreError> {
        let resource_uris: BTreeSet<String> = resource_uris.iter().cloned().collect();
        self.read(move |db| {
            // One look into the index a resource reads no more than `limit` items of each, however many are older.
            let mut items = Vec::new();
            for uri in resource_uris {
                items.extend(rows(db, WINDOW, params![uri, micros(since), from_limit(limit)], item)?);
            }
            items.sort_by_key(|item| (item.at, item.id));
            Ok(items.split_off(items.len().saturating_sub(limit)))
        })
        .await
    }

    async fn assign(&self, assignments: &[(i64, String)]) -> Result<(), StoreError> {
        let assignments = assignments.to_vec();
        self.write(move |db| {
            let mut assign = db.prepare("UPDATE items SET cluster_id = ?2 WHERE id = ?1").or_store_error()?;
            for (id, cluster_id) in assignments {
                assign.execute(params![id, cluster_id]).or_store_error()?;
            }
            Ok(())
        })
        .await
    }

    async fn last_alert(&self, agent_id: &str, cluster_id: &str) -> Result<Option<u64>, StoreError> {
        let (agent_id, cluster_id) = (agent_id.to_owned(), cluster_id.to_owned());
        self.read(move |db| {
            let find = "SELECT items FROM story_alerts WHERE agent_id = ?1 AND cluster_id = ?2";
            db.query_row(find, [agent_id, cluster_id], |row| count(row, 0)).optional().or_store_error()
        })
        .await
    }

    async fn record_alert(&self, agent_id: &str, cluster_id: &str, items: u64, at: DateTime<Utc>) -> Result<(), StoreError> {
        let (agent_id, cluster_id, items) = (agent_id.to_owned(), cluster_id.to_owned(), from_count(items)?);
        self.write(move |db| {
            db.execute(
                "INSERT INTO story_alerts (agent_id, cluster_id, items, at) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT DO UPDATE SET items = excluded.items, at = excluded.at WHERE excluded.at >= at",
                params![agent_id, cluster_id, items, micros(at)],
            )
            .map(drop)
            .or_store_error()
        })
        .await
    }
}

fn remember(db: &Connection, new: &NewItem) -> rusqlite::Result<StoredItem> {
    // A time in the future would keep an item in every window to come.
    let at = new.published_at.filter(|published_at| *published_at <= new.seen_at).unwrap_or(new.seen_at);
    db.execute(
        "INSERT INTO items (resource_uri, content_key, title, text, url, author, published_at, seen_at, flagged, price, at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING",
        params![
            new.resource_uri,
            new.content_key,
            new.title,
            new.text,
            new.url,
            new.author,
            new.published_at.map(micros),
            micros(new.seen_at),
            new.flagged,
            new.price,
            micros(at)
        ],
    )?;
    db.query_row(KNOWN, [&new.resource_uri, &new.content_key], item)
}

fn item(row: &Row<'_>) -> rusqlite::Result<StoredItem> {
    Ok(StoredItem {
        id: row.get(0)?,
        item: NewItem {
            resource_uri: row.get(1)?,
            content_key: row.get(2)?,
            title: row.get(3)?,
            text: row.get(4)?,
            url: row.get(5)?,
            author: row.get(6)?,
            published_at: time_if_any(row, 7)?,
            seen_at: time(row, 8)?,
            flagged: row.get(9)?,
            price: row.get(10)?,
        },
        at: time(row, 11)?,
        cluster_id: row.get(12)?,
    })
}
