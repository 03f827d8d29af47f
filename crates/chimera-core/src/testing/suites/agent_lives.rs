//! What every `AgentLives` holds to, over the agents that it is about.

use crate::{
    domain::{AgentId, Soul, money::Address},
    ports::{
        agent_lives::{AgentLives, ChangeSoulError, Ended, Retirement, SoulChange},
        agents::{AgentRecord, Agents},
        queries::PageOf,
    },
};
use chrono::{DateTime, TimeDelta, Utc};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Agents + AgentLives>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    every_soul_is_kept_with_who_gave_it_and_the_newest_counts(&store).await;
    let (_guard, store) = fresh();
    the_same_soul_makes_no_version(&store).await;
    let (_guard, store) = fresh();
    who_wrote_from_an_older_version_overwrites_nothing(&store).await;
    let (_guard, store) = fresh();
    versions_are_paged_newest_first(&store).await;
    let (_guard, store) = fresh();
    an_agent_is_retired_once_and_comes_back_as_it_was(&store).await;
}

async fn every_soul_is_kept_with_who_gave_it_and_the_newest_counts(store: &(impl Agents + AgentLives)) {
    let made = create(store, "mimi").await;

    let number = store.change_soul(&change("mimi", "blunt", "hanna", 60)).await.unwrap();

    let souls = store.souls(&made.id, &PageOf::first(10)).await.unwrap().items;
    let told: Vec<(u64, Option<&str>, DateTime<Utc>)> = souls.iter().map(|soul| (soul.number, soul.by.as_deref(), soul.at.0)).collect();
    assert_eq!((number, told), (2, vec![(2, Some("hanna"), at(60)), (1, None, at(0))]));
    assert_eq!((souls[0].soul_source.clone(), souls[1].soul_source.clone()), (soul("mimi", "blunt"), soul("mimi", "warm")));
    let now = store.find(&made.id).await.unwrap().unwrap();
    assert_eq!((now.soul_source, now.soul_version), (souls[0].soul_source.clone(), souls[0].soul_version.clone()));
    assert_eq!((now.id, now.address, now.created_at), (made.id, made.address, made.created_at));
    let nobody = store.change_soul(&change("momo", "blunt", "hanna", 60)).await.unwrap_err();
    assert!(matches!(nobody, ChangeSoulError::NoSuchAgent(id) if id.as_str() == "momo"));
}

async fn the_same_soul_makes_no_version(store: &(impl Agents + AgentLives)) {
    let made = create(store, "mimi").await;

    assert_eq!(store.change_soul(&change("mimi", "warm", "hanna", 60)).await.unwrap(), 1);
    assert_eq!(store.souls(&made.id, &PageOf::first(10)).await.unwrap().items.len(), 1);
    // What was there before is a version anew when it is put back.
    store.change_soul(&change("mimi", "blunt", "hanna", 60)).await.unwrap();
    assert_eq!(store.change_soul(&change("mimi", "warm", "omar", 90)).await.unwrap(), 3);
}

async fn who_wrote_from_an_older_version_overwrites_nothing(store: &(impl Agents + AgentLives)) {
    let made = create(store, "mimi").await;
    let first = change("mimi", "blunt", "hanna", 60).written_from(1);
    let second = change("mimi", "dry", "omar", 61).written_from(1);

    assert_eq!(store.change_soul(&first).await.unwrap(), 2);
    let refused = store.change_soul(&second).await.unwrap_err();

    assert!(matches!(refused, ChangeSoulError::Moved { present: 2 }));
    assert_eq!(store.find(&made.id).await.unwrap().unwrap().soul_source, soul("mimi", "blunt"));
    assert_eq!(store.change_soul(&second.written_from(2)).await.unwrap(), 3);
}

async fn versions_are_paged_newest_first(store: &(impl Agents + AgentLives)) {
    let made = create(store, "mimi").await;
    for (number, voice) in ["blunt", "dry", "loud"].into_iter().enumerate() {
        store.change_soul(&change("mimi", voice, "hanna", i64::try_from(number).unwrap())).await.unwrap();
    }

    let first = store.souls(&made.id, &PageOf::first(3)).await.unwrap();
    let rest = store.souls(&made.id, &PageOf::first(3).after(first.next.as_deref().unwrap().parse().unwrap())).await.unwrap();

    let numbers = |page: &[crate::contracts::views::souls::SoulVersion]| page.iter().map(|soul| soul.number).collect::<Vec<_>>();
    assert_eq!((numbers(&first.items), numbers(&rest.items), rest.next), (vec![4, 3, 2], vec![1], None));
}

async fn an_agent_is_retired_once_and_comes_back_as_it_was(store: &(impl Agents + AgentLives)) {
    let made = create(store, "mimi").await;
    let other = create(store, "momo").await;
    let retirement = Retirement { agent: made.id.clone(), reason: "the season is over".to_owned(), by: "hanna".to_owned(), at: at(60) };
    let again = Retirement { reason: "another reason".to_owned(), by: "omar".to_owned(), at: at(90), ..retirement.clone() };

    assert_eq!(store.retirement(&made.id).await.unwrap(), None);
    let retired = store.retire(&retirement).await.unwrap();
    let once_more = store.retire(&again).await.unwrap();

    assert_eq!((&retired.retirement, &once_more.retirement, once_more.ended), (&retirement, &retirement, Ended::default()));
    assert_eq!(store.retirement(&made.id).await.unwrap(), Some(retirement));
    assert_eq!(store.retirement(&other.id).await.unwrap(), None);
    assert_eq!(store.find(&made.id).await.unwrap(), Some(made.clone()), "its wallet and its handle stay its own");
    assert!(store.reinstate(&made.id, "omar", at(99)).await.unwrap());
    assert!(!store.reinstate(&made.id, "omar", at(99)).await.unwrap());
    assert_eq!(store.retirement(&made.id).await.unwrap(), None);
}

fn at(seconds: i64) -> DateTime<Utc> {
    let start: DateTime<Utc> = "2026-11-15T08:00:00.125Z".parse().expect("a valid time");
    start + TimeDelta::seconds(seconds)
}

fn soul(id: &str, voice: &str) -> String {
    format!(
        "---\nname: Mimi\nid: {id}\nhandle: {id}\nvoice_traits: [{voice}]\ndirectives: [Never promise returns]\n\
         core_beliefs: [Plain words.]\nplatforms: [mastodon]\ndisclosure: AI persona @{{handle}}\n---\nShe is software.\n"
    )
}

fn change(id: &str, voice: &str, by: &str, seconds: i64) -> SoulChange {
    SoulChange::new(&agent_id(id), soul(id, voice), by.to_owned(), at(seconds)).unwrap()
}

fn agent_id(id: &str) -> AgentId {
    id.parse().expect("tests give valid ids")
}

async fn create(store: &impl Agents, id: &str) -> AgentRecord {
    let soul_source = soul(id, "warm");
    let soul_version = Soul::parse(&soul_source).unwrap().version().to_owned();
    let agent = AgentRecord { id: agent_id(id), soul_source, soul_version, address: Address::repeat_byte(7), created_at: at(0) };
    store.create(&agent).await.unwrap();
    agent
}
