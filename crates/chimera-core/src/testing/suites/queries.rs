//! What every `Queries` holds to: the other ports move things, and a person looks.

mod events;
mod paging;
mod reviews;
mod states;
mod stories;

use super::{
    judgements::Swarm,
    samples::{AGENT, at, decision, in_review, review, task},
};
use crate::{
    contracts::{
        UtcTime, UuidV4,
        content_generator::ContentType,
        decision::Verdict,
        result::WorkerResult,
        review::{ReviewAction, ReviewAnswer, ReviewItem},
    },
    domain::money::Address,
    ports::{
        agents::{AgentRecord, Agents},
        events::Events,
        held_answers::HeldAnswers,
        kill_switch::KillSwitch,
        ledger::Ledger,
        memories::Memories,
        perception::Perception,
        queries::Queries,
        swarm::{Calendar, CalendarEntry, Consequence, Mentions, Reviews, UnknownPosts},
        transfers::Transfers,
        wallet_book::WalletBook,
    },
    testing::stories::PERSONAS,
};

/// All that a person can look at.
pub trait Everything:
    Swarm
    + Reviews
    + UnknownPosts
    + Calendar
    + Mentions
    + Agents
    + Transfers
    + KillSwitch
    + WalletBook
    + Ledger
    + Perception
    + Memories
    + Events
    + HeldAnswers
    + Queries
{
}
impl<Store> Everything for Store where
    Store: Swarm
        + Reviews
        + UnknownPosts
        + Calendar
        + Mentions
        + Agents
        + Transfers
        + KillSwitch
        + WalletBook
        + Ledger
        + Perception
        + Memories
        + Events
        + HeldAnswers
        + Queries
{
}

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Everything>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    paging::what_waits_and_what_was_decided_is_told_once_and_in_order(&store).await;
    let (_guard, store) = fresh();
    paging::lists_tell_every_row_once_and_the_newest_first(&store).await;
    let (_guard, store) = fresh();
    paging::the_calendar_goes_on_after_a_moment_that_several_share(&store).await;
    let (_guard, store) = fresh();
    paging::trends_tell_how_their_stories_grew(&store).await;
    let (_guard, store) = fresh();
    paging::memories_are_the_agents_own_the_newest_first(&store).await;
    let (_guard, store) = fresh();
    states::an_agents_state_is_the_first_rule_that_holds(&store).await;
    let (_guard, store) = fresh();
    states::what_a_paused_campaign_sent_back_waits_for_it(&store).await;
    let (_guard, store) = fresh();
    states::a_card_tells_name_budget_posts_and_campaigns(&store).await;
    let (_guard, store) = fresh();
    states::campaigns_count_what_became_of_their_tasks(&store).await;
    let (_guard, store) = fresh();
    reviews::reviews_are_told_by_kind_and_agent(&store).await;
    let (_guard, store) = fresh();
    reviews::a_payments_question_has_its_day_and_its_recipient(&store).await;
    let (_guard, store) = fresh();
    reviews::a_drafts_review_has_what_was_turned_down_before(&store).await;
    let (_guard, store) = fresh();
    reviews::a_replys_review_has_what_it_answers_as_it_was_heard(&store).await;
    let (_guard, store) = fresh();
    reviews::an_answer_that_is_held_is_on_its_row_until_it_is_taken_back_or_done(&store).await;
    let (_guard, store) = fresh();
    stories::the_story_of_a_post_names_each_step(&store).await;
    let (_guard, store) = fresh();
    stories::the_story_of_a_payment_names_each_step(&store).await;
    let (_guard, store) = fresh();
    events::stops_agents_dates_and_trends_are_events(&store).await;
    let (_guard, store) = fresh();
    events::reviews_and_decisions_say_whose_they_are(&store).await;
}

/// With a SOUL of its own.
async fn agent(store: &impl Everything, id: &str) -> AgentRecord {
    let soul_source = PERSONAS[0].soul().replace("id: selam", &format!("id: {id}"));
    let record = AgentRecord {
        id: id.parse().unwrap(),
        soul_version: crate::domain::Soul::parse(&soul_source).unwrap().version().to_owned(),
        soul_source,
        address: Address::repeat_byte(1),
        created_at: at(0),
    };
    Agents::create(store, &record).await.unwrap();
    record
}

/// A draft before a person.
async fn asked(store: &impl Everything) -> (WorkerResult, ReviewItem) {
    let made = in_review(store, &[task()]).await.remove(0);
    let asked = review(&made);
    store.decide(&decision(&made, Verdict::Escalate), &Consequence::AskPerson(Box::new(asked.clone()))).await.unwrap();
    (made, asked)
}

fn word(review_id: UuidV4, action: ReviewAction, seconds: i64) -> ReviewAnswer {
    ReviewAnswer {
        review_id,
        action,
        reason: Some("as I see it".to_owned()),
        edited_artifact: None,
        give_up: false,
        confirmed_address: None,
        found: None,
        reviewer_id: "hanna".to_owned(),
        reviewed_at: UtcTime(at(seconds)),
    }
}

fn entry(campaign_id: &str, seconds: i64) -> CalendarEntry {
    CalendarEntry {
        entry_id: UuidV4::random(),
        campaign_id: campaign_id.to_owned(),
        at: at(seconds),
        about: None,
        agent: Some(AGENT.parse().unwrap()),
        platform: None,
        content_type: ContentType::Text,
        resource_uris: Vec::new(),
    }
}
