//! What every `Memories` holds to.

use super::samples::at;
use crate::{
    contracts::{UuidV4, memory_context::MemoryRole},
    domain::AgentId,
    ports::memories::{Memories, MemoryRecord},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Memories>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, memories) = fresh();
    a_memory_is_found_by_its_own_agent_only(&memories).await;
    let (_guard, memories) = fresh();
    recent_memories_come_oldest_first_and_the_limit_keeps_the_newest(&memories).await;
    let (_guard, memories) = fresh();
    memories_of_one_moment_keep_the_order_in_which_they_came(&memories).await;
    let (_guard, memories) = fresh();
    a_memory_told_twice_stays_as_it_was(&memories).await;
}

async fn a_memory_is_found_by_its_own_agent_only(memories: &dyn Memories) {
    let own = MemoryRecord { role: MemoryRole::User, ..memory("selam", 0, "is it you? \u{1F98A} 'quoted'") };
    memories.remember(&own).await.unwrap();

    assert_eq!(memories.find(&own.agent, own.id).await.unwrap(), Some(own.clone()));
    assert_eq!(memories.find(&agent("other"), own.id).await.unwrap(), None);
    assert_eq!(memories.find(&own.agent, UuidV4::random()).await.unwrap(), None);
    assert_eq!(memories.since(&agent("other"), at(0), 10).await.unwrap(), []);
}

async fn recent_memories_come_oldest_first_and_the_limit_keeps_the_newest(memories: &dyn Memories) {
    for seconds in [30, 10, 40, 20] {
        memories.remember(&memory("selam", seconds, &seconds.to_string())).await.unwrap();
    }

    for (since, limit, expected) in [
        (0, 10, &["10", "20", "30", "40"][..]),
        (20, 10, &["20", "30", "40"]),
        (21, 10, &["30", "40"]),
        (0, 2, &["30", "40"]),
        (0, 0, &[]),
        (41, 10, &[]),
    ] {
        let found = memories.since(&agent("selam"), at(since), limit).await.unwrap();
        let contents: Vec<&str> = found.iter().map(|memory| memory.content.as_str()).collect();
        assert_eq!(contents, expected, "since {since}, at most {limit}");
    }
}

async fn memories_of_one_moment_keep_the_order_in_which_they_came(memories: &dyn Memories) {
    for content in ["asked", "answered", "thanked"] {
        memories.remember(&memory("selam", 0, content)).await.unwrap();
    }

    let found = memories.since(&agent("selam"), at(0), 2).await.unwrap();

    let contents: Vec<&str> = found.iter().map(|memory| memory.content.as_str()).collect();
    assert_eq!(contents, ["answered", "thanked"]);
}

async fn a_memory_told_twice_stays_as_it_was(memories: &dyn Memories) {
    let first = memory("selam", 0, "first");
    memories.remember(&first).await.unwrap();

    memories.remember(&MemoryRecord { content: "second".to_owned(), ..first.clone() }).await.unwrap();

    assert_eq!(memories.since(&first.agent, at(0), 10).await.unwrap(), [first]);
}

fn agent(name: &str) -> AgentId {
    name.parse().expect("tests give valid ids")
}

fn memory(agent_name: &str, seconds: i64, content: &str) -> MemoryRecord {
    MemoryRecord {
        id: UuidV4::random(),
        agent: agent(agent_name),
        at: at(seconds),
        role: MemoryRole::Assistant,
        content: content.to_owned(),
    }
}
