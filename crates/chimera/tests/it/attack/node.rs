//! A node that works against us: it stands before a real anvil and loses, drops, holds back, refuses and lies, as it is told.

use crate::{
    anvil::number,
    fault_proxy::{http, request},
};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// What a node makes of signed bytes, and what it then says; the one has nothing to do with the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sends {
    pub(crate) does: Does,
    pub(crate) says: Says,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    PassesOn,
    Drops,
    /// Keeps them, to be delivered when nobody expects it.
    Holds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// What anvil says; "accepted" when anvil was not asked.
    TheTruth,
    /// The connection closes.
    Nothing,
    /// This error.
    Refusal(&'static str),
    /// HTTP 503.
    Unavailable,
}

/// What a node says of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    TheTruth,
    /// Answers, but late.
    Slow {
        ms: u64,
    },
    /// Another chain's id; everything else is true.
    OtherChain,
    NoReceipts,
    CountsTooLow,
    CountsTooHigh,
    /// Everything as it was this many blocks ago.
    Stale {
        blocks: u64,
    },
    /// What a block takes for gas is made up.
    DearFees {
        gwei: u64,
    },
    /// Every connection closes.
    Dead,
}

impl Sends {
    pub(crate) const HONEST: Self = Self { does: Does::PassesOn, says: Says::TheTruth };
    pub(crate) const HOLDS_AND_IS_SILENT: Self = Self { does: Does::Holds, says: Says::Nothing };

    pub(crate) const fn refuses(words: &'static str) -> Self {
        Self { does: Does::Drops, says: Says::Refusal(words) }
    }
}

/// Words of real nodes. The last one is nobody's.
pub(crate) const REFUSALS: [&str; 8] = [
    "insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000",
    "nonce too low: next nonce 7, tx nonce 5",
    "already known",
    "replacement transaction underpriced",
    "tx fee (2.10 ether) exceeds the configured cap (1.00 ether)",
    "txpool is full",
    "nonce too high",
    "we do not like it",
];

/// Dropping it ends it.
pub(crate) struct Node {
    pub(crate) url: String,
    inner: Arc<Inner>,
    _serving: JoinSet<()>,
}

struct Inner {
    upstream: String,
    client: reqwest::Client,
    conduct: Mutex<Conduct>,
    /// All signed bytes that ever arrived here, in order.
    given: watch::Sender<Vec<String>>,
    held: Mutex<Vec<String>>,
}

struct Conduct {
    /// For the next broadcasts, one each; then `sends`.
    next_sends: VecDeque<Sends>,
    sends: Sends,
    /// How long it thinks about signed bytes before it does anything.
    sends_after: Duration,
    reads: Reads,
}

impl Conduct {
    fn honest() -> Self {
        Self { next_sends: VecDeque::new(), sends: Sends::HONEST, sends_after: Duration::ZERO, reads: Reads::TheTruth }
    }
}

impl Node {
    /// Honest until it is told otherwise.
    pub(crate) async fn before(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let _ = rustls::crypto::ring::default_provider().install_default();
        let inner = Arc::new(Inner {
            upstream: upstream.to_owned(),
            client: reqwest::Client::new(),
            conduct: Mutex::new(Conduct::honest()),
            given: watch::Sender::default(),
            held: Mutex::default(),
        });
        let mut serving = JoinSet::new();
        serving.spawn(serve(inner.clone(), listener));
        Self { url, inner, _serving: serving }
    }

    pub(crate) fn becomes_honest(&self) {
        *self.inner.conduct.lock().unwrap() = Conduct::honest();
    }

    pub(crate) fn sends(&self, sends: Sends) {
        let mut conduct = self.inner.conduct.lock().unwrap();
        conduct.next_sends.clear();
        conduct.sends = sends;
    }

    /// For the next broadcast only.
    pub(crate) fn sends_next(&self, sends: Sends) {
        self.inner.conduct.lock().unwrap().next_sends.push_back(sends);
    }

    pub(crate) fn sends_after(&self, pause: Duration) {
        self.inner.conduct.lock().unwrap().sends_after = pause;
    }

    pub(crate) fn reads(&self, reads: Reads) {
        self.inner.conduct.lock().unwrap().reads = reads;
    }

    /// The signed bytes that ever arrived here, whatever became of them.
    pub(crate) fn given(&self) -> Vec<String> {
        self.inner.given.borrow().clone()
    }

    /// Of a new run: what was given and held before is forgotten.
    pub(crate) fn forget(&self) {
        self.becomes_honest();
        self.inner.given.send_modify(Vec::clear);
        self.inner.held.lock().unwrap().clear();
    }

    /// Until signed bytes have arrived more than `count` times.
    pub(crate) fn given_more_than(&self, count: usize) -> impl Future<Output = ()> + use<> {
        let mut given = self.inner.given.subscribe();
        async move {
            let _ = given.wait_for(|given| given.len() > count).await;
        }
    }

    pub(crate) fn take_held(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.held.lock().unwrap())
    }
}

async fn serve(inner: Arc<Inner>, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    let inner = inner.clone();
                    connections.spawn(async move { drop(connection(&inner, stream).await) });
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(inner: &Inner, mut stream: TcpStream) -> io::Result<()> {
    let (input, mut output) = stream.split();
    let mut input = BufReader::new(input);
    while let Some(body) = request(&mut input).await? {
        let Some(answer) = inner.answer(&body).await else { return Ok(()) };
        output.write_all(&answer).await?;
    }
    Ok(())
}

/// What becomes of one call.
enum Answer {
    Json(Value),
    Unavailable,
    /// The connection closes.
    None,
}

impl Inner {
    async fn answer(&self, body: &[u8]) -> Option<Vec<u8>> {
        match serde_json::from_slice(body).unwrap() {
            Value::Array(calls) => {
                let mut answers = Vec::new();
                // All of them are looked at, also when one closes the connection: they have arrived.
                let mut is_closed = false;
                for call in calls {
                    match self.answer_one(call).await {
                        Answer::Json(answer) => answers.push(answer),
                        Answer::Unavailable | Answer::None => is_closed = true,
                    }
                }
                (!is_closed).then(|| http(200, Value::Array(answers).to_string().as_bytes()))
            }
            call => match self.answer_one(call).await {
                Answer::Json(answer) => Some(http(200, answer.to_string().as_bytes())),
                Answer::Unavailable => Some(http(503, b"<html>Service Unavailable</html>")),
                Answer::None => None,
            },
        }
    }

    async fn answer_one(&self, call: Value) -> Answer {
        if call["method"] == "eth_sendRawTransaction" { self.take(call).await } else { self.tell(call).await }
    }

    async fn take(&self, call: Value) -> Answer {
        let raw = call["params"][0].as_str().unwrap().to_owned();
        let (sends, pause, is_dead) = {
            let mut conduct = self.conduct.lock().unwrap();
            let sends = conduct.next_sends.pop_front().unwrap_or(conduct.sends);
            (sends, conduct.sends_after, conduct.reads == Reads::Dead)
        };
        // It counts from when it arrived, whatever is made of it.
        self.given.send_modify(|given| given.push(raw.clone()));
        tokio::time::sleep(pause).await;
        if is_dead {
            return Answer::None;
        }
        let truth = match sends.does {
            Does::PassesOn => self.ask(&call).await,
            Does::Drops | Does::Holds => {
                let hash = self.ask(&json!({"jsonrpc": "2.0", "id": call["id"], "method": "web3_sha3", "params": [raw]})).await;
                if sends.does == Does::Holds {
                    self.held.lock().unwrap().push(raw);
                }
                hash
            }
        };
        match (sends.says, truth) {
            (Says::TheTruth, Some(truth)) => Answer::Json(truth),
            (Says::Refusal(words), _) => {
                Answer::Json(json!({"jsonrpc": "2.0", "id": call["id"], "error": {"code": -32000, "message": words}}))
            }
            (Says::Unavailable, _) => Answer::Unavailable,
            (Says::Nothing, _) | (Says::TheTruth, None) => Answer::None,
        }
    }

    async fn tell(&self, call: Value) -> Answer {
        let reads = self.conduct.lock().unwrap().reads;
        match reads {
            Reads::Dead => return Answer::None,
            Reads::Slow { ms } => tokio::time::sleep(Duration::from_millis(ms)).await,
            Reads::TheTruth
            | Reads::OtherChain
            | Reads::NoReceipts
            | Reads::CountsTooLow
            | Reads::CountsTooHigh
            | Reads::DearFees { .. }
            | Reads::Stale { .. } => {}
        }
        let answer = match reads {
            Reads::Stale { blocks } => self.tell_stale(call.clone(), blocks).await,
            _ => self.ask(&call).await,
        };
        let Some(mut answer) = answer else { return Answer::None };
        let method = call["method"].as_str().unwrap_or_default();
        // An error of anvil's own stays one.
        if answer.get("result").is_none() {
            return Answer::Json(answer);
        }
        match (reads, method) {
            (Reads::OtherChain, "eth_chainId") => answer["result"] = json!("0x1"),
            (Reads::NoReceipts, "eth_getTransactionReceipt" | "eth_getTransactionByHash") => answer["result"] = Value::Null,
            (Reads::CountsTooLow, "eth_getTransactionCount") => {
                answer["result"] = json!(format!("{:#x}", number(&answer["result"]).saturating_sub(1)));
            }
            (Reads::CountsTooHigh, "eth_getTransactionCount") => {
                answer["result"] = json!(format!("{:#x}", number(&answer["result"]) + 1));
            }
            (Reads::DearFees { gwei }, "eth_maxPriorityFeePerGas") => answer["result"] = json!(format!("{:#x}", gwei * 1_000_000_000)),
            _ => {}
        }
        Answer::Json(answer)
    }

    async fn tell_stale(&self, mut call: Value, blocks: u64) -> Option<Value> {
        let latest = self.ask(&json!({"jsonrpc": "2.0", "id": 0, "method": "eth_blockNumber", "params": []})).await?;
        let seen = number(&latest["result"]).saturating_sub(blocks.into());
        let tag = match call["method"].as_str().unwrap_or_default() {
            "eth_getTransactionCount" | "eth_getBalance" | "eth_call" => call["params"].get_mut(1),
            "eth_getBlockByNumber" => call["params"].get_mut(0),
            _ => None,
        };
        if let Some(tag) = tag.filter(|tag| **tag == "latest" || **tag == "pending") {
            *tag = json!(format!("{seen:#x}"));
        }
        let mut answer = self.ask(&call).await?;
        match call["method"].as_str().unwrap_or_default() {
            "eth_blockNumber" => answer["result"] = json!(format!("{seen:#x}")),
            "eth_getTransactionReceipt" | "eth_getTransactionByHash" => {
                let block = &answer["result"]["blockNumber"];
                if block.is_string() && number(block) > seen {
                    answer["result"] = Value::Null;
                }
            }
            _ => {}
        }
        Some(answer)
    }

    /// anvil itself.
    async fn ask(&self, call: &Value) -> Option<Value> {
        self.client.post(&self.upstream).json(call).send().await.ok()?.json().await.ok()
    }
}
