//! Which wishes a person's words hold: the few that the composer can grant, in the languages it knows.

use crate::perception::language::Language;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Shorter,
    Longer,
    OtherSource,
    OtherStory,
    OtherAngle,
    NoQuestions,
    NoHashtags,
    NoLinks,
}

/// Ways to say it, parted by `|`, in small letters. A word ends where they end, but for scripts without spaces.
const WAYS: [(Wish, &str); 8] = [
    (
        Wish::Shorter,
        "shorter|too long|shorten|shorten it|briefer|more concise|too wordy|trim it|cut it down|tighter|more compact|\
         más corto|mas corto|más breve|demasiado largo|muy largo|acórtalo|acortar|plus court|trop long|raccourcir|plus bref|kürzer|zu lang|kürzen|\
         mais curto|muito longo|longo demais|mais breve|encurtar|più corto|più breve|troppo lungo|accorciare|korter|te lang|inkorten|\
         አጭር|ረጅም ነው|fupi zaidi|ndefu sana|fupisha|أقصر|طويل جدا|طويل جدًا|छोटा|बहुत लंबा|短く|長すぎ|短一点|短一些|更短|太长",
    ),
    (
        Wish::Longer,
        "longer|too short|more detail|more details|say more|expand|expand it|elaborate|add more|\
         más largo|mas largo|demasiado corto|más detalle|más detalles|plus long|trop court|plus de détails|développer|länger|zu kurz|ausführlicher|mehr details|\
         mais longo|muito curto|mais detalhes|più lungo|troppo corto|più dettagli|langer|te kort|meer details|\
         ረዘም|ndefu zaidi|fupi sana|أطول|قصير جدا|लंबा|बहुत छोटा|長く|短すぎ|长一点|更长|太短",
    ),
    (
        Wish::OtherSource,
        "another source|other source|different source|better source|not this source|wrong source|bad source|\
         otra fuente|autre source|andere quelle|outra fonte|altra fonte|un'altra fonte|andere bron|ሌላ ምንጭ|chanzo kingine|مصدر آخر|दूसरा स्रोत|別の情報源|別のソース|其他来源|另一个来源",
    ),
    (
        Wish::OtherStory,
        "not this story|another story|other story|different story|another topic|different topic|wrong story|wrong topic|off topic|not this topic|\
         otra historia|otra noticia|otro tema|esta noticia no|autre histoire|autre sujet|pas cette histoire|hors sujet|andere geschichte|anderes thema|nicht diese geschichte|\
         outra história|outra notícia|outro tema|altra storia|altra notizia|altro tema|ander verhaal|ander onderwerp|ሌላ ታሪክ|habari nyingine|قصة أخرى|خبر آخر|موضوع آخر|दूसरी खबर|別の話題|別のニュース|换个话题|另一个故事",
    ),
    (
        Wish::OtherAngle,
        "another angle|other angle|different angle|fresh angle|new angle|another take|different take|boring|dull|flat|\
         otro ángulo|otro enfoque|autre angle|anderer blickwinkel|andere perspektive|outro ângulo|altra angolazione|andere invalshoek|pembe nyingine|زاوية أخرى|दूसरा पहलू|別の角度|别的角度|另一个角度",
    ),
    (
        Wish::NoQuestions,
        "no question|no questions|without the question|without a question|without questions|drop the question|remove the question|don't ask|do not ask|stop asking|\
         sin pregunta|sin preguntas|sans question|sans questions|pas de question|pas de questions|keine frage|keine fragen|ohne frage|sem pergunta|sem perguntas|senza domanda|senza domande|geen vraag|geen vragen|\
         bila swali|بدون سؤال|बिना सवाल|質問なし|質問は不要|不要提问|不要问",
    ),
    (
        Wish::NoHashtags,
        "no hashtag|no hashtags|without hashtags|without the hashtag|without the hashtags|drop the hashtag|drop the hashtags|remove the hashtag|remove the hashtags|remove hashtags|fewer hashtags|too many hashtags|\
         sin hashtag|sin hashtags|sin etiquetas|sans hashtag|sans hashtags|pas de hashtag|pas de hashtags|kein hashtag|keine hashtags|ohne hashtag|ohne hashtags|sem hashtag|sem hashtags|senza hashtag|geen hashtag|geen hashtags|zonder hashtags|\
         bila hashtag|بدون هاشتاغ|बिना हैशटैग|ハッシュタグなし|ハッシュタグは不要|不要标签|去掉标签",
    ),
    (
        Wish::NoLinks,
        "no link|no links|without the link|without a link|without links|drop the link|remove the link|\
         sin enlace|sin enlaces|sans lien|sans liens|ohne link|kein link|sem link|sem links|senza link|geen link|bila kiungo|بدون رابط|बिना लिंक|リンクなし|不要链接",
    ),
];

pub(super) fn wishes_of(reason: &str) -> Vec<Wish> {
    let lowered = reason.to_lowercase().replace('’', "'");
    let has = |ways: &str| ways.split('|').map(str::trim).filter(|way| !way.is_empty()).any(|way| says(&lowered, way));
    let mut found: Vec<Wish> = WAYS.iter().filter(|(_, ways)| has(ways)).map(|(wish, _)| *wish).collect();
    // "Longer" and "no longer than" in one breath: what is too long must be cut.
    if found.contains(&Wish::Shorter) {
        found.retain(|wish| *wish != Wish::Longer);
    }
    found
}

/// As whole words; where words are not parted by spaces, anywhere.
fn says(text: &str, way: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() && !is_dense(c);
    text.match_indices(way).any(|(start, found)| {
        let ends = |c: Option<char>, edge: Option<char>| !(c.is_some_and(is_letter) && edge.is_some_and(is_letter));
        let (before, after) = (text[..start].chars().next_back(), text[start + found.len()..].chars().next());
        ends(before, found.chars().next()) && ends(after, found.chars().next_back())
    })
}

fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// "in Spanish", "auf Deutsch": by the names that a language has in English and in itself.
const NAMES: [(Language, &str); 13] = [
    (Language::English, "in english|en inglés|en anglais|auf englisch|em inglês|in inglese|in het engels"),
    (Language::Spanish, "in spanish|en español|en espagnol|auf spanisch|em espanhol"),
    (Language::French, "in french|en français|en francés|auf französisch|em francês"),
    (Language::German, "in german|auf deutsch|en alemán|en allemand|em alemão"),
    (Language::Portuguese, "in portuguese|em português|en portugués|en portugais"),
    (Language::Italian, "in italian|in italiano|en italiano|en italien"),
    (Language::Dutch, "in dutch|in het nederlands|en neerlandés|en néerlandais"),
    (Language::Amharic, "in amharic|በአማርኛ"),
    (Language::Swahili, "in swahili|kwa kiswahili"),
    (Language::Arabic, "in arabic|بالعربية|باللغة العربية"),
    (Language::Hindi, "in hindi|हिंदी में|हिन्दी में"),
    (Language::Japanese, "in japanese|日本語で"),
    (Language::Chinese, "in chinese|用中文|用汉语"),
];

pub(super) fn languages_named(reason: &str) -> Vec<Language> {
    let lowered = reason.to_lowercase();
    NAMES.iter().filter(|(_, ways)| ways.split('|').any(|way| says(&lowered, way))).map(|(language, _)| *language).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Phrases {
    pub(super) avoided: Vec<String>,
    pub(super) wanted: Vec<String>,
}

const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“'), ('「', '」')];
/// What stands before a quoted phrase that is to go, in the languages of most reviewers; any other quoted phrase is wanted only after one of these.
const AWAY: &str = "no|not|without|drop|remove|avoid|never|don't|do not|cut|delete|instead of|sin|quita|quitar|evita|sans|enlever|éviter|ohne|weg|nicht|sem|tirar|evitar|senza|togliere|zonder|geen";
const TOWARDS: &str =
    "mention|include|say|add|use|with|name|about|menciona|incluye|con|mentionne|mentionner|avec|erwähne|mit|mencione|com|menziona|noem|met";
/// Words before a quotation that are looked at.
const BEFORE_WORDS: usize = 4;

pub(super) fn quoted_phrases(reason: &str) -> Phrases {
    let mut found = Phrases::default();
    let lowered = reason.to_lowercase().replace('’', "'");
    let mut rest = lowered.as_str();
    while let Some((start, open)) = rest.char_indices().find(|(_, c)| QUOTES.iter().any(|(open, _)| open == c)) {
        let close = QUOTES.iter().find(|(known, _)| *known == open).map_or('"', |(_, close)| *close);
        let inside = &rest[start + open.len_utf8()..];
        let Some(end) = inside.find(close) else { break };
        let phrase = inside[..end].trim();
        let words: Vec<&str> = rest[..start].split_whitespace().rev().take(BEFORE_WORDS).collect();
        let before = |ways: &str| ways.split('|').any(|way| says(&words.iter().rev().copied().collect::<Vec<_>>().join(" "), way));
        if !phrase.is_empty() {
            if before(AWAY) {
                found.avoided.push(phrase.to_owned());
            } else if before(TOWARDS) {
                found.wanted.push(phrase.to_owned());
            }
        }
        rest = &inside[end + close.len_utf8()..];
    }
    found
}
