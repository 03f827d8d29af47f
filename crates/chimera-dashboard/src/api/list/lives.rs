//! Routes about an agent's life after it is made.

use super::super::{
    changing::lives,
    reading::{ListQuery, souls},
    route::{
        Method::{Get, Post, Put},
        Route,
    },
};
use super::{CREATED, OK};
use chimera_core::contracts::views::{
    Page,
    people::Role::{Operator, Viewer},
    souls::SoulVersion,
};

pub(super) fn about_lives() -> Vec<Route> {
    vec![
        Route::new((Get, "/api/agents/{agent_id}/souls"), "souls", Viewer, "Every SOUL that an agent had, newest first.", souls::souls)
            .query::<ListQuery>()
            .answers::<Page<SoulVersion>>(OK)
            .refuses(&[404])
            .tagged(),
        Route::new(
            (Put, "/api/agents/{agent_id}/soul"),
            "change_soul",
            Operator,
            "Gives an agent another SOUL, by which it works from its next task on; its id and its wallet stay.",
            lives::change_soul,
        )
        .body::<lives::NewSoul>()
        .answers::<lives::SoulChanged>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
        Route::new(
            (Post, "/api/agents/{agent_id}/retire"),
            "retire_agent",
            Operator,
            "Retires an agent: it plans, hears, publishes and pays nothing more, and what it began ends.",
            lives::retire,
        )
        .body::<lives::Retiring>()
        .answers::<lives::RetiredAgent>(OK)
        .refuses(&[404]),
        Route::new((Post, "/api/agents/{agent_id}/reinstate"), "reinstate_agent", Operator, "Lets a retired agent work again.", {
            lives::reinstate
        })
        .refuses(&[404, 409]),
        Route::new(
            (Post, "/api/agents/{agent_id}/fund"),
            "fund_agent",
            Operator,
            "Gives an agent play money, where the program runs a chain of its own.",
            lives::fund,
        )
        .answers::<lives::Funded>(CREATED)
        .refuses(&[404, 409, 503])
        .repeatable(),
    ]
}
