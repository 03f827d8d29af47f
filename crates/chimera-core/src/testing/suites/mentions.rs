//! What every `Mentions` holds to.

use super::samples::{AGENT, at};
use crate::{
    domain::Untrusted,
    ports::swarm::{Mention, Mentions, ReplyLimits},
};

/// `fresh` gives an empty store and what keeps it alive.
pub async fn all<Guard, Store: Mentions>(fresh: impl Fn() -> (Guard, Store)) {
    let (_guard, store) = fresh();
    a_mention_is_one_campaigns_for_good(&store).await;
    let (_guard, store) = fresh();
    an_author_is_answered_so_often_and_then_later_again(&store).await;
}

fn mention(campaign_id: &str, post_id: &str, seconds: i64) -> Mention {
    Mention {
        campaign_id: campaign_id.to_owned(),
        agent: AGENT.parse().unwrap(),
        platform: "mastodon".to_owned(),
        post_id: post_id.to_owned(),
        author: Some("ada@far.example".to_owned()),
        text: Untrusted::new("What is new?".to_owned()),
        at: at(seconds),
    }
}

fn limits(per_author_max: u32, since: i64) -> ReplyLimits {
    ReplyLimits { per_author_max, since: at(since) }
}

async fn a_mention_is_one_campaigns_for_good(store: &impl Mentions) {
    let two = [mention("spring", "1", 0), mention("spring", "2", 0)];
    assert_eq!(store.take(&two, &limits(9, 0)).await.unwrap(), two);
    assert_eq!(store.take(&two, &limits(9, 0)).await.unwrap(), two, "a plan that died is made again");

    let elsewhere = [mention("autumn", "1", 1), Mention { agent: "tariku".parse().unwrap(), ..mention("spring", "2", 1) }];
    assert_eq!(store.take(&elsewhere, &limits(9, 0)).await.unwrap(), []);
    let same_id = Mention { platform: "twitter".to_owned(), ..mention("autumn", "1", 1) };
    assert_eq!(store.take(std::slice::from_ref(&same_id), &limits(9, 0)).await.unwrap(), [same_id], "another platform's numbers");
}

async fn an_author_is_answered_so_often_and_then_later_again(store: &impl Mentions) {
    let three = [mention("spring", "1", 0), mention("spring", "2", 0), mention("spring", "3", 0)];
    assert_eq!(store.take(&three, &limits(2, 0)).await.unwrap(), three[..2]);
    let other = Mention { author: None, ..mention("spring", "4", 0) };
    assert_eq!(store.take(std::slice::from_ref(&other), &limits(2, 0)).await.unwrap(), [other]);
    assert_eq!(store.take(&three[2..], &limits(2, 1)).await.unwrap(), three[2..], "the earlier ones no longer count");
}
