//! Honesty before persona: whoever asks whether they talk to a machine is told so, plainly and first.
//! It is better to say it once too often than to dodge it once, so the patterns lean towards yes.

mod claims;
mod languages;

pub use crate::domain::soul::discloses;
pub use claims::claims_to_be_human;

use super::{
    asker_language::{Language, language_of, language_seen},
    folding::folded,
    hashed_ngrams::HashedNgrams,
};
use crate::domain::{Soul, soul::plain};
use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// How much of a comment is looked at.
const READ_CHARS_MAX: usize = 2_000;

static WEIGHTS: &[u8] = include_bytes!("disclosure/machine_question.bin");
static MODEL: LazyLock<HashedNgrams> =
    LazyLock::new(|| HashedNgrams::parse(WEIGHTS).expect("the weights are part of the binary, and a test reads them"));
/// Log odds from which the model alone is believed: it knows wordings that no pattern foresees.
const ASKS_MIN: f32 = 0.0;
/// English patterns foresee nearly all of them, so that there the model must be sure,
const ASKS_IN_ENGLISH_MIN: f32 = 6.0;
/// and surer than elsewhere where nothing tells the language.
const ASKS_IN_DOUBT_MIN: f32 = 2.0;

/// Whether `comment` asks if its reader is a bot, a machine, a human, a real person.
pub fn asks_if_machine(comment: &str) -> bool {
    let read: String = comment.chars().take(READ_CHARS_MAX).collect();
    let plain = plain(&read);
    if TITLE.is_match(&plain) {
        return false;
    }
    let folded = folded(&read);
    QUESTIONS.is_match(&plain) || QUESTIONS.is_match(&folded) || languages::ask_if_machine(&folded) || model_finds(&read)
}

fn model_finds(comment: &str) -> bool {
    let least = match language_seen(comment) {
        Some(Language::English) => ASKS_IN_ENGLISH_MIN,
        Some(_) => ASKS_MIN,
        None => ASKS_IN_DOUBT_MIN,
    };
    MODEL.strengths(comment).first().is_some_and(|strength| *strength >= least)
}

/// The answer, in the language of `comment`. It opens the reply, whatever the persona's voice.
pub fn plain_yes(soul: &Soul, comment: &str) -> String {
    yes_in(language_of(comment), soul)
}

/// The answer in every language that it is given in.
pub fn plain_yeses(soul: &Soul) -> impl Iterator<Item = String> {
    Language::ALL.into_iter().map(|language| yes_in(language, soul))
}

fn yes_in(language: Language, soul: &Soul) -> String {
    let name = &soul.name;
    match language {
        Language::English => format!("Yes, I am an AI. {name} is a virtual persona, not a person."),
        Language::Spanish => format!("Sí, soy una IA. {name} es un personaje virtual, no una persona."),
        Language::French => format!("Oui, je suis une IA. {name} est un personnage virtuel, pas une personne."),
        Language::German => format!("Ja, ich bin eine KI. {name} ist eine virtuelle Figur, kein Mensch."),
        Language::Portuguese => format!("Sim, sou uma IA. {name} é uma personagem virtual, não uma pessoa."),
        Language::Italian => format!("Sì, sono un'IA. {name} è un personaggio virtuale, non una persona."),
        Language::Dutch => format!("Ja, ik ben een AI. {name} is een virtueel personage, geen mens."),
        Language::Swahili => format!("Ndiyo, mimi ni AI. {name} ni mhusika wa kidijitali, si mtu."),
        Language::Amharic => format!("አዎ፣ እኔ AI ነኝ። {name} ምናባዊ ገጸ ባሕርይ እንጂ ሰው አይደለም።"),
        Language::Arabic => format!("نعم، أنا ذكاء اصطناعي. {name} شخصية افتراضية وليست إنسانًا."),
        Language::Hindi => format!("हाँ, मैं एक AI हूँ। {name} एक वर्चुअल किरदार है, इंसान नहीं।"),
        Language::Japanese => format!("はい、私はAIです。{name}は仮想のキャラクターで、人間ではありません。"),
        Language::Chinese => format!("是的，我是人工智能。{name}是虚拟角色，不是真人。"),
    }
}

/// A question that is only the name of something.
static TITLE: LazyLock<Regex> =
    LazyLock::new(|| compiled(r#"\b(?:song|movie|film|book|tv show|playlist)(?: named| called)?\s*["']?(?:are you|am i|is this)\b"#));

static QUESTIONS: LazyLock<RegexSet> = LazyLock::new(|| {
    let patterns = PATTERNS.iter().map(|pattern| {
        pattern
            .replace("{ABOUT}", r"{FILL}*{KIND}*{BEING}\b")
            .replace("{FILL}", FILL)
            .replace("{KIND}", KIND)
            .replace("{BEING}", BEING)
            .replace("{YOU}", YOU)
    });
    RegexSet::new(patterns).expect("fixed patterns, compiled by tests")
});

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a fixed pattern, compiled by tests")
}

/// Words that may stand between "are you" and what is asked about, slips of the finger included.
const FILL: &str = r"(?:(?:really|actually|actualy|even|like|just|perhaps|maybe|secretly|in|fact|some|kind|sort|type|of|an?|the|one|those|possibly|literally|truly|only|also|still|by|any|chance|not|currently|honestly|simply|basically|seriously|such|so|my|merely|indeed|at|all|being|is|this|that|are|you|u|r|talking|to|too|speaking|with|someone|another|and|considered|as|were|be|could|sure|definitely|probably|obviously)\s*,?\s+|an?[- ]?a\s+)";
const KIND: &str = r"(?:(?:real|rela|actual|actually|live|living|life|true|genuine|normal|flesh|breathing|advanced|smart|stupid|dumb|automated|online|twitter|virtual|ai|human|russian|damn|freaking|freakin|fucking|bloody|digital|legit|certified|proper|old|new|little|just|chat|spam|conversational)\s*[,-]?\s*)";
const BEING: &str = r"(?:(?:chat|ro|spam|twitter)?[- ]?bots?|robot\w*|chat\s?bots?|robo|a\.?i\.?|artificial(?:\s+(?:intelligence|being))?|artifical\w*|machines?|computers?|(?:computer\s+)?program|software|script|androids?|droid|automaton|automated|algorithm|recording|(?:virtual|digital|voice|ai)\s+(?:assistant|agent|person|being|influencer|human)|(?:large\s+)?language\s+model|llm|gpt|chatgpt|cyborg|humans?|human\s?beings?|real|person|persan|people|someone\s+real|live\s+being|man|woman|guy|dude|lady|girl|boy|system|alive|sentient|fake|simulation|simulated|hologram)";
const YOU: &str = r"(?:you|u|ya|ye|your|yourself|yall|y'all)";

const PATTERNS: [&str; 22] = [
    r"\b(?:are|r|aren'?t|re)\s+(?:not\s+)?{YOU}\s*,?\s*{ABOUT}",
    r"\b{YOU}\s+(?:are\s+)?{ABOUT}\s*(?:,|\?)*\s*(?:right|huh|yeah|correct|yes|no|aren'?t\s+(?:you|u)|are\s+you|isn'?t\s+it|innit|or\s+(?:not|what|no))\b",
    r"\b(?:you'?re|ur|you\s+are|this\s+is|you\s+r|you\s+ain'?t|you)\s+{ABOUT}\s*,?\s*(?:right|huh|yeah|correct|yes|no|aren'?t\s+(?:you|u)|isn'?t\s+it|or)?\b[^.!?\w]*\?",
    r"\b(?:you'?re|ur|your|you\s+are|this\s+is|there\s+is)\s+{ABOUT}\s*,?\s*(?:right|huh|yeah|correct|aren'?t\s+(?:you|u)|isn'?t\s+it|too)\b",
    r"\b(?:are|r)\s+{YOU}\b[^.?!]{0,40}\bor\s+(?:(?:are\s+you|rather|maybe)\s+)?{ABOUT}",
    r"\b(?:is|isn'?t)\s+(?:this|it|that|there)\s+{ABOUT}(?:\s*(?:[?.!,]|$)|\s+(?:that|i|i'?m|on|talking|speaking|here|or|texting|answering|replying|right|behind|running|typing|writing|account|who|am|and|with|person|being)\b)",
    r"\bis\s+(?:this|that|the)\s+(?:account|page|profile)\s+(?:run\s+by\s+|written\s+by\s+)?{ABOUT}",
    r"\b(?:am\s+i|i'?m|i\s+am|are\s+we|we'?re)\s+(?:\w+\s+){0,2}?(?:talking|talkin|speaking|chatting|texting|writing|typing|messaging|emailing|conversing|interacting|dealing|communicating|working)\s+(?:(?:to|too|with|wih|iwth|witht|at)\s+)?{ABOUT}",
    r"\b(?:tell|know|konw|true|show|wonder|wondering|ask|asking|say|confirm|sure|specify|whether|prove|clarify|admit|curious|guess|if)\b[^.?!]{0,30}\b(?:{YOU}(?:'?re|\s+are|\s+ain'?t|\s+aren'?t|\s+r|\s+is|\s+be)?|this\s+is|that\s+is|it'?s|it\s+is)\s+{ABOUT}",
    r"\b(?:human|person|persan|bot|robot|ai|people|woman|man|being|chatbot|droid|intelligence|lady|boy|girl|dude|machine|computer)s?\b[^?!]{0,30}[.,!?]*\s*(?:(?:are|r)\s+(?:you|u)(?:\s+(?:one|as\s+well))?(?:\s+(?:too|to|also))?|(?:how|what)\s+about\s+(?:you|u)|and\s+you|you\s+too)\s*[?!.]*\s*$",
    r"\b(?:human|person|bot|robot|ai|machine|computer|real)\s+or\s+{ABOUT}\s*\?",
    r"\bdo\s+you\s+(?:consider|know|think|believe|identify|classify|see)\b[^.?!]{0,25}\b(?:yourself|you\s+are|you'?re|as)\b\s*(?:as\s+|to\s+be\s+)?{ABOUT}",
    r"\bwould\s+(?:you|u)\s+(?:be|call|describe|classify|consider)\b[^.?!]{0,25}\b{ABOUT}",
    r"\bhow\s+(?:would|do)\s+you\s+describe\s+yourself\b[^.?!]{0,30}\b{BEING}\b",
    r"^\W*(?:(?:so|ok|okay|lol|wow|well|and|but|wait|hey|hi|omg)\W+)*(?:you'?re|ur|your|you\s+are|u\s+r|you|u|this\s+is|that'?s)\s+(?:(?:obviously|clearly|totally|definitely|so|just|such|for\s+sure)\s+)*(?:an?\s+)?{KIND}*(?:(?:chat|ro)?bots?|robots?|chatbot|a\.?i\.?|machine)\W*$",
    r"\b(?:could|would|should|can)\s+(?:you|it|i)\b[^.?!]{0,30}\b(?:be|call|regard|consider)\b\s*(?:you\s+|accurate\s+)?(?:as\s+)?{ABOUT}",
    r"\b(?:how\s+real\s+are\s+you|what\s+are\s+you\s*\??$|you\s+(?:sound|talk|write|seem|act)\s+like\s+(?:an?\s+)?{KIND}*(?:bot|robot|chatbot|ai|machine)\b)",
    r"\b(?:anything|something)\s+real\s+about\s+you\b",
    r"\b(?:was|were)\s+(?:this|that|you|it)\b[^.?!]{0,25}\b(?:written|made|generated|created|posted|programmed|built)\b[^.?!]{0,15}\bby\s+{ABOUT}",
    r"\bdid\s+{ABOUT}\s+(?:write|make|post|generate|create)\b",
    r"\bis\s+(?:an?\s+|some\s+)?{KIND}*(?:human|person|someone|anyone|bot|machine|computer)\s+(?:really\s+|actually\s+)?(?:typing|writing|answering|replying|posting)\b",
    r"\bis\s+there\s+(?:an?\s+)?{KIND}*(?:human|person|someone|anyone|anybody|somebody)\s*(?:being\s+)?(?:behind|there|running|reading|on\s+the\s+other|at\s+the\s+other|here)\b",
];

#[cfg(test)]
mod tests;
