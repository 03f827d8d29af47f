//! `chimera trends`: what the demo's agents were told, as a table, as JSON and as a picture.

use crate::program::Folder;
use std::fs;

#[tokio::test]
async fn trends_that_were_told_are_listed_with_their_items_over_time_and_drawn() {
    let folder = Folder::new();
    let demo = folder.json_without_passphrase(&["demo", "--once"]).await;
    let told = demo["trends"][0].clone();
    let config = folder.data().join("demo/chimera.toml").to_str().unwrap().to_owned();
    let with_config = |words: &[&str]| [words, &["--config", &config]].concat().iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let run = async |words: &[&str]| {
        let words = with_config(words);
        folder.json_without_passphrase(&words.iter().map(String::as_str).collect::<Vec<_>>()).await
    };

    let listed = run(&["trends", "list"]).await;

    let trend = &listed["trends"][0];
    let id = trend["cluster_id"].as_str().unwrap();
    assert!(told.to_string().contains(id), "{listed} {told}");
    assert!(trend["items"].as_u64() >= Some(3) && trend["sources"].as_u64() >= Some(2), "{trend}");
    let steps: u64 = trend["over_time"]["items"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(Some(steps), trend["items"].as_u64(), "every item is in one step: {trend}");

    let shown = run(&["trends", "show", id, "--svg", "trend.svg"]).await;

    assert!(!shown["latest"].as_array().unwrap().is_empty(), "{shown}");
    let picture = fs::read_to_string(folder.path().join("trend.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.contains(trend["topics"][0].as_str().unwrap()), "{picture}");
    let nobody = folder.run(&["trends", "show", "story-0", "--config", &config]).await;
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.stderr.contains("chimera trends list"), "{nobody:?}");
}

#[tokio::test]
async fn without_trends_the_list_says_what_to_do() {
    let folder = Folder::new();

    let empty = folder.run(&["trends", "list"]).await;

    assert_eq!(empty.code, Some(0), "{empty:?}");
    assert!(empty.stdout.contains("chimera campaign list") && empty.stdout.contains("chimera serve"), "{}", empty.stdout);
    assert_eq!(folder.json(&["trends", "list"]).await["trends"], serde_json::json!([]));
    assert_eq!(folder.run(&["trends", "list", "--campaign", "none"]).await.code, Some(1));
    assert_eq!(folder.run(&["trends", "list", "--hours", "0"]).await.code, Some(2));
}
