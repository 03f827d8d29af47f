//! What every `Readings` holds to, beside the `Perception` that has the items.

use crate::{
    domain::{Author, Untrusted, WebUrl},
    ports::{
        perception::{NewItem, Perception},
        readings::{KeptReading, ReadItem, Reading, Readings},
    },
};
use chrono::{DateTime, TimeDelta, Utc};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Perception + Readings>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_reading_comes_back_whole_in_its_order_and_with_its_own_flags(&store).await;
    let (_guard, store) = fresh();
    the_last_reading_of_a_resource_stands_and_an_old_one_is_none(&store).await;
    let (_guard, store) = fresh();
    a_reading_of_which_an_item_is_forgotten_is_none(&store).await;
}

const RESOURCE: &str = "news://global/technology/latest";

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_767_312_000, 0).expect("a valid time") + TimeDelta::minutes(minute)
}

fn item(content_key: &str) -> NewItem {
    NewItem {
        resource_uri: RESOURCE.to_owned(),
        content_key: content_key.to_owned(),
        title: Untrusted::new(format!("Title of {content_key}")),
        text: Untrusted::new("x".repeat(2_000)),
        url: WebUrl::parse("https://a.example/1"),
        author: Author::parse("Ada"),
        published_at: Some(at(-1)),
        seen_at: at(0),
        flagged: false,
        price: None,
    }
}

async fn kept<Store: Perception + Readings>(store: &Store, items: &[NewItem], flagged: bool, minute: i64) {
    let stored = store.remember(items).await.unwrap();
    let items = stored.iter().map(|stored| ReadItem { id: stored.id, flagged }).collect();
    store.keep(&[Reading { resource_uri: RESOURCE.to_owned(), read_at: at(minute), items }]).await.unwrap();
}

async fn a_reading_comes_back_whole_in_its_order_and_with_its_own_flags<Store: Perception + Readings>(store: &Store) {
    kept(store, &[item("b"), item("a")], true, 3).await;

    let flagged = |key: &str| NewItem { flagged: true, ..item(key) };
    let expected = KeptReading { read_at: at(3), items: vec![flagged("b"), flagged("a")] };
    assert_eq!(store.last(RESOURCE, at(3)).await.unwrap(), Some(expected));
    assert_eq!(store.last("news://other/x/latest", at(0)).await.unwrap(), None);
}

async fn the_last_reading_of_a_resource_stands_and_an_old_one_is_none<Store: Perception + Readings>(store: &Store) {
    kept(store, &[item("a"), item("b")], false, 1).await;
    kept(store, &[item("b")], false, 5).await;

    assert_eq!(store.last(RESOURCE, at(0)).await.unwrap(), Some(KeptReading { read_at: at(5), items: vec![item("b")] }));
    assert_eq!(store.last(RESOURCE, at(6)).await.unwrap(), None);
    kept(store, &[], false, 7).await;
    assert_eq!(store.last(RESOURCE, at(6)).await.unwrap(), Some(KeptReading { read_at: at(7), items: Vec::new() }));
}

async fn a_reading_of_which_an_item_is_forgotten_is_none<Store: Perception + Readings>(store: &Store) {
    kept(store, &[item("a"), item("b")], false, 1).await;

    assert_eq!(store.forget(at(60 * 48), 1).await.unwrap(), 1);

    assert_eq!(store.last(RESOURCE, at(0)).await.unwrap(), None);
}
