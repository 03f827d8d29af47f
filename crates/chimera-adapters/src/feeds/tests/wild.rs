//! Feeds as they are in the wild: what is wrong in one item costs that item, and every dialect is read.

use crate::feeds::{FeedError, ParsedFeed, Sent, parse_feed};
use chimera_core::{domain::Untrusted, ports::feed_parser::ParsedItem};
use url::Url;

fn read(text: &str) -> ParsedFeed {
    parse_feed(text.as_bytes(), Sent::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn rss(items: &str) -> ParsedFeed {
    read(&format!("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Wire</title>{items}</channel></rss>"))
}

fn titles(feed: &ParsedFeed) -> Vec<&str> {
    feed.items.iter().map(|item| item.title.as_ref().map_or("", Untrusted::as_data)).collect()
}

fn url_of(item: &ParsedItem) -> &str {
    item.url.as_ref().map_or("", Untrusted::as_data)
}

fn summary_of(item: &ParsedItem) -> &str {
    item.summary.as_ref().map_or("", Untrusted::as_data)
}

#[test]
fn what_is_wrong_in_one_item_costs_that_item() {
    let good = "<item><title>Good</title><link>https://a.example/1</link></item>";
    for bad in [
        "<item><title>Bread & butter</title></item>",
        "<item><title>5 < 6</title></item>",
        "<item><title>Half<link>https://a.example/2</link></item>",
        "<item><title>Open <b>bold</title></item>",
        "<item><title>No end</title><description>and on",
        "<item><title>No end</title><description><![CDATA[and on",
        "<item><title>Bad tag</title><foo bar='x></foo></item>",
        "<item><title>Stray</title></b></p></item>",
        "<item><title>Entity &nosuch; &#xZZ; &#99999999;</title></item>",
        "<item><title>Crossed</title><category><guid>x</category></guid></item>",
        "<item><title>Attribute</title><enclosure url=nothing length></item>",
        "<item><title>Control \u{1} \u{b}</title></item>",
        "<item><title>Comment</title><!-- never closed </item>",
        "<item><title>Question</title><?php echo 1; </item>",
        "<item/>",
    ] {
        let packed = "<item><title><![CDATA[Good]]></title><link>https://a.example/1</link></item>";
        let feed = rss(&format!("{good}{bad}{packed}"));
        let whole = feed.items.iter().filter(|item| url_of(item) == "https://a.example/1").count();
        assert_eq!(whole, 2, "{bad}: {:?}", titles(&feed));
        assert_eq!(feed.items.len(), 3, "{bad}: {:?}", titles(&feed));
    }
}

#[test]
fn a_feed_that_breaks_off_keeps_what_came_before() {
    let text = "<rss><channel><title>Wire</title><item><title>One</title></item><item><title>Two</title><description>It was";
    let feed = read(text);
    assert_eq!(titles(&feed), ["One", "Two"]);
    assert_eq!(summary_of(&feed.items[1]), "", "half a sentence is none");

    let before_the_first = "<rss><channel><title>Wire</title><ite";
    assert_eq!(parse_feed(before_the_first.as_bytes(), Sent::default()).unwrap_err(), FeedError::CutShort);

    let json =
        r#"{"version": "https://jsonfeed.org/version/1", "title": "t", "items": [{"id": 1, "title": "One"}, {"id": "2", "title": "Two""#;
    assert_eq!(titles(&read(json)), ["One"]);
}

#[test]
fn every_dialect_is_read() {
    let item = "<title>One</title><link>https://a.example/1</link><description>Body</description>";
    for text in [
        format!("<rss version=\"0.91\"><channel><title>Wire</title><item>{item}</item></channel></rss>"),
        format!("<rss version=\"0.93\"><channel><title>Wire</title><item>{item}</item></channel></rss>"),
        format!("<rss><channel><title>Wire</title><item>{item}</item></channel></rss>"),
        format!("<RSS VERSION='2.00'><CHANNEL><TITLE>Wire</TITLE><ITEM>{}</ITEM></CHANNEL></RSS>", item.replace("title", "TITLE")),
        format!("<rss xmlns=\"http://backend.userland.com/rss2\"><channel><title>Wire</title><item>{item}</item></channel></rss>"),
        format!("<rss xmlns=\"http://nobody.example/ns\"><channel><title>Wire</title><item>{item}</item></channel></rss>"),
        format!("<channel><title>Wire</title><item>{item}</item></channel>"),
        format!(
            "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\">\
             <channel rdf:about=\"https://a.example/\"><title>Wire</title><items><rdf:Seq><rdf:li resource=\"x\"/></rdf:Seq></items></channel>\
             <item rdf:about=\"https://a.example/about\">{item}</item></rdf:RDF>"
        ),
        format!(
            "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:rss=\"http://channel.netscape.com/rdf/simple/0.9/\">\
             <rss:channel><rss:title>Wire</rss:title></rss:channel><rss:item>{}</rss:item></r:RDF>",
            item.replace("</", "</rss:").replace("<t", "<rss:t").replace("<l", "<rss:l").replace("<d", "<rss:d")
        ),
        "<feed version=\"0.3\" xmlns=\"http://purl.org/atom/ns#\"><title>Wire</title><entry><title>One</title>\
         <link rel=\"alternate\" type=\"text/html\" href=\"https://a.example/1\"/><content mode=\"escaped\">Body</content></entry></feed>"
            .to_owned(),
        "<a:feed xmlns:a=\"http://www.w3.org/2005/Atom\"><a:title>Wire</a:title><a:entry><a:title>One</a:title>\
         <a:link rel=\"self\" href=\"https://a.example/self\"/><a:link href=\"https://a.example/1\"/><a:summary>Body</a:summary></a:entry></a:feed>"
            .to_owned(),
        "Warning: mysql_connect() failed <br />\n<?xml version=\"1.0\"?><rss><channel><title>Wire</title><item><title>One</title>\
         <guid>https://a.example/1</guid><description>Body</description></item></channel></rss>"
            .to_owned(),
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": "Wire", "items": [{"id": 7, "url": "https://a.example/1", "title": "One",
            "content_text": "Body", "authors": null, "tags": "x", "date_published": "someday"}]}"#
            .to_owned(),
    ] {
        let feed = read(&text);
        assert_eq!(feed.title.as_deref(), Some("Wire"), "{text}");
        assert_eq!(titles(&feed), ["One"], "{text}");
        assert_eq!((url_of(&feed.items[0]), summary_of(&feed.items[0])), ("https://a.example/1", "Body"), "{text}");
    }
}

#[test]
fn a_field_of_something_else_is_not_the_items() {
    let feed = rss("<image><title>Logo</title><link>https://logo.example/</link></image>\
         <item><source url=\"https://other.example/\">Other</source><title>One</title>\
         <media:group><media:title>Clip</media:title></media:group><itunes:owner><itunes:name>Ada</itunes:name></itunes:owner>\
         <pubDate>Sun, 15 Nov 2026 01:02:03 +0100</pubDate></item>");
    assert_eq!(feed.title.as_deref(), Some("Wire"));
    assert_eq!(titles(&feed), ["One"]);
    assert_eq!(feed.items[0].published_at, Some("2026-11-15T00:02:03Z".parse().unwrap()));

    let atom = read(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><source><title>Theirs</title><updated>2001-01-01T00:00:00Z</updated></source>\
         <title>Ours</title><updated>2026-11-15T00:02:03Z</updated><author><email>a@b.example</email><name>Ada</name></author></entry></feed>",
    );
    assert_eq!(titles(&atom), ["Ours"]);
    assert_eq!(atom.items[0].author.as_ref().map(Untrusted::as_data), Some("Ada"));
    assert_eq!(atom.items[0].published_at, Some("2026-11-15T00:02:03Z".parse().unwrap()));
}

#[test]
fn links_are_resolved_against_what_they_are_relative_to() {
    let address: Url = "https://a.example/blog/feed.xml".parse().unwrap();
    let sent = Sent { address: Some(&address), charset: None };
    for (text, expected) in [
        ("<rss><channel><item><link>/one</link></item></channel></rss>", "https://a.example/one"),
        ("<rss><channel><item><link>one</link></item></channel></rss>", "https://a.example/blog/one"),
        ("<rss><channel><item><link>//b.example/one</link></item></channel></rss>", "https://b.example/one"),
        ("<feed xml:base=\"https://c.example/x/\"><entry xml:base=\"y/\"><link href=\"one\"/></entry></feed>", "https://c.example/x/y/one"),
        ("<rss><channel><item><guid isPermaLink=\"false\">https://a.example/id</guid></item></channel></rss>", ""),
        ("<rss><channel><item><link>javascript:alert(1)</link></item></channel></rss>", ""),
        (
            "<rss><channel><item><link>\n  https://a.example/one?x=1&amp;y=2\n</link></item></channel></rss>",
            "https://a.example/one?x=1&y=2",
        ),
        ("<rss><channel><item><link/><guid>https://a.example/id</guid></item></channel></rss>", "https://a.example/id"),
    ] {
        let feed = parse_feed(text.as_bytes(), sent).unwrap();
        assert_eq!(url_of(&feed.items[0]), expected, "{text}");
    }
    let alone = read("<rss><channel><link>https://a.example/</link><item><link>/one</link></item></channel></rss>");
    assert_eq!(url_of(&alone.items[0]), "https://a.example/one", "relative to the feed's own link where nothing else is known");
}

#[test]
fn encodings_are_what_the_bytes_are_whatever_is_said_of_them() {
    let with = |declared: &str, title: &[u8]| {
        let mut bytes = format!("<?xml version=\"1.0\"{declared}?><rss><channel><item><title>").into_bytes();
        bytes.extend_from_slice(title);
        bytes.extend_from_slice(b"</title></item></channel></rss>");
        bytes
    };
    let utf16 = |big: bool| -> Vec<u8> {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><rss><channel><item><title>caf\u{e9}</title></item></channel></rss>";
        text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let marked = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
    for (bytes, charset) in [
        (with("", "café".as_bytes()), None),
        (with("", b"caf\xe9"), None),
        (with("", b"caf\xe9"), Some("iso-8859-15")),
        (with(" encoding=\"utf-8\"", b"caf\xe9"), None),
        (with(" encoding=\"iso-8859-1\"", "café".as_bytes()), None),
        (with(" encoding='windows-1252'", b"caf\xe9"), Some("utf-8")),
        (with(" encoding=\"nonsense\"", "café".as_bytes()), None),
        (with("", "cafÃ©".as_bytes()), None),
        (with("", b"caf&#233;"), None),
        (marked(b"\xef\xbb\xbf", with("", "café".as_bytes())), None),
        (marked(b"\xff\xfe", utf16(false)), None),
        (marked(b"\xfe\xff", utf16(true)), None),
        (utf16(false), None),
        (utf16(true), None),
    ] {
        let feed = parse_feed(&bytes, Sent { address: None, charset }).unwrap();
        assert_eq!(titles(&feed), ["café"], "{:?}", String::from_utf8_lossy(&bytes));
    }
    let shift_jis = with(" encoding=\"Shift_JIS\"", b"\x93\x8c\x8b\x9e");
    assert_eq!(titles(&parse_feed(&shift_jis, Sent::default()).unwrap()), ["東京"]);
    let one_stray_byte = with("", "日本 caf".as_bytes()).into_iter().chain([0xe9]).collect::<Vec<u8>>();
    assert!(titles(&parse_feed(&one_stray_byte, Sent::default()).unwrap())[0].starts_with("日本"));
}

#[test]
fn portuguese_and_french_are_no_damage() {
    for title in ["NÃO É ASSIM", "São Paulo à noite", "L’été sera chaud", "Ação e reação", "naïve façade"] {
        assert_eq!(titles(&rss(&format!("<item><title>{title}</title></item>"))), [title]);
    }
}

#[test]
fn hostile_documents_end_quickly() {
    for unit in [
        "<item>",
        "<title>",
        "<a ",
        "<a b='",
        "</item>",
        "</x>",
        "<x>",
        "<![CDATA[",
        "<![CDATA[</item>",
        "<!--",
        "<!DOCTYPE [",
        "<?",
        "&",
        "&#",
        "<",
        "<item><title>",
        "<feed xmlns:a='x'>",
        "{",
        "\"items\":[{",
        "<media:group>",
        "<summary><summary>",
        "<content>",
        "<author>",
    ] {
        for start in ["<rss><channel>", "<feed><entry><summary>", "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [", ""] {
            let _ = parse_feed(format!("{start}{}", unit.repeat(100_000)).as_bytes(), Sent::default());
        }
    }
}
