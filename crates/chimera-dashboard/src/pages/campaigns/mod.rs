//! `/campaigns` and what is below it: the list, a new one, one with all that it made. Draws the views; changes go through `/api`.

mod detail;
mod list;
mod new;
mod plan;
mod shaping;
mod tasks;

use super::{
    agents::campaign_status as status,
    answers::{failed, fragment, missing},
    components::{Look, button_link, empty},
    row_ids::RowIds,
    shell::{self, Content, Section},
};
use crate::{Dashboard, access::Visitor, planned};
use axum::{
    Extension, Router,
    extract::{Path, Query, State},
    response::Response,
    routing::get,
};
use chimera_core::{
    contracts::views::people::Role,
    ports::{
        StoreError,
        queries::{Cursor, PageOf, PostFilter},
    },
};
use chrono::TimeDelta;
use detail::Whole;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

/// Of the list.
const CAMPAIGNS_SHOWN: usize = 50;
/// Of each list on a campaign's page.
const ROWS_SHOWN: usize = 20;
/// Dates that passed and may still be asked about.
const CALENDAR_BACK: TimeDelta = TimeDelta::days(7);

pub(super) fn routes() -> Router<Arc<Dashboard>> {
    Router::new()
        .route("/campaigns", get(show_list))
        .route("/campaigns/new", get(show_new))
        .route("/campaigns/{campaign_id}", get(show))
        .route("/fragments/campaigns", get(show_rows))
        .route("/fragments/campaigns/{campaign_id}/standing", get(show_standing))
        .route("/fragments/campaigns/{campaign_id}/tasks", get(show_tasks))
        .route("/fragments/campaigns/{campaign_id}/plan", get(show_plan))
}

#[derive(Deserialize, Default)]
pub(super) struct Asked {
    cursor: Option<String>,
    tasks: Option<String>,
    posts: Option<String>,
}

/// What is no cursor begins at the beginning: it came from an address that somebody typed.
fn page_of(rows: usize, cursor: Option<&str>) -> PageOf {
    cursor.and_then(|cursor| cursor.parse::<Cursor>().ok()).into_iter().fold(PageOf::first(rows), PageOf::after)
}

pub(super) async fn show_list(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Query(asked): Query<Asked>,
) -> Response {
    let page = match dashboard.queries.campaigns(&page_of(CAMPAIGNS_SHOWN, asked.cursor.as_deref())).await {
        Ok(page) => page,
        Err(error) => return failed(&error),
    };
    let tools = html! { @if visitor.role >= Role::Operator { (button_link(Look::Primary, "/campaigns/new", "New campaign")) } };
    let main = list::view(&page, visitor.role, dashboard.clock.now());
    wrapped(&dashboard, &visitor, "Campaigns", tools, main).await
}

async fn show_rows(State(dashboard): State<Arc<Dashboard>>, Query(asked): Query<RowIds>) -> Response {
    let now = dashboard.clock.now();
    let mut rows = Vec::new();
    for id in asked.all() {
        match dashboard.queries.campaign(id).await {
            Ok(campaign) => rows.extend(campaign.map(|campaign| list::row(&campaign.row, now))),
            Err(error) => return failed(&error),
        }
    }
    fragment(html! { @for row in &rows { (row) } })
}

pub(super) async fn show_new(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>) -> Response {
    let main = if visitor.role < Role::Operator {
        empty("Campaigns are begun by operators.", &button_link(Look::Plain, "/campaigns", "To the campaigns"))
    } else {
        match dashboard.fleet().await {
            Ok(fleet) => new::view(&fleet.agents),
            Err(error) => return failed(&error),
        }
    };
    wrapped(&dashboard, &visitor, "New campaign", html! {}, main).await
}

pub(super) async fn show(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Response {
    match whole(&dashboard, &id, &asked, visitor.role).await {
        Ok(Some(whole)) => {
            let main = detail::view(&whole, visitor.role, dashboard.clock.now());
            wrapped(&dashboard, &visitor, "Campaign", html! {}, main).await
        }
        Ok(None) => missing("campaign"),
        Err(error) => failed(&error),
    }
}

async fn whole(dashboard: &Dashboard, id: &str, asked: &Asked, role: Role) -> Result<Option<Whole>, StoreError> {
    let queries = &dashboard.queries;
    let Some(campaign) = queries.campaign(id).await? else { return Ok(None) };
    let filter = PostFilter { campaign_id: Some(id.to_owned()), agent: None };
    Ok(Some(Whole {
        plan: planned::view(id, &dashboard.plans.plan(id).await?),
        agents: if role >= Role::Operator { dashboard.fleet().await?.agents } else { Vec::new() },
        campaign,
        tasks: queries.tasks(id, &page_of(ROWS_SHOWN, asked.tasks.as_deref())).await?,
        posts: queries.posts(&filter, &page_of(ROWS_SHOWN, asked.posts.as_deref())).await?,
        calendar: queries.calendar(Some(id), dashboard.clock.now() - CALENDAR_BACK, &PageOf::first(ROWS_SHOWN)).await?,
        trends: queries.trends(Some(id), &PageOf::first(ROWS_SHOWN)).await?,
    }))
}

async fn show_standing(
    State(dashboard): State<Arc<Dashboard>>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    match dashboard.queries.campaign(&id).await {
        Ok(Some(campaign)) => fragment(detail::standing(&campaign, visitor.role, dashboard.clock.now())),
        Ok(None) => missing("campaign"),
        Err(error) => failed(&error),
    }
}

async fn show_plan(State(dashboard): State<Arc<Dashboard>>, Extension(visitor): Extension<Visitor>, Path(id): Path<String>) -> Response {
    let read = async {
        let Some(campaign) = dashboard.queries.campaign(&id).await? else { return Ok(None) };
        Ok::<_, StoreError>(Some((campaign, planned::view(&id, &dashboard.plans.plan(&id).await?))))
    };
    match read.await {
        Ok(Some((campaign, plan))) => fragment(plan::tree(&campaign, &plan, visitor.role, dashboard.clock.now())),
        Ok(None) => missing("campaign"),
        Err(error) => failed(&error),
    }
}

/// Of the newest: what is older moves no more.
async fn show_tasks(State(dashboard): State<Arc<Dashboard>>, Path(id): Path<String>, Query(asked): Query<RowIds>) -> Response {
    let ids = asked.all();
    match dashboard.queries.tasks(&id, &PageOf::first(PageOf::LIMIT_MAX)).await {
        Ok(page) => {
            let now = dashboard.clock.now();
            fragment(
                html! { @for task in page.items.iter().filter(|task| ids.contains(task.task_id.to_string().as_str())) { (tasks::row(task, now)) } },
            )
        }
        Err(error) => failed(&error),
    }
}

async fn wrapped(dashboard: &Dashboard, visitor: &Visitor, title: &str, tools: Markup, main: Markup) -> Response {
    let content = Content { title: title.to_owned(), section: Section::Campaigns, tools, main, is_full: false };
    shell::page(dashboard, visitor, &content).await
}
