//! A text of any length in a box: the largest size at which it fits, in lines of about equal length.

use super::{
    breaking::{Phrase, phrases},
    scripts::Reach,
    shaping::{Setting, line},
};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub setting: Setting,
    /// From baseline to baseline, in units of the em; scripts with higher letters take more.
    pub leading: f32,
    pub size_max: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    pub size: f32,
    pub lines: Vec<String>,
    /// From the top of the first line to its baseline, in units of the em.
    pub above: f32,
    /// From baseline to baseline, in units of the em.
    pub leading: f32,
    /// From the top of the first line's capitals to the last baseline, and to what its script needs below that.
    pub height: f32,
}

/// Half a pixel more or less is not seen.
const SIZE_STEP: f32 = 0.5;
/// No text of a card is ever this small; it ends the search.
const SIZE_LEAST: f32 = 4.0;

/// Always fits: words that are wider than the box are broken only once the text would otherwise become small.
pub fn fit(text: &str, style: &Style, box_width: f32, box_height: f32) -> Fitted {
    let measured = Measured::new(text, style);
    // Below this share of the largest size a broken word is better than a tiny text.
    let whole_words_from = style.size_max * 0.42;
    let (mut low, mut high) = (SIZE_LEAST, style.size_max);
    let fits = |size: f32| {
        let lines = measured.wrap(box_width / size, size < whole_words_from)?;
        (measured.height(lines.len()) * size <= box_height).then_some(lines)
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
    let (size, lines) = best.unwrap_or_else(|| (SIZE_LEAST, measured.wrap(box_width / SIZE_LEAST, true).unwrap_or_default()));
    let lines = measured.balanced(box_width / size, size < whole_words_from, lines);
    let lines: Vec<String> = lines.into_iter().map(|part| text[part].to_owned()).collect();
    // Letters of neighbouring words may move a little when they are set together.
    let widest = lines.iter().map(|text| line(text, &style.setting).width).fold(0.0, f32::max);
    let size = if widest * size > box_width { box_width / widest } else { size };
    let Measured { reach, leading, .. } = measured;
    Fitted { size, above: reach.above, leading, height: measured.height(lines.len()) * size, lines }
}

/// The phrases of a text with their widths, in units of the em.
struct Measured<'t> {
    text: &'t str,
    setting: Setting,
    phrases: Vec<(Phrase, f32)>,
    space: f32,
    reach: Reach,
    leading: f32,
}

impl<'t> Measured<'t> {
    fn new(text: &'t str, style: &Style) -> Self {
        let setting = style.setting;
        let width = |part: Range<usize>| line(&text[part], &setting).width;
        let space = line("n n", &setting).width - line("nn", &setting).width + setting.tracking.abs();
        let reach = Reach::of(text, setting.family.cap_height());
        let phrases = phrases(text).into_iter().map(|phrase| (phrase.clone(), width(phrase.whole))).collect();
        Self { text, setting, phrases, space, reach, leading: style.leading.max(reach.leading) }
    }

    fn height(&self, lines: usize) -> f32 {
        self.reach.above + self.reach.below + self.leading * lines.saturating_sub(1) as f32
    }

    /// Lines no wider than `width_em`; `None` when a word is, and must not be broken.
    fn wrap(&self, width_em: f32, may_break: bool) -> Option<Vec<Range<usize>>> {
        let mut lines = Lines { done: Vec::new(), open: 0..0, width: 0.0, width_em };
        for (phrase, width) in &self.phrases {
            if lines.take(&phrase.whole, *width, self.space) {
                continue;
            }
            for part in &phrase.parts {
                let width = if phrase.parts.len() == 1 { *width } else { line(&self.text[part.clone()], &self.setting).width };
                if lines.take(part, width, self.space) {
                    continue;
                }
                if !may_break {
                    return None;
                }
                self.break_up(part, &mut lines);
            }
        }
        lines.end();
        Some(lines.done)
    }

    /// A word that is wider than a line, letter by letter.
    fn break_up(&self, word: &Range<usize>, lines: &mut Lines) {
        lines.end();
        for (offset, letter) in self.text[word.clone()].grapheme_indices(true) {
            let at = word.start + offset..word.start + offset + letter.len();
            let longer = line(&self.text[lines.open.start.max(word.start)..at.end], &self.setting).width;
            if lines.open.is_empty() || longer <= lines.width_em {
                let start = if lines.open.is_empty() { at.start } else { lines.open.start };
                (lines.open, lines.width) = (start..at.end, longer);
            } else {
                lines.end();
                lines.open = at.clone();
                lines.width = line(letter, &self.setting).width;
            }
        }
    }

    /// As many lines as before, and the narrowest that they can be: no last line of one word.
    fn balanced(&self, width_em: f32, may_break: bool, lines: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let (mut narrow, mut wide, mut best) = (width_em * 0.4, width_em, lines);
        for _ in 0..8 {
            let middle = (narrow + wide) / 2.0;
            match self.wrap(middle, may_break).filter(|lines| lines.len() <= best.len()) {
                Some(lines) => (wide, best) = (middle, lines),
                None => narrow = middle,
            }
        }
        best
    }
}

struct Lines {
    done: Vec<Range<usize>>,
    open: Range<usize>,
    width: f32,
    width_em: f32,
}

impl Lines {
    /// Onto the open line or onto a new one; false when it is wider than any.
    fn take(&mut self, part: &Range<usize>, width: f32, space: f32) -> bool {
        let gap = if part.start > self.open.end { space } else { 0.0 };
        if !self.open.is_empty() && self.width + gap + width <= self.width_em {
            (self.open.end, self.width) = (part.end, self.width + gap + width);
            return true;
        }
        if width > self.width_em {
            return false;
        }
        self.end();
        (self.open, self.width) = (part.clone(), width);
        true
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            self.done.push(self.open.clone());
        }
        self.open = 0..0;
        self.width = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Family, Han, is_right_to_left},
        *,
    };

    const SETTING: Setting = Setting { family: Family::Display, tracking: -0.02, han: Han::Simplified, right_to_left: false };
    const STYLE: Style = Style { setting: SETTING, leading: 1.1, size_max: 120.0 };

    fn fits(fitted: &Fitted, style: &Style, box_width: f32, box_height: f32) {
        assert!(fitted.height <= box_height + 0.01, "{fitted:?}");
        for line in &fitted.lines {
            assert!(super::line(line, &style.setting).width * fitted.size <= box_width + 0.01, "{line}");
        }
    }

    #[test]
    fn a_text_of_any_length_fits_its_box_and_loses_nothing() {
        let long = "internationalisation ".repeat(15);
        let unbroken = "W".repeat(300);
        let narrow = "i".repeat(300);
        let japanese = "新しい図書館が開館しました。".repeat(12);
        let arabic = "مكتبات الأحياء الصغيرة ".repeat(10);
        let hindi = "छोटे पुस्तकालय क्षेत्र ".repeat(10);
        let unbroken_arabic = "مكتبات".repeat(20);
        let texts = [
            "A",
            "Go",
            "Bike lanes open in Addis Ababa",
            long.trim(),
            &unbroken,
            &narrow,
            "ዩኒቨርሲቲ አዲስ",
            &japanese,
            arabic.trim(),
            hindi.trim(),
            &unbroken_arabic,
        ];
        for text in texts {
            let setting = Setting { right_to_left: is_right_to_left(text) == Some(true), ..SETTING };
            let style = Style { setting, ..STYLE };
            for (box_width, box_height) in [(900.0, 500.0), (300.0, 900.0), (1200.0, 160.0)] {
                let fitted = fit(text, &style, box_width, box_height);
                fits(&fitted, &style, box_width, box_height);
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
        let widths: Vec<f32> = fitted.lines.iter().map(|line| super::line(line, &STYLE.setting).width).collect();
        let (least, most) = (widths.iter().copied().fold(f32::MAX, f32::min), widths.iter().copied().fold(0.0, f32::max));
        assert!(least > most * 0.5, "{:?}", fitted.lines);
    }
}
