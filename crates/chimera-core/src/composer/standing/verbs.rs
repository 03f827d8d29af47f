//! Whether a short text says that something is or happens: a label, a caption and many a headline only name a thing.
//!
//! Lists of frequent finite verbs and, where they tell, endings. They err towards finding a verb: what has none is not used as a whole post.

use crate::domain::Language;
use unicode_segmentation::UnicodeSegmentation;

/// `true` where nobody can tell.
pub fn has_verb(sentence: &str, language: Language) -> bool {
    let words: Vec<String> = sentence
        .split_whitespace()
        // "glass-fronted" is no verb.
        .filter(|token| !token.trim_matches(|c: char| !c.is_alphanumeric()).contains('-'))
        .flat_map(|token| token.unicode_words().map(|word| word.replace('’', "'")).collect::<Vec<_>>())
        .collect();
    let is_known = |list: &str| {
        words.iter().map(|word| word.to_lowercase()).any(|word| {
            let bare = word.rsplit('\'').next().unwrap_or(&word);
            list.split(' ').any(|verb| verb == word || verb == bare)
        })
    };
    let small = || words.iter().filter(|word| word.starts_with(char::is_lowercase)).map(String::as_str);
    let ends = |endings: &[&str], but: &[&str], letters: usize| {
        small().any(|word| {
            word.chars().count() >= letters && endings.iter().any(|end| word.ends_with(end)) && !but.iter().any(|end| word.ends_with(end))
        })
    };
    match language {
        Language::English => {
            is_known(ENGLISH)
                || words.iter().any(|word| word.contains("n't"))
                || small().any(|word| {
                    word.ends_with("ed") && !word.ends_with("eed") && word.chars().count() >= 4 && !ENGLISH_NO_VERBS.contains(&word)
                })
        }
        Language::Spanish => {
            is_known(SPANISH)
                || ends(
                    &["ó", "aron", "ieron", "ará", "erá", "irá", "arán", "erán", "irán", "aba", "aban", "ían", "aría", "ería", "iría"],
                    &["maría", "sería", "adería", "istería", "ería"],
                    4,
                )
        }
        Language::French => {
            is_known(FRENCH)
                || ends(
                    &["ait", "aient", "èrent", "irent", "urent", "era", "eront", "ira", "iront"],
                    &["trait", "fait", "lait", "opéra"],
                    5,
                )
        }
        Language::German => {
            is_known(GERMAN)
                || small().any(|word| {
                    word.chars().count() >= 4
                        && ["t", "te", "ten"].iter().any(|end| word.ends_with(end))
                        && !word.starts_with("ge")
                        && !GERMAN_NO_VERBS.split(' ').any(|other| other == word)
                })
        }
        Language::Portuguese => {
            is_known(PORTUGUESE)
                || ends(&["ou", "aram", "eram", "iram", "ará", "erá", "irá", "arão", "erão", "irão", "ava", "avam"], &[], 4)
        }
        Language::Italian => {
            is_known(ITALIAN)
                || ends(&["arono", "erono", "irono", "erà", "irà", "eranno", "iranno", "ava", "eva", "avano", "evano"], &[], 5)
        }
        Language::Dutch => {
            is_known(DUTCH)
                || small().any(|word| {
                    word.chars().count() >= 4
                        && ["t", "de", "den", "te", "ten"].iter().any(|end| word.ends_with(end))
                        && !word.starts_with("ge")
                        && !DUTCH_NO_VERBS.split(' ').any(|other| other == word)
                })
        }
        Language::Swahili => words.iter().any(|word| is_swahili_verb(&word.to_lowercase())),
        // The verb stands last.
        Language::Hindi => ends_in(sentence, &HINDI_ENDS),
        Language::Japanese => ends_in(sentence, &JAPANESE_ENDS),
        Language::Amharic => ends_in(sentence, &AMHARIC_ENDS),
        Language::Chinese => sentence.chars().any(|c| CHINESE.contains(c)),
        // A sentence of nouns alone is whole in Arabic.
        Language::Arabic => true,
    }
}

fn ends_in(sentence: &str, ends: &[&str]) -> bool {
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_mark(c));
    ends.iter().any(|end| bare.ends_with(end))
}

/// Vowel signs of Devanagari.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0900..=0x0903 | 0x093a..=0x094f)
}

/// A subject, a tense, and what is done.
fn is_swahili_verb(word: &str) -> bool {
    const SUBJECTS: [&str; 15] = ["a", "wa", "i", "li", "ya", "ki", "vi", "u", "zi", "tu", "ni", "m", "ku", "pa", "hai"];
    const TENSES: [&str; 8] = ["na", "li", "ta", "me", "ka", "nge", "lio", "naye"];
    const ALONE: [&str; 6] = ["ni", "si", "ndiyo", "kuna", "yuko", "wako"];
    let follows = |subject: &&str| {
        let rest = word.strip_prefix(*subject);
        rest.is_some_and(|rest| TENSES.iter().any(|tense| rest.strip_prefix(tense).is_some_and(|what| what.chars().count() >= 2)))
    };
    ALONE.contains(&word) || SUBJECTS.iter().any(follows)
}

const ENGLISH: &str = "is are was were be been has have had will would can could may might must should shall do does did isn't i'm says said say tells told goes went gone \
    gets got makes made make takes took take comes came come gives gave give finds found find shows show keeps kept keep lets let begins began begin seems seem leaves left leave \
    puts put holds held hold brings brought bring writes wrote runs ran stands stood hears heard means meant sets set meets met pays paid sits sat speaks spoke leads led lies lay \
    reads read grows grew grow loses lost lose falls fell fall sends sent send builds built build understands understood draws drew breaks broke break spends spent cuts cut \
    rises rose rise drives drove buys bought buy wears wore chooses chose seeks sought seek throws threw catches caught deals dealt wins won win fights fought fight teaches taught \
    eats ate sings sang strikes struck hits hit sells sold sell sleeps slept feels felt knows knew know thinks thought think beats beat bears bore becomes became become flies flew \
    hides hid shakes shook shoots shot steals stole swims swam wakes woke needs need wants want helps help starts start plays play moves move lives live believes happens provides \
    includes continues changes follows stops creates opens open walks offers remembers loves considers appears waits serves dies expects stays reaches remains suggests raises passes \
    requires reports report decides pulls calls call asks ask works work tries try uses use turns turn looks look faces face plans plan seeks bans ban backs back warns warn urges urge \
    launches launch announces rejects approves signs votes vote hopes hope fears fear claims claim joins join returns return ends end lifts adds boosts cuts drops drop hails blames \
    orders order accuses denies reveals reveal unveils confirms investigates sues fines charges arrests kills kill targets aims aim heads hosts welcomes agrees agree refuses halts \
    celebrates honours honors marks explores learns learn teaches saves save protects protect threatens threaten costs cost sparks fuels drives puts hopes promises promise proposes \
    considers examines studies discovers detects tracks measures predicts fails fail succeeds struggles struggle spreads spread hurts eases matters matter depends explains \
    describes grapples gather gathers takes embraces upends strengthens captivates reviews denounces kicks dies swaps sees saw see got \
    print prints run runs go make become hold bring write stand hear sit speak grow rise drive wear choose throw catch teach eat sing strike sleep feel beat fly hide shoot steal swim wake \
    like likes provide include continue follow allow allows add boost offer remember believe happen appear wait serve die expect stay reach remain suggest raise pass require decide \
    carry carries watch watches cross crosses connect connects link links ride rides lend bake bakes grow teach swap repair repairs produce produces release releases become breed hatch";
const ENGLISH_NO_VERBS: [&str; 7] = ["hundred", "shed", "sled", "sacred", "kindred", "hatred", "naked"];
const SPANISH: &str = "es son era eran fue fueron será serán sería ha han había habían hay hubo está están estaba tiene tienen tenía tuvo puede pueden podrá podría debe deben hace hacen hizo va van \
    dice dicen dijo da dan dio ve ven vio viene vienen vino sabe quiere quieren sigue siguen llega llegan sale salen pasa pasan queda quedan deja dejan pide piden abre abren cierra cierran \
    gana ganan pierde pierden sube suben baja bajan crece crecen cae caen busca buscan encuentra encuentran anuncia anuncian presenta presentan muere mueren nace nacen vive viven trabaja \
    trabajan lleva llevan pone ponen propone proponen exige exigen denuncia denuncian advierte advierten alerta alertan confirma confirman rechaza rechazan aprueba aprueban investiga detiene \
    detienen detenido acusa acusan logra logran evita evitan afecta afectan aumenta aumentan reduce reducen supera superan alcanza alcanzan ofrece ofrecen celebra celebran vuelve vuelven \
    regresa empieza empiezan comienza comienzan termina terminan recibe reciben recuerda defiende defienden mantiene mantienen estudia estudian revela revelan explica explican cree creen \
    siente necesita necesitan ayuda ayudan permite permiten cuesta cuestan existe existen aparece aparecen responde espera esperan pierde recupera recuperan obliga prohíbe cumple convierte \
    dispara disparan frustra frustran dimite revienta impartirá arde arden llena preocupa veta vetan escrutan ensayan expulsan";
const FRENCH: &str = "est sont a ont était étaient sera seront fut furent avait avaient aura auront peut peuvent doit doivent fait font va vont dit disent vient viennent veut veulent prend prennent \
    met mettent reste restent devient deviennent donne donnent trouve trouvent passe passent demande demandent annonce annoncent ouvre ouvrent ferme ferment perd perdent gagne gagnent \
    tue meurt naît vit vivent travaille lance lancent dénonce dénoncent appelle appellent accuse refuse refusent accepte rejette vote adopte approuve révèle confirme menace inquiète \
    augmente baisse monte tombe grimpe recule progresse continue commence termine finit arrive arrivent part partent revient reviennent suit tient tiennent sort sortent cherche cherchent \
    veille offre permet permettent aide célèbre fête marque rend rendent découvre découvrent montre montrent estime explique espère attend attendent pourrait devrait faut existe envisage \
    prévoit prévoient propose proposent soutient défend condamne remporte reçoit détruit frappe touche aura n'est c'est s'est";
const GERMAN: &str = "ist sind war waren wird werden wurde wurden hat haben hatte hatten kann können konnte soll sollen sollte muss müssen musste will wollen wollte darf dürfen mag geht gehen ging \
    kommt kommen kam gibt geben gab steht stehen stand liegt liegen lag bleibt bleiben blieb sieht sehen sah findet finden fand lässt lassen ließ nimmt nehmen nahm hält halten hielt \
    sagt sagen spricht sprechen trifft treffen traf zeigt zeigen führt führen bringt bringen beginnt beginnen begann verliert verlor gewinnt gewann steigt steigen stieg fällt fallen fiel \
    baut bauen plant planen fordert fordern warnt warnen droht sucht suchen wächst wachsen sinkt sinken startet starten stirbt starb tötet fährt fahren zieht ziehen zog heißt schließt öffnet \
    macht machen tut läuft laufen lief schreibt schrieb trägt tragen schlägt schlagen hilft helfen half wählt wählen prüft prüfen lehnt stellt stellen setzt setzen kostet kosten lebt leben";
const GERMAN_NO_VERBS: &str = "nicht seit fast statt erst laut jetzt selbst dort samt zuletzt alt bekannt insgesamt weit acht sonst meist rechte zweite dritte vierte letzte letzten erste ersten zweiten dritten \
    bunte bunten guten gute weite weiten alte alten beste besten größte größten heute mitte bitte rote roten breite echte echten leichte leichten schlechte tote toten direkt perfekt recht nächste \
    nächsten meisten sogenannten unbekannte unbekannten bekannte bekannten hunderte tausende bereit spät dicht oft rund";
const PORTUGUESE: &str = "é são era eram foi foram será serão seria há houve está estão estava tem têm tinha teve pode podem poderá deve devem faz fazem fez vai vão diz dizem disse dá dão deu vê veem viu vem vêm veio \
    sabe quer querem segue seguem chega chegam sai saem passa passam fica ficam deixa deixam pede pedem abre abrem fecha ganha ganham perde perdem sobe sobem cai caem cresce crescem busca \
    anuncia apresenta morre morrem nasce vive vivem trabalha leva levam põe propõe exige denuncia alerta confirma rejeita aprova investiga prende acusa evita afeta aumenta reduz supera \
    oferece celebra volta voltam começa começam termina recebe lembra defende mantém estuda revela explica acredita precisa ajuda permite custa existe aparece responde espera";
const ITALIAN: &str = "è sono era erano fu furono sarà saranno sarebbe ha hanno aveva avevano avrà c'è può possono potrà deve devono fa fanno fece va vanno dice dicono disse dà danno vede vedono viene vengono venne \
    sa vuole vogliono segue arriva arrivano esce escono passa resta restano lascia chiede chiedono apre aprono chiude vince vincono perde sale scende cade cresce crescono cerca trova annuncia \
    presenta muore nasce vive vivono lavora porta portano mette propone denuncia avverte conferma respinge approva indaga arresta accusa evita colpisce aumenta riduce supera offre celebra torna \
    tornano inizia comincia finisce riceve ricorda difende mantiene studia rivela spiega crede serve aiuta permette costa esiste appare risponde aspetta diventa diventano";
const DUTCH: &str = "is zijn was waren wordt worden werd werden heeft hebben had hadden kan kunnen kon zal zullen zou moet moeten moest wil willen wilde mag mogen gaat gaan ging komt komen kwam geeft geven gaf \
    staat staan stond ligt liggen blijft blijven bleef ziet zien zag vindt vinden vond laat laten liet neemt nemen nam houdt houden hield zegt zeggen zei maakt maken doet doen deed krijgt krijgen kreeg \
    brengt begint begon verliest verloor wint won stijgt steeg daalt valt viel bouwt plant waarschuwt dreigt zoekt groeit start sterft stierf rijdt trekt heet sluit opent loopt schrijft helpt kiest kost leeft";
const DUTCH_NO_VERBS: &str = "niet maar want met laatste eerste tweede derde vierde grootste beste kleinste hoogste goede oude rode beide mede einde aarde waarde vrede liefde stad kant licht nacht recht wet \
    zachte korte grote witte echte lichte slechte rechte gehele bekende volgende komende tijd rond naast sinds omdat zodat totdat tot uit acht direct minuut honderden duizenden landen steden meeste midden tussen";
const HINDI_ENDS: [&str; 30] = [
    "है",
    "हैं",
    "था",
    "थी",
    "थे",
    "थीं",
    "गया",
    "गई",
    "गयी",
    "गए",
    "किया",
    "की",
    "किए",
    "हुआ",
    "हुई",
    "हुए",
    "होगा",
    "होगी",
    "होंगे",
    "रहा",
    "रही",
    "रहे",
    "दिया",
    "दी",
    "लिया",
    "ली",
    "कहा",
    "बताया",
    "खुला",
    "खुली",
];
const JAPANESE_ENDS: [&str; 24] = [
    "た", "だ", "る", "う", "く", "す", "つ", "ぬ", "ぶ", "む", "ぐ", "です", "ます", "い", "ん", "よ", "ね", "か", "へ", "に", "を", "と",
    "で", "も",
];
const AMHARIC_ENDS: [&str; 22] =
    ["ነው", "ናቸው", "ነበር", "ነበሩ", "አለ", "አሉ", "ተች", "ች", "ል", "ሉ", "ለች", "ዋል", "ዋለች", "ተ", "ቱ", "ፈተ", "ጀ", "ደረገ", "ገለጸ", "ገለፀ", "ሆነ", "ረ"];
const CHINESE: &str =
    "是有在将將了会會被把为為称稱说說发發开開宣表举舉推出获獲達达让讓使增减減升降进進到要想能可建成立死伤傷去来來向过過没沒不";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_no_verb_and_a_sentence_has() {
        for (language, label, sentence) in [
            (
                Language::English,
                "Marmalade Lane: the car-free, triple-glazed, 42-house oasis.",
                "Britain passes one week without coal power.",
            ),
            (Language::English, "Record rain in Lisbon after forty dry days.", "The city of Lisbon opened forty schools."),
            (Language::Spanish, "Cortes de pelo cómodos para el verano.", "Los precios del alquiler se disparan en Madrid."),
            (Language::French, "Le pont de Corvo, un chantier sans fin.", "Le pont de Corvo a coûté quarante millions."),
            (Language::German, "Die neue Brücke von Corvo bei Sonnenaufgang.", "Hamburg baut rund vierzig Kilometer neue Radwege."),
            (Language::Portuguese, "A ponte de Corvo ao amanhecer, em maio.", "A ponte de Corvo custou quarenta milhões."),
            (Language::Italian, "Il ponte di Corvo, una storia senza fine.", "Il ponte di Corvo è costato quaranta milioni."),
            (Language::Dutch, "De nieuwe brug van Corvo in de ochtend.", "Utrecht opent veertig kilometer nieuwe fietspaden."),
            (Language::Swahili, "Daraja jipya la Corvo alfajiri.", "Jiji la Nairobi litafungua njia za baiskeli."),
            (Language::Amharic, "አዲሱ የኮርቮ ድልድይ በማለዳ።", "አዲሱ ድልድይ በኮርቮ ተከፈተ።"),
            (Language::Hindi, "भोर में कोर्वो का नया पुल।", "कोर्वो का नया पुल खुल गया है।"),
            (Language::Japanese, "夜明けのコルボの新しい橋。", "コルボの新しい橋が開通した。"),
            (Language::Chinese, "清晨的科尔沃新桥。", "科尔沃新桥将于五月通车。"),
        ] {
            assert!(!has_verb(label, language), "{label}");
            assert!(has_verb(sentence, language), "{sentence}");
        }
    }

    #[test]
    fn what_ends_like_a_colour_is_a_verb_all_the_same() {
        for sentence in
            ["Volunteers in Lindmoor repaired radios and toasters.", "A shoemaker prints soles.", "Crowds gathered, cheered and stared."]
        {
            assert!(has_verb(sentence, Language::English), "{sentence}");
        }
        for label in ["Red sheds in a sacred grove", "A hundred naked trees", "High-speed trains, old and new"] {
            assert!(!has_verb(label, Language::English), "{label}");
        }
    }
}
