//! Campaigns that people shape: budget, agents, an end, and the plan.

use super::{CREATED, OK};
use crate::api::{
    changing::{plans as change_plans, shaping},
    reading::plans,
    route::{
        Method::{Delete, Get, Post, Put},
        Route,
    },
};
use chimera_core::contracts::views::{
    people::Role::{Operator, Viewer},
    plans::{PlanView, PlannedRow},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            (Put, "/api/campaigns/{campaign_id}/budget"),
            "change_budget",
            Operator,
            "Gives it other limits, at any time. What is begun keeps what it was begun with; the answer says what ends.",
            shaping::budget,
        )
        .body::<shaping::NewBudget>()
        .answers::<shaping::Budgeted>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
        Route::new(
            (Put, "/api/campaigns/{campaign_id}/agents"),
            "change_agents",
            Operator,
            "Gives it other agents: what is not begun of those that leave is given up.",
            shaping::agents,
        )
        .body::<shaping::NewAgents>()
        .answers::<crate::api::changing::campaigns::Changed>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
        Route::new(
            (Delete, "/api/campaigns/{campaign_id}"),
            "delete_campaign",
            Operator,
            "Ends it and takes it off every list, once nothing of it is in flight. No record of it is removed.",
            shaping::delete,
        )
        .answers::<shaping::Deleted>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
        Route::new(
            (Get, "/api/campaigns/{campaign_id}/plan"),
            "plan",
            Viewer,
            "What it would do, as it was last looked at, and what people made of it.",
            plans::plan,
        )
        .answers::<PlanView>(OK)
        .refuses(&[404])
        .tagged(),
        Route::new(
            (Post, "/api/campaigns/{campaign_id}/plan/tasks"),
            "add_task",
            Operator,
            "Adds a post that you ask for to the plan.",
            change_plans::add,
        )
        .body::<change_plans::NewTask>()
        .answers::<change_plans::Added>(CREATED)
        .refuses(&[404, 409, 412])
        .repeatable()
        .tagged(),
        Route::new(
            (Put, "/api/campaigns/{campaign_id}/plan/tasks/{task_id}"),
            "instruct_task",
            Operator,
            "Says what a task that is not begun is to say, and when it may begin.",
            change_plans::instruct,
        )
        .body::<change_plans::Instruction>()
        .answers::<PlannedRow>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
        Route::new(
            (Delete, "/api/campaigns/{campaign_id}/plan/tasks/{task_id}"),
            "drop_task",
            Operator,
            "Drops a task that is not begun: it is not made.",
            change_plans::drop,
        )
        .answers::<PlannedRow>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
        Route::new(
            (Post, "/api/campaigns/{campaign_id}/plan/tasks/{task_id}/restore"),
            "put_task_back",
            Operator,
            "Puts a dropped task back.",
            change_plans::put_back,
        )
        .answers::<PlannedRow>(OK)
        .refuses(&[404, 409, 412])
        .tagged(),
    ]
}
