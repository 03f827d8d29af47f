//! Days that a sentence counts from the day on which it was written ("yesterday", "on Tuesday", "next month"): told later it is wrong, or says nothing.

use crate::domain::Language;
use chrono::TimeDelta;
use regex::Regex;
use std::sync::LazyLock;

/// For how long a sentence with such a day says what it said.
const DAY_HOLDS: TimeDelta = TimeDelta::hours(12);
const WEEK_HOLDS: TimeDelta = TimeDelta::days(3);
const SEASON_HOLDS: TimeDelta = TimeDelta::days(20);

/// Whether the sentence counts from the day on which it was written, and its item is older than that allows. Where nobody says how old the item is, only
/// the nearest days are too much: a feed tells what is new.
pub fn is_stale(sentence: &str, language: Language, age: Option<TimeDelta>) -> bool {
    holds_for(sentence, language).is_some_and(|holds| age.map_or(holds <= DAY_HOLDS, |age| age > holds))
}

/// `None` for a sentence that counts from no day, or tells the date as well.
pub fn holds_for(sentence: &str, language: Language) -> Option<TimeDelta> {
    let found = &RELATIVE[language as usize];
    let seasons = found.seasons.is_match(sentence);
    // "mwaka jana" is last year and no yesterday, "every Monday" no Monday.
    let rest = found.seasons.replace_all(sentence, " ");
    let rest = found.ordinary.as_ref().map_or_else(|| rest.clone(), |ordinary| ordinary.replace_all(&rest, " ").into_owned().into());
    let is_dated = DATED.is_match(sentence);
    if !is_dated && found.days.is_match(&rest) {
        return Some(DAY_HOLDS);
    }
    if found.weeks.is_match(&rest) || !is_dated && found.weekdays.is_match(&rest) {
        return Some(WEEK_HOLDS);
    }
    seasons.then_some(SEASON_HOLDS)
}

struct Relative {
    days: Regex,
    weekdays: Regex,
    weeks: Regex,
    seasons: Regex,
    /// What looks like one of these and is none.
    ordinary: Option<Regex>,
}

/// In the order of [`Language::ALL`]: days, weekdays, weeks, months and years, and what is none of them.
const PATTERNS: [[&str; 5]; Language::ALL.len()] = [
    [
        r"(?i)\b(?:yesterday|today|tonight|tomorrow|this (?:morning|afternoon|evening)|last night|overnight|(?:hours?|minutes?) ago|just now|right now)\b",
        r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b",
        r"(?i)\b(?:(?:this|last|next|past|coming|previous) (?:week|weekend|fortnight)|days ago|a week ago|weeks ago|(?:recent|coming|past few|last few|next few) (?:days|weeks))\b",
        r"(?i)\b(?:(?:this|last|next|past) (?:month|year|spring|summer|autumn|fall|winter|season|term)|months ago|(?:a|one) (?:month|year) ago|earlier this year|later this year)\b",
        r"(?i)\b(?:black friday|good friday|super tuesday|giving tuesday|cyber monday|easter (?:sunday|monday)|palm sunday|ash wednesday|(?:every|each|most) (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    ],
    [
        r"(?i)\b(?:hoy|ayer|anteayer|anoche|anteanoche|mañana|est[ae] (?:mañana|mediodía|tarde|noche|madrugada)|pasado mañana|ahora mismo|hace (?:unas|pocas|\w+) (?:horas|minutos))\b",
        r"(?i)\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b",
        r"(?i)\b(?:est[ea] (?:semana|fin de semana)|(?:la|el) (?:semana|fin de semana) (?:pasad[ao]|que viene|anterior)|(?:próxim[ao]|pasad[ao]) (?:semana|fin de semana)|hace (?:unos|pocos|\w+) días|(?:últimos|próximos|estos) días|últimas (?:horas|semanas))\b",
        r"(?i)\b(?:este (?:mes|año|verano|invierno|otoño|curso)|esta (?:primavera|temporada)|el (?:mes|año|verano|curso) (?:pasado|que viene)|(?:próximo|pasado) (?:mes|año|curso|verano))\b",
        r"(?i)\b(?:(?:los|cada|todos los) (?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)|de lunes a (?:viernes|sábado|domingo)|(?:por|de|a) la mañana|la mañana siguiente|cada mañana)\b",
    ],
    [
        r"(?i)\b(?:aujourd['’]hui|hier|avant-hier|demain|après-demain|ce (?:matin|soir|midi)|cet après-midi|cette nuit|la nuit dernière|il y a (?:quelques|\w+) (?:heures|minutes))\b",
        r"(?i)\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b",
        r"(?i)\b(?:cette semaine|ce week-end|la semaine (?:dernière|prochaine|passée)|le week-end (?:dernier|prochain)|(?:derniers|prochains) jours|il y a (?:quelques|\w+) jours|ces jours-ci)\b",
        r"(?i)\b(?:ce mois(?:-ci)?|(?:le|au) mois (?:dernier|prochain)|cette (?:année|saison)|l['’](?:an|année|été|hiver|automne) (?:dernier|dernière|prochain|prochaine)|cet (?:été|hiver|automne)|ce printemps)\b",
        r"(?i)\b(?:(?:chaque|tous les) (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?|mardi gras|vendredi saint)\b",
    ],
    [
        r"\b(?:[Hh]eute|[Gg]estern|[Vv]orgestern|morgen|[Üü]bermorgen|(?:[Vv]ergangene|[Ll]etzte|[Dd]iese) Nacht|[Vv]or (?:wenigen|\p{Ll}+) (?:Stunden|Minuten))\b",
        r"\b(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag)(?:morgen|vormittag|mittag|nachmittag|abend|nacht)?\b",
        r"(?i)\b(?:(?:diese[r]?|letzte[rn]?|vergangene[rn]?|nächste[rn]?|kommende[rn]?) Woche|(?:dieses|am|letzte[sn]|vergangene[sn]|nächste[sn]|kommende[sn]) Wochenende|vor (?:wenigen|\w+) Tagen|(?:letzten|vergangenen|kommenden|nächsten) Tagen)\b",
        r"(?i)\b(?:(?:diese[nmrs]?|letzte[nmrs]?|vergangene[nmrs]?|nächste[nmrs]?|kommende[nmrs]?) (?:Monats?|Jahr(?:es)?|Saison|Sommer|Winter|Herbst|Frühjahr|Frühling)|heuer)\b",
        r"(?i)\b(?:(?:jeden|jedem) (?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|jeden Mittwoch|(?:von )?Montag bis (?:Freitag|Samstag|Sonntag)|heute noch|bis heute)\b",
    ],
    [
        r"(?i)\b(?:hoje|ontem|anteontem|amanhã|n?est[ae] (?:manhã|tarde|noite|madrugada)|há (?:poucas|\w+) (?:horas|minutos)|agora há pouco)\b",
        r"(?i)\b(?:(?:segunda|terça|quarta|quinta|sexta)-feira|(?:na|nesta|desta|última|próxima) (?:segunda|terça|quarta|quinta|sexta)\b(?: vez| parte)?|sábado|domingo)\b",
        r"(?i)\b(?:(?:n?esta|desta) semana|n?este fim de semana|(?:semana|fim de semana) (?:passad[ao]|que vem)|(?:próxim[ao]|últim[ao]) (?:semana|fim de semana)|(?:últimos|próximos) dias|há (?:poucos|\w+) dias)\b",
        r"(?i)\b(?:(?:n|d)?este (?:mês|ano|verão|inverno)|(?:mês|ano|verão) (?:passado|que vem)|(?:próximo|último) (?:mês|ano))\b",
        r"(?i)\b(?:(?:todo|cada) (?:sábado|domingo)|toda (?:segunda|terça|quarta|quinta|sexta)(?:-feira)?|até hoje|(?:na|pela) (?:segunda|terça|quarta|quinta|sexta) (?:vez|parte))\b",
    ],
    [
        r"(?i)\b(?:oggi|ieri|l['’]altro ieri|domani|dopodomani|stamattina|stamani|stasera|stanotte|questa (?:mattina|sera|notte)|\w+ (?:ore|minuti) fa|poco fa)\b",
        r"(?i)\b(?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)\b",
        r"(?i)\b(?:questa settimana|questo (?:weekend|fine settimana)|(?:settimana|weekend|fine settimana) (?:scors[ao]|prossim[ao])|(?:scors[ao]|prossim[ao]) (?:settimana|weekend)|\w+ giorni fa|giorni scorsi|(?:ultimi|prossimi) giorni)\b",
        r"(?i)\b(?:questo mese|quest['’](?:anno|estate|inverno|autunno)|questa (?:primavera|stagione)|(?:mese|anno|estate) (?:scors[oa]|prossim[oa])|(?:scorso|prossimo) (?:mese|anno))\b",
        r"(?i)\b(?:ogni (?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)|venerdì santo|ancora oggi)\b",
    ],
    [
        r"(?i)\b(?:vandaag|gisteren|gisteravond|gisterochtend|eergisteren|morgen|morgenavond|overmorgen|vanochtend|vanmorgen|vanmiddag|vanavond|vannacht|afgelopen nacht|\w+ (?:uur|minuten) geleden|zojuist)\b",
        r"(?i)\b(?:maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)(?:ochtend|morgen|middag|avond|nacht)?\b",
        r"(?i)\b(?:(?:deze|vorige|afgelopen|volgende|komende) week|(?:dit|vorig|afgelopen|volgend|komend) weekend|\w+ dagen geleden|(?:afgelopen|komende|laatste) dagen)\b",
        r"(?i)\b(?:(?:deze|vorige|afgelopen|volgende|komende) (?:maand|zomer|winter|herfst|lente)|(?:dit|vorig|afgelopen|volgend|komend) (?:jaar|voorjaar|najaar|seizoen))\b",
        r"(?i)\b(?:(?:elke|iedere) (?:maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)|goede vrijdag|'s morgens|elke morgen)\b",
    ],
    [
        r"(?:^|[^\p{L}\p{M}])(?:[ከበየለ]|እስከ|ስለ)?(?:ዛሬ|ትናንት|ትናንትና|ትላንት|ነገ|ዛሬም)(?:$|[^\p{L}\p{M}])",
        r"(?:^|[^\p{L}\p{M}])(?:[ከበየለ]|እስከ)?(?:ሰኞ|ማክሰኞ|ረቡዕ|ሮብ|ሐሙስ|ሀሙስ|ዓርብ|አርብ|ቅዳሜ|እሁድ|እሑድ)(?:$|[^\p{L}\p{M}])",
        r"(?:በዚህ|ባለፈው|በሚቀጥለው|በመጪው|በያዝነው) ሳምንት",
        r"(?:በዚህ|ባለፈው|በሚቀጥለው|በመጪው|በያዝነው) (?:ወር|ዓመት|አመት)|ዘንድሮ|አምና",
        "",
    ],
    [
        r"(?i)\b(?:leo|jana|juzi|kesho|keshokutwa|asubuhi ya leo)\b",
        r"(?i)\b(?:jumatatu|jumanne|jumatano|alhamisi|ijumaa|jumamosi|jumapili)\b",
        r"(?i)\b(?:wiki (?:hii|iliyopita|ijayo)|siku (?:chache )?(?:zilizopita|zijazo))\b",
        r"(?i)\b(?:mwezi (?:huu|uliopita|ujao)|mwaka (?:huu|uliopita|jana|ujao))\b",
        r"(?i)\bkila (?:jumatatu|jumanne|jumatano|alhamisi|ijumaa|jumamosi|jumapili)\b",
    ],
    [
        r"(?:^|[^\p{L}\p{M}])(?:[وفبل]|ال)?(?:اليوم|أمس|امس|الأمس|بالأمس|غدا|غدًا|غداً|الليلة|البارحة)(?:$|[^\p{L}\p{M}])",
        r"(?:^|[^\p{L}\p{M}])[وفبل]?(?:الاثنين|الإثنين|الثلاثاء|الأربعاء|الخميس|الجمعة|السبت|الأحد)(?:$|[^\p{L}\p{M}])",
        r"هذا الأسبوع|الأسبوع (?:الماضي|المقبل|القادم|الجاري|الحالي)|الأيام (?:الماضية|الأخيرة|المقبلة|القادمة)",
        r"هذا (?:الشهر|العام|الصيف|الشتاء|الموسم)|هذه السنة|(?:الشهر|العام|الصيف|الشتاء|الموسم) (?:الماضي|المقبل|القادم|الجاري|الحالي)|السنة (?:الماضية|المقبلة)",
        r"اليوم (?:العالمي|الدولي|الوطني|الأول|الثاني|الثالث|التالي)|صلاة الجمعة|كل (?:يوم )?(?:اثنين|ثلاثاء|أربعاء|خميس|جمعة|سبت|أحد)",
    ],
    [
        r"\b(?:आज|कल|परसों|अभी-अभी)\b",
        r"\b(?:सोमवार|मंगलवार|बुधवार|गुरुवार|बृहस्पतिवार|वीरवार|शुक्रवार|शनिवार|रविवार)\b",
        r"(?:इस|पिछले|अगले|बीते) (?:हफ्ते|हफ़्ते|सप्ताह)|(?:पिछले|बीते|आने वाले) (?:कुछ )?दिनों",
        r"(?:इस|पिछले|अगले|बीते) (?:महीने|माह|साल|वर्ष)",
        r"हर (?:सोमवार|मंगलवार|बुधवार|गुरुवार|शुक्रवार|शनिवार|रविवार)",
    ],
    [
        r"今日|昨日|明日|本日|昨夜|昨晩|今朝|今夜|今晩|一昨日|おととい|明後日|あさって|きのう|きょう|(?:^|[^ぁ-ん])あす(?:は|の|に|から|、)",
        r"[月火水木金土日]曜",
        r"今週|先週|来週|今週末|数日前|先日",
        r"今月|先月|来月|今年|昨年|去年|来年|今夏|今冬|今春|今秋",
        r"毎週[月火水木金土日]曜日?",
    ],
    [
        r"今天|昨天|明天|昨晚|今晚|今早|前天|后天|後天|昨日|今日|明日|今晨",
        r"(?:星期|礼拜|禮拜|[本上下这這]?[周週])[一二三四五六日天](?:[上下早晚中,，。（(]|$|将|將|宣布|表示)|星期[一二三四五六日天]",
        r"本周|上周|下周|这周|本週|上週|下週|這週|近日|日前",
        r"本月|上月|下月|上个月|下个月|上個月|下個月|今年|去年|明年",
        r"每[周週][一二三四五六日]|每个?星期[一二三四五六日天]",
    ],
];

static RELATIVE: LazyLock<Vec<Relative>> = LazyLock::new(|| {
    let pattern = |pattern: &str| Regex::new(pattern).expect("a fixed pattern, compiled by tests");
    let of = |[days, weekdays, weeks, seasons, ordinary]: [&str; 5]| Relative {
        days: pattern(days),
        weekdays: pattern(weekdays),
        weeks: pattern(weeks),
        seasons: pattern(seasons),
        ordinary: (!ordinary.is_empty()).then(|| pattern(ordinary)),
    };
    PATTERNS.map(of).into()
});

/// A day of a month: with it a weekday or "yesterday" is known for good.
static DATED: LazyLock<Regex> = LazyLock::new(|| {
    const MONTHS: &str = "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|\
        enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|\
        novembre|décembre|januar|jänner|februar|märz|juni|juli|oktober|dezember|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|\
        gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|januari|februari|maart|mei|augustus|machi|aprili|agosti|septemba|oktoba|novemba|desemba|\
        يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر|كانون|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين|\
        जनवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर|መስከረም|ጥቅምት|ኅዳር|ህዳር|ታህሳስ|ጥር|የካቲት|መጋቢት|ሚያዝያ|ግንቦት|ሰኔ|ሐምሌ|ነሐሴ";
    Regex::new(&format!(
        r"(?i)\b\d{{1,2}}(?:st|nd|rd|th|º|er|\.|,)?\s+(?:de\s+|of\s+|di\s+)?(?:{MONTHS})\b|\b(?:{MONTHS})\.?\s+\d{{1,2}}\b|月\s?\d{{1,2}}日|\d{{1,2}}日|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|\b\d{{4}}-\d\d-\d\d\b"
    ))
    .expect("a fixed pattern, compiled by tests")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_that_is_counted_from_the_day_of_writing_holds_for_as_long_as_it_is_true() {
        let (hour, days) = (TimeDelta::hours(1), TimeDelta::days);
        for (language, day, weekday) in [
            (Language::English, "The bridge in Corvo opened yesterday.", "The bridge in Corvo opened on Tuesday."),
            (Language::English, "The bridge in Corvo opens tomorrow morning.", "The bridge in Corvo opened last week."),
            (Language::Spanish, "El puente de Corvo se abrió ayer.", "El puente de Corvo se abrió el martes."),
            (Language::Spanish, "El puente de Corvo se abre esta mañana.", "El puente de Corvo se abrió la semana pasada."),
            (Language::French, "Le pont de Corvo a ouvert hier.", "Le pont de Corvo a ouvert mardi."),
            (Language::German, "Die Brücke in Corvo öffnet morgen.", "Die Brücke in Corvo öffnete am Dienstagabend."),
            (Language::Portuguese, "A ponte de Corvo abriu ontem.", "A ponte de Corvo abriu na terça-feira."),
            (Language::Italian, "Il ponte di Corvo ha aperto ieri.", "Il ponte di Corvo ha aperto martedì."),
            (Language::Dutch, "De brug in Corvo ging gisteren open.", "De brug in Corvo ging dinsdag open."),
            (Language::Amharic, "በኮርቮ ድልድዩ ትናንት ተከፈተ።", "በኮርቮ ድልድዩ ሰኞ ተከፈተ።"),
            (Language::Swahili, "Daraja la Corvo lilifunguliwa jana.", "Daraja la Corvo lilifunguliwa Jumanne."),
            (Language::Arabic, "افتتح الجسر في كورفو أمس.", "افتتح الجسر في كورفو يوم الثلاثاء."),
            (Language::Hindi, "कोर्वो का पुल कल खुला।", "कोर्वो का पुल मंगलवार को खुला।"),
            (Language::Japanese, "コルボの橋が昨日開通した。", "コルボの橋が火曜日に開通した。"),
            (Language::Chinese, "科尔沃的大桥昨天通车。", "科尔沃的大桥星期二通车。"),
        ] {
            assert!(!is_stale(day, language, Some(hour)) && is_stale(day, language, Some(days(1))), "{day}");
            assert!(is_stale(day, language, None), "{day}");
            assert!(!is_stale(weekday, language, Some(days(2))) && is_stale(weekday, language, Some(days(5))), "{weekday}");
            assert!(!is_stale(weekday, language, None), "{weekday}");
        }
    }

    #[test]
    fn what_is_dated_or_only_looks_like_a_day_never_grows_stale() {
        for (language, sentence) in [
            (Language::English, "The bridge in Corvo opened on Tuesday, 12 May."),
            (Language::English, "The bridge in Corvo opened on Sunday, March 3, 2019."),
            (Language::English, "The market in Corvo opens every Friday, and on Black Friday too."),
            (Language::Spanish, "El mercado de Corvo abre por la mañana y los lunes."),
            (Language::Spanish, "El puente de Corvo se abrió el martes 12 de mayo."),
            (Language::French, "Le pont de Corvo a ouvert mardi 12 mai 2019."),
            (Language::German, "Die Brücke in Corvo öffnete am Dienstag, 12. Mai, am Morgen."),
            (Language::Portuguese, "A ponte de Corvo abriu pela segunda vez em 2019."),
            (Language::Arabic, "اليوم العالمي للمرأة يوم عطلة في كورفو."),
            (Language::Hindi, "कोर्वो का बाज़ार हर सोमवार खुलता है।"),
            (Language::Japanese, "コルボの橋は5月12日火曜日に開通した。"),
            (Language::Chinese, "科尔沃的市场每周二开放。"),
        ] {
            assert_eq!(holds_for(sentence, language), None, "{sentence}");
        }
        let last_year = "Daraja la Corvo lilifunguliwa mwaka jana.";
        assert!(!is_stale(last_year, Language::Swahili, Some(TimeDelta::days(2))), "last year is no yesterday");
        assert!(is_stale(last_year, Language::Swahili, Some(TimeDelta::days(60))));
    }
}
