//! What is tried with arbitrary bytes: one function a parser. It may refuse them; it may not panic, and what it accepts keeps what it
//! promises. libFuzzer runs these through `targets/`, and the program's own tests run them over `seeds/` and spoiled copies.

use chimera_adapters::{
    feeds::{FeedTextParser, Sent, parse_feed},
    model::{Heard, read_anthropic_event, read_openai_event},
    social::Address,
    upstream::parse_mcp_servers_json,
};
use chimera_core::{
    contracts::{
        Checker, content_generator, content_generator::ContentGeneratorInput, trend_fetcher, trend_fetcher::TrendFetcherInput,
        wallet_transaction, wallet_transaction::WalletTransactionInput,
    },
    domain::{
        AgentId, Author, Untrusted, WebUrl,
        asset::AssetId,
        money::{parse_address, parse_units},
        soul::{SOUL_BYTES_MAX, Soul},
    },
    perception::{
        injection::instructs,
        items::{Found, FoundItem, ITEMS_PER_RESOURCE_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX, read_items},
    },
    ports::resources::ResourceText,
    skills::trend_fetcher::model_scorer::read_scores,
};
use resource_uri::ResourceUri;
use std::sync::LazyLock;

/// The program's own file: the whole program would take minutes to build here.
#[path = "../../crates/chimera/src/mcp/resource_uri.rs"]
#[expect(dead_code, reason = "titles and templates are for those who serve the addresses")]
mod resource_uri;

/// Signs that must not reach a reader from fetched text: they end strings, turn the direction of writing, or cannot be seen.
const UNSEEN: [char; 6] = ['\0', '\u{1b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}'];

/// RSS, Atom, JSON Feed, and the listings of Hacker News and Reddit.
pub fn feeds(bytes: &[u8]) {
    let Ok(feed) = parse_feed(bytes, Sent::default()) else { return };
    for item in feed.items {
        let is_web = |url: &Untrusted| url.as_data().starts_with("https://") || url.as_data().starts_with("http://");
        assert!(item.url.as_ref().is_none_or(is_web), "{item:?}");
        assert!(item.title.is_none_or(|title| !title.as_data().trim().is_empty() && title.as_data().chars().count() <= 500));
    }
}

/// Resources in every form: JSON, feeds, HTML and plain paragraphs, cleaned.
pub fn items(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    for mime_type in [None, Some("application/json"), Some("application/rss+xml"), Some("text/html")] {
        let part = ResourceText { text: Untrusted::new(text.as_str()), mime_type: mime_type.map(str::to_owned) };
        let found = read_items(&[part], &FeedTextParser).unwrap_or_default();
        assert!(found.len() <= ITEMS_PER_RESOURCE_MAX);
        for found in found {
            match found {
                Found::Item(item) => {
                    check_item(&item);
                    // By far the slowest part, and the same for every form.
                    if mime_type.is_none() {
                        let _ = instructs(&item.whole());
                    }
                }
                Found::Price(price) => assert!(price.amount.is_finite() && price.amount > 0.0, "{price:?}"),
            }
        }
    }
}

fn check_item(item: &FoundItem) {
    let (title, text) = (item.title.as_data(), item.text.as_data());
    assert!(!title.is_empty() && title.chars().count() <= TITLE_CHARS_MAX && text.chars().count() <= TEXT_CHARS_MAX);
    for shown in [title, text, item.author.as_ref().map(Author::as_str).unwrap_or_default()] {
        assert!(!shown.contains(UNSEEN) && !shown.contains('\n'), "{shown:?}");
    }
    if let Some(url) = &item.url {
        assert!(url.as_str().is_ascii() && !url.as_str().contains([' ', '\n']), "{url}");
        assert_eq!(WebUrl::parse(url.as_str()).as_ref(), Some(url), "what is kept is kept as it is");
    }
    check_quotation(&item.whole());
}

/// The fence around a quotation does not stand inside it.
fn check_quotation(text: &Untrusted) {
    let quoted = text.quoted();
    let fence: String = quoted.chars().take_while(|c| *c == '"').collect();
    assert!(!text.as_data().contains(&fence), "{quoted}");
}

/// SOUL.md.
pub fn souls(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Soul::parse(&text) {
        Ok(soul) => {
            assert!(text.len() <= SOUL_BYTES_MAX && !soul.backstory.trim().is_empty());
            for line in soul.directives.iter().chain(&soul.core_beliefs).chain([&soul.name, &soul.handle, &soul.disclosure]) {
                assert!(!line.trim().is_empty() && !line.contains(['\n', '\0', '\u{202e}']), "{line:?}");
            }
        }
        Err(error) => assert!(error.line >= 1 && !error.to_string().is_empty()),
    }
}

/// Addresses of records and assets, of what platforms hold, of agents and of accounts. One a line.
pub fn uris(bytes: &[u8]) {
    for line in String::from_utf8_lossy(bytes).lines() {
        if let Some(uri) = ResourceUri::parse(line) {
            assert_eq!(ResourceUri::parse(&uri.to_string()).as_ref(), Some(&uri), "{line:?}");
        }
        if let Some(address) = Address::parse(line) {
            assert!(!format!("{address:?}").is_empty());
        }
        if let Ok(id) = line.parse::<AssetId>() {
            assert_eq!(ResourceUri::parse(&id.uri()), Some(ResourceUri::Asset(id)));
        }
        if let Ok(id) = line.parse::<AgentId>() {
            // It names files and stands in addresses.
            assert!(!id.as_str().contains(['/', '\\', '.', '%', '\0']), "{line:?}");
        }
        if let Ok(address) = parse_address(line) {
            assert_eq!(parse_address(&address.to_string()), Ok(address));
        }
        if let Ok(units) = parse_units(line) {
            assert_eq!(parse_units(&units.to_string()), Ok(units));
        }
    }
}

/// What skills are asked: whatever the contract accepts can be read.
pub fn contracts(bytes: &[u8]) {
    static CHECKERS: LazyLock<[Checker; 3]> = LazyLock::new(|| {
        [trend_fetcher::input_schema(), content_generator::input_schema(), wallet_transaction::input_schema()].map(Checker::new)
    });
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    let [trends, content, wallet] = &*CHECKERS;
    let accepted = [trends, content, wallet].map(|checker| checker.check(&value).is_empty());
    let read = [
        trends.read::<TrendFetcherInput>(&value).is_ok(),
        content.read::<ContentGeneratorInput>(&value).is_ok(),
        wallet.read::<WalletTransactionInput>(&value).is_ok(),
    ];
    assert_eq!(accepted, read, "{value}");
}

/// What language models answer: events one a line, and a list of scores.
pub fn model_events(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for read_event in [read_openai_event, read_anthropic_event] {
        let mut heard = Heard::default();
        for data in text.lines() {
            if heard.is_over || read_event(&mut heard, data).is_err() {
                break;
            }
        }
        let pieces = heard.pieces;
        let written = heard.written(text.len());
        // JSON's shortest way to write a character is the character itself.
        assert!(written.text.as_data().len() <= text.len() && pieces <= text.lines().count());
        let _ = written.usage.total_tokens();
    }
    // And one whose answer must be numbers.
    for count in [0, 1, 3] {
        let scores = read_scores(&text, count);
        assert!(scores.is_none_or(|scores| scores.len() == count && scores.iter().all(|score| (0.0..=1.0).contains(score))));
    }
}

/// The file of servers that desktop hosts share.
pub fn mcp_servers(bytes: &[u8]) {
    if let Ok(servers) = parse_mcp_servers_json(&String::from_utf8_lossy(bytes)) {
        assert!(servers.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
