//! From what a resource holds to what is remembered: keys, flags, and prices as moves.

use super::{
    injection::instructs,
    items::{Found, FoundItem},
    price::{Price, price_line},
};
use crate::{
    domain::Untrusted,
    ports::{
        perception::{NewItem, StoredItem},
        readings::{ReadItem, Reading},
    },
};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

/// Makes items of one resource ready for the store. `history` are items of the window, for price moves.
pub fn to_remember(found: Vec<Found>, resource_uri: &str, now: DateTime<Utc>, history: &[StoredItem]) -> Vec<NewItem> {
    let of_resource: Vec<&StoredItem> = history.iter().filter(|stored| stored.item.resource_uri == resource_uri).collect();
    let new_item = |found| match found {
        Found::Item(item) => from_item(item, resource_uri, now),
        Found::Price(price) => from_price(&price, resource_uri, now, &of_resource),
    };
    found.into_iter().map(new_item).collect()
}

/// What each of these resources held, by the ids under which its items are stored. `items` and `stored` are the same, one by one. A resource with a
/// price is left out: a price is of its moment, and is to be read again.
pub fn as_read<'a>(
    resource_uris: impl IntoIterator<Item = &'a str>,
    items: &[NewItem],
    stored: &[StoredItem],
    now: DateTime<Utc>,
) -> Vec<Reading> {
    let reading = |uri: &str| {
        let of_resource = || items.iter().zip(stored).filter(|(item, _)| item.resource_uri == uri);
        let read = of_resource().map(|(item, stored)| ReadItem { id: stored.id, flagged: item.flagged }).collect();
        let has_price = of_resource().any(|(item, _)| item.price.is_some());
        (!has_price).then(|| Reading { resource_uri: uri.to_owned(), read_at: now, items: read })
    };
    resource_uris.into_iter().filter_map(reading).collect()
}

fn from_item(item: FoundItem, resource_uri: &str, now: DateTime<Utc>) -> NewItem {
    let whole = item.whole();
    NewItem {
        resource_uri: resource_uri.to_owned(),
        content_key: content_key(whole.as_data()),
        flagged: item.instructs,
        title: item.title,
        text: item.text,
        url: item.url,
        author: item.author,
        published_at: item.published_at,
        seen_at: now,
        price: None,
    }
}

fn from_price(price: &Price, resource_uri: &str, now: DateTime<Utc>, history: &[&StoredItem]) -> NewItem {
    let at = price.at.filter(|at| *at <= now).unwrap_or(now);
    let of_asset = |stored: &&&StoredItem| stored.item.title.as_data().split(' ').next() == Some(price.asset.as_data()) && stored.at < at;
    let oldest = history.iter().filter(of_asset).min_by_key(|stored| stored.at);
    let earlier = oldest.and_then(|stored| Some((stored.item.price?, at - stored.at)));
    let line = price_line(price, earlier);
    // The moment is part of the key, to the minute: a price that comes back to an earlier value is a new item.
    let key = format!("{} {} {} {}", price.asset.as_data(), price.currency.as_data(), price.amount, at.format("%Y-%m-%dT%H:%M"));
    NewItem {
        resource_uri: resource_uri.to_owned(),
        content_key: content_key(&key),
        flagged: instructs(&line),
        title: line,
        text: Untrusted::default(),
        url: None,
        author: None,
        published_at: price.at,
        seen_at: now,
        price: Some(price.amount),
    }
}

/// Hex sha-256.
fn content_key(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
