//! In which of the thirteen languages somebody is to be answered: by script, and among Latin letters by the small words that every sentence has.
//! A guess, good enough to choose between fixed answers.

use super::folding::folded;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Spanish,
    French,
    German,
    Portuguese,
    Italian,
    Dutch,
    Swahili,
    Amharic,
    Arabic,
    Hindi,
    Japanese,
    Chinese,
}

impl Language {
    pub(crate) const ALL: [Self; 13] = [
        Self::English,
        Self::Spanish,
        Self::French,
        Self::German,
        Self::Portuguese,
        Self::Italian,
        Self::Dutch,
        Self::Swahili,
        Self::Amharic,
        Self::Arabic,
        Self::Hindi,
        Self::Japanese,
        Self::Chinese,
    ];
}

/// English where nothing tells.
pub(crate) fn language_of(text: &str) -> Language {
    language_seen(text).unwrap_or(Language::English)
}

/// `None` for Latin letters without any of the small words.
pub(crate) fn language_seen(text: &str) -> Option<Language> {
    let has = |first: char, last: char| text.chars().any(|c| (first..=last).contains(&c));
    if has('\u{1200}', '\u{139f}') {
        return Some(Language::Amharic);
    }
    if has('\u{600}', '\u{6ff}') {
        return Some(Language::Arabic);
    }
    if has('\u{900}', '\u{97f}') {
        return Some(Language::Hindi);
    }
    if has('\u{3040}', '\u{30ff}') {
        return Some(Language::Japanese);
    }
    if has('\u{3400}', '\u{9fff}') {
        return Some(Language::Chinese);
    }
    let folded = folded(text);
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let count = |small: &str| words.iter().filter(|word| small.split(' ').any(|known| known == **word)).count();
    let counted = SMALL_WORDS.iter().map(|(language, small)| (*language, count(small))).filter(|(_, count)| *count > 0);
    // The first of equals: `max_by_key` gives the last.
    counted.rev().max_by_key(|(_, count)| *count).map(|(language, _)| language)
}

const SMALL_WORDS: [(Language, &str); 8] = [
    (
        Language::English,
        "the a an i i'm im am you your are is it this that to of and not my me do want was be with for have no will just more than like what how who can there they u r ur",
    ),
    (
        Language::Spanish,
        "el la los un una yo tu eres es esto que de y no mi me con por para quiero estoy soy muy ya si nadie eso usted o hablo hay mas",
    ),
    (
        Language::French,
        "le la les un une je tu es est ce c'est t'es que de et ne pas mon ma me avec pour suis vous ou personne plus etes veux j'ai ai il",
    ),
    (
        Language::German,
        "der die das ein eine ich du bist ist nicht und mein mich mit fur bin zu hier oder sie keiner niemand mehr kein will mir wie",
    ),
    (
        Language::Portuguese,
        "o os um uma eu voce vc e que de nao meu minha me com por para quero estou sou muito ja tu isso ou ninguem mais pra falo",
    ),
    (
        Language::Italian,
        "il lo la gli un una io tu sei e questo che di non mio mia mi con per voglio sono piu o nessuno sto ho parlo c'e vero",
    ),
    (Language::Dutch, "de het een ik jij je bent ben is dit niet en mijn me met voor wil ook of niemand meer geen er dat hier van"),
    (Language::Swahili, "ni na wa ya kwa mimi wewe hii hapa kama sana si sina nataka siwezi hakuna yangu au ama mtu je tu kuwa nini kila"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_answered_in_the_language_they_wrote() {
        for (text, expected) in [
            ("Are you a bot?", Language::English),
            ("👍", Language::English),
            ("R u human", Language::English),
            ("Bent u een mens?", Language::Dutch),
            ("¿Eres un robot o una persona?", Language::Spanish),
            ("t'es une IA ou pas ?", Language::French),
            ("Bist du ein Mensch?", Language::German),
            ("você é um robô?", Language::Portuguese),
            ("Sei una persona vera?", Language::Italian),
            ("Ben je een mens?", Language::Dutch),
            ("Wewe ni mtu au mashine?", Language::Swahili),
            ("ሰው ነህ?", Language::Amharic),
            ("هل أنت روبوت؟", Language::Arabic),
            ("क्या आप इंसान हैं?", Language::Hindi),
            ("人間ですか？", Language::Japanese),
            ("你是机器人吗？", Language::Chinese),
        ] {
            assert_eq!(language_of(text), expected, "{text}");
        }
        for text in ["", "👍", "kya bot hai", "ChatGPT?"] {
            assert_eq!(language_seen(text), None, "{text}");
        }
    }
}
