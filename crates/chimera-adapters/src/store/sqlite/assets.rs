//! The `Assets` port: rows in the database, bytes in files that are named by what they hold.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, from_count, json, micros, parsed, time, to_json, to_word, word},
};
use async_trait::async_trait;
use chimera_core::{
    domain::{asset::AssetId, platform::PixelSize},
    ports::{
        StoreError,
        assets::{AssetRecord, AssetStatus, Assets},
        media::{MediaType, VideoFacts, VideoTier},
    },
};
use rusqlite::{OptionalExtension, Row, params};
use std::{
    fs,
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// The store's rows together with the folder that has the bytes.
#[derive(Clone)]
pub struct AssetFolder {
    store: SqliteStore,
    folder: PathBuf,
}

impl AssetFolder {
    /// The folder is made when the first asset is saved.
    pub fn new(store: SqliteStore, folder: PathBuf) -> Self {
        Self { store, folder }
    }
}

const COLUMNS: &str = "SELECT id, agent_id, task_id, content_type, media_type, bytes, width, height, platform, status, confidence, alt_text, \
     ai_label, ai_flag, created_at, parameters, duration_ms, codec, tier, character_reference_id \
     FROM assets LEFT JOIN videos ON asset_id = id WHERE id = ?1";

#[async_trait]
impl Assets for AssetFolder {
    async fn save(&self, asset: &AssetRecord, bytes: Vec<u8>) -> Result<(), StoreError> {
        if AssetId::of(&bytes) != asset.id {
            return Err(failed(io::Error::other("the bytes are not those of the asset's id")));
        }
        let (folder, name) = (self.folder.clone(), file_name(&asset.id));
        // The file first: a row always has its bytes, and a file without a row is only lost space.
        blocking(move || write_once(&folder, &name, &bytes)).await?;
        let asset = asset.clone();
        self.store.write(move |db| insert(db, &asset)).await
    }

    async fn find(&self, id: &AssetId) -> Result<Option<AssetRecord>, StoreError> {
        let id = id.clone();
        self.store.read(move |db| db.query_row(COLUMNS, params![id.as_str()], record).optional().or_store_error()).await
    }

    async fn read(&self, id: &AssetId) -> Result<Option<Vec<u8>>, StoreError> {
        if self.find(id).await?.is_none() {
            return Ok(None);
        }
        let path = self.folder.join(file_name(id));
        let bytes = blocking(move || fs::read(path)).await?;
        if AssetId::of(&bytes) != *id {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, format!("the file of asset {id} is damaged"))));
        }
        Ok(Some(bytes))
    }
}

fn file_name(id: &AssetId) -> String {
    id.as_str().to_owned()
}

fn failed(error: io::Error) -> StoreError {
    StoreError::Failed(Box::new(error))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| failed(io::Error::other(error)))?.map_err(failed)
}

/// Whole or not at all, and durable when it returns. What is there already is what would be written.
fn write_once(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let path = folder.join(name);
    if fs::read(&path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    // Several processes and tasks may write the same asset at once, each into a draft of its own.
    let draft = folder.join(format!("{name}.{}-{}.draft", std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed)));
    let written = (|| {
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, &path)?;
        fs::File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        // It never became an asset; a second failure here tells nothing new.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn insert(db: &rusqlite::Connection, asset: &AssetRecord) -> Result<(), StoreError> {
    let added = db
        .execute(
            "INSERT INTO assets (id, agent_id, task_id, content_type, media_type, storage_uri, bytes, width, height, platform, status, \
             confidence, alt_text, ai_label, ai_flag, created_at, parameters) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) ON CONFLICT DO NOTHING",
            params![
                asset.id.as_str(),
                asset.agent.as_str(),
                asset.task_id.to_string(),
                to_word(&asset.content_type),
                asset.media_type.mime(),
                format!("assets/{}", file_name(&asset.id)),
                from_count(asset.bytes)?,
                asset.size.width,
                asset.size.height,
                asset.platform,
                asset.status.name(),
                asset.confidence,
                asset.alt_text,
                asset.ai_label,
                asset.ai_flag,
                micros(asset.created_at),
                to_json(&asset.parameters),
            ],
        )
        .or_store_error()?;
    let Some(video) = asset.video.as_ref().filter(|_| added > 0) else { return Ok(()) };
    db.execute(
        "INSERT INTO videos (asset_id, duration_ms, codec, tier, character_reference_id) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![asset.id.as_str(), from_count(video.duration_ms)?, video.codec, video.tier.name(), video.character_reference_id],
    )
    .map(drop)
    .or_store_error()
}

fn record(row: &Row<'_>) -> rusqlite::Result<AssetRecord> {
    let has_video = row.get::<_, Option<i64>>(16)?.is_some();
    let video = if has_video { Some(video(row)?) } else { None };
    Ok(AssetRecord {
        id: parsed(row, 0)?,
        agent: parsed(row, 1)?,
        task_id: parsed(row, 2)?,
        content_type: word(row, 3)?,
        media_type: one_of(row, 4, &MediaType::ALL, |kind| kind.mime())?,
        bytes: count(row, 5)?,
        size: PixelSize { width: row.get(6)?, height: row.get(7)? },
        platform: row.get(8)?,
        status: one_of(row, 9, &AssetStatus::ALL, |status| status.name())?,
        confidence: row.get(10)?,
        alt_text: row.get(11)?,
        ai_label: row.get(12)?,
        ai_flag: row.get(13)?,
        created_at: time(row, 14)?,
        parameters: json(row, 15)?,
        video,
    })
}

fn video(row: &Row<'_>) -> rusqlite::Result<VideoFacts> {
    Ok(VideoFacts {
        duration_ms: count(row, 16)?,
        codec: row.get(17)?,
        tier: one_of(row, 18, &VideoTier::ALL, |tier| tier.name())?,
        character_reference_id: row.get(19)?,
    })
}

/// The value whose name stands in the column.
fn one_of<T: Copy>(row: &Row<'_>, column: usize, all: &[T], name: impl Fn(T) -> &'static str) -> rusqlite::Result<T> {
    let found: String = row.get(column)?;
    let problem = || rusqlite::Error::InvalidColumnType(column, found.clone(), rusqlite::types::Type::Text);
    all.iter().copied().find(|value| name(*value) == found).ok_or_else(problem)
}
