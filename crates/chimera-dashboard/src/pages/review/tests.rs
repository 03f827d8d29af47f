//! The inbox over the sample, as each role sees it, and with strings that want to be more than text.

use super::*;
use crate::testing::{Sample, pages_as};
use axum::{body::Body, http::Request};
use chimera_core::{ports::clock::Clock, testing::fake_clock::ManualClock};
use tower::ServiceExt;

const NOW: &str = "2026-11-19T05:00:00Z";
const HOSTILE: &str = "\"><script>alert(1)</script><img src=x onerror=alert(1)>' style=x onclick='alert(1)\u{202E}javascript:alert(1)";

/// The paths of every review there is, with the pages that hold lists.
fn paths(sample: &Sample) -> Vec<String> {
    let ids: Vec<String> = sample.facts().reviews.iter().map(|review| review.row.review_id.to_string()).collect();
    let mut paths = vec!["/review".to_owned(), "/review?status=decided".to_owned(), "/login".to_owned(), "/fragments/notices".to_owned()];
    paths.push(format!("/fragments/reviews?ids={}", ids.join(",")));
    paths.extend(ids.iter().flat_map(|id| [format!("/review/{id}"), format!("/fragments/review/{id}")]));
    paths
}

async fn read(sample: &Arc<Sample>, role: Role, path: &str) -> String {
    let pages = pages_as(sample.dashboard(Arc::new(ManualClock::at(NOW))), "ada", role);
    let response = pages.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    assert!(response.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'; script-src 'self'"), "{path}");
    String::from_utf8(axum::body::to_bytes(response.into_body(), 10_000_000).await.unwrap().to_vec()).unwrap()
}

fn sample(words: impl Fn(&str) -> String) -> Arc<Sample> {
    Sample::new(3, ManualClock::at(NOW).now(), words)
}

/// Attribute names of all tags: what stands in quotes is left out.
fn attributes(html: &str) -> Vec<String> {
    let mut outside_quotes = String::new();
    for (index, part) in html.split('"').enumerate() {
        outside_quotes.push_str(if index % 2 == 0 { part } else { "_" });
    }
    let tags = outside_quotes.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag.to_owned()));
    tags.flat_map(|tag| tag.split_whitespace().skip(1).map(|one| one.split('=').next().unwrap_or_default().to_owned()).collect::<Vec<_>>())
        .collect()
}

/// A text that is edited is the very text; what hides in it is drawn beside it.
fn without_textarea(html: &str) -> String {
    let Some((before, rest)) = html.split_once("<textarea") else { return html.to_owned() };
    let (_, after) = rest.split_once("</textarea>").unwrap();
    assert!(after.contains("U+202E"));
    format!("{before}{}", without_textarea(after))
}

#[tokio::test]
async fn what_others_wrote_is_text_wherever_it_is_shown() {
    let sample = sample(|_| HOSTILE.to_owned());
    for path in paths(&sample) {
        let html = without_textarea(&read(&sample, Role::Owner, &path).await);
        for markup in ["<script>alert", "<img src=x", "onerror=alert(1)>", "href=\"javascript:", "src=\"x", "\u{202E}"] {
            assert!(!html.contains(markup), "{path} has {markup}");
        }
    }
}

#[tokio::test]
async fn no_page_has_a_style_attribute_an_inline_handler_or_a_script_of_its_own() {
    let sample = sample(str::to_owned);
    for path in paths(&sample) {
        let html = read(&sample, Role::Owner, &path).await;
        for name in attributes(&html) {
            assert!(name != "style" && !name.starts_with("on"), "{path} has the attribute {name}");
        }
        for script in html.split("<script").skip(1) {
            assert!(script.contains("src=\"/static/") && script.contains("></script>"), "{path}: <script{script:.80}");
        }
    }
}

#[tokio::test]
async fn who_may_not_decide_is_shown_no_way_to() {
    let sample = sample(str::to_owned);
    let of_kind = |kind| sample.facts().reviews.iter().find(|review| review.row.kind == kind).map(|review| review.row.review_id).unwrap();
    let (content, money) = (of_kind(ReviewKind::Content), of_kind(ReviewKind::Money));
    for (role, id, may) in
        [(Role::Viewer, content, false), (Role::Reviewer, content, true), (Role::Reviewer, money, false), (Role::Operator, money, true)]
    {
        let html = read(&sample, role, &format!("/fragments/review/{id}")).await;
        assert_eq!(html.contains("data-act=\"approve\""), may, "{role:?}");
        assert_eq!(html.contains("data-act=\"reject\""), may, "{role:?}");
    }
    let viewers = read(&sample, Role::Viewer, "/review").await;
    assert!(!viewers.contains("data-mark=") && !viewers.contains("data-act=\"freeze\""), "a viewer marks nothing and freezes nothing");
}

#[tokio::test]
async fn money_is_never_marked_and_is_paid_in_a_dialog_that_repeats_it() {
    let sample = sample(str::to_owned);
    let money: Vec<_> = sample.facts().reviews.iter().filter(|review| review.payment.is_some()).cloned().collect();
    let list = read(&sample, Role::Owner, "/review").await;
    assert_eq!(money.len(), 2);
    for review in money {
        let id = review.row.review_id;
        assert!(!list.contains(&format!("data-mark=\"{id}\"")));
        let html = read(&sample, Role::Owner, &format!("/fragments/review/{id}")).await;
        let dialog = &html[html.find("<dialog").unwrap()..html.find("</dialog>").unwrap()];
        assert!(dialog.contains("0.06 ETH") && dialog.contains("tariku") && dialog.contains(&review.payment.as_ref().unwrap().to_address));
        assert!(dialog.contains("autofocus>Cancel"), "{dialog}");
        assert_eq!(dialog.contains("confirm_address"), review.payment.unwrap().looks_like.is_some());
    }
}

#[tokio::test]
async fn an_edited_text_is_measured_in_the_platforms_unit_and_compared() {
    let sample = sample(str::to_owned);
    let id = sample.facts().reviews[1].row.review_id;
    let pages = pages_as(sample.dashboard(Arc::new(ManualClock::at(NOW))), "ada", Role::Reviewer);
    let body = serde_json::json!({ "text": format!("Teff {}", "é".repeat(300)) }).to_string();
    let request =
        Request::post(format!("/fragments/review/{id}/edited")).header("content-type", "application/json").body(Body::from(body)).unwrap();

    let response = pages.oneshot(request).await.unwrap();

    let html = String::from_utf8(axum::body::to_bytes(response.into_body(), 100_000).await.unwrap().to_vec()).unwrap();
    assert!(html.contains("305 of 300") && html.contains("does not fit") && html.contains("<ins>") && html.contains("<del>"), "{html}");
}

#[tokio::test]
async fn old_and_odd_addresses_still_open_the_inbox_and_unknown_reviews_are_told() {
    let sample = sample(str::to_owned);
    read(&sample, Role::Viewer, "/review?status=x&kind=y&agent=../..&cursor=-1").await;
    for path in ["/review/x", "/review/3f2504e0-4f89-41d3-9a0c-0305e82c3301"] {
        let pages = pages_as(sample.dashboard(Arc::new(ManualClock::at(NOW))), "ada", Role::Viewer);
        let response = pages.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
}
