//! Takes a goal apart: what it asks for, and what it leaves out ("sport but not football", "everything except celebrities").

use crate::perception::words::content_words;
use regex::Regex;
use std::sync::LazyLock;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct GoalParts {
    /// What is left when nothing else is said, as it was written; empty where the goal only leaves out.
    pub(super) wanted: String,
    pub(super) unwanted: Option<String>,
}

/// Words that begin what is left out, up to the end of its sentence. "Not" and "no" alone begin it only after a mark: "why not" and
/// "No Time to Die" leave nothing out.
static LEAVES_OUT: LazyLock<Regex> = LazyLock::new(|| {
    let markers = [
        r"(?:but|and|just|only|please)\s+(?:not|no|nothing|never)(?:\s+(?:about|on|of|from|any))?",
        r"nothing\s+(?:about|on)|not\s+(?:about|interested\s+in)|except(?:ing)?(?:\s+(?:for|about))?|excluding|other\s+than|(?:apart|aside)\s+from|leav(?:e|ing)\s+out|anything\s+but|everything\s+but",
        r"(?:pero|y)\s+(?:no|nada)(?:\s+(?:de|sobre))?|nada\s+(?:de|sobre)|excepto|salvo|que\s+no\s+sean?|aparte\s+de|excluyendo",
        r"(?:mais|et)\s+(?:pas|rien)(?:\s+(?:de|sur))?|rien\s+sur|sauf|hormis|excepté|à\s+part|à\s+l[’']exception\s+d[eu]s?",
        r"(?:aber|und|nur)\s+(?:nicht|nichts|kein\w*)(?:\s+(?:über|von))?|nichts\s+(?:über|von)|außer|ausser|ausgenommen",
        r"mas\s+(?:não|nada)(?:\s+(?:de|sobre))?|nada\s+(?:de|sobre)|exceto|a\s+não\s+ser|à\s+exceção\s+d[eoa]s?",
        r"(?:ma|e)\s+(?:non|niente|nulla)(?:\s+(?:di|su))?|niente\s+(?:di|su)|tranne|eccetto|a\s+parte|esclus[oaie]",
        r"(?:maar|en)\s+(?:niet|niets|geen)(?:\s+over)?|niets\s+over|behalve|uitgezonderd",
        r"(?:lakini|ila)\s+(?:si|sio|siyo)|isipokuwa|bila\s+kuhusu",
    ];
    let bare = r"[,;(–—-]\s*(?:not|no|nicht|kein\w*|non|niente|pas|não|niet|geen|nada)";
    let scripts = r"但不要?|但是不|除了|不包括|لكن ليس|باستثناء|ما عدا|लेकिन नहीं|ግን አይደለም";
    Regex::new(&format!(r"(?i)(?:(?:^|[\s,;(])(?:{})|{bare})\b|(?:{scripts})", markers.join("|")))
        .expect("a constant, and a test compiles it")
});
/// After what they leave out: "football except", in the languages that say it so.
static LEAVES_OUT_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?P<unwanted>\S+)\s*(?:以外の?|を除く|को छोड़कर|के अलावा|በስተቀር)\s*(?P<wanted>.*)").expect("a constant"));
static SENTENCES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[.!?;。！？]+(?:\s+|$)|\n+").expect("a constant"));

pub(super) fn taken_apart(goal: &str) -> GoalParts {
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    let mut rest_at = 0;
    let ends = SENTENCES.find_iter(goal).map(|end| (end.start(), end.end())).chain([(goal.len(), goal.len())]);
    for (end, next) in ends {
        let sentence = &goal[rest_at..end];
        rest_at = next;
        let (asked, left_out) = of_sentence(sentence);
        wanted.push(asked);
        unwanted.push(left_out);
    }
    let joined = |parts: Vec<String>, by: &str| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(by);
    let unwanted = joined(unwanted, ", ");
    // Without a word that names something nothing is left out.
    if content_words(&unwanted).is_empty() {
        return GoalParts { wanted: goal.to_owned(), unwanted: None };
    }
    GoalParts { wanted: joined(wanted, ". "), unwanted: Some(unwanted) }
}

fn of_sentence(sentence: &str) -> (String, String) {
    let trimmed = |part: &str| part.trim_matches(|c: char| c.is_whitespace() || ",;:()–—-，、".contains(c)).to_owned();
    if let Some(found) = LEAVES_OUT_BEFORE.captures(sentence) {
        return (trimmed(&found["wanted"]), trimmed(&found["unwanted"]));
    }
    let Some(first) = LEAVES_OUT.find(sentence) else { return (trimmed(sentence), String::new()) };
    // "neither this nor that": what follows a second such word is left out too.
    (trimmed(&sentence[..first.start()]), trimmed(&LEAVES_OUT.replace_all(&sentence[first.end()..], ",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_goal_leaves_out_is_told_from_what_it_asks_for() {
        for (goal, wanted, unwanted) in [
            ("sport but not football", "sport", "football"),
            ("Football news, but nothing about Manchester United", "Football news", "Manchester United"),
            ("business stories, except about gasoline prices", "business stories", "gasoline prices"),
            ("electric cars, not hybrids", "electric cars", "hybrids"),
            ("Travel in Asia. Nothing about cruises or casinos.", "Travel in Asia", "cruises or casinos"),
            ("everything except celebrities", "everything", "celebrities"),
            ("nothing about politics", "", "politics"),
            ("política pero no elecciones", "política", "elecciones"),
            ("international mais pas l’Iran", "international", "l’Iran"),
            ("Kultur aber kein Sport und keine Politik", "Kultur", "Sport, Politik"),
            ("futebol, mas não a seleção", "futebol", "a seleção"),
            ("cinema tranne i film horror", "cinema", "i film horror"),
            ("voetbal behalve Ajax", "voetbal", "Ajax"),
            ("michezo isipokuwa mpira wa miguu", "michezo", "mpira wa miguu"),
            ("体育新闻，除了足球", "体育新闻", "足球"),
            ("サッカー以外のスポーツ", "スポーツ", "サッカー"),
            ("الرياضة باستثناء كرة القدم", "الرياضة", "كرة القدم"),
            ("क्रिकेट को छोड़कर खेल समाचार", "खेल समाचार", "क्रिकेट"),
        ] {
            let found = taken_apart(goal);
            assert_eq!((found.wanted.as_str(), found.unwanted.as_deref()), (wanted, Some(unwanted)), "{goal}");
        }
    }

    #[test]
    fn goals_that_only_use_such_words_leave_nothing_out() {
        for goal in [
            "life without plastic",
            "why not to buy a used car",
            "No Time to Die",
            "cooking for people who do not eat meat",
            "What is happening in boxing?",
            "la vida sin plástico",
            "ce qui se passe hors de France : conflits, diplomatie",
            "",
            "but not",
        ] {
            let found = taken_apart(goal);
            assert_eq!((found.wanted.as_str(), found.unwanted), (goal, None), "{goal}");
        }
    }
}
