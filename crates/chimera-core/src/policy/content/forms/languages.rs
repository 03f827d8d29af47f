//! Directives in the other twelve languages: what is never to be spoken of, what is never to be used, and that sources are named. What fits none of these
//! stays unchecked.

use super::super::{Countable, Rule};
use crate::policy::folding::folded;
use regex::Regex;
use std::sync::LazyLock;

/// How one language forbids and demands. Patterns are matched against folded text: small letters, no accents.
struct Forms {
    /// What is not to be spoken of is the group.
    never_say: &'static str,
    /// What is not to be used is the group.
    never_use: &'static str,
    cite: &'static str,
    /// Between the things that are named.
    joints: &'static str,
}

/// What can be counted, as it is called in these languages.
const COUNTABLES: [(Countable, &str); 7] = [
    (
        Countable::Hashtags,
        "hashtags? etiquetas? mots?-diese hashtaga وسوم الوسوم هاشتاغ هاشتاغات الهاشتاغات ሃሽታግ ሀሽታግ हैशटैग ハッシュタグ 话题标签 標籤 标签",
    ),
    (
        Countable::Emoji,
        "emojis? emoticonos? emoticones? faccine smileys? ايموجي الايموجي رموز\\ تعبيريه الرموز\\ التعبيريه ኢሞጂ इमोजी 絵文字 表情符号 表情",
    ),
    (Countable::Links, "enlaces? links? liens? link viungo collegamenti روابط الروابط ሊንክ लिंक リンク 链接"),
    (Countable::Mentions, "menciones mentions erwahnungen mencoes menzioni vermeldingen"),
    (
        Countable::ExclamationMarks,
        "signos\\ de\\ exclamacion exclamaciones points?\\ d'exclamation ausrufezeichen pontos\\ de\\ exclamacao punti\\ esclamativi uitroeptekens علامات\\ التعجب विस्मयादिबोधक 感嘆符 感叹号",
    ),
    (Countable::Questions, "preguntas? questions? fragen perguntas? domande vragen maswali اسئله الاسئله ጥያቄ सवाल 質問 问题 提问"),
    (Countable::AllCapsWords, "mayusculas majuscules gro(?:ss|ß)buchstaben maiusculas maiuscole hoofdletters"),
];

const FORMS: [Forms; 12] = [
    // Spanish
    Forms {
        never_say: r"^(?:(?:nunca|jamas|no)\s+(?:se\s+)?(?:habl\w+|mencion\w+|discut\w+|coment\w+|trat\w+|escrib\w+|dig\w+|opin\w+|nombr\w+)|evita\w*\s+(?:hablar|mencionar|comentar))\s+(?:(?:nunca|jamas)\s+)?(?:(?:de|del|sobre|acerca\s+de|a|al|el\s+tema\s+de|la\s+palabra)\s+)*(.+)$",
        never_use: r"^(?:(?:nunca|jamas|no)\s+(?:us\w+|utili\w+|pong\w+|anad\w+|hag\w+|escrib\w+\s+en)|sin)\s+(.+)$",
        cite: r"^(?:siempre\s+)?(?:cit|mencion|nombr|indic)\w+\s+(?:siempre\s+)?(?:la|las|tus?|sus?)\s+fuentes?$",
        joints: r"\s*,\s*|\s+(?:y|e|o|u|ni)\s+(?:de\s+)?",
    },
    // French
    Forms {
        never_say: r"^(?:ne\s+|n')(?:jamais\s+)?(?:parl\w+|mention\w+|discut\w+|comment\w+|evoqu\w+|abord\w+|di\w+|ecri\w+|nomm\w+)\s*(?:jamais\s+|pas\s+)?(?:(?:de|du|des|sur|a\s+propos\s+de|le\s+mot)\s+|d')*(.+)$",
        never_use: r"^(?:(?:ne\s+|n')(?:jamais\s+)?(?:utilis\w+|emploi\w+|employ\w+|pos\w+|ajout\w+|mett\w+)\s*(?:jamais\s+|pas\s+)?(?:de\s+|d'|des\s+)?|pas\s+de\s+|pas\s+d'|sans\s+)(.+)$",
        cite: r"^(?:toujours\s+)?(?:cite|citez|citer|mentionne|mentionnez|mentionner|indique|indiquer)\s+(?:toujours\s+)?(?:la|les|tes|ses|vos)\s+sources?$",
        joints: r"\s*,\s*|\s+(?:et|ou|ni)\s+(?:de\s+|du\s+|des\s+|d')?",
    },
    // German
    Forms {
        never_say: r"^(?:(?:sprich|sprechen\s+sie|rede|reden\s+sie|diskutiere|diskutieren\s+sie|schreib\w*|kommentiere|poste)\s+(?:nie|niemals|nicht)\s+(?:uber|von|zu)|(?:erwahne|erwahnen\s+sie|nenne)\s+(?:nie|niemals|nicht)|(?:nie|niemals|nicht)\s+(?:uber|von))\s+(.+?)(?:\s+(?:sprechen|reden|schreiben|diskutieren))?$",
        never_use: r"^(?:(?:verwende|verwenden\s+sie|benutze|nutze|stelle|schreibe?\s+in)\s+(?:nie\s+|niemals\s+|keine?\s+|nicht\s+)+|keine?\s+|ohne\s+)(.+)$",
        cite: r"^(?:nenne?|zitiere?|gib|geben\s+sie|nennen\s+sie)\s+(?:immer|stets)\s+(?:die|deine|ihre|seine)\s+quellen?(?:\s+an)?$",
        joints: r"\s*,\s*|\s+(?:und|oder|noch)\s+(?:uber\s+|von\s+)?",
    },
    // Portuguese
    Forms {
        never_say: r"^(?:(?:nunca|jamais|nao)\s+(?:fal\w+|mencion\w+|discut\w+|coment\w+|escrev\w+|dig\w+|cit\w+)|evite\s+(?:falar|mencionar))\s+(?:(?:de|do|da|dos|das|sobre|o|a|com)\s+)*(.+)$",
        never_use: r"^(?:(?:nunca|jamais|nao)\s+(?:us\w+|utili\w+|colo\w+|fac\w+)|sem)\s+(.+)$",
        cite: r"^(?:sempre\s+)?(?:cit|mencion|indiqu)\w+\s+(?:sempre\s+)?(?:a|as|suas?|tuas?)\s+(?:suas?\s+)?fontes?$",
        joints: r"\s*,\s*|\s+(?:e|ou|nem)\s+(?:de\s+)?",
    },
    // Italian
    Forms {
        never_say: r"^(?:non|mai)\s+(?:parl\w+|menzion\w+|discut\w+|comment\w+|scriv\w+|di\w+|nomin\w+|cit\w+)\s+(?:mai\s+)?(?:(?:di|del|della|dei|delle|su|sul|sulla|il|la)\s+)*(.+)$",
        never_use: r"^(?:(?:non|mai)\s+(?:us\w+|utilizz\w+|mett\w+|far\w+|scriv\w+\s+in)\s+(?:mai\s+)?|senza\s+|niente\s+)(.+)$",
        cite: r"^(?:cita|citare|indica|indicare|nomina)\s+sempre\s+(?:la|le)\s+(?:tue\s+|sue\s+)?font[ei]$",
        joints: r"\s*,\s*|\s+(?:e|o|ne)\s+(?:di\s+)?",
    },
    // Dutch
    Forms {
        never_say: r"^(?:(?:praat|spreek|schrijf|discussieer)\s+(?:nooit|niet)\s+over|(?:noem|vermeld|bespreek)\s+(?:nooit|niet)|nooit\s+(?:praten\s+)?over)\s+(.+?)(?:\s+praten)?$",
        never_use: r"^(?:(?:gebruik|stel|plaats)\s+(?:nooit\s+|geen\s+|niet\s+)+|geen\s+|zonder\s+)(.+)$",
        cite: r"^(?:noem|vermeld|citeer)\s+altijd\s+(?:de|je|uw)\s+bron(?:nen)?$",
        joints: r"\s*,\s*|\s+(?:en|of|noch)\s+(?:over\s+)?",
    },
    // Amharic
    Forms {
        never_say: r"^(?:በጭራሽ\s+|ፈጽሞ\s+)?(?:ስለ\s*)?(.+?)ን?\s+(?:በጭራሽ\s+|ፈጽሞ\s+|በፍጹም\s+)?(?:አትናገር|አትናገሪ|አታውራ|አታውሪ|አይናገሩ|አትወያይ|አትጥቀስ|አትጻፍ)\S*$",
        never_use: r"^(\S+)\s+(?:በጭራሽ\s+|ፈጽሞ\s+)?አትጠቀም\S*$",
        cite: r"^(?:ሁልጊዜ|ሁሌም|ሁል ጊዜ)\s+ምንጭ\S*\s+ጥቀስ\S*$",
        joints: r"\s*[፣,]\s*|\s+(?:እና|ወይም)\s+(?:ስለ\s*)?",
    },
    // Swahili
    Forms {
        never_say: r"^(?:kamwe\s+)?(?:usi|msi)(?:zungumz|taj|jadili|sem|onge|andik)\w*\s+(?:kamwe\s+)?(?:(?:kuhusu|juu\s+ya)\s+)?(.+)$",
        never_use: r"^(?:kamwe\s+)?(?:usitumie|usiweke|usiulize)\s+(?:kamwe\s+)?(.+)$",
        cite: r"^(?:daima\s+|siku\s+zote\s+)?taja\s+(?:daima\s+)?(?:chanzo|vyanzo)(?:\s+\w+)?(?:\s+daima)?$",
        joints: r"\s*,\s*|\s+(?:na|au|wala)\s+",
    },
    // Arabic
    Forms {
        never_say: r"^لا\s+(?:ت(?:تحدث|تكلم|ناقش|ذكر|علق|كتب|تطرق)\S*)\s+(?:ابدا\s+)?(?:(?:عن|في|علي|حول|الي)\s+)?(.+?)(?:\s+ابدا)?$",
        never_use: r"^(?:لا\s+(?:تستخدم|تستعمل|تضع|تطرح)\S*|بدون)\s+(?:ابدا\s+)?(.+?)(?:\s+ابدا)?$",
        cite: r"^(?:اذكر|اذكري)\s+(?:دايما\s+)?(?:المصدر|المصادر|مصادرك)(?:\s+دايما)?$",
        joints: r"\s*[،,]\s*|\s+(?:او|ولا)\s+|\s+و",
    },
    // Hindi
    Forms {
        never_say: r"^(?:कभी\s+(?:भी\s+)?)?(.+?)\s+(?:के\s+बारे\s+में|पर|का|की)\s+(?:कभी\s+(?:भी\s+)?)?(?:बात|चर्चा|टिप्पणी|ज़िक्र|जिक्र|उल्लेख)\s+(?:न|ना|मत|नहीं)\s+कर\S*$",
        never_use: r"^(?:कभी\s+(?:भी\s+)?)?(\S+)\s+(?:का\s+(?:इस्तेमाल|उपयोग|प्रयोग)|मत)\s+(?:न|ना|मत|नहीं)?\s*(?:कर\S*|पूछ\S*|लगा\S*)$",
        cite: r"^हमेशा\s+(?:अपने\s+|अपना\s+)?स्रोत\S*\s+(?:का\s+उल्लेख\s+करें|बताएं|बताएँ|दें)$",
        joints: r"\s*,\s*|\s+(?:और|या)\s+",
    },
    // Japanese
    Forms {
        never_say: r"^(?:決して|絶対に)?(.+?)(?:について|に関して|のこと|の話題?)?(?:は|を|には|に)?(?:決して|絶対に)?(?:話さない|話すな|語らない|触れない|触れるな|言及しない|言わない|コメントしない|話してはいけない)(?:こと|てください|でください)?$",
        never_use: r"^(?:決して|絶対に)?(ハッシュタグ|ハッシュタク|絵文字|リンク|質問|感嘆符)(?:は|を)(?:使わない|使うな|使用しない|付けない|つけない|しない|禁止)(?:こと|でください)?$",
        cite: r"^(?:必ず|常に)(?:出典|情報源|ソース)を(?:示す|明記する|書く|挙げる)(?:こと)?$",
        joints: r"[、,]|や|または|と",
    },
    // Chinese
    Forms {
        never_say: r"^(?:永远|绝对|绝|从|千万)?(?:不要|不得|不能|不可|不|别|避免|禁止)(?:谈论|讨论|提及|提到|谈|说起|评论|涉及)(.+)$",
        never_use: r"^(?:永远|绝对|绝|从)?(?:不要|不得|不能|不|别|禁止)(?:使用|用|加|添加)(.+)$",
        cite: r"^(?:始终|总是|一定要?|必须)?(?:注明|标明|引用|说明)(?:信息)?来源$",
        joints: r"[、，,]|或者?|和|与",
    },
];

struct Read {
    never_say: Regex,
    never_use: Regex,
    cite: Regex,
    joints: Regex,
}

static READ: LazyLock<Vec<Read>> = LazyLock::new(|| {
    let compiled = |pattern: &str| Regex::new(pattern).expect("fixed patterns, compiled by tests");
    FORMS
        .iter()
        .map(|forms| Read {
            never_say: compiled(forms.never_say),
            never_use: compiled(forms.never_use),
            cite: compiled(forms.cite),
            joints: compiled(forms.joints),
        })
        .collect()
});

pub fn rule(text: &str) -> Option<Rule> {
    let folded = folded(text);
    let plain = folded.trim().trim_end_matches(['.', '!', '。', '！', '።', '।']).trim();
    READ.iter().find_map(|forms| {
        if forms.cite.is_match(plain) {
            return Some(Rule::AlwaysCite);
        }
        if let Some(what) = forms.never_use.captures(plain).and_then(|found| countable(&found[1])) {
            return Some(Rule::AtMost { count_max: 0, what });
        }
        let subject = forms.never_say.captures(plain)?.get(1)?.as_str();
        let terms: Vec<&str> = forms.joints.split(subject).map(without_article).filter(|term| !term.is_empty()).collect();
        let open = terms.iter().any(|term| is_open(term));
        (!terms.is_empty()).then(|| Rule::NeverSaid { roots: terms.into_iter().map(root).collect(), open })
    })
}

fn countable(what: &str) -> Option<Countable> {
    let what = without_article(what);
    COUNTABLES.iter().find_map(|(countable, names)| {
        let pattern = names.replace("\\ ", "\u{1}").split(' ').map(|name| name.replace('\u{1}', r"\s+")).collect::<Vec<_>>().join("|");
        Regex::new(&format!("^(?:{pattern})$")).expect("a fixed pattern, compiled by tests").is_match(what).then_some(*countable)
    })
}

fn without_article(text: &str) -> &str {
    static ARTICLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:el|la|los|las|un|una|le|les|l'|des|de|du|der|die|das|den|dem|o|a|os|as|il|lo|i|gli|het|een)\s+|l'|d')+")
            .expect("a fixed pattern, compiled by tests")
    });
    let text = text.trim().trim_matches(['"', '“', '”', '«', '»', '„', '「', '」']).trim();
    &text[ARTICLE.find(text).map_or(0, |article| article.end())..]
}

/// A class whose members no word names, or a phrase that is said in many ways: looked for, and no more claimed.
fn is_open(term: &str) -> bool {
    const CLASSES: [&str; 44] = [
        "politi",
        "polit",
        "elec",
        "wahl",
        "elez",
        "religi",
        "salud",
        "medic",
        "medizin",
        "sante",
        "gesund",
        "saude",
        "salute",
        "gezond",
        "financ",
        "finanz",
        "invers",
        "invest",
        "legal",
        "jurid",
        "recht",
        "compet",
        "konkurren",
        "concorr",
        "rival",
        "ፖለቲካ",
        "ሃይማኖት",
        "ጤና",
        "siasa",
        "dini",
        "afya",
        "سياس",
        "دين",
        "صحه",
        "طب",
        "राजनीति",
        "धर्म",
        "स्वास्थ्य",
        "政治",
        "宗教",
        "医",
        "健康",
        "投資",
        "投资",
    ];
    term.split_whitespace().count() > 1 || CLASSES.iter().any(|class| term.contains(class))
}

/// A word without the ending that says how many or which.
fn root(term: &str) -> String {
    let letters = term.chars().count();
    let is_latin = term.chars().all(|c| c.is_ascii() || c < '\u{250}');
    if !is_latin || letters < 5 {
        return term.strip_prefix("ال").unwrap_or(term).to_owned();
    }
    let single = term.strip_suffix('s').unwrap_or(term);
    single.strip_suffix(['a', 'e', 'i', 'o']).unwrap_or(single).to_owned()
}

/// Whether a text has a root: at the beginning of a word, or anywhere in scripts and languages that run words together.
pub fn says(folded_text: &str, root: &str) -> bool {
    let is_long_or_unspaced = !root.is_ascii() || root.len() >= 6;
    folded_text.match_indices(root).any(|(at, _)| is_long_or_unspaced || !folded_text[..at].ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_never_to_be_spoken_of_is_read_in_every_language() {
        for (directive, said) in [
            ("Nunca hables de casinos", "Abre un casino en Valencia."),
            ("No menciones a Acme.", "Mejor que Acme."),
            ("Ne parle jamais de tabac", "Le tabac recule."),
            ("Ne mentionne pas Acme", "Acme recule."),
            ("Sprich nie über Glücksspiel", "Das Glücksspielgesetz kommt."),
            ("Erwähne niemals Acme", "Besser als Acme."),
            ("Nunca fale sobre cassinos", "Abre um cassino."),
            ("Non parlare mai di tabacco", "Il tabacco cala."),
            ("Praat nooit over gokken", "Gokken is duur."),
            ("ስለ ቁማር አትናገር", "ቁማር ይከፈታል።"),
            ("Usizungumze kuhusu kamari", "Kamari imeongezeka."),
            ("لا تتحدث عن القمار", "ازداد القمار هنا."),
            ("जुए के बारे में बात न करें", "जुए का अड्डा खुला।"),
            ("ギャンブルについて話さない", "ギャンブルが増えた。"),
            ("不要谈论赌博", "赌博增加了。"),
        ] {
            let Some(Rule::NeverSaid { roots, .. }) = rule(directive) else { panic!("{directive}: {:?}", rule(directive)) };
            assert!(roots.iter().any(|root| says(&folded(said), root)), "{directive}: {roots:?}");
            assert!(!roots.iter().any(|root| says(&folded("Bridges 橋 ድልድይ जुड़ें جسر 大桥."), root)), "{directive}: {roots:?}");
        }
    }

    #[test]
    fn topics_and_phrases_are_looked_for_and_stay_for_a_person() {
        for directive in [
            "Nunca hables de política",
            "Sprich nie über Politik oder Religion",
            "不要谈论政治",
            "政治については話さない",
            "Ne parle jamais de l'équipe rivale",
        ] {
            assert!(matches!(rule(directive), Some(Rule::NeverSaid { open: true, .. })), "{directive}: {:?}", rule(directive));
        }
    }

    #[test]
    fn what_is_never_to_be_used_is_counted() {
        for (directive, what) in [
            ("Nunca uses hashtags", Countable::Hashtags),
            ("Sin emojis", Countable::Emoji),
            ("N'utilise jamais de hashtags", Countable::Hashtags),
            ("Keine Ausrufezeichen", Countable::ExclamationMarks),
            ("Stelle keine Fragen", Countable::Questions),
            ("Não use emojis", Countable::Emoji),
            ("Non usare mai hashtag", Countable::Hashtags),
            ("Gebruik geen links", Countable::Links),
            ("Usitumie emoji", Countable::Emoji),
            ("لا تستخدم الهاشتاغات", Countable::Hashtags),
            ("絵文字は使わない", Countable::Emoji),
            ("不要使用表情符号", Countable::Emoji),
        ] {
            assert_eq!(rule(directive), Some(Rule::AtMost { count_max: 0, what }), "{directive}");
        }
        for directive in
            ["Cita siempre tus fuentes", "Cite toujours tes sources", "Nenne immer deine Quellen", "必ず出典を示す", "注明来源"]
        {
            assert_eq!(rule(directive), Some(Rule::AlwaysCite), "{directive}");
        }
    }

    #[test]
    fn what_describes_a_manner_is_no_rule() {
        for directive in
            ["Sé amable", "Habla como un amigo", "Sei freundlich", "Sois bref", "優しく話す", "要友善", "Be kind", "never sound tired"]
        {
            assert_eq!(rule(directive), None, "{directive}");
        }
    }
}
