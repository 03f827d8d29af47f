//! The sign-in page: a name and a key, as a password manager keeps them, or a link that was printed in a terminal.

use super::{answers::html_page, assets, components::icons, shell};
use crate::Dashboard;
use axum::{Router, response::Response, routing::get};
use maud::{DOCTYPE, html};
use std::sync::Arc;

pub(crate) fn routes() -> Router<Arc<Dashboard>> {
    Router::new().route("/login", get(login))
}

async fn login() -> Response {
    html_page(html! {
        (DOCTYPE)
        html lang="en" {
            (shell::head("Sign in · Chimera"))
            body.alone {
                script type="module" src=(assets::address("login.js")) {}
                main.sign-in {
                    p.wordmark { (icons::icon(icons::Icon::Mark)) span { "Chimera" } }
                    h1 { "Mission control" }
                    form #sign-in method="post" action="/login" {
                        label { span { "Name" } input.field name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="64" placeholder="owner"; }
                        label { span { "Key" } input.field name="key" type="password" autocomplete="current-password" required autofocus maxlength="200"; }
                        p #sign-in-problem .problem role="alert" hidden {}
                        button.button.primary type="submit" { "Sign in" }
                    }
                    details {
                        summary { "Where is my key?" }
                        p { "The owner's key is in the file " code { "token" } " of the data folder. Or run " code { "chimera access link NAME" } ", and open the link that it prints: it signs in once." }
                    }
                    noscript { p.problem { "Signing in needs script, which this browser does not run." } }
                }
            }
        }
    })
}
