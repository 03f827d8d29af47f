//! Lists: page by page, every row once.

use super::{Everything, asked, entry, word};
use crate::{
    contracts::decision::Verdict,
    ports::{queries::Queries, swarm::Campaigns},
};
use crate::{
    contracts::{UuidV4, lesson::Lesson, memory_context::MemoryRole, review::ReviewAction, views::Page},
    domain::{AgentId, Untrusted},
    ports::{
        StoreError,
        memories::{Memories, MemoryRecord},
        perception::{NewItem, Perception},
        queries::{PageOf, PostFilter, ReviewFilter},
        swarm::{Consequence, PersonsWord},
    },
    testing::suites::{
        samples::{AGENT, CAMPAIGN, alert, at, decision, goal, in_review, post, started, task},
        transfers::{new_transfer, sign},
    },
};

/// All pages of two rows, with `meanwhile` between the first and the second.
async fn walk<Row, Key>(
    page: impl AsyncFn(PageOf) -> Result<Page<Row>, StoreError>,
    key: impl Fn(Row) -> Key,
    meanwhile: impl AsyncFnOnce(),
) -> Vec<Key> {
    let first = page(PageOf::first(2)).await.unwrap();
    assert!(first.items.len() <= 2);
    meanwhile().await;
    let mut next = first.next;
    let mut keys: Vec<Key> = first.items.into_iter().map(&key).collect();
    while let Some(cursor) = next {
        let found = page(PageOf::first(2).after(cursor.parse().unwrap())).await.unwrap();
        assert!(!found.items.is_empty(), "a page that was promised has rows");
        next = found.next;
        keys.extend(found.items.into_iter().map(&key));
    }
    keys
}

pub(super) async fn what_waits_and_what_was_decided_is_told_once_and_in_order(store: &impl Everything) {
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(asked(store).await.1.review_id);
    }
    let pending = ReviewFilter::default();
    let decided = ReviewFilter { is_decided: true, ..ReviewFilter::default() };
    assert_eq!(store.reviews(&decided, &PageOf::first(2)).await.unwrap(), Page { items: Vec::new(), next: None });

    let told = walk(
        async |page| store.reviews(&pending, &page).await,
        |row| row.review_id,
        async || {
            let added = asked(store).await.1.review_id;
            assert_ne!(added, ids[0]);
        },
    )
    .await;
    assert_eq!(told[..5], ids, "oldest first");
    assert_eq!(told.len(), 6, "and the one that came meanwhile at the end");
    assert_eq!(Queries::pending_reviews(store).await.unwrap(), 6);

    // Not in the order in which they were asked.
    let order = [3, 0, 4, 1, 2];
    for place in order {
        let back = PersonsWord::Return { feedback: "no".to_owned(), lesson: None };
        store.answer(&word(ids[place], ReviewAction::Reject, 100), &back).await.unwrap();
        // A store may tell moments apart by the millisecond.
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    let late = told[5];
    let told = walk(
        async |page| store.reviews(&decided, &page).await,
        |row| row.review_id,
        async || {
            let back = PersonsWord::Return { feedback: "no".to_owned(), lesson: None };
            store.answer(&word(late, ReviewAction::Reject, 200), &back).await.unwrap();
        },
    )
    .await;
    let newest_first: Vec<UuidV4> = order.iter().rev().map(|place| ids[*place]).collect();
    assert_eq!(told, newest_first, "by when they were decided, without the one that was decided meanwhile");
    assert_eq!(Queries::pending_reviews(store).await.unwrap(), 0);
}

/// Published, dry or not: it is on its way.
async fn posted(store: &impl Everything) -> UuidV4 {
    let made = in_review(store, &[task()]).await.remove(0);
    let approved = post(&made);
    store.decide(&decision(&made, Verdict::Approve), &Consequence::Publish(approved.clone())).await.unwrap();
    approved.post_id
}

pub(super) async fn lists_tell_every_row_once_and_the_newest_first(store: &impl Everything) {
    let mut posts = Vec::new();
    for _ in 0..5 {
        posts.push(posted(store).await);
    }
    posts.reverse();
    let by_agent = PostFilter { agent: Some(AGENT.parse().unwrap()), ..PostFilter::default() };
    let by_campaign = PostFilter { campaign_id: Some(CAMPAIGN.to_owned()), ..PostFilter::default() };
    let both = PostFilter { campaign_id: Some(CAMPAIGN.to_owned()), ..by_agent.clone() };
    for filter in [PostFilter::default(), by_agent, by_campaign, both] {
        let told =
            walk(async |page| store.posts(&filter, &page).await, |row| row.post_id, async || assert_ne!(posted(store).await, posts[0]))
                .await;
        let known: Vec<UuidV4> = told.iter().copied().filter(|id| posts.contains(id)).collect();
        assert_eq!(known, posts, "{filter:?}");
    }
    let others = PostFilter { agent: Some("omar".parse().unwrap()), ..PostFilter::default() };
    assert_eq!(store.posts(&others, &PageOf::first(9)).await.unwrap().items, []);

    let tasks = walk(async |page| store.tasks(CAMPAIGN, &page).await, |row| row.task_id, async || {}).await;
    let mut planned: Vec<UuidV4> =
        crate::ports::swarm::Tasks::of_campaign(store, CAMPAIGN).await.unwrap().iter().map(|task| task.task_id).collect();
    planned.reverse();
    assert_eq!(tasks, planned);

    for name in ["a", "b", "c"] {
        Campaigns::create(store, &goal(name), &[]).await.unwrap();
    }
    let campaigns = walk(
        async |page| store.campaigns(&page).await,
        |row| row.campaign_id,
        async || {
            Campaigns::create(store, &goal("late"), &[]).await.unwrap();
        },
    )
    .await;
    assert_eq!(campaigns, ["c", "b", "a", CAMPAIGN]);

    let mut transfers = Vec::new();
    for amount in 1..=3 {
        let transfer = new_transfer(amount);
        sign(store, &transfer).await;
        transfers.push(transfer.transaction_id);
    }
    transfers.reverse();
    let agent = AGENT.parse().unwrap();
    for of in [None, Some(&agent)] {
        let told = walk(async |page| store.transfers(of, &page).await, |row| row.transaction_id, async || {}).await;
        assert_eq!(told, transfers);
        let numbers = walk(async |page| Queries::ledger(store, of, &page).await, |row| row.number, async || {}).await;
        let mut listed: Vec<u64> =
            crate::ports::ledger::Ledger::list(store, of, 100).await.unwrap().iter().map(|entry| entry.number).collect();
        listed.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
        assert_eq!(numbers, listed);
    }
}

pub(super) async fn the_calendar_goes_on_after_a_moment_that_several_share(store: &impl Everything) {
    started(store).await;
    let entries: Vec<_> = [10, 20, 20, 20, 30].into_iter().map(|seconds| entry(CAMPAIGN, seconds)).collect();
    for added in &entries {
        store.add(added).await.unwrap();
    }
    for campaign in [None, Some(CAMPAIGN)] {
        let told = walk(
            async |page| store.calendar(campaign, at(10), &page).await,
            |row| row.entry_id,
            async || {
                store.add(&entry(CAMPAIGN, 5)).await.unwrap();
            },
        )
        .await;
        assert_eq!(told, entries.iter().map(|entry| entry.entry_id).collect::<Vec<_>>());
    }
    let later = store.calendar(None, at(21), &PageOf::first(9)).await.unwrap().items;
    assert_eq!(later.iter().map(|row| row.entry_id).collect::<Vec<_>>(), [entries[4].entry_id]);
    assert_eq!((later[0].status.as_str(), later[0].agent_id.as_deref()), ("waiting", Some(AGENT)));
    assert_eq!(store.calendar(Some("autumn"), at(0), &PageOf::first(9)).await.unwrap().items, []);
}

pub(super) async fn trends_tell_how_their_stories_grew(store: &impl Everything) {
    started(store).await;
    let found: Vec<_> = (1..=3).map(|hour| alert(CAMPAIGN, hour * 3_600)).collect();
    for alert in &found {
        Campaigns::record_alert(store, alert).await.unwrap();
    }
    let items: Vec<NewItem> = [-2 * 86_400, 0, 10, 3_700].into_iter().map(item).collect();
    let stored = Perception::remember(store, &items).await.unwrap();
    let assigned: Vec<(i64, String)> = stored.iter().map(|item| (item.id, "cluster-1".to_owned())).collect();
    Perception::assign(store, &assigned).await.unwrap();

    for campaign in [None, Some(CAMPAIGN)] {
        let told = walk(async |page| store.trends(campaign, &page).await, |row| row, async || {}).await;
        let ids: Vec<UuidV4> = told.iter().map(|row| row.event_id).collect();
        assert_eq!(ids, found.iter().rev().map(|alert| alert.event_id).collect::<Vec<_>>());
        let newest = &told[0].hourly;
        assert_eq!((newest.len(), newest.iter().sum::<u64>()), (24, 3), "without what is long ago: {newest:?}");
        assert_eq!(newest[20..], [1, 1, 1, 0][..], "the last hour at the end: {newest:?}");
    }
    assert_eq!(store.trends(Some("autumn"), &PageOf::first(9)).await.unwrap().items, []);
}

fn item(seconds: i64) -> NewItem {
    NewItem {
        resource_uri: "news://global/food/latest".to_owned(),
        content_key: seconds.to_string(),
        title: Untrusted::new("A new roast".to_owned()),
        text: Untrusted::new("It is roasted.".to_owned()),
        url: None,
        author: None,
        published_at: Some(at(seconds)),
        seen_at: at(seconds),
        flagged: false,
        price: None,
    }
}

pub(super) async fn memories_are_the_agents_own_the_newest_first(store: &impl Everything) {
    let selam: AgentId = "selam".parse().unwrap();
    let mut ids = Vec::new();
    for seconds in 0..5 {
        let memory = remembered(&selam, seconds, "said");
        Memories::remember(store, &memory).await.unwrap();
        ids.insert(0, memory.id);
        Memories::remember(store, &remembered(&"tariku".parse().unwrap(), seconds, "theirs")).await.unwrap();
    }
    let newest = ids[0];
    let told = walk(
        async |page| store.memories(&selam, &page).await,
        |row| row.memory_id,
        // What a page ended with may be forgotten before the next one is read.
        async || assert!(Memories::forget(store, &selam, ids[1]).await.unwrap()),
    )
    .await;
    assert_eq!(told, ids);
    let first = store.memories(&selam, &PageOf::first(1)).await.unwrap();
    assert_eq!((first.items[0].memory_id, first.items[0].content.as_str()), (newest, "said"));

    let lesson = Lesson { written: "We love it".to_owned(), edited: None, reason: Some("we do not".to_owned()) };
    Memories::remember(store, &MemoryRecord { lesson: Some(lesson), ..remembered(&selam, 9, "turned down") }).await.unwrap();
    let taught = store.memories(&selam, &PageOf::first(1)).await.unwrap().items.remove(0).taught.unwrap();
    assert_eq!((taught.written.as_str(), taught.edited, taught.reason.as_deref()), ("We love it", None, Some("we do not")));
}

fn remembered(agent: &AgentId, seconds: i64, content: &str) -> MemoryRecord {
    MemoryRecord {
        id: UuidV4::random(),
        agent: agent.clone(),
        at: at(seconds),
        role: MemoryRole::Assistant,
        content: content.to_owned(),
        campaign: None,
        lesson: None,
    }
}
