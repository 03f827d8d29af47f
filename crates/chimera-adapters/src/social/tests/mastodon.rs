//! Mastodon's answers as its instances give them.

use super::{SECRET, Session, StandIn, on_mastodon, post_on, reply};
use serde_json::{Value, json};

fn status(id: &str, content: &str, visibility: &str) -> Value {
    json!({
        "id": id, "created_at": "2026-11-15T07:58:00.000Z", "in_reply_to_id": null, "sensitive": false, "spoiler_text": "",
        "visibility": visibility, "language": "en", "uri": format!("https://far.example/users/ada/statuses/{id}"),
        "url": format!("https://far.example/@ada/{id}"), "replies_count": 3, "reblogs_count": 5, "favourites_count": 21, "edited_at": null,
        "content": content, "reblog": null,
        "account": { "id": "109", "username": "ada", "acct": "ada@far.example", "display_name": "Ada", "bot": false },
        "media_attachments": [], "mentions": [], "tags": [], "emojis": [], "card": null, "poll": null,
    })
}

#[tokio::test]
async fn timelines_are_read_in_one_form() {
    let page = json!([status("115", "<p>New battery</p>", "public"), status("114", "", "public")]);
    let stand_in = StandIn::with(vec![reply(200, page.clone()), reply(200, page.clone()), reply(200, page)]).await;
    let session = Session::open(on_mastodon(stand_in.url())).await;

    let public = session.read("mastodon://timelines/public").await.unwrap();
    session.read("mastodon://timelines/local").await.unwrap();
    session.read("mastodon://tags/caf%C3%A9").await.unwrap();

    let item = json!({
        "post_id": "115", "text": "<p>New battery</p>", "url": "https://far.example/@ada/115", "author": "ada@far.example",
        "published_at": "2026-11-15T07:58:00.000Z", "source": "mastodon",
    });
    assert_eq!(public, json!({ "items": [item] }));
    let asked = stand_in.asked();
    let lines: Vec<&str> = asked.iter().map(|asked| asked.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "GET /api/v1/timelines/public?limit=40",
            "GET /api/v1/timelines/public?limit=40&local=true",
            "GET /api/v1/timelines/tag/caf%C3%A9?limit=40"
        ]
    );
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert!(asked[0].header("user-agent").unwrap().starts_with("chimera/"));
}

#[tokio::test]
async fn public_timelines_are_read_without_a_token_and_mentions_are_not() {
    let stand_in = StandIn::with(vec![reply(200, json!([]))]).await;
    let mut config = on_mastodon(stand_in.url());
    config.mastodon.as_mut().unwrap().token = None;
    let session = Session::open(config).await;

    assert_eq!(session.read("mastodon://timelines/public").await.unwrap(), json!({ "items": [] }));
    let refusal = session.refusal("mastodon://mentions/recent").await;

    assert!(refusal.starts_with("not_configured: MASTODON_TOKEN is not set"), "{refusal}");
    let asked = stand_in.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].header("authorization"), None);
}

#[tokio::test]
async fn mentions_that_everyone_may_read_are_given_and_private_ones_are_not() {
    let notification =
        |kind: &str, status: Value| json!({ "id": "1", "type": kind, "created_at": "2026-11-15T07:58:00.000Z", "status": status });
    let page = json!([
        notification("mention", status("1", "<p>@selam hello</p>", "public")),
        notification("mention", status("2", "<p>@selam psst</p>", "direct")),
        notification("favourite", status("3", "<p>mine</p>", "public")),
        { "id": "4", "type": "follow", "account": { "acct": "ada@far.example" } },
    ]);
    let stand_in = StandIn::with(vec![reply(200, page)]).await;
    let session = Session::open(on_mastodon(stand_in.url())).await;

    let mentions = session.read("mastodon://mentions/recent").await.unwrap();

    let ids: Vec<&str> = mentions["items"].as_array().unwrap().iter().map(|item| item["post_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["1"]);
    assert_eq!(stand_in.lines(), ["GET /api/v1/notifications?types%5B%5D=mention&limit=40"]);
}

#[tokio::test]
async fn one_post_is_read_unless_it_is_private_or_gone() {
    let gone = reply(404, json!({ "error": "Record not found" }));
    let replies = vec![reply(200, status("7", "<p>@selam hi</p>", "unlisted")), reply(200, status("8", "<p>psst</p>", "direct")), gone];
    let stand_in = StandIn::with(replies).await;
    let session = Session::open(on_mastodon(stand_in.url())).await;

    let post = session.read("mastodon://posts/7").await.unwrap();
    let private = session.refusal("mastodon://posts/8").await;
    let gone = session.refusal("mastodon://posts/9").await;

    assert_eq!((&post["items"][0]["post_id"], &post["items"][0]["author"]), (&json!("7"), &json!("ada@far.example")), "{post}");
    assert!(private.starts_with("not_found: ") && gone.starts_with("not_found: "), "{private} {gone}");
    assert_eq!(stand_in.lines(), ["GET /api/v1/statuses/7", "GET /api/v1/statuses/8", "GET /api/v1/statuses/9"]);
}

#[tokio::test]
async fn engagement_is_counted() {
    let stand_in = StandIn::with(vec![reply(200, status("115", "<p>mine</p>", "public"))]).await;
    let session = Session::open(on_mastodon(stand_in.url())).await;

    let engagement = session.read("mastodon://posts/115/engagement").await.unwrap();

    let expected = json!({
        "platform": "mastodon", "post_id": "115", "likes": 21, "reposts": 5, "replies": 3, "at": "2026-11-15T08:00:00.000Z",
    });
    assert_eq!(engagement, expected);
    assert_eq!(stand_in.lines(), ["GET /api/v1/statuses/115"]);
}

#[tokio::test]
async fn a_post_goes_out_under_mastodons_own_idempotency_key() {
    let stand_in = StandIn::with(vec![reply(200, status("900", "<p>Hello</p>", "public"))]).await;
    let session = Session::open(on_mastodon(stand_in.url())).await;

    let published = session.publish(post_on("mastodon", "Hello\nworld")).await.unwrap();

    assert_eq!(published, json!({ "post_id": "900", "url": "https://far.example/@ada/900" }));
    let [asked] = &stand_in.asked()[..] else { panic!("one request") };
    assert_eq!(asked.line, "POST /api/v1/statuses");
    assert_eq!(asked.header("idempotency-key"), Some("task-7"));
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    assert_eq!(asked.json(), json!({ "status": "Hello\nworld", "visibility": "public" }));
}

#[tokio::test]
async fn a_reply_finds_the_number_that_a_far_post_has_here() {
    let found = json!({ "accounts": [], "hashtags": [], "statuses": [status("77", "<p>hi</p>", "public")] });
    let nothing = json!({ "accounts": [], "hashtags": [], "statuses": [] });
    let posted = || reply(200, status("901", "<p>Hello</p>", "public"));
    let stand_in = StandIn::with(vec![reply(200, found), posted(), posted(), reply(200, nothing)]).await;
    let session = Session::open(on_mastodon(stand_in.url())).await;
    let answer_to = |reply_to: &str| {
        let mut arguments = post_on("mastodon", "Hello");
        arguments["reply_to"] = json!(reply_to);
        arguments
    };

    session.publish(answer_to("https://far.example/@ada/5")).await.unwrap();
    session.publish(answer_to("78")).await.unwrap();
    let gone = session.publish(answer_to("https://far.example/@ada/6")).await.unwrap_err();

    let asked = stand_in.asked();
    assert_eq!(asked[0].line, "GET /api/v2/search?q=https%3A%2F%2Ffar.example%2F%40ada%2F5&type=statuses&resolve=true&limit=1");
    assert_eq!((asked[1].json()["in_reply_to_id"].clone(), asked[2].json()["in_reply_to_id"].clone()), (json!("77"), json!("78")));
    assert_eq!(asked.len(), 4);
    assert!(gone.starts_with("not_found: "), "{gone}");
}

#[tokio::test]
async fn refusals_are_told_in_mastodons_words_and_without_the_token() {
    let table = [
        (401, json!({ "error": "The access token is invalid" }), "unauthorized: mastodon does not accept MASTODON_TOKEN"),
        (403, json!({ "error": "This action is outside the authorized scopes" }), "refused: mastodon answered 403: This action is outside"),
        (
            422,
            json!({ "error": "Validation failed: Text character limit of 500 exceeded" }),
            "refused: mastodon answered 422: Validation failed",
        ),
        (422, json!({ "error": format!("bad {SECRET}") }), "refused: mastodon answered 422: bad …"),
        (404, json!({ "error": "Record not found" }), "not_found: "),
        (503, json!({}), "unavailable: mastodon answered 503; it is safe to repeat"),
        (200, json!({ "id": "9" }), "unexpected_answer: "),
        (302, json!({}), "refused: mastodon answered 302: it redirects"),
    ];
    for (code, body, expected) in table {
        let stand_in = StandIn::with(vec![reply(code, body).with("location", "http://127.0.0.1:9/")]).await;
        let error = Session::open(on_mastodon(stand_in.url())).await.publish(post_on("mastodon", "Hello")).await.unwrap_err();
        assert!(error.starts_with(expected), "{code}: {error}");
    }
}

#[tokio::test]
async fn a_picture_is_uploaded_with_its_description_and_waited_for() {
    let taken = json!({ "id": "31", "type": "image", "url": null, "description": "a bus" });
    let ready = json!({ "id": "31", "type": "image", "url": "https://files.example/31.png", "description": "a bus" });
    let posted = reply(200, status("902", "<p>Hello</p>", "public"));
    let stand_in = StandIn::with(vec![reply(202, taken), reply(200, ready), posted]).await;
    let mut arguments = post_on("mastodon", "Hello");
    arguments["media_uri"] = json!("data:image/png;base64,aGVsbG8=");
    arguments["alt_text"] = json!("a bus");

    Session::open(on_mastodon(stand_in.url())).await.publish(arguments).await.unwrap();

    let asked = stand_in.asked();
    let lines: Vec<&str> = asked.iter().map(|asked| asked.line.as_str()).collect();
    assert_eq!(lines, ["POST /api/v2/media", "GET /api/v1/media/31", "POST /api/v1/statuses"]);
    let boundary = asked[0].header("content-type").unwrap().strip_prefix("multipart/form-data; boundary=").unwrap();
    let expected = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\na bus\r\n--{boundary}\r\nContent-Disposition: form-data; \
         name=\"file\"; filename=\"media.png\"\r\nContent-Type: image/png\r\n\r\nhello\r\n--{boundary}--\r\n"
    );
    assert_eq!(asked[0].body, expected.as_bytes());
    assert_eq!(asked[2].json()["media_ids"], json!(["31"]));
}
