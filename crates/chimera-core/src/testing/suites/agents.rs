//! What every `Agents` holds to.

use crate::{
    domain::{AgentId, money::Address},
    ports::agents::{AgentRecord, Agents, CreateAgentError},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Agents>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, agents) = fresh();
    an_agent_is_found_as_it_was_created(&agents).await;
    let (_guard, agents) = fresh();
    an_agent_is_created_once_and_the_first_stays(&agents).await;
    let (_guard, agents) = fresh();
    agents_are_listed_by_id(&agents).await;
    let (_guard, agents) = fresh();
    of_many_who_create_one_agent_exactly_one_succeeds(&agents).await;
}

async fn an_agent_is_found_as_it_was_created(agents: &dyn Agents) {
    let created = agent("selam", 1);

    assert_eq!(agents.find(&created.id).await.unwrap(), None);
    agents.create(&created).await.unwrap();

    assert_eq!(agents.find(&created.id).await.unwrap(), Some(created));
    assert_eq!(agents.find(&id("other")).await.unwrap(), None);
}

async fn an_agent_is_created_once_and_the_first_stays(agents: &dyn Agents) {
    let first = agent("selam", 1);
    agents.create(&first).await.unwrap();

    let error = agents.create(&agent("selam", 2)).await.unwrap_err();

    assert!(matches!(error, CreateAgentError::Exists(id) if id == first.id));
    assert_eq!(agents.list().await.unwrap(), [first]);
}

async fn agents_are_listed_by_id(agents: &dyn Agents) {
    assert_eq!(agents.list().await.unwrap(), []);
    for (name, key) in [("b", 1), ("a-", 2), ("a", 3), ("0", 4), ("a_", 5)] {
        agents.create(&agent(name, key)).await.unwrap();
    }

    let listed: Vec<String> = agents.list().await.unwrap().into_iter().map(|agent| agent.id.to_string()).collect();

    assert_eq!(listed, ["0", "a", "a-", "a_", "b"]);
}

async fn of_many_who_create_one_agent_exactly_one_succeeds(agents: &dyn Agents) {
    let rivals: Vec<AgentRecord> = (1..=16).map(|key| agent("selam", key)).collect();

    let outcomes = futures::future::join_all(rivals.iter().map(|rival| agents.create(rival))).await;

    let winners: Vec<&AgentRecord> = rivals.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok()).map(|(rival, _)| rival).collect();
    let [winner] = winners.as_slice() else { panic!("{} winners", winners.len()) };
    assert_eq!(agents.find(&id("selam")).await.unwrap().as_ref(), Some(*winner));
}

fn id(name: &str) -> AgentId {
    name.parse().expect("tests give valid ids")
}

fn agent(name: &str, key: u8) -> AgentRecord {
    AgentRecord {
        id: id(name),
        soul_source: format!("---\nid: {name}\n---\nBorn in Addis; \"quotes\", 'quotes', \u{1F98A} and key {key}.\n"),
        soul_version: format!("{key:064x}"),
        address: Address::repeat_byte(key),
        created_at: "2026-11-15T08:00:00.123456Z".parse().expect("a valid time"),
    }
}
