//! What every `Engagements` holds to.

use super::{
    judgements::Swarm,
    outbox::approved,
    samples::{CAMPAIGN, at},
};
use crate::ports::{
    ledger::Ledger,
    swarm::{Engagement, EngagementRecord, Engagements, Left, Outgoing, Reading, UnreadPost},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Swarm + Ledger + Engagements>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    published_posts_are_read_twice_and_each_reading_counts_once(&store).await;
    let (_guard, store) = fresh();
    a_reading_that_is_put_off_waits_and_is_counted(&store).await;
}

async fn published(store: &impl Swarm, outgoing: &Outgoing, seconds: i64) -> UnreadPost {
    let remote_id = format!("r-{seconds}");
    store.left(outgoing, &Left::Published { remote_id: Some(remote_id.clone()), url: None, remark: None }, at(seconds)).await.unwrap();
    let post = outgoing.post.clone();
    UnreadPost { number: outgoing.number, post_id: post.post_id, agent: post.agent, platform: post.platform, remote_id, text: post.text }
}

async fn published_posts_are_read_twice_and_each_reading_counts_once(store: &(impl Swarm + Ledger + Engagements)) {
    let posts = approved(store, 3).await;
    let (first, second) = (published(store, &posts[0], 100).await, published(store, &posts[1], 200).await);
    store.left(&posts[2], &Left::DryRun, at(100)).await.unwrap();
    let due = async |reading, before| store.due(reading, at(before), at(9_000), 10).await.unwrap();
    let few = Engagement { likes: 1, reposts: 0, replies: 2 };
    let many = Engagement { likes: 9, reposts: 4, replies: 2 };

    assert_eq!(due(Reading::First, 99).await, []);
    assert_eq!(due(Reading::First, 100).await, std::slice::from_ref(&first));
    assert_eq!(due(Reading::First, 5_000).await, [first.clone(), second.clone()]);
    assert_eq!(due(Reading::Last, 5_000).await, []);
    store.record(&first, Reading::First, Some(few), at(4_000)).await.unwrap();
    store.record(&first, Reading::First, Some(many), at(4_001)).await.unwrap();
    store.record(&second, Reading::First, None, at(4_000)).await.unwrap();
    assert_eq!(due(Reading::First, 5_000).await, []);
    assert_eq!(due(Reading::Last, 5_000).await, [first.clone(), second.clone()]);
    for post in [&first, &second] {
        store.record(post, Reading::Last, Some(many), at(5_000)).await.unwrap();
    }

    assert_eq!(due(Reading::Last, 5_000).await, []);
    assert_eq!(store.latest(&first.agent, 10).await.unwrap(), [(second.post_id, many), (first.post_id, many)]);
    assert_eq!(store.latest(&first.agent, 1).await.unwrap().len(), 1);
    let record = |post: &UnreadPost, reading, counts, seconds| EngagementRecord { post_id: post.post_id, reading, at: at(seconds), counts };
    let expected = [
        record(&first, Reading::First, few, 4_000),
        record(&first, Reading::Last, many, 5_000),
        record(&second, Reading::Last, many, 5_000),
    ];
    assert_eq!(Engagements::of_campaign(store, CAMPAIGN).await.unwrap(), expected);
}

async fn a_reading_that_is_put_off_waits_and_is_counted(store: &(impl Swarm + Ledger + Engagements)) {
    let posts = approved(store, 1).await;
    let post = published(store, &posts[0], 100).await;

    assert_eq!(store.put_off(&post, at(600)).await.unwrap(), 1);
    assert_eq!(store.due(Reading::First, at(5_000), at(599), 10).await.unwrap(), []);
    assert_eq!(store.due(Reading::First, at(5_000), at(600), 10).await.unwrap(), std::slice::from_ref(&post));
    assert_eq!(store.put_off(&post, at(700)).await.unwrap(), 2);
    store.record(&post, Reading::First, None, at(700)).await.unwrap();
    assert_eq!(store.put_off(&post, at(800)).await.unwrap(), 1, "each reading has its own tries");
}
