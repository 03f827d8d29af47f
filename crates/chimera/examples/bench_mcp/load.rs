//! Load over keep-alive HTTP/1.1 connections. The client does as little as it can: what is measured is the server.

use super::{peers::Peer, servers::TOKEN};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

/// One call on one server.
pub(crate) struct Target<'peer> {
    peer: &'peer Peer,
    request: Vec<u8>,
    /// What a right answer holds.
    expected: &'static str,
}

/// What one round of calls took.
pub(crate) struct Round {
    pub(crate) calls_per_s: f64,
    pub(crate) latencies: Vec<Duration>,
    /// Of the server's process.
    pub(crate) cpu: Duration,
}

impl<'peer> Target<'peer> {
    /// A request of revision 2026-07-28, the one in which each server is fastest.
    pub(crate) fn new(peer: &'peer Peer, tool: &str, arguments: &Value, expected: &'static str) -> Self {
        let version = "2026-07-28";
        let body = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": tool,
                "arguments": arguments,
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": version,
                    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        })
        .to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: {version}\r\nmcp-method: tools/call\r\n\
             mcp-name: {tool}\r\ncontent-length: {length}\r\n\r\n",
            port = peer.port,
            length = body.len()
        );
        Self { peer, request: (head + &body).into_bytes(), expected }
    }

    /// `calls` in all, spread over `connections` that are open before the clock starts.
    pub(crate) async fn round(&self, connections: usize, calls: usize) -> Result<Round> {
        let mut open = Vec::new();
        for _ in 0..connections {
            open.push(Connection::open(self.peer.port).await?);
        }
        let cpu_before = self.peer.cpu()?;
        let began = Instant::now();
        let mut running = JoinSet::new();
        for connection in open {
            running.spawn(connection.calls(self.request.clone(), calls / connections, self.expected));
        }
        let mut latencies = Vec::with_capacity(calls);
        while let Some(finished) = running.join_next().await {
            latencies.extend(finished??);
        }
        let calls_per_s = latencies.len() as f64 / began.elapsed().as_secs_f64();
        Ok(Round { calls_per_s, latencies, cpu: self.peer.cpu()?.saturating_sub(cpu_before) })
    }
}

struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Connection {
    async fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, answer: Vec::with_capacity(16 * 1024) })
    }

    async fn calls(mut self, request: Vec<u8>, calls: usize, expected: &'static str) -> Result<Vec<Duration>> {
        let mut latencies = Vec::with_capacity(calls);
        for _ in 0..calls {
            let began = Instant::now();
            self.call(&request).await?;
            latencies.push(began.elapsed());
        }
        // The status of every answer was looked at; the body of the last stands for all, to keep the client light.
        let answer = String::from_utf8_lossy(&self.answer);
        ensure!(calls == 0 || answer.contains(expected), "expected {expected:?} in the answer: {answer}");
        Ok(latencies)
    }

    async fn call(&mut self, request: &[u8]) -> Result<()> {
        self.stream.write_all(request).await?;
        self.answer.clear();
        let body_start = loop {
            self.read_more().await?;
            if let Some(end) = self.answer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let head = std::str::from_utf8(&self.answer[..body_start]).context("the head of an answer is not text")?;
        if !head.starts_with("HTTP/1.1 200") {
            bail!("refused: {}", String::from_utf8_lossy(&self.answer));
        }
        let length = content_length(head).with_context(|| format!("an answer without a length: {head}"))?;
        while self.answer.len() < body_start + length {
            self.read_more().await?;
        }
        Ok(())
    }

    async fn read_more(&mut self) -> Result<()> {
        let read = self.stream.read_buf(&mut self.answer).await?;
        ensure!(read > 0, "the server closed the connection");
        Ok(())
    }
}

fn content_length(head: &str) -> Option<usize> {
    let value = head.lines().find_map(|line| line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length")));
    value.and_then(|(_, length)| length.trim().parse().ok())
}
