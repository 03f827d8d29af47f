//! Where one sentence ends and the next begins, in all scripts. A full stop that belongs to an abbreviation, an initial, a number or a date ends none.

use unicode_segmentation::UnicodeSegmentation;

/// The sentences of a text, in order, with single spaces.
pub fn split(text: &str) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for piece in text.split_sentence_bounds() {
        match sentences.last_mut().filter(|last| goes_on(last, piece)) {
            Some(last) => last.push_str(piece),
            None => sentences.push(piece.to_owned()),
        }
    }
    sentences
        .iter()
        .map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

/// Abbreviations that a name or number follows.
const BEFORE_MORE: &str = " ee avda gral cnel lic arq aprox mr mrs ms dr prof st sr jr gen sen rep gov lt col sgt capt rev hon no vs fig vol approx ca e.g i.e a.k.a \
    jan feb mar apr aug sept oct nov dec sra srta dña d núm pág art av m mm mme mlle nr abs bzw bspw evtl ggf inkl z.b d.h u.a v.a s.a o.a i.d.r mio mrd tel \
    dott dott.ssa sig sig.ra ing avv on dhr mevr drs bijv n.v b.v mt ft ";
/// Abbreviations that may end a sentence as well.
const MAY_END: &str = " inc ltd corp co llc plc s.a.s gmbh etc p.m a.m usw osv ecc uu ee.uu ";
/// What begins a sentence rather than goes on with one.
const BEGINS: &str = " the a an in on at it he she they we this that these those but and as for with after when while if however also its his her their \
    el la los las un una en según pero le les l un une dans selon mais der die das ein eine im in nach aber het een de o os um uma il lo gli ";
const MONTHS: &str = " januar jänner februar märz april mai juni juli august september oktober november dezember januari februari maart mei juni juli \
    augustus oktober december ";

/// Whether the sentence that ends with `before` goes on with `piece`.
fn goes_on(before: &str, piece: &str) -> bool {
    let is_apart = before.ends_with(char::is_whitespace);
    let Some(kept) = before.trim_end().strip_suffix('.') else { return false };
    // "ዓ.ም.", "3.5": without a space a full stop ends nothing, whatever the script.
    if !is_apart && piece.starts_with(char::is_alphanumeric) {
        return true;
    }
    let last = kept.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '«')).next().unwrap_or("").to_lowercase();
    let next = piece.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("").to_lowercase();
    let is = |list: &str, word: &str| !word.is_empty() && list.contains(&format!(" {word} "));
    if is(BEFORE_MORE, &last) {
        return true;
    }
    // "am 3. Mai", "der 12. Oktober".
    if last.len() <= 2 && !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()) {
        return is(MONTHS, &next) || piece.starts_with(char::is_lowercase);
    }
    let original = kept.rsplit(char::is_whitespace).next().unwrap_or("").trim_start_matches(['(', '"', '“', '«']);
    // "z. B.", "d. h.": letters one by one.
    let goes_on_with_letter = next.chars().count() == 1 && piece.trim_start().chars().nth(1) == Some('.');
    let is_initial = original.chars().count() == 1
        && original.chars().all(|c| c.is_uppercase() || is_without_case(c) || goes_on_with_letter && c.is_alphabetic());
    let is_dotted = original.contains('.') && original.split('.').all(|part| (1..=2).contains(&part.chars().count()));
    (is_initial || is_dotted || is(MAY_END, &last)) && !is(BEGINS, &next) && !piece.is_empty()
}

fn is_without_case(c: char) -> bool {
    c.is_alphabetic() && !c.is_uppercase() && !c.is_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str) -> String {
        split(text).join(" | ")
    }

    #[test]
    fn sentences_end_where_readers_of_the_script_see_an_end() {
        for (text, parted) in [
            (
                "Dr. Abebe met the U.S. team on Monday. They built a kiln! Was it hot? J. R. Smith thinks so.",
                "Dr. Abebe met the U.S. team on Monday. | They built a kiln! | Was it hot? | J. R. Smith thinks so.",
            ),
            ("It was built in the U.S. The kiln is hot.", "It was built in the U.S. | The kiln is hot."),
            ("Toyota Motor Corp. said so. Sales rose 3.5 percent.", "Toyota Motor Corp. said so. | Sales rose 3.5 percent."),
            ("El Sr. López viajó a EE. UU. con Ana. Volvió el lunes.", "El Sr. López viajó a EE. UU. con Ana. | Volvió el lunes."),
            (
                "Am 3. Mai öffnet z. B. die Halle. Am 12. Oktober schließt sie.",
                "Am 3. Mai öffnet z. B. die Halle. | Am 12. Oktober schließt sie.",
            ),
            ("ድልድዩ ጥቅምት 12 ቀን 2018 ዓ.ም. ተከፈተ። ሥራው ሁለት ዓመት ፈጀ።", "ድልድዩ ጥቅምት 12 ቀን 2018 ዓ.ም. ተከፈተ። | ሥራው ሁለት ዓመት ፈጀ።"),
            ("東京で新しい橋が開通した。大阪でも工事が始まった！", "東京で新しい橋が開通した。 | 大阪でも工事が始まった！"),
            ("नया पुल खुल गया। काम दो साल चला।", "नया पुल खुल गया। | काम दो साल चला।"),
            ("هل افتتح الجسر؟ نعم، افتتح يوم الاثنين.", "هل افتتح الجسر؟ | نعم، افتتح يوم الاثنين."),
        ] {
            assert_eq!(ends(text), parted);
        }
    }
}
