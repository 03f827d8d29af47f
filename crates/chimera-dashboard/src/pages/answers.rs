//! Answers of HTML: a whole page, a fragment of one, or a page that says what went wrong. Each carries the policy under which the browser
//! runs nothing but our own files.

use super::{assets, shell};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use chimera_core::ports::StoreError;
use maud::{DOCTYPE, Markup, html};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types chimera";

pub(crate) fn html_page(document: Markup) -> Response {
    answer(StatusCode::OK, document)
}

/// Parts of a page, each with the id of what it replaces.
pub(crate) fn fragment(parts: Markup) -> Response {
    answer(StatusCode::OK, parts)
}

pub(crate) fn missing(what: &str) -> Response {
    told(StatusCode::NOT_FOUND, "Not found", &format!("There is no such {what}."))
}

pub(crate) fn failed(error: &StoreError) -> Response {
    tracing::error!(%error, "a page cannot be read: {error}");
    let told_to_people = "This cannot be read now. Nothing was changed; the server's log has the cause.";
    told(StatusCode::SERVICE_UNAVAILABLE, "Not readable now", told_to_people)
}

fn told(status: StatusCode, title: &str, sentence: &str) -> Response {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (shell::head(title))
            body.alone {
                main {
                    h1 { (title) }
                    p { (sentence) }
                    p { a.button href="/" { "To the inbox" } " " button.button type="button" data-act="reload" { "Try again" } }
                }
            }
        }
    };
    answer(status, document)
}

fn answer(status: StatusCode, content: Markup) -> Response {
    let mut response = (status, Html(content.into_string())).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Which of our assets it was made with: a page that stayed open over an update loads anew.
    if let Ok(version) = HeaderValue::from_str(&assets::version()) {
        headers.insert("x-chimera-assets", version);
    }
    response
}
