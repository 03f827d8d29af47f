//! The records as MCP resources: what there is, page by page, and what each holds.

use super::{
    errors::{echo, invalid, store_failed, too_large},
    resource_uri::{ResourceUri, TEMPLATES},
    tools::{ANSWER_BYTES_MAX, LIST_FRESH_MS},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use chimera_core::{
    contracts::{UtcTime, task::TaskStatus},
    domain::{AgentId, asset::AssetId},
    ports::{
        StoreError,
        agents::{AgentRecord, Agents},
        assets::{AssetRecord, Assets},
        ledger::{Ledger, LedgerEntry},
        swarm::{Campaigns, Judgements, Post, Tasks},
    },
};
use rmcp::{
    ErrorData,
    model::{CacheScope, ListResourceTemplatesResult, ListResourcesResult, MetaObject, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Resources on one page of the list.
const PAGE_RESOURCES_MAX: usize = 100;
/// The newest entries, alerts and tasks that one resource shows.
const SHOWN_MAX: usize = 200;
/// Of an asset that is given out here; larger ones are read over HTTP at /assets.
const ASSET_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The records that the outside may read.
#[derive(Clone)]
pub struct SurfaceData {
    pub agents: Arc<dyn Agents>,
    pub campaigns: Arc<dyn Campaigns>,
    pub tasks: Arc<dyn Tasks>,
    pub judgements: Arc<dyn Judgements>,
    pub ledger: Arc<dyn Ledger>,
    pub assets: Arc<dyn Assets>,
}

impl SurfaceData {
    pub(super) async fn list(&self, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
        let uris = self.uris().await.map_err(|error| store_failed(&error))?;
        let start = match cursor {
            None => 0,
            Some(text) => text.parse().ok().filter(|start| *start < uris.len()).ok_or_else(|| unknown_cursor(text))?,
        };
        let end = uris.len().min(start + PAGE_RESOURCES_MAX);
        let page = uris[start..end].iter().map(listed).collect();
        let next_cursor = (end < uris.len()).then(|| end.to_string());
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(page) })
    }

    /// Everything there is to read, agents before campaigns, each by id.
    pub(super) async fn uris(&self) -> Result<Vec<ResourceUri>, StoreError> {
        let mut uris = vec![ResourceUri::ReviewsPending];
        for agent in self.agents.list().await? {
            uris.extend([
                ResourceUri::AgentStatus(agent.id.clone()),
                ResourceUri::AgentSoul(agent.id.clone()),
                ResourceUri::Ledger(agent.id),
            ]);
        }
        let mut campaigns: Vec<String> = self.campaigns.list().await?.into_iter().map(|campaign| campaign.goal.campaign_id).collect();
        campaigns.sort_unstable();
        for id in campaigns {
            uris.extend([ResourceUri::CampaignState(id.clone()), ResourceUri::CampaignTrends(id)]);
        }
        Ok(uris)
    }

    pub(super) async fn read(&self, address: &str) -> Result<ResourceContents, ErrorData> {
        let missing = || ErrorData::resource_not_found(format!("there is no resource {}", echo(address)), Some(json!({"uri": address})));
        let uri = ResourceUri::parse(address).ok_or_else(missing)?;
        if let ResourceUri::Asset(id) = &uri {
            return self.asset(id, address).await?.ok_or_else(missing);
        }
        let text = self.text(&uri).await.map_err(|error| store_failed(&error))?.ok_or_else(missing)?;
        if text.len() > ANSWER_BYTES_MAX {
            return Err(too_large(text.len(), ANSWER_BYTES_MAX));
        }
        Ok(ResourceContents::text(text, address).with_mime_type(uri.mime_type()))
    }

    /// `None` when there is no such record.
    pub(super) async fn text(&self, uri: &ResourceUri) -> Result<Option<String>, StoreError> {
        let value = match uri {
            ResourceUri::AgentSoul(id) => return Ok(self.agents.find(id).await?.map(|agent| agent.soul_source)),
            ResourceUri::AgentStatus(id) => self.agent_status(id).await?,
            ResourceUri::CampaignState(id) => self.campaign_state(id).await?,
            ResourceUri::CampaignTrends(id) => self.campaign_trends(id).await?,
            ResourceUri::ReviewsPending => Some(json!({"reviews": self.judgements.pending_reviews().await?})),
            ResourceUri::Ledger(id) => self.agent_ledger(id).await?,
            // Its bytes never change, so whoever watches it watches what is known of it.
            ResourceUri::Asset(id) => self.assets.find(id).await?.as_ref().map(asset_facts),
        };
        Ok(value.map(|value| value.to_string()))
    }

    /// The picture or video itself, with what is known of it.
    async fn asset(&self, id: &AssetId, address: &str) -> Result<Option<ResourceContents>, ErrorData> {
        let Some(record) = self.assets.find(id).await.map_err(|error| store_failed(&error))? else { return Ok(None) };
        let Some(bytes) = self.assets.read(id).await.map_err(|error| store_failed(&error))? else { return Ok(None) };
        if bytes.len() > ASSET_BYTES_MAX {
            return Err(too_large(bytes.len(), ASSET_BYTES_MAX));
        }
        let contents = ResourceContents::blob(BASE64_STANDARD.encode(&bytes), address).with_mime_type(record.media_type.mime());
        let facts = asset_facts(&record).as_object().cloned().unwrap_or_default();
        Ok(Some(contents.with_meta(MetaObject(facts))))
    }

    async fn agent_status(&self, id: &AgentId) -> Result<Option<Value>, StoreError> {
        let Some(agent) = self.agents.find(id).await? else { return Ok(None) };
        let mut campaigns = Vec::new();
        let mut tasks = [0_u64; 4];
        for campaign in self.campaigns.list().await? {
            if !campaign.goal.agent_ids.iter().any(|member| member == id.as_str()) {
                continue;
            }
            for task in self.tasks.of_campaign(&campaign.goal.campaign_id).await? {
                if task.context.agent_id == id.as_str() {
                    tasks[place(task.status)] += 1;
                }
            }
            campaigns.push(campaign.goal.campaign_id);
        }
        let reviews = self.judgements.pending_reviews().await?.iter().filter(|review| review.agent_id == id.as_str()).count();
        Ok(Some(status(&agent, &campaigns, tasks, reviews)))
    }

    async fn campaign_state(&self, id: &str) -> Result<Option<Value>, StoreError> {
        let Some(campaign) = self.campaigns.find(id).await? else { return Ok(None) };
        let tasks = self.tasks.of_campaign(id).await?;
        let record = self.judgements.of_campaign(id).await?;
        Ok(Some(json!({
            "goal": campaign.goal,
            "state_version": campaign.state_version,
            "status": campaign.status.name(),
            "tasks": newest(&tasks),
            "results": newest(&record.results),
            "decisions": newest(&record.decisions),
            "reviews": newest(&record.reviews),
            "posts": newest(&record.posts).iter().map(post).collect::<Vec<_>>(),
        })))
    }

    async fn campaign_trends(&self, id: &str) -> Result<Option<Value>, StoreError> {
        if self.campaigns.find(id).await?.is_none() {
            return Ok(None);
        }
        Ok(Some(json!({"campaign_id": id, "alerts": self.campaigns.alerts(id, SHOWN_MAX).await?})))
    }

    async fn agent_ledger(&self, id: &AgentId) -> Result<Option<Value>, StoreError> {
        if self.agents.find(id).await?.is_none() {
            return Ok(None);
        }
        let entries = self.ledger.list(Some(id), SHOWN_MAX).await?;
        Ok(Some(json!({"agent_id": id.as_str(), "entries": entries.iter().map(ledger_entry).collect::<Vec<_>>()})))
    }
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let items = TEMPLATES
        .iter()
        .map(|(template, name, title, description, mime_type)| {
            ResourceTemplate::new(*template, *name).with_title(*title).with_description(*description).with_mime_type(*mime_type)
        })
        .collect();
    ListResourceTemplatesResult {
        ttl_ms: Some(LIST_FRESH_MS),
        cache_scope: Some(CacheScope::Public),
        ..ListResourceTemplatesResult::with_all_items(items)
    }
}

pub(super) fn unknown_cursor(cursor: &str) -> ErrorData {
    invalid(format!("unknown cursor {}; begin again without one", echo(cursor)))
}

fn listed(uri: &ResourceUri) -> Resource {
    let address = uri.to_string();
    let name = address.trim_start_matches("chimera://").to_owned();
    Resource::new(address, name).with_title(uri.title()).with_mime_type(uri.mime_type())
}

fn status(agent: &AgentRecord, campaigns: &[String], tasks: [u64; 4], reviews: usize) -> Value {
    let [pending, in_progress, review, complete] = tasks;
    json!({
        "agent_id": agent.id.as_str(),
        "address": agent.address.to_string(),
        "soul_version": agent.soul_version,
        "created_at": UtcTime(agent.created_at),
        "campaigns": campaigns,
        "tasks": {"pending": pending, "in_progress": in_progress, "review": review, "complete": complete},
        "reviews_pending": reviews,
    })
}

fn place(status: TaskStatus) -> usize {
    match status {
        TaskStatus::Pending => 0,
        TaskStatus::InProgress => 1,
        TaskStatus::Review => 2,
        TaskStatus::Complete => 3,
    }
}

pub(crate) fn post(post: &Post) -> Value {
    let mut shown = json!({
        "post_id": post.post_id,
        "task_id": post.task_id,
        "result_id": post.result_id,
        "agent_id": post.agent.as_str(),
        "platform": post.platform,
        "text": post.text,
        "status": post.status.name(),
    });
    for (name, value) in [("url", &post.url), ("reply_to", &post.reply_to), ("media_uri", &post.media_uri)] {
        if let Some(value) = value {
            shown[name] = json!(value);
        }
    }
    shown
}

fn ledger_entry(entry: &LedgerEntry) -> Value {
    json!({
        "number": entry.number,
        "at": UtcTime(entry.entry.at),
        "kind": entry.entry.kind.as_str(),
        "task_id": entry.entry.task_id,
        "facts": entry.entry.facts,
        "postings": entry.entry.postings.to_json(),
        "hash": entry.hash,
        "signature": entry.signature,
    })
}

/// What a publisher must know beside the bytes.
fn asset_facts(asset: &AssetRecord) -> Value {
    let video = asset.video.as_ref().map(|video| {
        json!({
            "duration_ms": video.duration_ms,
            "codec": video.codec,
            "tier": video.tier.name(),
            "character_reference_id": video.character_reference_id,
        })
    });
    json!({
        "asset_id": asset.id.as_str(),
        "agent_id": asset.agent.as_str(),
        "task_id": asset.task_id,
        "content_type": asset.content_type,
        "mime_type": asset.media_type.mime(),
        "bytes": asset.bytes,
        "width": asset.size.width,
        "height": asset.size.height,
        "platform": asset.platform,
        "status": asset.status.name(),
        "confidence": asset.confidence,
        "alt_text": asset.alt_text,
        "ai_generated": true,
        "ai_label": asset.ai_label,
        "ai_flag": asset.ai_flag,
        "created_at": UtcTime(asset.created_at),
        "parameters": asset.parameters,
        "video": video,
    })
}

/// The end of a list that is kept oldest first.
fn newest<T>(items: &[T]) -> &[T] {
    &items[items.len().saturating_sub(SHOWN_MAX)..]
}
