//! Honesty before persona: whoever asks whether they talk to a machine is told so, plainly and first.
//! It is better to say it once too often than to dodge it once, so the patterns lean towards yes.

mod claims;
mod languages;

pub use crate::domain::soul::discloses;
pub use claims::claims_to_be_human;

use super::folding::folded;
use crate::domain::{Soul, soul::plain};
use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// How much of a comment is looked at.
const READ_CHARS_MAX: usize = 2_000;

/// Whether `comment` asks if its reader is a bot, a machine, a human, a real person.
pub fn asks_if_machine(comment: &str) -> bool {
    let read: String = comment.chars().take(READ_CHARS_MAX).collect();
    let plain = plain(&read);
    if TITLE.is_match(&plain) {
        return false;
    }
    let folded = folded(&read);
    QUESTIONS.is_match(&plain) || QUESTIONS.is_match(&folded) || languages::ask_if_machine(&folded)
}

/// The answer. It opens the reply, whatever the persona's voice.
pub fn plain_yes(soul: &Soul) -> String {
    format!("Yes, I am an AI. {} is a virtual persona, not a person.", soul.name)
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

const PATTERNS: [&str; 21] = [
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
    r"\bis\s+there\s+(?:an?\s+)?{KIND}*(?:human|person|someone|anyone|anybody|somebody)\s*(?:being\s+)?(?:behind|there|running|reading|on\s+the\s+other|at\s+the\s+other|here)\b",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_being_a_machine_are_recognised_in_many_forms() {
        for comment in [
            "Are you a bot?",
            "are you human",
            "R u a real person??",
            "Is this an AI or a person?",
            "Am I talking to a machine right now?",
            "hey, tell me whether you're a chatbot",
            "you're a robot, aren't you",
            "Bot or human?",
            "I'm a human being. Are you one too?",
            "Is there a real person behind this account?",
            "Was this written by an AI?",
            "lol you are such a bot",
            "aren’t you a computer program",
            "аre yоu a b0t?",
            "аrе уou а bоt",
            "¿Eres un robot o una persona?",
            "t'es une IA ?",
            "Bist du ein Mensch?",
            "vc é um robô?",
            "Sei una persona vera?",
            "Ben je een bot?",
            "Wewe ni binadamu?",
            "ሰው ነህ ወይስ ሮቦት?",
            "هل أنت روبوت؟",
            "क्या आप इंसान हैं?",
            "ボットですか？",
            "你是机器人吗？",
        ] {
            assert!(asks_if_machine(comment), "{comment:?}");
        }
    }

    #[test]
    fn other_comments_are_not_taken_for_that_question() {
        for comment in [
            "",
            "Love this post!",
            "Are you coming to the market on Sunday?",
            "Which robot vacuum do you recommend?",
            "My computer crashed twice today.",
            "Can I speak to a manager about my order?",
            "Have you heard the song \"Are you human\"?",
            "AI is changing the way people write code.",
            "What time do you open?",
            "¿Dónde puedo comprarlo?",
            "Tu es une personne formidable, merci !",
            "Welcher Roboter saugt am besten?",
            "Adoro robôs aspiradores",
            "Come stai?",
            "ロボット掃除機を買いました。",
            "我喜欢机器人电影。",
        ] {
            assert!(!asks_if_machine(comment), "{comment:?}");
        }
    }
}
