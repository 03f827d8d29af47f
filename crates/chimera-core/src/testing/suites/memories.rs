//! What every `Memories` holds to.

use super::samples::at;
use crate::{
    contracts::{UuidV4, lesson::Lesson, memory_context::MemoryRole},
    domain::AgentId,
    ports::memories::{Memories, MemoryRecord, Recollection},
};
use chrono::TimeDelta;

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Memories + Recollection>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, memories) = fresh();
    a_memory_is_found_by_its_own_agent_only(&memories).await;
    let (_guard, memories) = fresh();
    recent_memories_come_oldest_first_and_the_limit_keeps_the_newest(&memories).await;
    let (_guard, memories) = fresh();
    memories_of_one_moment_keep_the_order_in_which_they_came(&memories).await;
    let (_guard, memories) = fresh();
    a_memory_is_said_anew_under_its_id(&memories).await;
    let (_guard, memories) = fresh();
    whoever_knows_an_id_cannot_put_words_into_another_memory(&memories).await;
    let (_guard, memories) = fresh();
    lessons_are_found_as_they_were_taught(&memories).await;
    let (_guard, memories) = fresh();
    what_was_said_for_a_campaign_is_found_whoever_said_it(&memories).await;
    let (_guard, memories) = fresh();
    what_is_forgotten_is_gone_and_nothing_else_is(&memories).await;
    let (_guard, memories) = fresh();
    the_nearest_memories_come_first_and_are_the_agents_own(&memories).await;
    let (_guard, memories) = fresh();
    long_term_memory_follows_every_change(&memories).await;
    let (_guard, memories) = fresh();
    the_nearest_are_exact_among_many(&memories).await;
}

async fn what_was_said_for_a_campaign_is_found_whoever_said_it(memories: &dyn Memories) {
    let said_for = |campaign: &str, by: &str| MemoryRecord { campaign: Some(campaign.to_owned()), ..memory(by, 0, "said") };
    let said: Vec<MemoryRecord> = ["selam", "tariku", "selam"].map(|by| said_for("spring", by)).to_vec();
    let heard = MemoryRecord { role: MemoryRole::User, ..said_for("spring", "selam") };
    for memory in said.iter().chain([&heard, &said_for("autumn", "selam"), &memory("selam", 0, "for none")]) {
        memories.remember(memory).await.unwrap();
    }

    assert_eq!(memories.of_campaign("spring", 10).await.unwrap(), said);
    assert_eq!(memories.of_campaign("spring", 2).await.unwrap(), said[1..]);
    assert_eq!(memories.of_campaign("winter", 10).await.unwrap(), []);
    memories.forget(&said[0].agent, said[0].id).await.unwrap();
    assert_eq!(memories.of_campaign("spring", 10).await.unwrap(), said[1..]);
}

async fn what_is_forgotten_is_gone_and_nothing_else_is(memories: &dyn Memories) {
    let kept: Vec<MemoryRecord> = [0, 10, 20, 30].map(|seconds| memory("selam", seconds, "x")).to_vec();
    let others = memory("tariku", 0, "theirs");
    for memory in kept.iter().chain([&others]) {
        memories.remember(memory).await.unwrap();
    }
    let selam = agent("selam");

    assert!(!memories.forget(&selam, others.id).await.unwrap(), "another agent's");
    assert!(memories.forget(&selam, kept[3].id).await.unwrap());
    assert!(!memories.forget(&selam, kept[3].id).await.unwrap(), "it is gone already");
    assert_eq!(memories.forget_before(&selam, at(10)).await.unwrap(), 1, "at that moment is not before it");

    assert_eq!(memories.since(&selam, at(0), 10).await.unwrap(), kept[1..3]);
    assert_eq!((memories.count(&selam).await.unwrap(), memories.count(&others.agent).await.unwrap()), (2, 1));
}

async fn the_nearest_memories_come_first_and_are_the_agents_own<Store: Memories + Recollection>(memories: &Store) {
    let selam = agent("selam");
    for (name, content, vector) in [
        ("selam", "east", [1.0, 0.0, 0.0]),
        ("selam", "north-east", [0.8, 0.6, 0.0]),
        ("selam", "up", [0.0, 0.0, 1.0]),
        ("tariku", "east too", [1.0, 0.0, 0.0]),
    ] {
        let memory = memory(name, 0, content);
        memories.remember(&memory).await.unwrap();
        memories.place(&memory.agent, memory.id, &vector).await.unwrap();
    }
    memories.remember(&memory("selam", 0, "nowhere")).await.unwrap();

    let found = memories.nearest(&selam, &[1.0, 0.0, 0.0], 2).await.unwrap();
    let told: Vec<(&str, i32)> =
        found.iter().map(|found| (found.memory.content.as_str(), (found.likeness * 100.0).round() as i32)).collect();
    assert_eq!(told, [("east", 100), ("north-east", 80)]);
    assert_eq!(memories.nearest(&selam, &[1.0, 0.0, 0.0], 10).await.unwrap().len(), 3, "what has no place is not found");
    assert_eq!(memories.nearest(&selam, &[1.0, 0.0], 10).await.unwrap().len(), 0, "other dimensions are another language");
    assert_eq!(memories.nearest(&agent("nobody"), &[1.0, 0.0, 0.0], 10).await.unwrap().len(), 0);
}

async fn long_term_memory_follows_every_change<Store: Memories + Recollection>(memories: &Store) {
    let selam = agent("selam");
    let (first, second) = (memory("selam", 0, "first"), memory("selam", 1, "second"));
    memories.remember(&first).await.unwrap();
    memories.remember(&second).await.unwrap();
    assert_eq!(memories.unplaced(&selam, 2, 10).await.unwrap(), [first.clone(), second.clone()]);
    memories.place(&selam, first.id, &[1.0, 0.0]).await.unwrap();
    memories.place(&selam, second.id, &[0.0, 1.0]).await.unwrap();
    memories.place(&selam, UuidV4::random(), &[0.0, 1.0]).await.unwrap();
    let contents = async |vector: &[f32]| -> Vec<String> {
        let found = memories.nearest(&selam, vector, 5).await.unwrap();
        found.into_iter().map(|found| found.memory.content).collect()
    };
    assert_eq!(contents(&[1.0, 0.0]).await, ["first", "second"]);
    assert_eq!(memories.unplaced(&selam, 2, 10).await.unwrap(), []);
    assert_eq!(memories.unplaced(&selam, 3, 1).await.unwrap(), std::slice::from_ref(&first), "another embedder has to read them again");

    memories.place(&selam, first.id, &[-1.0, 0.0]).await.unwrap();
    assert_eq!(contents(&[1.0, 0.0]).await, ["second", "first"], "a new place counts at once");
    let third = memory("selam", 2, "third");
    memories.remember(&third).await.unwrap();
    memories.place(&selam, third.id, &[1.0, 0.0]).await.unwrap();
    assert_eq!(contents(&[1.0, 0.0]).await, ["third", "second", "first"]);
    let (fourth, fifth) = (memory("selam", 3, "fourth"), memory("selam", 4, "fifth"));
    for (memory, vector) in [(&fourth, None), (&fifth, Some([0.6, -0.8])), (&fourth, Some([0.8, -0.6]))] {
        memories.remember(memory).await.unwrap();
        if let Some(vector) = vector {
            memories.place(&selam, memory.id, &vector).await.unwrap();
            assert_eq!(contents(&[0.8, -0.6]).await[0], memory.content, "an older memory that is placed later counts too");
        }
    }
    memories.forget(&selam, fourth.id).await.unwrap();
    memories.forget(&selam, fifth.id).await.unwrap();
    memories.forget(&selam, second.id).await.unwrap();
    assert_eq!(contents(&[1.0, 0.0]).await, ["third", "first"]);
    memories.forget_before(&selam, at(2) + TimeDelta::seconds(1)).await.unwrap();
    assert_eq!(contents(&[1.0, 0.0]).await, [] as [&str; 0]);
}

/// Vectors that lie so close together that a rough comparison would confuse them.
async fn the_nearest_are_exact_among_many<Store: Memories + Recollection>(memories: &Store) {
    const DIMENSIONS: usize = 33;
    let selam = agent("selam");
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
    };
    let mut unit = |spread: f32| {
        let mut vector: Vec<f32> = (0..DIMENSIONS).map(|place| f32::from(place == 0) + spread * next()).collect();
        crate::perception::vectors::normalise(&mut vector);
        vector
    };
    let mut known: Vec<(String, Vec<f32>)> = Vec::new();
    for index in 0..300 {
        let (memory, vector) = (memory("selam", index, &index.to_string()), unit(0.05));
        memories.remember(&memory).await.unwrap();
        memories.place(&selam, memory.id, &vector).await.unwrap();
        known.push((memory.content, vector));
    }

    for _ in 0..10 {
        let asked = unit(0.05);
        let exact = |vector: &[f32]| vector.iter().zip(&asked).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        known.sort_by(|one, other| exact(&other.1).total_cmp(&exact(&one.1)));
        let found = memories.nearest(&selam, &asked, 10).await.unwrap();

        assert_eq!(found.len(), 10);
        for (place, found) in found.iter().enumerate() {
            let wanted = exact(&known[place].1);
            let is = known.iter().find(|(content, _)| *content == found.memory.content).map(|(_, vector)| exact(vector)).unwrap();
            assert!((is - wanted).abs() < 1e-6, "place {place}: {is} instead of {wanted}");
        }
    }
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

async fn a_memory_is_said_anew_under_its_id(memories: &dyn Memories) {
    let first = memory("selam", 0, "first");
    memories.remember(&first).await.unwrap();

    let second = MemoryRecord { content: "second".to_owned(), ..first.clone() };
    memories.remember(&second).await.unwrap();
    memories.remember(&second).await.unwrap();

    assert_eq!(memories.since(&first.agent, at(0), 10).await.unwrap(), [second]);
}

async fn whoever_knows_an_id_cannot_put_words_into_another_memory(memories: &dyn Memories) {
    let said = memory("selam", 0, "first");
    let lesson = Lesson { written: "a".to_owned(), edited: None, reason: None };
    let taught = MemoryRecord { lesson: Some(lesson), ..memory("selam", 1, "taught") };
    for memory in [&said, &taught] {
        memories.remember(memory).await.unwrap();
    }

    for other in [
        MemoryRecord { agent: agent("tariku"), content: "mine".to_owned(), ..said.clone() },
        MemoryRecord { role: MemoryRole::User, content: "heard".to_owned(), ..said.clone() },
        MemoryRecord { lesson: None, content: "forget it".to_owned(), ..taught.clone() },
    ] {
        memories.remember(&other).await.unwrap();
    }

    assert_eq!(memories.since(&agent("selam"), at(0), 10).await.unwrap(), [said, taught]);
}

async fn lessons_are_found_as_they_were_taught(memories: &dyn Memories) {
    let lesson =
        |edited: Option<&str>| Lesson { written: "a".to_owned(), edited: edited.map(str::to_owned), reason: Some("too long".to_owned()) };
    let taught = |edited| MemoryRecord { lesson: Some(lesson(edited)), ..memory("selam", 5, "taught") };
    let (rejected, edited) = (taught(None), taught(Some("b")));
    for memory in [&memory("selam", 1, "said"), &rejected, &edited, &MemoryRecord { agent: agent("tariku"), ..taught(None) }] {
        memories.remember(memory).await.unwrap();
    }

    assert_eq!(memories.lessons(&agent("selam"), 10).await.unwrap(), [rejected, edited.clone()]);
    assert_eq!(memories.lessons(&agent("selam"), 1).await.unwrap(), [edited]);
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
        campaign: None,
        lesson: None,
    }
}
