//! A text of any length in a box: the largest size at which it fits, in lines of about equal length.

use super::fonts::{Family, width};

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub family: Family,
    /// After each letter, in units of the em.
    pub tracking: f32,
    /// From baseline to baseline, in units of the em.
    pub leading: f32,
    pub size_max: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    pub size: f32,
    pub lines: Vec<String>,
    /// From the top of the first line's capitals to the last baseline.
    pub height: f32,
}

/// Half a pixel more or less is not seen.
const SIZE_STEP: f32 = 0.5;
/// No text of a card is ever this small; it ends the search.
const SIZE_LEAST: f32 = 4.0;

/// Always fits: words that are wider than the box are broken only once the text would otherwise become small.
pub fn fit(text: &str, style: &Style, box_width: f32, box_height: f32) -> Fitted {
    let words: Vec<&str> = text.split_whitespace().collect();
    // Below this share of the largest size a broken word is better than a tiny text.
    let whole_words_from = style.size_max * 0.42;
    let (mut low, mut high) = (SIZE_LEAST, style.size_max);
    let fits = |size: f32| {
        let lines = wrap(&words, style, box_width / size, size < whole_words_from)?;
        (height(lines.len(), style, size) <= box_height).then_some(lines)
    };
    let mut best = fits(high).map(|lines| (high, lines));
    while best.as_ref().is_none_or(|(size, _)| *size < style.size_max) && high - low > SIZE_STEP {
        let middle = (low + high) / 2.0;
        match fits(middle) {
            Some(lines) => {
                best = Some((middle, lines));
                low = middle;
            }
            None => high = middle,
        }
    }
    let (size, lines) = best.unwrap_or_else(|| (SIZE_LEAST, wrap(&words, style, box_width / SIZE_LEAST, true).unwrap_or_default()));
    let lines = balanced(&words, style, box_width / size, size < whole_words_from, lines);
    Fitted { size, height: height(lines.len(), style, size), lines }
}

fn height(lines: usize, style: &Style, size: f32) -> f32 {
    (style.family.cap_height() + style.leading * lines.saturating_sub(1) as f32) * size
}

/// Lines no wider than `width_em`; `None` when a word is, and must not be broken.
fn wrap(words: &[&str], style: &Style, width_em: f32, may_break: bool) -> Option<Vec<String>> {
    let measure = |text: &str| width(text, style.family, style.tracking);
    let mut lines: Vec<String> = Vec::new();
    let mut open = String::new();
    for word in words {
        let longer = if open.is_empty() { (*word).to_owned() } else { format!("{open} {word}") };
        if measure(&longer) <= width_em {
            open = longer;
            continue;
        }
        if !open.is_empty() {
            lines.push(std::mem::take(&mut open));
        }
        if measure(word) <= width_em {
            open = (*word).to_owned();
            continue;
        }
        if !may_break {
            return None;
        }
        for letter in word.chars() {
            open.push(letter);
            if measure(&open) > width_em && open.chars().count() > 1 {
                open.pop();
                lines.push(std::mem::take(&mut open));
                open.push(letter);
            }
        }
    }
    if !open.is_empty() {
        lines.push(open);
    }
    Some(lines)
}

/// As many lines as before, and the narrowest that they can be: no last line of one word.
fn balanced(words: &[&str], style: &Style, width_em: f32, may_break: bool, lines: Vec<String>) -> Vec<String> {
    let (mut narrow, mut wide, mut best) = (width_em * 0.4, width_em, lines);
    for _ in 0..8 {
        let middle = (narrow + wide) / 2.0;
        match wrap(words, style, middle, may_break).filter(|lines| lines.len() <= best.len()) {
            Some(lines) => (wide, best) = (middle, lines),
            None => narrow = middle,
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style { family: Family::Display, tracking: -0.02, leading: 1.1, size_max: 120.0 };

    fn fits(fitted: &Fitted, style: &Style, box_width: f32, box_height: f32) {
        assert!(fitted.height <= box_height + 0.01, "{fitted:?}");
        for line in &fitted.lines {
            assert!(width(line, style.family, style.tracking) * fitted.size <= box_width + 0.01, "{line}");
        }
    }

    #[test]
    fn a_text_of_any_length_fits_its_box_and_loses_nothing() {
        let long = "internationalisation ".repeat(15);
        let unbroken = "W".repeat(300);
        let narrow = "i".repeat(300);
        for text in ["A", "Go", "Bike lanes open in Addis Ababa", long.trim(), &unbroken, &narrow, "ዩኒቨርሲቲ አዲስ"] {
            for (box_width, box_height) in [(900.0, 500.0), (300.0, 900.0), (1200.0, 160.0)] {
                let fitted = fit(text, &STYLE, box_width, box_height);
                fits(&fitted, &STYLE, box_width, box_height);
                let letters = |text: &str| text.chars().filter(|letter| *letter != ' ').collect::<String>();
                assert_eq!(letters(&fitted.lines.concat()), letters(text), "{box_width} x {box_height}");
            }
        }
    }

    #[test]
    fn a_short_text_is_as_large_as_allowed_and_a_long_one_is_not() {
        assert!((fit("Go", &STYLE, 900.0, 500.0).size - 120.0).abs() < 0.001);
        let long = fit(&"bike lanes ".repeat(27), &STYLE, 900.0, 500.0);
        assert!(long.size > 30.0 && long.size < 60.0, "{}", long.size);
    }

    #[test]
    fn a_word_is_broken_only_where_the_text_would_become_tiny() {
        assert_eq!(fit("Extraordinary", &STYLE, 600.0, 500.0).lines, ["Extraordinary"]);
        assert!(fit(&"x".repeat(80), &STYLE, 600.0, 500.0).lines.len() > 1);
    }

    #[test]
    fn lines_are_about_equally_long() {
        let fitted = fit("Addis Ababa opened 40 km of protected bike lanes on Monday", &STYLE, 900.0, 500.0);
        let widths: Vec<f32> = fitted.lines.iter().map(|line| width(line, STYLE.family, STYLE.tracking)).collect();
        let (least, most) = (widths.iter().copied().fold(f32::MAX, f32::min), widths.iter().copied().fold(0.0, f32::max));
        assert!(least > most * 0.5, "{:?}", fitted.lines);
    }
}
