//! Which characters make words, and how scripts separate them.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Words stand apart.
    Spaced,
    /// Words stand apart, with articles and particles written onto their beginnings: Arabic, Ethiopic.
    Prefixing,
    /// Nothing stands between words: Han, kana, Hangul, Thai.
    Dense,
}

pub(super) fn script(c: char) -> Script {
    match u32::from(c) {
        0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af | 0x0e00..=0x0e7f | 0xf900..=0xfaff => Script::Dense,
        0x0600..=0x077f | 0x1200..=0x139f => Script::Prefixing,
        _ => Script::Spaced,
    }
}

/// Letters, digits, and the vowel signs of the scripts of India and Thailand.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || !c.is_ascii() && (c.is_alphanumeric() || matches!(u32::from(c), 0x900..=0x963 | 0x966..=0xdff | 0xe31..=0xe4e))
}
