//! A node's bad days: a proxy before anvil that cuts, delays, drops, garbles and refuses, by the dice of a seed.

use crate::properties::generator::Dice;
use serde_json::{Value, json};
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{Notify, watch},
    task::JoinSet,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Does what anvil does.
    None,
    /// Connections break, and for a while none can be made.
    Cut,
    Slow,
    /// Takes the transaction and closes the connection without a word.
    DropsAnswers,
    /// Does what was asked, and answers with something else.
    Garbage,
    /// 503, whether or not it did what was asked.
    Unavailable,
    /// JSON-RPC's "limit exceeded", whether or not it did what was asked.
    Limited,
    /// Never answers, whether or not it did what was asked.
    Silent,
}

impl Fault {
    pub(crate) const BAD: [Self; 7] =
        [Self::Cut, Self::Slow, Self::DropsAnswers, Self::Garbage, Self::Unavailable, Self::Limited, Self::Silent];
}

/// Dropping it ends it.
pub(crate) struct FaultProxy {
    pub(crate) url: String,
    node: Arc<Node>,
    _serving: JoinSet<()>,
}

struct Node {
    upstream: String,
    http: reqwest::Client,
    mood: Mutex<(Fault, Dice)>,
    requests_seen: watch::Sender<usize>,
    cut: Notify,
}

impl FaultProxy {
    pub(crate) async fn start(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let node = Arc::new(Node {
            upstream: upstream.to_owned(),
            http: reqwest::Client::new(),
            mood: Mutex::new((Fault::None, Dice(0))),
            requests_seen: watch::Sender::new(0),
            cut: Notify::new(),
        });
        let mut serving = JoinSet::new();
        serving.spawn(serve(node.clone(), listener, address));
        Self { url: format!("http://{address}"), node, _serving: serving }
    }

    pub(crate) fn set(&self, fault: Fault, seed: u64) {
        *self.node.mood.lock().unwrap() = (fault, Dice(seed));
    }

    /// Until `count` more requests have arrived.
    pub(crate) fn requests(&self, count: usize) -> impl Future<Output = ()> {
        let mut seen = self.node.requests_seen.subscribe();
        let goal = *seen.borrow() + count;
        async move {
            let _ = seen.wait_for(|seen| *seen >= goal).await;
        }
    }
}

const CUT_FOR: Duration = Duration::from_millis(300);

async fn serve(node: Arc<Node>, mut listener: TcpListener, address: SocketAddr) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    let node = node.clone();
                    connections.spawn(async move { drop(connection(&node, stream).await) });
                }
            }
            Some(_) = connections.join_next() => {}
            () = node.cut.notified() => {
                connections.shutdown().await;
                drop(listener);
                // Bound and not listening: the address stays ours, and connections are refused.
                let socket = TcpSocket::new_v4().unwrap();
                socket.set_reuseaddr(true).unwrap();
                // A child that was being started right now holds the old listener until it becomes another program.
                while socket.bind(address).is_err() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                tokio::time::sleep(CUT_FOR).await;
                listener = socket.listen(1024).unwrap();
            }
        }
    }
}

/// Requests one after another, until either side closes.
async fn connection(node: &Node, mut stream: TcpStream) -> io::Result<()> {
    let (input, mut output) = stream.split();
    let mut input = BufReader::new(input);
    while let Some(body) = request(&mut input).await? {
        node.requests_seen.send_modify(|seen| *seen += 1);
        let Some(answer) = node.answer(body).await else { return Ok(()) };
        output.write_all(&answer).await?;
    }
    Ok(())
}

/// The body of the next request; `None` when there is none.
pub(crate) async fn request(input: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).await?;
    Ok(Some(body))
}

impl Node {
    /// `None` closes the connection.
    async fn answer(&self, body: Vec<u8>) -> Option<Vec<u8>> {
        let asked: Value = serde_json::from_slice(&body).unwrap();
        let sends = asked["method"] == "eth_sendRawTransaction";
        let (fault, die, does_it) = {
            let mut mood = self.mood.lock().unwrap();
            let strikes = mood.1.below(if sends { 2 } else { 12 }) == 0;
            (if strikes { mood.0 } else { Fault::None }, mood.1.next(), mood.1.below(2) == 0)
        };
        match fault {
            Fault::None => self.forward(body).await,
            Fault::Slow => {
                tokio::time::sleep(Duration::from_millis(50 + die % 600)).await;
                self.forward(body).await
            }
            Fault::DropsAnswers if !sends => self.forward(body).await,
            Fault::DropsAnswers => self.forward(body).await.and(None),
            Fault::Garbage => {
                self.forward(body).await?;
                let garbage = GARBAGE[usize::try_from(die % GARBAGE.len() as u64).unwrap()];
                Some(http(200, garbage.as_bytes()))
            }
            Fault::Cut | Fault::Unavailable | Fault::Limited | Fault::Silent => {
                if does_it {
                    self.forward(body).await?;
                }
                match fault {
                    Fault::Unavailable => Some(http(503, b"<html>Service Unavailable</html>")),
                    Fault::Limited => {
                        let error = json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32005, "message": "limit exceeded"}});
                        Some(http(429, error.to_string().as_bytes()))
                    }
                    Fault::Silent => std::future::pending().await,
                    _ => {
                        self.cut.notify_one();
                        None
                    }
                }
            }
        }
    }

    async fn forward(&self, body: Vec<u8>) -> Option<Vec<u8>> {
        let answer = self.http.post(&self.upstream).header("content-type", "application/json").body(body).send().await.ok()?;
        let status = answer.status().as_u16();
        Some(http(status, &answer.bytes().await.ok()?))
    }
}

const GARBAGE: [&str; 7] = [
    "<html>welcome to our network</html>",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"0x",
    "{}",
    "[]",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"surprise\":true}}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":17}",
    "\u{0}\u{1}",
];

pub(crate) fn http(status: u16, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status} Whatever\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
