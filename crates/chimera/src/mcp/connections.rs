//! Accepts connections and gives each its deadlines. Accepting never waits for anybody: a connection that has shown no key has a few seconds
//! for one request, and makes room when others come; one that has shown a key, or a browser's cookie, stays, streams for as long as it likes, and is closed when
//! it asks nothing for long or does not take what it is sent.

use super::{
    gate::Gate,
    strangers::{Room, Strangers, Visit},
};
use axum::{
    Router,
    extract::ConnectInfo,
    http::{HeaderValue, header},
    response::Response,
};
use chimera_dashboard::access::Known;
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use nix::sys::resource::{Resource, getrlimit};
use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    task::{JoinSet, yield_now},
    time::{Sleep, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long a connection may take to send the head of its first request and to take its answer, as long as it has shown no key.
const STRANGER_MAX: Duration = Duration::from_secs(10);
/// How long one that has shown the key may ask nothing, or take for the head of a request. Clients keep idle connections for less.
const IDLE_MAX: Duration = Duration::from_secs(300);
/// How long a connection may take nothing of what it is sent.
const STALLED_MAX: Duration = Duration::from_secs(30);
/// Of the request line and all headers.
const HEAD_BYTES_MAX: usize = 32 * 1024;
/// How long running requests may take once the server shuts down.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// When the system gives no connection, for want of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown`; then takes no more connections and finishes what runs, within a deadline.
pub async fn serve_http(router: Router, gate: Gate, listener: TcpListener, shutdown: CancellationToken) -> io::Result<()> {
    let (descriptors_max, _) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let strangers = Strangers::new(Room::of_descriptors(descriptors_max));
    let server = Arc::new(Server { router: TowerToHyperService::new(router), gate, http: http(), shutdown: shutdown.clone() });
    let mut connections = JoinSet::new();
    let mut has_complained = false;
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                has_complained = false;
                let visit = Arc::new(strangers.arrive(address.ip()));
                connections.spawn(Arc::clone(&server).serve(stream, address, visit));
                // Whoever comes with a request in hand is heard before the next one takes a place.
                yield_now().await;
            }
            // The client thought better of it.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) => {}
            Err(error) => {
                if !has_complained {
                    has_complained = true;
                    tracing::error!(%error, "no connection can be accepted: {error}; trying again");
                }
                strangers.make_room();
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if timeout(DRAIN_MAX, finished).await.is_err() {
        tracing::warn!("requests still ran {} s after the shutdown began and were cut off", DRAIN_MAX.as_secs());
    }
    Ok(())
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(IDLE_MAX).max_header_size(HEAD_BYTES_MAX);
    http
}

struct Server {
    router: TowerToHyperService<Router>,
    gate: Gate,
    http: http1::Builder,
    shutdown: CancellationToken,
}

impl Server {
    async fn serve(self: Arc<Self>, stream: TcpStream, address: SocketAddr, visit: Arc<Visit>) {
        // With Nagle's algorithm a small answer waits 40 ms for the client's delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
        let io = TokioIo::new(Impatient { stream, stalled: None });
        let (server, visitor) = (Arc::clone(&self), Arc::clone(&visit));
        let answering = service_fn(move |request| {
            let (server, visitor) = (Arc::clone(&server), Arc::clone(&visitor));
            async move { Ok::<_, Infallible>(server.answer(&visitor, address, request).await) }
        });
        let mut connection = pin!(self.http.serve_connection(io, answering));
        let mut strangers_end = pin!(sleep(STRANGER_MAX));
        let (mut may_be_stranger, mut may_be_turned_out, mut is_closing) = (true, true, false);
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%address, "connection of {address} ended: {error}");
                    }
                    return;
                }
                () = visit.turned_out.cancelled(), if may_be_turned_out => {
                    // Its request may have come at the same moment.
                    if !visit.may_be_turned_out() {
                        may_be_turned_out = false;
                        continue;
                    }
                    tracing::debug!(%address, "connection of {address} showed no key and made room for another");
                    return;
                }
                () = strangers_end.as_mut(), if may_be_stranger => {
                    if !visit.is_let_in() {
                        tracing::debug!(%address, "connection of {address} showed no key within {} s", STRANGER_MAX.as_secs());
                        return;
                    }
                    may_be_stranger = false;
                }
                () = self.shutdown.cancelled(), if !is_closing => {
                    is_closing = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }

    async fn answer(&self, visit: &Arc<Visit>, address: SocketAddr, mut request: Request<Incoming>) -> Response {
        request.extensions_mut().insert(ConnectInfo(address));
        // A person's key and a browser's cookie are known to the store alone.
        let visitor = Arc::clone(visit);
        request.extensions_mut().insert(Known::new(move || visitor.let_in()));
        let is_known = self.gate.knows(request.headers());
        if is_known {
            visit.let_in();
        } else {
            visit.asked();
        }
        let mut response = match self.gate.refusal(request.uri(), request.headers()) {
            Some(refusal) => refusal,
            None => match self.router.call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            },
        };
        // One request is all that a stranger gets. Who is let in stays so.
        if !visit.is_let_in() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Fails when nothing of what is written is taken for too long: a client that never reads would hold its answers in our memory.
struct Impatient {
    stream: TcpStream,
    /// Since when nothing was taken, where something waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn within_patience<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALLED_MAX)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing of what it is sent")))
    }
}

impl AsyncRead for Impatient {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.within_patience(cx, written)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, parts: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.within_patience(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
