//! Which scripts a text is written in: vectors of texts in different scripts cannot be compared.

/// Share of the item's letters in a script that occurs in the goal, 0 to 1; 0 without any letter.
pub(super) fn share_of_same(goal: &str, item: &str) -> f64 {
    let goal_scripts: Vec<Script> = scripts(goal).collect();
    let item_scripts: Vec<Script> = scripts(item).collect();
    let same = item_scripts.iter().filter(|script| goal_scripts.contains(script)).count();
    same as f64 / item_scripts.len().max(1) as f64
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Ethiopic,
    Indic,
    SouthEastAsian,
    Hangul,
    HanKana,
    Other,
}

fn scripts(text: &str) -> impl Iterator<Item = Script> + '_ {
    text.chars().filter(|c| c.is_alphabetic()).map(|c| match u32::from(c) {
        0x0000..=0x02FF | 0x1E00..=0x1EFF | 0xFF21..=0xFF5A => Script::Latin,
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Script::Greek,
        0x0400..=0x052F => Script::Cyrillic,
        0x0590..=0x05FF => Script::Hebrew,
        0x0600..=0x077F | 0x08A0..=0x08FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => Script::Arabic,
        0x1200..=0x139F | 0x2D80..=0x2DDF => Script::Ethiopic,
        0x0900..=0x0DFF => Script::Indic,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF => Script::SouthEastAsian,
        0x1100..=0x11FF | 0xAC00..=0xD7AF => Script::Hangul,
        0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => Script::HanKana,
        _ => Script::Other,
    })
}
