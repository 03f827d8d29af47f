//! THE LIST: every route below `/api`. The router, the OpenAPI document and the readable page are made from it, and a test walks it.

mod lives;
mod shaping;

use super::{
    changing::{
        agents as change_agents, answers, calendar, campaigns as change_campaigns, memories as change_memories, people, revocations, stops,
        wallets,
    },
    document,
    reading::{ListQuery, OfAgentQuery, OfCampaignQuery, agents, campaigns, events, export, hindsight, memories, money, reviews},
    route::{
        Method::{Delete, Get, Post, Put},
        Route,
    },
};
use crate::live::{self, Live};
use axum::http::StatusCode;
use chimera_core::contracts::views::{
    Page,
    agents::{AgentDetail, Fleet, Stop},
    campaigns::{CalendarRow, CampaignDetail, CampaignRow, PostRow, TaskRow},
    memories::MemoryRow,
    money::{ExportedEntry, LedgerRow, TransferRow},
    people::Role::{Operator, Owner, Reviewer, Viewer},
    reviews::{ReviewDetail, ReviewRow},
    stories::TaskStory,
    trends::TrendRow,
    wallets::{CancelledTransfer, ReconciledWallet},
};
use std::sync::Arc;

const OK: StatusCode = StatusCode::OK;
const CREATED: StatusCode = StatusCode::CREATED;
const ACCEPTED: StatusCode = StatusCode::ACCEPTED;

/// Signing in and out (`/api/session`) is beside this list: it needs no role, and stands with the cookies in `access`.
pub(super) fn all() -> Vec<Route> {
    let parts = [
        about_agents(),
        about_memories(),
        lives::about_lives(),
        about_reviews(),
        about_campaigns(),
        about_posts(),
        about_money(),
        about_stops(),
        about_people(),
        about_the_api(),
    ];
    parts.into_iter().flatten().chain(shaping::routes()).chain(hindsight::routes()).collect()
}

fn about_agents() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/fleet"), "fleet", Viewer, "Every agent at a glance, and what stops all of them.", agents::fleet)
            .answers::<Fleet>(OK),
        Route::new((Get, "/api/agents/{agent_id}"), "agent", Viewer, "One agent, whole.", agents::agent)
            .answers::<AgentDetail>(OK)
            .refuses(&[404]),
        Route::new((Get, "/api/agents/{agent_id}/balances"), "balances", Viewer, "What is in an agent's wallet now.", agents::balances)
            .answers::<agents::Balances>(OK)
            .refuses(&[404]),
        Route::new((Post, "/api/agents"), "create_agent", Operator, "Makes an agent with a wallet.", change_agents::create)
            .body::<change_agents::NewAgent>()
            .answers::<change_agents::Created>(CREATED)
            .refuses(&[409, 503])
            .repeatable(),
        Route::new(
            (Post, "/api/agents/check"),
            "check_soul",
            Operator,
            "Says what is wrong with a SOUL, and changes nothing.",
            change_agents::check,
        )
        .body::<change_agents::GivenSoul>()
        .answers::<change_agents::Checked>(OK),
    ]
}

fn about_memories() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/agents/{agent_id}/memories"), "memories", Viewer, "What an agent remembers, newest first.", {
            memories::memories
        })
        .query::<ListQuery>()
        .answers::<Page<MemoryRow>>(OK)
        .refuses(&[404]),
        Route::new(
            (Delete, "/api/agents/{agent_id}/memories/{memory_id}"),
            "forget",
            Operator,
            "Makes an agent forget one memory, for good.",
            change_memories::forget,
        )
        .refuses(&[404]),
        Route::new(
            (Post, "/api/agents/{agent_id}/forget"),
            "forget_before",
            Operator,
            "Makes an agent forget all that it remembers from before a moment, for good.",
            change_memories::forget_before,
        )
        .body::<change_memories::OldMemories>()
        .answers::<change_memories::Forgotten>(OK)
        .refuses(&[404]),
    ]
}

fn about_reviews() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/reviews"), "reviews", Viewer, "What waits for a person, or was decided.", reviews::reviews)
            .query::<reviews::ReviewsQuery>()
            .answers::<Page<ReviewRow>>(OK),
        Route::new((Get, "/api/reviews/{review_id}"), "review", Viewer, "Everything that a person needs to decide.", reviews::review)
            .answers::<ReviewDetail>(OK)
            .refuses(&[404]),
        Route::new(
            (Post, "/api/reviews/{review_id}/answer"),
            "answer_review",
            Reviewer,
            "Answers a review, of money as an operator. It takes effect in some seconds, and can be taken back until then.",
            answers::answer,
        )
        .body::<answers::Answer>()
        .answers::<answers::Held>(ACCEPTED)
        .refuses(&[404, 409]),
        Route::new(
            (Delete, "/api/reviews/{review_id}/answer"),
            "take_answer_back",
            Reviewer,
            "Takes one's own answer back before it takes effect.",
            answers::take_back,
        )
        .refuses(&[404, 409]),
        Route::new(
            (Post, "/api/reviews/{review_id}/revoke"),
            "revoke_approval",
            Operator,
            "Takes the approval of a payment back before it is used: at once, and the payment is never made.",
            revocations::revoke,
        )
        .body::<revocations::NewRevocation>()
        .answers::<revocations::Ended>(OK)
        .refuses(&[404, 409])
        .repeatable(),
        Route::new(
            (Post, "/api/reviews/answers"),
            "answer_reviews",
            Reviewer,
            "Answers many reviews of content alike; each may be refused for itself.",
            answers::answer_many,
        )
        .body::<answers::Answers>()
        .answers::<answers::Outcomes>(OK),
    ]
}

fn about_campaigns() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/campaigns"), "campaigns", Viewer, "Campaigns, newest first.", campaigns::campaigns)
            .query::<ListQuery>()
            .answers::<Page<CampaignRow>>(OK),
        Route::new((Get, "/api/campaigns/{campaign_id}"), "campaign", Viewer, "One campaign.", campaigns::campaign)
            .answers::<CampaignDetail>(OK)
            .refuses(&[404])
            .tagged(),
        Route::new((Get, "/api/campaigns/{campaign_id}/tasks"), "tasks", Viewer, "A campaign's tasks, newest first.", campaigns::tasks)
            .query::<ListQuery>()
            .answers::<Page<TaskRow>>(OK)
            .refuses(&[404]),
        Route::new((Post, "/api/campaigns"), "create_campaign", Operator, "Makes a campaign; it does nothing until it is started.", {
            change_campaigns::create
        })
        .body::<change_campaigns::NewCampaign>()
        .answers::<change_campaigns::Created>(CREATED)
        .refuses(&[404, 409])
        .repeatable(),
        Route::new(
            (Post, "/api/campaigns/{campaign_id}/plan"),
            "plan_campaign",
            Operator,
            "What it would do now. Reads the world, and queues nothing.",
            change_campaigns::plan,
        )
        .answers::<serde_json::Map<String, serde_json::Value>>(OK)
        .refuses(&[404, 409, 503]),
        Route::new((Post, "/api/campaigns/{campaign_id}/start"), "start_campaign", Operator, "Starts it.", change_campaigns::start)
            .answers::<change_campaigns::Changed>(OK)
            .refuses(&[404, 409, 412])
            .tagged(),
        Route::new(
            (Post, "/api/campaigns/{campaign_id}/pause"),
            "pause_campaign",
            Reviewer,
            "Stops a running campaign.",
            change_campaigns::pause,
        )
        .body::<change_campaigns::Reason>()
        .answers::<change_campaigns::Changed>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
        Route::new((Post, "/api/campaigns/{campaign_id}/resume"), "resume_campaign", Operator, "Lets it go on.", change_campaigns::resume)
            .answers::<change_campaigns::Changed>(OK)
            .refuses(&[404, 409, 412])
            .tagged(),
        Route::new(
            (Put, "/api/campaigns/{campaign_id}/goal"),
            "change_goal",
            Operator,
            "Gives it another goal: what was planned for the old one is dropped.",
            change_campaigns::change_goal,
        )
        .body::<change_campaigns::NewGoal>()
        .answers::<change_campaigns::Changed>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
    ]
}

fn about_posts() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/calendar"), "calendar", Viewer, "What is to be posted on days named before.", campaigns::calendar)
            .query::<campaigns::CalendarQuery>()
            .answers::<Page<CalendarRow>>(OK),
        Route::new(
            (Post, "/api/campaigns/{campaign_id}/calendar"),
            "schedule",
            Operator,
            "Puts a post on a campaign's calendar.",
            calendar::schedule,
        )
        .body::<calendar::NewEntry>()
        .answers::<calendar::Scheduled>(CREATED)
        .refuses(&[404, 409])
        .repeatable(),
        Route::new(
            (Delete, "/api/campaigns/{campaign_id}/calendar/{entry_id}"),
            "unschedule",
            Operator,
            "Takes a post off the calendar before its day comes.",
            calendar::unschedule,
        )
        .refuses(&[404, 409]),
        Route::new((Get, "/api/posts"), "posts", Viewer, "Posts, newest first.", campaigns::posts)
            .query::<campaigns::PostsQuery>()
            .answers::<Page<PostRow>>(OK),
        Route::new((Get, "/api/trends"), "trends", Viewer, "What rises, newest first.", campaigns::trends)
            .query::<OfCampaignQuery>()
            .answers::<Page<TrendRow>>(OK),
        Route::new((Get, "/api/stories/{task_id}"), "story", Viewer, "Every step of one task, from the first item to the act.", {
            campaigns::story
        })
        .answers::<TaskStory>(OK)
        .refuses(&[404]),
    ]
}

fn about_money() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/ledger"), "ledger", Viewer, "What was done in the world, newest first.", money::ledger)
            .query::<OfAgentQuery>()
            .answers::<Page<LedgerRow>>(OK),
        Route::new((Get, "/api/ledger/verification"), "verify_ledger", Viewer, "Whether the ledger is as it was written.", {
            money::verification
        })
        .answers::<money::Verification>(OK),
        Route::new(
            (Get, "/api/ledger.csv"),
            "export_ledger_csv",
            Viewer,
            "The whole ledger, oldest first, for a spreadsheet.",
            export::csv,
        )
        .answers_with("text/csv"),
        Route::new((Get, "/api/ledger.json"), "export_ledger_json", Viewer, "The whole ledger, oldest first.", export::json)
            .answers::<Vec<ExportedEntry>>(OK),
        Route::new((Get, "/api/results"), "results", Viewer, "Profit and loss by day, agent and asset, from the ledger's postings.", {
            money::results
        })
        .query::<money::ResultsQuery>()
        .answers::<money::Results>(OK),
        Route::new((Get, "/api/transfers"), "transfers", Viewer, "Payments, wherever they stand, newest first.", money::transfers)
            .query::<OfAgentQuery>()
            .answers::<Page<TransferRow>>(OK),
        Route::new(
            (Post, "/api/transfers/{task_id}/cancel"),
            "cancel_transfer",
            Operator,
            "Sends what cancels a transfer that is signed and does not land. Whichever of the two lands counts.",
            wallets::cancel,
        )
        .answers::<CancelledTransfer>(OK)
        .refuses(&[404, 409, 503])
        .repeatable(),
        Route::new(
            (Post, "/api/agents/{agent_id}/reconcile"),
            "reconcile",
            Operator,
            "Reads what the wallet sent that the book does not know, writes it down, and lifts the wallet's hold.",
            wallets::reconcile,
        )
        .answers::<ReconciledWallet>(OK)
        .refuses(&[404, 409, 503])
        .repeatable(),
    ]
}

fn about_stops() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/stops"), "stops", Viewer, "What stops the fleet or single agents now.", agents::stops)
            .answers::<agents::Stops>(OK),
        Route::new(
            (Post, "/api/freezes"),
            "freeze",
            Reviewer,
            "Stops the money of one agent, or of all: nothing is signed or sent to a chain; posts go on.",
            stops::freeze,
        )
        .body::<stops::NewStop>()
        .answers::<Stop>(CREATED)
        .refuses(&[404])
        .repeatable(),
        Route::new((Delete, "/api/freezes/{scope}"), "unfreeze", Owner, "Lifts a freeze.", stops::unfreeze).refuses(&[404]),
        Route::new((Post, "/api/pauses"), "pause", Reviewer, "Stops the work of one agent, or of all: nothing is claimed or published.", {
            stops::pause
        })
        .body::<stops::NewStop>()
        .answers::<Stop>(CREATED)
        .refuses(&[404])
        .repeatable(),
        Route::new((Delete, "/api/pauses/{scope}"), "unpause", Operator, "Lifts a pause.", stops::unpause).refuses(&[404]),
    ]
}

fn about_people() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/people"), "people", Owner, "Who can sign in.", people::list).answers::<people::People>(OK),
        Route::new((Post, "/api/people"), "add_person", Owner, "Adds somebody; their key is shown this once.", people::add)
            .body::<people::NewPerson>()
            .answers::<people::Added>(CREATED)
            .refuses(&[409]),
        Route::new((Delete, "/api/people/{name}"), "remove_person", Owner, "Removes somebody, and signs them out everywhere.", {
            people::remove
        })
        .refuses(&[404, 409]),
        Route::new((Post, "/api/people/{name}/link"), "make_link", Owner, "Makes a link that signs somebody in once.", people::link)
            .answers::<people::Link>(CREATED)
            .refuses(&[404]),
    ]
}

fn about_the_api() -> Vec<Route> {
    let live = Arc::new(Live::default());
    let listen = move |dashboard, call| live::listen(live.clone(), dashboard, call);
    vec![
        Route::new((Get, "/api/events"), "events", Viewer, "The event log: what changed, in order.", events::events)
            .query::<events::EventsQuery>()
            .answers::<events::EventList>(OK),
        Route::new(
            (Get, "/api/live"),
            "live",
            Viewer,
            "The event log as it grows, as server-sent events that hint at what changed.",
            listen,
        )
        .query::<live::LiveQuery>()
        .answers_with("text/event-stream")
        .refuses(&[429, 503]),
        Route::new((Get, "/api/openapi.json"), "openapi", Viewer, "This API, as an OpenAPI 3.1 document.", document::openapi)
            .answers_with("application/json"),
        Route::new((Get, "/api"), "readable", Viewer, "This API, as a page.", document::readable).answers_with("text/html"),
    ]
}
