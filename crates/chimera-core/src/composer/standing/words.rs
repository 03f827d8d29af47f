//! Words of thirteen languages that tell how a sentence hangs on others, each list parted by `|`, in small letters.

use crate::domain::Language;

/// What is known of one language. Where words are not parted by spaces, and in scripts without capitals, beginnings are compared letter by letter.
pub struct Words {
    /// How a sentence begins that leans on one before it.
    pub leaning: &'static str,
    /// A definite article or its like: whatever it points at may have been named before.
    pub pointing: &'static str,
    /// Other small words that begin a sentence, beside the pointing ones.
    pub articles: &'static str,
    /// How a later sentence begins that counts out of what was told before.
    pub counting: &'static str,
    /// A later sentence with one of these adds to what was told before.
    pub adding: &'static str,
    /// Words after a definite thing that tell which it is.
    pub telling: &'static str,
    /// Whoever wrote the source speaks of themselves.
    pub own: &'static str,
    /// The reader is spoken to.
    pub addressing: &'static str,
    /// Furniture of pages: never part of a post.
    pub furniture: &'static str,
}

pub fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Spanish => &SPANISH,
        Language::French => &FRENCH,
        Language::German => &GERMAN,
        Language::Portuguese => &PORTUGUESE,
        Language::Italian => &ITALIAN,
        Language::Dutch => &DUTCH,
        Language::Amharic => &AMHARIC,
        Language::Swahili => &SWAHILI,
        Language::Arabic => &ARABIC,
        Language::Hindi => &HINDI,
        Language::Japanese => &JAPANESE,
        Language::Chinese => &CHINESE,
    }
}

const ENGLISH: Words = Words {
    leaning: "he|she|it|they|them|this|that|these|those|but|and|or|so|however|also|meanwhile|then|yet|instead|moreover|furthermore|additionally|still|\
        his|her|hers|their|theirs|its|such|there|because|which|who|whose|whom|here|both|neither|either|others|other|another|thus|hence|therefore|\
        nevertheless|nonetheless|likewise|similarly|consequently|besides|otherwise|afterwards|afterward|later|earlier|previously|finally|lastly|secondly|\
        thirdly|firstly|next|again|too|plus|nor|not|even|only|now|sure|yes|no|well|ok|okay|maybe|perhaps|indeed|overall|unlike|like|that's|it's|he's|she's|\
        they're|they've|he'd|she'd|what|where|why|how|most of|many of|some of|all of|each of|none of|few of|several of|one of|two of|three of|half of|part of|\
        much of|of those|of these|of them|of course|as a result|as such|as for|as well as that|in addition|in fact|in other words|in contrast|by contrast|in this|in that|in these|\
        in those|at this|at that|for this|for that|for these|with this|with that|with these|from this|from that|after this|after that|to this|to that|to do so|on this|on that|under this|\
        by this|by doing|because of this|despite this|since then|until then|by then|back then|so far|for example|for instance|for one|for now|on the other hand|at the same time|that said|\
        the same|the other|the others|the latter|the former|the two|the three|the four|the pair|the duo|the following|the rest|the above|the next|the second|the move|\
        the decision|the news|the announcement|the findings|the results|the data|the study|the report|the company|the firm|the author|the authors|a further|an additional|a second|\
        a spokesperson said|a spokesman said|a spokeswoman said|according to the|according to him|according to her|according to them|among them|among those|among other|\
        more than half of|less than|in the case|in case|if so|if not|when asked|asked about|asked if|asked whether|speaking of|to that end|first of all|first up|all in all|in short|\
        in the end|at the end|in the meantime|at first|at last|as mentioned|as noted|as we|as i|as you|see also|related|the above|the below|the piece|the article|the post|the event|the incident|the app|the device",
    pointing: "the",
    articles: "a|an|in|on|at|for|after|as|when|with|by|from|our|it|this|these|there",
    counting: "one|two|three|some|most|many|several|few|among|all|each|every|half|none|about half|around|more than|nearly",
    adding: "also|too|likewise|further|latter|same|other|others|another|instead|therefore|however",
    telling: "of|in|for|at|on|between|that|who|which|with|from|near|behind|where|when|against|by|over",
    own: "i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|us|our|ours|ourselves",
    addressing: "you|your|you're|you'll|you've|yours|yourself|let's",
    furniture: "click here|click the|read more|read our|read the full|subscribe|sign up|newsletter|cookie|all rights reserved|continue reading|advertisement|photo:|image:|photo by|photo credit|image credit|\
        getty images|shutterstock|follow us|share this|terms of service|privacy policy|log in|copyright|minute read|min read|appeared first on|view comments|sponsored|javascript|your browser|\
        editor's note|editor’s note|this article|this story|this post|this page|this review|contributed to this|reporting by|written by|posted by|published on|originally published|updated on|\
        affiliate|promo code|coupon|discount code|watch the video|video below|see below|listed below|pictured above|screenshot|skip to|leave a comment|in the comments|download the app|\
        see also|scroll down|add to cart|free shipping|buy now|tickets are available|for more information|more information|visit our|our website|contact us|email us|follow him|follow her|© |check out",
};
const SPANISH: Words = Words {
    leaning: "a continuación|él|ella|ellos|ellas|ello|este|esta|estos|estas|esto|ese|esa|esos|esas|eso|aquel|aquella|aquellos|aquellas|pero|y|e|o|así|además|también|tampoco|sin embargo|\
        no obstante|asimismo|por su parte|por otro lado|por otra parte|por eso|por ello|por lo tanto|por tanto|por último|por ejemplo|en cambio|en este|en esta|en estos|en estas|en ese|en esa|\
        en concreto|en total|de hecho|de este|de esta|de esa|de ese|de ellos|de ellas|del mismo|su|sus|ambos|ambas|otro|otra|otros|otras|entonces|luego|después|mientras tanto|finalmente|allí|aquí|ahí|\
        según el|según la|según los|según explicó|según explica|según dijo|según él|según ella|lo|la misma|el mismo|los mismos|las mismas|se trata|al respecto|a su vez|a esto|a ello|\
        añadió|añade|agregó|agrega|dijo|dice|señaló|señala|explicó|explica|afirmó|afirma|aseguró|asegura|indicó|indica|destacó|destaca|comentó|comenta|apuntó|apunta|recordó|recuerda|\
        concluyó|concluye|insistió|es decir|o sea|sí|no|como|porque|pues|quien|quienes|que|cuyo|cuya|tras ello|tras esto|desde entonces|hasta entonces|una de las|uno de los|la mayoría|el resto|los dos|las dos|\
        la segunda|el segundo|la compañía|la empresa|el estudio|el informe|la decisión|la noticia|ahora|ya|incluso|solo|sólo|aun así|aunque|mientras que|todo ello|todo esto|para ello|para eso|con ello|con esto|eran|era|es|son|fue|está|están|tiene|tienen",
    pointing: "el|la|los|las",
    articles: "un|una|en|con|por|para|desde|según|este|esta|al|de|del",
    counting: "uno|una de|dos|tres|algunos|algunas|varios|varias|muchos|muchas|entre|todos|todas|la mitad",
    adding: "también|además|asimismo|tampoco|igualmente|otro|otra|otros|otras|mismo|misma|sin embargo|dicho|dicha",
    telling: "de|del|que|en|para|por|entre|con|donde|contra|sobre",
    own: "yo|mi|mis|me|nosotros|nosotras|nuestro|nuestra|nuestros|nuestras|nos",
    addressing: "tú|tu|tus|te|usted|ustedes|vosotros|vuestro",
    furniture: "haz clic|haga clic|leer más|lee más|lea también|lee también|sigue leyendo|seguir leyendo|suscríbete|suscríbase|suscribirse|boletín|newsletter|cookies|todos los derechos|publicidad|foto:|imagen:|fotografía:|\
        getty images|síguenos|comparte|términos y condiciones|política de privacidad|iniciar sesión|este artículo|esta noticia|este post|en este enlace|ver vídeo|ver video|más información en|te puede interesar|te puede gustar|\
        archivado en|publicado por|publicado en|escrito por|redacción|comentarios|compra ahora|código de descuento|para más información|©|whatsapp",
};
const FRENCH: Words = Words {
    leaning: "il|elle|ils|elles|ce|cet|cette|ces|cela|ça|c'est|ceci|celui-ci|celle-ci|ceux-ci|celles-ci|mais|et|ou|donc|or|ainsi|aussi|cependant|toutefois|pourtant|néanmoins|de plus|en outre|par ailleurs|\
        par exemple|en effet|en revanche|au contraire|alors|ensuite|puis|enfin|finalement|son|sa|ses|leur|leurs|y|en|dont|qui|que|là|ici|l'autre|les deux|un autre|une autre|d'autres|autre|\
        selon lui|selon elle|selon eux|selon l'|selon le|selon la|selon les|pour cela|pour lui|de son côté|de même|du coup|à ce|à cette|dans ce|dans cette|dans ces|à cet|sur ce|depuis|oui|non|parce que|car|\
        parmi eux|parmi elles|l'un des|l'une des|un des|une des|la plupart|le reste|tous|toutes|ces derniers|ce dernier|cette dernière|l'entreprise|la société|l'étude|le rapport|la décision|maintenant|désormais|même|d'après l|comme",
    pointing: "le|la|les|l'",
    articles: "un|une|des|dans|en|pour|par|avec|selon|depuis|ce|cette|à|au|du",
    counting: "deux|trois|certains|certaines|plusieurs|beaucoup|parmi|tous|toutes|la moitié",
    adding: "aussi|également|autre|autres|même|ailleurs|toutefois|cependant",
    telling: "de|du|des|que|qui|en|dans|pour|par|entre|avec|où|contre|sur",
    own: "je|j'|mon|ma|mes|moi|nous|notre|nos",
    addressing: "tu|ton|ta|tes|toi|vous|votre|vos",
    furniture: "cliquez|lire la suite|lire aussi|à lire aussi|abonnez-vous|s'abonner|inscrivez-vous|newsletter|cookies|tous droits réservés|publicité|photo :|crédit photo|image :|getty images|suivez-nous|partager|\
        conditions d'utilisation|politique de confidentialité|connectez-vous|cet article|voir la vidéo|commentaires|publié le|écrit par|mis à jour|pour en savoir plus|©|pour plus d'informations",
};
const GERMAN: Words = Words {
    leaning: "er|sie|es|dies|diese|dieser|dieses|diesem|diesen|jene|jener|jenes|das|aber|und|oder|also|doch|denn|dabei|damit|dafür|dagegen|daher|darum|deshalb|deswegen|dennoch|trotzdem|jedoch|zudem|außerdem|\
        auch|ebenso|ferner|dazu|davon|daran|darauf|daraus|darin|darüber|danach|dann|davor|dadurch|dort|hier|hierbei|hierfür|hierzu|so|somit|stattdessen|inzwischen|mittlerweile|schließlich|zuletzt|letztlich|\
        anschließend|später|zuvor|vorher|ihr|ihre|ihren|ihrem|ihrer|sein|seine|seinen|seinem|seiner|deren|dessen|beide|beides|andere|anderer|anderes|weitere|weiterer|weiteres|zum beispiel|beispielsweise|\
        im gegensatz|im gegenteil|in diesem|in dieser|in diesen|bei diesem|bei dieser|mit diesem|mit dieser|mit diesen|von diesem|nach diesem|aus diesem|zu diesem|zu dieser|für diese|für diesen|seitdem|seither|bisher|bislang|\
        ja|nein|nicht|nur|noch|nun|jetzt|sogar|selbst|dass|weil|wobei|wodurch|was|wer|wie|warum|einer der|eine der|eines der|die meisten|der rest|die beiden|laut der|laut dem|demnach|demzufolge|allerdings|immerhin|übrigens|\
        eigentlich|natürlich|vielleicht|gleichzeitig|zugleich|ebenfalls|genau|kurz|erst|letztere|letzterer|ersterer|das unternehmen|die firma|die studie|der bericht|die entscheidung|hinzu|sonst|ansonsten|einerseits|andererseits|zwar|umso|je nach|wenn ja|ob|ist|sind|hat|haben|kann|wird|gibt",
    pointing: "der|die|das|den|dem|des|am|im|beim|vom|zum|zur",
    articles: "ein|eine|einen|in|mit|für|von|bei|nach|seit|auf|es|wer|wie|was",
    counting: "zwei|drei|einige|manche|viele|mehrere|wenige|unter|alle|die hälfte",
    adding: "auch|ebenfalls|zudem|außerdem|ebenso|andere|anderen|weitere|weiteren|jedoch|dagegen|derselbe|dieselbe",
    telling: "der|des|von|in|im|für|mit|zwischen|aus|gegen|über|am|an|zur|zum",
    own: "ich|mir|mich|mein|meine|meinen|meinem|meiner|wir|uns|unser|unsere|unseren|unserem|unserer",
    addressing: "du|dir|dich|dein|deine|deinen|deinem|deiner|euch|euer|eure",
    furniture: "klicken sie|klick hier|hier klicken|weiterlesen|mehr lesen|lesen sie|lest auch|mehr dazu|mehr zum thema|abonnieren|newsletter|anmelden|cookie|alle rechte|anzeige|foto:|bild:|fotos:|bildquelle|quelle:|getty images|\
        folgen sie|folgt uns|teilen|nutzungsbedingungen|datenschutz|dieser artikel|diesem artikel|dieser beitrag|diesem beitrag|diesen artikel|diesen beitrag|in diesem video|kommentare|kommentar|veröffentlicht am|geschrieben von|©|\
        affiliate|gutschein|jetzt kaufen|in den warenkorb|weitere informationen|weitere infos|zur startseite|impressum|der autor|die autorin|(dpa)|screenshot|siehe|unten|download",
};
const PORTUGUESE: Words = Words {
    leaning: "ele|ela|eles|elas|este|esta|estes|estas|isto|esse|essa|esses|essas|isso|aquele|aquela|aquilo|mas|e|ou|assim|além disso|também|porém|contudo|no entanto|entretanto|todavia|por isso|portanto|por exemplo|por sua vez|\
        por outro lado|por fim|em seguida|em vez disso|nesse|nessa|nesses|neste|nesta|nisto|disso|disto|desse|dessa|deste|desta|seu|sua|seus|suas|dele|dela|deles|ambos|ambas|outro|outra|outros|outras|então|depois|enquanto isso|finalmente|\
        ali|aqui|lá|segundo ele|segundo ela|segundo o|segundo a|de acordo com o|de acordo com a|ainda|já|agora|apenas|só|sim|não|como|porque|pois|que|quem|cujo|desde então|até então|um dos|uma das|a maioria|o restante|os dois|as duas|\
        disse|afirmou|acrescentou|explicou|destacou|ressaltou|a empresa|a companhia|o estudo|a decisão|o relatório|é|são|foi|está|tem",
    pointing: "o|a|os|as",
    articles: "um|uma|em|no|na|com|por|para|desde|segundo|este|esta|de|do|da",
    counting: "dois|duas|três|alguns|algumas|vários|várias|muitos|muitas|entre|todos|todas|metade",
    adding: "também|além|outro|outra|outros|outras|mesmo|mesma|porém",
    telling: "de|do|da|dos|das|que|em|no|na|para|por|entre|com|onde|contra|sobre",
    own: "eu|meu|minha|meus|minhas|me|mim|nós|nosso|nossa|nossos|nossas",
    addressing: "você|vocês|tu|teu|tua|te",
    furniture: "clique|leia mais|leia também|saiba mais|continue lendo|assine|inscreva-se|newsletter|cookies|todos os direitos|publicidade|foto:|imagem:|getty images|siga-nos|compartilhe|política de privacidade|este artigo|esta matéria|\
        esta notícia|assista|veja também|veja abaixo|comentários|publicado em|escrito por|©|whatsapp",
};
const ITALIAN: Words = Words {
    leaning: "lui|lei|loro|egli|ella|esso|essa|essi|esse|questo|questa|questi|queste|ciò|quello|quella|quelli|quelle|ma|e|ed|o|così|inoltre|anche|però|tuttavia|eppure|quindi|dunque|perciò|infatti|invece|infine|poi|dopo|intanto|nel frattempo|\
        al contrario|ad esempio|per esempio|per questo|in questo|in questa|in quel|di questo|suo|sua|suoi|sue|entrambi|entrambe|altro|altra|altri|altre|un altro|un'altra|allora|lì|là|qui|secondo lui|secondo lei|secondo il|secondo la|secondo l'|ancora|ora|\
        adesso|solo|sì|no|non|come|perché|che|chi|cui|da allora|uno dei|una delle|la maggior parte|il resto|i due|le due|ha detto|ha aggiunto|ha spiegato|l'azienda|la società|lo studio|la decisione|è|sono|era|si tratta",
    pointing: "il|lo|la|i|gli|le|l'",
    articles: "un|una|in|con|per|da|dal|secondo|nel|nella|di|del|a",
    counting: "due|tre|alcuni|alcune|molti|molte|diversi|tra|fra|tutti|tutte|metà",
    adding: "anche|inoltre|altro|altra|altri|altre|stesso|stessa|tuttavia|pure",
    telling: "di|del|della|dei|delle|che|in|nel|per|tra|con|dove|contro|su|da|dal",
    own: "io|mio|mia|miei|mie|noi|nostro|nostra|nostri|nostre",
    addressing: "tu|tuo|tua|tuoi|tue|voi|vostro|vostra",
    furniture: "clicca|leggi anche|leggi tutto|continua a leggere|abbonati|iscriviti|newsletter|cookie|tutti i diritti|pubblicità|foto:|immagine:|getty images|seguici|condividi|informativa sulla privacy|questo articolo|guarda il video|\
        commenti|pubblicato il|scritto da|©|per maggiori informazioni",
};
const DUTCH: Words = Words {
    leaning: "hij|zij|ze|het|dit|dat|deze|die|maar|en|of|dus|ook|echter|toch|daarom|daardoor|daarnaast|daarbij|daarmee|daarna|daarvoor|daarop|daarvan|bovendien|verder|vervolgens|toen|dan|hier|daar|er|zo|bijvoorbeeld|intussen|ondertussen|\
        uiteindelijk|ten slotte|zijn|haar|hun|beide|beiden|ander|andere|anderen|nog|nu|alleen|zelfs|ja|nee|niet|want|omdat|waarbij|waardoor|wat|wie|hoe|waarom|sindsdien|tot dan|een van de|de meeste|de rest|de twee|volgens hem|volgens haar|volgens de|volgens het|\
        in dit|in deze|in dat|met deze|met dit|voor deze|voor dit|bij deze|het bedrijf|het onderzoek|de studie|het rapport|het besluit|is|was|heeft",
    pointing: "de|het",
    articles: "een|in|op|met|voor|van|bij|na|sinds|dit|deze|er",
    counting: "twee|drie|sommige|veel|vele|enkele|verschillende|onder|alle|de helft",
    adding: "ook|eveneens|bovendien|andere|ander|dezelfde|hetzelfde|echter",
    telling: "van|in|voor|met|tussen|uit|tegen|over|bij|die|dat|op|aan",
    own: "ik|mij|me|mijn|wij|we|ons|onze",
    addressing: "jij|je|jou|jouw|jullie|u|uw",
    furniture: "klik hier|lees meer|lees ook|lees verder|abonneer|nieuwsbrief|newsletter|cookies|alle rechten|advertentie|foto:|beeld:|getty images|volg ons|deel dit|privacybeleid|dit artikel|bekijk de video|reacties|gepubliceerd op|geschreven door|©|meer informatie",
};
const AMHARIC: Words = Words {
    leaning: "እሱ|እሷ|እነሱ|እነዚህ|እነዚያ|ይህ|ይህን|ይህም|ያ|ይኸው|ነገር ግን|ግን|እና|ወይም|ስለዚህ|በተጨማሪ|በተጨማሪም|ሆኖም|ይሁን እንጂ|ከዚያ|ከዚህ|በዚህ|በዚያ|ለዚህ|እዚህ|እዚያ|ሌላ|ሌሎች|ሁለቱም|እንዲሁም|ለምሳሌ|በመጨረሻ|አክለውም|አክሎም",
    pointing: "",
    articles: "",
    counting: "",
    adding: "በተጨማሪ|እንዲሁም",
    telling: "",
    own: "እኔ|እኛ|የእኛ|የእኔ",
    addressing: "እርስዎ|እናንተ|አንተ|አንቺ",
    furniture: "ተጨማሪ ያንብቡ|ይመዝገቡ|ፎቶ፦|ማስታወቂያ|መብቱ በሕግ|ሰብስክራይብ",
};
const SWAHILI: Words = Words {
    leaning: "yeye|wao|hii|hiyo|hizi|hizo|huyu|hawa|huo|hilo|hili|hayo|haya|hivyo|lakini|na|au|pia|hata hivyo|kwa hiyo|aidha|vilevile|kisha|baadaye|halafu|hapa|pale|huko|kwa mfano|hatimaye|wengine|mwingine|nyingine|wote|alisema|aliongeza|amesema|ameongeza|kwa mujibu wa",
    pointing: "",
    articles: "",
    counting: "",
    adding: "pia|vilevile|aidha",
    telling: "",
    own: "mimi|sisi|yangu|wangu|yetu|wetu|langu|letu",
    addressing: "wewe|nyinyi|yako|wako",
    furniture: "soma zaidi|bofya hapa|jisajili|tangazo|picha:|haki zote|tufuate",
};
const ARABIC: Words = Words {
    leaning: "هو|هي|هم|هما|هذا|هذه|هؤلاء|ذلك|تلك|لكن|ولكن|كما|أيضا|أيضًا|وأضاف|وأضافت|وقال|وقالت|وأوضح|وأوضحت|وأشار|وأشارت|وأكد|وأكدت|وذكر|وذكرت|وكان|وكانت|ومن|وفي|وهو|وهي|وهذا|وهذه|وقد|ولم|ولا|وعلى|وبحسب|لذلك|ثم|بينما|هناك|هنا|ومع ذلك|بالإضافة|من جهته|من جانبه|من جهتها|وبعد|وتابع|وتأتي|ويأتي|ويعد|وتعد|غير أن|إلا أن",
    pointing: "",
    articles: "",
    counting: "",
    adding: "أيضا|أيضًا|كذلك",
    telling: "",
    own: "أنا|نحن|لدينا|عندي",
    addressing: "أنت|أنتم|لديك",
    furniture: "اقرأ أيضا|اقرأ أيضًا|اقرأ المزيد|اضغط هنا|اشترك|النشرة|الصورة:|جميع الحقوق|إعلان|تابعونا|شاهد",
};
const HINDI: Words = Words {
    leaning: "वह|वे|यह|ये|इस|इसके|इसका|इसकी|इससे|इसमें|इन|इनमें|उस|उसके|उसका|उसकी|उन|उनके|उनका|उनकी|उन्होंने|उन्हें|उसने|इसने|लेकिन|और|या|परंतु|हालांकि|हालाँकि|इसलिए|साथ ही|फिर|यहां|यहाँ|वहां|वहाँ|दोनों|अन्य|दूसरी|दूसरे|वहीं|जबकि|मगर|ऐसे|ऐसा|तब|बाद में|तो",
    pointing: "",
    articles: "",
    counting: "",
    adding: "भी",
    telling: "",
    own: "मैं|मेरा|मेरी|मेरे|हम|हमारा|हमारी|हमारे|हमने|मैंने",
    addressing: "आप|आपका|आपकी|आपके|तुम",
    furniture: "यहां क्लिक|और पढ़ें|ये भी पढ़ें|यह भी पढ़ें|सब्सक्राइब|न्यूज़लेटर|फोटो:|विज्ञापन|सर्वाधिकार|फॉलो करें",
};
const JAPANESE: Words = Words {
    leaning: "これ|それ|あれ|この|その|あの|ここ|そこ|彼|彼女|同社|同氏|同日|同市|同年|同|しかし|だが|また|さらに|そして|なお|一方|ただ|ただし|そのため|このため|だから|したがって|つまり|例えば|たとえば|ほかに|他に|両者|いずれも|ちなみに|では|でも|すると|なぜなら|とはいえ|加えて|続いて|次に|最後に|前者|後者|当時|こう",
    pointing: "",
    articles: "",
    counting: "",
    adding: "同社|同氏|また|前述",
    telling: "",
    own: "私は|私の|私たち|私が|僕|俺|我々|弊社|当社|筆者|編集部",
    addressing: "あなた|皆さん|みなさん|ください",
    furniture: "続きを読む|こちらから|会員登録|メルマガ|ニュースレター|写真:|写真＝|画像:|広告|無断転載|フォローする|この記事|クリック|ダウンロード",
};
const CHINESE: Words = Words {
    leaning: "他|她|它|他们|她们|它们|这|这个|这些|那|那个|那些|此|此外|该|其|但|但是|然而|不过|而|而且|并且|同时|因此|所以|于是|然后|随后|另外|另|例如|比如|最后|其中|两者|双方|上述|据此|对此|为此|也|还|又|与此同时|目前来看|换句话说",
    pointing: "",
    articles: "",
    counting: "",
    adding: "也|该|此次|上述|同时",
    telling: "",
    own: "我|我们|笔者|本报|小编|本站|本人",
    addressing: "你|您|大家",
    furniture: "点击|阅读全文|阅读更多|订阅|图片来源|图:|图：|广告|版权所有|转载|扫码|关注我们|本文|微信公众号|登录|责任编辑|编辑:|编辑：",
};
