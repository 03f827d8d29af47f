//! Questions about being a machine, in thirteen languages. Words are written as `folded` leaves them: no capitals, no accents.

use regex::RegexSet;
use std::sync::LazyLock;

/// `comment` is folded.
pub(super) fn ask_if_machine(comment: &str) -> bool {
    // Kana and Chinese characters: these languages need no word for "you", so that their patterns mean nothing elsewhere.
    let is_eastern = comment.contains(|c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'));
    QUESTIONS.is_match(comment) || is_eastern && EASTERN_QUESTIONS.is_match(comment)
}

/// What people say in a language that is written in Latin letters, each as the alternatives of a pattern.
struct Words {
    /// "are you", "you must be".
    you: &'static str,
    /// "this account is".
    this: &'static str,
    machine: &'static str,
    human: &'static str,
    /// "talking", "written", "behind".
    talking: &'static str,
    or: &'static str,
    /// What a question may end with: "right?"
    tag: &'static str,
}

/// Somebody, beyond doubt: in any of the languages, since their words do not collide.
const SOMEBODY: &str = r"alguien real|alguem de verdade|qualcuno di vero|quelqu'un de reel|human[oa]?|humaine?|uman[oa]|mensch(?:en)?|mens|binadamu|ser humano|etre humain|essere umano|pessoa real|pessoa de verdade|persona real|persona de verdad|persona reale|persona vera|vera persona|vraie personne|echte[rn]? (?:person|mensch(?:en)?|mens|persoon)|mtu halisi|mtu wa kweli|ser humano";
/// Anybody.
const ANYBODY: &str = r"alguien|alguem|quelqu'un|jemand|qualcuno|iemand|persona|pessoa|personne|person|persoon|mtu";
/// "is there".
const IS_THERE: &str = r"hay|tem|existe|y a[- ]t[- ]il|il y a|gibt es|c'e|is er|zit er|sitzt|steckt|kuna|ha";
/// "behind it", "for real".
const BEHIND: &str = r"detras|atras|por tras|derriere|dahinter|hinter|dietro|achter|nyuma|leyendo|lendo|real|de verdad|de verdade|de vrai|di vero|echtes|halisi";
/// Words in between.
const GAP: &str = r"(?:[a-z0-9'-]+,? ){0,4}?";
const FEW: &str = r"(?:[a-z0-9'-]+ ){0,2}?";
const EDGE: &str = r"(?-u:\b)";
const SAME_CLAUSE: &str = r#"[a-z0-9 ,;:'"()-]"#;

const LATIN: [Words; 8] = [
    // English
    Words {
        you: r"you'?re|you are|you r|u r|ur|you must be|you might be|you may be|you could be|you sound like|you'?re not|you ain'?t|i think your|i guess your|are you|r u|are u|r you|aren'?t you",
        this: r"is this|this is|is it|is htis|is anybody|is anyone|is somebody",
        machine: r"chat ?bot|bot|robot|robo|ai|artificial intelligence|machine|computer(?: program)?|program|algorithm|chatgpt|gpt|automated|android|virtual assistant|artificial|digital|code|software|virtual|app|synthesized|programmed|skynet",
        human: r"human(?: being)?|humanbeing|real person|real human|actual person|living person|real|person|fake|alive",
        talking: r"talking|speaking|chatting|texting|running|behind|written|generated|replying|answering",
        or: r"or",
        tag: r"right|huh|no|yes|or|aren'?t you|are you|then|xd|lol|too|because|really",
    },
    // Spanish
    Words {
        you: r"eres|ere|seas|sos|seras|serias|es usted|es ud|usted es|usted sea|son ustedes|sois|debes de ser|debes ser|tienes que ser|puedes ser|podrias ser|te consideras|pareces",
        this: r"esto es|esta cuenta es|este perfil es|es esto|es esta cuenta|es esta|es este|esto lo (?:escribe|hace)|esto esta",
        machine: r"chat ?bot|bot|robot|ia|inteligencia artificial|maquina|ordenador|computadora|programa(?: informatico| de ordenador)?|algoritmo|chatgpt|gpt|sistema automatico|automatizad[oa]|androide|asistente virtual|artificial|digital|(?:ser|ente|producto) (?:digital|tecnologico|artificial|virtual)|codigo|software|virtual|app",
        human: r"human[oa]|ser humano|persona real|persona de verdad|persona humana|persona de carne y hueso|real|de verdad|de carne y hueso|alguien real|alguien de verdad|persona|fals[oa]|viv[oa]",
        talking: r"hablo|hablando|habla|chateo|chateando|escribo|escribiendo|escribe|conversando|contestando|contesta|respondiendo|responde|detras|genera|generad[oa]s?|escrit[oa]s?|leyendo|gestiona|lleva|maneja",
        or: r"o|u",
        tag: r"verdad|no|cierto|q|que|a que si|eh|en serio|de verdad",
    },
    // French
    Words {
        you: r"es[- ]tu|t'es|tu es|t es|tes|tu serais|etes[- ]vous|vous etes|vous seriez|serais[- ]tu|tu n'es|tu existes pas|tu sois|t pas|t'etes|tu dois etre|vous devez etre|tu te consideres|tu sembles",
        this: r"c'est|ce compte est|est[- ]ce|cette page est",
        machine: r"chat ?bot|bot|robot|ia|intelligence artificielle|machine|ordinateur|programme(?: informatique)?|algorithme|chatgpt|gpt|automatisee?|androide|assistant virtuel|logiciel|artificiel(?:le)?|digital|numerique|code|virtuel(?:le)?|appli",
        human: r"humaine?|etre humain|vraie personne|personne reelle|personne humaine|vrai humain|reel(?:le)?|en chair et en os|personne|vrai|vraie|vivante?|quelqu'un de reel|fausse?|faux",
        talking: r"parle|jparle|parles|parler|discute|discuter|ecris|ecrit|chatte|cause|repond|reponds|derriere|gere|tient|genere|redige",
        or: r"ou",
        tag: r"hein|non|pas vrai|n'est[- ]ce pas|quoi|en fait|en vrai|vraiment",
    },
    // German
    Words {
        you: r"bist (?:du|de|d)|biste|bisch|bistu|sind sie|seid ihr|du bist|sie sind|du musst|sie mussen|du konntest|wirkst du|haltst du dich fur|weil du",
        this: r"ist das(?: hier)?|ist dieser account|ist dieses konto|ist der account|das ist|ist hier|sind eure (?:beitrage|posts)|ist das alles",
        machine: r"chat ?-?bot|bot|robot(?:er)?|ki(?:-generiert)?|kunstliche intelligenz|maschine|computer(?:programm)?|programm|algorithmus|chatgpt|gpt|automatisiert|automatisch|androide?|ai|kunstlich|digital|code|software|app|virtuell",
        human: r"mensch|menschlich|menschen|echte[rsn]? (?:person|mensch(?:en)?)|reale? person|richtige[rn]? mensch(?:en)?|person|echt|real|aus fleisch und blut|jemand echtes|lebendig|am leben",
        talking: r"rede|spreche|schreibe?|schreibt|chatte|unterhalte|reden|sprechen|antwortet|steckt|hinter|dahinter|betrieben|geschrieben|generiert|sitzt|zu tun",
        or: r"oder",
        tag: r"oder|ne|nicht|nicht wahr|gell|sein|bist|sind|was|wirklich|eigentlich",
    },
    // Portuguese
    Words {
        you: r"(?:voce|vc|ce|tu|o senhor|a senhora) (?:e|eh|es|seria|ta|esta|deve ser|so e|nao e|realmente e)|e (?:voce|vc)|es tu|voces sao|vcs sao|tu es|sera que (?:voce|vc) e|voce parece|deves ser|se considera",
        this: r"isso e|isto e|essa conta e|esse perfil e|e isso|esta conta e|aqui e|isso aqui e",
        machine: r"chat ?bot|bot|robo|robot|ia|inteligencia artificial|maquina|computador|programa(?: de computador)?|algoritmo|chatgpt|gpt|automatic[oa]|automatizad[oa]|androide|assistente virtual|artificial|digital|(?:ser|ente) (?:digital|eletronico|artificial|virtual)|codigo|software|virtual|app",
        human: r"human[oa]|ser humano|pessoa real|pessoa de verdade|pessoa humana|pessoa mesmo|gente de verdade|gente|real|de verdade|de carne e osso|alguem de verdade|alguem real|pessoa|viv[oa]|fals[oa]",
        talking: r"falando|falo|fala|conversando|converso|escrevendo|escreve|escrit[oa]s?|responde|respondendo|por tras|atras|teclando|gerad[oa]s?|gera|administra",
        or: r"ou",
        tag: r"ne|nao e|certo|nao|hein|mesmo|de verdade",
    },
    // Italian
    Words {
        you: r"sei|siete|lei e|e lei|tu sia|tu non sia|saresti|sareti|sarai|devi essere|deve essere|debba essere|potresti essere|non sei|sembri|ti consideri|tu debba essere",
        this: r"questo e|e questo|questo account e|questo profilo e|questa e|questa pagina e",
        machine: r"chat ?bot|bot|robot|ia|ai|intelligenza artificiale|macchina|computer|programma|algoritmo|chatgpt|gpt|automatic[oa]|automatizzat[oa]|androide|assistente virtuale|artificiale|digitale|codice|software|virtuale|app",
        human: r"uman[oa]|essere umano|persona reale|persona vera|vera persona|persona umana|reale|in carne e ossa|persona|ver[oa]|viv[oa]|fals[oa]|forma umana|qualcuno di vero",
        talking: r"parlo|parlando|parla|scrivo|scrivendo|scrive|scritt[oa]|chattando|chatto|conversando|risponde|rispondendo|dietro|gestisce|gestit[oa]|generat[oi]|genera",
        or: r"o|oppure",
        tag: r"vero|certo|no|eh|giusto|davvero|o no",
    },
    // Dutch
    Words {
        you: r"ben (?:je|jij|u|ge|jy)|bent u|bent jij|zijn jullie|jij bent|je bent|u bent|je moet|jij moet|bn je|benje|dat je|klinkt als|heb ik",
        this: r"is dit|dit is|is dit account|is deze account|is dat|wordt dit",
        machine: r"chat ?bot|bot|robot|ai|kunstmatige intelligentie|machine|computer(?:programma)?|programma|algoritme|chatgpt|gpt|automatisch|geautomatiseerd|androide?|kunstmatig|digitaal|code|software|app|virtueel",
        human: r"mens|menselijk|mensen|echte? mens|echt persoon|echte persoon|persoon|echt|echte|van vlees en bloed|echt iemand|levend|nep",
        talking: r"praat|praten|spreek|chat|chatten|schrijf|schrijft|typ|antwoordt|antwoord|achter|runt|geschreven|gegenereerd|gerund|zit|te maken",
        or: r"of|ofzo",
        tag: r"ben|bent|toch|he|hoor|niet|of niet|of wat|of zo|zijn|eigenlijk|nou",
    },
    // Swahili
    Words {
        you: r"wewe ni|je wewe|wewe|ww ni|ww|uni|umekuwa|mnaonekana|wewe si|nyie ni|ninyi ni|unakuwa|uko",
        this: r"hii ni|akaunti hii ni|hii akaunti ni|huyu ni|hapa ni|huyo ni",
        machine: r"chat ?bot|bot|boti|roboti|robot|ai|akili (?:bandia|unde|mnemba|ya bandia)|mashine|kompyuta|programu|chatgpt|gpt|programu ya kompyuta|app",
        human: r"binadamu|mtu halisi|mtu wa kweli|mtu kweli|mtu|halisi|wa kweli|hai|mwanadamu",
        talking: r"naongea|ninaongea|nazungumza|ninazungumza|nachati|ninachati|anajibu|anaandika|nyuma|anaendesha|kuongea|kuzungumza|inaandikwa|inaendeshwa|limeandikwa|imeandikwa|yameandikwa|unaongea",
        or: r"au|ama",
        tag: r"kweli|si ndio|sivyo|ama|eti|au vipi",
    },
];

impl Words {
    fn patterns(&self) -> [String; 7] {
        let Self { you, this, machine, human, talking, or, tag } = self;
        let either = format!("{EDGE}(?:{machine}|{human})");
        let clear = format!("{EDGE}(?:{machine}|{SOMEBODY})");
        let end = format!(r"(?:\W*$|\W*[?.;:)]|, |\W+(?:{or}|{tag}){EDGE})");
        [
            format!("{EDGE}(?:{you}){EDGE},? ?{GAP}{either}{end}"),
            format!("{EDGE}(?:{this}){EDGE},? ?{GAP}{clear}{end}"),
            format!("{EDGE}(?:{talking}){EDGE} {FEW}(?:con|com|avec|mit|met|a|na) {GAP}{either}{end}"),
            format!("{EDGE}(?:{IS_THERE}) {GAP}{EDGE}(?:{SOMEBODY}|{ANYBODY}){EDGE} {FEW}(?:{BEHIND})"),
            format!(r"{either},? (?:{or}) {GAP}{either}\W*(?:$|[?])"),
            format!(r"{EDGE}(?:{talking}){EDGE}{SAME_CLAUSE}{{0,30}}?{clear}{EDGE}{SAME_CLAUSE}{{0,40}}(?:\?|$)"),
            format!(r"{clear}{EDGE}{SAME_CLAUSE}{{0,30}}?{EDGE}(?:{talking}){EDGE}{SAME_CLAUSE}{{0,40}}(?:\?|$)"),
        ]
    }
}

/// Languages that form the question in other ways, and the verb at the end of German clauses. `{M}` is a machine, `{H}` a human.
struct Script {
    machine: &'static str,
    human: &'static str,
    patterns: &'static [&'static str],
}

const SCRIPTS: [Script; 5] = [
    // German
    Script {
        machine: r"chat ?-?bot|bot|robot(?:er)?|ki(?:-generiert)?|kunstliche intelligenz|maschine|computer(?:programm)?|programm|algorithmus|chatgpt|gpt|automatisiert|automatisch|androide?|ai|kunstlich|digital|code|software|app|virtuell",
        human: r"mensch|menschlich|menschen|echte[rsn]? (?:person|mensch(?:en)?)|reale? person|richtige[rn]? mensch(?:en)?|person|echt|real|aus fleisch und blut|jemand echtes|lebendig|am leben",
        patterns: &[r"(?-u:\b)(?:du|sie)(?-u:\b) (?:[a-z0-9'-]+,? ){0,4}?(?:{M}|{H}) (?:bist|sind|sein)(?-u:\b)"],
    },
    // Any
    Script {
        machine: r"-",
        human: r"-",
        patterns: &[r"(?:^|[.,!;] ?)(?:un |ein |een |uma? )?(?:chat ?bot|bot|robot|ai|ia|ki|chatgpt)\s*[?？]+\s*$"],
    },
    // Amharic
    Script {
        machine: r"-",
        human: r"-",
        patterns: &[
            r"(?:ሮቦቶች|ቦቶች|ማሽኖች).{0,6}ናችሁ",
            r"ሰው.{0,4}(?:መሆንህን|መሆንሽን|መሆናችሁን)",
            r"(?:ቦት|ሮቦት|ማሽን|ኤ ?አይ|(?-u:\b)ai(?-u:\b)|bot|ሰው ሰራሽ|አርቲፊሻል|ኮምፒ[ዩው]ተር|ፕሮግራም|chatgpt|ቻትቦት|ሶፍትዌር).{0,14}(?:ነህ|ነሽ|ነዎት|ናችሁ|ነው|ነዎ|ነክ|አይደለህም|አይደለሽም)(?:.{0,25}(?:ወይ|ወይስ|እንዴ|አይደል|[?？፧])|\W*$)",
            r"(?:እውነተኛ |የእውነት )?ሰው.{0,8}(?:ነህ|ነሽ|ነዎት|ናችሁ|ነው|ነክ|አይደለህም).{0,25}(?:ወይ|ወይስ|እንዴ|[?？፧])",
            r"(?:ከ|ለ)(?:ማሽን|ሮቦት|ቦት|ሰው|ai|ኮምፒውተር|እውነተኛ ሰው).{0,12}(?:ጋር)?.{0,16}(?:ማወራ|ማውራ|ምነጋገር|እያወራ|እያነጋገር)",
            r"(?:ሰው|ቦት|ሮቦት|ማሽን|(?-u:\b)ai(?-u:\b)).{0,4}(?:ነህ|ነሽ|ነው)? ?ወይስ.{0,12}(?:ሰው|ቦት|ሮቦት|ማሽን|ai|ኤአይ)",
            r"(?:ከጀርባ|ጀርባ|ከኋላ).{0,20}ሰው.{0,15}(?:አለ|[?፧])",
            r"በ(?:ai|ኤ ?አይ|ማሽን|ሮቦት|ቦት).{0,12}(?:ተጻፈ|የተጻፈ|የሚጻፍ)",
        ],
    },
    // Arabic
    Script {
        machine: r"(?:بوت|روبوت|ربوت|روبت|اله|ذكاء (?:اصطناعي|صناعي)|الذكاء الاصطناعي|برنامج|كمبيوتر|ماكينه|شات ?بوت|شات جي بي تي|حاسوب|(?-u:\b)ai(?-u:\b)|(?-u:\b)bot(?-u:\b)|الي|رقمي)",
        human: r"(?:انسان|بشر|بشري|بني ?ادم|شخص حقيقي|شخص حقيقى|حقيقي|ادمي|انسانه|حقيقيه|شخص)",
        patterns: &[
            r"(?:الرد|الردود|الكلام|المنشور|الحساب).{0,10}(?:{M}|الي)",
            r"(?:انت|انتي|انتم|حضرتك|انتا|انته|هذا|هاد|الحساب|دا|ده|انك|كنت|تكون)\s.{0,15}?{M}(?:\W|$)",
            r"(?:انت|انتي|انتم|حضرتك|انتا|انته|انك|كنت|تكون)\s.{0,10}?{H}(?:\W+(?:ام|او|ولا|فعلا|حقا|[؟?])|\W*$|.{0,15}[؟?])",
            r"{H}.{0,8}\b(?:ام|او|ولا|والا|لو)\b.{0,10}{M}",
            r"{M}.{0,8}\b(?:ام|او|ولا|والا|لو)\b.{0,10}{H}",
            r"(?:اتكلم|اتحدث|احكي|بتكلم|بحكي|اكلم|بكلم|اخاطب|اراسل|يرد|بيرد|يكتب|وراء|ورا|خلف|اتحاور|نتكلم|يدير|كتبه|كتب)\s?.{0,20}(?:{M}|انسان|بشر|شخص حقيقي|حد حقيقي|احد حقيقي)",
        ],
    },
    // Hindi
    Script {
        machine: r"(?:बॉट|बोट|रोबोट|रोबॉट|मशीन|एआई|ए\.?आई|(?-u:\b)ai(?-u:\b)|कंप्यूटर|कम्प्यूटर|प्रोग्राम|(?-u:\b)bot(?-u:\b)|चैटबॉट|चैटजीपीटी|भाषा मॉडल|ऑटो रिप्लाई|कृत्रिम|आर्टिफिशियल)",
        human: r"(?:इंसान|इन्सान|मनुष्य|आदमी|असली|व्यक्ति|मानव|रियल)",
        patterns: &[
            r"(?:{M}|{H}) या (?:{M}|{H}|(?-u:\b)ai(?-u:\b))",
            r"कौन .{0,20}(?:{H}|{M})",
            r"(?:{M}|{H}|कर्मचारी).{0,25} या .{0,25}(?:{M}|{H})",
            r"(?:आप|तुम|तू|यह|ये|क्या|कहीं).{0,25}?{M}.{0,14}(?:हो|हैं|है|\bho\b|\bhai\b|[?？]|क्या|लिख|चला)",
            r"(?:आप|तुम|तू).{0,20}?{H}.{0,14}(?:हो|हैं|है).{0,15}(?:[?？]|या|ना|क्या|$)|क्या .{0,25}{H}.{0,12}(?:हो|हैं|है|भी)",
            r"(?:{M}|{H}).{0,12}से.{0,12}(?:बात|बोल|चैट)",
            r"(?:{M}|{H}).{0,10}\bया\b.{0,14}(?:{M}|{H})",
            r"\b(?:kya )?(?:aap|tum|tu|yeh?|ye)\b.{0,18}?\b(?:bot|robot|ai|machine|insaan|insan|asli|real|human|computer|aadmi|banda)\b.{0,14}\b(?:ho|hain?|hai|hei|h)\b",
            r"\b(?:bot|robot|ai|machine|insaan|insan|aadmi|banda)\b.{0,24}\bya\b.{0,12}\b(?:bot|robot|ai|machine|insaan|insan|aadmi|human)\b",
            r"\b(?:inta|nta|enta|enti|inti|nti|wach|rak)\b.{0,12}\b(?:bot|robot|robo|ai|insan|bashar|real)\b",
            r"\b(?:ante|anchi|anta)\b.{0,12}\b(?:bot|robot|ai|sew|machine)\b.{0,12}\b(?:neh|nesh|new)\b",
            r"(?:पीछे|पिछे).{0,15}(?:{H}|कोई)",
        ],
    },
];

const EASTERN: [Script; 2] = [
    // Japanese
    Script {
        machine: r"(?:ボット|ぼっと|ロボット|(?-u:\b)(?:ai|bot|gpt|chatgpt)(?-u:\b)|人工知能|機械|マシン|プログラム|コンピュータ|デジタル|人工物?|フェイク|アルゴリズム|コード|自動返信)",
        human: r"(?:人間|実際の人|にんげん|本物の?人|生身|中の人|リアル|実在|本物)",
        patterns: &[
            r"(?:{M}|{H})(?:[のなかでだはじとっ人て方]{0,4}|.{0,3}(?:か|と|それとも).{0,8})(?:ですか|でしょうか|なの|でしょ|だよね|だろ|ですよね|か(?:な)?[?？]|かい|なん|じゃない|ではな|のか|[?？]|それとも|と思|だと|に違いない|みたい|のよう)",
            r"(?:あなた|君|きみ|お前|おまえ|このアカウント|あんた|キミ|貴方)(?:って|は|も|が)?(?:本当に|ほんとに|実は|ただの|もしかして|本当は|実際|、|ほんとは|やっぱり){0,2}(?:{M}|{H})(?:で|だ|な|じゃ|と|か|っ|み|の?人|[?？]|$)",
            r"(?:{M}|人間|人|本物の人).{0,2}(?:と|に|が).{0,4}(?:話|喋|しゃべ|会話|やりとり|書|返信|返事|答え)",
            r"(?:人|{M}|{H})(?:か|と|、|それとも|または){1,2}(?:人|{M}|{H}).{0,6}(?:か|どっち|どちら|教えて|[?？])",
            r"(?:{M}).{0,2}(?:で|に)書",
        ],
    },
    // Chinese
    Script {
        machine: r"(?:(?:聊天)?机器人|機器人|(?-u:\b)(?:ai|bot|gpt|chatgpt)(?-u:\b)|人工智能|人工智慧|程序|程式|机器|機器|电脑|電腦|自动回复|算法|数字人|数字的|虚拟的?|代码|人工的|假的|软件)",
        human: r"(?:真人|活人|人类|人類|真的人|真实的人|大活人|真正的人|真实的?|真的|一个人|個人|活的)",
        patterns: &[
            r"(?:(?:你|您|妳|这|這|账号|帐号|对面|号)[^，。的]{0,4}?是|是不是|到底是)(?:不是|否|个|一个|個|一個|真的|真正的|真|只|只是|台|一台|一种|一套|什么){0,3}(?:{M}|{H})(?:.{0,8}(?:吗|嗎|么|嘛|吧|还是|還是|[?？]|呢|对|是不是)|\W*$)",
            r"(?:内容|帖子|文章|推文|这).{0,6}(?:是|由).{0,3}(?:{M}).{0,6}(?:写|生成|发|做|的吗)",
            r"(?:{M}|{H}|人).{0,3}(?:还是|還是).{0,8}(?:{M}|{H}|人)",
            r"(?:跟|和|与|與|同|对面|背后|背後|后面).{0,12}?(?:{M}|{H}|人).{0,6}(?:说话|說話|聊|对话|對話|讲|交谈|沟通|运营|回复|在吗)",
            r"(?:我(?:觉得|猜|认为|想|怀疑)).{0,4}你(?:就|应该|可能|一定|肯定|不|其实|真的){0,2}是.{0,4}(?:{M}|{H}|人\W*$)",
        ],
    },
];

static QUESTIONS: LazyLock<RegexSet> = LazyLock::new(|| {
    let latin = LATIN.iter().flat_map(Words::patterns);
    RegexSet::new(latin.chain(SCRIPTS.iter().flat_map(Script::patterns))).expect("fixed patterns, compiled by tests")
});
static EASTERN_QUESTIONS: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(EASTERN.iter().flat_map(Script::patterns)).expect("fixed patterns, compiled by tests"));

impl Script {
    fn patterns(&self) -> impl Iterator<Item = String> {
        self.patterns.iter().map(|pattern| pattern.replace("{M}", self.machine).replace("{H}", self.human))
    }
}
