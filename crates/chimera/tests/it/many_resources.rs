//! As many resources as a call may name, a third of them slow, dead or broken: the good two thirds count, and each failure is named.

use crate::program::Folder;
use axum::{Router, extract::Path, routing::get};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write, net::SocketAddr};
use tokio::{net::TcpListener, task::JoinSet};

/// The contract's most.
const RESOURCES: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Good,
    /// Takes the request and never answers.
    Slow,
    /// Nobody listens.
    Dead,
    /// Answers, but with no feed.
    Broken,
}

impl Manner {
    /// Two good ones, then a bad one, each kind of bad in its turn.
    fn of(number: usize) -> Self {
        match number % 9 {
            2 => Self::Slow,
            5 => Self::Dead,
            8 => Self::Broken,
            _ => Self::Good,
        }
    }
}

fn uri(number: usize) -> String {
    format!("news://test/feed-{number}/latest")
}

fn config(server: SocketAddr) -> String {
    let mut config = "[upstreams.feeds]\ncommand = [\"chimera\", \"feeds\"]\n".to_owned();
    for number in 0..RESOURCES {
        let url = match Manner::of(number) {
            Manner::Good => format!("http://{server}/good/{number}"),
            Manner::Slow => format!("http://{server}/slow/{number}"),
            // The port that is never given out.
            Manner::Dead => "http://127.0.0.1:1/feed.xml".to_owned(),
            Manner::Broken => format!("http://{server}/broken/{number}"),
        };
        write!(config, "[[feeds.news]]\nregion = \"test\"\ncategory = \"feed-{number}\"\nurls = [\"{url}\"]\n").unwrap();
    }
    config
}

async fn server() -> (SocketAddr, JoinSet<()>) {
    let good = |Path(number): Path<u32>| async move {
        format!(
            "<rss version=\"2.0\"><channel><title>Feed {number}</title><item><title>Item {number} of the day</title></item></channel></rss>"
        )
    };
    let app = Router::new()
        .route("/good/{number}", get(good))
        .route("/slow/{number}", get(|| async { std::future::pending::<String>().await }))
        .route("/broken/{number}", get(|| async { "<!doctype html><p>Please log in" }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut serving = JoinSet::new();
    serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
    (address, serving)
}

#[tokio::test]
async fn the_good_two_thirds_count_and_each_failure_is_named() {
    let (address, _serving) = server().await;
    let folder = Folder::with_config(&config(address));
    folder.create_agent().await;
    let uris: Vec<String> = (0..RESOURCES).map(uri).collect();

    let answer = folder
        .call(
            "skill_trend_fetcher",
            &json!({
                "agent_id": "selam", "campaign_id": "spring", "resource_uris": uris, "goal_context": "items of the day",
                "options": { "include_below_threshold": true },
            }),
        )
        .await;

    assert_eq!(answer["success"], true, "{answer}");
    let with = |manner: Manner| (0..RESOURCES).filter(move |number| Manner::of(*number) == manner);
    let mut read: Vec<&str> = texts(&answer["filter_results"], "resource_uri").collect();
    let mut expected: Vec<String> = with(Manner::Good).map(uri).collect();
    read.sort_unstable();
    expected.sort_unstable();
    assert_eq!(read, expected);
    let errors = &answer["resource_errors"];
    let failures: BTreeMap<&str, &str> = texts(errors, "resource_uri").zip(texts(errors, "message")).collect();
    assert_eq!(failures.len(), RESOURCES - expected.len(), "{errors}");
    for (manner, told) in
        [(Manner::Slow, "no answer within"), (Manner::Dead, "cannot be reached"), (Manner::Broken, "not RSS, Atom or JSON Feed")]
    {
        for number in with(manner) {
            let message = failures[uri(number).as_str()];
            assert!(message.contains(told), "{manner:?} {number}: {message}");
        }
    }
    assert!(texts(errors, "error_code").all(|code| code == "resource_unavailable"));
}

fn texts<'a>(list: &'a Value, name: &'a str) -> impl Iterator<Item = &'a str> {
    list.as_array().unwrap().iter().map(move |one| one[name].as_str().unwrap())
}
