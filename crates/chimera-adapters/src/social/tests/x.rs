//! X's answers as its API v2 gives them.

use super::{SECRET, Session, StandIn, XAccess, XKeys, on_x, post_on, reply, secret};
use serde_json::json;

#[tokio::test]
async fn mentions_come_with_their_authors() {
    let page = json!({
        "data": [
            { "id": "1999", "text": "@selam are you a bot?", "author_id": "12", "created_at": "2026-11-15T07:59:00.000Z", "edit_history_tweet_ids": ["1999"] },
            { "id": "1998", "text": "@selam look", "author_id": "99", "created_at": "2026-11-15T07:58:00.000Z", "edit_history_tweet_ids": ["1998"] },
        ],
        "includes": { "users": [{ "id": "12", "name": "Jack", "username": "jack" }] },
        "meta": { "newest_id": "1999", "oldest_id": "1998", "result_count": 2 },
    });
    let stand_in = StandIn::with(vec![reply(200, page), reply(200, json!({ "meta": { "result_count": 0 } }))]).await;
    let session = Session::open(on_x(stand_in.url())).await;

    let mentions = session.read("twitter://mentions/recent").await.unwrap();
    let none = session.read("twitter://mentions/recent").await.unwrap();

    assert_eq!(
        mentions["items"][0],
        json!({
            "post_id": "1999", "text": "@selam are you a bot?", "url": "https://x.com/i/status/1999", "author": "jack",
            "published_at": "2026-11-15T07:59:00.000Z", "source": "twitter",
        })
    );
    assert!(mentions["items"][1].get("author").is_none());
    assert_eq!(none, json!({ "items": [] }));
    let asked = stand_in.asked();
    assert_eq!(
        asked[0].line,
        "GET /2/users/2244994945/mentions?max_results=100&tweet.fields=created_at%2Cauthor_id&expansions=author_id&user.fields=username"
    );
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
}

#[tokio::test]
async fn the_owner_of_the_token_is_asked_for_once() {
    let me = json!({ "data": { "id": "42", "name": "Selam", "username": "selam" } });
    let empty = || reply(200, json!({ "meta": { "result_count": 0 } }));
    let stand_in = StandIn::with(vec![reply(200, me), empty(), empty()]).await;
    let mut config = on_x(stand_in.url());
    config.x.as_mut().unwrap().user_id = None;
    let session = Session::open(config).await;

    session.read("twitter://mentions/recent").await.unwrap();
    session.read("twitter://mentions/recent").await.unwrap();

    let lines = stand_in.lines();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "GET /2/users/me");
    assert!(lines[1].starts_with("GET /2/users/42/mentions?"), "{}", lines[1]);
}

#[tokio::test]
async fn engagement_is_counted_and_a_post_that_is_gone_is_told() {
    let metrics = json!({
        "retweet_count": 2, "reply_count": 1, "like_count": 30, "quote_count": 4, "bookmark_count": 0, "impression_count": 1200,
    });
    let there = json!({ "data": { "id": "5", "text": "t", "edit_history_tweet_ids": ["5"], "public_metrics": metrics } });
    let gone = json!({ "errors": [{ "value": "6", "title": "Not Found Error", "type": "https://api.twitter.com/2/problems/resource-not-found" }] });
    let post =
        json!({ "data": { "id": "5", "text": "t", "author_id": "12" }, "includes": { "users": [{ "id": "12", "username": "jack" }] } });
    let replies = vec![reply(200, there), reply(200, gone.clone()), reply(200, post), reply(200, gone)];
    let stand_in = StandIn::with(replies).await;
    let session = Session::open(on_x(stand_in.url())).await;

    let engagement = session.read("twitter://posts/5/engagement").await.unwrap();
    let refusal = session.refusal("twitter://posts/6/engagement").await;
    let post = session.read("twitter://posts/5").await.unwrap();
    let gone = session.refusal("twitter://posts/6").await;

    assert_eq!((&post["items"][0]["text"], &post["items"][0]["author"]), (&json!("t"), &json!("jack")), "{post}");
    assert!(gone.starts_with("not_found: "), "{gone}");
    let expected = json!({
        "platform": "twitter", "post_id": "5", "likes": 30, "reposts": 2, "replies": 1, "quotes": 4, "views": 1200,
        "at": "2026-11-15T08:00:00.000Z",
    });
    assert_eq!(engagement, expected);
    assert!(refusal.starts_with("not_found: "), "{refusal}");
    let lines = stand_in.lines();
    assert_eq!(lines[0], "GET /2/tweets/5?tweet.fields=public_metrics");
    assert_eq!(lines[2], "GET /2/tweets/5?tweet.fields=created_at%2Cauthor_id&expansions=author_id&user.fields=username");
}

#[tokio::test]
async fn a_post_is_marked_as_made_with_ai() {
    let posted = json!({ "data": { "id": "1346889436626259968", "text": "Hello", "edit_history_tweet_ids": ["1346889436626259968"] } });
    let stand_in = StandIn::with(vec![reply(201, posted.clone()), reply(201, posted)]).await;
    let session = Session::open(on_x(stand_in.url())).await;
    let mut answer = post_on("twitter", "Hello back");
    answer["reply_to"] = json!("https://x.com/jack/status/1999?s=20");

    let published = session.publish(post_on("twitter", "Hello")).await.unwrap();
    session.publish(answer).await.unwrap();

    assert_eq!(published, json!({ "post_id": "1346889436626259968", "url": "https://x.com/i/status/1346889436626259968" }));
    let asked = stand_in.asked();
    assert_eq!(asked[0].line, "POST /2/tweets");
    assert_eq!(asked[0].json(), json!({ "text": "Hello", "made_with_ai": true }));
    assert_eq!(asked[1].json(), json!({ "text": "Hello back", "made_with_ai": true, "reply": { "in_reply_to_tweet_id": "1999" } }));
}

#[tokio::test]
async fn what_x_leaves_open_is_said_to_be_open() {
    let duplicate = json!({
        "detail": "You are not allowed to create a Tweet with duplicate content.", "type": "about:blank", "title": "Forbidden", "status": 403,
    });
    let forbidden =
        json!({ "detail": "You are not permitted to perform this action.", "type": "about:blank", "title": "Forbidden", "status": 403 });
    let table = [
        (403, duplicate, "duplicate: "),
        (403, forbidden, "refused: twitter answered 403: You are not permitted"),
        (401, json!({ "title": "Unauthorized", "status": 401 }), "unauthorized: twitter does not accept X_BEARER_TOKEN"),
        (503, json!({ "title": "Service Unavailable" }), "outcome_unknown: twitter answered 503; it may have been published"),
        (201, json!({ "data": {} }), "outcome_unknown: twitter accepted it and told no id"),
    ];
    for (code, body, expected) in table {
        let stand_in = StandIn::with(vec![reply(code, body)]).await;
        let error = Session::open(on_x(stand_in.url())).await.publish(post_on("twitter", "Hello")).await.unwrap_err();
        assert!(error.starts_with(expected), "{code}: {error}");
        assert_eq!(stand_in.lines().len(), 1, "never repeated by itself");
    }
}

#[tokio::test]
async fn a_reply_to_nothing_that_x_knows_is_refused_before_it_is_sent() {
    let stand_in = StandIn::with(Vec::new()).await;
    let session = Session::open(on_x(stand_in.url())).await;
    for reply_to in ["abc", "https://x.com/jack", "https://x.com/jack/status/abc", "at://did:plc:a/app.bsky.feed.post/3k"] {
        let mut arguments = post_on("twitter", "Hello");
        arguments["reply_to"] = json!(reply_to);
        let error = session.publish(arguments).await.unwrap_err();
        assert!(error.starts_with("invalid_input: reply_to"), "{reply_to}: {error}");
    }
    assert!(stand_in.asked().is_empty());
}

#[tokio::test]
async fn a_users_keys_sign_each_request_and_are_not_sent() {
    let posted = json!({ "data": { "id": "7", "text": "Hello" } });
    let stand_in = StandIn::with(vec![reply(201, posted), reply(401, json!({ "title": "Unauthorized" }))]).await;
    let named = |text: &str| crate::social::Secret::new(zeroize::Zeroizing::new(text.to_owned()));
    let keys =
        XKeys { api_key: named("app"), api_secret: secret().unwrap(), access_token: named("user"), access_token_secret: secret().unwrap() };
    let mut config = on_x(stand_in.url());
    config.x.as_mut().unwrap().access = Some(XAccess::Keys(keys));
    let session = Session::open(config).await;

    session.publish(post_on("twitter", "Hello")).await.unwrap();
    let refusal = session.refusal("twitter://mentions/recent").await;

    let asked = stand_in.asked();
    let header = asked[0].header("authorization").unwrap();
    for part in ["OAuth oauth_consumer_key=\"app\"", "oauth_token=\"user\"", "oauth_timestamp=\"1794729600\"", "oauth_signature=\""] {
        assert!(header.contains(part), "{part} is missing in {header}");
    }
    assert!(!header.contains(SECRET));
    assert!(refusal.starts_with("unauthorized: twitter does not accept X_API_KEY"), "{refusal}");
}
