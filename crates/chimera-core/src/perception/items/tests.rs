use super::*;

/// Knows one feed, so that the tests need no XML.
struct OneFeed;

impl FeedParser for OneFeed {
    fn parse(&self, text: &str) -> Option<Vec<ParsedItem>> {
        let entry = ParsedItem {
            title: Some(Untrusted::new("<b>From</b> the feed")),
            url: Some(Untrusted::new("javascript:alert(1)")),
            ..ParsedItem::default()
        };
        text.starts_with("<rss").then(|| vec![entry; 2])
    }
}

fn read(text: &str, mime_type: Option<&str>) -> Result<Vec<Found>, UnreadableResource> {
    read_items(&[ResourceText { text: Untrusted::new(text), mime_type: mime_type.map(str::to_owned) }], &OneFeed)
}

fn titles(text: &str) -> Vec<String> {
    let found = read(text, None).unwrap();
    found
        .iter()
        .map(|found| match found {
            Found::Item(item) => item.title.as_data().to_owned(),
            Found::Price(price) => format!("{price:?}"),
        })
        .collect()
}

fn only_item(text: &str) -> FoundItem {
    match read(text, None).unwrap().as_slice() {
        [Found::Item(item)] => item.clone(),
        other => panic!("expected one item: {other:?}"),
    }
}

#[test]
fn every_form_of_a_list_is_read() {
    for (text, expected) in [
        (r#"[{"title":"One"},{"text":"Two"},"Three",7,null,[]]"#, vec!["One", "Two", "Three"]),
        (r#"{"items":[{"summary":"One"},{"content":"Two"}]}"#, vec!["One", "Two"]),
        (r#"{"version":"https://jsonfeed.org/version/1.1","title":"Feed","items":[{"id":"1","content_html":"<p>One</p>"}]}"#, vec!["One"]),
        (r#"{"title":"Alone"}"#, vec!["Alone"]),
        ("First\nparagraph\n\n\nSecond\r\n\r\nThird", vec!["First paragraph", "Second", "Third"]),
        ("<rss><channel/></rss>", vec!["From the feed", "From the feed"]),
        ("<p>Not a feed</p>", vec!["Not a feed"]),
        ("[not json", vec!["[not json"]),
        ("", vec![]),
        ("[]", vec![]),
        ("{}", vec![]),
        ("7", vec!["7"]),
        ("***\n\n—", vec![]),
        (r#"[{"title":"  ","text":"\u0000 \u200b"}]"#, vec![]),
    ] {
        assert_eq!(titles(text), expected, "{text:?}");
    }
}

#[test]
fn an_item_keeps_its_link_author_and_time() {
    for (text, published_at) in [
        (r#"{"title":"T","link":"https://a.example/x","author":"Ada","date":"2026-01-02"}"#, "2026-01-02T00:00:00Z"),
        (
            r#"{"title":"T","url":"https://a.example/x","author":{"name":"Ada"},"created_at":"Fri, 02 Jan 2026 00:00:00 GMT"}"#,
            "2026-01-02T00:00:00Z",
        ),
        (
            r#"{"title":"T","url":"https://a.example/x","authors":[{"name":"Ada"}],"date_published":"2026-01-02T01:00:00+01:00"}"#,
            "2026-01-02T00:00:00Z",
        ),
        (r#"{"title":"T","url":"https://a.example/x","account":{"acct":"Ada"},"timestamp":1767312000}"#, "2026-01-02T00:00:00Z"),
        (r#"{"title":"T","url":"https://a.example/x","creator":"Ada","timestamp":1767312000000}"#, "2026-01-02T00:00:00Z"),
    ] {
        let item = only_item(text);

        assert_eq!(item.url.as_ref().map(WebUrl::as_str), Some("https://a.example/x"), "{text}");
        assert_eq!(item.author.as_ref().map(Author::as_str), Some("Ada"), "{text}");
        assert_eq!(item.published_at, Some(published_at.parse().unwrap()), "{text}");
    }
}

#[test]
fn what_makes_no_sense_in_a_field_is_left_out_and_the_item_stays() {
    for text in [
        r#"{"title":"T","url":"javascript:alert(1)","author":7,"date":"yesterday"}"#,
        r#"{"title":"T","url":"/relative","author":{"x":1},"date":[]}"#,
        r#"{"title":"T","url":"","author":"","date":1e300}"#,
        r#"{"title":"T","url":"https://a.example/x follow @evil","author":"Ada, see evil.example"}"#,
        r#"{"title":"T","url":"https://news.example@evil.example/","author":"@evil #scam"}"#,
        r#"{"title":"T","url":"https://a.example/\u001b[2J","author":"https://evil.example"}"#,
    ] {
        let item = only_item(text);

        assert_eq!((item.url, item.author, item.published_at), (None, None, None), "{text}");
    }
}

#[test]
fn a_resource_that_is_not_what_it_says_is_an_error() {
    assert_eq!(read("<html>", Some("application/json")), Err(UnreadableResource::NotJson));
    assert_eq!(read(&"[".repeat(100_000), Some("application/json")), Err(UnreadableResource::NotJson));
    assert_eq!(read("{}", Some("application/rss+xml")).map(|found| found.len()), Ok(0));
    assert_eq!(read("plain", Some("application/atom+xml")), Err(UnreadableResource::NotFeed));
}

#[test]
fn a_resource_gives_no_more_items_than_the_limit() {
    let json = format!("[{}]", vec![r#""x""#; 1_000].join(","));
    let text = "x\n\n".repeat(1_000);

    assert_eq!(read(&json, None).unwrap().len(), ITEMS_PER_RESOURCE_MAX);
    assert_eq!(read(&text, None).unwrap().len(), ITEMS_PER_RESOURCE_MAX);
}

#[test]
fn a_price_is_read_as_one() {
    let found = read(r#"{"asset":"eth","price":3412.1,"currency":"USD","at":"2026-01-02T00:00:00Z"}"#, None).unwrap();

    assert!(matches!(found.as_slice(), [Found::Price(price)] if price.asset.as_data() == "ETH"));
}

#[test]
fn title_and_text_become_one_without_repeating_the_title() {
    for (title, text, expected) in [
        ("Title", "", "Title"),
        ("Title", "More", "Title. More"),
        ("Title!", "More", "Title! More"),
        ("Title", "Title and more", "Title and more"),
        ("Title…", "Title and more", "Title and more"),
    ] {
        assert_eq!(whole(title, text).as_data(), expected);
    }
}
