//! People: what the commands say of them, and what the server makes of their keys.

use crate::program::Folder;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[tokio::test]
async fn people_are_added_listed_linked_and_removed() {
    let folder = Folder::with_config("[server]\npublic_url = \"https://chimera.example\"\n");

    let added = folder.json(&["access", "add", "hanna", "--role", "reviewer"]).await;
    let key = added["key"].as_str().unwrap();
    assert!(key.starts_with("chm_") && key.len() == 36, "{added}");
    assert_eq!((&added["name"], &added["role"]), (&json!("hanna"), &json!("reviewer")));
    let told = folder.run(&["access", "add", "omar", "--role", "owner"]).await;
    assert!(told.stdout.contains("chm_") && told.stdout.contains("shown this once"), "{told:?}");

    let listed = folder.json(&["access", "list"]).await;
    let names: Vec<&Value> = listed["people"].as_array().unwrap().iter().map(|person| &person["name"]).collect();
    assert_eq!(names, ["hanna", "omar"]);
    assert!(!listed.to_string().contains("chm_"));
    for name in ["hanna", "owner"] {
        let link = folder.json(&["access", "link", name]).await;
        let secret = link["url"].as_str().unwrap().strip_prefix("https://chimera.example/login#once=").unwrap();
        assert_eq!(secret.len(), 52, "{link}");
    }
    // The owner is on record by now, so omar is not the last one.
    assert_eq!(folder.json(&["access", "remove", "omar"]).await, json!({"name": "omar", "removed": true}));
    let told = folder.run(&["access", "list"]).await.stdout;
    assert!(told.contains("hanna") && told.contains("reviewer") && !told.contains("omar"), "{told}");
}

#[tokio::test]
async fn what_cannot_be_done_is_said() {
    let folder = Folder::with_config("[server]\nlisten = \"127.0.0.1:0\"\n");
    folder.json(&["access", "add", "hanna", "--role", "owner"]).await;
    let cases: [(&[&str], i32, &str); 7] = [
        (&["access", "add", "hanna", "--role", "viewer"], 1, "there is a hanna already"),
        (&["access", "add", "owner", "--role", "owner"], 1, "whoever has the server's token"),
        (&["access", "remove", "nobody"], 1, "there is nobody called nobody"),
        (&["access", "remove", "owner"], 1, "cannot be removed"),
        (&["access", "remove", "hanna"], 1, "the last owner"),
        (&["access", "link", "hanna"], 2, "set server.public_url"),
        (&["access", "list", "--config", "none.toml"], 2, "none.toml"),
    ];
    for (args, code, part) in cases {
        folder.run(args).await.refused(code, &[part]);
    }
    for args in [&["access", "add", "a b", "--role", "viewer"][..], &["access", "add", "hanna"], &["access", "add", "x", "--role", "king"]]
    {
        let done = folder.run(args).await;
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
    }
}

/// Asks on an open connection, and gives the head of the answer.
async fn ask(stream: &mut TcpStream, key: &str) -> String {
    let path = format!("/assets/{}", "0".repeat(64));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = String::new();
    while !head.contains("\r\n\r\n") {
        head.push(char::from(stream.read_u8().await.unwrap()));
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    stream.read_exact(&mut vec![0; length]).await.unwrap();
    head
}

#[tokio::test]
async fn whoever_shows_a_persons_key_is_no_stranger_until_they_are_removed() {
    let folder = Folder::new();
    let key = folder.json(&["access", "add", "hanna", "--role", "viewer"]).await["key"].as_str().unwrap().to_owned();
    let serving = folder.serve_with(&["--roles", "none"]).await;
    let address: SocketAddr = serving.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().parse().unwrap();

    let mut stream = TcpStream::connect(address).await.unwrap();
    for _ in 0..3 {
        let head = ask(&mut stream, &key).await;
        assert!(head.starts_with("http/1.1 404") && !head.contains("connection: close"), "{head}");
    }
    let mut stranger = TcpStream::connect(address).await.unwrap();
    let head = ask(&mut stranger, "chm_guess").await;
    assert!(head.starts_with("http/1.1 401") && head.contains("connection: close"), "{head}");

    folder.json(&["access", "remove", "hanna"]).await;

    assert!(ask(&mut stream, &key).await.starts_with("http/1.1 401"), "at once, and on a connection that is open");
    let listed = folder.json(&["access", "list"]).await;
    assert_eq!((&listed["people"][0]["name"], &listed["people"][0]["role"]), (&json!("owner"), &json!("owner")));
    serving.stop().await.calm();
}
