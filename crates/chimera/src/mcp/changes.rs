//! Changes of the records, for clients that subscribed. Records change in other processes too, so they are looked at again
//! and again, and only while somebody listens.

use super::{
    errors::{echo, store_failed},
    resource_uri::ResourceUri,
    resources::SurfaceData,
};
use chimera_core::ports::StoreError;
use rmcp::{ErrorData, Peer, RoleServer, model::ResourceUpdatedNotificationParam, service::SubscriptionContext};
use std::{
    collections::{BTreeMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

/// How often subscribed records are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Subscribed resources of one client.
pub(super) const SUBSCRIPTIONS_MAX: usize = 64;

/// What a record held when it was last looked at; `None` while it does not exist.
type Fingerprint = Option<u64>;

/// The list of resources, looked at once a second at most, however many clients listen.
#[derive(Default)]
pub(super) struct ListFingerprint(tokio::sync::Mutex<Option<(Instant, u64)>>);

impl ListFingerprint {
    async fn look(&self, data: &SurfaceData) -> Result<u64, StoreError> {
        let mut last = self.0.lock().await;
        if let Some((at, fingerprint)) = *last
            && at.elapsed() < LOOK_EVERY
        {
            return Ok(fingerprint);
        }
        let uris = data.uris().await?;
        let fingerprint = fingerprint(&uris.iter().map(ToString::to_string).collect::<Vec<_>>());
        *last = Some((Instant::now(), fingerprint));
        Ok(fingerprint)
    }
}

/// Serves one `subscriptions/listen` until its client leaves or the server shuts down.
pub(super) async fn listen(
    context: &SubscriptionContext,
    data: &SurfaceData,
    list: &ListFingerprint,
    shutdown: &CancellationToken,
) -> Result<(), ErrorData> {
    let accepted = context.accepted();
    let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
    let wants_list = accepted.resources_list_changed == Some(true);
    // The first look tells everything once: a change between the acknowledgement and that look must not be lost.
    let mut seen: BTreeMap<String, Option<Fingerprint>> = uris.into_iter().map(|uri| (uri, None)).collect();
    let mut seen_list = None;
    loop {
        let (updated, list_changed) = tokio::select! {
            () = context.cancelled() => return Ok(()),
            () = shutdown.cancelled() => return Ok(()),
            changes = look(data, list, &mut seen, wants_list.then_some(&mut seen_list)) => changes,
        };
        for uri in updated {
            if context.sink().notify_resource_updated(uri).await.is_err() {
                return Ok(());
            }
        }
        if list_changed && context.sink().notify_resource_list_changed().await.is_err() {
            return Ok(());
        }
        tokio::select! {
            () = context.cancelled() => return Ok(()),
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// What changed since the last look; a store that fails now is looked at again next time.
async fn look(
    data: &SurfaceData,
    list: &ListFingerprint,
    seen: &mut BTreeMap<String, Option<Fingerprint>>,
    seen_list: Option<&mut Option<u64>>,
) -> (Vec<String>, bool) {
    let mut updated = Vec::new();
    for (uri, last) in seen {
        if let Ok(now) = fingerprint_of(data, uri).await
            && *last != Some(now)
        {
            *last = Some(now);
            updated.push(uri.clone());
        }
    }
    let mut list_changed = false;
    if let Some(last) = seen_list
        && let Ok(now) = list.look(data).await
    {
        list_changed = *last != Some(now);
        *last = Some(now);
    }
    (updated, list_changed)
}

/// The subscriptions of one connection of the revisions before 2026-07-28. Its watcher ends with it.
#[derive(Default)]
pub(super) struct Subscriptions {
    uris: Arc<Mutex<BTreeMap<String, Option<Fingerprint>>>>,
    watcher: Mutex<JoinSet<()>>,
}

impl Subscriptions {
    pub(super) async fn add(&self, data: &SurfaceData, uri: &str) -> Result<(), ErrorData> {
        let now = fingerprint_of(data, uri).await.map_err(|error| store_failed(&error))?;
        if now.is_none() {
            return Err(ErrorData::resource_not_found(format!("there is no resource {}", echo(uri)), None));
        }
        let mut uris = locked(&self.uris);
        if uris.len() >= SUBSCRIPTIONS_MAX && !uris.contains_key(uri) {
            return Err(ErrorData::invalid_request(format!("at most {SUBSCRIPTIONS_MAX} resources can be subscribed"), None));
        }
        uris.insert(uri.to_owned(), Some(now));
        Ok(())
    }

    pub(super) fn remove(&self, uri: &str) {
        locked(&self.uris).remove(uri);
    }

    /// Watches the list and what is subscribed, for as long as the connection lives. Safe to repeat.
    pub(super) fn watch(&self, data: SurfaceData, list: Arc<ListFingerprint>, client: Peer<RoleServer>) {
        let mut watcher = locked(&self.watcher);
        if watcher.is_empty() {
            watcher.spawn(watch(self.uris.clone(), data, list, client));
        }
    }
}

async fn watch(
    uris: Arc<Mutex<BTreeMap<String, Option<Fingerprint>>>>,
    data: SurfaceData,
    list: Arc<ListFingerprint>,
    client: Peer<RoleServer>,
) {
    let mut seen_list = list.look(&data).await.ok();
    while !client.is_transport_closed() {
        tokio::time::sleep(LOOK_EVERY).await;
        let mut seen = locked(&uris).clone();
        let (updated, list_changed) = look(&data, &list, &mut seen, Some(&mut seen_list)).await;
        for uri in updated {
            // Unsubscribed while we looked: nobody is told.
            let Some(last) = seen.remove(&uri).filter(|_| locked(&uris).contains_key(&uri)) else { continue };
            locked(&uris).insert(uri.clone(), last);
            if client.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return;
            }
        }
        if list_changed && client.notify_resource_list_changed().await.is_err() {
            return;
        }
    }
}

async fn fingerprint_of(data: &SurfaceData, uri: &str) -> Result<Fingerprint, StoreError> {
    let Some(uri) = ResourceUri::parse(uri) else { return Ok(None) };
    Ok(data.text(&uri).await?.map(|text| fingerprint(&text)))
}

fn fingerprint(content: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while holding it")
}
