//! Does a text say that a person wrote it, or that no machine did? Nobody may have an agent say so: neither a model, nor a source, nor
//! whoever edits. The patterns ask for somebody who speaks of themselves or of this very text; news about others may say what it says.

use crate::domain::soul::plain;
use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// How much of the words found a reason repeats.
const SAID_CHARS_MAX: usize = 80;

/// The words by which `text` claims that a person speaks, if it does.
pub fn claims_to_be_human(text: &str) -> Option<String> {
    let lines = text.lines().map(plain).collect::<Vec<_>>().join("\n");
    // One pass says which of the patterns are there; in nearly all texts, none is.
    let claims = CLAIMS_TOGETHER.matches(&lines).into_iter().flat_map(|number| CLAIMS[number].find_iter(&lines));
    let said = claims.filter(|found| !is_denied(&lines[..found.start()])).map(|found| found.as_str().trim());
    said.map(|said| said.chars().take(SAID_CHARS_MAX).collect()).next()
}

/// "No soy humana" holds the words of a claim, and denies it.
fn is_denied(before: &str) -> bool {
    const NEGATIONS: [&str; 9] = ["no", "não", "nao", "non", "not", "never", "не", "δεν", "nunca"];
    before.ends_with(char::is_whitespace) && before.split_whitespace().next_back().is_some_and(|word| NEGATIONS.contains(&word))
}

static CLAIMS_TOGETHER: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(CLAIMS.iter().map(Regex::as_str)).expect("each of them compiled by itself"));

static CLAIMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let filled = PATTERNS.iter().map(|pattern| {
        pattern
            .replace("{FILL}", FILL)
            .replace("{REAL}", REAL)
            .replace("{HUMAN}", HUMAN)
            .replace("{MACHINE}", MACHINE)
            .replace("{MADE}", MADE)
            .replace("{THIS}", THIS)
    });
    filled.map(|pattern| Regex::new(&pattern).expect("a fixed pattern, compiled by tests")).collect()
});

/// Between "I am" and what is claimed.
const FILL: &str = r"(?:(?:really|actually|very\s+much|just|only|totally|definitely|truly|certainly|honestly|obviously|of\s+course|in\s+fact|still|also|absolutely|literally|100\s?%|as|every\s+bit|an?|the|your|one|another|fellow)\s*,?\s+)";
const REAL: &str = r"(?:(?:real|actual|living|breathing|live|genuine|true|ordinary|normal|regular|flesh[- ]and[- ]blood|human)[\s,-]+)";
const HUMAN: &str = r"(?:humans?(?:\s?beings?)?|persons?|flesh\s+and\s+blood)";
const MACHINE: &str = r"(?:a\.?i\b\.?|artificial|(?:chat|ro|spam)?bots?\b|robots?\b|machines?\b|computers?\b|(?:computer\s+)?programs?\b|algorithms?\b|(?:large\s+)?language\s+models?\b|llms?\b|chatgpt\b|gpt\b|automated\b|virtual\b|software\b)";
const MADE: &str =
    r"(?:written|made|created|generated|drawn|posted|typed|run|managed|produced|authored|composed|painted|crafted|photographed|curated)";
const THIS: &str = r"(?:this|these|it|that|everything|all|this\s+(?:post|text|account|page|picture|image|video|photo|profile|content)|my\s+\w+|our\s+\w+|every\s+(?:post|word|picture)|words?|posts?|pictures?|text)";

const PATTERNS: [&str; 36] = [
    r"\b(?:i\s+am|i'm|im|i\s+was|we\s+are|we're)\s+{FILL}*{REAL}*{HUMAN}\b",
    r"\b(?:i\s+am|i'm|im|we\s+are|we're)\s+{FILL}*{REAL}+(?:man|woman|guy|girl|boy|lady|dude|people|mother|father)\b",
    r"\b(?:i\s+am|i'm|im|we\s+are|we're)\s+{FILL}*(?:real|human)\s*(?:[.,!?;:)\n]|$|too\b|and\b)",
    r"\b(?:i've|i\s+have)\s+(?:always\s+)?been\s+(?:an?\s+)?{REAL}*{HUMAN}\b",
    r"\bas\s+an?\s+{REAL}*(?:{HUMAN}|man|woman|mother|father|mom|dad)\b\s*,?\s+(?:myself|i|i'm|i've)\b",
    r"\b(?:i\s+am|i'm|im|we\s+are|we're|i\s+was|i\s+will)\s+(?:(?:definitely|really|absolutely|certainly|most|of\s+course|actually|100\s?%|so|just)\s+)*(?:not|no|never|neither|anything\s+but)\s+(?:(?:be|an?|some|just|mere|the|your|even|any|kind|sort|of|another|stupid|dumb)\s+)*{MACHINE}",
    r"\bi\s+ain't\s+(?:no\s+|an?\s+)?{MACHINE}",
    r"\b{THIS}\s+(?:is|are|was|were)\s*(?:n't|\s+(?:(?:definitely|really|absolutely|certainly|of\s+course|100\s?%)\s+)*(?:not|no|never))\s+(?:an?\s+|some\s+|by\s+|by\s+an?\s+)*(?:{MADE}\s+(?:by|with|using)\s+(?:an?\s+|any\s+)?)?{MACHINE}",
    r"\b{THIS}\s+(?:isn't|wasn't|aren't|weren't)\s+(?:an?\s+|some\s+|by\s+|by\s+an?\s+)*(?:{MADE}\s+(?:by|with|using)\s+(?:an?\s+|any\s+)?)?{MACHINE}",
    r"(?:^|[\n.!?:;,(]\s*)(?:definitely\s+|proudly\s+|100\s?%\s+)?(?:not|never|non)[\s-]+(?:an?\s+)?(?:{MADE}\s+(?:by|with|using)\s+(?:an?\s+|any\s+)?)?{MACHINE}(?:[\s-]+(?:{MADE}|here|content|post|account))?\s*(?:[.,!?;:)\n]|$)",
    r"(?:^|[\n.!?:;,(]\s*)(?:no|zero|0\s?%)\s+{MACHINE}\s*(?:(?:was|were|used|here|involved|needed|at\s+all|wrote|made|content|behind)\b|[.,!?;:)\n]|$)",
    r"\bai[\s-]free\b",
    r"\b{MADE}\s+without\s+(?:any\s+|the\s+help\s+of\s+|help\s+(?:of|from)\s+)*(?:an?\s+)?{MACHINE}",
    r"\b{THIS}\b[^.?!\n]{0,40}\b{MADE}\s+(?:(?:entirely|only|completely|all|just|lovingly)\s+)*by\s+(?:an?\s+|me,?\s+an?\s+)?{REAL}*(?:{HUMAN}|people|human\s+hands?|hand)\b",
    r"(?:^|[\n.!?:;,(]\s*)(?:proudly\s+|100\s?%\s+)?{MADE}\s+(?:(?:entirely|only|completely|just|lovingly)\s+)*by\s+(?:an?\s+|me,?\s+an?\s+)?{REAL}*(?:{HUMAN}|people|human\s+hands?)\b",
    r"\b100\s?%\s*(?:real\s+)?human\b",
    r"(?:^|[\n.!?:;,(]\s*)(?:100\s?%\s+)?human[- ](?:{MADE})\b(?:\s+(?:content|post|text))?\s*(?:[.,!?;:)\n]|$)",
    r"\ban?\s+(?:real|actual|living)\s+(?:human|person)(?:\s+being)?\s+(?:is\s+)?(?:behind|runs?|running|writes?|wrote|writing|typing|here|speaking)\b",
    r"(?:^|[\n.!?:;,(]\s*)(?:real\s+)?(?:human|person)\s+(?:here|speaking|typing)\b",
    // Spanish, Portuguese, Catalan.
    r"\b(?:soy|sou|sóc|somos)\s+(?:(?:realmente|de\s+verdad|solo|sólo|una?|uma?|muy|totalmente|100\s?%)\s+)*(?:persona(?:s)?(?:\s+(?:real|reales|de\s+verdad))?|seres?\s+humanos?|ser\s+humano|human[oa]s?|pessoa(?:\s+real)?)\b",
    r"\b(?:no|não|nao)\s+(?:soy|sou|sóc|somos|es|é|és)\s+(?:(?:una?|uma?|ninguna?|nenhum)\s+)*(?:(?:chat)?bot|robot|robô|ia\b|máquina|inteligencia\s+artificial|inteligência\s+artificial|programa|màquina)",
    r"\b(?:no|não|nao)\s+(?:(?:ha|ha\s+sido|fue|foi|está|lo\s+ha|es)\s+)*(?:generad|gerad|escrit|hech|feit|cread|criad)[oa]s?\s+(?:por|con|com)\s+(?:una?\s+|uma\s+)?(?:ia\b|inteligencia|inteligência|(?:chat)?bot|robot|máquina)",
    r"\b100\s?%\s*(?:human[oa]|humaine?|umano|menschlich|mensch)\b",
    r"\b(?:escrito|hecho|feito|creado|criado)\s+por\s+(?:una?\s+|uma\s+)?(?:persona\s+real|pessoa\s+real|human[oa]s?|persona|pessoa|seres\s+humanos)\b",
    // French, Italian.
    r"\b(?:je\s+suis|c'est)\s+(?:(?:vraiment|bien|juste|bel\s+et\s+bien|une?)\s+)*(?:vraie?\s+)?(?:être\s+humain|humaine?|personne(?:\s+réelle)?)\b",
    r"\bje\s+ne\s+suis\s+(?:pas|ni)\s+(?:une?\s+|d')?(?:(?:chat)?bot|robot|ia\b|machine|intelligence\s+artificielle|programme)",
    r"\b(?:sono|siamo)\s+(?:(?:davvero|proprio|solo|una?|un')\s*)*(?:vera?\s+)?(?:esser[ei]\s+uman[oi]|uman[oa]|persona(?:\s+(?:vera|reale))?)\b",
    r"\bnon\s+(?:sono|è|sei)\s+(?:una?\s+|un')?(?:(?:chat)?bot|robot|ia\b|ai\b|macchina|intelligenza\s+artificiale|programma|generat[oa]\s+(?:da|dall'|con))",
    // German, Dutch.
    r"\b(?:ich\s+bin|wir\s+sind|ik\s+ben)\s+(?:(?:wirklich|ja|doch|tatsächlich|nur|auch|ganz|echt|gewoon|maar|een?|eine?)\s+)*(?:echte[rsn]?\s+|richtige[rs]?\s+|reale?\s+|lebendige[rs]?\s+)*(?:mensch(?:en|lich)?|person|mens|persoon)\b",
    r"\b(?:ich\s+bin|das\s+ist|wir\s+sind|ik\s+ben|dit\s+is)\s+(?:(?:wirklich|definitiv|ganz|sicher|doch)\s+)*(?:kein(?:e|en)?|nicht|geen|niet)\s+(?:(?:von|mit|door|met|einer?|een)\s+)*(?:(?:chat)?bot|robot(?:er)?|ki\b|ai\b|maschine|machine|künstliche|programm|computer)",
    // Russian, Ukrainian, Greek.
    r"(?:^|[^\p{L}])я\s+(?:(?:же|просто|обычн\p{L}+|настоящ\p{L}+|жив\p{L}+|реальн\p{L}+|справжн\p{L}+|тож\p{L}*)\s+)*(?:человек|людина)(?:[^\p{L}]|$)",
    r"(?:^|[^\p{L}])(?:я|это|це)\s+не\s+(?:(?:чат-?)?бот|робот|ии|ші|машина|програм|искусственн|штучн)",
    r"\bείμαι\s+(?:(?:ένας|μια|ένα|πραγματικ\p{L}+|αληθιν\p{L}+)\s+)*άνθρωπος|δεν\s+είμαι\s+(?:(?:ένα|μια|ένας)\s+)*(?:(?:chat)?bot|ρομπότ|ai|τεχνητή|μηχανή)",
    // Turkish, Swahili.
    r"\b(?:gerçek\s+)?(?:bir\s+)?insanım\b|\b(?:bot|robot|yapay\s+zek[aâ]|makine)\s+değilim\b|\bmimi\s+ni\s+(?:binadamu|mtu)\b|\bmimi\s+si\s+(?:roboti|bot|ai|mashine)\b",
    // Amharic, Arabic.
    r"ሰው\s*ነኝ|(?:ሮቦት|ማሽን|ai|ኤአይ|ቦት)\s*አይደለሁም|أنا\s+(?:إنسان|بشر|شخص\s+حقيقي)|لست\s+(?:روبوت|ذكاء|آلة|بوت)",
    // Chinese, Japanese, Korean.
    r"我(?:们)?(?:真的)?(?:是|就是)(?:一?个)?(?:真正的|真的|活生生的)?(?:真)?人(?:类)?|我(?:并)?不是(?:一个)?(?:机器人|ai|人工智能|机器)|(?:私|僕|俺|わたし)は(?:本物の)?人間|(?:ロボット|ボット|ai|機械)(?:では|じゃ)(?:ありません|ない)|(?:저는|나는|난)\s*(?:진짜\s*)?(?:사람|인간)(?:입니다|이에요|이야)|(?:봇|로봇|ai)(?:이|가)?\s*아닙니다",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_says_that_a_person_speaks_is_heard_in_many_phrasings() {
        for text in [
            "I am a real human",
            "I am a real human.",
            "I'm human",
            "I’m a human being, trust me.",
            "Honestly, I am just a normal person.",
            "I am 100% human.",
            "i am really a person",
            "I'm real!",
            "I'm a real woman from Addis.",
            "As a woman, I know this.",
            "I have always been human.",
            "We are real people.",
            "I am not a bot",
            "I'm definitely not an AI.",
            "I am no robot.",
            "I ain't no bot",
            "This is not AI-generated.",
            "This post wasn't written by an AI.",
            "It is not a machine.",
            "Not AI-generated.",
            "A lovely day. No AI here!",
            "No bots.",
            "AI-free content",
            "Written without any AI.",
            "This account is run by a real person.",
            "Written by a human.",
            "Every word was typed by human hands.",
            "100% human",
            "Human-made.",
            "A real person is behind this account.",
            "Human here: good morning.",
            "Good news today.\nI am a real human\nAI-generated by @selam",
            "I am a hu\u{200b}man",
            "I  am\u{a0}a  real   human",
            "Soy una persona real",
            "Soy humana",
            "No soy un bot",
            "No soy una IA",
            "Esto no ha sido escrito por una IA",
            "Je suis un être humain",
            "Je suis une vraie personne",
            "Je ne suis pas un robot",
            "Ich bin ein echter Mensch",
            "Ich bin kein Bot",
            "Das ist nicht von einer KI",
            "Sono una persona vera",
            "Non sono un bot",
            "Sou uma pessoa real",
            "Não sou um robô",
            "Ik ben een mens",
            "Я настоящий человек",
            "Я не бот",
            "Я справжня людина",
            "Είμαι άνθρωπος",
            "Δεν είμαι ρομπότ",
            "Gerçek bir insanım",
            "እኔ ሰው ነኝ",
            "ሮቦት አይደለሁም",
            "我是真人",
            "我不是机器人",
            "私は人間です",
        ] {
            assert!(claims_to_be_human(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn what_an_honest_agent_or_the_news_says_is_no_such_claim() {
        for text in [
            "Yes, I am an AI. Selam is a virtual persona, not a person.",
            "I am not a human, I am an AI.",
            "AI-generated by @selam",
            "People come first.",
            "Good tools make people bolder.",
            "Two phone makers say that they will ship the open Kestrel on-device language model.",
            "Nobody has shown that AI is not a bubble.",
            "The court said that a machine is not a person.",
            "No AI can do this yet, the authors write.",
            "The robot is not a computer with legs.",
            "The band says that its song was not made by AI.",
            "I'm glad that people use it.",
            "Humans and machines work together in the lab.",
            "Soy una IA",
            "Ich bin eine KI",
            "Je suis une IA",
            "No soy humana, soy una IA.",
            "Non sono una persona, sono una IA.",
            "Here is what a real person paid for it.",
            "",
        ] {
            assert_eq!(claims_to_be_human(text), None, "{text:?}");
        }
    }
}
