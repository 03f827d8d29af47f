//! The `Mentions` port.

use super::{
    OrStoreError, SqliteStore,
    columns::{count, micros},
};
use async_trait::async_trait;
use chimera_core::ports::{
    StoreError,
    swarm::{Mention, Mentions, ReplyLimits},
};
use rusqlite::{Connection, OptionalExtension, params};

#[async_trait]
impl Mentions for SqliteStore {
    async fn take(&self, mentions: &[Mention], limits: &ReplyLimits) -> Result<Vec<Mention>, StoreError> {
        let (mentions, limits) = (mentions.to_vec(), *limits);
        self.write(move |db| {
            let mut taken = Vec::with_capacity(mentions.len());
            for mention in mentions {
                if take(db, &mention, &limits)? {
                    taken.push(mention);
                }
            }
            Ok(taken)
        })
        .await
    }
}

fn take(db: &Connection, mention: &Mention, limits: &ReplyLimits) -> Result<bool, StoreError> {
    let find = "SELECT campaign_id = ?3 AND agent_id = ?4 FROM mentions WHERE platform = ?1 AND post_id = ?2";
    let whose = params![mention.platform, mention.post_id, mention.campaign_id, mention.agent.as_str()];
    if let Some(is_ours) = db.query_row(find, whose, |row| row.get(0)).optional().or_store_error()? {
        return Ok(is_ours);
    }
    let author = mention.author.as_deref().unwrap_or_default();
    let answers = "SELECT count(*) FROM mentions WHERE agent_id = ?1 AND platform = ?2 AND author = ?3 AND taken_at >= ?4";
    let answers = db
        .query_row(answers, params![mention.agent.as_str(), mention.platform, author, micros(limits.since)], |row| count(row, 0))
        .or_store_error()?;
    if answers >= u64::from(limits.per_author_max) {
        return Ok(false);
    }
    let insert =
        "INSERT INTO mentions (platform, post_id, campaign_id, agent_id, author, taken_at, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let (agent, at, text) = (mention.agent.as_str(), micros(mention.at), mention.text.as_data());
    let row = params![mention.platform, mention.post_id, mention.campaign_id, agent, author, at, text];
    db.execute(insert, row).or_store_error()?;
    Ok(true)
}
