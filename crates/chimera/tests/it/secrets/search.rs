//! Finds a secret in bytes, however it is written.

use std::fs;

/// A secret in every form in which it could slip out.
pub(crate) struct Needle {
    name: &'static str,
    forms: Vec<Vec<u8>>,
}

#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) place: String,
    /// Read by whoever reads the failed test.
    #[expect(dead_code, reason = "shown when the test fails")]
    pub(crate) name: &'static str,
}

impl Needle {
    pub(crate) fn new(name: &'static str, secret: &[u8]) -> Self {
        let lower: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut forms = vec![secret.to_vec(), lower.to_uppercase().into_bytes(), lower.into_bytes()];
        // In base64 a secret looks different at each of three offsets; the letters at its edges also hold their neighbours' bits.
        for offset in 0..3 {
            let padded = [&vec![0; offset], secret].concat();
            let text = base64(&padded);
            let whole_letters = padded.len() * 8 / 6;
            let first = (offset * 8).div_ceil(6);
            forms.push(text[first..whole_letters].to_vec());
        }
        // As a list of numbers, which is how Rust prints bytes.
        forms.push(secret.iter().map(u8::to_string).collect::<Vec<_>>().join(", ").into_bytes());
        Self { name, forms }
    }
}

pub(crate) fn in_bytes(needles: &[Needle], place: &str, bytes: &[u8]) -> Vec<Found> {
    let holds = |form: &[u8]| {
        let first = form[0];
        let mut rest = bytes;
        // Quick over megabytes of logs: only where the first byte fits is the rest compared.
        while let Some(at) = rest.iter().position(|byte| *byte == first) {
            if rest[at..].starts_with(form) {
                return true;
            }
            rest = &rest[at + 1..];
        }
        false
    };
    let hit = needles.iter().filter(|needle| needle.forms.iter().any(|form| holds(form)));
    hit.map(|needle| Found { place: place.to_owned(), name: needle.name }).collect()
}

/// The processes below `parent`, at any depth.
pub(crate) fn children_of(parent: i32) -> Vec<i32> {
    let parents: Vec<(i32, i32)> = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let id: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
            // After the name in brackets: the state, then the parent.
            let its_parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((id, its_parent))
        })
        .collect();
    let mut found = vec![parent];
    let mut at = 0;
    while at < found.len() {
        found.extend(parents.iter().filter(|(_, its_parent)| *its_parent == found[at]).map(|(id, _)| *id).collect::<Vec<_>>());
        at += 1;
    }
    found.split_off(1)
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| (byte >> (7 - at % 8)) & 1);
    let letters = (bytes.len() * 8).div_ceil(6);
    (0..letters).map(|letter| LETTERS[usize::from((0..6).fold(0, |value, at| (value << 1) | bit(letter * 6 + at)))]).collect()
}

#[test]
fn a_secret_is_found_in_every_form_and_nothing_is_found_where_it_is_not() {
    let secret = b"open sesame, please";
    let needles = [Needle::new("words", secret)];
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let planted = [
        "passphrase=open sesame, please\n".to_owned(),
        format!("key 0x{hex}"),
        format!("KEY {}", hex.to_uppercase()),
        format!("{:?}", secret.to_vec()),
    ];
    for text in planted {
        assert_eq!(in_bytes(&needles, "here", text.as_bytes()).len(), 1, "{text}");
    }
    for before in ["", "a", "ab", "abc"] {
        let text = base64(&[before.as_bytes(), secret, b"after"].concat());
        assert_eq!(in_bytes(&needles, "here", &text).len(), 1, "{}", String::from_utf8_lossy(&text));
    }
    assert_eq!(base64(b"open sesame"), b"b3BlbiBzZXNhbWU");
    assert!(in_bytes(&needles, "here", b"open sesame, pleas open sesame,please").is_empty());
}
