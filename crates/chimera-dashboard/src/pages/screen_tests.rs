//! What holds for all the screens together: nothing of others becomes markup, nothing needs what the policy forbids, each empty one says
//! what to do next, and nobody is offered what their role may not do.

use super::{agents, calendar, campaigns, fleet, memories, money, replay, settings, soul, stories, trends, what_if};
use crate::{
    Dashboard,
    access::Visitor,
    testing::{Facts, Sample, pages_as},
};
use axum::{
    Extension,
    body::{Body, to_bytes},
    extract::{Path, Query, State},
    http::Request,
    response::Response,
};
use chimera_core::{contracts::views::people::Role, ports::clock::Clock};
use chrono::{DateTime, Utc};
use std::sync::Arc;
use tower::ServiceExt;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> DateTime<Utc> {
        "2026-11-19T12:00:00Z".parse().expect("a time")
    }
}

const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'><script>alert(1)</script>\u{202E}\u{200B}";

fn hostile(text: &str) -> String {
    format!("{text}{HOSTILE}")
}

async fn text(response: Response) -> String {
    let bytes = to_bytes(response.into_body(), 16 << 20).await.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Every screen by its name, as somebody with `role` sees it.
async fn screens(sample: &Arc<Sample>, role: Role) -> Vec<(&'static str, String)> {
    let dashboard: Arc<Dashboard> = sample.dashboard(Arc::new(Noon));
    let (state, visitor) = (|| State(dashboard.clone()), || Extension(Visitor { name: "ada".parse().unwrap(), role }));
    let (agent, campaign, story) = {
        let facts = sample.facts();
        let agent = facts.agents.first().map(|agent| agent.card.agent_id.clone());
        let campaign = facts.campaigns.first().map(|campaign| campaign.row.campaign_id.clone());
        (agent, campaign, facts.stories.first().map(|story| story.task_id.to_string()))
    };
    let mut screens = vec![
        ("fleet", text(fleet::show(state(), visitor()).await).await),
        ("new agent", text(agents::show_new(state(), visitor()).await).await),
        ("campaigns", text(campaigns::show_list(state(), visitor(), Query::default()).await).await),
        ("new campaign", text(campaigns::show_new(state(), visitor()).await).await),
        ("calendar", text(calendar::show(state(), visitor(), Query::default()).await).await),
        ("trends", text(trends::show(state(), visitor(), Query::default()).await).await),
        ("money", text(money::show(state(), visitor(), Query::default()).await).await),
        ("settings", text(settings::show(state(), visitor()).await).await),
        ("replay", text(replay::show(state(), visitor(), Query::default()).await).await),
        ("what if", text(what_if::show(state(), visitor(), Query::default()).await).await),
    ];
    if let Some(agent) = agent {
        screens.push(("memory", text(memories::show(state(), visitor(), Path(agent.clone()), Query::default()).await).await));
        screens.push(("soul", text(soul::show(state(), visitor(), Path(agent.clone()), Query::default()).await).await));
        screens.push(("agent", text(agents::show(state(), visitor(), Path(agent)).await).await));
    }
    if let Some(campaign) = campaign {
        screens.push(("campaign", text(campaigns::show(state(), visitor(), Path(campaign), Query::default()).await).await));
    }
    if let Some(story) = story {
        screens.push(("story", text(stories::show(state(), visitor(), Path(story)).await).await));
    }
    screens
}

/// From `<` to `>` outside of quotes.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(begin) = rest.find('<') {
        let mut is_quoted = false;
        let end = rest[begin..].find(|c| {
            is_quoted ^= c == '"';
            c == '>' && !is_quoted
        });
        let Some(end) = end else { break };
        tags.push(&rest[begin..=begin + end]);
        rest = &rest[begin + end + 1..];
    }
    tags
}

/// Without what stands in quotes.
fn names(tag: &str) -> String {
    tag.split('"').step_by(2).collect()
}

/// What a person edits is given to them as it is.
fn without_fields(page: &str) -> String {
    let parts = page.split("<textarea").enumerate();
    parts.map(|(index, part)| if index == 0 { part } else { part.split_once("</textarea>").map_or("", |(_, after)| after) }).collect()
}

#[tokio::test]
async fn words_of_others_are_never_markup_and_what_hides_in_them_is_drawn() {
    let sample = Sample::new(8, Noon.now(), hostile);
    for (name, page) in screens(&sample, Role::Owner).await {
        assert!(!page.contains("<img") && !page.contains("<script>"), "{name}");
        assert!(!without_fields(&page).contains(['\u{202E}', '\u{200B}']), "{name}");
        if !["settings", "new agent", "replay", "what if"].contains(&name) {
            assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{name} shows nothing of others");
            assert!(page.contains("U+202E") || page.contains("u{202E}"), "{name}");
        }
    }
}

#[tokio::test]
async fn no_screen_needs_what_the_policy_forbids_and_links_lead_where_they_say() {
    let sample = Sample::new(8, Noon.now(), |text| format!("javascript:alert('{text}')"));
    for (name, page) in screens(&sample, Role::Owner).await {
        for tag in tags(&page) {
            let bare = names(tag);
            assert!(!bare.contains(" style=") && !bare.starts_with("<style"), "{name}: {tag}");
            assert!(!bare.split_whitespace().any(|word| word.starts_with("on") && word.ends_with('=')), "{name}: {tag}");
            for attribute in ["href=\"", "src=\"", "action=\""] {
                let Some((_, value)) = tag.split_once(attribute) else { continue };
                let is_ours = value.starts_with('/') && !value.starts_with("//");
                assert!(is_ours || value.starts_with('#') || value.starts_with("http"), "{name}: {tag}");
            }
        }
        for script in page.split("<script").skip(1) {
            assert!(
                script.contains("src=\"/static/") && script.split_once('>').is_some_and(|(_, body)| body.starts_with("</script>")),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn an_empty_screen_says_why_and_what_to_do_next() {
    let sample = Sample::new(0, Noon.now(), str::to_owned);
    *sample.facts() = Facts::default();
    for (name, why, next) in [
        ("fleet", "There are no agents yet.", "href=\"/agents/new\""),
        ("campaigns", "There are no campaigns yet.", "href=\"/campaigns/new\""),
        ("new campaign", "A campaign needs an agent", "href=\"/agents/new\""),
        ("calendar", "Nothing is on the calendar", "href=\"/campaigns/new\""),
        ("trends", "No trend was found yet.", "href=\"/campaigns\""),
        ("replay", "Nothing has happened yet.", "written down as events"),
        ("what if", "No such decision is on record", "then counts here"),
        ("money", "Nothing was paid yet.", "the policy decides"),
        ("money", "Nothing is on the ledger yet.", "are written down here"),
    ] {
        let found = screens(&sample, Role::Operator).await.into_iter().find(|(screen, _)| *screen == name);
        let page = found.map(|(_, page)| page).unwrap_or_default();
        assert!(page.contains(why) && page.contains(next), "{name}");
    }
}

#[tokio::test]
async fn nobody_is_offered_what_their_role_may_not_do() {
    let sample = Sample::new(8, Noon.now(), str::to_owned);
    for (role, offer) in [
        (Role::Reviewer, "data-stop=\"pause\""),
        (Role::Operator, "href=\"/agents/new\""),
        (Role::Operator, "data-action=\"/api/agents\""),
        (Role::Operator, "data-action=\"/api/agents/selam/soul\""),
        (Role::Operator, "data-action=\"/api/agents/selam/retire\""),
        (Role::Operator, "data-action=\"/api/agents/selam/fund\""),
        (Role::Operator, "data-action=\"/api/campaigns\""),
        (Role::Operator, "id=\"plan-button\""),
        (Role::Operator, "id=\"goal-form\""),
        (Role::Operator, "/calendar\" data-then"),
        (Role::Owner, "data-action=\"/api/people\""),
    ] {
        for asked in Role::ALL {
            let is_offered = screens(&sample, asked).await.iter().any(|(_, page)| page.contains(offer));
            assert_eq!(is_offered, asked >= role, "{offer} to a {}", asked.name());
        }
    }
}

/// What the script reads when a hint came.
async fn read(sample: &Arc<Sample>, path: &str) -> String {
    let pages = pages_as(sample.dashboard(Arc::new(Noon)), "ada", Role::Reviewer);
    text(pages.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap()).await
}

#[tokio::test]
async fn rows_are_read_anew_one_by_one_with_the_ids_that_they_have_on_the_page() {
    let sample = Sample::new(3, Noon.now(), str::to_owned);
    let (post, task, transfer, campaign) = {
        let facts = sample.facts();
        (facts.posts[0].post_id, facts.tasks[0].clone(), facts.transfers[0].transaction_id, facts.campaigns[0].row.campaign_id.clone())
    };
    for (path, id) in [
        ("/fragments/agents?ids=selam,nobody".to_owned(), "agent-selam".to_owned()),
        (format!("/fragments/posts?ids={post}"), format!("post-{post}")),
        (format!("/fragments/campaigns/{}/tasks?ids={}", task.campaign_id, task.task_id), format!("task-{}", task.task_id)),
        (format!("/fragments/transfers?ids={transfer}"), format!("transfer-{transfer}")),
        (format!("/fragments/campaigns?ids={campaign}"), format!("campaign-{campaign}")),
    ] {
        let rows = read(&sample, &path).await;
        assert_eq!(rows.matches("data-live-id=").count(), 1, "{path}: {rows}");
        assert!(rows.starts_with("<li") && rows.contains(&format!("id=\"{id}\"")), "{path}: {rows}");
    }
    for (path, id) in [
        ("/fragments/agents/selam/standing".to_owned(), "agent-standing"),
        ("/fragments/agents/selam/soul".to_owned(), "soul-standing"),
        (format!("/fragments/campaigns/{campaign}/standing"), "campaign-standing"),
        ("/fragments/money".to_owned(), "kill-switch"),
    ] {
        assert!(read(&sample, &path).await.contains(&format!("id=\"{id}\"")), "{path}");
    }
}

#[tokio::test]
async fn a_thousand_agents_are_in_one_page() {
    let sample = Sample::new(1_000, Noon.now(), str::to_owned);
    let dashboard = sample.dashboard(Arc::new(Noon));
    let visitor = Visitor { name: "ada".parse().unwrap(), role: Role::Viewer };

    let page = text(fleet::show(State(dashboard), Extension(visitor)).await).await;

    assert_eq!(page.matches("<li class=\"agent\"").count(), 1_000);
    assert!(!page.contains("cursor="));
}
