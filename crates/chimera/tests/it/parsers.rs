//! Every parser on spoiled input: the seeds of `fuzz/`, with bytes flipped, cut out, doubled and spliced in from the others.
//! It may refuse; it may not panic, and what it accepts keeps what it promises. `scripts/lib/fuzz` does the same for longer, and looks
//! for its own way in.

#[path = "../../../../fuzz/src/lib.rs"]
mod fuzzed;

use super::properties::{generator::Dice, number};
use chimera::config::{ConfigFile, parse_config};
use std::{fs, panic::catch_unwind, path::Path};

/// Spoiled inputs for each parser.
const CASES_DEFAULT: u64 = 100;
const SEED_DEFAULT: u64 = 20_261_115;

/// A target of `fuzz`, by its name.
type Parser = (&'static str, fn(&[u8]));

const PARSERS: [Parser; 7] = [
    ("contracts", fuzzed::contracts),
    ("feeds", fuzzed::feeds),
    ("items", fuzzed::items),
    ("mcp_servers", fuzzed::mcp_servers),
    ("model_events", fuzzed::model_events),
    ("souls", fuzzed::souls),
    ("uris", fuzzed::uris),
];

#[test]
fn no_parser_panics_on_spoiled_input_and_what_is_accepted_stays_within_its_limits() {
    let seeds: Vec<Vec<u8>> = PARSERS.iter().flat_map(|(name, _)| seeds_of(name)).collect();
    for (name, parse) in PARSERS {
        for seed in seeds_of(name) {
            assert!(catch_unwind(|| parse(&seed)).is_ok(), "{name} fails on its seed {:?}", String::from_utf8_lossy(&seed));
        }
        try_spoiled(name, parse, &seeds_of(name), &seeds);
    }
    let config = |bytes: &[u8]| drop(parse_config::<ConfigFile>(&String::from_utf8_lossy(bytes)));
    try_spoiled("the configuration", config, &[include_bytes!("../../../../chimera.default.toml").to_vec()], &seeds);
}

/// A target that libFuzzer has and this list has not would be proved only where there is a nightly toolchain.
#[test]
fn every_fuzzed_parser_is_tried_here_too() {
    let mut targets: Vec<String> = fs::read_dir(fuzz_folder().join("targets"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    targets.sort();

    assert_eq!(targets, PARSERS.map(|(name, _)| name));
}

fn try_spoiled(name: &str, parse: impl Fn(&[u8]) + Copy + std::panic::RefUnwindSafe, own: &[Vec<u8>], all: &[Vec<u8>]) {
    let (cases, seed) = (number("CHIMERA_TEST_CASES", CASES_DEFAULT), number("CHIMERA_TEST_SEED", SEED_DEFAULT));
    for case in 0..cases {
        let bytes = spoiled(&mut Dice(seed.wrapping_add(case)), own, all);
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        let outcome = catch_unwind(|| parse(&bytes));
        assert!(outcome.is_ok(), "CHIMERA_TEST_SEED={} CHIMERA_TEST_CASES=1 spoils {name} with {:?}", seed.wrapping_add(case), text());
    }
}

fn fuzz_folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"))
}

/// In the order of their names, so that a case is the same everywhere.
fn seeds_of(name: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = fs::read_dir(fuzz_folder().join("seeds").join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no seeds");
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn spoiled(dice: &mut Dice, own: &[Vec<u8>], all: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = own[dice.below(own.len())].clone();
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
                let other = &all[dice.below(all.len())];
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
