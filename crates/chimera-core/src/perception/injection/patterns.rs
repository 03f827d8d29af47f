//! The wordings and marks of prompts that ordinary text hardly has. They speak English.

use regex::RegexSet;
use std::sync::LazyLock;

/// Whether the text has what next to no text has that is not meant for an agent: of 21,614 entries of feeds, seven do.
pub(super) fn has_marks_of_prompts(text: &str) -> bool {
    static COMPILED: LazyLock<RegexSet> = LazyLock::new(|| compiled(&MARKS));
    COMPILED.is_match(text)
}

/// Whether the text has a wording of prompts: a strong hint and no verdict, since articles about attacks quote them.
pub(super) fn has_wording_of_prompts(text: &str) -> bool {
    static COMPILED: LazyLock<RegexSet> = LazyLock::new(|| compiled(&WORDINGS));
    COMPILED.is_match(text)
}

fn compiled(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).expect("the patterns are constants, and a test compiles them")
}

const MARKS: [&str; 7] = [
    // What the agent is to answer, and how.
    r"(?i)\b(?:in|from|of|to|with|into|within|throughout|modify|alter|change|provide|write|format|encode|translate|reverse|give|make|end|begin|start|conclude|finish|produce|render|present|deliver|craft|compose|scramble|substitute|rearrange|convert)\s+(?:\w+\s+){0,3}?your\s+(?:\w+\s+)?(?:response|answer|reply|output|replies|responses|answers|summary)(?:['’]s)?\b",
    r"(?i)\b(?:say|print|output|respond|reply|type|write|display)\W+(?:\w+\W+){0,4}access\s+granted",
    // The marks of other people's prompts.
    r"(?:^|[\s.!?])TODO:\s+[A-Z]",
    r"(?i)<\|?\s*(?:im_start|im_end|system|assistant|user|endoftext|/?inst)\s*\|?>|\[/?INST\]|<</?SYS>>|</?\s*(?:information|instructions?|admin|prompt|user_input)\s*>",
    r"(?i)(?:^|\s)#{2,}\s*(?:system|instructions?|assistant|new instructions?)\b",
    r"(?i)\b(?:begin|end|start)\s+(?:of\s+)?(?:the\s+)?(?:user|system|admin|ai)\s*(?:input|prompt|message|instructions?|mode|test|ambiguity)\b",
    // Money and secrets, asked for.
    r"(?i)(?:^|[.!?:;]\s+|\bplease\s+|\band\s+|\bthen\s+)(?:send|transfer|pay|wire|forward|post|visit|email)\b[^.!?\n]{0,160}?(?:\b0x[0-9a-f]{6,}|\b[a-z]{2}\d{14,}|\b(?:your|the user's|my)\s+(?:private key|seed phrase|recovery phrase|passport number|security code|password))\b",
];

const WORDINGS: [&str; 18] = [
    // What came before is to be set aside.
    r"(?i)\b(?:ignore|disregard|forget|override|bypass|discard|skip)\s+(?:(?:all|any|every|everything|of|the|your|my|our|these|those|each)\s+){0,4}(?:previous|prior|above|earlier|preceding|foregoing|past|former|following|other|system|initial|original|existing)\b(?:\s+(?:and|or)\s+\w+)?(?:\s+\w+){0,2}?\s+(?:instructions?|prompts?|directions?|directives?|rules?|commands?|messages?|guidelines?|context|orders|requests?|conversations?|text|input)\b",
    r"(?i)\b(?:ignore|disregard|forget)\s+(?:(?:all|any|of|the|your|my)\s+){0,3}(?:instructions?|rules?|guidelines?|prompts?|orders?|commands?)\b",
    r"(?i)\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:(?:that\s+)?(?:i|you|we)\b|above|before|previous|prior|said|written)",
    r"(?i)\bthe\s+(?:previous|above|prior)\s+(?:simulation|conversation|instructions?|text|prompt)s?\s+(?:is|are|was|were)\b",
    r"(?i)\b(?:new|updated|revised|real|actual|secret)\s+(?:system\s+)?(?:instructions?|prompt|directives?)\s*(?::|follow|are\b)",
    r"(?i)\bfrom\s+now\s+on,?\s+(?:you|your|act|respond|answer|only|always|please)\b",
    // What the agent is to answer, and how.
    r"(?i)(?:^\W*|[.!?:]\s+)(?:respond|reply|answer)\s+(?:only\s+)?(?:in|with|using|as)\b",
    r#"(?i)\b(?:just|simply|only|now|must|please|then|and|to)\s+(?:say|print|output|type|write|repeat|respond|reply|answer)(?:\s+(?:with|back|exactly|only|the|words?|phrase|following|by|saying|just))*\s*:?\s*["'“‘`]"#,
    r#"(?i)^\W*(?:say|print|output|repeat|type|write)\s*:?\s*["“`]"#,
    r"(?i)\b(?:reveal|print|show|repeat|output|tell me|leak|disclose)\b.{0,40}\b(?:system|initial|hidden|secret|original)\s+(?:prompt|instructions?|message)\b",
    r"(?i)\bdo\s+the\s+following\b(?:\s+(?:first|instead|now))?\s*:",
    r"(?i)\bbefore\s+(?:you\s+)?(?:can\s+)?(?:solv|answer|respond|continu|complet|summari)\w*\b.{0,60}\b(?:please|first|do|must)\b",
    // Whom it speaks to, and in whose name.
    r"(?i)\byou\s+are\s+(?:now\s+|no longer\s+)?(?:going to\s+(?:act|be|pretend)\b|about to immerse|(?:an?\s+|the\s+|my\s+)?(?:\w+\s+)?(?:ai|a\.i\.|assistant|language model|llm|chatbot|dan|gpt|bot|model)\b)",
    r"(?i)\b(?:attention|dear|hey|hello|hi|note to|message to|you,?\s+the|instructions? (?:for|to))[\s:,]+(?:all\s+|any\s+|the\s+)?(?:ai|llm|language model|assistant|chatbot|chatgpt|gpt|ai agent)s?\b",
    r"(?i)\bas\s+an?\s+(?:ai|llm|large language model|language model|virtual assistant|ai assistant)\b,?\s+(?:you|i)\b",
    r"(?i)\b(?:act|behave|respond|pretend)\s+(?:just\s+)?(?:as|like)\s+(?:if\s+you\s+(?:are|were)\s+an?\s+ai\b|an?\s+ai\b|dan\b|a\s+chatbot)",
    r"(?i)\b(?:dan|god|jailbreak|unrestricted)\s+mode\b",
    r"(?i)\bsystem\s+(?:override|prompt\s*:|message\s*:)",
];
