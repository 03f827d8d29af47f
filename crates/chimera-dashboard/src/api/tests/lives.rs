//! An agent's life after it is made, over stores in memory.

use super::*;
use chimera_core::{
    domain::{Soul, money::Address},
    ports::agents::AgentRecord,
};
use chrono::DateTime;

const SOUL: &str = "---\nname: Selam\nid: selam\nhandle: selam\nvoice_traits: [warm]\ndirectives: [Never promise returns]\n\
    core_beliefs: [Plain words.]\nplatforms: [mastodon]\ndisclosure: AI persona @{handle}\n---\nSelam is software.\n";
const AS_OPERATOR: Option<Role> = Some(Role::Operator);

async fn served_with_selam() -> Router {
    let (_, dashboard) = stage();
    let record = AgentRecord {
        id: "selam".parse().unwrap(),
        soul_source: SOUL.to_owned(),
        soul_version: Soul::parse(SOUL).unwrap().version().to_owned(),
        address: Address::ZERO,
        created_at: DateTime::UNIX_EPOCH,
    };
    dashboard.agents.create(&record).await.unwrap();
    routes().with_state(dashboard)
}

fn body(soul: &str) -> String {
    json!({ "soul": soul }).to_string()
}

fn tag(answered: &Answered) -> &str {
    answered.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn of_two_who_edit_one_soul_the_second_is_shown_the_firsts_before_overwriting_it() {
    let api = served_with_selam().await;
    let save =
        async |soul: &str, seen: &str| ask(&api, AS_OPERATOR, "PUT /api/agents/selam/soul", Some(&body(soul)), &[("if-match", seen)]).await;
    let seen = ask(&api, Some(Role::Viewer), "GET /api/agents/selam/souls", None, &[]).await;
    assert_eq!((seen.status, tag(&seen), seen.body["items"][0]["number"].as_u64()), (200, "\"1\"", Some(1)));

    let first = save(&SOUL.replace("warm", "blunt"), "\"1\"").await;
    let second = save(&SOUL.replace("warm", "dry"), "\"1\"").await;
    let after_a_look = save(&SOUL.replace("warm", "dry"), "\"2\"").await;

    assert_eq!((first.status, tag(&first), first.body["number"].as_u64()), (200, "\"2\"", Some(2)));
    assert_eq!((second.status, second.code(), second.body["current"]["number"].as_u64()), (412, "changed_meanwhile", Some(2)));
    assert_eq!((after_a_look.status, after_a_look.body["number"].as_u64()), (200, Some(3)));
    let history = ask(&api, Some(Role::Viewer), "GET /api/agents/selam/souls?limit=2", None, &[]).await;
    let told: Vec<(Option<u64>, Option<&str>)> =
        history.body["items"].as_array().unwrap().iter().map(|soul| (soul["number"].as_u64(), soul["by"].as_str())).collect();
    assert_eq!(told, [(Some(3), Some("lena")), (Some(2), Some("lena"))], "in the name of who is signed in");
    assert_eq!(history.body["next"], "2");
}

#[tokio::test]
async fn a_soul_of_another_id_or_none_at_all_changes_nothing_and_the_check_says_the_same() {
    let api = served_with_selam().await;
    for (soul, part) in [(SOUL.replace("id: selam", "id: other"), "its id is other"), (SOUL.replace("handle: selam\n", ""), "\"handle\"")] {
        let refused = ask(&api, AS_OPERATOR, "PUT /api/agents/selam/soul", Some(&body(&soul)), &[]).await;
        assert_eq!((refused.status, refused.paths()), (409, vec!["/soul"]));
        assert!(refused.body["detail"].as_str().unwrap().contains(part), "{}", refused.body);
        let asked = json!({ "soul": soul, "agent_id": "selam" }).to_string();
        let checked = ask(&api, AS_OPERATOR, "POST /api/agents/check", Some(&asked), &[]).await;
        assert!(checked.body["ok"] == false && checked.body["problem"].as_str().unwrap().contains(part), "{}", checked.body);
    }
    let own = json!({ "soul": SOUL, "agent_id": "selam" }).to_string();
    assert_eq!(ask(&api, AS_OPERATOR, "POST /api/agents/check", Some(&own), &[]).await.body["ok"], true);
    let new = ask(&api, AS_OPERATOR, "POST /api/agents/check", Some(&body(SOUL)), &[]).await;
    assert_eq!(new.body["ok"], false, "as a new agent's it is taken");
    let history = ask(&api, AS_OPERATOR, "GET /api/agents/selam/souls", None, &[]).await;
    assert_eq!(history.body["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_agent_is_retired_with_a_reason_in_the_name_of_who_is_signed_in_and_comes_back() {
    let api = served_with_selam().await;
    let to = async |what: &str, body: Option<&str>| ask(&api, AS_OPERATOR, &format!("POST /api/agents/selam/{what}"), body, &[]).await;

    assert_eq!(to("retire", Some("{}")).await.paths(), ["/reason"]);
    let retired = to("retire", Some(r#"{"reason": "the season is over"}"#)).await;
    let again = to("retire", Some(r#"{"reason": "another"}"#)).await;

    assert_eq!((retired.status, &retired.body["by"], &retired.body["reason"]), (200, &json!("lena"), &json!("the season is over")));
    assert_eq!(again.body["reason"], "the season is over", "the first stands");
    assert_eq!(to("reinstate", None).await.status, 204);
    let not_retired = to("reinstate", None).await;
    assert_eq!((not_retired.status, not_retired.code()), (409, "out_of_turn"));
    let nobody = ask(&api, AS_OPERATOR, "POST /api/agents/nobody/reinstate", None, &[]).await;
    assert_eq!(nobody.status, 404);
}

#[tokio::test]
async fn without_an_embedded_chain_there_is_no_play_money() {
    let api = served_with_selam().await;
    let refused = ask(&api, AS_OPERATOR, "POST /api/agents/selam/fund", None, &[]).await;
    assert_eq!((refused.status, refused.code()), (409, "no_play_money"));
}
