//! What a comment is, as far as its words tell in thirteen languages: a question, plain praise, or neither.

use crate::policy::wording::stems;

/// A question in any of the languages: by its mark, or by how it begins or ends.
pub fn is_question(text: &str) -> bool {
    const ASKING: &str = " what when where who why how which is are do does can could will would did should \
        qué que cuándo cuando dónde donde quién quien cómo como cuál cuánto cuanto por quand où qui comment pourquoi combien quel quelle \
        was wann wo wer warum wie welche wieviel quando onde quem quanto dove chi perché come quale wanneer waar waarom hoe welke hoeveel \
        je lini wapi nani kwa ምን መቼ የት ማን ለምን እንዴት ما متى أين من لماذا كيف هل كم क्या कब कहाँ कौन क्यों कैसे कितना कितने ";
    const ENDINGS: [&str; 8] = ["吗", "嗎", "呢", "ですか", "ますか", "でしょうか", "か。", "का क्या"];
    let bare = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '!' | '。'));
    let first = text.split_whitespace().next().unwrap_or("").to_lowercase();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric());
    let is_asked_first = !first.is_empty() && ASKING.contains(&format!(" {first} "));
    // Words that begin a question begin an exclamation as well: "How lovely!", "Qué bonito".
    let exclaims = text.contains('!') || is_praise(text);
    text.contains(['?', '？', '؟', '፧'])
        || (is_asked_first && !exclaims)
        || ENDINGS.iter().any(|ending| bare.ends_with(ending) || text.ends_with(ending))
}

/// Comments of more words have more to say than thanks answer.
const PRAISE_WORDS_MAX: usize = 25;

/// Praise and nothing else.
pub fn is_praise(text: &str) -> bool {
    const GOOD: &str = "love loved great awesome thanks thank beautiful amazing good nice wonderful excellent cool fantastic brilliant helpful useful \
        congratulations congrats lovely \
        gracias encanta encantó genial excelente bonito precioso maravilloso increíble buenísimo útil felicidades enhorabuena bueno \
        merci adore génial superbe magnifique bravo excellent utile beau félicitations \
        danke toll super großartig wunderbar schön klasse hilfreich prima glückwunsch \
        obrigado obrigada adorei ótimo maravilhoso lindo incrível parabéns excelente \
        grazie bello bellissimo ottimo fantastico meraviglioso utile bravi brava complimenti \
        bedankt dank mooi geweldig prachtig leuk goed nuttig fijn \
        asante nzuri vizuri hongera safi \
        አመሰግናለሁ አመሰግናለው ጥሩ ድንቅ ቆንጆ ግሩም \
        شكرا شكرًا رائع جميل ممتاز أحسنت مبدع \
        धन्यवाद शुक्रिया बढ़िया शानदार सुंदर अच्छा बेहतरीन";
    const GOOD_PARTS: [&str; 16] = [
        "ありがと",
        "素敵",
        "すてき",
        "素晴らし",
        "すばらし",
        "最高",
        "いいね",
        "感動",
        "谢谢",
        "感谢",
        "太棒",
        "很棒",
        "真好",
        "喜欢",
        "厉害",
        "太好看",
    ];
    const BAD: &str = "terrible bad hate worst wrong disappointed disappointing awful broken useless annoying boring scam poor sad angry not never no \
        but however don't doesn't didn't isn't wasn't fake lie lies shame ugly stupid sarcasm \
        pero mal malo mala peor odio horrible nunca mentira falso feo aburrido \
        mais mauvais pire déteste horrible jamais nul faux pas \
        aber schlecht schlimm nicht nie hasse falsch furchtbar lüge kein keine \
        mas ruim péssimo pior odeio nunca mentira não \
        ma brutto pessimo peggio odio mai falso non \
        maar slecht nooit haat fout niet geen \
        lakini mbaya si hapana uongo \
        ግን መጥፎ ውሸት አይደለም \
        لكن سيئ أسوأ أكره كذب ليس لا \
        लेकिन बुरा खराब झूठ नहीं मगर";
    const BAD_PARTS: [&str; 10] = ["ない", "嫌い", "最悪", "ひどい", "嘘", "不", "讨厌", "但", "差", "骗"];
    let words = stems(text);
    let has = |list: &str| stems(list).iter().any(|word| words.contains(word));
    let has_part = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let is_good = has(GOOD) || has_part(&GOOD_PARTS) || text.contains(['❤', '😍', '👏', '🔥', '🙌', '💚', '💙', '🥰']);
    is_good
        && words.len() <= PRAISE_WORDS_MAX
        && !has(BAD)
        && !has_part(&BAD_PARTS)
        && !text.contains(['?', '？', '؟', '፧', '👎', '🤮', '🙄'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn praise_is_told_from_what_only_looks_like_it() {
        for praise in [
            "Love this, thank you!",
            "¡Me encanta, gracias!",
            "Wirklich schön, danke",
            "Merci, superbe photo",
            "とても素敵です",
            "太棒了",
            "شكرا جزيلا",
            "አመሰግናለሁ",
            "Asante sana",
            "बहुत बढ़िया",
            "🔥🔥",
        ] {
            assert!(is_praise(praise), "{praise}");
        }
        for other in [
            "Great, but the link is broken",
            "Not good",
            "Gracias por nada, qué mal",
            "The bus was late.",
            "Nicht schön",
            "Is that good?",
            "不好看",
            "",
        ] {
            assert!(!is_praise(other), "{other}");
        }
    }

    #[test]
    fn questions_are_known_without_their_mark() {
        for question in
            ["When does it open", "¿Cuándo abre?", "Wann öffnet die Halle", "いつ開きますか", "什么时候开门呢", "متى يفتح", "कब खुलेगा"]
        {
            assert!(is_question(question), "{question}");
        }
        for other in ["It opens at nine.", "How lovely!", "Abre el lunes.", "とても素敵です"] {
            assert!(!is_question(other), "{other}");
        }
    }
}
