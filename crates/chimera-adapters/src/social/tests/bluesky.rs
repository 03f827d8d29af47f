//! Bluesky's answers as its servers give them.

use super::{Reply, SECRET, Session, StandIn, on_bluesky, post_on, reply};
use serde_json::{Value, json};

const DID: &str = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";

fn session_with(access: &str) -> Reply {
    let body = json!({
        "did": DID, "handle": "selam.example.com", "email": "selam@example.com", "emailConfirmed": true, "active": true,
        "accessJwt": access, "refreshJwt": format!("{access}-refresh"),
    });
    reply(200, body)
}

fn no_record() -> Reply {
    reply(400, json!({ "error": "RecordNotFound", "message": "Could not locate record: at://…" }))
}

fn written() -> Reply {
    let commit = json!({ "cid": "bafyreigcommit", "rev": "3l5abc" });
    reply(200, json!({ "uri": "at://x", "cid": "bafyreigpost", "commit": commit, "validationStatus": "valid" }))
}

fn record(text: &str) -> Reply {
    let value = json!({ "$type": "app.bsky.feed.post", "text": text, "createdAt": "2026-11-15T07:00:00.000Z" });
    reply(200, json!({ "uri": format!("at://{DID}/app.bsky.feed.post/3kabc"), "cid": "bafyreiparent", "value": value }))
}

fn view(rkey: &str, text: &str) -> Value {
    json!({
        "uri": format!("at://did:plc:ada/app.bsky.feed.post/{rkey}"), "cid": "bafyreiview",
        "author": { "did": "did:plc:ada", "handle": "ada.example.com", "displayName": "Ada", "viewer": { "muted": false } },
        "record": { "$type": "app.bsky.feed.post", "text": text, "createdAt": "2026-11-15T07:58:00.000Z", "langs": ["en"] },
        "replyCount": 1, "repostCount": 2, "likeCount": 13, "quoteCount": 0, "indexedAt": "2026-11-15T07:58:01.000Z", "labels": [],
    })
}

fn item(rkey: &str, text: &str) -> Value {
    json!({
        "post_id": format!("at://did:plc:ada/app.bsky.feed.post/{rkey}"), "text": text,
        "url": format!("https://bsky.app/profile/did:plc:ada/post/{rkey}"), "author": "ada.example.com",
        "published_at": "2026-11-15T07:58:00.000Z", "source": "bluesky",
    })
}

#[tokio::test]
async fn posts_searches_and_mentions_are_read_in_one_form_with_one_login() {
    let repost = json!({ "post": view("3kb", "passed on"), "reason": { "$type": "app.bsky.feed.defs#reasonRepost" } });
    let mut mention = view("3kd", "@selam.example.com hello");
    mention["reason"] = json!("mention");
    let like = json!({ "uri": "at://did:plc:ada/app.bsky.feed.like/3kl", "reason": "like", "author": {}, "record": {} });
    let stand_in = StandIn::with(vec![
        session_with("access-1"),
        reply(200, json!({ "feed": [{ "post": view("3ka", "own") }, repost], "cursor": "c" })),
        reply(200, json!({ "posts": [view("3kc", "found")], "hitsTotal": 1 })),
        reply(200, json!({ "notifications": [mention, like], "priority": false })),
    ])
    .await;
    let session = Session::open(on_bluesky(stand_in.url())).await;

    let author = session.read("bluesky://authors/ada.example.com/posts").await.unwrap();
    let search = session.read("bluesky://search/solid%20state").await.unwrap();
    let mentions = session.read("bluesky://mentions/recent").await.unwrap();

    assert_eq!(author, json!({ "items": [item("3ka", "own")] }));
    assert_eq!(search, json!({ "items": [item("3kc", "found")] }));
    assert_eq!(mentions, json!({ "items": [item("3kd", "@selam.example.com hello")] }));
    let asked = stand_in.asked();
    assert_eq!(asked[0].line, "POST /xrpc/com.atproto.server.createSession");
    assert_eq!(asked[0].json(), json!({ "identifier": "selam.example.com", "password": SECRET }));
    let lines: Vec<&str> = asked[1..].iter().map(|asked| asked.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "GET /xrpc/app.bsky.feed.getAuthorFeed?actor=ada.example.com&limit=100&filter=posts_and_author_threads",
            "GET /xrpc/app.bsky.feed.searchPosts?q=solid+state&limit=100&sort=latest",
            "GET /xrpc/app.bsky.notification.listNotifications?reasons=mention&reasons=reply&limit=100",
        ]
    );
    assert!(asked[1..].iter().all(|asked| asked.header("authorization") == Some("Bearer access-1")));
}

#[tokio::test]
async fn engagement_is_counted_and_a_post_that_is_gone_is_told() {
    let there = || reply(200, json!({ "posts": [view("3ka", "t")] }));
    let stand_in = StandIn::with(vec![session_with("access-jwt"), there(), reply(200, json!({ "posts": [] })), there()]).await;
    let session = Session::open(on_bluesky(stand_in.url())).await;
    let uri = "bluesky://posts/at%3A%2F%2Fdid%3Aplc%3Aada%2Fapp.bsky.feed.post%2F3ka/engagement";

    let engagement = session.read(uri).await.unwrap();
    let refusal = session.refusal(uri).await;
    let post = session.read(uri.trim_end_matches("/engagement")).await.unwrap();

    assert_eq!(post, json!({ "items": [item("3ka", "t")] }));
    let expected = json!({
        "platform": "bluesky", "post_id": "at://did:plc:ada/app.bsky.feed.post/3ka", "likes": 13, "reposts": 2, "replies": 1, "quotes": 0,
        "at": "2026-11-15T08:00:00.000Z",
    });
    assert_eq!(engagement, expected);
    assert!(refusal.starts_with("not_found: "), "{refusal}");
    assert_eq!(stand_in.lines()[1], "GET /xrpc/app.bsky.feed.getPosts?uris=at%3A%2F%2Fdid%3Aplc%3Aada%2Fapp.bsky.feed.post%2F3ka");
}

#[tokio::test]
async fn a_post_is_a_labelled_record_under_a_key_of_its_own() {
    let resolved = reply(200, json!({ "did": "did:plc:ada" }));
    let stand_in = StandIn::with(vec![session_with("access-jwt"), no_record(), resolved, written()]).await;
    let session = Session::open(on_bluesky(stand_in.url())).await;

    let published = session.publish(post_on("bluesky", "Grüße @ada.example.com https://a.example #AI")).await.unwrap();

    let asked = stand_in.asked();
    let rkey = asked[1].line.rsplit_once("rkey=").unwrap().1.to_owned();
    assert_eq!(rkey.len(), 13, "{rkey}");
    let expected = json!({
        "post_id": format!("at://{DID}/app.bsky.feed.post/{rkey}"), "url": format!("https://bsky.app/profile/{DID}/post/{rkey}"),
    });
    assert_eq!(published, expected);
    assert_eq!(asked[2].line, "GET /xrpc/com.atproto.identity.resolveHandle?handle=ada.example.com");
    assert_eq!(asked[3].line, "POST /xrpc/com.atproto.repo.putRecord");
    let facet = |start: u32, end: u32, feature: Value| json!({ "index": { "byteStart": start, "byteEnd": end }, "features": [feature] });
    let expected = json!({
        "repo": DID, "collection": "app.bsky.feed.post", "rkey": rkey, "swapRecord": null,
        "record": {
            "$type": "app.bsky.feed.post", "text": "Grüße @ada.example.com https://a.example #AI", "createdAt": "2026-11-15T08:00:00.000Z",
            "labels": { "$type": "com.atproto.label.defs#selfLabels", "values": [{ "val": "bot" }] },
            "facets": [
                facet(25, 42, json!({ "$type": "app.bsky.richtext.facet#link", "uri": "https://a.example" })),
                facet(43, 46, json!({ "$type": "app.bsky.richtext.facet#tag", "tag": "AI" })),
                facet(8, 24, json!({ "$type": "app.bsky.richtext.facet#mention", "did": "did:plc:ada" })),
            ],
        },
    });
    assert_eq!(asked[3].json(), expected);
}

#[tokio::test]
async fn a_repeat_answers_with_the_post_that_is_there_and_writes_nothing() {
    let stand_in = StandIn::with(vec![session_with("access-jwt"), no_record(), written(), record("Hello"), record("Hello")]).await;
    let session = Session::open(on_bluesky(stand_in.url())).await;

    let first = session.publish(post_on("bluesky", "Hello")).await.unwrap();
    let again = session.publish(post_on("bluesky", "Hello")).await.unwrap();
    let other = session.publish(post_on("bluesky", "Another")).await.unwrap_err();

    assert_eq!(first, again);
    assert!(other.starts_with("invalid_input: this idempotency_key has published another text"), "{other}");
    assert_eq!(stand_in.lines().iter().filter(|line| line.starts_with("POST") && line.ends_with("putRecord")).count(), 1);
}

#[tokio::test]
async fn of_two_that_write_at_once_the_second_finds_the_first() {
    let lost = reply(400, json!({ "error": "InvalidSwap", "message": "Record was at bafyreigpost" }));
    let stand_in = StandIn::with(vec![session_with("access-jwt"), no_record(), lost, record("Hello")]).await;

    let published = Session::open(on_bluesky(stand_in.url())).await.publish(post_on("bluesky", "Hello")).await.unwrap();

    assert!(published["post_id"].as_str().unwrap().starts_with(&format!("at://{DID}/app.bsky.feed.post/")));
}

#[tokio::test]
async fn a_reply_names_its_parent_and_the_root_of_the_thread() {
    let root = json!({ "uri": "at://did:plc:bob/app.bsky.feed.post/3kroot", "cid": "bafyreiroot" });
    let value = json!({ "text": "in a thread", "reply": { "root": root, "parent": root } });
    let parent = json!({ "uri": "at://did:plc:ada/app.bsky.feed.post/3ka", "cid": "bafyreiparent" });
    let mut in_thread = parent.clone();
    in_thread["value"] = value;
    let mut alone = parent.clone();
    alone["value"] = json!({ "text": "alone" });
    for (fetched, expected_root) in [(in_thread, root), (alone, parent.clone())] {
        let stand_in = StandIn::with(vec![session_with("access-jwt"), no_record(), reply(200, fetched), written()]).await;
        let mut arguments = post_on("bluesky", "Hello");
        arguments["reply_to"] = json!("https://bsky.app/profile/ada.example.com/post/3ka");

        Session::open(on_bluesky(stand_in.url())).await.publish(arguments).await.unwrap();

        let asked = stand_in.asked();
        assert_eq!(asked[2].line, "GET /xrpc/com.atproto.repo.getRecord?repo=ada.example.com&collection=app.bsky.feed.post&rkey=3ka");
        assert_eq!(asked[3].json()["record"]["reply"], json!({ "root": expected_root, "parent": parent }));
    }
}

#[tokio::test]
async fn a_session_that_is_over_is_refreshed_and_logged_in_again_when_that_is_over_too() {
    let over = || reply(400, json!({ "error": "ExpiredToken", "message": "Token has expired" }));
    let empty = || reply(200, json!({ "posts": [] }));
    let stand_in = StandIn::with(vec![
        session_with("first"),
        over(),
        session_with("second"),
        empty(),
        over(),
        reply(401, json!({ "error": "ExpiredToken", "message": "Token has been revoked" })),
        session_with("third"),
        empty(),
    ])
    .await;
    let session = Session::open(on_bluesky(stand_in.url())).await;

    session.read("bluesky://search/a").await.unwrap();
    session.read("bluesky://search/a").await.unwrap();

    let asked = stand_in.asked();
    let tokens: Vec<_> =
        asked.iter().map(|asked| asked.header("authorization").unwrap_or_default().trim_start_matches("Bearer ")).collect();
    assert_eq!(tokens, ["", "first", "first-refresh", "second", "second", "second-refresh", "", "third"]);
    assert!(asked[2].line.ends_with("com.atproto.server.refreshSession") && asked[6].line.ends_with("createSession"));
}

#[tokio::test]
async fn refusals_are_told_in_blueskys_words_and_without_the_password() {
    let wrong = json!({ "error": "AuthenticationRequired", "message": "Invalid identifier or password" });
    let stand_in = StandIn::with(vec![reply(401, wrong)]).await;
    let error = Session::open(on_bluesky(stand_in.url())).await.publish(post_on("bluesky", "Hello")).await.unwrap_err();
    assert!(error.starts_with("unauthorized: bluesky does not accept BLUESKY_APP_PASSWORD"), "{error}");

    let long = json!({ "error": "InvalidRequest", "message": format!("Record/text must not be longer than 300 graphemes {SECRET}") });
    let stand_in = StandIn::with(vec![session_with("access-jwt"), no_record(), reply(400, long)]).await;
    let error = Session::open(on_bluesky(stand_in.url())).await.publish(post_on("bluesky", "Hello")).await.unwrap_err();
    assert_eq!(error, "refused: bluesky answered 400: Record/text must not be longer than 300 graphemes …");

    let stand_in = StandIn::with(vec![session_with("access-jwt"), no_record(), no_record()]).await;
    let mut arguments = post_on("bluesky", "Hello");
    arguments["reply_to"] = json!("at://did:plc:ada/app.bsky.feed.post/3kgone");
    let error = Session::open(on_bluesky(stand_in.url())).await.publish(arguments).await.unwrap_err();
    assert!(error.starts_with("not_found: "), "{error}");
}

#[tokio::test]
async fn a_picture_is_a_blob_in_the_record_and_a_film_is_refused() {
    let blob = json!({ "$type": "blob", "ref": { "$link": "bafkreiblob" }, "mimeType": "image/png", "size": 5 });
    let stand_in =
        StandIn::with(vec![session_with("access-jwt"), no_record(), reply(200, json!({ "blob": blob })), written(), no_record()]).await;
    let session = Session::open(on_bluesky(stand_in.url())).await;
    let with_media = |uri: &str| {
        let mut arguments = post_on("bluesky", "Hello");
        arguments["media_uri"] = json!(uri);
        arguments["alt_text"] = json!("a bus");
        arguments
    };

    session.publish(with_media("data:image/png;base64,aGVsbG8=")).await.unwrap();
    let film = session.publish(with_media("data:video/mp4;base64,aGVsbG8=")).await.unwrap_err();

    let asked = stand_in.asked();
    assert_eq!(asked[2].line, "POST /xrpc/com.atproto.repo.uploadBlob");
    assert_eq!((asked[2].header("content-type"), &asked[2].body[..]), (Some("image/png"), &b"hello"[..]));
    let embed = json!({ "$type": "app.bsky.embed.images", "images": [{ "image": blob, "alt": "a bus" }] });
    assert_eq!(asked[3].json()["record"]["embed"], embed);
    assert!(film.starts_with("unsupported: films are not published on bluesky"), "{film}");
}
