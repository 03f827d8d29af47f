//! Clients that hold connections and say nothing, say it slowly, or never listen: nobody else waits for them.

use crate::program::{Folder, PATIENCE, Serving};
use chimera::mcp::McpSkillCaller;
use chimera_core::ports::skill_caller::SkillCaller;
use reqwest::{Client, StatusCode};
use serde_json::json;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};

const STRANGERS: usize = 2_000;
const CHAIN: &str = "default_chain = \"31337\"\n[chains.31337]\nname = \"chimera-devnet\"\nrpc = [\"devnet\"]\nnative = \"ETH\"\n";
const WALLET: &str = "skill_wallet_transaction";

/// `chimera serve` that may have so many files open.
async fn serve(folder: &Folder, descriptors_max: u32) -> (Serving, SocketAddr) {
    let program = folder.command(&[]);
    let mut command = tokio::process::Command::new("/bin/sh");
    command.args(["-c", &format!("ulimit -n {descriptors_max} && exec \"$0\" serve --listen 127.0.0.1:0 --json --roles none")]);
    command.arg(program.as_std().get_program()).current_dir(folder.path());
    for (name, value) in program.as_std().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let serving = folder.serving(command).await;
    let address = serving.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().parse().unwrap();
    (serving, address)
}

fn balance() -> serde_json::Value {
    json!({"task_id": "00000000-0000-4000-8000-000000000001", "agent_id": "selam", "operation": "get_balance", "params": {"asset": "ETH"}})
}

fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().pool_max_idle_per_host(0).build().unwrap()
}

/// Each answer over a connection of its own.
async fn get(url: &str) -> StatusCode {
    client().get(url).send().await.unwrap_or_else(|error| panic!("{url}: {error:?}")).status()
}

/// Strangers on a thread of their own, so that nobody here waits for them. Each sends the head of a request a byte at a time, and comes
/// back when it was turned out. Gone with the guard.
fn strangers(address: SocketAddr, count: usize, apart: Duration) -> DropGuard {
    let stop = CancellationToken::new();
    let until = stop.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut all = JoinSet::new();
            for number in 0..count {
                all.spawn(async move {
                    tokio::time::sleep(apart * u32::try_from(number).unwrap()).await;
                    loop {
                        drip(address).await;
                        tokio::time::sleep(Duration::from_secs(1).max(apart * u32::try_from(count).unwrap())).await;
                    }
                });
            }
            until.cancelled().await;
        });
    });
    stop.drop_guard()
}

async fn drip(address: SocketAddr) {
    let Ok(mut stream) = TcpStream::connect(address).await else { return };
    for byte in b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow: ".iter().chain(std::iter::repeat(&b'x')) {
        if stream.write_all(&[*byte]).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test]
async fn two_thousand_slow_strangers_mute_nobody() {
    mute_nobody(8192, STRANGERS, Duration::from_micros(250)).await;
}

/// More than the 128 places of one address: every one that comes takes another's.
#[tokio::test]
async fn strangers_who_fill_every_place_make_room_for_who_comes() {
    mute_nobody(1024, 200, Duration::from_millis(10)).await;
}

/// While strangers come, `apart` from one another, to a server that may have so many files open.
async fn mute_nobody(descriptors_max: u32, count: usize, apart: Duration) {
    let folder = Folder::with_config(CHAIN);
    folder.create_agent().await;
    let (serving, address) = serve(&folder, descriptors_max).await;
    let from_before = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    from_before.call(WALLET, &balance()).await.unwrap();
    let mut waiting = with_key(&serving, address, "").await;

    let _strangers = strangers(address, count, apart);
    // Long enough for each stranger to have come, been turned out, and come again.
    for _ in 0..60 {
        assert_eq!(get(&serving.health).await, StatusCode::OK);
        assert_eq!(get(&serving.health.replace("healthz", "readyz")).await, StatusCode::OK);
        let new = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
        assert_eq!(new.call(WALLET, &balance()).await.unwrap()["success"], true);
        new.close().await;
        assert_eq!(from_before.call(WALLET, &balance()).await.unwrap()["success"], true);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    // Who showed the key before is still connected, although it asked nothing all the while.
    let asked = format!("GET /nothing HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n", serving.token);
    waiting.write_all(asked.as_bytes()).await.unwrap();
    assert!(all(&mut waiting).await.starts_with("HTTP/1.1 404"));
    from_before.close().await;
    let done = serving.stop().await;
    assert!(!done.stderr.contains("no connection can be accepted"), "{done:?}");
}

/// A connection that has shown the key and got its answer, and then sent `more`.
async fn with_key(serving: &Serving, address: SocketAddr, more: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /nothing HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n", serving.token);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 404") && head.contains("content-length: 0"), "{head}");
    stream.write_all(more.as_bytes()).await.unwrap();
    stream
}

/// Until the server closes.
async fn all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // Reset is closed too.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("the server closes in time");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn a_request_that_does_not_become_whole_is_not_waited_for() {
    let folder = Folder::new();
    let (serving, address) = serve(&folder, 1024).await;
    let body = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: 100\r\n\r\n{{\"jsonrpc\":",
        serving.token
    );
    let stranger = |sent: &'static str| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        all(&mut stream).await
    };

    let (nothing, half_a_head, head_for_health, no_key, body) = tokio::join!(
        stranger(""),
        stranger("GET /healthz HTTP/1.1\r\nhost: loc"),
        stranger("GET /healthz HTTP/1.1\r\nhost: anything\r\n\r\n"),
        stranger("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n"),
        async {
            let mut stream = with_key(&serving, address, &body).await;
            all(&mut stream).await
        }
    );

    assert_eq!(nothing, "");
    assert!(half_a_head.is_empty() || half_a_head.starts_with("HTTP/1.1 408"), "{half_a_head}");
    assert!(head_for_health.starts_with("HTTP/1.1 200") && head_for_health.contains("connection: close"), "{head_for_health}");
    assert!(no_key.starts_with("HTTP/1.1 401") && no_key.contains("connection: close"), "{no_key}");
    assert!(body.starts_with("HTTP/1.1 408") && body.contains("not whole within"), "{body}");
}

#[tokio::test]
async fn a_client_that_never_reads_is_cut_off_and_holds_up_nobody() {
    let folder = Folder::new();
    let (serving, address) = serve(&folder, 1024).await;
    let request = format!("GET /metrics HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n", serving.token);
    let mut deaf = TcpStream::connect(address).await.unwrap();

    // Until the server takes no more, and then until it has closed.
    let mut sent = 0;
    while timeout(PATIENCE, deaf.write_all(request.as_bytes())).await.expect("it is cut off in time").is_ok() {
        sent += 1;
    }

    assert!(sent > 100, "it was cut off after {sent} requests, before its answers could have filled anything");
    assert_eq!(get(&serving.health).await, StatusCode::OK);
}

#[tokio::test]
async fn a_server_without_descriptors_goes_on_once_there_are_some() {
    let folder = Folder::with_config(CHAIN);
    folder.create_agent().await;
    let (serving, address) = serve(&folder, 128).await;
    let known = "GET /nothing HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ".to_owned() + &serving.token + "\r\n\r\n";

    // Each shows the key before the next one comes, so none has to make room.
    let mut answered = Vec::new();
    let waiting = loop {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(known.as_bytes()).await.unwrap();
        match timeout(Duration::from_secs(5), stream.read_u8()).await {
            Ok(byte) => assert_eq!(byte.unwrap(), b'H'),
            Err(_elapsed) => break stream,
        }
        answered.push(stream);
    };
    assert!((16..200).contains(&answered.len()), "{} were answered", answered.len());
    drop((waiting, answered));

    assert_eq!(get(&serving.health).await, StatusCode::OK);
    let caller = McpSkillCaller::http(&serving.url, Some(&serving.token)).await.unwrap();
    assert_eq!(caller.call(WALLET, &balance()).await.unwrap()["success"], true);
    caller.close().await;
    let done = serving.stop().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains("no connection can be accepted"), "{done:?}");
}

#[tokio::test]
async fn host_and_origin_are_checked_on_every_path_but_health() {
    let folder = Folder::new();
    let (serving, _) = serve(&folder, 1024).await;
    let base = serving.url.strip_suffix("/mcp").unwrap();
    let client = client();
    for path in ["/", "/mcp", "/metrics", "/assets/0000", "/nothing", "/healthz/", "/%68ealthz"] {
        for (name, value) in [("host", "evil.example"), ("origin", "http://evil.example"), ("origin", "null")] {
            for method in [reqwest::Method::GET, reqwest::Method::POST, reqwest::Method::DELETE] {
                let request = client.request(method.clone(), format!("{base}{path}")).bearer_auth(&serving.token).header(name, value);
                let response = request.send().await.unwrap();
                assert_eq!(response.status(), StatusCode::FORBIDDEN, "{method} {path} with {name}: {value}");
            }
        }
    }
    for path in ["/healthz", "/readyz"] {
        let response =
            client.get(format!("{base}{path}")).header("host", "any.example").header("origin", "http://any.example").send().await;
        assert_eq!(response.unwrap().status(), StatusCode::OK, "{path}");
    }
    assert_eq!(get(&format!("{base}/metrics")).await, StatusCode::OK);
}
