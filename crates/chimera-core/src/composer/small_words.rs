//! Words that only hold a sentence together in the languages that are written in Latin letters, and numbers in the forms that these languages give
//! them: neither may make a claim of what is none.

use crate::perception::words::is_function_word;
use std::{borrow::Cow, collections::HashSet, sync::LazyLock};

/// Articles, prepositions, pronouns, conjunctions and forms of being and having, in Spanish, French, German, Portuguese, Italian, Dutch and Swahili.
const SMALL: &str = "\
    el la los las lo un una unos unas del al y e o u ni en con por para sin sobre entre desde hasta hacia según que como cuando donde quien cual su sus se le les \
    me te nos mi tu yo él ella ellos ellas usted ustedes esto eso este esta estos estas ese esa esos esas aquel aquella es son era eran fue fueron ha han hay \
    ser está están más menos muy también ya si sí no pero porque aunque mientras tras durante cada todo toda todos todas otro otra otros otras así ahora hoy ayer \
    le les une des du de au aux et ou où dans sur sous avec sans pour par chez vers entre que qui quoi dont quand comme ce cet cette ces son sa ses leur leurs \
    notre nos votre vos mon ma mes ton ta tes je il elle ils elles on nous vous y est sont était étaient fut ont avait à ne pas plus moins très aussi mais si \
    car donc puis alors depuis pendant après avant selon chaque tout toute tous toutes autre autres ici là hier aujourd'hui demain \
    der die das den dem des ein eine einen einem einer eines und oder aber denn nicht kein keine mit von vom zu zum zur im in am an auf aus bei nach vor über \
    unter für gegen ohne durch um bis seit wenn weil dass ob als wie wer was wo wann ich du er sie es wir ihr mich dich sich uns euch sein seine ihre unser \
    ist sind war waren wird werden wurde hat haben hatte auch nur noch schon sehr mehr hier heute gestern morgen jetzt jede jeder jedes alle \
    os as um uma uns umas do da dos das no na nos nas ao aos à às pelo pela com sem sob entre que quem onde quando como seu sua seus suas eu ele ela eles elas \
    você é são era foi foram tem têm há mais menos muito também já se não mas porque hoje ontem agora cada todo toda outro outra \
    il lo gli i uno della dello dei degli delle dal dalla nel nella nei nelle sul sulla col che chi cui dove quando come suo sua suoi sue io tu lui lei noi voi \
    loro è sono era erano ha hanno più meno molto anche già se non ma perché oggi ieri ora ogni tutto tutta tutti altro altra questo questa questi \
    het een van ten ter op met voor door bij uit naar tot over onder tegen zonder dat die dit deze wie wat waar wanneer hoe zijn haar hun ik jij hij zij wij jullie \
    was waren wordt werd heeft hebben had ook maar want niet geen meer zeer nu hier daar vandaag gisteren elke alle andere \
    na ya wa za cha vya la kwa katika ni si au lakini kama hii hiyo huu huo hizi hizo yake wake wao sisi mimi wewe yeye leo jana kila";

static SMALL_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| SMALL.split_whitespace().collect());

/// Whether a word in small letters names nothing in any of these languages.
pub(super) fn is_small(lower_case: &str) -> bool {
    is_function_word(lower_case) || SMALL_WORDS.contains(lower_case)
}

/// What stands before an apostrophe in French and Italian where a vowel follows.
const ELIDED: [&str; 16] = ["l", "d", "j", "n", "s", "c", "m", "t", "qu", "dell", "all", "nell", "sull", "dall", "un", "quell"];

/// A word in small letters without the article or preposition that is written together with it: `d'ancerville` is `ancerville`.
pub(super) fn unelided(lower_case: &str) -> &str {
    match lower_case.split_once(['\'', '’']) {
        Some((first, rest)) if !rest.is_empty() && ELIDED.contains(&first) => rest,
        _ => lower_case,
    }
}

/// A number as every language's readers mean it: `64.000` and `64,000` are 64000, `4,5` is 4.5. Anything else stays as it is.
pub(super) fn plain_number(word: &str) -> Cow<'_, str> {
    if !word.contains(['.', ',']) || !word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',')) {
        return Cow::Borrowed(word);
    }
    let mut groups = word.split(['.', ',']);
    let first = groups.next().unwrap_or_default();
    if (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3) {
        return Cow::Owned(word.replace(['.', ','], ""));
    }
    Cow::Owned(word.replace(',', "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_has_one_form_however_a_language_writes_it() {
        for (written, plain) in [
            ("64.000", "64000"),
            ("64,000", "64000"),
            ("1.234.567", "1234567"),
            ("4,5", "4.5"),
            ("4.5", "4.5"),
            ("2026", "2026"),
            ("3.5b", "3.5b"),
        ] {
            assert_eq!(plain_number(written), plain);
        }
        assert_ne!(plain_number("4,50"), plain_number("450"));
    }

    #[test]
    fn an_elided_article_is_no_part_of_a_name() {
        for (written, bare) in
            [("d'ancerville", "ancerville"), ("l’eau", "eau"), ("dell'arte", "arte"), ("o'brien", "o'brien"), ("it's", "it's")]
        {
            assert_eq!(unelided(written), bare);
        }
    }

    #[test]
    fn small_words_of_seven_languages_are_known() {
        for word in ["the", "según", "où", "über", "você", "degli", "zonder", "katika"] {
            assert!(is_small(word), "{word}");
        }
        assert!(!is_small("nairobi"));
    }
}
