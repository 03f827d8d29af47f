//! HTTP servers that answer well, late, endlessly, or with somewhere else.

use crate::feeds::FeedSource;
use crate::feeds::fetching::{FetchError, FetchLimits, Fetched, Fetcher};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use url::Url;

const FEED: &str = r#"<rss version="2.0"><channel><title>Local</title><item><title>one</title></item></channel></rss>"#;
const BODY_BYTES_MAX: usize = 100_000;

/// Stops serving when dropped.
struct Server {
    address: SocketAddr,
    full_answers: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Server {
    async fn start() -> Self {
        let full_answers = Arc::new(AtomicUsize::new(0));
        let app = Router::new()
            .route("/feed", get(|| async { FEED }))
            .route("/etag", get(with_etag))
            .route("/dated", get(with_date))
            .route("/gzip", get(|| async { gzipped(include_bytes!("feed.xml.gz")) }))
            .route("/gzip_bomb", get(|| async { gzipped(include_bytes!("million_spaces.gz")) }))
            .route("/late", get(|| async { std::future::pending::<()>().await }))
            .route("/stalls", get(|| async { Body::from_stream(stalling()) }))
            .route("/endless", get(|| async { Body::from_stream(endless()) }))
            .route("/status/{code}", get(|Path(code): Path<u16>| async move { StatusCode::from_u16(code).unwrap() }))
            .route("/counted", get(counted))
            .route("/tired", get(tired))
            .route("/loop", get(|| async { Redirect::temporary("/loop") }))
            .route("/to_feed", get(|| async { Redirect::permanent("/feed") }))
            .route("/to", get(redirect_to))
            .with_state(full_answers.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { address, full_answers, _serving: serving }
    }

    fn url(&self, path: &str) -> FeedSource {
        FeedSource::Http(Url::parse(&format!("http://{}{path}", self.address)).unwrap())
    }

    fn public_url(&self, path: &str) -> FeedSource {
        FeedSource::Http(Url::parse(&format!("http://public.example:{}{path}", self.address.port())).unwrap())
    }
}

async fn with_etag(State(full_answers): State<Arc<AtomicUsize>>, headers: HeaderMap) -> Response {
    if headers.get(header::IF_NONE_MATCH).is_some_and(|etag| etag == "\"v1\"") {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    full_answers.fetch_add(1, Ordering::Relaxed);
    ([(header::ETAG, "\"v1\"")], FEED).into_response()
}

async fn with_date(State(full_answers): State<Arc<AtomicUsize>>, headers: HeaderMap) -> Response {
    let date = "Sun, 15 Nov 2026 00:00:00 GMT";
    if headers.get(header::IF_MODIFIED_SINCE).is_some_and(|given| given == date) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    full_answers.fetch_add(1, Ordering::Relaxed);
    ([(header::LAST_MODIFIED, date)], FEED).into_response()
}

async fn counted(State(full_answers): State<Arc<AtomicUsize>>, headers: HeaderMap) -> String {
    let number = full_answers.fetch_add(1, Ordering::Relaxed);
    format!("{number} {}", headers[header::USER_AGENT].to_str().unwrap())
}

/// Answers once, and then no more.
async fn tired(State(full_answers): State<Arc<AtomicUsize>>) -> Response {
    match full_answers.fetch_add(1, Ordering::Relaxed) {
        0 => FEED.into_response(),
        _ => (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "600")]).into_response(),
    }
}

async fn redirect_to(axum::extract::RawQuery(target): axum::extract::RawQuery) -> Response {
    (StatusCode::FOUND, [(header::LOCATION, target.unwrap())]).into_response()
}

fn gzipped(bytes: &'static [u8]) -> Response {
    ([(header::CONTENT_ENCODING, "gzip")], bytes).into_response()
}

fn endless() -> impl futures::Stream<Item = std::io::Result<Bytes>> {
    futures::stream::repeat_with(|| Ok(Bytes::from_static(&[b'<'; 1024])))
}

fn stalling() -> impl futures::Stream<Item = std::io::Result<Bytes>> {
    use futures::StreamExt;
    futures::stream::iter([Ok(Bytes::from_static(b"<rss>"))]).chain(futures::stream::pending())
}

fn fetcher() -> Fetcher {
    with_interval(Duration::ZERO)
}

fn with_interval(interval: Duration) -> Fetcher {
    let limits = FetchLimits { body_bytes_max: BODY_BYTES_MAX, deadline: Duration::from_secs(30), redirects_max: 3, interval };
    Fetcher::new(limits, Some("ada@a.example")).unwrap()
}

async fn body(fetcher: &Fetcher, source: &FeedSource) -> String {
    let Fetched { body, .. } = fetcher.fetch(source).await.unwrap();
    String::from_utf8(body.to_vec()).unwrap()
}

#[tokio::test]
async fn a_feed_is_fetched_through_redirects_and_compression() {
    let server = Server::start().await;

    assert_eq!(body(&fetcher(), &server.url("/feed")).await, FEED);
    assert_eq!(body(&fetcher(), &server.url("/to_feed")).await, FEED);
    assert!(body(&fetcher(), &server.url("/gzip")).await.contains("Zipped"));
}

#[tokio::test]
async fn an_unchanged_feed_is_not_sent_again() {
    for path in ["/etag", "/dated"] {
        let server = Server::start().await;
        let fetcher = fetcher();

        let first = body(&fetcher, &server.url(path)).await;
        let second = body(&fetcher, &server.url(path)).await;

        assert_eq!((first.as_str(), second.as_str()), (FEED, FEED), "{path}");
        assert_eq!(server.full_answers.load(Ordering::Relaxed), 1, "{path}");
    }
}

#[tokio::test]
async fn a_source_is_asked_once_in_its_interval_by_a_reader_with_a_name() {
    let server = Server::start().await;
    let patient = with_interval(Duration::from_secs(3_600));

    let read = [body(&patient, &server.url("/counted")).await, body(&patient, &server.url("/counted")).await];
    let hasty = fetcher();
    let anew = [body(&hasty, &server.url("/counted")).await, body(&hasty, &server.url("/counted")).await];

    let said = |number: u32| format!("{number} chimera/{} (feed reader; ada@a.example)", env!("CARGO_PKG_VERSION"));
    assert_eq!(read, [said(0), said(0)]);
    assert_eq!(anew, [said(1), said(2)]);
}

#[tokio::test]
async fn a_server_that_has_had_enough_is_left_alone_and_what_it_said_before_still_counts() {
    let server = Server::start().await;
    let fetcher = fetcher();

    let first = body(&fetcher, &server.url("/tired")).await;
    let refused = body(&fetcher, &server.url("/tired")).await;
    let not_asked = body(&fetcher, &server.url("/tired")).await;
    let other = fetcher.fetch(&server.url("/feed")).await.unwrap_err();

    assert_eq!([first.as_str(), &refused, &not_asked], [FEED; 3]);
    assert_eq!(server.full_answers.load(Ordering::Relaxed), 2);
    assert!(matches!(other, FetchError::LeftAlone(_)), "{other}");
}

#[tokio::test]
async fn endless_feeds_are_cut_off_also_when_compressed() {
    let server = Server::start().await;
    for path in ["/endless", "/gzip_bomb"] {
        let error = fetcher().fetch(&server.url(path)).await.unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { limit_bytes: BODY_BYTES_MAX }), "{path}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_or_stalls_is_given_up() {
    let server = Server::start().await;
    let hasty = Fetcher::new(FetchLimits { deadline: Duration::from_millis(300), ..FetchLimits::default() }, None).unwrap();
    for path in ["/late", "/stalls"] {
        let error = hasty.fetch(&server.url(path)).await.unwrap_err();
        assert!(matches!(error, FetchError::TimedOut { after_ms: 300 }), "{path}: {error}");
    }
}

#[tokio::test]
async fn refusals_and_dead_servers_are_told() {
    let server = Server::start().await;
    for code in [304, 401, 404, 500] {
        let error = fetcher().fetch(&server.url(&format!("/status/{code}"))).await.unwrap_err();
        assert!(matches!(error, FetchError::Status { status } if status == code), "{code}: {error}");
    }
    assert!(matches!(fetcher().fetch(&server.url("/loop")).await, Err(FetchError::TooManyRedirects { limit: 3 })));
    let dead = server.url("/feed");
    drop(server);
    let error = fetcher().fetch(&dead).await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable(_)), "{error}");
}

#[tokio::test]
async fn a_public_feed_cannot_lead_into_a_private_network() {
    let server = Server::start().await;
    let port = server.address.port();
    let fetcher = fetcher().resolving("public.example", server.address);
    let private = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "2130706433"];

    for host in private {
        let error = fetcher.fetch(&server.public_url(&format!("/to?http://{host}:{port}/feed"))).await.unwrap_err();
        assert!(matches!(error, FetchError::PrivateRedirect), "{host}: {error}");
    }
    for target in ["file:///etc/passwd", "ftp://a.example/", "http://"] {
        let error = fetcher.fetch(&server.public_url(&format!("/to?{target}"))).await.unwrap_err();
        assert!(matches!(error, FetchError::BadRedirect), "{target}: {error}");
    }
    assert_eq!(body(&fetcher, &server.public_url("/to_feed")).await, FEED);
}

#[tokio::test]
async fn a_private_feed_may_lead_to_its_own_network() {
    let server = Server::start().await;
    let target = format!("/to?http://localhost:{}/feed", server.address.port());

    assert_eq!(body(&fetcher(), &server.url(&target)).await, FEED);
}

#[tokio::test]
async fn files_are_read_within_the_same_limits() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| FeedSource::File(dir.path().join(name));
    std::fs::write(dir.path().join("feed.xml"), FEED).unwrap();
    std::fs::write(dir.path().join("large.xml"), vec![b' '; BODY_BYTES_MAX + 1]).unwrap();

    assert_eq!(body(&fetcher(), &path("feed.xml")).await, FEED);
    assert!(matches!(fetcher().fetch(&path("large.xml")).await, Err(FetchError::TooLarge { .. })));
    assert!(matches!(fetcher().fetch(&path("missing.xml")).await, Err(FetchError::File(_))));
    assert!(matches!(fetcher().fetch(&path("")).await, Err(FetchError::NotAFile)));
}
