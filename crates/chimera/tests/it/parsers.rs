//! Every parser on spoiled input: samples of what it reads, with bytes flipped, cut out, doubled and spliced in from the others.
//! It may refuse; it may not panic, and what it accepts stays within its limits.

use super::properties::{generator::Dice, number};
use chimera::config::{ConfigFile, parse_config};
use chimera_adapters::{
    feeds::{FeedTextParser, parse_feed},
    upstream::parse_mcp_servers_json,
};
use chimera_core::{
    contracts::{Checker, content_generator, trend_fetcher, wallet_transaction},
    domain::{
        money::{parse_address, parse_units},
        soul::Soul,
    },
    perception::items::{Found, ITEMS_PER_RESOURCE_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX, read_items},
    ports::resources::ResourceText,
};

const CASES_DEFAULT: u64 = 300;
const SEED_DEFAULT: u64 = 20_261_115;

const SEEDS: [&str; 11] = [
    include_str!("../../assets/demo/feeds/sample-wire.xml"),
    include_str!("../../assets/demo/feeds/sample-gazette.xml"),
    include_str!("../../assets/demo/feeds/sample-post.json"),
    include_str!("../../assets/demo/feeds/sample-price-eth.json"),
    include_str!("../../assets/demo/souls/selam.md"),
    include_str!("../../../../chimera.default.toml"),
    r#"{"mcpServers":{"a":{"command":"x","args":["y"],"env":{"K":"v"}},"b":{"url":"https://b.example/mcp","headers":{"X":"1"}}}}"#,
    r#"{"items":[{"title":"One","summary":"Two","url":"https://x.example/","published_at":"2026-01-01T00:00:00Z","author":"A"}]}"#,
    r#"{"task_id":"2f1d9f6e-8a0b-4c3d-9e4f-5a6b7c8d9e0f","agent_id":"selam","operation":"token_transfer","params":{"asset":"USDC","to_address":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","amount_wei_or_units":"115792089237316195423570985008687907853269984665640564039457584007913129639935"}}"#,
    r#"{"agent_id":"selam","campaign_id":"c","resource_uris":["news://global/technology/latest"],"goal_context":"g"}"#,
    "A plain paragraph.\n\nAnother one, with \u{202e}direction\u{202c} and \u{0} in it.\n\n<script>x</script> &amp; &#x1F600;",
];

#[test]
fn no_parser_panics_on_spoiled_input_and_what_is_accepted_stays_within_its_limits() {
    let (cases, seed) = (number("CHIMERA_TEST_CASES", CASES_DEFAULT), number("CHIMERA_TEST_SEED", SEED_DEFAULT));
    let checkers = [trend_fetcher::input_schema(), content_generator::input_schema(), wallet_transaction::input_schema()].map(Checker::new);
    for case in 0..cases {
        let bytes = spoiled(&mut Dice(seed.wrapping_add(case)));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let read = std::panic::catch_unwind(|| read_with_every_parser(&bytes, &text, &checkers));
        assert!(read.is_ok(), "CHIMERA_TEST_SEED={} CHIMERA_TEST_CASES=1 spoils a parser with {text:?}", seed.wrapping_add(case));
    }
}

fn read_with_every_parser(bytes: &[u8], text: &str, checkers: &[Checker; 3]) {
    let _ = parse_feed(bytes);
    let _ = Soul::parse(text);
    let _ = parse_config::<ConfigFile>(text);
    let _ = parse_mcp_servers_json(text);
    let _ = (parse_units(text), parse_address(text));
    if let Ok(value) = serde_json::from_slice(bytes) {
        checkers.iter().for_each(|checker| drop(checker.check(&value)));
    }
    for mime_type in [None, Some("application/json"), Some("application/rss+xml"), Some("text/html")] {
        let part = ResourceText { text: text.to_owned(), mime_type: mime_type.map(str::to_owned) };
        let found = read_items(&[part], &FeedTextParser).unwrap_or_default();
        assert!(found.len() <= ITEMS_PER_RESOURCE_MAX);
        for item in found {
            let Found::Item(item) = item else { continue };
            let (title, text) = (item.title.as_data(), item.text.as_data());
            assert!(!title.is_empty() && title.chars().count() <= TITLE_CHARS_MAX && text.chars().count() <= TEXT_CHARS_MAX);
            assert!(!format!("{title}{text}").contains(['\0', '\u{202e}', '\u{2066}']), "{title:?} {text:?}");
        }
    }
}

fn spoiled(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = SEEDS[dice.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..=dice.below(8) {
        let at = dice.below(bytes.len().max(1));
        let length = dice.below(40).min(bytes.len().saturating_sub(at));
        match dice.below(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            1 => drop(bytes.drain(at..at + length)),
            2 => bytes.truncate(at),
            3 => {
                let piece = bytes[at..at + length].repeat(1 + dice.below(50));
                drop(bytes.splice(at..at, piece));
            }
            4 => {
                let other = SEEDS[dice.below(SEEDS.len())].as_bytes();
                let from = dice.below(other.len());
                let piece = other[from..(from + 60).min(other.len())].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            _ => {
                let hostile: [&[u8]; 6] = [b"\0", "\u{202e}".as_bytes(), b"\xff\xfe", b"&#x0;", b"[[[[[[[[[[[[[[", "🧨e\u{301}".as_bytes()];
                drop(bytes.splice(at..at, hostile[dice.below(hostile.len())].to_vec()));
            }
        }
    }
    bytes
}
