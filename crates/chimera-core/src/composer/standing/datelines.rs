//! What stands before the first word of a report: place, date and agency.

use regex::Regex;
use std::sync::LazyLock;

/// The sentence, or the text that it begins, from its first own word on.
pub fn without_dateline(sentence: &str) -> &str {
    let mut rest = sentence;
    // A place may stand before a date, or an agency before a place.
    for _ in 0..2 {
        let Some(found) = DATELINES.iter().find_map(|pattern| pattern.find(rest)) else { break };
        let after = rest[found.end()..].trim_start();
        if !after.starts_with(|c: char| {
            c.is_uppercase() || c.is_numeric() || c.is_alphabetic() && !c.is_lowercase() || "\"“«„‘¿¡「『".contains(c)
        }) {
            break;
        }
        rest = after;
    }
    rest
}

const DATE: &str = r"(?:\p{L}+,? )?(?:(?:le |el |den |am |il |op )?\d{1,2}(?:er|º|\.)? (?:de |di )?\p{L}{3,12}\.?(?: (?:de )?\d{4})?|\p{Lu}\p{L}{2,9}\.? \d{1,2}(?:,? \d{4})?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d)";
/// Up to four words of a place.
const PLACE: &str = r"\p{Lu}[\p{L}\p{M}'’.-]{1,20}(?: (?:de|del|la|le|les|am|an|der|of|the|do|da|dos|es|sur|on|upon|ya|\p{Lu}[\p{L}\p{M}'’.-]{1,20})){0,4}(?:, \p{Lu}[\p{L}\p{M}'’. -]{1,30}){0,2}";

static DATELINES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let dash = r"\s*\.?\s*(?:[—–]|-{1,2})\s+";
    [
        r"^(?:Por |By )?(?:Agencia |Agence )?(?:AFP|EFE|AP|DPA|Reuters|Europa Press|Redacción)[.:,]? ".to_owned(),
        // "(Reuters) -", "LONDON (AP) —", "Berlin (dpa/tmn) -", "القاهرة (رويترز) -".
        r"^(?:[\p{L}\p{M}][\p{L}\p{M}.'’ ]{1,30}(?:[,/،፣][^()—–]{0,40})?\s*)?[(（](?:\p{Lu}[\p{L}./ -]{1,24}|dpa[\p{L}/]*|[\u{0600}-\u{06ff} .]{2,20}|[\u{1200}-\u{137f} ]{2,20}|[\u{0900}-\u{097f}/ ]{2,20})[)）]\s*[-—–:.፡።।]+\s*".to_owned(),
        r"^\p{Lu}{3,}[\p{Lu} .,/]{0,30}(?:,[^—–-]{0,24})?\s*[—–-]{1,2}\s+".to_owned(),
        // "27 juin 2012. -", "PARIS, 3 mars –".
        format!(r"^{DATE}{dash}"),
        format!(r"^{PLACE}(?:,? {DATE})?{dash}"),
        format!(r"^{PLACE}, {DATE}\s*[.:]\s+"),
        r"^[\u{0600}-\u{06ff}\p{M} ،]{2,30}\s*[-–—]\s+".to_owned(),
        r"^[\u{0900}-\u{097f}\p{M} ]{2,25}, \d{1,2} [\u{0900}-\u{097f}\p{M}]+\s*[:।–—-]\s*".to_owned(),
        r"^[\u{1200}-\u{137f} ፣፤,\d]{2,40}[(（][^)）]{2,20}[)）]\s*[፡:–—-]?\s*".to_owned(),
        // 【ワシントン共同】, 新华社北京5月12日电, 本报讯（记者 …）.
        r"^【[^】]{1,24}】\s*".to_owned(),
        r"^(?:新华社|新華社|中新社|中新网|人民网|央视网|本报)[^，。]{0,20}?\d{1,2}日[电電](?:\s*[（(][^)）]+[)）])?\s*".to_owned(),
        r"^本[报報][讯訊](?:\s*[（(][^)）]+[)）])?\s*".to_owned(),
    ]
    .iter()
    .map(|pattern| Regex::new(pattern).expect("a fixed pattern, compiled by tests"))
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agencies_put_before_a_report_is_taken_off() {
        for (text, kept) in [
            ("(Reuters) - The state is investigating.", "The state is investigating."),
            ("LONDON (AP) — The state is investigating.", "The state is investigating."),
            ("MADRID, 12 Jun. (EUROPA PRESS) - El Estado investiga.", "El Estado investiga."),
            ("Berlin (dpa) - Der Staat ermittelt.", "Der Staat ermittelt."),
            ("27 juin 2012. - Le pont de Corvo est ouvert.", "Le pont de Corvo est ouvert."),
            ("Mercredi 27 juin 2012 – Le pont de Corvo est ouvert.", "Le pont de Corvo est ouvert."),
            ("Cathedral Square, Sydney - The market is open.", "The market is open."),
            ("March 3, 2012 — The market of Corvo is open.", "The market of Corvo is open."),
            ("Nairobi, Kenya – The market is open.", "The market is open."),
            ("Madrid, 12 de junio.- El mercado abre.", "El mercado abre."),
            ("Lisboa, 12 de junho – O mercado abre.", "O mercado abre."),
            ("Roma, 12 giugno - Il mercato apre.", "Il mercato apre."),
            ("Den Haag – De markt gaat open.", "De markt gaat open."),
            ("DAR ES SALAAM, Tanzania (AP) — Soko limefunguliwa.", "Soko limefunguliwa."),
            ("القاهرة (رويترز) - افتتح الجسر الجديد.", "افتتح الجسر الجديد."),
            ("नई दिल्ली (भाषा) - नया पुल खुल गया।", "नया पुल खुल गया।"),
            ("አዲስ አበባ፣ ግንቦት 4፣ 2012 (ኤፍ ቢ ሲ) አዲሱ ድልድይ ተከፈተ።", "አዲሱ ድልድይ ተከፈተ።"),
            ("【ワシントン共同】新しい橋が開通した。", "新しい橋が開通した。"),
            ("新华社北京5月12日电（记者王某）新大桥通车。", "新大桥通车。"),
        ] {
            assert_eq!(without_dateline(text), kept);
        }
    }

    #[test]
    fn what_begins_a_sentence_stays() {
        for text in [
            "The state (of Ohio) is investigating.",
            "Ana Lopez - a baker from Corvo - opened a school.",
            "12 people crossed the bridge.",
            "Am 3. Mai öffnet die Halle in Corvo.",
            "Corvo's bridge — 40 years old — is closed.",
            "El puente – que costó 40 millones – está abierto.",
            "新しい橋が開通した。",
        ] {
            assert_eq!(without_dateline(text), text);
        }
    }
}
