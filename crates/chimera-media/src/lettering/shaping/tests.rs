use super::*;

fn setting(text: &str, han: Han) -> Setting {
    Setting { family: Family::Display, tracking: -0.02, han, right_to_left: super::super::is_right_to_left(text) == Some(true) }
}

fn set(text: &str) -> Line {
    line(text, &setting(text, Han::Simplified))
}

fn glyphs(text: &str) -> Vec<u16> {
    set(text).glyphs().iter().map(|placed| placed.glyph.0).collect()
}

#[test]
fn arabic_letters_join_and_run_from_right_to_left() {
    // The same letter alone, and first, in the middle and last in a word.
    let [alone, joined] = [glyphs("ب"), glyphs("ببب")];
    // Their dot is a glyph of its own.
    let forms: std::collections::BTreeSet<&u16> = joined.iter().filter(|glyph| !alone.contains(glyph)).collect();
    assert!(joined.len() == 3 * alone.len() && forms.len() == 3, "{alone:?} {joined:?}");
    let places: Vec<usize> = set("كتب").glyphs().iter().map(|placed| placed.at).collect();
    assert!(places.is_sorted_by(|left, right| left >= right), "{places:?}");
}

#[test]
fn numbers_and_latin_names_inside_arabic_keep_their_own_order() {
    let text = "افتتحت Addis 40 كيلومترا";
    let line = set(text);
    let x_of = |part: &str| {
        let at = text.find(part).unwrap();
        line.outline_of(at..at + part.len()).unwrap().bounds().x()
    };
    assert!(x_of("افتتحت") > x_of("Addis") && x_of("Addis") > x_of("كيلومترا"));
    assert!(x_of("A") < x_of("s") && x_of("4") < x_of("0"));
    // The paragraph runs to the left: the number comes after the name there, or with it, as one Latin run.
    assert!(x_of("40") > x_of("كيلومترا"));
}

#[test]
fn a_per_cent_sign_stands_at_the_same_side_wherever_in_the_line_its_number_is() {
    for text in ["12% عن العام", "بزيادة 12% عن"] {
        let line = set(text);
        let x_of = |part: &str| line.outline_of(text.find(part).unwrap()..text.find(part).unwrap() + 1).unwrap().bounds().x();
        assert!(x_of("%") < x_of("1"), "{text}");
    }
}

#[test]
fn devanagari_conjuncts_are_formed_and_the_short_i_stands_before_its_letter() {
    let parts: Vec<u16> = ["क", "्", "ष"].iter().flat_map(|part| glyphs(part)).collect();
    assert!(glyphs("क्ष").len() < 3 && glyphs("क्ष").iter().all(|glyph| !parts.contains(glyph)));
    assert!(line("कि", &setting("कि", Han::Simplified)).width > 0.0 && glyphs("कि").last() == glyphs("क").last());
}

#[test]
fn japanese_and_chinese_write_the_same_code_in_their_own_form() {
    let of = |han| line("骨直“、", &setting("", han)).glyphs().iter().map(|placed| placed.glyph.0).collect::<Vec<_>>();
    let [japanese, simplified, traditional] = [Han::Japanese, Han::Simplified, Han::Traditional].map(of);
    assert!(japanese[0] != simplified[0] && japanese[1] != simplified[1], "{japanese:?} {simplified:?}");
    assert_ne!(traditional, simplified);
}

#[test]
fn a_rare_character_does_not_stand_in_another_typeface_than_its_neighbours() {
    assert_eq!(["図書館", "Plain", "專用道"].map(|text| Family::Serif.writing(text)), [Family::Serif, Family::Serif, Family::Display]);
}

#[test]
fn letters_are_kerned_and_spaced_where_their_script_allows_it() {
    let width = |text: &str, tracking: f32| line(text, &Setting { tracking, ..setting(text, Han::Simplified) }).width;
    assert!(width("AV", 0.0) < width("A", 0.0) + width("V", 0.0));
    assert!((width("abc", 0.1) - width("abc", 0.0) - 0.2).abs() < 1e-4);
    for text in ["مكتبة", "पुस्तक", "図書館"] {
        assert!((width(text, 0.1) - width(text, 0.0)).abs() < 1e-4, "{text}");
    }
}
