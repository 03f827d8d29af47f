//! The `Perception` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, from_limit, micros, rows, time, time_if_any},
};
use async_trait::async_trait;
use chimera_core::{
    domain::{Author, Untrusted, WebUrl},
    ports::{
        StoreError,
        perception::{JoinedStories, NewItem, Perception, StoredItem},
    },
};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const WINDOW: &str = "SELECT id, resource_uri, content_key, title, text, url, author, published_at, seen_at, flagged, price, at, cluster_id, vector \
     FROM items WHERE resource_uri = ?1 AND at >= ?2 ORDER BY at DESC, id DESC LIMIT ?3";
const KNOWN: &str = "SELECT id, resource_uri, content_key, title, text, url, author, published_at, seen_at, flagged, price, at, cluster_id, vector \
     FROM items WHERE resource_uri = ?1 AND content_key = ?2";

pub(super) const BY_ID: &str = "SELECT id, resource_uri, content_key, title, text, url, author, published_at, seen_at, flagged, price, at, cluster_id, NULL \
     FROM items WHERE id = ?1";

pub(super) const UNSEEN: &str = "SELECT id FROM items WHERE last_seen_at < ?1 ORDER BY last_seen_at LIMIT ?2";
/// An item is shown with every poll, and written at most once a day.
const LAST_SEEN_STEP_MICROS: i64 = 24 * 3_600 * 1_000_000;

const JOIN: &str = "INSERT INTO story_alerts (agent_id, cluster_id, items, at) \
     SELECT agent_id, ?1, \
         coalesce(max(CASE cluster_id WHEN ?1 THEN items END), ?2) + coalesce(max(CASE cluster_id WHEN ?3 THEN items END), ?4), max(at) \
     FROM story_alerts WHERE cluster_id IN (?1, ?3) GROUP BY agent_id \
     ON CONFLICT DO UPDATE SET items = excluded.items, at = excluded.at";

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

    async fn keep_vectors(&self, vectors: &[(i64, Vec<u8>)]) -> Result<(), StoreError> {
        if vectors.is_empty() {
            return Ok(());
        }
        let vectors = vectors.to_vec();
        self.write(move |db| {
            let mut keep = db.prepare("UPDATE items SET vector = ?2 WHERE id = ?1").or_store_error()?;
            for (id, vector) in vectors {
                keep.execute(params![id, vector]).or_store_error()?;
            }
            Ok(())
        })
        .await
    }

    async fn last_alerts(&self, agent_id: &str, cluster_ids: &[String]) -> Result<BTreeMap<String, u64>, StoreError> {
        let (agent_id, cluster_ids) = (agent_id.to_owned(), cluster_ids.to_vec());
        self.read(move |db| {
            let mut find = db.prepare("SELECT items FROM story_alerts WHERE agent_id = ?1 AND cluster_id = ?2").or_store_error()?;
            let mut found = BTreeMap::new();
            for cluster_id in cluster_ids {
                let items = find.query_row([&agent_id, &cluster_id], |row| count(row, 0)).optional().or_store_error()?;
                found.extend(items.map(|items| (cluster_id, items)));
            }
            Ok(found)
        })
        .await
    }

    async fn join_stories(&self, joins: &[JoinedStories]) -> Result<(), StoreError> {
        if joins.is_empty() {
            return Ok(());
        }
        let joins = joins.to_vec();
        self.write(move |db| {
            let mut join_two = db.prepare(JOIN).or_store_error()?;
            for join in joins {
                let (kept_items, gone_items) = (from_count(join.kept_items)?, from_count(join.gone_items)?);
                join_two.execute(params![join.kept, kept_items, join.gone, gone_items]).or_store_error()?;
            }
            Ok(())
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

    async fn forget(&self, before: DateTime<Utc>, limit: usize) -> Result<usize, StoreError> {
        self.write(move |db| {
            db.execute("DELETE FROM story_alerts WHERE at < ?1", [micros(before)]).or_store_error()?;
            let delete = format!("DELETE FROM items WHERE id IN ({UNSEEN})");
            db.execute(&delete, params![micros(before), from_limit(limit)]).or_store_error()
        })
        .await
    }
}

fn remember(db: &Connection, new: &NewItem) -> rusqlite::Result<StoredItem> {
    // A time in the future would keep an item in every window to come.
    let at = new.published_at.filter(|published_at| *published_at <= new.seen_at).unwrap_or(new.seen_at);
    db.execute(
        "INSERT INTO items (resource_uri, content_key, title, text, url, author, published_at, seen_at, last_seen_at, flagged, price, at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10, ?11) \
         ON CONFLICT DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE excluded.last_seen_at >= last_seen_at + ?12",
        params![
            new.resource_uri,
            new.content_key,
            new.title.as_data(),
            new.text.as_data(),
            new.url.as_ref().map(WebUrl::as_str),
            new.author.as_ref().map(Author::as_str),
            new.published_at.map(micros),
            micros(new.seen_at),
            new.flagged,
            new.price,
            micros(at),
            LAST_SEEN_STEP_MICROS
        ],
    )?;
    db.query_row(KNOWN, [&new.resource_uri, &new.content_key], item)
}

pub(super) fn item(row: &Row<'_>) -> rusqlite::Result<StoredItem> {
    Ok(StoredItem {
        id: row.get(0)?,
        item: NewItem {
            resource_uri: row.get(1)?,
            content_key: row.get(2)?,
            title: Untrusted::new(row.get::<_, String>(3)?),
            text: Untrusted::new(row.get::<_, String>(4)?),
            // A row of an earlier version may hold what is no address or author any more.
            url: row.get::<_, Option<String>>(5)?.and_then(|url| WebUrl::parse(&url)),
            author: row.get::<_, Option<String>>(6)?.and_then(|author| Author::parse(&author)),
            published_at: time_if_any(row, 7)?,
            seen_at: time(row, 8)?,
            flagged: row.get(9)?,
            price: row.get(10)?,
        },
        at: time(row, 11)?,
        cluster_id: row.get(12)?,
        vector: row.get(13)?,
    })
}
