//! What every page has around it: the rail, the top bar with the freeze, the state of the connection and who is signed in, and on phones
//! the bar at the bottom. A page gives its title and its content.

use super::{
    answers::html_page,
    assets,
    components::{
        chips::{Tone, chip},
        icons::{Icon, icon, patterns},
        values,
    },
    freeze, keys,
};
use crate::{Dashboard, access::Visitor};
use axum::response::Response;
use chimera_core::{
    contracts::views::agents::{Stop, StopKind},
    ports::StoreError,
};
use chrono::{DateTime, Utc};
use maud::{DOCTYPE, Markup, html};

/// Where in mission control a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Review,
    Fleet,
    Campaigns,
    Calendar,
    Trends,
    Money,
    Replay,
    WhatIf,
    Settings,
}

impl Section {
    const ALL: [Self; 9] =
        [Self::Review, Self::Fleet, Self::Campaigns, Self::Calendar, Self::Trends, Self::Money, Self::Replay, Self::WhatIf, Self::Settings];
    /// On a phone the others are behind "More".
    const AT_THE_THUMB: usize = 3;

    fn label(self) -> &'static str {
        match self {
            Self::Review => "Review",
            Self::Fleet => "Fleet",
            Self::Campaigns => "Campaigns",
            Self::Calendar => "Calendar",
            Self::Trends => "Trends",
            Self::Money => "Money",
            Self::Replay => "Replay",
            Self::WhatIf => "What if",
            Self::Settings => "Settings",
        }
    }

    fn href(self) -> &'static str {
        match self {
            Self::Review => "/review",
            Self::Fleet => "/fleet",
            Self::Campaigns => "/campaigns",
            Self::Calendar => "/calendar",
            Self::Trends => "/trends",
            Self::Money => "/money",
            Self::Replay => "/replay",
            Self::WhatIf => "/what-if",
            Self::Settings => "/settings",
        }
    }

    /// What the key that goes there does.
    fn act(self) -> &'static str {
        match self {
            Self::Review => "go-review",
            Self::Fleet => "go-fleet",
            Self::Campaigns => "go-campaigns",
            Self::Calendar => "go-calendar",
            Self::Trends => "go-trends",
            Self::Money => "go-money",
            Self::Replay => "go-replay",
            Self::WhatIf => "go-what-if",
            Self::Settings => "go-settings",
        }
    }

    fn icon(self) -> Icon {
        match self {
            Self::Review => Icon::Review,
            Self::Fleet => Icon::Fleet,
            Self::Campaigns => Icon::Campaigns,
            Self::Calendar => Icon::Calendar,
            Self::Trends => Icon::Trends,
            Self::Money => Icon::Money,
            Self::Replay => Icon::Replay,
            Self::WhatIf => Icon::WhatIf,
            Self::Settings => Icon::Settings,
        }
    }
}

/// A page before the shell is around it.
pub(crate) struct Content {
    /// The page's one `h1`, and what the browser's tab says.
    pub title: String,
    pub section: Section,
    /// Beside the title: the page's own buttons.
    pub tools: Markup,
    pub main: Markup,
    /// Fills the window, its columns scroll by themselves; else it is read from top to bottom.
    pub is_full: bool,
}

/// The whole document.
pub(crate) async fn page(dashboard: &Dashboard, visitor: &Visitor, content: &Content) -> Response {
    match Around::read(dashboard).await {
        Ok(around) => html_page(document(visitor, content, &around)),
        Err(error) => super::answers::failed(&error),
    }
}

/// What the shell itself shows: what stops the whole fleet, and how many reviews wait.
pub(crate) struct Around {
    pub(crate) stops: Vec<Stop>,
    pub(crate) pending_reviews: u64,
    pub(crate) last_event: u64,
    pub(crate) now: DateTime<Utc>,
}

impl Around {
    pub(crate) async fn read(dashboard: &Dashboard) -> Result<Self, StoreError> {
        let last_event = dashboard.events.last().await?;
        let mut stops = dashboard.queries.stops().await?;
        stops.retain(|stop| stop.agent_id.is_none());
        let pending_reviews = dashboard.queries.pending_reviews().await?;
        Ok(Self { stops, pending_reviews, last_event, now: dashboard.clock.now() })
    }
}

fn document(visitor: &Visitor, content: &Content, around: &Around) -> Markup {
    let waiting = if around.pending_reviews > 0 { format!("({}) ", around.pending_reviews) } else { String::new() };
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{waiting}{} · Chimera", content.title)))
            body.mission data-after=(around.last_event) data-person=(visitor.name.as_str()) data-role=(visitor.role.name()) {
                a.skip href="#main" { "Skip to the content" }
                (patterns())
                div.shell {
                    (rail(content.section, around.pending_reviews))
                    (top_bar(visitor, content))
                    main #main .(if content.is_full { "full" } else { "reading" }) tabindex="-1" {
                        (notices(around))
                        (content.main)
                    }
                    (bottom_bar(content.section, around.pending_reviews))
                }
                div #toasts .toasts role="status" aria-live="polite" {}
                (keys::sheet())
                (freeze::dialog())
                (super::components::why::popovers())
            }
        }
    }
}

/// Of every document, the sign-in page's too.
pub(crate) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
            meta name="color-scheme" content="light dark";
            title { (title) }
            link rel="icon" type="image/svg+xml" href=(assets::address("icon.svg"));
            @for sheet in ["mission.css", "review.css", "screens.css"] { link rel="stylesheet" href=(assets::address(sheet)); }
            // Before anything is painted, so that the page does not flash in the other theme.
            script src=(assets::address("theme.js")) {}
            script type="module" src=(assets::address("mission.js")) {}
        }
    }
}

fn rail(here: Section, pending_reviews: u64) -> Markup {
    html! {
        nav.rail aria-label="Sections" {
            a.wordmark href="/review" { (icon(Icon::Mark)) span { "Chimera" } }
            ul { @for section in Section::ALL { li { (section_link(section, here, pending_reviews)) } } }
            button.quiet-line type="button" data-act="keys" { kbd { "?" } span { "Keys" } }
        }
    }
}

fn section_link(section: Section, here: Section, pending_reviews: u64) -> Markup {
    let hint = keys::of_act(section.act()).map(|keys| format!("{} ({keys})", section.label()));
    html! {
        a href=(section.href()) data-go=(section.act()) aria-current=[(section == here).then_some("page")] title=[hint] {
            (icon(section.icon()))
            span.label { (section.label()) }
            @if section == Section::Review { (pending_count(pending_reviews)) }
        }
    }
}

/// By class and not by id: it stands in the rail and at the bottom.
fn pending_count(pending_reviews: u64) -> Markup {
    html! { span.count data-pending=(pending_reviews) hidden[pending_reviews == 0] { (pending_reviews) } }
}

fn bottom_bar(here: Section, pending_reviews: u64) -> Markup {
    let money = Section::ALL.iter().position(|section| *section == Section::Money);
    let is_at_thumb = |index: usize| index < Section::AT_THE_THUMB || Some(index) == money;
    html! {
        nav.bottom aria-label="Sections, for phones" {
            @for (index, section) in Section::ALL.into_iter().enumerate() {
                @if is_at_thumb(index) { (section_link(section, here, pending_reviews)) }
            }
            details.more-menu {
                summary { (icon(Icon::More)) span.label { "More" } }
                div {
                    @for (index, section) in Section::ALL.into_iter().enumerate() {
                        @if !is_at_thumb(index) { (section_link(section, here, pending_reviews)) }
                    }
                }
            }
        }
    }
}

fn top_bar(visitor: &Visitor, content: &Content) -> Markup {
    html! {
        header.top {
            h1 { (content.title) }
            div.tools { (content.tools) }
            span #connection .connection data-state="opening" role="status" { span.dot {} span.word { "Connecting" } }
            span.person title="Who is signed in" {
                span.name { (visitor.name.as_str()) }
                (chip(Tone::Neutral, visitor.role.name()))
            }
            (freeze::button(visitor.role))
        }
    }
}

/// What holds for the whole page and cannot be closed; the script replaces it when a hint of a stop comes.
pub(crate) fn notices(around: &Around) -> Markup {
    html! {
        div #notices data-live="/fragments/notices" data-live-kinds="stop review answer" data-pending-now=(around.pending_reviews) {
            @for stop in &around.stops { (stop_bar(stop, around.now)) }
        }
    }
}

fn stop_bar(stop: &Stop, now: DateTime<Utc>) -> Markup {
    let (what, tone) = match stop.kind {
        StopKind::Freeze => ("The fleet is frozen: no money moves. Posts go on.", "stop-bar freeze"),
        StopKind::Hold => ("The wallets are held: no money moves. Posts go on.", "stop-bar freeze"),
        // Of single agents only.
        StopKind::Retired => ("Retired.", "stop-bar pause"),
        StopKind::Pause => ("The fleet is paused: nothing is begun or published.", "stop-bar pause"),
    };
    html! {
        div class=(tone) role="alert" {
            (icon(Icon::Warning))
            p {
                strong { (what) } " "
                (super::components::outside_line(&stop.reason))
                span.by { " by " (super::components::outside_line(&stop.by)) ", " (values::time(stop.since, now)) }
            }
            @if stop.kind == StopKind::Freeze { button.button type="button" data-act="freeze" { "What happened since, and how to lift it" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chimera_core::contracts::views::people::Role;

    fn shown(title: &str) -> String {
        let visitor = Visitor { name: "ada".parse().unwrap(), role: Role::Reviewer };
        let stop = Stop {
            kind: StopKind::Freeze,
            agent_id: None,
            reason: "<i>\u{202E}".to_owned(),
            by: "<b>".to_owned(),
            since: "2026-11-19T04:00:00Z".parse().unwrap(),
        };
        let now = "2026-11-19T05:00:00Z".parse().unwrap();
        let around = Around { stops: vec![stop], pending_reviews: 3, last_event: 17, now };
        let content = Content { title: title.to_owned(), section: Section::Fleet, tools: html! {}, main: html! {}, is_full: false };
        document(&visitor, &content, &around).into_string()
    }

    #[test]
    fn a_page_has_one_heading_its_landmarks_and_one_place_where_it_is() {
        let page = shown("Fleet");

        assert_eq!(page.matches("<h1").count(), 1);
        assert_eq!(page.matches("<main").count(), 1);
        assert_eq!(page.matches("aria-current=\"page\"").count(), 2, "in the rail and at the bottom");
        assert!(page.contains("href=\"#main\"") && page.contains("data-after=\"17\"") && page.contains("<title>(3) Fleet"));
    }

    #[test]
    fn a_frozen_fleet_is_told_on_every_page_in_the_words_of_whoever_froze_it_and_nothing_of_them_is_markup() {
        let page = shown("<script>");

        assert!(page.contains("The fleet is frozen") && page.contains("&lt;i&gt;<span class=\"hidden-mark\""), "{page}");
        assert!(!page.contains("<i>") && !page.contains("<b>") && !page.contains("<script>("));
    }
}
