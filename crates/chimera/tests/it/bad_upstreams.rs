//! Upstream servers and feeds that are dead, silent, endless or no feeds: each is that resource's error, and the others still count.

use crate::program::{Finished, Folder, Running};
use serde_json::{Value, json};
use std::{fmt::Write, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

const TREND: &str = "skill_trend_fetcher";

fn trends(uris: &[&str]) -> Value {
    json!({"agent_id": "selam", "campaign_id": "spring", "resource_uris": uris, "goal_context": "news of batteries"})
}

async fn folder_with(config: &str) -> Folder {
    let folder = Folder::with_config(config);
    folder.create_agent().await;
    folder
}

/// `[upstreams.feeds]` is this program; each feed has its name as category.
fn feeds(urls: &[(&str, &str)]) -> String {
    urls.iter().fold("[upstreams.feeds]\ncommand = [\"chimera\", \"feeds\"]\n".to_owned(), |mut config, (category, url)| {
        write!(config, "[[feeds.news]]\nregion = \"test\"\ncategory = \"{category}\"\nurls = [\"{url}\"]\n").unwrap();
        config
    })
}

#[track_caller]
fn unavailable(answer: &Value, uri: &str) {
    assert_eq!(answer["error_code"], "resource_unavailable", "{answer}");
    let errors = answer["details"]["resource_errors"].as_array().unwrap();
    assert!(errors.iter().any(|error| error["resource_uri"] == uri && error["message"].is_string()), "{answer}");
}

#[tokio::test]
async fn an_upstream_that_cannot_start_or_ends_at_once_is_its_resources_error() {
    for command in [r#"["/nowhere/at-all"]"#, r#"["false"]"#, r#"["echo", "this is no MCP"]"#] {
        let folder = folder_with(&format!("[upstreams.dead]\ncommand = {command}\nschemes = [\"news\"]\n")).await;

        let answer = folder.call(TREND, &trends(&["news://test/dead/latest"])).await;

        unavailable(&answer, "news://test/dead/latest");
    }
}

#[tokio::test]
async fn a_scheme_that_nobody_serves_is_its_resources_error() {
    let folder = folder_with("").await;
    unavailable(&folder.call(TREND, &trends(&["news://test/any/latest"])).await, "news://test/any/latest");
}

#[tokio::test]
async fn a_silent_upstream_is_given_up_at_its_deadline_and_leaves_no_process() {
    // A number that no other process of this machine sleeps for.
    let seconds = 1_000_000 + std::process::id();
    let folder = folder_with(&format!("[upstreams.silent]\ncommand = [\"sleep\", \"{seconds}\"]\nschemes = [\"news\"]\n")).await;

    let answer = folder.call(TREND, &trends(&["news://test/silent/latest"])).await;

    unavailable(&answer, "news://test/silent/latest");
    let left: Finished = crate::program::run(ps(), b"").await;
    assert!(!left.stdout.contains(&format!("sleep {seconds}")), "{}", left.stdout);
}

fn ps() -> tokio::process::Command {
    let mut command = tokio::process::Command::new("sh");
    command.args(["-c", "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $file 2>/dev/null; echo; done"]);
    command
}

#[tokio::test]
async fn feeds_that_are_no_feeds_fail_alone_and_the_good_one_counts() {
    let (endless, _endless_server) = stranger(Manner::Endless).await;
    let (silent, _silent_server) = stranger(Manner::Silent).await;
    let (html, _html_server) = stranger(Manner::Html).await;
    let config = feeds(&[
        ("good", "file:good.xml"),
        ("missing", "file:missing.xml"),
        ("binary", "file:binary.xml"),
        ("html", &html),
        ("dead", "http://127.0.0.1:9/feed.xml"),
        ("endless", &endless),
        ("silent", &silent),
    ]);
    let folder = folder_with(&config).await;
    folder.write("good.xml", RSS);
    folder.write("binary.xml", b"\x00\xff\xfe\x00<rss>\xc3\x28");
    let uri = |category: &str| format!("news://test/{category}/latest");
    let names = ["good", "missing", "binary", "html", "dead", "endless", "silent", "unheard-of"];
    let uris: Vec<String> = names.iter().map(|name| uri(name)).collect();
    let mut input = trends(&uris.iter().map(String::as_str).collect::<Vec<_>>());
    input["options"] = json!({"include_below_threshold": true, "include_raw": true});

    let answer = folder.call(TREND, &input).await;

    assert_eq!(answer["success"], true, "{answer}");
    let mut failed: Vec<&str> =
        answer["resource_errors"].as_array().unwrap().iter().map(|error| error["resource_uri"].as_str().unwrap()).collect();
    failed.sort_unstable();
    let mut expected: Vec<&str> = uris[1..].iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(failed, expected, "{answer}");
    let results = answer["filter_results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{answer}");
    let hostile = results.iter().find(|result| result["content_summary"].as_str().unwrap().contains("evil")).unwrap();
    let text = hostile.to_string();
    assert!(!text.contains(['\u{202e}', '\u{0}']) && !text.contains("<script>"), "{text}");
}

const RSS: &str = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Good</title><link>https://example.test/</link><description>d</description>
<item><title>New battery stores power for a week</title><link>https://example.test/1</link><description>A solid-state battery.</description></item>
<item><title>An evil \u{202e}title &lt;script&gt;alert(1)&lt;/script&gt;</title><link>https://example.test/2</link></item>
</channel></rss>";

#[derive(Clone, Copy)]
enum Manner {
    /// Starts a feed and never ends it.
    Endless,
    /// Takes the connection and says nothing.
    Silent,
    Html,
}

async fn stranger(manner: Manner) -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/feed.xml", listener.local_addr().unwrap());
    let mut server = JoinSet::new();
    server.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(answer(stream, manner));
        }
    });
    (url, server)
}

async fn answer(mut stream: TcpStream, manner: Manner) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\nconnection: close\r\n\r\n";
    match manner {
        Manner::Endless => {
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(b"<rss version=\"2.0\"><channel>").await;
            let item = "<item><title>More and more</title></item>".repeat(1_000);
            while stream.write_all(item.as_bytes()).await.is_ok() {}
        }
        Manner::Silent => std::future::pending::<()>().await,
        Manner::Html => {
            let _ = stream.write_all(format!("{head}<!doctype html><p>Please log in").as_bytes()).await;
        }
    }
}

#[tokio::test]
async fn an_upstream_that_talks_nonsense_on_standard_output_is_told_by_doctor() {
    let config = "default_chain = \"8453\"\n[upstreams.noise]\ncommand = [\"yes\", \"nonsense\"]\nschemes = [\"news\"]\n";
    let folder = folder_with(config).await;

    let done = folder.run(&["doctor", "--json"]).await;

    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((done.code, &told["ok"]), (Some(1), &json!(false)), "{done:?}");
    let noise = told["checks"].as_array().unwrap().iter().find(|check| check["check"] == "upstream noise").unwrap();
    assert_eq!(noise["ok"], false, "{noise}");
    done.calm();
}

#[tokio::test]
async fn feeds_alone_end_with_their_reader() {
    let folder = folder_with(&feeds(&[("good", "file:good.xml")])).await;
    folder.write("good.xml", RSS);
    let done = folder.run_with_input(&["feeds"], b"").await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""), "{done:?}");

    let mut running = Running::start(folder.command(&["feeds"]));
    running.signal(nix::sys::signal::Signal::SIGKILL);
    let ended = tokio::time::timeout(Duration::from_secs(60), running.exit()).await.unwrap();
    assert_eq!(ended.code(), None);
}
