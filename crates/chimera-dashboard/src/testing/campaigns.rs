//! One campaign with its tasks, posts, dates, trends, payments and the story of one post.

use super::{Facts, ether};
use chimera_core::contracts::{
    UtcTime, UuidV4,
    decision::Verdict,
    memory_context::MemoryRole,
    trend_alert::{Trend, TrendPhase},
    views::{
        campaigns::{CalendarRow, CampaignDetail, CampaignRow, PostRow, TaskCounts, TaskRow},
        memories::{MemoryRow, Taught},
        money::{LedgerRow, TransferDecision, TransferRow},
        stories::{StepKind, StoryStep, TaskStory},
        trends::TrendRow,
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, json};

const CAMPAIGN: &str = "campaign-coffee";
const HASH: &str = "4f3c2b1a9d8e7f605142332415060718293a4b5c6d7e8f901a2b3c4d5e6f7081";

pub(super) fn add(facts: &mut Facts, now: DateTime<Utc>, words: &impl Fn(&str) -> String) {
    for (index, status) in ["running", "paused", "draft"].into_iter().enumerate() {
        facts.campaigns.push(campaign(index, status, now, words));
    }
    for (index, state) in
        ["pending", "in_progress", "in_review", "awaiting_person", "returned", "complete", "given_up"].into_iter().enumerate()
    {
        facts.tasks.push(task(index, state, now, words));
    }
    for (index, status) in ["published", "dry_run", "refused", "unknown", "approved"].into_iter().enumerate() {
        facts.posts.push(post(index, status, now, words));
    }
    for (index, status) in ["planned", "waiting", "waiting", "missed"].into_iter().enumerate() {
        facts.calendar.push(date(index, status, now, words));
    }
    for index in 0..3 {
        facts.memories.push(memory(index, now, words));
    }
    for index in 0..4 {
        facts.trends.push(trend(index, now, words));
    }
    for (number, kind, told) in
        [(3, "transfer", "paid 0.02 ETH"), (2, "fee", "paid 0.000021 ETH of fees"), (1, "freeze", "froze the whole fleet")]
    {
        facts.ledger.push(LedgerRow {
            number,
            at: UtcTime(now - TimeDelta::hours(9 - i64::try_from(number).unwrap_or_default())),
            kind: kind.to_owned(),
            agent_id: if kind == "freeze" { String::new() } else { "selam".to_owned() },
            task_id: (kind != "freeze").then(|| UuidV4::named(&["task", "story"])),
            told: words(told),
            facts: json!({ "amount_units": "20000000000000000", "note": words("for the photographer") }),
            hash: HASH.to_owned(),
        });
    }
    for (state, reason) in
        [("confirmed", None), ("reserved", None), ("granted", None), ("reverted", Some("the recipient's contract refused it"))]
    {
        facts.transfers.push(TransferRow {
            transaction_id: UuidV4::named(&["transfer", state]),
            task_id: UuidV4::named(&["task", "story"]),
            agent_id: "selam".to_owned(),
            state: state.to_owned(),
            amount: ether("20000000000000000"),
            to_address: "0x52908400098527886E0F7030069857D2E4169EE7".to_owned(),
            reserved_at: UtcTime(now - TimeDelta::hours(3)),
            tx_hash: is_sent(state).then(|| format!("0x{HASH}")),
            block_number: is_sent(state).then_some(1_204),
            reason: reason.map(words),
            rule: (state == "granted").then(|| "ask_above".to_owned()),
            decisions: vec![TransferDecision {
                at: UtcTime(now - TimeDelta::hours(3)),
                decision: Verdict::Escalate,
                reason: words("0.02 ETH is above 0.01 ETH, from which on a person is asked"),
            }],
            explorer_url: None,
            review_id: (state == "granted").then(|| UuidV4::named(&["review", "20"])),
            approved_until: (state == "granted").then(|| UtcTime(now + TimeDelta::hours(20))),
        });
    }
    facts.stories.push(story(now, words));
}

fn memory(index: u32, now: DateTime<Utc>, words: &impl Fn(&str) -> String) -> MemoryRow {
    let taught = |word: &str| Taught {
        written: words("We have always loved this place."),
        edited: (index == 1).then(|| words("They opened in 2019.")),
        reason: Some(words(word)),
    };
    MemoryRow {
        memory_id: UuidV4::named(&["memory", &index.to_string()]),
        at: UtcTime(now - TimeDelta::hours(i64::from(index))),
        role: if index == 0 { MemoryRole::User } else { MemoryRole::Assistant },
        content: words("Teff prices fell for a third week."),
        campaign_id: (index < 2).then(|| CAMPAIGN.to_owned()),
        taught: (index > 0).then(|| taught("we never say \"we\"")),
    }
}

fn is_sent(state: &str) -> bool {
    matches!(state, "confirmed" | "reverted")
}

fn campaign(index: usize, status: &str, now: DateTime<Utc>, words: &impl Fn(&str) -> String) -> CampaignDetail {
    let goals = [
        "Explain the coffee market to growers",
        "Introduce three roasters who publish what they pay",
        "Answer what people ask about home brewing",
    ];
    let row = CampaignRow {
        campaign_id: if index == 0 { CAMPAIGN.to_owned() } else { format!("{CAMPAIGN}-{index}") },
        goal: words(goals[index]),
        status: status.to_owned(),
        reason: (status == "paused").then(|| words("new brand rules come on Monday")),
        agent_ids: vec!["selam".to_owned(), "tariku".to_owned(), "lea".to_owned()],
        created_at: UtcTime(now - TimeDelta::days(6)),
        tasks: TaskCounts { open: 9, awaiting_person: 4, complete: 31, given_up: 2 },
        posts_published: 27,
        reviews_pending: 4,
    };
    let mut budget_constraints = Map::new();
    budget_constraints.insert("posts_max".to_owned(), json!(40));
    budget_constraints.insert("posts_per_day".to_owned(), json!(6));
    CampaignDetail {
        row,
        state_version: 3,
        operator_id: words("ada"),
        budget_constraints,
        resource_uris: vec![words("feed://wire.example/markets.xml"), words("feed://gazette.example/coffee.json")],
        last_event: 4,
    }
}

fn task(index: usize, state: &str, now: DateTime<Utc>, words: &impl Fn(&str) -> String) -> TaskRow {
    TaskRow {
        task_id: if index == 0 { UuidV4::named(&["task", "story"]) } else { UuidV4::named(&["task", state]) },
        campaign_id: CAMPAIGN.to_owned(),
        agent_id: "selam".to_owned(),
        state: state.to_owned(),
        what: if index == 5 { "payment".to_owned() } else { "text for bluesky".to_owned() },
        attempt: 1,
        created_at: UtcTime(now - TimeDelta::minutes(40)),
        run_at: (state == "pending").then(|| UtcTime(now + TimeDelta::minutes(25))),
        reason: matches!(state, "returned" | "given_up").then(|| words("the campaign has another goal now")),
    }
}

fn post(index: usize, status: &str, now: DateTime<Utc>, words: &impl Fn(&str) -> String) -> PostRow {
    PostRow {
        post_id: UuidV4::named(&["post", status]),
        task_id: UuidV4::named(&["task", "story"]),
        campaign_id: CAMPAIGN.to_owned(),
        agent_id: "selam".to_owned(),
        platform: ["bluesky", "mastodon", "linkedin", "threads", "instagram"][index].to_owned(),
        status: status.to_owned(),
        text: words("Farm-gate prices in Jimma fell for a third week, the exchange says. AI-generated by @selam"),
        media_uri: None,
        at: Some(UtcTime(now - TimeDelta::hours(1))),
        url: (status == "published").then(|| words("https://social.example/posts/1")),
        reason: matches!(status, "refused" | "unknown").then(|| words("the platform's server did not answer")),
    }
}

fn date(index: usize, status: &str, now: DateTime<Utc>, words: &impl Fn(&str) -> String) -> CalendarRow {
    let hours = [2, 26, 75, 1][index];
    CalendarRow {
        entry_id: UuidV4::named(&["date", &index.to_string()]),
        campaign_id: CAMPAIGN.to_owned(),
        at: UtcTime(now + TimeDelta::hours(hours)),
        about: (index != 1).then(|| words("The auction of the week")),
        agent_id: Some("selam".to_owned()),
        platform: Some("bluesky".to_owned()),
        content_type: "text".to_owned(),
        status: status.to_owned(),
        reason: (status == "missed").then(|| words("the campaign was paused then")),
    }
}

fn trend(index: usize, now: DateTime<Utc>, words: &impl Fn(&str) -> String) -> TrendRow {
    let topics = [["teff prices", "Adama"], ["roasters", "transparency"], ["cold brew", "summer"], ["rain", "harvest"]];
    TrendRow {
        event_id: UuidV4::named(&["trend", &index.to_string()]),
        campaign_id: CAMPAIGN.to_owned(),
        agent_id: "selam".to_owned(),
        found_at: UtcTime(now - TimeDelta::minutes(35)),
        trend: Trend {
            topics: topics[index].map(words).to_vec(),
            cluster_id: format!("cluster-{index}"),
            time_window_start: UtcTime(now - TimeDelta::hours(12)),
            time_window_end: UtcTime(now - TimeDelta::minutes(35)),
            signal_strength: [0.86, 0.64, 0.41, 0.22][index],
            sample_resource_uris: vec![words("https://wire.example/teff"), words("https://gazette.example/teff")],
            new: Some(index == 0),
            phase: Some([TrendPhase::Rising, TrendPhase::Peak, TrendPhase::Fading, TrendPhase::Rising][index]),
        },
        hourly: [[0, 1, 1, 2, 3, 5, 8, 12], [2, 4, 6, 7, 7, 6, 7, 6], [9, 8, 6, 5, 3, 2, 1, 1], [0, 0, 0, 1, 0, 1, 2, 3]][index].to_vec(),
    }
}

fn story(now: DateTime<Utc>, words: &impl Fn(&str) -> String) -> TaskStory {
    let steps = [
        (64, StepKind::Trend, "found", "\"teff prices\" rises: 12 items of 3 sources in an hour", vec!["https://wire.example/teff"]),
        (63, StepKind::Task, "pending", "the Planner queued a text for bluesky", vec![]),
        (61, StepKind::Task, "in_progress", "a Worker took it", vec![]),
        (
            60,
            StepKind::Result,
            "made",
            "a text of 214 characters, confidence 0.74",
            vec!["Teff at the gate in Adama fell to 84 birr a kilo."],
        ),
        (59, StepKind::Decision, "escalate", "the Judge asks a person", vec!["one sentence is doubted"]),
        (59, StepKind::Review, "pending", "a person is asked", vec![]),
        (12, StepKind::Answer, "approved", "grace approved it with an edit", vec!["plainer"]),
        (11, StepKind::Post, "published", "it left for bluesky", vec!["https://social.example/posts/1"]),
        (11, StepKind::Ledger, "post", "entry 3 of the ledger", vec![HASH]),
    ];
    let steps = steps.into_iter().enumerate().map(|(index, (minutes, kind, state, told, details))| StoryStep {
        at: UtcTime(now - TimeDelta::minutes(minutes)),
        kind,
        state: state.to_owned(),
        told: words(told),
        details: details.into_iter().map(words).collect(),
        event: u64::try_from(index).ok().map(|index| index + 1),
    });
    TaskStory {
        task_id: UuidV4::named(&["task", "story"]),
        campaign_id: Some(CAMPAIGN.to_owned()),
        agent_id: Some("selam".to_owned()),
        goal: Some(words("Explain the coffee market to growers")),
        what: words("text for bluesky"),
        steps: steps.collect(),
    }
}
