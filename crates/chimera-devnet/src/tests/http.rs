use super::*;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Serves a fresh devnet while `client` runs, then stops it.
async fn while_serving<F: Future<Output = ()>>(client: impl FnOnce(SocketAddr) -> F) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let serving = crate::serve(open(), listener, shutdown.clone());
    let asking = async {
        client(address).await;
        shutdown.cancel();
    };
    let (served, ()) = tokio::join!(serving, asking);
    served.unwrap();
}

/// Status and body.
async fn post(address: SocketAddr, headers: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("POST / HTTP/1.1\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    // A server that refuses early may close before it has read everything.
    let _ = stream.write_all(body).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

const JSON: &str = "Host: localhost\r\nContent-Type: application/json\r\n";
const CHAIN_ID_REQUEST: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}"#;

#[tokio::test]
async fn a_request_over_http_is_answered() {
    while_serving(async |address| {
        let (status, body) = post(address, JSON, CHAIN_ID_REQUEST).await;
        assert_eq!(status, 200);
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": 1, "result": "0x7a69" }));
    })
    .await;
}

#[tokio::test]
async fn bodies_that_are_not_json_get_a_parse_error() {
    while_serving(async |address| {
        let deep = "[".repeat(100_000);
        for body in ["", "{", "nonsense", "{\"a\":1}}", "\u{0}", deep.as_str()] {
            let (status, answer) = post(address, JSON, body.as_bytes()).await;
            let answer: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!((status, &answer["error"]["code"], &answer["id"]), (200, &json!(-32700), &Value::Null));
        }
        let (_, not_utf8) = post(address, JSON, b"\"\xff\"").await;
        assert!(not_utf8.contains("-32700"), "{not_utf8}");
    })
    .await;
}

#[tokio::test]
async fn only_loopback_hosts_and_json_are_let_in() {
    while_serving(async |address| {
        for (host, expected) in [
            ("localhost", 200),
            ("LOCALHOST:8545", 200),
            ("127.0.0.1:9", 200),
            ("127.9.9.9", 200),
            ("[::1]:80", 200),
            ("evil.example", 403),
            ("localhost.evil.example", 403),
            ("127.0.0.1.evil.example:8545", 403),
            ("10.0.0.1", 403),
            ("", 403),
        ] {
            let headers = format!("Host: {host}\r\nContent-Type: application/json; charset=utf-8\r\n");
            assert_eq!(post(address, &headers, CHAIN_ID_REQUEST).await.0, expected, "{host}");
        }
        for content_type in ["", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"] {
            let headers = format!("Host: localhost\r\n{content_type}");
            assert_eq!(post(address, &headers, CHAIN_ID_REQUEST).await.0, 415, "{content_type}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_body_above_the_limit_is_refused_and_the_server_lives_on() {
    while_serving(async |address| {
        let (status, _) = post(address, JSON, &vec![b' '; 5 * 1024 * 1024]).await;
        assert_eq!(status, 413);
        assert_eq!(post(address, JSON, CHAIN_ID_REQUEST).await.0, 200);
    })
    .await;
}

#[tokio::test]
async fn a_notification_is_answered_with_no_content() {
    while_serving(async |address| {
        let (status, body) = post(address, JSON, br#"{"jsonrpc":"2.0","method":"devnet_mine"}"#).await;
        assert_eq!((status, body.as_str()), (204, ""));
    })
    .await;
}

#[tokio::test]
async fn the_timer_mines_and_stops_with_its_token() {
    let block_time = std::time::Duration::from_millis(2);
    let devnet = Devnet::open(DevnetConfig { block_time: Some(block_time), ..config() }).unwrap();
    let shutdown = CancellationToken::new();
    let watching = async {
        while block_number(&devnet) < 3 {
            tokio::task::yield_now().await;
        }
        shutdown.cancel();
    };

    tokio::join!(crate::mine_on_time(devnet.clone(), shutdown.clone()), watching);

    assert!(block_number(&devnet) >= 3);
}
