//! Every format, and everything that is none.

use crate::feeds::{FeedError, FeedTextParser, Sent, parse_feed};
use chimera_core::domain::Untrusted;
use chimera_core::ports::feed_parser::{FeedParser, ParsedItem};

const RSS: &str = r#"<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Wire</title>
    <item><title>One &amp; only</title><link>https://a.example/1</link><dc:creator>Ada</dc:creator>
    <pubDate>Sun, 15 Nov 2026 01:02:03 +0100</pubDate><description>&lt;p&gt;Body&lt;/p&gt;</description></item></channel></rss>"#;
const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Wire</title><id>f</id><updated>2026-11-15T00:00:00Z</updated>
    <entry><title>One &amp; only</title><id>1</id><link rel="alternate" href="https://a.example/1"/><author><name>Ada</name></author>
    <published>2026-11-15T00:02:03Z</published><updated>2026-11-15T00:02:03Z</updated><summary type="html">&lt;p&gt;Body&lt;/p&gt;</summary></entry></feed>"#;
const JSON: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "Wire", "items": [{"id": "1", "url": "https://a.example/1",
    "title": "One & only", "content_html": "<p>Body</p>", "date_published": "2026-11-15T00:02:03Z", "authors": [{"name": "Ada"}]}]}"#;

#[test]
fn the_three_formats_give_the_same_item() {
    let expected = ParsedItem {
        title: Some(Untrusted::new("One & only")),
        summary: Some(Untrusted::new("<p>Body</p>")),
        url: Some(Untrusted::new("https://a.example/1")),
        author: Some(Untrusted::new("Ada")),
        published_at: Some("2026-11-15T00:02:03Z".parse().unwrap()),
    };
    for text in [RSS, ATOM, JSON] {
        let feed = parse_feed(text.as_bytes(), Sent::default()).expect(text);
        assert_eq!(feed.items, std::slice::from_ref(&expected), "{text}");
        assert_eq!(feed.title.as_deref(), Some("Wire"));
        assert_eq!(FeedTextParser.parse(text), Some(vec![expected.clone()]));
    }
}

#[test]
fn what_is_no_feed_is_refused_as_such() {
    let not_feeds = [
        "just text",
        "text with <b>markup</b> and {braces}",
        "{}",
        r#"{"items": []}"#,
        "[1, 2]",
        "<html><body>not found</body></html>",
        "<!doctype html><html></html>",
        "\u{0}\u{1}\u{2}",
        "Ünsinn",
    ];
    for text in not_feeds {
        assert!(
            matches!(parse_feed(text.as_bytes(), Sent::default()), Err(FeedError::NotAFeed)),
            "{text}: {:?}",
            parse_feed(text.as_bytes(), Sent::default())
        );
        assert_eq!(FeedTextParser.parse(text), None, "{text}");
    }
    for text in ["", " \n\t "] {
        assert!(matches!(parse_feed(text.as_bytes(), Sent::default()), Err(FeedError::Empty)), "{text:?}");
    }
}

#[test]
fn a_feed_cut_anywhere_never_panics() {
    for text in [RSS, ATOM, JSON] {
        for end in 0..text.len() {
            let _ = parse_feed(&text.as_bytes()[..end], Sent::default());
        }
    }
}

#[test]
fn odd_items_are_kept_with_what_they_have() {
    let text = r#"<rss version="2.0"><channel><title></title><item></item>
        <item><title> </title><link>javascript:alert(1)</link><pubDate>someday</pubDate></item>
        <item><title>Plain</title><link>ftp://a.example/</link></item></channel></rss>"#;

    let feed = parse_feed(text.as_bytes(), Sent::default()).unwrap();

    assert_eq!(feed.title, None);
    assert_eq!(feed.items.len(), 3);
    assert_eq!(feed.items[1], ParsedItem::default());
    assert_eq!(feed.items[2], ParsedItem { title: Some(Untrusted::new("Plain")), ..ParsedItem::default() });
}

#[test]
fn entities_of_a_document_are_never_expanded() {
    let bomb = r#"<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
        <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY secret SYSTEM "file:///etc/passwd">]>
        <rss version="2.0"><channel><title>Bomb</title><item><title>x &c; &secret; y</title></item></channel></rss>"#;

    let outcome = parse_feed(bomb.as_bytes(), Sent::default());

    if let Ok(feed) = outcome {
        let title = feed.items[0].title.clone().unwrap_or_default().into_data();
        assert!(!title.contains("aaaaaaaaaa") && !title.contains("root:"), "{title}");
    }
}

#[test]
fn deep_nesting_and_long_texts_stay_within_limits() {
    let deep = format!("<rss version=\"2.0\"><channel><item><description>{}</description></item></channel></rss>", "<b>".repeat(200_000));
    let deeper_json = format!("{{\"version\": \"https://jsonfeed.org/version/1\", \"title\": \"t\", \"items\": {}", "[".repeat(200_000));
    let long = format!(
        "<rss version=\"2.0\"><channel><title>t</title>{}</channel></rss>",
        format!("<item><title>{}</title><description>{}</description></item>", "t".repeat(2_000), "d".repeat(20_000)).repeat(600)
    );

    let _ = parse_feed(deep.as_bytes(), Sent::default());
    let _ = parse_feed(deeper_json.as_bytes(), Sent::default());
    let feed = parse_feed(long.as_bytes(), Sent::default()).unwrap();

    assert_eq!(feed.items.len(), 500);
    assert_eq!(feed.items[0].title.as_ref().map(|text| text.as_data().len()), Some(500));
    assert_eq!(feed.items[0].summary.as_ref().map(|text| text.as_data().len()), Some(8_000));
}

#[test]
fn a_feed_in_another_encoding_is_read() {
    let mut latin1 = br#"<?xml version="1.0" encoding="ISO-8859-1"?><rss version="2.0"><channel><title>t</title><item><title>caf"#.to_vec();
    latin1.push(0xe9);
    latin1.extend_from_slice(b"</title></item></channel></rss>");

    let feed = parse_feed(&latin1, Sent::default()).unwrap();

    assert_eq!(feed.items[0].title.as_ref().map(Untrusted::as_data), Some("café"));
}

#[test]
fn hacker_news_and_reddit_are_read_as_they_answer() {
    let hacker_news = r#"{"hits": [
        {"_tags": ["story", "author_ada", "front_page"], "author": "ada", "created_at": "2026-11-15T06:00:00Z", "created_at_i": 1794722400,
         "num_comments": 3, "objectID": "41", "points": 70, "title": "A battery that lasts a week", "url": "https://lab.example/battery"},
        {"author": "bob", "created_at": "2026-11-15T05:00:00Z", "objectID": "42", "story_text": "What do <i>you</i> use?", "title": "Ask HN: Editors?"},
        {"author": "eve", "created_at": "2026-11-15T05:00:00Z", "objectID": "43", "comment_text": "no title, no story"}],
        "hitsPerPage": 100, "nbHits": 3, "page": 0}"#;
    let feed = parse_feed(hacker_news.as_bytes(), Sent::default()).unwrap();
    assert_eq!(feed.title.as_deref(), Some("Hacker News"));
    let urls: Vec<_> = feed.items.iter().map(|item| item.url.as_ref().unwrap().as_data()).collect();
    assert_eq!(urls, ["https://lab.example/battery", "https://news.ycombinator.com/item?id=42"]);
    assert_eq!(feed.items[1].summary.as_ref().map(Untrusted::as_data), Some("What do <i>you</i> use?"));
    assert_eq!(feed.items[0].author.as_ref().map(Untrusted::as_data), Some("ada"));
    assert_eq!(feed.items[0].published_at, Some("2026-11-15T06:00:00Z".parse().unwrap()));

    let listing = r#"{"kind": "Listing", "data": {"after": null, "children": [{"kind": "t3", "data": {"title": "A bus", "selftext": "It drives.",
        "author": "ada", "permalink": "/r/technology/comments/x/a_bus/", "url": "https://elsewhere.example", "created_utc": 1794722400.0}}]}}"#;
    let feed = parse_feed(listing.as_bytes(), Sent::default()).unwrap();
    assert_eq!(feed.items[0].url.as_ref().map(Untrusted::as_data), Some("https://www.reddit.com/r/technology/comments/x/a_bus/"));
    assert_eq!(feed.items[0].published_at, Some("2026-11-15T06:00:00Z".parse().unwrap()));

    let atom = r#"<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>newest submissions : technology</title>
        <entry><author><name>/u/ada</name><uri>https://www.reddit.com/user/ada</uri></author><category term="technology" label="r/technology"/>
        <content type="html">&lt;!-- SC_OFF --&gt;&lt;div class=&quot;md&quot;&gt;&lt;p&gt;It drives.&lt;/p&gt; &lt;/div&gt;&lt;!-- SC_ON --&gt; &amp;#32; submitted by &amp;#32; &lt;a href=&quot;https://www.reddit.com/user/ada&quot;&gt; /u/ada &lt;/a&gt; &lt;br/&gt; &lt;span&gt;&lt;a href=&quot;https://a.example&quot;&gt;[link]&lt;/a&gt;&lt;/span&gt;</content>
        <id>t3_x</id><link href="https://www.reddit.com/r/technology/comments/x/a_bus/"/><updated>2026-11-15T06:00:00+00:00</updated>
        <published>2026-11-15T06:00:00+00:00</published><title>A bus</title></entry></feed>"#;
    let feed = parse_feed(atom.as_bytes(), Sent::default()).unwrap();
    assert_eq!(feed.items[0].author.as_ref().map(Untrusted::as_data), Some("/u/ada"));
    let summary = feed.items[0].summary.as_ref().unwrap().as_data();
    assert!(summary.contains("It drives.") && !summary.contains("submitted"), "{summary}");
}

#[test]
fn json_that_only_looks_like_a_listing_is_no_feed() {
    for text in [r#"{"hits": 3}"#, r#"{"kind": "Listing"}"#, r#"{"kind": "Listing", "data": {"children": 1}}"#, r#"{"kind": "t3"}"#, "{}"] {
        assert!(matches!(parse_feed(text.as_bytes(), Sent::default()), Err(FeedError::NotAFeed)), "{text}");
    }
    let empty = parse_feed(br#"{"hits": [{}, 7, null]}"#, Sent::default()).unwrap();
    assert!(empty.items.is_empty());
}
